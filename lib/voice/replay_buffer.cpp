#include "voice/replay_buffer.h"

#include <algorithm>

namespace svc::voice {

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
