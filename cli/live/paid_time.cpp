#include "live/paid_time.h"

#include <algorithm>

#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using std::chrono::seconds;

/// What is reserved at a time; a second if that does not fit.
constexpr seconds k_stretch{10};
/// How long before the end of what is paid the next seconds are reserved.
constexpr seconds k_ahead{1};

}  // namespace

PaidTime::PaidTime(Session& session, Price price)
    : m_session(session), m_price(session.models().own_price(price).value_or(0)) {}

PaidTime::~PaidTime() {
  for (const Stretch& one : m_stretches) {
    const auto unused = std::chrono::floor<seconds>(std::max(one.end - m_used, milliseconds(0)));
    const std::int64_t ticks = one.ticks - unused.count() * m_price;
    m_session.cost_tracker().settle_known(one.reserved, std::max<std::int64_t>(ticks, 0));
  }
}

/// False if it has to wait for other requests.
Result<bool> PaidTime::reserve(seconds length) {
  const std::int64_t ticks = length.count() * m_price;
  SVC_TRY(reserved,
          m_session.cost_tracker().reserve_known(ticks, m_session.invocation().operation->group));
  if (!reserved) return false;
  m_paid += length;
  m_stretches.push_back({reserved->number, ticks, m_paid});
  return true;
}

Result<void> PaidTime::pay(milliseconds used) {
  if (m_price == 0) return {};
  m_used = used;
  while (!m_stretches.empty() && m_stretches.front().end <= used) {
    m_session.cost_tracker().settle_known(m_stretches.front().reserved, m_stretches.front().ticks);
    m_stretches.pop_front();
  }
  Error refusal{Fault::Limited, "what is left of the limit is reserved for other requests",
                "Try again when they are answered."};
  while (used >= m_paid - k_ahead) {
    bool granted = false;
    for (const seconds length : {k_stretch, seconds(1)}) {
      auto reserved = reserve(length);
      if (!reserved && reserved.error().fault != Fault::Limited) return std::move(reserved).error();
      if (!reserved) refusal = std::move(reserved).error();
      granted = reserved && *reserved;
      if (granted) break;
    }
    if (!granted) return used < m_paid ? Result<void>() : refusal;
  }
  return {};
}

PaidTime::milliseconds PaidTime::due() const noexcept {
  return m_used < m_paid - k_ahead ? m_paid - k_ahead : m_paid;
}

}  // namespace svc::cli
