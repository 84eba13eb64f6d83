// The handlers behind batch_routes().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "emulator/api/batches/store.h"
#include "emulator/handler/handler.h"
#include "emulator/json/json.h"

namespace svc::emulator::batches {

/// Counts calls per team in sliding windows. Safe for several threads.
class Meter {
 public:
  Meter(std::size_t calls, std::int64_t window_ms) : m_calls(calls), m_window_ms(window_ms) {}

  /// Counts a call; else the milliseconds until one is allowed.
  [[nodiscard]] std::optional<std::int64_t> refuse(const std::string& team_id, std::int64_t now_ms);

 private:
  std::size_t m_calls;
  std::int64_t m_window_ms;
  std::mutex m_mutex{};
  std::map<std::string, std::deque<std::int64_t>> m_times{};  ///< only teams with a key get here
};

[[nodiscard]] Answer create(const Call& call, Meter& meter);
[[nodiscard]] Answer list(const Call& call);
[[nodiscard]] Answer get(const Call& call);
[[nodiscard]] Answer add(const Call& call, Meter& meter);
[[nodiscard]] Answer requests(const Call& call);
[[nodiscard]] Answer results(const Call& call);
[[nodiscard]] Answer cancel(const Call& call);

}  // namespace svc::emulator::batches
