#include "webhook/replay.h"

namespace svc::webhook {

bool ReplayStore::take(std::string_view id, Clock::time_point now) {
  while (!m_entries.empty() && now - m_entries.front().taken > m_keep) forget_oldest();
  if (m_by_id.contains(id)) return false;
  if (m_entries.size() >= m_most) forget_oldest();
  m_entries.push_back({std::string(id), now});
  m_by_id.emplace(m_entries.back().id, std::prev(m_entries.end()));
  return true;
}

void ReplayStore::drop(std::string_view id) {
  const auto found = m_by_id.find(id);
  if (found == m_by_id.end()) return;
  const auto entry = found->second;
  m_by_id.erase(found);
  m_entries.erase(entry);
}

void ReplayStore::forget_oldest() {
  if (m_entries.empty()) return;
  m_by_id.erase(m_entries.front().id);
  m_entries.pop_front();
}

}  // namespace svc::webhook
