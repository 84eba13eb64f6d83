// The group stt.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/stt_live_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 12> k_audio_formats = {"pcm",  "mulaw", "alaw", "wav", "mp3", "ogg",
                                                "opus", "flac",  "aac",  "mp4", "m4a", "mkv"};
constexpr std::array<sv, 2> k_models = {"svc-voice-transcribe-2.0", "svc-voice-transcribe-1.0"};

// The service reads the form once: the file comes last.
constexpr std::array k_transcribe_fields = {
    Field{.flag = "url",
          .in = In::Form,
          .help = "URL the service fetches the audio from; URLs may also be given as FILE.",
          .common = true,
          .example = "https://example.com/talk.mp3"},
    Field{.flag = "audio-format",
          .in = In::Form,
          .help = "Encoding of raw audio: pcm, mulaw or alaw; not needed for other files.",
          .common = true,
          .choices = k_audio_formats,
          .example = "pcm"},
    Field{.flag = "sample-rate",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Sample rate of raw audio.",
          .common = true,
          .choices = k_sample_rates,
          .example = "16000"},
    Field{.flag = "sample-rate-hertz",
          .path = "sample_rate",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Alias of --sample-rate.",
          .choices = k_sample_rates,
          .example = "16000",
          .alias = true},
    Field{.flag = "language",
          .in = In::Form,
          .help = "Spoken language, such as en; --format-text uses it to format numbers, money and "
                  "units.",
          .common = true,
          .suggests = k_transcribed_languages,
          .example = "en"},
    Field{.flag = "format-text",
          .path = "format",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Format numbers, money and units; needs --language.",
          .common = true},
    Field{.flag = "multichannel",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Transcribe channels separately.",
          .common = true},
    Field{.flag = "channels",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Number of channels of raw audio.",
          .range = Range{2, 8, "channels"},
          .example = "2"},
    Field{.flag = "diarize",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Label the speakers.",
          .common = true},
    Field{.flag = "keyterm",
          .in = In::Form,
          .help = "Word or name to expect; may be repeated.",
          .repeated = true,
          .common = true,
          .max_count = 100,
          .max_length = 50,
          .example = "Kubernetes"},
    Field{.flag = "filler-words",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Include uh, um and er in the transcript.",
          .fallback = "off"},
    Field{.flag = "vad-threshold",
          .kind = Kind::Number,
          .in = In::Form,
          .help = "Speech detection threshold: lower it for quiet or noisy recordings, 0 turns "
                  "detection off.",
          .range = Range{0, 1, ""},
          .fallback = "0.5",
          .example = "0.3"},
    Field{.flag = "model",
          .in = In::Form,
          .help = "Model to use; observed, not documented.",
          .letter = 'm',
          .suggests = k_models,
          .example = "svc-voice-transcribe-2.0"},
    k_transcript_format_field,
    Field{.flag = "jobs",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Process N files at a time.",
          .range = Range{1, 64, "files"},
          .fallback = "4",
          .example = "2"},
    Field{.flag = "file",
          .kind = Kind::File,
          .in = In::Form,
          .help = "Audio files up to 500 MB, or http(s) URLs; omit or use - for standard input.",
          .repeated = true,
          .positional = true,
          .common = true,
          .max_bytes = k_most_audio_bytes,
          .example = "talk.mp3"},
};

constexpr std::array k_transcribe_rules = {
    Rule{RuleKind::Either, "file", "url", "Give a file to transcribe: svc stt talk.mp3."},
    Rule{RuleKind::Excludes, "file", "url",
         "The service takes one of them; give several files or URLs as arguments."},
    Rule{RuleKind::Excludes, "sample-rate", "sample-rate-hertz", "Both set the sample rate."},
    Rule{RuleKind::Requires, "format-text", "language", "Formatting depends on the language."},
    Rule{RuleKind::Requires, "audio-format=pcm|mulaw|alaw", "sample-rate",
         "Raw audio has no sample rate."},
};

constexpr std::array k_transcribe_examples = {
    Example{"svc stt talk.mp3", "Transcribes a recording."},
    Example{"svc stt talk.mp3 --transcript-format srt -o talk.srt", "Saves it as subtitles."},
    Example{
        "svc stt talk.mp3 interview.m4a --transcript-format vtt -o subtitles/",
        "Transcribes several files at once into a directory; without --output, next to each file."},
    Example{"svc stt meeting.wav --diarize --language en --format-text",
            "Labels the speakers and writes digits."},
    Example{"svc stt https://example.com/talk.mp3 --json", "Lets the service fetch the recording."},
    Example{"svc stt call.raw --audio-format pcm --sample-rate 8000 --multichannel --channels 2",
            "Transcribes two-channel raw audio."},
};

constexpr std::array k_operations = {
    Operation{.group = "stt",
              .name = "transcribe",
              .method = "POST",
              .path = "/v1/stt",
              .summary = "Transcribe recordings.",
              .fields = resolved<k_transcribe_fields>,
              .is_default = true,
              .repeat = Repeat::WhenRefused,
              .max_answer_mb = 256,
              .rules = k_transcribe_rules,
              .details = k_transcript_details,
              .examples = k_transcribe_examples},
    k_stt_live,
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> stt_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
