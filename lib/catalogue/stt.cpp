// The group stt.
#include <array>

#include "catalogue/check.h"
#include "catalogue/groups.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {
namespace stt {

constexpr std::array<sv, 3> k_raw_encodings = {"pcm", "mulaw", "alaw"};

constexpr std::array k_stt_live_own_fields = {
    file("input",
         "Transcribe an audio file instead of the microphone; - reads raw audio (see --encoding, "
         "--sample-rate, --channels).",
         local, common, example("talk.flac")),
    boolean("fast", "Send the input as fast as the service accepts it, not in real time.", local,
            common),
    integer("sample-rate", "Sample rate to send; audio at other rates is resampled.", query,
            choices(k_sample_rates), fallback("16000, or 8000 for files with less"),
            example("16000")),
    text("encoding", "Audio encoding to send: 16-bit pcm, or 8-bit G.711.", query,
         choices(k_raw_encodings), fallback("pcm"), example("pcm")),
    boolean("interim-results", "Request interim results.", query,
            fallback("on for text on a terminal")),
    integer("endpointing", "End an utterance after N ms of silence; 0: at every pause.", query,
            common, range(0, 5000, "milliseconds"), fallback("10"), example("400")),
    text("language", "Spoken language, such as en; also formats numbers, money and units.", query,
         common, suggests(k_transcribed_languages), example("en")),
    boolean("multichannel", "Transcribe channels separately.", query, common),
    integer("channels",
            "Number of interleaved channels; not needed for a file with --multichannel.", query,
            range(2, 8, "channels"), example("2")),
    boolean("diarize", "Label the speakers.", query, common),
    text("keyterm", "Word or name to expect; may be repeated.", query, repeated, common,
         max_count(100), max_length(50), example("Kubernetes")),
    boolean("filler-words", "Include uh, um and er in the transcript.", query, fallback("off")),
    number("smart-turn",
           "End an utterance at a pause if the probability that the speaker has finished exceeds "
           "this.",
           query, range(0, 1), example("0.7")),
    integer("smart-turn-timeout",
            "Always end the utterance after N ms of silence; needs --smart-turn.", query,
            range(1, 5000, "milliseconds"), example("2000")),
    number("vad-threshold", "Speech detection threshold; 0 turns detection off.", query,
           range(0, 1), fallback("0.08"), example("0.05")),
    k_transcript_format_field,
    boolean("reconnect", "Reconnect if the connection is lost, and resend untranscribed audio.",
            local, fallback("on")),
    integer("control-fd",
            "Read control lines from this descriptor: {\"type\":\"finalize\"}, with \"channel\" if "
            "there are several, or {\"type\":\"audio.done\"}. SIGUSR1 also ends the utterance.",
            local, range(0, 1023), example("3")),
};
constexpr auto k_stt_live_fields = concat(k_stt_live_own_fields, k_microphone_fields);

constexpr std::array k_stt_live_rules = {
    needs("smart-turn-timeout", "smart-turn", "It limits the silence that --smart-turn allows."),
    needs("fast", "input", "A microphone runs in real time."),
    excludes("input", "input-device", "They are alternative audio inputs."),
};

constexpr Operation k_stt_live =
    socket("stt live", "/v1/stt", "Transcribe live from a microphone, a file or a pipe.",
           fields<k_stt_live_fields>, rules(k_stt_live_rules), details(card<k_transcript_columns>));

constexpr std::array<sv, 12> k_audio_formats = {"pcm",  "mulaw", "alaw", "wav", "mp3", "ogg",
                                                "opus", "flac",  "aac",  "mp4", "m4a", "mkv"};
constexpr std::array<sv, 2> k_models = {"svc-voice-transcribe-2.0", "svc-voice-transcribe-1.0"};

// The service reads the form as a stream: the file must come last.
constexpr std::array k_transcribe_fields = {
    text("url", "URL of the audio, fetched by the service; FILE can also be a URL.", form_part,
         common, example("https://example.com/talk.mp3")),
    text("audio-format", "Encoding of raw audio: pcm, mulaw or alaw; not needed for other files.",
         form_part, common, choices(k_audio_formats), example("pcm")),
    integer("sample-rate", "Sample rate of raw audio.", form_part, common, choices(k_sample_rates),
            example("16000")),
    integer("sample-rate-hertz", "Alias of --sample-rate.", alias("sample_rate"), form_part,
            choices(k_sample_rates), example("16000")),
    text("language",
         "Spoken language, such as en; --format-text uses it to format numbers, money and units.",
         form_part, common, suggests(k_transcribed_languages), example("en")),
    boolean("format-text", "Format numbers, money and units; needs --language.", at("format"),
            form_part, common),
    boolean("multichannel", "Transcribe channels separately.", form_part, common),
    integer("channels", "Number of channels of raw audio.", form_part, range(2, 8, "channels"),
            example("2")),
    boolean("diarize", "Label the speakers.", form_part, common),
    text("keyterm", "Word or name to expect; may be repeated.", form_part, repeated, common,
         max_count(100), max_length(50), example("Kubernetes")),
    boolean("filler-words", "Include uh, um and er in the transcript.", form_part, fallback("off")),
    number("vad-threshold",
           "Speech detection threshold: lower it for quiet or noisy recordings, 0 turns detection "
           "off.",
           form_part, range(0, 1), fallback("0.5"), example("0.3")),
    text("model", "Model to use; observed, not documented.", form_part, letter('m'),
         suggests(k_models), example("svc-voice-transcribe-2.0")),
    k_transcript_format_field,
    integer("jobs", "Process N files at a time.", local, range(1, 64, "files"), fallback("4"),
            example("2")),
    file("file", "Audio files up to 500 MB, or http(s) URLs; omit or use - for standard input.",
         form_part, positional, repeated, common, max_bytes(k_max_audio_bytes),
         example("talk.mp3")),
};

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
    post("stt transcribe", "/v1/stt", "Transcribe recordings.", default_verb,
         repeatable_when_refused, fields<k_transcribe_fields>, max_answer_mb(256),
         rules(k_transcribe_rules), details(card<k_transcript_columns>)),
    k_stt_live,
};
constexpr auto k_operations = checked(k_rows, k_examples);

}  // namespace stt

constinit const std::span<const Operation> k_stt_operations = stt::k_operations;

}  // namespace svc::catalogue
