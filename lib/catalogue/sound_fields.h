// Fields of commands that use a microphone or a speaker.
#pragma once

#include <array>

#include "catalogue/model.h"

namespace svc::catalogue {

inline constexpr Field k_list_devices_field{
    .flag = "list-devices",
    .kind = Kind::Boolean,
    .in = In::Local,
    .help = "List audio devices with their numbers, and exit."};

inline constexpr Field k_input_device_field{
    .flag = "input-device",
    .in = In::Local,
    .help = "Input device: its --list-devices number, or part of its name.",
    .common = true,
    .fallback = "the profile's input_device, or the system default",
    .example = "USB"};

inline constexpr Field k_output_device_field{
    .flag = "output-device",
    .in = In::Local,
    .help = "Output device: its --list-devices number, or part of its name.",
    .common = true,
    .fallback = "the profile's output_device, or the system default",
    .example = "USB"};

/// Speaking alone, listening alone, both.
inline constexpr std::array k_speaker_fields = {k_output_device_field, k_list_devices_field};
inline constexpr std::array k_microphone_fields = {k_input_device_field, k_list_devices_field};
inline constexpr std::array k_conversation_sound_fields = {
    k_input_device_field, k_output_device_field, k_list_devices_field};

}  // namespace svc::catalogue
