// Several calls at a time, as many as there is room for.
#include <algorithm>

#include "client/concurrent_calls.h"

namespace svc {

Result<void> ApiClient::call_many(std::size_t at_once, const NextCall& next,
                                  const std::function<Result<void>()>& settle) {
  const std::size_t room = std::max<std::size_t>(at_once, 1);
  ConcurrentCalls calls(*this, settle);
  while (true) {
    while (calls.under_way() < room && !m_cancel.requested()) {
      std::optional<CallJob> job = next();
      if (!job) break;
      calls.start(*std::move(job));
    }
    if (calls.under_way() == 0) break;
    calls.run(m_cancel, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
    if (m_tick) m_tick();
  }
  Result<void> settled = settle ? settle() : Result<void>();
  if (const auto fault = m_cancel.requested()) return cancelled(*fault);
  return settled;
}

}  // namespace svc
