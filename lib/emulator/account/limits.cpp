#include "emulator/account/limits.h"

#include <algorithm>

#include "database/rows.h"

namespace svc::emulator {
namespace {

// Shown for keys without their own limits; not enforced.
constexpr std::int64_t k_shown_requests = 10'000;
constexpr std::int64_t k_shown_tokens = 10'000'000;

struct MetricRow {
  std::string_view method;
  std::string_view path;
  MetricHeaders headers;
};

// The legacy text operations are assumed to be like chat.
constexpr MetricHeaders k_text_metrics{true, true, true, true};
constexpr MetricRow k_metric_rows[] = {
    {"POST", "/v1/chat/completions", k_text_metrics},
    {"POST", "/v1/responses", k_text_metrics},
    {"GET", "/v1/responses/{response_id}", {true, false, false, false}},
    {"DELETE", "/v1/responses/{response_id}", {true, false, false, false}},
    {"GET", "/v1/responses/{response_id}/input_items", {true, false, false, false}},
    {"POST", "/v1/responses/compact", k_text_metrics},
    {"POST", "/v1/completions", k_text_metrics},
    {"POST", "/v1/messages", k_text_metrics},
    {"POST", "/v1/complete", k_text_metrics},
    {"POST", "/v1/tokenize-text", {true, true, false, false}},
    {"POST", "/v1/images/generations", {true, true, false, true}},
    {"POST", "/v1/images/edits", {true, true, false, true}},
    {"POST", "/v1/videos/generations", {true, true, false, false}},
    {"POST", "/v1/videos/edits", {true, true, false, false}},
    {"POST", "/v1/videos/extensions", {true, true, false, false}},
    {"GET", "/v1/models/{model_id}", {true, false, false, false}},
    {"GET", "/v1/language-models/{model_id}", {true, false, false, false}},
    {"GET", "/v1/image-generation-models/{model_id}", {true, false, false, false}},
    {"GET", "/v1/video-generation-models/{model_id}", {true, false, false, false}},
};

Quota quota_of(const KeyRecord& key, std::int64_t calls, std::int64_t tokens) {
  Quota quota;
  quota.limit_requests = key.qpm.value_or(k_shown_requests);
  quota.limit_tokens = key.tpm.value_or(k_shown_tokens);
  quota.remaining_requests = std::max<std::int64_t>(0, quota.limit_requests - calls);
  quota.remaining_tokens = std::max<std::int64_t>(0, quota.limit_tokens - tokens);
  return quota;
}

}  // namespace

void RateLimiter::advance(Window& window, std::int64_t now_ms) {
  const std::int64_t second = now_ms / 1000;
  const std::int64_t minute = second / 60;
  if (window.second != second) {
    window.second = second;
    window.calls_in_second = 0;
  }
  if (window.minute != minute) {
    window.minute = minute;
    window.calls_in_minute = 0;
    window.tokens_in_minute = 0;
  }
}

template <typename Work>
void RateLimiter::with_window(const KeyRecord& key, std::int64_t now_ms, const Work& work) {
  const std::lock_guard lock(m_mutex);
  Window& window = m_windows[key.id];
  const bool limited = key.qps || key.qpm || key.tpm;
  const auto in_state = [&](Database& database) -> Result<void> {
    const auto read = [](const Statement& row) {
      return Window{row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
    };
    SVC_TRY(found, first_row(database, read,
                             "SELECT second, minute, calls_in_second, calls_in_minute,"
                             " tokens_in_minute FROM key_windows WHERE key_id = ?",
                             key.id));
    if (found) window = *found;
    advance(window, now_ms);
    work(window);
    return run_sql(database, "INSERT OR REPLACE INTO key_windows VALUES (?,?,?,?,?,?)", key.id,
                   window.second, window.minute, window.calls_in_second, window.calls_in_minute,
                   window.tokens_in_minute);
  };
  if (limited && m_state.change(in_state)) return;
  // If the state is not writable, count in memory.
  advance(window, now_ms);
  work(window);
}

Quota RateLimiter::count_call(const KeyRecord& key, std::int64_t now_ms) {
  Quota quota;
  with_window(key, now_ms, [&](Window& window) {
    const bool second_full = key.qps && window.calls_in_second >= *key.qps;
    const bool minute_full = key.qpm && window.calls_in_minute >= *key.qpm;
    // Strictly exceeded: the call that exceeds the token limit is still served.
    const bool tokens_over = key.tpm && window.tokens_in_minute > *key.tpm;
    const bool refused = second_full || minute_full || tokens_over;
    if (!refused) {
      ++window.calls_in_second;
      ++window.calls_in_minute;
    }
    quota = quota_of(key, window.calls_in_minute, window.tokens_in_minute);
    quota.refused = refused;
    if (refused) quota.retry_after_s = minute_full || tokens_over ? 60 - (now_ms / 1000) % 60 : 1;
  });
  return quota;
}

void RateLimiter::clear() {
  const std::lock_guard lock(m_mutex);
  m_windows.clear();
}

Quota RateLimiter::add_tokens(const KeyRecord& key, std::int64_t tokens, std::int64_t now_ms) {
  Quota quota;
  with_window(key, now_ms, [&](Window& window) {
    window.tokens_in_minute += tokens;
    quota = quota_of(key, window.calls_in_minute, window.tokens_in_minute);
  });
  return quota;
}

MetricHeaders metric_headers(std::string_view method, std::string_view route_path) {
  for (const MetricRow& row : k_metric_rows) {
    if (row.method == method && row.path == route_path) return row.headers;
  }
  return {};
}

}  // namespace svc::emulator
