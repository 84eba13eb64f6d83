// The fields of the group phone.
#pragma once

#include <array>

#include "catalogue/realtime_session_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue::phone {

inline constexpr std::array<sv, 2> k_reasoning_efforts = {"high", "none"};
inline constexpr std::array<sv, 2> k_origins = {"svc_provisioned", "byo_trunk"};

inline constexpr Field k_number_field =
    path_parameter("phone-number-id", "Number ID, from `svc phone list`.", example("pn_0001"),
                   completes("phone-numbers"));

inline constexpr Field k_call_field = path_parameter(
    "call-id", "Call ID, from its webhook.", example("00000000-0000-0000-0000-000000000000"));

// create ------------------------------------------------------------------------------------------

inline constexpr std::array k_create_fields = {
    text("name", "Descriptive name.", required, positional, example("support line")),
    text("origin", "Number source: the service, or your own SIP trunk.", required, common,
         choices(k_origins), example("byo_trunk")),
    text("phone-number", "Your own number.", common, form(TextFormat::PhoneNumber),
         example("+14155550100")),
    text("area-code", "US area code of the service's number.", common, form(TextFormat::AreaCode),
         example("415")),
    text("webhook.url", "Webhook URL for incoming calls.", common, form(TextFormat::WebUrl),
         example("https://example.com/calls")),
    text("webhook.name", "The webhook's name.", fallback("the number's name"), example("calls")),
    text("webhook.auth_url", "URL that exchanges --webhook-auth-token for a token (OAuth).",
         form(TextFormat::WebUrl), example("https://example.com/token")),
    secret("webhook.auth_token", "Token the service sends with each webhook.",
           example("env:WEBHOOK_TOKEN")),
    text("agent-id", "Agent that answers the calls.", common, example("agent_1")),
    text("sip-auth-username", "SIP digest user name required of callers.",
         at("sip_auth.auth_username"), common, example("trunk")),
    secret("sip-auth-password", "SIP digest password.", at("sip_auth.auth_password"), common,
           example("env:SIP_PASSWORD")),
    text("sip_auth.allowed_addresses", "Accept calls only from this IP range.", repeated, common,
         form(TextFormat::AddressRange), example("203.0.113.0/24")),
    file("secret-file",
         "Save the webhook's signing secret, shown only once, to this private file instead of "
         "printing it.",
         local, common, example("webhook.secret")),
};

inline constexpr std::array k_id_fields = {k_number_field};
inline constexpr std::array k_delete_fields = {
    with(k_number_field, repeated, says("Number IDs, from `svc phone list`."))};

// update ------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 4> k_clearable = {"name", "agent-id", "webhook-id",
                                                  "outbound-sms-enabled"};
inline constexpr std::array k_update_fields = {
    k_number_field,
    text("name", "New name of the number.", common, example("support line 2")),
    text("agent-id", "Agent that answers the calls.", common, example("agent_1")),
    text("webhook-id", "Send calls to this webhook.", common, example("wh_1")),
    boolean("outbound-sms-enabled", "Allow the number to send text messages.", common),
    text("clear", "Clear this field, such as the agent.", local, repeated, common,
         choices(k_clearable), example("agent-id")),
};

// calls -------------------------------------------------------------------------------------------

inline constexpr std::array k_refer_fields = {
    k_call_field,
    text("target-uri", "Transfer target: tel:+NUMBER or sip:USER@HOST.", required, positional,
         form(TextFormat::CallTarget), example("tel:+14155550199")),
};
inline constexpr std::array k_call_fields = {k_call_field};

inline constexpr std::array k_answered_call = {
    text("call-id", "Call ID, from its webhook.", query, required, positional,
         example("00000000-0000-0000-0000-000000000000")),
};
inline constexpr std::array k_greeting_fields = {
    text("greeting", "Exact greeting; without it, the model chooses its own.", local, common,
         file_text, example("Good morning, how can I help?")),
    boolean("greet", "Speak first; --no-greet waits for the caller.", local, common,
            fallback("true")),
    realtime::k_session_limit_field,
};
/// The service chooses the model of a call, but not its reasoning effort.
inline constexpr std::array k_answer_session = {
    text("session.reasoning.effort", "Let the model reason before it speaks.",
         choices(k_reasoning_efforts), fallback("high"), example("none")),
};

inline constexpr Field k_secret_field = secret(
    "secret", "Webhook signing secret from `phone create`; repeat to accept any of several.", local,
    repeated, common, fallback("SVC_WEBHOOK_SECRET, or the profile's webhook_secret_file"),
    example("@webhook.secret"));
inline constexpr std::array k_secret_fields = {k_secret_field};

inline constexpr std::array k_listen_own = {
    integer("port", "Port to listen on.", local, common, range(0, 65'535),
            fallback("any free port, printed"), example("8080")),
    text("address",
         "Address to listen on; for 127.0.0.1, an HTTPS proxy or tunnel must forward deliveries.",
         local, common, fallback("127.0.0.1"), example("127.0.0.1")),
    text("path", "Accept deliveries at this path; others get 404.", local, common, fallback("/"),
         example("/calls")),
    k_secret_field,
    secret("auth-token",
           "Require this bearer token: the webhook's auth_token, unless auth_url exchanges it.",
           local, fallback("no token required"), example("@webhook.token")),
    file("exec",
         "Run this program for each event, with the event's JSON on standard input and SVC_CALL_ID "
         "and SVC_EVENT_TYPE set; its output goes to standard error.",
         local, common, example("./on-call")),
    k_tool_env_field,
    integer("exec-jobs", "Limit concurrent programs and answered calls to N; other events wait.",
            local, range(1, 100, "programs"), fallback("10"), example("4")),
    duration("exec-timeout", "Kill a program after this time.", local, fallback("10m"),
             example("30s")),
    integer("events", "Exit after N events.", local, at_least(1, "events"), example("1")),
    file("store",
         "Save every delivery, even if refused, to a file in this directory; `svc phone verify "
         "DIR` checks them again.",
         local, common, example("deliveries")),
    text("tunnel",
         "Run this shell command to make the port reachable, and show the URL it prints; {port} is "
         "the local port.",
         local, common, example("ssh -R 80:localhost:{port} tunnel.example.com")),
    boolean("answer",
            "Answer each call, as `svc phone answer` does with the flags below, and print a "
            "transcript prefixed with its ID; --format jsonl prints every event.",
            local, common),
};

inline constexpr std::array k_verify_fields = {
    file("delivery",
         "Raw body of the delivery: a file, or - for standard input; or a file or directory "
         "written by `svc phone listen --store`.",
         local, required, positional, common, example("body.json")),
    file("headers", "File with the delivery's headers, one NAME: VALUE per line.", local, common,
         example("headers.txt")),
    text("webhook-id", "Value of the webhook-id header.", local, common, example("evt_1")),
    text("webhook-timestamp", "Value of the webhook-timestamp header.", local, common,
         example("1750000000")),
    text("webhook-signature", "Value of the webhook-signature header.", local, common,
         example("v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")),
    k_secret_field,
    text("at", "Check a saved delivery's age as of this time (RFC 3339 or Unix seconds).", local,
         fallback("now"), example("2026-06-01T12:00:00Z")),
};

inline constexpr auto k_answering =
    concat(k_greeting_fields, realtime::k_call_session_fields, k_answer_session);
inline constexpr auto k_answer_fields = concat(k_answered_call, k_answering);
inline constexpr auto k_listen_fields = concat(k_listen_own, k_answering);

}  // namespace svc::catalogue::phone
