// The group stt.
#include <array>

#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/stt_fields.h"
#include "catalogue/voice_answers.h"

namespace svc::catalogue {
namespace stt {

constexpr std::array k_stt_live_rules = {
    needs("smart-turn-timeout", "smart-turn", "It limits the silence that --smart-turn allows."),
    needs("fast", "input", "A microphone runs in real time."),
    excludes("input", "input-device", "They are alternative audio inputs."),
    excludes("input", "noise-suppression=low|high",
             "It changes what a microphone hears, not a file."),
    excludes("input", "gain-control=true", "It changes what a microphone hears, not a file."),
};

constexpr Operation k_stt_live =
    socket("stt live", "/v1/stt", "Transcribe live from a microphone, a file or a pipe.",
           runs(Handler::SttLive), fields<k_stt_live_fields>, rules(k_stt_live_rules),
           answers(answer::stt::k_transcript), events(answer::stt::k_events));

constexpr std::array k_transcribe_rules = {
    either("file", "url", "Pass a file to transcribe, such as svc stt talk.mp3."),
    excludes("file", "url", "A request has one source; pass several files or URLs as arguments."),
    excludes("sample-rate", "sample-rate-hertz", "Both set the sample rate."),
    needs("format-text", "language", "Formatting depends on the language."),
    needs("audio-format=pcm|mulaw|alaw", "sample-rate", "Raw audio has no sample rate."),
};

constexpr std::array k_examples = {
    Example{"svc stt talk.mp3", "Transcribes a recording."},
    Example{"svc stt talk.mp3 --transcript-format srt -o talk.srt", "Saves it as subtitles."},
    Example{
        "svc stt talk.mp3 interview.m4a --transcript-format vtt -o subtitles/",
        "Transcribes several files at once into a directory; without --output, next to each file."},
    Example{"svc stt meeting.wav --diarize --language en --format-text",
            "Labels the speakers and writes numbers as digits."},
    Example{"svc stt https://example.com/talk.mp3 --json", "Lets the service fetch the recording."},
    Example{"svc stt call.raw --audio-format pcm --sample-rate 8000 --multichannel --channels 2",
            "Transcribes two-channel raw audio."},
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
            "Prints each word with its times and speaker."},
};

constexpr std::array k_rows = {
    post("stt transcribe", "/v1/stt", "Transcribe recordings.", runs(Handler::SttTranscribe),
         own_output, default_verb, repeatable_when_refused, fields<k_transcribe_fields>,
         max_answer_mb(256), rules(k_transcribe_rules), answers(answer::stt::k_transcript)),
    k_stt_live,
};
constexpr auto k_operations = checked(k_rows, k_examples, {"recording", "recordings"});

}  // namespace stt

constinit const std::span<const Operation> k_stt_operations = stt::k_operations;

}  // namespace svc::catalogue
