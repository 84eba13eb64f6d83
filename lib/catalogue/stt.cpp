// stt: api 2 §2.5; the member `model` and the languages: api 4 §9.7.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/stt_live_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 12> k_audio_formats = {"pcm",  "mulaw", "alaw", "wav", "mp3", "ogg",
                                                "opus", "flac",  "aac",  "mp4", "m4a", "mkv"};
constexpr std::array<sv, 2> k_models = {"svc-voice-transcribe-2.0", "svc-voice-transcribe-1.0"};

// The service reads the form once: the file comes last (api 2 §2.5).
constexpr std::array k_transcribe_fields = {
    Field{.flag = "url",
          .path = "url",
          .in = In::Form,
          .help =
              "An address from which the service fetches the audio; addresses may also be given "
              "like files.",
          .common = true,
          .example = "https://example.com/talk.mp3"},
    Field{.flag = "audio-format",
          .path = "audio_format",
          .in = In::Form,
          .help = "The form of raw audio: pcm, mulaw or alaw; files that say what they are need "
                  "none.",
          .common = true,
          .choices = k_audio_formats,
          .example = "pcm"},
    Field{.flag = "sample-rate",
          .path = "sample_rate",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Samples per second of raw audio.",
          .common = true,
          .choices = k_sample_rates,
          .example = "16000"},
    Field{.flag = "sample-rate-hertz",
          .path = "sample_rate",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "Another name of --sample-rate.",
          .choices = k_sample_rates,
          .example = "16000",
          .alias = true},
    Field{.flag = "language",
          .path = "language",
          .in = In::Form,
          .help = "The language that is spoken, such as en; with --format-text numbers, money and "
                  "units are written as people do.",
          .common = true,
          .suggests = k_transcribed_languages,
          .example = "en"},
    Field{.flag = "format-text",
          .path = "format",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Write numbers, money and units as people do; needs --language.",
          .common = true},
    Field{.flag = "multichannel",
          .path = "multichannel",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Transcribe each channel by itself.",
          .common = true},
    Field{.flag = "channels",
          .path = "channels",
          .kind = Kind::Integer,
          .in = In::Form,
          .help = "How many channels raw audio has.",
          .range = Range{2, 8, "channels"},
          .example = "2"},
    Field{.flag = "diarize",
          .path = "diarize",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Tell the speakers apart.",
          .common = true},
    Field{.flag = "keyterm",
          .path = "keyterm",
          .in = In::Form,
          .help = "A word or name that is likely to occur; may be repeated.",
          .repeated = true,
          .common = true,
          .max_count = 100,
          .max_length = 50,
          .example = "Kubernetes"},
    Field{.flag = "filler-words",
          .path = "filler_words",
          .kind = Kind::Boolean,
          .in = In::Form,
          .help = "Keep uh, um and er.",
          .fallback = "off"},
    Field{.flag = "vad-threshold",
          .path = "vad_threshold",
          .kind = Kind::Number,
          .in = In::Form,
          .help = "Skip what is less likely than this to be speech; lower for quiet or noisy "
                  "recordings, 0 skips nothing.",
          .range = Range{0, 1, ""},
          .fallback = "0.5",
          .example = "0.3"},
    Field{.flag = "model",
          .path = "model",
          .in = In::Form,
          .help = "The model to use; observed, not documented.",
          .letter = 'm',
          .suggests = k_models,
          .example = "svc-voice-transcribe-2.0"},
    k_transcript_format_field,
    Field{.flag = "jobs",
          .path = "",
          .kind = Kind::Integer,
          .in = In::Local,
          .help = "Work on so many files at once.",
          .range = Range{1, 64, "files"},
          .fallback = "4",
          .example = "2"},
    Field{.flag = "file",
          .path = "file",
          .kind = Kind::File,
          .in = In::Form,
          .help = "What to transcribe: a file of at most 500 MB, an http(s) address, or - for "
                  "standard input; several may be given.",
          .repeated = true,
          .positional = true,
          .common = true,
          .max_bytes = k_most_audio_bytes,
          .example = "talk.mp3"},
};

constexpr std::array k_transcribe_rules = {
    Rule{RuleKind::Either, "file", "url", "Name what is to be transcribed: svc stt talk.mp3."},
    Rule{RuleKind::Excludes, "file", "url",
         "The service takes one of them; give several addresses or files as arguments."},
    Rule{RuleKind::Excludes, "sample-rate", "sample-rate-hertz", "Both are the rate."},
    Rule{RuleKind::Requires, "format-text", "language",
         "The service must know whose numbers and money to write."},
    Rule{RuleKind::Requires, "audio-format=pcm|mulaw|alaw", "sample-rate",
         "Raw audio does not tell how fast it runs."},
};

constexpr std::array k_transcribe_examples = {
    Example{"svc stt talk.mp3", "Prints what is said in a recording."},
    Example{"svc stt talk.mp3 --transcript-format srt -o talk.srt", "Saves it as subtitles."},
    Example{"svc stt talk.mp3 interview.m4a --transcript-format vtt -o subtitles/",
            "Works on several at once, and saves each result in a folder; without --output each "
            "stands beside its file."},
    Example{"svc stt meeting.wav --diarize --language en --format-text",
            "Tells who said what, with numbers in digits."},
    Example{"svc stt https://example.com/talk.mp3 --json", "Has the service fetch the recording."},
    Example{"svc stt call.raw --audio-format pcm --sample-rate 8000 --multichannel --channels 2",
            "Transcribes raw audio of two channels."},
};

constexpr std::array k_operations = {
    Operation{.group = "stt",
              .name = "transcribe",
              .method = "POST",
              .path = "/v1/stt",
              .summary = "Write down what is said in recordings.",
              .fields = k_transcribe_fields,
              .is_default = true,
              .repeat = Repeat::WhenRefused,
              .document = "api 2 §2.5",
              .max_answer_mb = 256,
              .rules = k_transcribe_rules,
              .examples = k_transcribe_examples},
    k_stt_live,
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> stt_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
