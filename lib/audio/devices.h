// The sound devices of this machine. The sound library is loaded on first use, so that everything
// else works on machines without it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::audio {

enum class Direction : std::uint8_t { Input, Output };

struct Device {
  int index = 0;           ///< the value of --input-device and --output-device
  std::string name{};      ///< as reported by the system: untrusted text
  std::string host{};      ///< the host API: "ALSA", "JACK Audio Connection Kit"
  int input_channels = 0;  ///< 0: cannot capture
  int output_channels = 0;
  int rate = 0;  ///< default sample rate
  bool default_input = false;
  bool default_output = false;
};

/// All devices, ordered by index; empty on a machine without audio devices. Fails with
/// Fault::Local, and a hint, if the library is missing or the sound server does not respond.
[[nodiscard]] Result<std::vector<Device>> list_devices(const CancelToken& cancel);

/// The device selected by `wanted`: the default if empty, an index if a number, or else a
/// case-insensitive part of the name, where a full match takes precedence. Fails with Fault::Local,
/// listing the choices, if no device or several devices match, or if the device does not support
/// the direction.
[[nodiscard]] Result<Device> choose_device(std::span<const Device> devices, Direction direction,
                                           std::string_view wanted);

/// A device as shown in lists and messages: "0: Built-in Audio", "2: USB microphone".
[[nodiscard]] std::string shown_device(const Device& device);

}  // namespace svc::audio
