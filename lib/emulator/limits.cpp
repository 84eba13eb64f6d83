#include "emulator/limits.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::emulator {
namespace {

// Shown to keys without limits of their own; not enforced.
constexpr std::int64_t k_shown_requests = 10'000;
constexpr std::int64_t k_shown_tokens = 10'000'000;

struct MetricRow {
  std::string_view method;
  std::string_view path;
  MetricHeaders headers;
};

// api 4 §1.4. The legacy text operations are taken to be like chat.
constexpr MetricHeaders k_text{true, true, true, true};
constexpr MetricRow k_metric_rows[] = {
    {"POST", "/v1/chat/completions", k_text},
    {"POST", "/v1/responses", k_text},
    {"POST", "/v1/responses/compact", k_text},
    {"POST", "/v1/completions", k_text},
    {"POST", "/v1/messages", k_text},
    {"POST", "/v1/complete", k_text},
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

RateMeter::Window& RateMeter::window_of(const KeyRecord& key, std::int64_t now_ms) {
  Window& window = m_windows[key.id];
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
  return window;
}

Quota RateMeter::count_call(const KeyRecord& key, std::int64_t now_ms) {
  const std::lock_guard lock(m_mutex);
  Window& window = window_of(key, now_ms);
  const bool second_full = key.qps && window.calls_in_second >= *key.qps;
  const bool minute_full = key.qpm && window.calls_in_minute >= *key.qpm;
  // Strictly exceeded: the call that goes over the token limit is still served (api 3 §2.1).
  const bool tokens_over = key.tpm && window.tokens_in_minute > *key.tpm;
  if (second_full || minute_full || tokens_over) {
    Quota quota = quota_of(key, window.calls_in_minute, window.tokens_in_minute);
    quota.refused = true;
    quota.retry_after_s = minute_full || tokens_over ? 60 - (now_ms / 1000) % 60 : 1;
    return quota;
  }
  ++window.calls_in_second;
  ++window.calls_in_minute;
  return quota_of(key, window.calls_in_minute, window.tokens_in_minute);
}

Quota RateMeter::add_tokens(const KeyRecord& key, std::int64_t tokens, std::int64_t now_ms) {
  const std::lock_guard lock(m_mutex);
  Window& window = window_of(key, now_ms);
  window.tokens_in_minute += tokens;
  return quota_of(key, window.calls_in_minute, window.tokens_in_minute);
}

Answer refuse_limit(const Quota& quota) {
  Answer answer = refuse(
      429, "Some resource has been exhausted",
      fmt::format("Rate limit of this API key reached. Try again in {} s.", quota.retry_after_s));
  answer.headers.push_back({"Retry-After", std::to_string(quota.retry_after_s)});
  return answer;
}

MetricHeaders metric_headers(std::string_view method, std::string_view route_path) {
  for (const MetricRow& row : k_metric_rows) {
    if (row.method == method && row.path == route_path) return row.headers;
  }
  return {};
}

}  // namespace svc::emulator
