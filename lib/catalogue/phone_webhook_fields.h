// What `svc phone listen` and `svc phone verify` take. Only for phone.cpp.
#pragma once

#include "catalogue/check.h"

namespace svc::catalogue::phone {

inline constexpr Field k_secret_field = secret(
    "secret", "Webhook signing secret from `phone create`; repeat to accept any of several.", local,
    repeated, common, fallback("SVC_WEBHOOK_SECRET, or the profile's webhook_secret_file"),
    example("@webhook.secret"));

inline constexpr std::array k_listen_own = {
    integer("port", "Port to listen on.", local, common, range(0, 65'535),
            fallback("any free port, printed"), example("8080")),
    text(
        "address",
        "Address to listen on; behind 127.0.0.1, an HTTPS proxy or tunnel must forward deliveries.",
        local, common, fallback("127.0.0.1"), example("127.0.0.1")),
    text("path", "Accept deliveries at this path; others get 404.", local, common, fallback("/"),
         example("/calls")),
    k_secret_field,
    secret("auth-token",
           "Require this bearer token: the webhook's auth_token, unless auth_url exchanges it.",
           local, fallback("none is asked for"), example("@webhook.token")),
    file("exec",
         "Run this program for each event, with the event's JSON on standard input and SVC_CALL_ID "
         "and SVC_EVENT_TYPE set; its output goes to standard error.",
         local, common, example("./on-call")),
    integer("exec-jobs", "Limit concurrent programs and answered calls to N; other events wait.",
            local, range(1, 100, "programs"), fallback("10"), example("4")),
    duration("exec-timeout", "Kill a program after this time.", local, fallback("10m"),
             example("30s")),
    integer("events", "Exit after N events.", local, at_least(1, "events"), example("1")),
    file("store",
         "Save every delivery to a file in this folder, refused ones too; `svc phone verify "
         "FOLDER` checks them again.",
         local, common, example("deliveries")),
    text("tunnel",
         "Run this shell command, which makes the port reachable, and show the URL that it prints; "
         "{port} is the local port.",
         local, common, example("ssh -R 80:localhost:{port} tunnel.example.com")),
    boolean("answer",
            "Answer each call, as `svc phone answer` does with the flags below, and print a "
            "transcript prefixed with its ID; --format jsonl prints every event.",
            local, common),
};

inline constexpr std::array k_listen_rules = {
    excludes("exec", "answer", "A call is answered once."),
    needs("exec-timeout", "exec", "It applies only to --exec."),
};

inline constexpr std::array k_verify_fields = {
    file("delivery",
         "Raw body of the delivery: a file, or - for standard input; or a file or folder that `svc "
         "phone listen --store` wrote.",
         local, required, positional, common, example("body.json")),
    file("headers", "File with the delivery's headers, one `Name: value` per line.", local, common,
         example("headers.txt")),
    text("webhook-id", "Value of the header of that name.", local, common, example("evt_1")),
    text("webhook-timestamp", "Value of the header of that name.", local, common,
         example("1750000000")),
    text("webhook-signature", "Value of the header of that name.", local, common,
         example("v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=")),
    k_secret_field,
    text("at", "Check a saved delivery's age as of this time (RFC 3339 or Unix seconds).", local,
         fallback("now"), example("2026-06-01T12:00:00Z")),
};

}  // namespace svc::catalogue::phone
