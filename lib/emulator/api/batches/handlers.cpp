#include "emulator/api/batches/handlers.h"

namespace svc::emulator::batches {

std::optional<std::int64_t> Meter::refuse(const std::string& team_id, std::int64_t now_ms) {
  const std::lock_guard lock(m_mutex);
  auto& times = m_times[team_id];
  while (!times.empty() && times.front() <= now_ms - m_window_ms) times.pop_front();
  if (times.size() >= m_calls) return times.front() + m_window_ms - now_ms;
  times.push_back(now_ms);
  return std::nullopt;
}

}  // namespace svc::emulator::batches
