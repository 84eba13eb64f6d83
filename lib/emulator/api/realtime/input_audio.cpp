#include "emulator/api/realtime/input_audio.h"

#include <algorithm>

namespace svc::emulator::realtime {
namespace {

// A turn that nobody ends is cut off there.
constexpr std::int64_t k_longest_buffer_ms = 10 * 60'000;
// While nobody speaks, so much more than the padding is kept.
constexpr std::int64_t k_spare_ms = 200;

std::size_t samples_in(std::int64_t ms, int rate) {
  return ms <= 0 ? 0 : static_cast<std::size_t>(ms * rate / 1000);
}

bool same_vad(const TurnDetection& one, const TurnDetection& other) {
  return one.server == other.server && one.threshold == other.threshold &&
         one.silence_ms == other.silence_ms && one.prefix_ms == other.prefix_ms;
}

}  // namespace

void InputAudio::restart_vad() {
  m_vad_begin_ms = position_ms();
  m_vad = EnergyVad({m_turns.threshold, m_turns.silence_ms, m_turns.prefix_ms}, m_format.rate);
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

std::vector<VadMark> InputAudio::add(const Samples& samples) {
  m_samples.insert(m_samples.end(), samples.begin(), samples.end());
  if (!m_turns.server) return {};
  auto marks = m_vad.feed(samples);
  for (VadMark& mark : marks) mark.at_ms += m_vad_begin_ms;
  if (marks.empty() && !m_vad.is_speaking()) {
    drop_before(position_ms() - m_turns.prefix_ms - k_spare_ms);
  }
  return marks;
}

void InputAudio::drop_before(std::int64_t position) {
  const std::size_t count =
      std::min(samples_in(position - m_begin_ms, m_format.rate), m_samples.size());
  // Whole seconds only: erasing at the front moves all the rest, and positions stay exact.
  const std::size_t seconds = count / static_cast<std::size_t>(m_format.rate);
  const std::size_t dropped = seconds * static_cast<std::size_t>(m_format.rate);
  m_samples.erase(m_samples.begin(), m_samples.begin() + static_cast<std::ptrdiff_t>(dropped));
  m_begin_ms += static_cast<std::int64_t>(seconds) * 1000;
}

Samples InputAudio::take(std::int64_t begin_ms, std::int64_t end_ms) {
  const std::size_t begin =
      std::min(samples_in(begin_ms - m_begin_ms, m_format.rate), m_samples.size());
  const std::size_t end =
      std::clamp(samples_in(end_ms - m_begin_ms, m_format.rate), begin, m_samples.size());
  Samples taken(m_samples.begin() + static_cast<std::ptrdiff_t>(begin),
                m_samples.begin() + static_cast<std::ptrdiff_t>(end));
  drop_before(end_ms);
  return taken;
}

Samples InputAudio::take_all() {
  const std::int64_t end = position_ms();
  Samples taken;
  taken.swap(m_samples);
  m_begin_ms = end;
  return taken;
}

Samples InputAudio::copy_from(std::int64_t begin_ms) const {
  const std::size_t begin =
      std::min(samples_in(begin_ms - m_begin_ms, m_format.rate), m_samples.size());
  return {m_samples.begin() + static_cast<std::ptrdiff_t>(begin), m_samples.end()};
}

void InputAudio::clear() {
  (void)take_all();
  restart_vad();
}

bool InputAudio::is_full() const {
  return buffered_ms() >= k_longest_buffer_ms;
}

}  // namespace svc::emulator::realtime
