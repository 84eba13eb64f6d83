// The fields of the group tts.
#pragma once

#include <array>

#include "catalogue/voice_fields.h"

namespace svc::catalogue::tts {

inline constexpr std::array<sv, 21> k_languages = {
    "auto", "en", "ar-EG", "ar-SA", "ar-AE", "bn", "zh",    "fr",    "de", "hi", "id",
    "it",   "ja", "ko",    "pt-BR", "pt-PT", "ru", "es-MX", "es-ES", "tr", "vi"};
inline constexpr std::array<sv, 5> k_codecs = {"mp3", "wav", "pcm", "mulaw", "alaw"};
inline constexpr std::array<sv, 5> k_bit_rates = {"32000", "64000", "96000", "128000", "192000"};

constexpr Field short_for(Field field, sv flag, sv help) {
  field.flag = flag;
  field.help = help;
  field.alias = true;
  field.common = true;
  return field;
}

inline constexpr Field k_voice_id = text(
    "voice_id", "Voice, built-in or custom; `svc tts voices` lists them.", suggests(k_voice_ids),
    fallback("the profile's, or eve"), example("eve"), completes("voices"));
inline constexpr Field k_codec =
    text("output_format.codec", "Audio format.", demanded, choices(k_codecs),
         fallback("from --output's extension, or mp3"), example("mp3"));
inline constexpr Field k_sample_rate =
    integer("output_format.sample_rate", "Sample rate.", choices(k_sample_rates), fallback("24000"),
            example("24000"));
inline constexpr Field k_bit_rate =
    integer("output_format.bit_rate", "Bit rate; mp3 only.", choices(k_bit_rates),
            fallback("128000"), example("64000"));

inline constexpr std::array k_members = {
    text("text", "Text to speak, with tags like [pause] or <whisper>…</whisper>.",
         typed("; omit or use - for standard input"), required, positional, common, file_text,
         max_length(15'000), example("Hello [pause] world")),
    text("language", "Language of the text: a BCP-47 code, or auto.", demanded, common,
         suggests(k_languages), fallback("auto"), example("en")),
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
    json("replace", "Pronunciations, as a JSON object of phrase and spoken form †.",
         example(R"({"SQL":"sequel"})")),
};

inline constexpr std::array k_local = {
    boolean("play", "Play while receiving; without --output nothing is saved.", local, common,
            fallback("on for a terminal without --output")),
    boolean("split", "Split long text at sentences into several requests, and join the audio.",
            local, common),
    file("timestamps", "Save character timestamps to FILE.", local,
         fallback("with --with-timestamps: the --output name with .json"), example("speech.json")),
    file("subtitles", "Save subtitles to FILE (.srt or .vtt).", local, common,
         example("speech.srt")),
};
inline constexpr auto k_speak_fields = concat(k_members, k_local, k_speaker_fields);

inline constexpr std::array k_voices_own = {
    text("sample", "Play a sentence in this voice, or save it with --output.", local, common,
         example("eve"), completes("voices")),
};
inline constexpr std::array k_voice_own = {
    path_parameter("voice-id", "Voice ID.", common, example("eve"), completes("voices")),
    boolean("sample", "Play a sentence in this voice, or save it with --output.", local, common),
};

inline constexpr auto k_voices_fields = concat(k_voices_own, k_speaker_fields);
inline constexpr auto k_voice_fields = concat(k_voice_own, k_speaker_fields);

}  // namespace svc::catalogue::tts
