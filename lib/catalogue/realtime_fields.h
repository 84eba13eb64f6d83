// The fields of the group realtime.
#pragma once

#include <array>

#include "catalogue/realtime_session_fields.h"
#include "catalogue/tool_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue::realtime {

// secret ------------------------------------------------------------------------------------------

inline constexpr std::array k_secret_own = {
    duration("expires-after", "Lifetime of the client secret, such as 10m.",
             alias("expires_after.seconds"), common, range(1, 3600, "seconds"), unit_ms(1000),
             fallback("10m")),
    integer("expires_after.seconds", "Lifetime in seconds.", range(1, 3600, "seconds"),
            fallback("600"), example("600")),
};
/// `--session` comes first, so that the flags after it override its fields.
inline constexpr std::array k_secret_session = {
    text("session.model", "Voice model of the session.", common, letter('m'),
         suggests(k_voice_models), fallback("svc-voice-latest"), example("svc-voice-latest")),
    text("session.reasoning.effort", "Let the model reason before it speaks.", common,
         choices(k_voice_efforts), fallback("high"), example("none")),
};
inline constexpr auto k_secret_fields = concat(k_secret_own, k_session_fields, k_secret_session);

// talk --------------------------------------------------------------------------------------------

inline constexpr std::array<sv, 2> k_echo_suppressions = {"low", "high"};
inline constexpr std::array<sv, 3> k_barge_ins = {"voice", "level", "key"};

inline constexpr std::array k_talk_fields = {
    file("input", "Read audio from FILE, not the microphone; - is standard input.", local, common,
         example("question.wav")),
    file("audio-output",
         "Write answers to an audio file instead of the speaker; - is standard output.", local,
         common, example("answer.wav")),
    boolean("fast", "Send the file as fast as the service accepts it, not in real time.", local,
            plain_switch),
    text("say",
         "Start the conversation with this text; repeat to send several, one per turn. The "
         "microphone stays on.",
         local, repeated, common, file_text, example("What is the time in Oslo?")),
    integer("turns", "Exit after N answers.", local, common, at_least(1, "answers"), example("1")),
    boolean("text", "Use text only, no audio.", local, plain_switch, common),
    boolean("push-to-talk", "Push to talk: hold the space bar, or press it to start and stop.",
            local, plain_switch, common),
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
         "How to interrupt an answer: voice, level (only speech louder than the echo; softer words "
         "and the first one are lost), or key (press i; the microphone is muted meanwhile).",
         local, common, choices(k_barge_ins), fallback("voice"), example("key")),
    duration("interrupt-after", "Let only speech of at least this length interrupt an answer.",
             local, common, range(50, 5'000, "milliseconds"), unit_ms(1),
             fallback("the profile's interrupt_after; else the service decides, or 250ms with "
                      "another of these flags"),
             example("400ms")),
    integer("interrupt-words",
            "Let only N words or more interrupt an answer; with 0, the length alone counts.", local,
            common, range(0, 20, "words"),
            fallback("the profile's interrupt_words; else as --interrupt-after, 1"), example("2")),
    text("fillers", "Words that do not interrupt an answer (comma-separated); or none.", local,
         common, null_word("none"),
         fallback("the profile's fillers; else as --interrupt-after, mm-hm, uh-huh and the like"),
         example("mm-hm,yeah,right")),
    duration("resume-after",
             "Continue an answer that was interrupted without words, at most this long after; or "
             "none.",
             local, common, range(200, 10'000, "milliseconds"), unit_ms(1), null_word("none"),
             fallback("the profile's resume_after; else as --interrupt-after, 2s"), example("1s")),
    k_latency_field,
    k_session_limit_field,
};

inline constexpr auto k_talk_all_fields =
    concat(k_talk_fields, k_tool_fields, k_mcp_fields, k_enhancement_fields,
           k_conversation_sound_fields, k_socket_fields, k_session_fields);

// connect -----------------------------------------------------------------------------------------

inline constexpr std::array k_connect_own = {
    duration("linger",
             "Disconnect this long after the last message, once input and answers are done.", local,
             common, fallback("1s; for a phone call, until it ends"), example("5s")),
};
inline constexpr auto k_connect_fields = concat(k_socket_fields, k_connect_own, k_session_fields);

}  // namespace svc::catalogue::realtime
