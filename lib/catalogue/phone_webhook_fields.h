// What `svc phone listen` and `svc phone verify` take. Only for phone.cpp.
#pragma once

#include "catalogue/check.h"

namespace svc::catalogue::phone {

inline constexpr Field k_secret_field{
    .flag = "secret",
    .kind = Kind::Secret,
    .in = In::Local,
    .help = "Webhook signing secret from `phone create`; repeat to accept any of several.",
    .repeated = true,
    .common = true,
    .fallback = "SVC_WEBHOOK_SECRET, or the profile's webhook_secret_file",
    .example = "@webhook.secret"};

inline constexpr std::array k_listen_own = {
    Field{.flag = "port",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Port to listen on.",
          .common = true,
          .range = Range{0, 65'535},
          .fallback = "any free port, printed",
          .example = "8080"},
    Field{.flag = "address",
          .in = In::Local,
          .help = "Address to listen on; behind 127.0.0.1, an HTTPS proxy or tunnel must forward "
                  "deliveries.",
          .common = true,
          .fallback = "127.0.0.1",
          .example = "127.0.0.1"},
    Field{.flag = "path",
          .in = In::Local,
          .help = "Accept deliveries at this path; others get 404.",
          .common = true,
          .fallback = "/",
          .example = "/calls"},
    k_secret_field,
    Field{.flag = "auth-token",
          .kind = Kind::Secret,
          .in = In::Local,
          .help =
              "Require this bearer token: the webhook's auth_token, unless auth_url exchanges it.",
          .fallback = "none is asked for",
          .example = "@webhook.token"},
    Field{.flag = "exec",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Run this program for each event, with the event's JSON on standard input and "
                  "SVC_CALL_ID and SVC_EVENT_TYPE set; its output goes to standard error.",
          .common = true,
          .example = "./on-call"},
    Field{.flag = "exec-jobs",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Limit concurrent programs and answered calls to N; other events wait.",
          .range = Range{1, 100, "programs"},
          .fallback = "10",
          .example = "4"},
    Field{.flag = "exec-timeout",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Kill a program after this time.",
          .fallback = "10m",
          .example = "30s"},
    Field{.flag = "events",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Exit after N events.",
          .range = Range{1, k_no_max, "events"},
          .example = "1"},
    Field{.flag = "store",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Save every delivery to a file in this folder, refused ones too; `svc phone "
                  "verify FOLDER` checks them again.",
          .common = true,
          .example = "deliveries"},
    Field{.flag = "tunnel",
          .in = In::Local,
          .help = "Run this shell command, which makes the port reachable, and show the URL that "
                  "it prints; {port} is the local port.",
          .common = true,
          .example = "ssh -R 80:localhost:{port} tunnel.example.com"},
    Field{.flag = "answer",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Answer each call, as `svc phone answer` does with the flags below, and print a "
                  "transcript prefixed with its ID; --format jsonl prints every event.",
          .common = true},
};

inline constexpr std::array k_listen_rules = {
    Rule{RuleKind::Excludes, "exec", "answer", "A call is answered once."},
    Rule{RuleKind::Requires, "exec-timeout", "exec", "It applies only to --exec."},
};

inline constexpr std::array k_listen_examples = {
    Example{"svc phone listen --port 8080 --secret @webhook.secret",
            "Prints each verified event as a line of JSON."},
    Example{"svc phone listen --port 8080 --secret @webhook.secret --exec ./on-call",
            "Runs a program for each call."},
    Example{"svc phone listen --port 8080 --secret env:HOOK_SECRET --answer --greeting 'Good "
            "morning!'",
            "Answers each call."},
    Example{"svc phone listen --secret @webhook.secret --store deliveries --tunnel 'ssh -R "
            "80:localhost:{port} tunnel.example.com'",
            "Opens a tunnel, and saves each delivery."},
};

inline constexpr std::array k_verify_fields = {
    Field{.flag = "delivery",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Raw body of the delivery: a file, or - for standard input; or a file or folder "
                  "that `svc phone listen --store` wrote.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "body.json"},
    Field{.flag = "headers",
          .kind = Kind::File,
          .in = In::Local,
          .help = "File with the delivery's headers, one `Name: value` per line.",
          .common = true,
          .example = "headers.txt"},
    Field{.flag = "webhook-id",
          .in = In::Local,
          .help = "Value of the header of that name.",
          .common = true,
          .example = "evt_1"},
    Field{.flag = "webhook-timestamp",
          .in = In::Local,
          .help = "Value of the header of that name.",
          .common = true,
          .example = "1750000000"},
    Field{.flag = "webhook-signature",
          .in = In::Local,
          .help = "Value of the header of that name.",
          .common = true,
          .example = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
    k_secret_field,
    Field{.flag = "at",
          .in = In::Local,
          .help = "Check a saved delivery's age as of this time (RFC 3339 or Unix seconds).",
          .fallback = "now",
          .example = "2026-06-01T12:00:00Z"},
};

inline constexpr std::array k_verify_examples = {
    Example{"svc phone verify body.json --headers headers.txt --secret @webhook.secret",
            "Verifies a delivery: exit code 0, or 6 with the reason."},
    Example{"svc phone verify deliveries --secret @webhook.secret",
            "Verifies everything that --store saved."}};

}  // namespace svc::catalogue::phone
