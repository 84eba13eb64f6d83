// The row `stt live`, a WebSocket of /v1/stt.
#pragma once

#include <array>

#include "catalogue/check.h"
#include "catalogue/sound_fields.h"
#include "catalogue/voice_fields.h"

namespace svc::catalogue {

inline constexpr std::array<sv, 3> k_raw_encodings = {"pcm", "mulaw", "alaw"};

inline constexpr std::array k_stt_live_own_fields = {
    file("input",
         "Transcribe an audio file instead of the microphone; - reads raw audio (see --encoding, "
         "--sample-rate, --channels).",
         local, common, example("talk.flac")),
    boolean("fast", "Send the input as fast as the service accepts it, not in real time.", local,
            common),
    integer("sample-rate", "Sample rate to send; audio at other rates is resampled.", query,
            choices(k_sample_rates), fallback("16000, or 8000 if the file has no more"),
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
    integer("channels", "Number of interleaved channels; a file with --multichannel needs none.",
            query, range(2, 8, "channels"), example("2")),
    boolean("diarize", "Label the speakers.", query, common),
    text("keyterm", "Word or name to expect; may be repeated.", query, repeated, common,
         max_count(100), max_length(50), example("Kubernetes")),
    boolean("filler-words", "Include uh, um and er in the transcript.", query, fallback("off")),
    number("smart-turn",
           "End an utterance at a pause if the probability that the speaker has finished exceeds "
           "this.",
           query, range(0, 1), example("0.7")),
    integer("smart-turn-timeout",
            "End the utterance after N ms of silence in any case; needs --smart-turn.", query,
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
inline constexpr auto k_stt_live_fields = concat(k_stt_live_own_fields, k_microphone_fields);

inline constexpr std::array k_stt_live_rules = {
    needs("smart-turn-timeout", "smart-turn", "It limits the pause that --smart-turn allows."),
    needs("fast", "input", "A microphone runs in real time."),
    excludes("input", "input-device", "They are alternative audio inputs."),
};

inline constexpr Operation k_stt_live =
    socket("stt live", "/v1/stt", "Transcribe live from a microphone, a file or a pipe.",
           fields<k_stt_live_fields>, rules(k_stt_live_rules), details(k_transcript_details));

}  // namespace svc::catalogue
