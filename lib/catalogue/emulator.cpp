// The group `emulator`: the local stand-in, and what it can be told to do while it runs.
#include <array>

#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace {

constexpr std::array k_emulator_fields = {
    Field{.flag = "host",
          .in = In::Local,
          .help = "Address to listen on.",
          .common = true,
          .fallback = "127.0.0.1",
          .example = "0.0.0.0"},
    Field{.flag = "port",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Port to listen on (default: any free port).",
          .common = true,
          .range = Range{0, 65535},
          .example = "8080"},
    Field{.flag = "state",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Keep the state in this file, or in memory only with :memory:.",
          .common = true,
          .fallback = "emulator.db in the state folder",
          .example = ":memory:"},
    Field{.flag = "tls",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Serve https with a certificate of its own.",
          .common = true},
    Field{.flag = "cert",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Use this certificate for https.",
          .example = "cert.pem"},
    Field{.flag = "key",
          .kind = Kind::File,
          .in = In::Local,
          .help = "The private key of the certificate, as a file.",
          .example = "key.pem"},
    Field{.flag = "fault",
          .in = In::Local,
          .help = "Misbehave on purpose, such as 'POST /v1/*: status 503, times 2'.",
          .repeated = true,
          .common = true,
          .example = "POST /v1/*: latency 200ms"},
    Field{.flag = "answers",
          .kind = Kind::File,
          .in = In::Local,
          .help = "A JSON file with rules that say what is answered.",
          .common = true,
          .example = "answers.json"},
    Field{.flag = "seed",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Make ids repeat: the same requests in the same order get the same ones.",
          .range = Range{0, 9'007'199'254'740'992},
          .example = "1"},
    Field{.flag = "clock",
          .in = In::Local,
          .help = "Start the emulator's clock at this time.",
          .example = "2026-01-01T00:00:00Z"},
};
constexpr std::array k_emulator_examples = {
    Example{"svc emulator",
            "Serves all hosts on a free port of this machine, and prints the environment to use."},
    Example{"svc emulator --port 8080 --fault 'POST /v1/chat/completions: status 429, times 1'",
            "Refuses the first chat."},
    Example{"svc emulator --port 8080 --answers answers.json --state :memory:",
            "Answers as the rules in the file say, and forgets everything at its end."}};
constexpr std::array k_emulator_call_fields = {
    Field{.flag = "to",
          .help = "The phone number that is called, in E.164 format.",
          .required = true,
          .common = true,
          .example = "+14155550123"},
    Field{.flag = "from",
          .help = "Who calls.",
          .common = true,
          .fallback = "+14155550100",
          .example = "+18005550199"},
    Field{.flag = "input",
          .kind = Kind::File,
          .help = "A WAV file with what the caller says.",
          .common = true,
          .max_bytes = 20'000'000,
          .example = "hello.wav"},
    Field{.flag = "dtmf",
          .help = "The keys that the caller presses after that: digits, * and #; those before a "
                  "comma come first.",
          .common = true,
          .example = "123#"},
    Field{.flag = "deliveries",
          .kind = Kind::Integer,
          .help = "Deliver the event so often, with the same id.",
          .range = Range{1, 10},
          .fallback = "1",
          .example = "2"},
    Field{.flag = "wrong-signature",
          .kind = Kind::Boolean,
          .help = "Sign the event with another key."},
    Field{.flag = "timestamp-offset",
          .kind = Kind::Integer,
          .help = "Claim a time so many seconds off.",
          .example = "-600"},
};
constexpr std::array k_emulator_call_examples = {
    Example{"svc emulator call --to +14155550123 --input hello.wav --dtmf 1#",
            "Has a call come in at the running emulator, which tells the number's webhook."},
    Example{"svc emulator call --to +14155550123 --timestamp-offset -600",
            "Delivers an event that is ten minutes old."}};
constexpr std::array k_emulator = {
    Operation{.group = "emulator",
              .name = "",
              .summary = "Run a local stand-in for the service.",
              .host = Host::Local,
              .fields = resolved<k_emulator_fields>,
              .is_default = true,
              .examples = k_emulator_examples},
    Operation{.group = "emulator",
              .name = "call",
              .method = "POST",
              .path = "/_emulator/calls",
              .summary = "Have a phone call come in at the emulator, which delivers its webhook.",
              .fields = resolved<k_emulator_call_fields>,
              .source = Source::Observed,
              .examples = k_emulator_call_examples}};
static_assert(check_operations(k_emulator));

}  // namespace

std::span<const Operation> emulator_operations() {
  return k_emulator;
}

}  // namespace svc::catalogue
