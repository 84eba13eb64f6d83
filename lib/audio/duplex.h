// Listening and speaking at once: what the microphone hears of the speaker is taken out.
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
  Cancel,      ///< takes the speaker's sound out; half duplex where that cannot be had
  HalfDuplex,  ///< the microphone is closed while something is played, and for a tail after it
  Gate,        ///< while something is played, it opens for what is louder than the echo can be
  Off,         ///< headphones
};

struct DuplexOptions {
  Format format{};  ///< of both, one channel
  Milliseconds block{20};
  EchoMode echo = EchoMode::Cancel;
  Suppression suppression = Suppression::Low;
  Milliseconds tail{300};               ///< of half duplex, behind the echo's end
  std::string input{};                  ///< as open_microphone() takes it
  std::string output{};                 ///< as open_speaker() takes it
  const CancelToken* cancel = nullptr;  ///< ends the opening at once
};

/// The microphone's blocks are free of echo already, and their `played` says what the speaker
/// played meanwhile. One thread owns both.
struct Duplex {
  std::unique_ptr<Source> microphone{};
  std::unique_ptr<Sink> speaker{};
  EchoMode echo = EchoMode::Cancel;  ///< what was possible
  std::string why{};                 ///< a sentence, where that is less than was asked for
  Device input{};
  Device output{};
};

[[nodiscard]] Result<Duplex> open_duplex(const DuplexOptions& options);

}  // namespace svc::audio
