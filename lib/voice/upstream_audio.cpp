#include "voice/upstream_audio.h"

#include <algorithm>

namespace svc::voice {
namespace {

// How far back the service may still place the start of a turn after the audio was sent.
constexpr std::uint64_t k_lookback_seconds = 2;  // seconds

}  // namespace

void UpstreamAudio::begin_turn() {
  // A turn not committed yet continues.
  if (m_turn == Turn::Ended) {
    m_turn = Turn::Open;
    return;
  }
  m_turn = Turn::Open;
  m_from = m_replay.end();
}

bool UpstreamAudio::end_turn() {
  if (m_turn != Turn::Open) return false;
  m_to = m_replay.end();
  m_turn = m_to > std::max(m_from, m_replay.begin()) ? Turn::Ended : Turn::None;
  return m_turn == Turn::Ended;
}

bool UpstreamAudio::take_commit() {
  if (m_turn != Turn::Ended || m_sent < m_to) return false;
  m_turn = Turn::Committed;
  return true;
}

void UpstreamAudio::committed() {
  if (m_turn != Turn::Committed) return;
  m_turn = Turn::None;
  m_released = std::max(m_released, m_to);
}

/// The byte position for a time reported by the service, on a frame boundary.
std::uint64_t UpstreamAudio::byte_position(std::int64_t at_ms, std::uint64_t least) const {
  if (at_ms < 0) return least;
  const std::uint64_t frames = static_cast<std::uint64_t>(at_ms) * m_rate / 1000;
  return std::clamp(m_base + frames * m_frame, least, std::max(least, m_sent));
}

void UpstreamAudio::speech_started(std::int64_t at_ms) {
  if (m_turn != Turn::None) return;
  m_turn = Turn::SpeechDetected;
  m_from = byte_position(at_ms, m_released);
}

void UpstreamAudio::speech_stopped(std::int64_t at_ms) {
  if (m_turn != Turn::SpeechDetected) return;
  m_turn = Turn::None;
  m_released = byte_position(at_ms, std::max(m_released, m_from));
}

void UpstreamAudio::skip_dropped() {
  if (m_replay.begin() <= m_sent) return;
  const std::uint64_t gap = m_replay.begin() - m_sent;
  m_dropped += gap;
  m_base += gap;
  m_sent += gap;
}

std::string_view UpstreamAudio::next(std::size_t most) {
  skip_dropped();
  const std::uint64_t end = m_turn == Turn::Ended ? m_to : m_replay.end();
  if (end <= m_sent) return {};
  return m_replay.read(m_sent,
                       static_cast<std::size_t>(std::min<std::uint64_t>(most, end - m_sent)));
}

void UpstreamAudio::sent(std::size_t bytes) {
  m_sent += bytes;
  release();
}

/// Releases audio that is no longer needed.
void UpstreamAudio::release() {
  if (m_turn == Turn::None) {
    const std::uint64_t retained = k_lookback_seconds * m_rate * m_frame;
    m_released = std::max(m_released, m_sent > retained ? m_sent - retained : 0);
  } else {
    m_released = std::max(m_released, std::min(m_from, m_sent));
  }
  m_replay.release(m_released);
}

std::size_t UpstreamAudio::unsent() const noexcept {
  return static_cast<std::size_t>(m_replay.end() -
                                  std::min(std::max(m_sent, m_replay.begin()), m_replay.end()));
}

void UpstreamAudio::lost() {
  m_sent = std::min(m_sent, m_turn == Turn::None ? m_released : m_from);
  if (m_turn == Turn::Committed) m_turn = Turn::Ended;
  if (m_turn == Turn::SpeechDetected) m_turn = Turn::None;
  m_base = m_sent;
}

std::uint64_t UpstreamAudio::take_dropped_ms() {
  const std::uint64_t frames = m_dropped / m_frame;
  m_dropped = 0;
  return frames * 1000 / m_rate;
}

void ReplayBuffer::append(std::string_view bytes) {
  m_bytes.append(bytes);
  const std::size_t retained = m_bytes.size() - m_released;
  if (retained > m_max_bytes) drop(retained - m_max_bytes);
}

void ReplayBuffer::release(std::uint64_t position) {
  if (position > m_begin) drop(static_cast<std::size_t>(std::min(position, end()) - m_begin));
}

void ReplayBuffer::drop(std::size_t count) {
  m_released += count;
  m_begin += count;
  if (m_released < m_bytes.size() / 2) return;
  m_bytes.erase(0, m_released);
  m_released = 0;
}

std::string_view ReplayBuffer::read(std::uint64_t position, std::size_t count) const {
  if (position < m_begin || position >= end()) return {};
  const auto at = static_cast<std::size_t>(position - m_begin) + m_released;
  return std::string_view(m_bytes).substr(at, count);
}

}  // namespace svc::voice
