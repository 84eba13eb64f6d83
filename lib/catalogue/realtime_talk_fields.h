// What `svc realtime talk` takes beside the session: where sound comes from and goes to, what is
// said, what the model may run here.
#pragma once

#include "catalogue/realtime_session_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue::realtime {

inline constexpr std::array<sv, 2> k_echo_suppressions = {"low", "high"};
inline constexpr std::array<sv, 3> k_barge_ins = {"voice", "level", "key"};

inline constexpr std::array k_talk_fields = {
    Field{.flag = "input",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Read audio from FILE, not the microphone; - is standard input.",
          .common = true,
          .example = "question.wav"},
    Field{.flag = "audio-output",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Write answers to an audio file instead of the speaker; - is standard output.",
          .common = true,
          .example = "answer.wav"},
    Field{.flag = "fast",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Send the file as fast as the service accepts it, not in real time."},
    Field{.flag = "say",
          .in = In::Local,
          .help = "Open the conversation with this text; repeat to send several in turn. The "
                  "microphone stays on.",
          .repeated = true,
          .common = true,
          .file_text = true,
          .example = "What is the time in Oslo?"},
    Field{.flag = "turns",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Exit after N answers.",
          .common = true,
          .range = Range{1, k_no_max, "answers"},
          .example = "1"},
    Field{.flag = "text",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Use text only, no audio.",
          .common = true},
    Field{.flag = "push-to-talk",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Talk while the space bar is held, or between two presses.",
          .common = true},
    Field{.flag = "transcript",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Save a transcript to FILE (.txt, .jsonl or .srt).",
          .common = true,
          .example = "talk.txt"},
    Field{.flag = "record",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Record a WAV file: you on the left channel, the answers on the right.",
          .common = true,
          .example = "talk.wav"},
    Field{
        .flag = "echo-cancel",
        .kind = Kind::Boolean,
        .in = In::Local,
        .help = "Cancel speaker echo; without it, the microphone is closed while an answer plays.",
        .fallback = "true"},
    Field{.flag = "echo-suppression",
          .in = In::Local,
          .help = "How much of the echo that is left is suppressed: low keeps your voice whole.",
          .choices = k_echo_suppressions,
          .fallback = "low",
          .example = "high"},
    Field{.flag = "barge-in",
          .in = In::Local,
          .help = "How you interrupt an answer: by voice (needs the echo canceller), by a level "
                  "above the echo's, or by the key i, with the microphone closed meanwhile.",
          .common = true,
          .choices = k_barge_ins,
          .fallback = "voice; key without the echo canceller",
          .example = "key"},
    k_session_limit_field,
};

}  // namespace svc::catalogue::realtime
