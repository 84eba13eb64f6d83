// Simultaneous capture and playback, with echo cancellation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "audio/devices.h"
#include "audio/echo.h"
#include "audio/sink.h"
#include "audio/source.h"

namespace svc::audio {

enum class EchoMode : std::uint8_t {
  Cancel,      ///< cancels the echo; half duplex if cancellation is unavailable
  HalfDuplex,  ///< mutes the microphone during playback and for a tail afterwards
  Gate,        ///< during playback, passes only audio louder than the possible echo
  Off,         ///< for headphones
};

struct DuplexOptions {
  Format format{};  ///< of both devices, one channel
  Milliseconds block{20};
  EchoMode echo = EchoMode::Cancel;
  Suppression suppression = Suppression::Low;
  Milliseconds tail{300};  ///< half duplex only: how long to stay muted after the echo has ended
  std::string input{};     ///< see open_microphone()
  std::string output{};    ///< see open_speaker()
  const CancelToken* cancel = nullptr;  ///< cancels the opening
};

/// The microphone's blocks already have the echo removed; their `played` is the audio the speaker
/// played at the same time. One thread owns both.
struct Duplex {
  std::unique_ptr<Source> microphone{};
  std::unique_ptr<Sink> speaker{};
  EchoMode echo = EchoMode::Cancel;  ///< the mode in use
  std::string why{};                 ///< why it differs from the requested mode: a sentence
  Device input{};
  Device output{};
};

[[nodiscard]] Result<Duplex> open_duplex(const DuplexOptions& options);

}  // namespace svc::audio
