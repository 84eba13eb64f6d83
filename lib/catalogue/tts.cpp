// The group tts.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/sound_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace {

constexpr std::array<sv, 21> k_languages = {
    "auto", "en", "ar-EG", "ar-SA", "ar-AE", "bn", "zh",    "fr",    "de", "hi", "id",
    "it",   "ja", "ko",    "pt-BR", "pt-PT", "ru", "es-MX", "es-ES", "tr", "vi"};
constexpr std::array<sv, 5> k_codecs = {"mp3", "wav", "pcm", "mulaw", "alaw"};
constexpr std::array<sv, 5> k_bit_rates = {"32000", "64000", "96000", "128000", "192000"};

constexpr Field short_for(Field field, sv flag, sv help) {
  field.flag = flag;
  field.help = help;
  field.alias = true;
  field.common = true;
  return field;
}

constexpr Field k_voice_id{.flag = "voice-id",
                           .path = "voice_id",  // of the short flag too
                           .help = "Voice, built-in or custom; `svc tts voices` lists them.",
                           .suggests = k_voice_ids,
                           .fallback = "the profile's, else eve",
                           .example = "eve",
                           .completes = "voices"};
constexpr Field k_codec{.flag = "output-format-codec",
                        .path = "output_format.codec",
                        .help = "Audio format.",
                        .choices = k_codecs,
                        .fallback = "from --output's extension, or mp3",
                        .example = "mp3"};
constexpr Field k_sample_rate{.flag = "output-format-sample-rate",
                              .path = "output_format.sample_rate",
                              .kind = Kind::Integer,
                              .help = "Sample rate.",
                              .choices = k_sample_rates,
                              .fallback = "24000",
                              .example = "24000"};
constexpr Field k_bit_rate{.flag = "output-format-bit-rate",
                           .path = "output_format.bit_rate",
                           .kind = Kind::Integer,
                           .help = "Bit rate; mp3 only.",
                           .choices = k_bit_rates,
                           .fallback = "128000",
                           .example = "64000"};

constexpr std::array k_members = {
    Field{.flag = "text",
          .help = "Text to speak, with tags like [pause] or <whisper>…</whisper>; omit or use - "
                  "for standard input.",
          .required = true,
          .positional = true,
          .common = true,
          .file_text = true,
          .max_length = 15'000,
          .example = "Hello [pause] world"},
    Field{.flag = "language",
          .help = "Language of the text: a BCP-47 code, or auto.",
          .common = true,
          .suggests = k_languages,
          .fallback = "auto",
          .example = "en"},
    k_voice_id,
    short_for(k_voice_id, "voice", "Voice; short for --voice-id."),
    k_codec,
    short_for(k_codec, "codec", "Audio codec; short for --output-format-codec."),
    k_sample_rate,
    short_for(k_sample_rate, "sample-rate", "Sample rate; short for --output-format-sample-rate."),
    k_bit_rate,
    short_for(k_bit_rate, "bit-rate", "Bit rate, for mp3; short for --output-format-bit-rate."),
    Field{.flag = "speed",
          .kind = Kind::Number,
          .help = "Speaking speed: below 1 is slower, above 1 faster.",
          .common = true,
          .range = Range{0.7, 1.5, ""},
          .fallback = "1.0",
          .example = "1.2"},
    Field{.flag = "optimize-streaming-latency",
          .kind = Kind::Integer,
          .help = "1 lowers latency, with slightly lower quality between chunks.",
          .range = Range{0, 1, ""},
          .fallback = "0",
          .example = "1"},
    Field{.flag = "text-normalization",
          .kind = Kind::Boolean,
          .help = "Expand numbers, abbreviations and symbols into words."},
    Field{.flag = "with-timestamps",
          .kind = Kind::Boolean,
          .help = "Fetch character timestamps; saved next to the audio.",
          .common = true},
    Field{
        .flag = "replace",
        .kind = Kind::Json,
        .help =
            "Pronunciations, as a JSON object of phrase and spoken form; observed, not documented.",
        .example = R"({"SQL":"sequel"})"},
};

constexpr std::array k_local = {
    Field{.flag = "play",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Play while receiving; without --output nothing is written.",
          .common = true,
          .fallback = "on, on a terminal without --output"},
    Field{.flag = "split",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Split a long text at sentences into several requests, and join the audio.",
          .common = true},
    Field{.flag = "timestamps",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Save character timestamps to FILE.",
          .fallback = "the name of --output with .json, with --with-timestamps",
          .example = "speech.json"},
    Field{.flag = "subtitles",
          .kind = Kind::File,
          .in = In::Local,
          .help = "Save subtitles to FILE (.srt or .vtt).",
          .common = true,
          .example = "speech.srt"},
};
constexpr auto k_speak_fields = concat(k_members, k_local, k_speaker_fields);

constexpr std::array k_speak_rules = {
    Rule{RuleKind::Excludes, "voice-id", "voice", "Both name the voice."},
    Rule{RuleKind::Excludes, "output-format-codec", "codec", "Both set the codec."},
    Rule{RuleKind::Excludes, "output-format-sample-rate", "sample-rate",
         "Both set the sample rate."},
    Rule{RuleKind::Excludes, "output-format-bit-rate", "bit-rate", "Both set the bit rate."},
    Rule{RuleKind::Requires, "output-format-bit-rate", "output-format-codec=mp3",
         "Only mp3 has a bit rate."},
};

constexpr std::array k_speak_examples = {
    Example{"svc tts 'Hello. [laugh] <whisper>It works.</whisper>'",
            "Plays it on a terminal; writes audio to a pipe."},
    Example{"svc tts 'Bonjour' --language fr --voice ara -o hello.wav",
            "Saves it in the extension's format."},
    Example{"svc tts @book.txt --split -o book.mp3", "Speaks a text of any length into one file."},
    Example{"svc tts 'One day a fox met a crow.' -o fox.mp3 --subtitles fox.srt",
            "Saves subtitles too."},
};

constexpr std::array k_voice_columns = {Column{"VOICE", "voice_id"}, Column{"NAME", "name"},
                                        Column{"LANGUAGE", "language"}};

constexpr std::array k_voices_own = {
    Field{.flag = "sample",
          .in = In::Local,
          .help = "Play a sentence in this voice, or save it with --output.",
          .common = true,
          .example = "eve",
          .completes = "voices"},
};
constexpr std::array k_voice_own = {
    Field{.flag = "voice-id",
          .in = In::Path,
          .help = "Voice ID.",
          .required = true,
          .positional = true,
          .common = true,
          .example = "eve",
          .completes = "voices"},
    Field{.flag = "sample",
          .kind = Kind::Boolean,
          .in = In::Local,
          .help = "Play a sentence in this voice, or save it with --output.",
          .common = true},
};

constexpr auto k_voices_fields = concat(k_voices_own, k_speaker_fields);
constexpr auto k_voice_fields = concat(k_voice_own, k_speaker_fields);

constexpr std::array k_voices_examples = {
    Example{"svc tts voices", "Lists the voices."},
    Example{"svc tts voices --sample luna", "Plays a sentence in one of them."},
};
constexpr std::array k_voice_examples = {
    Example{"svc tts voice eve", "Shows one voice."},
    Example{"svc tts voice eve --sample -o eve.mp3", "Saves a sentence in it."},
};

constexpr std::array k_operations = {
    Operation{.group = "tts",
              .name = "speak",
              .method = "POST",
              .path = "/v1/tts",
              .summary = "Turn text into speech: play it, save it, or pipe it.",
              .fields = resolved<k_speak_fields>,
              .is_default = true,
              .reply = Reply::Bytes,
              .repeat = Repeat::WhenRefused,
              .max_answer_mb = 512,
              .rules = k_speak_rules,
              .examples = k_speak_examples},
    Operation{.group = "tts",
              .name = "voices",
              .method = "GET",
              .path = "/v1/tts/voices",
              .summary = "List the voices.",
              .fields = resolved<k_voices_fields>,
              .repeat = Repeat::Always,
              .items = "voices",
              .columns = k_voice_columns,
              .examples = k_voices_examples},
    Operation{.group = "tts",
              .name = "voice",
              .method = "GET",
              .path = "/v1/tts/voices/{voice_id}",
              .summary = "Show one voice.",
              .fields = resolved<k_voice_fields>,
              .repeat = Repeat::Always,
              .examples = k_voice_examples},
};
static_assert(check_operations(k_operations));

}  // namespace

std::span<const Operation> tts_operations() {
  return k_operations;
}

}  // namespace svc::catalogue
