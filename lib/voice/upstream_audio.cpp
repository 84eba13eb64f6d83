#include "voice/upstream_audio.h"

#include <algorithm>

namespace svc::voice {
namespace {

// How far back the service may still place the start of a turn after the audio was sent.
constexpr std::uint64_t k_second_thoughts = 2;  // seconds

}  // namespace

void UpstreamAudio::begin_turn() {
  // A turn not committed yet continues.
  if (m_turn == Turn::Ended) {
    m_turn = Turn::Open;
    return;
  }
  m_turn = Turn::Open;
  m_from = m_keep.end();
}

bool UpstreamAudio::end_turn() {
  if (m_turn != Turn::Open) return false;
  m_to = m_keep.end();
  m_turn = m_to > std::max(m_from, m_keep.begin()) ? Turn::Ended : Turn::None;
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
  m_settled = std::max(m_settled, m_to);
}

/// The byte position for a time reported by the service, on a frame boundary.
std::uint64_t UpstreamAudio::place(std::int64_t at_ms, std::uint64_t least) const {
  if (at_ms < 0) return least;
  const std::uint64_t frames = static_cast<std::uint64_t>(at_ms) * m_rate / 1000;
  return std::clamp(m_base + frames * m_frame, least, std::max(least, m_sent));
}

void UpstreamAudio::speech_started(std::int64_t at_ms) {
  if (m_turn != Turn::None) return;
  m_turn = Turn::Heard;
  m_from = place(at_ms, m_settled);
}

void UpstreamAudio::speech_stopped(std::int64_t at_ms) {
  if (m_turn != Turn::Heard) return;
  m_turn = Turn::None;
  m_settled = place(at_ms, std::max(m_settled, m_from));
}

void UpstreamAudio::skip_dropped() {
  if (m_keep.begin() <= m_sent) return;
  const std::uint64_t gap = m_keep.begin() - m_sent;
  m_dropped += gap;
  m_base += gap;
  m_sent += gap;
}

std::string_view UpstreamAudio::next(std::size_t most) {
  skip_dropped();
  const std::uint64_t end = m_turn == Turn::Ended ? m_to : m_keep.end();
  if (end <= m_sent) return {};
  return m_keep.read(m_sent, static_cast<std::size_t>(std::min<std::uint64_t>(most, end - m_sent)));
}

void UpstreamAudio::sent(std::size_t bytes) {
  m_sent += bytes;
  settle();
}

/// Releases audio that is no longer needed.
void UpstreamAudio::settle() {
  if (m_turn == Turn::None) {
    const std::uint64_t kept = k_second_thoughts * m_rate * m_frame;
    m_settled = std::max(m_settled, m_sent > kept ? m_sent - kept : 0);
  } else {
    m_settled = std::max(m_settled, std::min(m_from, m_sent));
  }
  m_keep.settle(m_settled);
}

std::size_t UpstreamAudio::unsent() const noexcept {
  return static_cast<std::size_t>(m_keep.end() -
                                  std::min(std::max(m_sent, m_keep.begin()), m_keep.end()));
}

void UpstreamAudio::lost() {
  m_sent = std::min(m_sent, m_turn == Turn::None ? m_settled : m_from);
  if (m_turn == Turn::Committed) m_turn = Turn::Ended;
  if (m_turn == Turn::Heard) m_turn = Turn::None;
  m_base = m_sent;
}

std::uint64_t UpstreamAudio::take_dropped_ms() {
  const std::uint64_t frames = m_dropped / m_frame;
  m_dropped = 0;
  return frames * 1000 / m_rate;
}

void ReplayBuffer::append(std::string_view bytes) {
  m_bytes.append(bytes);
  const std::size_t kept = m_bytes.size() - m_settled;
  if (kept > m_most) forget(kept - m_most);
}

void ReplayBuffer::settle(std::uint64_t position) {
  if (position > m_begin) forget(static_cast<std::size_t>(std::min(position, end()) - m_begin));
}

void ReplayBuffer::forget(std::size_t count) {
  m_settled += count;
  m_begin += count;
  if (m_settled < m_bytes.size() / 2) return;
  m_bytes.erase(0, m_settled);
  m_settled = 0;
}

std::string_view ReplayBuffer::read(std::uint64_t position, std::size_t count) const {
  if (position < m_begin || position >= end()) return {};
  const auto at = static_cast<std::size_t>(position - m_begin) + m_settled;
  return std::string_view(m_bytes).substr(at, count);
}

}  // namespace svc::voice
