// Sound at another rate: a windowed sinc, piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/sound/pcm.h"

namespace svc::emulator::speech {

/// What comes out does not depend on the pieces in which the sound goes in.
class Resampler {
 public:
  Resampler(int from_rate, int to_rate);

  /// What can be said after `input`; a few samples wait for what follows them.
  [[nodiscard]] Samples feed(SampleView input);

  /// The rest; nothing may be fed after it.
  [[nodiscard]] Samples finish();

 private:
  void produce(Samples& out);
  [[nodiscard]] double sample_at(std::int64_t index) const;

  std::int64_t m_from, m_to;     ///< rates without their common divisor
  std::int64_t m_half = 0;       ///< taps on each side
  std::vector<double> m_taps{};  ///< one row of 2 * m_half per phase
  Samples m_kept{};              ///< of the input, from m_kept_at on
  std::int64_t m_kept_at = 0;
  std::int64_t m_next_out = 0;  ///< the number of the next output sample
  std::int64_t m_total_in = 0;
  bool m_ended = false;
};

/// The whole of `input` at another rate.
[[nodiscard]] Samples resample(SampleView input, int from_rate, int to_rate);

}  // namespace svc::emulator::speech
