// The group emulator: the local emulator, and control of a running one.
#include <array>

#include "catalogue/check.h"
#include "catalogue/groups.h"

namespace svc::catalogue {
namespace emulator {

constexpr std::array k_emulator_fields = {
    text("host", "Address to listen on.", local, common, fallback("127.0.0.1"), example("0.0.0.0")),
    integer("port", "Port to listen on (default: any free port).", local, common, range(0, 65535),
            example("8080")),
    file("state", "State file, or :memory: to keep it in memory.", local, common,
         fallback("emulator.db in the state directory"), example(":memory:")),
    boolean("tls", "Serve HTTPS with a generated certificate.", local, plain_switch, common),
    file("cert", "Serve HTTPS with this certificate.", local, example("cert.pem")),
    file("key", "File with the certificate's private key.", local, example("key.pem")),
    text("fault", "Inject a fault, such as 'POST /v1/*: status 503, times 2'.", local, repeated,
         common, example("POST /v1/*: latency 200ms")),
    file("answers", "JSON file of answer rules.", local, repeated, common, example("answers.json")),
    integer("seed", "Make IDs reproducible: the same requests in the same order get the same IDs.",
            local, range(0, 9'007'199'254'740'992), example("1")),
    text("clock", "Start the emulator's clock at this time.", local,
         example("2026-01-01T00:00:00Z")),
    boolean("strict", "Answer 404 where no answer rule matches a request to a model.", local,
            plain_switch, common),
    text("record", "Forward every request to this service and record the answers.", local,
         example("https://api.example.com")),
    file("record-to", "File of answer rules that --record writes.", local, example("answers.json")),
    file("replay", "Answer from recorded rules only.", local, repeated, example("answers.json")),
    text("limit", "Set a limit: realtime_sessions=N or credit_cents=N.", local, repeated,
         example("realtime_sessions=2")),
    text("control-token", "Accept /_emulator requests from other machines with this token.", local,
         example("a-token-of-16-or-more")),
    text("video-time", "How long a video takes; 0s finishes at once.", local, fallback("3s"),
         example("200ms")),
    integer("announce-fd",
            "When ready, write one line of JSON to this descriptor instead of "
            "standard output.",
            local, range(0, 65535), example("3")),
    integer("parent-fd", "Exit at end of file on this descriptor.", local, range(0, 65535),
            example("4")),
    boolean("die-with-parent", "Exit when the parent process exits.", local, plain_switch),
};
constexpr std::array k_emulator_call_fields = {
    text("to", "Phone number to call, in E.164 format.", required, common, example("+14155550123")),
    text("from", "Phone number of the caller.", common, fallback("+14155550100"),
         example("+18005550199")),
    file("input", "WAV file with the caller's speech.", common, max_bytes(20'000'000),
         example("hello.wav")),
    text("dtmf",
         "DTMF digits the caller then presses (0-9, *, #); those before a comma come first.",
         common, example("123#")),
    integer("deliveries", "Deliver the event N times with the same ID.", range(1, 10),
            fallback("1"), example("2")),
    boolean("wrong-signature", "Sign the event with a wrong secret."),
    integer("timestamp-offset",
            "Shift the event's timestamp by N seconds; negative values make it older.",
            example("-600")),
};
constexpr std::array k_examples = {
    Example{"svc emulator",
            "Serves all hosts on a free local port, and prints the environment variables to use "
            "it."},
    Example{"svc emulator --port 8080 --fault 'POST /v1/chat/completions: status 429, times 1'",
            "Rejects the first chat request."},
    Example{"svc emulator --port 8080 --answers answers.json --state :memory:",
            "Uses the answer rules in the file, and saves no state."},
    Example{"svc emulator call --to +14155550123 --input hello.wav --dtmf 1#",
            "Simulates a call; the emulator delivers it to the number's webhook."},
    Example{"svc emulator call --to +14155550123 --timestamp-offset -600",
            "Delivers an event dated ten minutes ago."},
};

constexpr std::array k_emulator_rows = {
    command("emulator", "Run a local emulator of the service.", runs(Handler::Emulator),
            config(ConfigUse::Optional), new_profile, default_verb, fields<k_emulator_fields>),
    post("emulator call", "/_emulator/calls",
         "Simulate an incoming call; the emulator delivers its webhook.",
         runs(Handler::EmulatorCall), observed, fields<k_emulator_call_fields>)};
constexpr auto k_emulator = checked(k_emulator_rows, k_examples);

}  // namespace emulator

constinit const std::span<const Operation> k_emulator_operations = emulator::k_emulator;

}  // namespace svc::catalogue
