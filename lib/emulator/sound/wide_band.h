// Adapts telephone speech to a recognizer trained on microphones: fills the missing band above 3.6
// kHz with noise of a typical level relative to the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/sound/audio_format.h"

namespace svc::emulator::speech {

/// For 16 kHz. Audio that already has content in that band passes unchanged; this is detected in
/// its first tenth of a second, which is buffered, or later.
class WideBand {
 public:
  /// Returns the output available after `samples`.
  [[nodiscard]] Samples feed(SampleView samples);
  /// Returns the rest. Another section of the same audio may follow.
  [[nodiscard]] Samples finish();

 private:
  void analyze(SampleView frame);
  void fill();
  [[nodiscard]] double random();

  bool m_wide = false;
  int m_narrow = 0;               ///< speech frames without content in that band
  std::size_t m_analyzed = 0;     ///< of the rest
  Samples m_pending{};            ///< not returned yet
  std::vector<double> m_noise{};  ///< to be added to it
  std::uint32_t m_state = 5;
};

}  // namespace svc::emulator::speech
