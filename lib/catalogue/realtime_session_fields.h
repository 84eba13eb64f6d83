// The fields of a realtime session, in `session.update` and in the request for a client secret.
// Each flag is named after the field's path inside `session`.
#pragma once

#include "catalogue/check.h"

namespace svc::catalogue::realtime {

inline constexpr std::array<sv, 3> k_voice_models = {"svc-voice-latest", "svc-voice-think-fast-2.0",
                                                     "svc-voice-think-fast-1.0"};
inline constexpr std::array<sv, 2> k_voice_efforts = {"high", "none"};
inline constexpr std::array<sv, 2> k_turn_detections = {"server_vad", "none"};
inline constexpr std::array<sv, 4> k_audio_types = {"audio/pcm", "audio/pcmu", "audio/pcma",
                                                    "audio/opus"};
inline constexpr std::array<sv, 7> k_audio_rates = {"8000",  "16000", "22050", "24000",
                                                    "32000", "44100", "48000"};
inline constexpr std::array<sv, 2> k_audio_transports = {"json", "binary"};
inline constexpr std::array<sv, 1> k_session_types = {"realtime"};
inline constexpr std::array<sv, 1> k_transcribers = {"svc-transcribe"};

/// Everything but the audio format, which the service sets on a phone call.
inline constexpr std::array k_call_session_fields = {
    json("session", "Session configuration as JSON; other flags override it.", alias("session"),
         common),
    text("session.instructions", "System prompt.", common, file_text, example("Answer briefly.")),
    text("session.voice", "Voice of the answers; `svc tts voices` lists them.", common,
         fallback("eve"), example("ara"), completes("voices")),
    text_or_json("turn-detection", "Turn detection: by the service, or manual with none.",
                 alias("session.turn_detection"), common, choices(k_turn_detections),
                 null_word("none"), wraps("type"), fallback("server_vad")),
    text("session.turn_detection.type", "Alias of --turn-detection.", choices(k_turn_detections),
         null_word("none"), example("server_vad")),
    number("session.turn_detection.threshold", "Speech detection threshold.", common,
           range(0.1, 0.9), fallback("0.85"), example("0.7")),
    integer("session.turn_detection.silence_duration_ms", "End a turn after N ms of silence.",
            common, range(0, 10'000, "milliseconds"), example("500")),
    integer("session.turn_detection.prefix_padding_ms",
            "Include N ms of audio from before speech started.", range(0, 10'000, "milliseconds"),
            fallback("333"), example("300")),
    integer("session.turn_detection.idle_timeout_ms",
            "Let the model speak after N ms of silence; or none.", at_least(1, "milliseconds"),
            null_word("none"), example("15000")),
    json("session.tools", "Tool the model may use, as a JSON object or array.", repeated, common,
         example(R"({"type":"function","name":"weather","parameters":{"type":"object"}})")),
    boolean("web-search", "Let the model search the web.", alias("session.tools"), common,
            stands_for(R"([{"type":"web_search"}])")),
    boolean("x-search", "Let the model search X.", alias("session.tools"), common,
            stands_for(R"([{"type":"x_search"}])")),
    text("file-search", "Let the model search these collections (comma-separated IDs or names).",
         alias("session.tools"), common,
         stands_for(R"([{"type":"file_search","vector_store_ids":"$list"}])"),
         completes("collections")),
    text(
        "mcp",
        "Let the model use this MCP server, labeled by its host; use --tools if it needs a token.",
        alias("session.tools"), repeated, common, form(TextFormat::WebUrl),
        stands_for(R"([{"type":"mcp","server_url":"$","server_label":"$host"}])")),
    boolean("session.resumption.enabled",
            "Allow resuming the conversation after a lost connection."),
    json("session.replace", "Pronunciations, as a JSON object of phrase and spoken form.",
         example(R"({"SQL":"sequel"})")),
    text("session.type", "Session type.", ignored, choices(k_session_types), example("realtime")),
};

inline constexpr std::array k_sound_session_fields = {
    text("session.audio.input.format.type",
         "Input audio encoding: pcm is 16-bit, pcmu and pcma are G.711.", choices(k_audio_types),
         example("audio/pcm")),
    integer("session.audio.input.format.rate",
            "Input sample rate: any for pcm, 8000 for pcmu and pcma, 24000 for opus.",
            choices(k_audio_rates), fallback("24000"), example("24000")),
    text("session.audio.input.transport", "Send audio as base64 in JSON, or as binary messages.",
         choices(k_audio_transports), example("json")),
    text("session.audio.input.transcription.model",
         "Transcription model; setting one enables live transcripts.", suggests(k_transcribers),
         example("svc-transcribe")),
    text("session.audio.input.transcription.language_hint", "Spoken language.", example("en")),
    text("language-hint", "Spoken language.",
         alias("session.audio.input.transcription.language_hint"), common),
    text("session.audio.input.transcription.keyterms", "Word or phrase to recognize.", repeated,
         max_count(100), max_length(50), example("fjord")),
    text("keyterm", "Word or phrase to recognize.",
         alias("session.audio.input.transcription.keyterms"), repeated, common, max_count(100),
         max_length(50)),
    text("session.audio.output.format.type", "Output audio encoding.", choices(k_audio_types),
         example("audio/pcm")),
    integer("session.audio.output.format.rate",
            "Output sample rate; see --audio-input-format-rate.", choices(k_audio_rates),
            fallback("24000"), example("24000")),
    text("session.audio.output.transport",
         "Receive audio as base64 in JSON, or as binary messages.", choices(k_audio_transports),
         example("json")),
    number("session.audio.output.speed", "Speaking speed.", range(0.7, 1.5), fallback("1"),
           example("1.1")),
    number("speed", "Speaking speed.", alias("session.audio.output.speed"), common, range(0.7, 1.5),
           fallback("1")),
};

inline constexpr auto k_session_fields = concat(k_call_session_fields, k_sound_session_fields);

inline constexpr sv k_manual_turns = "Turn detection is off.";
inline constexpr auto k_session_rules = for_flags(
    std::array<sv, 4>{"turn-detection-threshold", "turn-detection-silence-duration-ms",
                      "turn-detection-prefix-padding-ms", "turn-detection-idle-timeout-ms"},
    excludes({}, "turn-detection=none", k_manual_turns));

/// The session limit that svc warns about.
inline constexpr Field k_session_limit_field =
    duration("session-limit", "The service's session limit; svc warns before it is reached.", local,
             fallback("120m"), example("30m"));

/// The query parameters and credentials of /v1/realtime.
inline constexpr std::array k_socket_fields = {
    text("model", "Voice model; a phone call has its own.", query, common, letter('m'),
         suggests(k_voice_models), fallback("svc-voice-latest"), example("svc-voice-latest")),
    text("reasoning.effort", "Let the model reason before it speaks.", query, common,
         choices(k_voice_efforts), fallback("high"), example("none")),
    text("call-id", "Attach to this phone call (ID from its webhook).", query,
         example("00000000-0000-0000-0000-000000000000")),
    text("call", "Attach to this phone call (ID from its webhook).", alias("call_id"), query,
         common),
    text("conversation-id", "Resume this conversation, up to 30 minutes after it ended.", query,
         common, example("conv_1")),
    text("agent-id", "Use this agent from the console.", query, example("agent_1")),
    secret("protocol-secret",
           "Use a client secret from `svc realtime secret` instead of the API key.", local, common,
           example("env:CLIENT_SECRET")),
};

inline constexpr std::array k_socket_rules = {
    excludes("call-id", "call", "Both set the same field."),
    excludes("protocol-secret", "call-id", "A phone call requires an API key."),
    excludes("protocol-secret", "call", "A phone call requires an API key."),
    warns("model", "call-id", "the service ignores the model for a call."),
    warns("model", "call", "the service ignores the model for a call."),
};

}  // namespace svc::catalogue::realtime
