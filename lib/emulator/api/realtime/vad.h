// Voice activity by energy. It knows positions in the audio and no time: audio that comes faster
// than it was spoken has the same turns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/sound/audio_format.h"

namespace svc::emulator::realtime {

struct VadMark {
  bool started = false;    ///< else stopped
  std::int64_t at_ms = 0;  ///< started: with the padding before it; stopped: with the silence
};

class EnergyVad {
 public:
  struct Settings {
    double threshold = 0.85;  ///< 0 takes everything for speech, 1 nothing
    std::int64_t silence_ms = 500;
    std::int64_t prefix_ms = 333;
  };
  EnergyVad(const Settings& settings, int rate);

  /// What begins and ends in the samples that follow those of before.
  [[nodiscard]] std::vector<VadMark> feed(std::span<const std::int16_t> samples);

  [[nodiscard]] bool is_speaking() const { return m_speaking; }
  /// Of the end of all that was fed, in whole frames.
  [[nodiscard]] std::int64_t position_ms() const { return m_frames * k_frame_ms; }

 private:
  static constexpr std::int64_t k_frame_ms = 20;
  [[nodiscard]] std::optional<VadMark> judge(double loudness);

  Settings m_settings;
  std::size_t m_frame_size;
  double m_sum = 0;  ///< of the squares of the frame that is not full
  std::size_t m_filled = 0;
  std::int64_t m_frames = 0;
  std::int64_t m_loud_frames = 0;   ///< in a row, while nobody speaks
  std::int64_t m_quiet_frames = 0;  ///< in a row, while somebody speaks
  bool m_speaking = false;
};

}  // namespace svc::emulator::realtime
