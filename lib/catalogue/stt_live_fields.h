// The row `stt live`: api 2 §4 and §6, api 4 §9.8.
#pragma once

#include <array>

#include "catalogue/check.h"
#include "catalogue/sound_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_raw_encodings = {"pcm", "mulaw", "alaw"};

inline constexpr std::array k_stt_live_own_fields = {
    Field{.flag = "input",
          .path = "",
          .in = In::Local,
          .help = "Transcribe this sound file instead of the microphone, or, with -, raw audio "
                  "from standard input, as --encoding, --sample-rate and --channels say.",
          .common = true,
          .example = "talk.flac"},
    Field{.flag = "fast",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Send a file or standard input as fast as the service takes it, not in the time "
                  "that it plays.",
          .common = true},
    Field{.flag = "sample-rate",
          .path = "sample_rate",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Send so many samples per second; sound of another rate is converted.",
          .choices = k_sample_rates,
          .fallback = "16000, or 8000 where a file has no more",
          .example = "16000"},
    Field{.flag = "encoding",
          .path = "encoding",
          .in = In::Query,
          .help = "Send the sound in this form: 16-bit samples, or one byte a sample (G.711).",
          .choices = k_raw_encodings,
          .fallback = "pcm",
          .example = "pcm"},
    Field{.flag = "interim-results",
          .path = "interim_results",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Ask for what is heard before an utterance ends.",
          .fallback = "on where it can be shown: for text on a terminal"},
    Field{.flag = "endpointing",
          .path = "endpointing",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "End an utterance after so many milliseconds of silence; 0 at every pause.",
          .common = true,
          .range = Range{0, 5000, "milliseconds"},
          .fallback = "10",
          .example = "400"},
    Field{.flag = "language",
          .path = "language",
          .in = In::Query,
          .help = "The language that is spoken, such as en: numbers, money and units are then "
                  "written as people do.",
          .common = true,
          .suggests = k_transcribed_languages,
          .example = "en"},
    Field{.flag = "multichannel",
          .path = "multichannel",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Transcribe each channel by itself.",
          .common = true},
    Field{.flag = "channels",
          .path = "channels",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "How many channels the sound has, interleaved; with --multichannel a file tells "
                  "it by itself.",
          .range = Range{2, 8, "channels"},
          .example = "2"},
    Field{.flag = "diarize",
          .path = "diarize",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Tell the speakers apart.",
          .common = true},
    Field{.flag = "keyterm",
          .path = "keyterm",
          .in = In::Query,
          .help = "A word or name that is likely to occur; may be repeated.",
          .repeated = true,
          .common = true,
          .max_count = 100,
          .max_length = 50,
          .example = "Kubernetes"},
    Field{.flag = "filler-words",
          .path = "filler_words",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Keep uh, um and er.",
          .fallback = "off"},
    Field{.flag = "smart-turn",
          .path = "smart_turn",
          .kind = Kind::Number,
          .in = In::Query,
          .help = "End an utterance where the speaker has probably finished: at a pause, when the "
                  "probability is above this.",
          .range = Range{0, 1},
          .example = "0.7"},
    Field{.flag = "smart-turn-timeout",
          .path = "smart_turn_timeout",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "End the utterance after so many milliseconds of silence all the same; needs "
                  "--smart-turn.",
          .range = Range{1, 5000, "milliseconds"},
          .example = "2000"},
    Field{.flag = "vad-threshold",
          .path = "vad_threshold",
          .kind = Kind::Number,
          .in = In::Query,
          .help = "Skip what is less likely than this to be speech; 0 skips nothing.",
          .range = Range{0, 1},
          .fallback = "0.08",
          .example = "0.05"},
    k_transcript_format_field,
    Field{.flag = "reconnect",
          .path = "",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Connect again when the connection is lost, and send once more what was not "
                  "transcribed by then.",
          .fallback = "on"},
};
inline constexpr auto k_stt_live_fields = concat(k_stt_live_own_fields, k_microphone_fields);

inline constexpr std::array k_stt_live_rules = {
    Rule{RuleKind::Requires, "smart-turn-timeout", "smart-turn",
         "It is the longest pause that --smart-turn allows."},
    Rule{RuleKind::Requires, "fast", "input", "A microphone cannot be hurried."},
    Rule{RuleKind::Excludes, "input", "input-device", "One of them is where the sound comes from."},
};

inline constexpr std::array k_stt_live_examples = {
    Example{"svc stt live", "Writes down what is said into the microphone, until q or Ctrl-C."},
    Example{"svc stt live --language en --endpointing 400 --keyterm Kubernetes",
            "Writes numbers as digits, ends an utterance after 0.4 s, and expects a name."},
    Example{"svc stt live --input talk.mp3 --fast --transcript-format srt",
            "Makes subtitles of a file."},
    Example{"svc stt live --input call.wav --multichannel",
            "Tells apart what was said on each side of a call."},
    Example{"svc stt live --input - --encoding mulaw --sample-rate 8000",
            "Transcribes raw audio of a telephone from a pipe."},
    Example{"svc stt live --diarize --transcript-format words",
            "Prints each word with its times and its speaker."},
};

inline constexpr Operation k_stt_live{
    .group = "stt",
    .name = "live",
    .method = "GET",
    .path = "/v1/stt",
    .summary = "Write down what is said while it is said, from a microphone, a file or a pipe.",
    .host = Host::Realtime,
    .fields = k_stt_live_fields,
    .reply = Reply::Socket,
    .document = "api 2 §4",
    .rules = k_stt_live_rules,
    .examples = k_stt_live_examples};

}  // namespace svc::catalogue
