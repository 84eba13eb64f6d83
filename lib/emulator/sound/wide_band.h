// Speech of a telephone for a recognizer that learnt from microphones: what is missing above 3.6
// kHz is filled with noise as loud as it usually is beside what there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/sound/audio_format.h"

namespace svc::emulator::speech {

/// Of 16 kHz. Sound that has something up there passes unchanged: that shows in its first tenth of
/// a second, for which it is held back, or later.
class WideBand {
 public:
  /// What can be given out after `samples`.
  [[nodiscard]] Samples feed(SampleView samples);
  /// The rest. Another stretch of the same sound may follow.
  [[nodiscard]] Samples finish();

 private:
  void look(SampleView frame);
  void fill();
  [[nodiscard]] double random();

  bool m_wide = false;
  int m_narrow = 0;               ///< frames of speech that had nothing up there
  std::size_t m_looked = 0;       ///< of the rest
  Samples m_rest{};               ///< not given out yet
  std::vector<double> m_noise{};  ///< to be added to it
  std::uint32_t m_state = 5;
};

}  // namespace svc::emulator::speech
