// Pays in advance for the seconds of a session, with the price that the profile gives.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "base/result.h"
#include "client/model_facts.h"
#include "session/session.h"

namespace svc::cli {

class PaidTime {
 public:
  using milliseconds = std::chrono::milliseconds;

  /// `price`: of a second. Without one, nothing is reserved or recorded.
  PaidTime(Session& session, Price price);
  PaidTime(const PaidTime&) = delete;
  PaidTime& operator=(const PaidTime&) = delete;
  /// Records the cost of the seconds that have begun.
  ~PaidTime();

  [[nodiscard]] bool has_price() const noexcept { return m_price > 0; }

  /// Call often, with the time used since the beginning: reserves the next seconds when those
  /// reserved are nearly over. Limited if they are over and no more fit.
  [[nodiscard]] Result<void> pay(milliseconds used);
  /// At which time pay() has something to do next.
  [[nodiscard]] milliseconds due() const noexcept;

 private:
  struct Stretch {
    std::uint64_t reserved = 0;
    std::int64_t ticks = 0;
    milliseconds end{};
  };
  [[nodiscard]] Result<bool> reserve(std::chrono::seconds length);

  Session& m_session;
  std::int64_t m_price = 0;
  std::deque<Stretch> m_stretches{};
  milliseconds m_used{};
  milliseconds m_paid{};
};

}  // namespace svc::cli
