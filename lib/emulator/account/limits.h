// Rate limits of a key per second and minute, and their headers.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "emulator/handler/handler.h"
#include "emulator/state/state.h"

namespace svc::emulator {

/// The rest of a key's current minute.
struct Quota {
  std::int64_t limit_requests = 0;
  std::int64_t remaining_requests = 0;
  std::int64_t limit_tokens = 0;
  std::int64_t remaining_tokens = 0;
  bool refused = false;            ///< the call exceeds a limit of the key itself
  std::int64_t retry_after_s = 0;  ///< if refused
};

/// Counts calls and tokens per key in fixed windows. Only limits set on a key are enforced; for
/// other keys, generous ones are shown. Keys with limits are counted in the state, because a new
/// emulator may run for each command. Thread-safe.
class RateLimiter {
 public:
  /// `state` must outlive the meter.
  explicit RateLimiter(State& state) : m_state(state) {}

  /// Counts one call, unless it is refused.
  [[nodiscard]] Quota count_call(const KeyRecord& key, std::int64_t now_ms);

  /// Resets the counts in memory.
  void clear();

  /// Adds tokens to the key's minute; returns the remaining quota.
  Quota add_tokens(const KeyRecord& key, std::int64_t tokens, std::int64_t now_ms);

 private:
  struct Window {
    std::int64_t second = 0, minute = 0;  ///< the second and minute of the counts
    std::int64_t calls_in_second = 0, calls_in_minute = 0, tokens_in_minute = 0;
  };

  /// Runs `work` on the key's current window, and stores the result.
  template <typename Work>
  void with_window(const KeyRecord& key, std::int64_t now_ms, const Work& work);
  static void advance(Window& window, std::int64_t now_ms);

  State& m_state;
  std::mutex m_mutex{};
  std::map<std::string, Window> m_windows{};  ///< by key ID; only existing keys get here
};

/// Which metric headers an operation's responses have.
struct MetricHeaders {
  bool request_id = false;
  bool requests = false;  ///< also x-zero-data-retention
  bool tokens = false;
  bool timings = false;
};

/// By method and route path, such as "/v1/models/{model_id}".
[[nodiscard]] MetricHeaders metric_headers(std::string_view method, std::string_view route_path);

}  // namespace svc::emulator
