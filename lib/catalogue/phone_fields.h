// The members of the operations on phone numbers and calls. Only
// for phone.cpp.
#pragma once

#include "catalogue/check.h"
#include "catalogue/realtime_session_fields.h"

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
    text("phone-number", "Your own number.", common, form(TextForm::PhoneNumber),
         example("+14155550100")),
    text("area-code", "US area code of the service's number.", common, form(TextForm::AreaCode),
         example("415")),
    text("webhook.url", "Webhook URL for incoming calls.", common, form(TextForm::WebUrl),
         example("https://example.com/calls")),
    text("webhook.name", "The webhook's name.", fallback("the number's name"), example("calls")),
    text("webhook.auth_url", "URL that exchanges --webhook-auth-token for a token (OAuth).",
         form(TextForm::WebUrl), example("https://example.com/token")),
    secret("webhook.auth_token", "Token the service sends with each webhook.",
           example("env:WEBHOOK_TOKEN")),
    text("agent-id", "Agent that answers the calls.", common, example("agent_1")),
    text("sip-auth-username", "SIP digest user name required of callers.",
         at("sip_auth.auth_username"), common, example("trunk")),
    secret("sip-auth-password", "SIP digest password.", at("sip_auth.auth_password"), common,
           example("env:SIP_PASSWORD")),
    text("sip_auth.allowed_addresses", "Accept calls only from this IP range.", repeated, common,
         form(TextForm::AddressRange), example("203.0.113.0/24")),
    file("secret-file",
         "Save the webhook's signing secret, shown only once, to this private file instead of "
         "printing it.",
         local, common, example("webhook.secret")),
};

inline constexpr sv k_one_taker = "A call goes either to an agent or to a webhook.";
inline constexpr std::array k_create_rules = {
    excludes("webhook-url", "agent-id", k_one_taker),
    needs("webhook-name", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-url", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-token", "webhook-url", "A webhook needs a URL."),
    needs("webhook-auth-url", "webhook-auth-token", "That URL exchanges the token."),
    needs("secret-file", "webhook-url", "Only a webhook has a signing secret."),
    excludes("phone-number", "area-code", "Your own number has no area code to choose."),
    needs("phone-number", "origin=byo_trunk", "The service assigns its own numbers."),
    needs("area-code", "origin=svc_provisioned", "Area codes apply to service numbers only."),
    needs("sip-auth-username", "sip-auth-password", "User name and password belong together."),
    needs("sip-auth-password", "sip-auth-username", "User name and password belong together."),
};

// What a number is, in an answer that is nested or flat, in snake or camel case -----------------

inline constexpr std::array k_number_columns = {
    Column{"ID",
           "phone_number.phone_number_id|phoneNumber.phoneNumberId|phone_number_id|phoneNumberId"},
    Column{"NUMBER", "phone_number.phone_number|phoneNumber.phoneNumber|phone_number|phoneNumber"},
    Column{"NAME", "phone_number.name|phoneNumber.name|name"},
    Column{"ORIGIN", "phone_number.origin|phoneNumber.origin|origin"},
    Column{"AGENT",
           "phone_number.agent_name|phone_number.agent_id|phoneNumber.agentName|"
           "phoneNumber.agentId|agent_name|agentName|agent_id|agentId"},
    Column{"WEBHOOK",
           "webhook.webhook_id|webhook.webhookId|phone_number.webhook_id|phoneNumber.webhookId|"
           "webhook_id|webhookId"},
    Column{"SIP HOST", "phone_number.sip_host|phoneNumber.sipHost|sip_host|sipHost"},
    Column{"TRUNK",
           "phone_number.inbound_trunk_id|phoneNumber.inboundTrunkId|inbound_trunk_id|"
           "inboundTrunkId"},
    Column{"SIP USER",
           "phone_number.sip_auth.auth_username|phoneNumber.sipAuth.authUsername|"
           "sip_auth.auth_username|sipAuth.authUsername"},
    Column{"ALLOWED",
           "phone_number.sip_auth.allowed_addresses|phoneNumber.sipAuth.allowedAddresses|"
           "sip_auth.allowed_addresses|sipAuth.allowedAddresses",
           Cell::List},
    Column{"CREATED",
           "phone_number.created_at|phoneNumber.createdAt|phoneNumber.createTime|created_at|"
           "createdAt|createTime",
           Cell::UnixTime},
    Column{"AGENT ID", "phone_number.agent_id|phoneNumber.agentId|agent_id|agentId", Cell::Text,
           true},
    Column{"TEAM", "phone_number.team_id|phoneNumber.teamId|team_id|teamId", Cell::Text, true},
    Column{"OUTBOUND SMS",
           "phone_number.outbound_sms_enabled|phoneNumber.outboundSmsEnabled|"
           "outbound_sms_enabled|outboundSmsEnabled",
           Cell::Text, true},
    Column{"UPDATED",
           "phone_number.updated_at|phoneNumber.updatedAt|phoneNumber.updateTime|updated_at|"
           "updatedAt|updateTime",
           Cell::UnixTime},
};
inline constexpr std::array k_number_sections = {Section{.columns = k_number_columns}};

inline constexpr std::array k_list_columns = {
    Column{"ID", "phone_number_id|phoneNumberId"},
    Column{"NUMBER", "phone_number|phoneNumber"},
    Column{"NAME", "name"},
    Column{"ORIGIN", "origin"},
    Column{"AGENT", "agent_name|agentName|agent_id|agentId"},
    Column{"WEBHOOK", "webhook_id|webhookId"},
    Column{"SIP HOST", "sip_host|sipHost"},
    Column{"CREATED", "created_at|createdAt|createTime", Cell::UnixTime},
    Column{"UPDATED", "updated_at|updatedAt|updateTime", Cell::UnixTime, true},
    Column{"AGENT ID", "agent_id|agentId", Cell::Text, true},
    Column{"TRUNK", "inbound_trunk_id|inboundTrunkId", Cell::Text, true},
    Column{"SIP USER", "sip_auth.auth_username|sipAuth.authUsername", Cell::Text, true},
    Column{"ALLOWED", "sip_auth.allowed_addresses|sipAuth.allowedAddresses", Cell::List, true},
    Column{"TEAM", "team_id|teamId", Cell::Text, true},
    Column{"OUTBOUND SMS", "outbound_sms_enabled|outboundSmsEnabled", Cell::Text, true},
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
inline constexpr std::array k_update_rules = {excludes("webhook-id", "agent-id", k_one_taker)};

// calls -------------------------------------------------------------------------------------------

inline constexpr std::array k_refer_fields = {
    k_call_field,
    text("target-uri", "Transfer target: tel:+NUMBER or sip:USER@HOST.", required, positional,
         form(TextForm::CallTarget), example("tel:+14155550199")),
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
/// On a call the model is chosen by the service; whether it thinks is not.
inline constexpr std::array k_answer_session = {
    text("session.reasoning.effort", "Let the model reason before it speaks.",
         choices(k_reasoning_efforts), fallback("high"), example("none")),
};
inline constexpr std::array k_answer_own_rules = {
    excludes("greeting", "greet=false", "A greeting requires --greet."),
};

}  // namespace svc::catalogue::phone
