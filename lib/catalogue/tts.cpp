// The group tts.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace tts {

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

constexpr Field k_voice_id = text(
    "voice_id", "Voice, built-in or custom; `svc tts voices` lists them.", suggests(k_voice_ids),
    fallback("the profile's, or eve"), example("eve"), completes("voices"));
constexpr Field k_codec = text("output_format.codec", "Audio format.", choices(k_codecs),
                               fallback("from --output's extension, or mp3"), example("mp3"));
constexpr Field k_sample_rate =
    integer("output_format.sample_rate", "Sample rate.", choices(k_sample_rates), fallback("24000"),
            example("24000"));
constexpr Field k_bit_rate = integer("output_format.bit_rate", "Bit rate; mp3 only.",
                                     choices(k_bit_rates), fallback("128000"), example("64000"));

constexpr std::array k_members = {
    text("text",
         "Text to speak, with tags like [pause] or <whisper>…</whisper>; omit or use - for "
         "standard input.",
         required, positional, common, file_text, max_length(15'000),
         example("Hello [pause] world")),
    text("language", "Language of the text: a BCP-47 code, or auto.", common, suggests(k_languages),
         fallback("auto"), example("en")),
    k_voice_id,
    short_for(k_voice_id, "voice", "Alias of --voice-id."),
    k_codec,
    short_for(k_codec, "codec", "Audio codec; alias of --output-format-codec."),
    k_sample_rate,
    short_for(k_sample_rate, "sample-rate", "Sample rate; alias of --output-format-sample-rate."),
    k_bit_rate,
    short_for(k_bit_rate, "bit-rate", "Bit rate, mp3 only; alias of --output-format-bit-rate."),
    number("speed", "Speaking speed: below 1 is slower, above 1 faster.", common, range(0.7, 1.5),
           fallback("1.0"), example("1.2")),
    integer("optimize-streaming-latency",
            "1 lowers latency, with slightly lower quality between chunks.", range(0, 1),
            fallback("0"), example("1")),
    boolean("text-normalization", "Expand numbers, abbreviations and symbols into words."),
    boolean("with-timestamps", "Fetch character timestamps; saved next to the audio.", common),
    json("replace",
         "Pronunciations, as a JSON object of phrase and spoken form; observed, not documented.",
         example(R"({"SQL":"sequel"})")),
};

constexpr std::array k_local = {
    boolean("play", "Play while receiving; without --output nothing is saved.", local, common,
            fallback("on for a terminal without --output")),
    boolean("split", "Split long text at sentences into several requests, and join the audio.",
            local, common),
    file("timestamps", "Save character timestamps to FILE.", local,
         fallback("with --with-timestamps: the --output name with .json"), example("speech.json")),
    file("subtitles", "Save subtitles to FILE (.srt or .vtt).", local, common,
         example("speech.srt")),
};
constexpr auto k_speak_fields = concat(k_members, k_local, k_speaker_fields);

constexpr std::array k_speak_rules = {
    excludes("voice-id", "voice", "Both set the voice."),
    excludes("output-format-codec", "codec", "Both set the codec."),
    excludes("output-format-sample-rate", "sample-rate", "Both set the sample rate."),
    excludes("output-format-bit-rate", "bit-rate", "Both set the bit rate."),
    needs("output-format-bit-rate", "output-format-codec=mp3", "Only mp3 has a bit rate."),
};

constexpr std::array k_voice_columns = {Column{"VOICE", "voice_id"}, Column{"NAME", "name"},
                                        Column{"LANGUAGE", "language"}};

constexpr std::array k_voices_own = {
    text("sample", "Play a sentence in this voice, or save it with --output.", local, common,
         example("eve"), completes("voices")),
};
constexpr std::array k_voice_own = {
    path_parameter("voice-id", "Voice ID.", common, example("eve"), completes("voices")),
    boolean("sample", "Play a sentence in this voice, or save it with --output.", local, common),
};

constexpr auto k_voices_fields = concat(k_voices_own, k_speaker_fields);
constexpr auto k_voice_fields = concat(k_voice_own, k_speaker_fields);

constexpr std::array k_examples = {
    Example{"svc tts 'Hello. [laugh] <whisper>It works.</whisper>'",
            "Plays it on a terminal; writes audio to a pipe."},
    Example{"svc tts 'Bonjour' --language fr --voice ara -o hello.wav",
            "Saves it in the extension's format."},
    Example{"svc tts @book.txt --split -o book.mp3",
            "Turns a text of any length into one audio "
            "file."},
    Example{"svc tts 'One day a fox met a crow.' -o fox.mp3 --subtitles fox.srt",
            "Saves subtitles too."},
    Example{"svc tts voices", "Lists the voices."},
    Example{"svc tts voices --sample luna", "Plays a sentence in one voice."},
    Example{"svc tts voice eve", "Shows one voice."},
    Example{"svc tts voice eve --sample -o eve.mp3", "Saves a sentence in this voice."},
};

constexpr std::array k_rows = {
    post("tts speak", "/v1/tts", "Turn text into speech: play it, save it, or pipe it.",
         default_verb, repeatable_when_refused, answers_bytes, fields<k_speak_fields>,
         max_answer_mb(512), rules(k_speak_rules)),
    get("tts voices", "/v1/tts/voices", "List the voices.", fields<k_voices_fields>,
        items("voices"), columns(k_voice_columns)),
    get("tts voice", "/v1/tts/voices/{voice_id}", "Show one voice.", fields<k_voice_fields>),
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace tts

constinit const std::span<const Operation> k_tts_operations = tts::k_operations;

}  // namespace svc::catalogue
