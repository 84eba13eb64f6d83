#include "voice/local_turns.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace svc::voice {
namespace {

using std::chrono::milliseconds;

constexpr double k_least_level = 0.004;        // -48 dB
constexpr double k_least_noise = 1e-4;         // of a microphone that is not muted
constexpr double k_over_noise = 2.5;           // 8 dB
constexpr double k_noise_rise = 0.15;          // per second, as a power of ten: 3 dB
constexpr milliseconds k_onset{80};            // clicks are shorter
constexpr milliseconds k_short_pause{300};     // ends a sound that is not a turn
constexpr milliseconds k_longest_held{3'000};  // of a voice before the gate closes

}  // namespace

std::string LocalTurns::add(std::string_view bytes, double rms) {
  judge(milliseconds(bytes.size() / m_bytes_per_ms), rms);
  if (!m_closed) {
    m_held += bytes;
    trim_held(m_voice ? k_longest_held : m_rules.before + 2 * k_onset);
    return std::string(bytes);
  }
  m_held += bytes;
  if (m_turn || m_ended) return std::exchange(m_held, {});
  if (!m_voice) trim_held(m_rules.before + 2 * k_onset);
  return {};
}

void LocalTurns::judge(milliseconds length, double rms) {
  const double seconds = std::chrono::duration<double>(length).count();
  // It falls at once, as speech has pauses, and rises slowly.
  m_noise = rms < m_noise ? std::max((m_noise + rms) / 2, k_least_noise)
                          : std::min(rms, m_noise * std::pow(10.0, k_noise_rise * seconds));
  const bool loud = rms > std::max(k_least_level, k_over_noise * m_noise);
  m_quiet = loud ? milliseconds(0) : m_quiet + length;
  if (!m_voice) {
    m_loud = loud ? m_loud + length : m_quiet > k_onset ? milliseconds(0) : m_loud;
    if (m_loud < k_onset) return;
    m_voice = true;
    m_spoken = std::exchange(m_loud, milliseconds(0));
  } else if (loud) {
    m_spoken += length;
  }
  m_turn = m_turn || (m_closed && m_spoken >= m_rules.least);
  if (m_quiet >= (m_turn ? m_rules.silence : std::min(m_rules.silence, k_short_pause))) end();
}

void LocalTurns::end() {
  m_voice = false;
  m_ended = std::exchange(m_turn, false) || m_ended;
}

void LocalTurns::trim_held(milliseconds most) {
  const std::size_t bytes = static_cast<std::size_t>(most.count()) * m_bytes_per_ms;
  if (m_held.size() > bytes) m_held.erase(0, m_held.size() - bytes);
}

std::string LocalTurns::open() {
  m_closed = m_turn = false;
  return m_held;
}

bool LocalTurns::take_end() noexcept {
  return std::exchange(m_ended, false);
}

}  // namespace svc::voice
