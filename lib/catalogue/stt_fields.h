// The fields of the group stt.
#pragma once

#include <array>

#include "catalogue/voice_fields.h"

namespace svc::catalogue::stt {

inline constexpr std::array<sv, 3> k_raw_encodings = {"pcm", "mulaw", "alaw"};

inline constexpr std::array k_stt_live_own_fields = {
    file("input",
         "Transcribe an audio file instead of the microphone; - reads raw audio (see --encoding, "
         "--sample-rate, --channels).",
         local, common, example("talk.flac")),
    boolean("fast", "Send the input as fast as the service accepts it, not in real time.", local,
            plain_switch, common),
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
    text("keyterm", "Word or phrase to recognize; may be repeated.", query, repeated, common,
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
inline constexpr auto k_stt_live_fields =
    concat(k_stt_live_own_fields, k_enhancement_fields, k_microphone_fields);

inline constexpr std::array<sv, 12> k_audio_formats = {
    "pcm", "mulaw", "alaw", "wav", "mp3", "ogg", "opus", "flac", "aac", "mp4", "m4a", "mkv"};
inline constexpr std::array<sv, 2> k_models = {"svc-voice-transcribe-2.0",
                                               "svc-voice-transcribe-1.0"};

// The service reads the form as a stream: the file must come last.
inline constexpr std::array k_transcribe_fields = {
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
    text("keyterm", "Word or phrase to recognize; may be repeated.", form_part, repeated, common,
         max_count(100), max_length(50), example("Kubernetes")),
    boolean("filler-words", "Include uh, um and er in the transcript.", form_part, fallback("off")),
    number("vad-threshold",
           "Speech detection threshold: lower it for quiet or noisy recordings, 0 turns detection "
           "off.",
           form_part, range(0, 1), fallback("0.5"), example("0.3")),
    text("model", "Model to use †.", form_part, letter('m'), suggests(k_models),
         example("svc-voice-transcribe-2.0")),
    k_transcript_format_field,
    integer("jobs", "Process N files at a time.", local, range(1, 64, "files"), fallback("4"),
            example("2")),
    file("file", "Audio files up to 500 MB, or http(s) URLs.",
         typed("; omit or use - for standard input"), form_part, positional, repeated, common,
         max_bytes(k_max_audio_bytes), example("talk.mp3")),
};

}  // namespace svc::catalogue::stt
