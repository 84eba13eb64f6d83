// The sound devices of this machine. The sound library is loaded on first use, so that everything
// else works on machines without it.
#pragma once

#include <chrono>
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

/// How much audio is buffered on its way: the less, the shorter the delay, and the sooner a busy
/// machine causes gaps.
struct Latency {
  std::chrono::milliseconds device{80};  ///< in the device; its callbacks come twice in this time
  std::chrono::milliseconds block{40};   ///< of a microphone in a conversation
  std::chrono::milliseconds prebuffer{110};  ///< of a speaker, when playback starts
};
inline constexpr Latency k_low_latency{.device = std::chrono::milliseconds(40),
                                       .block = std::chrono::milliseconds(20),
                                       .prebuffer = std::chrono::milliseconds(60)};
inline constexpr Latency k_safe_latency{.device = std::chrono::milliseconds(160),
                                        .block = std::chrono::milliseconds(80),
                                        .prebuffer = std::chrono::milliseconds(200)};

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
