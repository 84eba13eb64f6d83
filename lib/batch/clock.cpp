#include "batch/clock.h"

namespace svc::batch {

milliseconds RateLimit::wait(milliseconds now) const {
  if (m_times.size() < m_count) return milliseconds(0);
  const milliseconds free = m_times.front() + m_window;
  return free > now ? free - now : milliseconds(0);
}

void RateLimit::note(milliseconds now) {
  m_times.push_back(now);
  if (m_times.size() > m_count) m_times.pop_front();
}

Result<void> Clock::wait_for(RateLimit& limit) const {
  const milliseconds time = limit.wait(now());
  if (time.count() > 0) SVC_CHECK(sleep(time));
  limit.note(now());
  return {};
}

}  // namespace svc::batch
