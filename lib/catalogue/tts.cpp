// The group tts.
#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/tts_fields.h"
#include "catalogue/voice_answers.h"

namespace svc::catalogue {
namespace tts {

constexpr std::array k_speak_rules = {
    excludes("voice-id", "voice", "Both set the voice."),
    excludes("output-format-codec", "codec", "Both set the codec."),
    excludes("output-format-sample-rate", "sample-rate", "Both set the sample rate."),
    excludes("output-format-bit-rate", "bit-rate", "Both set the bit rate."),
    needs("output-format-bit-rate", "output-format-codec=mp3", "Only mp3 has a bit rate."),
};

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
         runs(Handler::TtsSpeak), own_output, default_verb, repeatable_when_refused, answers_bytes,
         fields<k_speak_fields>, max_answer_mb(512), rules(k_speak_rules),
         answers(answer::tts::k_speech)),
    get("tts voices", "/v1/tts/voices", "List the voices.", runs(Handler::TtsVoices), own_output,
        fields<k_voices_fields>, items("voices"), answers(answer::tts::k_voices)),
    get("tts voice", "/v1/tts/voices/{voice_id}", "Show one voice.", runs(Handler::TtsVoice),
        own_output, fields<k_voice_fields>, answers(answer::tts::k_voice_members)),
};
constexpr auto k_operations = checked(k_rows, k_examples, {"voice", "voices"});

}  // namespace tts

constinit const std::span<const Operation> k_tts_operations = tts::k_operations;

}  // namespace svc::catalogue
