#include "emulator/api/realtime/vad.h"

#include <algorithm>
#include <cmath>

namespace svc::emulator::realtime {
namespace {

// From this loudness on, in dB of full scale, a frame is speech with probability 0, and 40 dB above
// it with probability 1. So the usual threshold of 0.85 is -31 dB: ordinary speech, and not the
// noise of a room.
constexpr double k_floor_db = -65;
constexpr double k_span_db = 40;
// Speech goes on at a lower loudness than it begins with: the ends of words are soft.
constexpr double k_hysteresis = 0.15;
// A click is no speech.
constexpr std::int64_t k_frames_to_start = 3;

double probability_of(double mean_square) {
  const double db = 10 * std::log10(std::max(mean_square, 1e-12));
  return std::clamp((db - k_floor_db) / k_span_db, 0.0, 1.0);
}

}  // namespace

EnergyVad::EnergyVad(const Settings& settings, int rate)
    : m_settings(settings), m_frame_size(static_cast<std::size_t>(rate * k_frame_ms / 1000)) {}

std::optional<VadMark> EnergyVad::judge(double loudness) {
  if (!m_speaking) {
    m_loud_frames = loudness >= m_settings.threshold ? m_loud_frames + 1 : 0;
    if (m_loud_frames < k_frames_to_start) return std::nullopt;
    m_speaking = true;
    m_quiet_frames = 0;
    const std::int64_t begin = (m_frames - m_loud_frames) * k_frame_ms;
    return VadMark{true, std::max<std::int64_t>(0, begin - m_settings.prefix_ms)};
  }
  m_quiet_frames = loudness >= m_settings.threshold - k_hysteresis ? 0 : m_quiet_frames + 1;
  if (m_quiet_frames * k_frame_ms < std::max(m_settings.silence_ms, k_frame_ms))
    return std::nullopt;
  m_speaking = false;
  m_loud_frames = 0;
  return VadMark{false, position_ms()};
}

std::vector<VadMark> EnergyVad::feed(std::span<const std::int16_t> samples) {
  std::vector<VadMark> marks;
  for (const std::int16_t sample : samples) {
    const double value = sample / 32'768.0;
    m_sum += value * value;
    if (++m_filled < m_frame_size) continue;
    const double mean_square = m_sum / static_cast<double>(m_frame_size);
    m_sum = 0;
    m_filled = 0;
    ++m_frames;
    if (const auto mark = judge(probability_of(mean_square))) marks.push_back(*mark);
  }
  return marks;
}

}  // namespace svc::emulator::realtime
