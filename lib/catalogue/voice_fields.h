// Fields that voice operations share.
#pragma once

#include <array>

#include "catalogue/builders.h"

namespace svc::catalogue {

/// Built-in voices; others exist.
inline constexpr std::array<sv, 26> k_voice_ids = {
    "carina", "zagan", "helix",  "orion", "luna",  "iris",    "altair", "zenith", "perseus",
    "helios", "lux",   "kepler", "rigel", "cosmo", "celeste", "ursa",   "sirius", "lumen",
    "castor", "naksh", "atlas",  "ara",   "eve",   "leo",     "rex",    "sal"};

inline constexpr std::array<sv, 6> k_sample_rates = {"8000",  "16000", "22050",
                                                     "24000", "44100", "48000"};

/// Languages for which the service formats numbers, money and units.
inline constexpr std::array<sv, 25> k_transcribed_languages = {
    "ar", "cs", "da", "nl", "en", "fil", "fr", "de", "hi", "id", "it", "ja", "ko",
    "mk", "ms", "fa", "pl", "pt", "ro",  "ru", "es", "sv", "th", "tr", "vi"};

/// The maximum size of an uploaded file.
inline constexpr std::uint64_t k_max_audio_bytes = 500'000'000;

/// Transcript formats (voice/transcript.h).
inline constexpr std::array<sv, 5> k_transcript_formats = {"text", "srt", "vtt", "json", "words"};
inline constexpr Field k_transcript_format_field = text(
    "transcript-format", "Transcript format: text, subtitles, JSON, or one timed word per line.",
    local, common, choices(k_transcript_formats), fallback("text"), example("srt"));

// Fields of commands that use a microphone or a speaker.

inline constexpr Field k_list_devices_field =
    boolean("list-devices", "List audio devices, as `svc sound devices` does, and exit.", local,
            plain_switch);

inline constexpr Field k_input_device_field = text(
    "input-device", "Input device: its number in `svc sound devices`, or part of its name.", local,
    common, fallback("the profile's input_device, or the system default"), example("USB"));

inline constexpr Field k_output_device_field = text(
    "output-device", "Output device: its number in `svc sound devices`, or part of its name.",
    local, common, fallback("the profile's output_device, or the system default"), example("USB"));

inline constexpr std::array<sv, 3> k_noise_suppressions = {"off", "low", "high"};
/// What is done to what a microphone hears.
inline constexpr std::array k_enhancement_fields = {
    text("noise-suppression",
         "How strongly to suppress the room's noise in what the microphone hears; a soft voice "
         "becomes softer too.",
         local, choices(k_noise_suppressions), fallback("the profile's noise_suppression, or off"),
         example("low")),
    boolean("gain-control", "Adapt the microphone's volume to how loudly you speak.", local,
            fallback("the profile's gain_control, or false")),
};

inline constexpr std::array<sv, 3> k_latencies = {"low", "normal", "safe"};
inline constexpr Field k_latency_field =
    text("latency", "How much audio devices buffer: low delays least, safe stands a busy machine.",
         local, common, choices(k_latencies), fallback("the profile's latency, or normal"),
         example("low"));

inline constexpr std::array k_latency_fields = {k_latency_field};

/// Device flags for speaking, for listening, and for both.
inline constexpr std::array k_speaker_fields = {k_output_device_field, k_list_devices_field};
inline constexpr std::array k_microphone_fields = {k_input_device_field, k_list_devices_field};
inline constexpr std::array k_conversation_sound_fields = {
    k_input_device_field, k_output_device_field, k_list_devices_field};

}  // namespace svc::catalogue
