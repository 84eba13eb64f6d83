// The group realtime.
#include "catalogue/groups.h"
#include "catalogue/realtime_answers.h"
#include "catalogue/realtime_fields.h"

namespace svc::catalogue {
namespace realtime {

constexpr std::array k_secret_own_rules = {
    excludes("expires-after-seconds", "expires-after", "Both set the same field."),
};
constexpr auto k_secret_rules = concat(k_secret_own_rules, k_session_rules);
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
    excludes("input", "noise-suppression=low|high",
             "It changes what a microphone hears, not a file."),
    excludes("input", "gain-control=true", "It changes what a microphone hears, not a file."),
    excludes("audio-output", "output-device", "They are both audio outputs."),
};
constexpr std::array<sv, 4> k_interruption_flags = {"interrupt-after", "interrupt-words", "fillers",
                                                    "resume-after"};
constexpr auto k_talk_rules = concat(
    k_talk_own_rules,
    for_flags(k_interruption_flags, excludes({}, "text", "A text conversation has no audio.")),
    for_flags(k_interruption_flags,
              excludes({}, "push-to-talk", "The space bar interrupts an answer.")),
    for_flags(k_interruption_flags,
              excludes({}, "barge-in=key", "Only the key i interrupts an answer.")),
    for_flags(k_interruption_flags, excludes({}, "turn-detection=none", k_manual_turns)),
    k_socket_rules, k_session_rules);
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
           "Talk to a model by microphone and speaker, files or text.", runs(Handler::RealtimeTalk),
           own_model, fields<k_talk_all_fields>, opening("session.update"), rules(k_talk_rules),
           events(answer::realtime::k_events)),
    socket("realtime connect", "/v1/realtime",
           "Exchange the events of a realtime session as JSON Lines.",
           runs(Handler::RealtimeConnect), own_model, fields<k_connect_fields>,
           opening("session.update"), rules(k_connect_rules), events(answer::realtime::k_events)),
    post("realtime secret", "/v1/realtime/client_secrets",
         "Create a short-lived client secret for realtime sessions.", runs(Handler::RealtimeSecret),
         own_model, free_of_charge, answers_secret, fields<k_secret_fields>, rules(k_secret_rules),
         answers(answer::realtime::k_secret)),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace realtime

constinit const std::span<const Operation> k_realtime_operations = realtime::k_operations;

}  // namespace svc::catalogue
