// The row `stt live`, a WebSocket of /v1/stt.
#pragma once

#include <array>

#include "catalogue/check.h"
#include "catalogue/sound_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_raw_encodings = {"pcm", "mulaw", "alaw"};

inline constexpr std::array k_stt_live_own_fields = {
    Field{.flag = "input",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Transcribe an audio file instead of the microphone; - reads raw audio (see "
                  "--encoding, --sample-rate, --channels).",
          .common = true,
          .example = "talk.flac"},
    Field{.flag = "fast",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Send the input as fast as the service accepts it, not in real time.",
          .common = true},
    Field{.flag = "sample-rate",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Sample rate to send; audio at other rates is resampled.",
          .choices = k_sample_rates,
          .fallback = "16000, or 8000 if the file has no more",
          .example = "16000"},
    Field{.flag = "encoding",
          .in = In::Query,
          .help = "Audio encoding to send: 16-bit pcm, or 8-bit G.711.",
          .choices = k_raw_encodings,
          .fallback = "pcm",
          .example = "pcm"},
    Field{.flag = "interim-results",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Request interim results.",
          .fallback = "on for text on a terminal"},
    Field{.flag = "endpointing",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "End an utterance after N ms of silence; 0: at every pause.",
          .common = true,
          .range = Range{0, 5000, "milliseconds"},
          .fallback = "10",
          .example = "400"},
    Field{.flag = "language",
          .in = In::Query,
          .help = "Spoken language, such as en; also formats numbers, money and units.",
          .common = true,
          .suggests = k_transcribed_languages,
          .example = "en"},
    Field{.flag = "multichannel",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Transcribe channels separately.",
          .common = true},
    Field{.flag = "channels",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "Number of interleaved channels; a file with --multichannel needs none.",
          .range = Range{2, 8, "channels"},
          .example = "2"},
    Field{.flag = "diarize",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Label the speakers.",
          .common = true},
    Field{.flag = "keyterm",
          .in = In::Query,
          .help = "Word or name to expect; may be repeated.",
          .repeated = true,
          .common = true,
          .max_count = 100,
          .max_length = 50,
          .example = "Kubernetes"},
    Field{.flag = "filler-words",
          .kind = Kind::Boolean,
          .in = In::Query,
          .help = "Include uh, um and er in the transcript.",
          .fallback = "off"},
    Field{.flag = "smart-turn",
          .kind = Kind::Number,
          .in = In::Query,
          .help = "End an utterance at a pause if the probability that the speaker has finished "
                  "exceeds this.",
          .range = Range{0, 1},
          .example = "0.7"},
    Field{.flag = "smart-turn-timeout",
          .kind = Kind::Integer,
          .in = In::Query,
          .help = "End the utterance after N ms of silence in any case; needs --smart-turn.",
          .range = Range{1, 5000, "milliseconds"},
          .example = "2000"},
    Field{.flag = "vad-threshold",
          .kind = Kind::Number,
          .in = In::Query,
          .help = "Speech detection threshold; 0 turns detection off.",
          .range = Range{0, 1},
          .fallback = "0.08",
          .example = "0.05"},
    k_transcript_format_field,
    Field{.flag = "reconnect",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Reconnect if the connection is lost, and resend untranscribed audio.",
          .fallback = "on"},
    Field{.flag = "control-fd",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Read control lines from this descriptor: {\"type\":\"finalize\"}, with "
                  "\"channel\" if there are several, or {\"type\":\"audio.done\"}. SIGUSR1 also "
                  "ends the utterance.",
          .range = Range{0, 1023},
          .example = "3"},
};
inline constexpr auto k_stt_live_fields = concat(k_stt_live_own_fields, k_microphone_fields);

inline constexpr std::array k_stt_live_rules = {
    Rule{RuleKind::Requires, "smart-turn-timeout", "smart-turn",
         "It limits the pause that --smart-turn allows."},
    Rule{RuleKind::Requires, "fast", "input", "A microphone runs in real time."},
    Rule{RuleKind::Excludes, "input", "input-device", "They are alternative audio inputs."},
};

inline constexpr std::array k_stt_live_examples = {
    Example{"svc stt live", "Transcribes the microphone, until q or Ctrl-C."},
    Example{"svc stt live --language en --endpointing 400 --keyterm Kubernetes",
            "Writes numbers as digits, ends an utterance after 0.4 s, and expects a name."},
    Example{"svc stt live --input talk.mp3 --fast --transcript-format srt",
            "Creates subtitles for a file."},
    Example{"svc stt live --input call.wav --multichannel",
            "Transcribes both sides of a call separately."},
    Example{"svc stt live --input - --encoding mulaw --sample-rate 8000",
            "Transcribes raw telephone audio from a pipe."},
    Example{"svc stt live --diarize --transcript-format words",
            "Prints each word with its times and its speaker."},
};

inline constexpr Operation k_stt_live{
    .group = "stt",
    .name = "live",
    .method = "GET",
    .path = "/v1/stt",
    .summary = "Transcribe live from a microphone, a file or a pipe.",
    .host = Host::Realtime,
    .fields = resolved<k_stt_live_fields>,
    .reply = Reply::Socket,
    .rules = k_stt_live_rules,
    .details = k_transcript_details,
    .examples = k_stt_live_examples};

}  // namespace svc::catalogue
