// Fields of commands that use a microphone or a speaker.
#pragma once

#include <array>

#include "catalogue/rows.h"

namespace svc::catalogue {

inline constexpr Field k_list_devices_field =
    boolean("list-devices", "List audio devices, as `svc sound devices` does, and exit.", local);

inline constexpr Field k_input_device_field = text(
    "input-device", "Input device: its number in `svc sound devices`, or part of its name.", local,
    common, fallback("the profile's input_device, or the system default"), example("USB"));

inline constexpr Field k_output_device_field = text(
    "output-device", "Output device: its number in `svc sound devices`, or part of its name.",
    local, common, fallback("the profile's output_device, or the system default"), example("USB"));

inline constexpr std::array k_device_columns = {
    Column{"NUMBER", "index", Cell::Count},
    Column{"NAME", "name"},
    Column{"SYSTEM", "system"},
    Column{"IN", "input_channels", Cell::Count},
    Column{"OUT", "output_channels", Cell::Count},
    Column{"RATE", "sample_rate", Cell::Count},
    Column{"DEFAULT", "default"},
};

/// Speaking alone, listening alone, both.
inline constexpr std::array k_speaker_fields = {k_output_device_field, k_list_devices_field};
inline constexpr std::array k_microphone_fields = {k_input_device_field, k_list_devices_field};
inline constexpr std::array k_conversation_sound_fields = {
    k_input_device_field, k_output_device_field, k_list_devices_field};

}  // namespace svc::catalogue
