// What `svc phone listen` and `svc phone verify` take. Only for phone.cpp.
#pragma once

#include "catalogue/check.h"

namespace svc::catalogue::phone {

inline constexpr Field k_secret_field{.flag = "secret",
                                      .path = "",
                                      .kind = Kind::Secret,
                                      .in = In::Local,
                                      .help =
                                          "The webhook's signing secret, as `phone create` gave it "
                                          "out; of several, any may have signed.",
                                      .repeated = true,
                                      .common = true,
                                      .fallback =
                                          "SVC_WEBHOOK_SECRET, else the profile's "
                                          "webhook_secret_file",
                                      .example = "@webhook.secret"};

inline constexpr std::array k_listen_own = {
    Field{.flag = "port",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Listen on this port.",
          .common = true,
          .range = Range{0, 65'535},
          .fallback = "a free one, which is told",
          .example = "8080"},
    Field{.flag = "address",
          .path = "",
          .in = In::Local,
          .help = "Listen on this address: other machines reach 127.0.0.1 only through a tunnel or "
                  "a proxy, which also brings the https that senders want.",
          .common = true,
          .fallback = "127.0.0.1",
          .example = "127.0.0.1"},
    Field{.flag = "path",
          .path = "",
          .in = In::Local,
          .help = "Take deliveries at this path; others are not found.",
          .common = true,
          .fallback = "/",
          .example = "/calls"},
    k_secret_field,
    Field{.flag = "auth-token",
          .path = "",
          .kind = Kind::Secret,
          .in = In::Local,
          .help = "Take only deliveries that bring this bearer token too: the webhook's "
                  "auth_token, where no auth_url makes another one of it.",
          .fallback = "none is asked for",
          .example = "@webhook.token"},
    Field{.flag = "exec",
          .path = "",
          .in = In::Local,
          .help = "Run this program for each event, which it gets as JSON on its standard input, "
                  "with SVC_CALL_ID and SVC_EVENT_TYPE set; its output goes to standard error.",
          .common = true,
          .example = "./on-call"},
    Field{.flag = "exec-jobs",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Run so many at a time, calls that are answered included; further events wait.",
          .range = Range{1, 100, "programs"},
          .fallback = "10",
          .example = "4"},
    Field{.flag = "exec-timeout",
          .path = "",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "End a program that takes longer.",
          .fallback = "10m",
          .example = "30s"},
    Field{.flag = "events",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "End after this many events.",
          .range = Range{1, k_no_max, "events"},
          .example = "1"},
    Field{.flag = "answer",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Answer each call, as `svc phone answer` does with the flags below, and print "
                  "what both say behind the call's id; --format jsonl prints every event.",
          .common = true},
};

inline constexpr std::array k_listen_rules = {
    Rule{RuleKind::Excludes, "exec", "answer", "A call is answered once."},
    Rule{RuleKind::Requires, "exec-timeout", "exec", "It is about the program."},
};

inline constexpr std::array k_listen_examples = {
    Example{"svc phone listen --port 8080 --secret @webhook.secret",
            "Prints each event as a line of JSON, once its signature is verified."},
    Example{"svc phone listen --port 8080 --secret @webhook.secret --exec ./on-call",
            "Runs a program for each call."},
    Example{"svc phone listen --port 8080 --secret env:HOOK_SECRET --answer --greeting 'Good "
            "morning!'",
            "Answers each call."},
};

inline constexpr std::array k_verify_fields = {
    Field{.flag = "delivery",
          .path = "",
          .in = In::Local,
          .help = "The delivery's body, byte for byte as it came: a file, or - for standard input.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "body.json"},
    Field{.flag = "headers",
          .path = "",
          .in = In::Local,
          .help = "A file with the delivery's headers, a line each, as `Name: value`.",
          .common = true,
          .example = "headers.txt"},
    Field{.flag = "webhook-id",
          .path = "",
          .in = In::Local,
          .help = "The header of that name.",
          .common = true,
          .example = "evt_1"},
    Field{.flag = "webhook-timestamp",
          .path = "",
          .in = In::Local,
          .help = "The header of that name.",
          .common = true,
          .example = "1750000000"},
    Field{.flag = "webhook-signature",
          .path = "",
          .in = In::Local,
          .help = "The header of that name.",
          .common = true,
          .example = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
    k_secret_field,
    Field{.flag = "at",
          .path = "",
          .in = In::Local,
          .help =
              "Judge its age as of this time, RFC 3339 or Unix seconds, for a delivery that was "
              "kept.",
          .fallback = "now",
          .example = "2026-06-01T12:00:00Z"},
};

inline constexpr std::array k_verify_examples = {
    Example{"svc phone verify body.json --headers headers.txt --secret @webhook.secret",
            "Says whether a delivery is genuine: exit code 0, else 6 with the reason."}};

}  // namespace svc::catalogue::phone
