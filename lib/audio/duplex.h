// Simultaneous capture and playback, with echo cancellation.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "audio/devices.h"
#include "audio/echo.h"
#include "audio/sink.h"
#include "audio/source.h"

namespace svc::audio {

enum class EchoMode : std::uint8_t {
  Cancel,      ///< cancels the echo; half duplex at rates where that is impossible
  HalfDuplex,  ///< mutes the microphone during playback and for a tail afterwards
  Gate,        ///< during playback, passes only audio louder than the possible echo
  Off,         ///< for headphones
};

struct DuplexOptions {
  Format format{};  ///< of both devices, one channel
  Latency latency{};
  EchoMode echo = EchoMode::Cancel;
  Suppression suppression = Suppression::Low;
  Enhancement enhancement{};  ///< of what the microphone hears besides the echo
  Milliseconds tail{300};     ///< half duplex only: how long to stay muted after the echo has ended
  std::string input{};        ///< see open_microphone()
  std::string output{};       ///< see open_speaker()
  /// The echo's lag measured earlier with these devices, so that the first word is right too.
  std::function<std::optional<Milliseconds>(const Device& input, const Device& output)> lag_of{};
  const CancelToken* cancel = nullptr;  ///< cancels the opening
};

class FrontEnd;

/// What is known about the echo, for any thread.
struct EchoStatus {
  /// The echo is not canceled, so the microphone is closed while something plays.
  std::atomic<bool> closed = false;
  std::atomic<std::int64_t> lag = k_unknown;  ///< in milliseconds

  static constexpr std::int64_t k_unknown = -1'000;
  void set(const FrontEnd& front) noexcept;
};

/// The microphone's blocks already have the echo removed; their `played` is the audio the speaker
/// played at the same time. One thread owns both.
struct Duplex {
  std::unique_ptr<Source> microphone{};
  std::unique_ptr<Sink> speaker{};
  EchoMode echo = EchoMode::Cancel;  ///< the mode in use
  std::string why{};                 ///< why cancellation is unavailable or limited: a sentence
  Device input{};
  Device output{};
  std::shared_ptr<const EchoStatus> status{};  ///< never null
};

[[nodiscard]] Result<Duplex> open_duplex(const DuplexOptions& options);

}  // namespace svc::audio
