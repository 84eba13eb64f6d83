// The group realtime.
#include "catalogue/groups.h"
#include "catalogue/realtime_session_fields.h"
#include "catalogue/tool_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace realtime {

// secret ------------------------------------------------------------------------------------------

constexpr std::array k_secret_own = {
    duration("expires-after", "Lifetime of the client secret, such as 10m.",
             alias("expires_after.seconds"), common, range(1, 3600, "seconds"), unit_ms(1000),
             fallback("10m")),
    integer("expires_after.seconds", "Lifetime in seconds.", range(1, 3600, "seconds"),
            fallback("600"), example("600")),
};
/// `--session` comes first, so that the flags after it override its fields.
constexpr std::array k_secret_session = {
    text("session.model", "Voice model of the session.", common, letter('m'),
         suggests(k_voice_models), fallback("svc-voice-latest"), example("svc-voice-latest")),
    text("session.reasoning.effort", "Let the model reason before it speaks.", common,
         choices(k_voice_efforts), fallback("high"), example("none")),
};
constexpr auto k_secret_fields = concat(k_secret_own, k_session_fields, k_secret_session);
constexpr std::array k_secret_own_rules = {
    excludes("expires-after-seconds", "expires-after", "They are aliases."),
};
constexpr auto k_secret_rules = concat(k_secret_own_rules, k_session_rules);

// talk --------------------------------------------------------------------------------------------

constexpr std::array<sv, 2> k_echo_suppressions = {"low", "high"};
constexpr std::array<sv, 3> k_barge_ins = {"voice", "level", "key"};

constexpr std::array k_talk_fields = {
    file("input", "Read audio from FILE, not the microphone; - is standard input.", local, common,
         example("question.wav")),
    file("audio-output",
         "Write answers to an audio file instead of the speaker; - is standard output.", local,
         common, example("answer.wav")),
    boolean("fast", "Send the file as fast as the service accepts it, not in real time.", local),
    text("say",
         "Start the conversation with this text; repeat to send several, one per turn. The "
         "microphone stays on.",
         local, repeated, common, file_text, example("What is the time in Oslo?")),
    integer("turns", "Exit after N answers.", local, common, at_least(1, "answers"), example("1")),
    boolean("text", "Use text only, no audio.", local, common),
    boolean("push-to-talk", "Talk while holding the space bar, or between two presses.", local,
            common),
    file("transcript", "Save a transcript to FILE (.txt, .jsonl or .srt).", local, common,
         example("talk.txt")),
    file("record", "Record a WAV file: you on the left channel, the answers on the right.", local,
         common, example("talk.wav")),
    boolean("echo-cancel",
            "Cancel speaker echo; without it, the microphone is muted while an answer plays.",
            local, fallback("true")),
    text("echo-suppression",
         "How strongly to suppress residual echo; low preserves your voice best.", local,
         choices(k_echo_suppressions), fallback("low"), example("high")),
    text("barge-in",
         "How to interrupt an answer: voice (needs the echo canceller), level (speech louder than "
         "the echo), or key (press i; the microphone is muted meanwhile).",
         local, common, choices(k_barge_ins), fallback("voice; key without the echo canceller"),
         example("key")),
    k_session_limit_field,
};

constexpr auto k_talk_all_fields =
    concat(k_talk_fields, k_tool_fields, k_mcp_fields, k_conversation_sound_fields, k_socket_fields,
           k_session_fields);
constexpr std::array k_talk_own_rules = {
    excludes("text", "input", "A text conversation has no audio."),
    excludes("text", "audio-output", "A text conversation has no audio."),
    excludes("text", "record", "A text conversation has no audio."),
    excludes("text", "push-to-talk", "A text conversation has no audio."),
    excludes("push-to-talk", "input", "A file needs no push-to-talk."),
    excludes("text", "barge-in", "A text conversation has no audio."),
    excludes("push-to-talk", "barge-in", "The space bar interrupts an answer."),
    excludes("barge-in=voice", "echo-cancel=false",
             "Without the echo canceller an answer would interrupt itself."),
    excludes("input", "input-device", "They are alternative audio inputs."),
    excludes("audio-output", "output-device", "They are both audio outputs."),
};
constexpr auto k_talk_rules = concat(k_talk_own_rules, k_socket_rules, k_session_rules);

// connect -----------------------------------------------------------------------------------------

constexpr std::array k_connect_own = {
    duration("linger",
             "Disconnect this long after the last message, once input and answers are done.", local,
             common, fallback("1s; for a phone call, until it ends"), example("5s")),
};
constexpr auto k_connect_fields = concat(k_socket_fields, k_connect_own, k_session_fields);
constexpr auto k_connect_rules = concat(k_socket_rules, k_session_rules);

constexpr std::array k_examples = {
    Example{"svc realtime talk", "Talks using microphone and speaker, until q or Ctrl-C."},
    Example{"svc realtime talk --voice ara --instructions 'Answer briefly.' --transcript talk.txt",
            "Chooses a voice, and saves a transcript."},
    Example{"svc realtime talk --text --say 'What is two and two?' --turns 1",
            "Asks one question as text."},
    Example{"svc realtime talk --input question.wav --audio-output answer.wav --turns 1",
            "Holds a conversation without a sound card."},
    Example{"svc realtime talk --tool weather=./weather.sh --allow-tools all",
            "Lets the model run a local tool."},
    Example{"svc realtime connect --instructions 'Answer briefly.' < events.jsonl",
            "Sends the events in a file, and exits when all answers are complete."},
    Example{"svc realtime connect --call 00000000-0000-0000-0000-000000000000",
            "Monitors and controls a phone call."},
    Example{"svc realtime connect --protocol-secret env:CLIENT_SECRET --model svc-voice-latest",
            "Connects as a browser does, with a client secret."},
    Example{"svc realtime secret --expires-after 5m --voice ara --instructions 'Answer briefly.'",
            "Prints a client secret that a browser can use for five minutes."},
    Example{"svc realtime secret --session '{\"voice\":\"eve\",\"turn_detection\":null}'",
            "Configures the session with JSON."},
};

constexpr std::array k_rows = {
    socket("realtime talk", "/v1/realtime",
           "Talk to a model by microphone and speaker, files or text.", own_model,
           fields<k_talk_all_fields>, opening("session.update"), rules(k_talk_rules)),
    socket("realtime connect", "/v1/realtime",
           "Exchange the events of a realtime session as JSON Lines.", own_model,
           fields<k_connect_fields>, opening("session.update"), rules(k_connect_rules)),
    post("realtime secret", "/v1/realtime/client_secrets",
         "Create a short-lived client secret for realtime sessions.", own_model, free_of_charge,
         answers_secret, fields<k_secret_fields>, rules(k_secret_rules)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace realtime

constinit const std::span<const Operation> k_realtime_operations = realtime::k_operations;

}  // namespace svc::catalogue
