// What `svc realtime talk` takes beside the session: where sound comes from and goes to, what is
// said, what the model may run here.
#pragma once

#include "catalogue/realtime_session_fields.h"
#include "catalogue/tool_fields.h"

namespace svc::catalogue::realtime {

inline constexpr std::array k_talk_fields = {
    Field{.flag = "input",
          .path = "",
          .in = In::Local,
          .help = "Hear this sound file instead of the microphone; - is standard input.",
          .common = true,
          .example = "question.wav"},
    Field{.flag = "audio-output",
          .path = "",
          .in = In::Local,
          .help = "Put what is answered into this sound file instead of the loudspeaker; - is "
                  "standard output.",
          .common = true,
          .example = "answer.wav"},
    Field{.flag = "fast",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Send a file as fast as the service takes it, not as fast as it was spoken."},
    Field{.flag = "say",
          .path = "",
          .in = In::Local,
          .help = "Say this as text; several are said one after the other.",
          .repeated = true,
          .common = true,
          .file_text = true,
          .example = "What is the time in Oslo?"},
    Field{.flag = "turns",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "End after this many answers.",
          .common = true,
          .range = Range{1, k_no_max, "answers"},
          .example = "1"},
    Field{.flag = "text",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Type and read, with no sound at all.",
          .common = true},
    Field{.flag = "push-to-talk",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Speak while the space bar is held, or from one press to the next.",
          .common = true},
    Field{.flag = "transcript",
          .path = "",
          .in = In::Local,
          .help = "Write down what both say; the name's end chooses .txt, .jsonl or .srt.",
          .common = true,
          .example = "talk.txt"},
    Field{.flag = "record",
          .path = "",
          .in = In::Local,
          .help = "Record both sides in this WAV file: you on the left, the answers on the right.",
          .common = true,
          .example = "talk.wav"},
    Field{.flag = "echo-cancel",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Take the loudspeaker's sound out of the microphone's; without it, the "
                  "microphone is closed while an answer is heard.",
          .fallback = "true"},
    k_session_limit_field,
};

}  // namespace svc::catalogue::realtime
