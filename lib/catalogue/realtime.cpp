// The group realtime.
#include "catalogue/groups.h"
#include "catalogue/realtime_session_fields.h"
#include "catalogue/realtime_talk_fields.h"
#include "catalogue/sound_fields.h"

namespace svc::catalogue {
namespace {

using namespace realtime;

// secret ------------------------------------------------------------------------------------------

constexpr std::array k_secret_own = {
    Field{.flag = "expires-after",
          .path = "expires_after.seconds",
          .kind = Kind::Duration,
          .help = "Lifetime of the client secret, such as 10m.",
          .common = true,
          .range = Range{1, 3600, "seconds"},
          .unit_ms = 1000,
          .fallback = "10m",
          .alias = true},
    Field{.flag = "expires-after-seconds",
          .path = "expires_after.seconds",
          .kind = Kind::Integer,
          .help = "Lifetime in seconds.",
          .range = Range{1, 3600, "seconds"},
          .fallback = "600",
          .example = "600"},
};
/// `--session` is the first of the session's members: what stands behind it wins over it.
constexpr std::array k_secret_session = {
    Field{.flag = "model",
          .path = "session.model",
          .help = "Voice model of the session.",
          .letter = 'm',
          .common = true,
          .suggests = k_voice_models,
          .fallback = "svc-voice-latest",
          .example = "svc-voice-latest"},
    Field{.flag = "reasoning-effort",
          .path = "session.reasoning.effort",
          .help = "Let the model reason before it speaks.",
          .common = true,
          .choices = k_voice_efforts,
          .fallback = "high",
          .example = "none"},
};
constexpr auto k_secret_fields = concat(k_secret_own, k_session_fields, k_secret_session);
constexpr std::array k_secret_own_rules = {
    Rule{RuleKind::Excludes, "expires-after-seconds", "expires-after", "They are aliases."},
};
constexpr auto k_secret_rules = concat(k_secret_own_rules, k_session_rules);
constexpr std::array k_secret_examples = {
    Example{"svc realtime secret --expires-after 5m --voice ara --instructions 'Answer briefly.'",
            "Prints a client secret that a browser can use for five minutes."},
    Example{"svc realtime secret --session '{\"voice\":\"eve\",\"turn_detection\":null}'",
            "Configures the session with JSON."},
};

// talk --------------------------------------------------------------------------------------------

constexpr auto k_talk_all_fields =
    concat(k_talk_fields, k_tool_fields, k_mcp_fields, k_conversation_sound_fields, k_socket_fields,
           k_session_fields);
constexpr std::array k_talk_own_rules = {
    Rule{RuleKind::Excludes, "text", "input", "A text conversation has no audio."},
    Rule{RuleKind::Excludes, "text", "audio-output", "A text conversation has no audio."},
    Rule{RuleKind::Excludes, "text", "record", "A text conversation has no audio."},
    Rule{RuleKind::Excludes, "text", "push-to-talk", "A text conversation has no audio."},
    Rule{RuleKind::Excludes, "push-to-talk", "input", "A file needs no push-to-talk."},
    Rule{RuleKind::Excludes, "text", "barge-in", "A text conversation has no audio."},
    Rule{RuleKind::Excludes, "push-to-talk", "barge-in", "The space bar interrupts an answer."},
    Rule{RuleKind::Excludes, "barge-in=voice", "echo-cancel=false",
         "Without the echo canceller an answer would interrupt itself."},
    Rule{RuleKind::Excludes, "input", "input-device", "They are alternative audio inputs."},
    Rule{RuleKind::Excludes, "audio-output", "output-device", "They are both audio outputs."},
};
constexpr auto k_talk_rules = concat(k_talk_own_rules, k_socket_rules, k_session_rules);
constexpr std::array k_talk_examples = {
    Example{"svc realtime talk", "Talks by microphone and speaker, until q or Ctrl-C."},
    Example{"svc realtime talk --voice ara --instructions 'Answer briefly.' --transcript talk.txt",
            "Chooses a voice, and saves a transcript."},
    Example{"svc realtime talk --text --say 'What is two and two?' --turns 1",
            "Asks one question as text."},
    Example{"svc realtime talk --input question.wav --audio-output answer.wav --turns 1",
            "Holds a conversation without a sound card."},
    Example{"svc realtime talk --tool weather=./weather.sh --allow-tools all",
            "Lets the model run a local tool."},
};

// connect -----------------------------------------------------------------------------------------

constexpr std::array k_connect_own = {
    Field{.flag = "linger",
          .kind = Kind::Duration,
          .in = In::Local,
          .help = "Disconnect this long after the last message, once input and answers are done.",
          .common = true,
          .fallback = "1s; for a phone call, until it ends",
          .example = "5s"},
};
constexpr auto k_connect_fields = concat(k_socket_fields, k_connect_own, k_session_fields);
constexpr auto k_connect_rules = concat(k_socket_rules, k_session_rules);
constexpr std::array k_connect_examples = {
    Example{"svc realtime connect --instructions 'Answer briefly.' < events.jsonl",
            "Sends a file of events, and exits when all answers are complete."},
    Example{"svc realtime connect --call 00000000-0000-0000-0000-000000000000",
            "Monitors and controls a phone call."},
    Example{"svc realtime connect --protocol-secret env:CLIENT_SECRET --model svc-voice-latest",
            "Connects as a browser does, with a client secret."},
};

constexpr std::array k_operations = {
    Operation{.group = "realtime",
              .name = "talk",
              .method = "GET",
              .path = "/v1/realtime",
              .summary = "Talk to a model by microphone and speaker, files or text.",
              .host = Host::Realtime,
              .fields = resolved<k_talk_all_fields>,
              .reply = Reply::Socket,
              .text_model = false,
              .opening = "session.update",
              .rules = k_talk_rules,
              .examples = k_talk_examples},
    Operation{.group = "realtime",
              .name = "connect",
              .method = "GET",
              .path = "/v1/realtime",
              .summary = "Exchange the events of a realtime session as JSON Lines.",
              .host = Host::Realtime,
              .fields = resolved<k_connect_fields>,
              .reply = Reply::Socket,
              .text_model = false,
              .opening = "session.update",
              .rules = k_connect_rules,
              .examples = k_connect_examples},
    Operation{.group = "realtime",
              .name = "secret",
              .method = "POST",
              .path = "/v1/realtime/client_secrets",
              .summary = "Create a short-lived client secret for realtime sessions.",
              .fields = resolved<k_secret_fields>,
              .text_model = false,
              .free = true,
              .secret = true,
              .rules = k_secret_rules,
              .examples = k_secret_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> realtime_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
