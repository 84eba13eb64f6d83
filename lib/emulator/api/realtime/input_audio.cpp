#include "emulator/api/realtime/input_audio.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace svc::emulator::realtime {
namespace {

// The loudness, in dB of full scale, at which a frame is speech with probability 0; 40 dB above,
// the probability is 1. So the default threshold of 0.85 is -31 dB: ordinary speech, but not the
// noise of a room.
constexpr double k_floor_db = -65;
constexpr double k_span_db = 40;
// Speech continues at a lower loudness than it starts with: the ends of words are soft.
constexpr double k_hysteresis = 0.15;
// A click is not speech.
constexpr std::int64_t k_frames_to_start = 3;

double probability_of(double mean_square) {
  const double db = 10 * std::log10(std::max(mean_square, 1e-12));
  return std::clamp((db - k_floor_db) / k_span_db, 0.0, 1.0);
}

// A turn that does not end is cut off at this length.
constexpr std::int64_t k_max_buffer_ms = 10 * 60'000;
// Additional audio retained during silence, beyond the padding.
constexpr std::int64_t k_spare_ms = 200;

bool same_vad(const TurnDetection& one, const TurnDetection& other) {
  return one.server == other.server && one.threshold == other.threshold &&
         one.silence_ms == other.silence_ms && one.prefix_ms == other.prefix_ms;
}

}  // namespace

EnergyVad::EnergyVad(const TurnDetection& turns, int rate)
    : m_turns(turns), m_frame_size(static_cast<std::size_t>(rate * k_frame_ms / 1000)) {}

std::optional<VadEvent> EnergyVad::classify(double loudness) {
  if (!m_speaking) {
    m_loud_frames = loudness >= m_turns.threshold ? m_loud_frames + 1 : 0;
    if (m_loud_frames < k_frames_to_start) return std::nullopt;
    m_speaking = true;
    m_quiet_frames = 0;
    const std::int64_t begin = (m_frames - m_loud_frames) * k_frame_ms;
    return VadEvent{true, std::max<std::int64_t>(0, begin - m_turns.prefix_ms)};
  }
  m_quiet_frames = loudness >= m_turns.threshold - k_hysteresis ? 0 : m_quiet_frames + 1;
  if (m_quiet_frames * k_frame_ms < std::max(m_turns.silence_ms, k_frame_ms)) return std::nullopt;
  m_speaking = false;
  m_loud_frames = 0;
  return VadEvent{false, position_ms()};
}

std::vector<VadEvent> EnergyVad::feed(std::span<const std::int16_t> samples) {
  std::vector<VadEvent> events;
  for (const std::int16_t sample : samples) {
    const double value = sample / 32'768.0;
    m_sum += value * value;
    if (++m_filled < m_frame_size) continue;
    const double mean_square = m_sum / static_cast<double>(m_frame_size);
    m_sum = 0;
    m_filled = 0;
    ++m_frames;
    if (const auto vad_event = classify(probability_of(mean_square))) events.push_back(*vad_event);
  }
  return events;
}

void InputAudio::restart_vad() {
  m_vad_begin_ms = position_ms();
  m_vad = EnergyVad(m_turns, m_format.rate);
}

bool InputAudio::configure(const SessionConfig& config) {
  const bool same_format = m_format == config.input.format;
  const bool same_turns = same_vad(m_turns, config.turns);
  if (!same_format) {
    m_begin_ms = position_ms();
    m_samples.clear();
    m_format = config.input.format;
  }
  m_turns = config.turns;
  if (same_format && same_turns) return false;
  restart_vad();
  return true;
}

std::vector<VadEvent> InputAudio::add(const Samples& samples) {
  m_samples.insert(m_samples.end(), samples.begin(), samples.end());
  if (!m_turns.server) return {};
  auto events = m_vad.feed(samples);
  for (VadEvent& vad_event : events) vad_event.at_ms += m_vad_begin_ms;
  if (events.empty() && !m_vad.is_speaking()) {
    drop_before(position_ms() - m_turns.prefix_ms - k_spare_ms);
  }
  return events;
}

std::size_t InputAudio::index_of(std::int64_t position) const {
  const std::int64_t ms = std::max<std::int64_t>(0, position - m_begin_ms);
  return std::min(static_cast<std::size_t>(ms * m_format.rate / 1000), m_samples.size());
}

void InputAudio::drop_before(std::int64_t position) {
  // Whole seconds only: erasing at the front moves the rest, and positions remain exact.
  const auto rate = static_cast<std::size_t>(m_format.rate);
  const std::size_t seconds = index_of(position) / rate;
  m_samples.erase(m_samples.begin(),
                  m_samples.begin() + static_cast<std::ptrdiff_t>(seconds * rate));
  m_begin_ms += static_cast<std::int64_t>(seconds) * 1000;
}

Samples InputAudio::take(std::int64_t begin_ms, std::int64_t end_ms) {
  const std::size_t begin = index_of(begin_ms);
  const std::size_t end = std::max(begin, index_of(end_ms));
  Samples audio(m_samples.begin() + static_cast<std::ptrdiff_t>(begin),
                m_samples.begin() + static_cast<std::ptrdiff_t>(end));
  drop_before(end_ms);
  return audio;
}

Samples InputAudio::take_all() {
  const std::int64_t end = position_ms();
  m_begin_ms = end;
  return std::exchange(m_samples, {});
}

Samples InputAudio::copy_from(std::int64_t begin_ms) const {
  return {m_samples.begin() + static_cast<std::ptrdiff_t>(index_of(begin_ms)), m_samples.end()};
}

void InputAudio::clear() {
  (void)take_all();
  restart_vad();
}

bool InputAudio::is_full() const {
  return buffered_ms() >= k_max_buffer_ms;
}

}  // namespace svc::emulator::realtime
