// The sound devices of this machine. The library for them is loaded when they are first asked for,
// never before: a machine without it runs everything else.
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
  int index = 0;           ///< what --input-device and --output-device take
  std::string name{};      ///< as the system says it: foreign text
  std::string host{};      ///< the system's sound interface: "ALSA", "JACK Audio Connection Kit"
  int input_channels = 0;  ///< 0: cannot capture
  int output_channels = 0;
  int rate = 0;  ///< its own
  bool default_input = false;
  bool default_output = false;
};

/// All devices, in the order of their index; none on a machine without sound. Local, with what to
/// install, when the library is missing or the sound server does not respond.
[[nodiscard]] Result<std::vector<Device>> list_devices(const CancelToken& cancel);

/// The one that is meant: empty: the default; a number: that index; else a part of the name,
/// without regard to case, where a whole name wins. Local, with the names that there are, when
/// none fits, several do, or it cannot be used in that direction.
[[nodiscard]] Result<Device> choose_device(std::span<const Device> devices, Direction direction,
                                           std::string_view wanted);

/// "Built-in Audio", "2: USB microphone": as lists and messages show it.
[[nodiscard]] std::string shown_device(const Device& device);

}  // namespace svc::audio
