#include "client/rate_limiter.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/text.h"

namespace svc {

using std::chrono::milliseconds;

namespace {

constexpr std::chrono::seconds k_first_probe{1};
constexpr int k_most_doublings = 5;
constexpr milliseconds k_window{60'000};
/// Answers overtake each other by no more.
constexpr std::chrono::seconds k_overtaken{1};
/// Larger numbers are moments, in Unix seconds.
constexpr double k_least_moment = 1e9;
constexpr double k_most_moment = 4e9;

std::optional<std::int64_t> count_in(const http::HttpHead& head, const std::string& name) {
  const auto value = head.header("x-ratelimit-" + name);
  const auto count = value ? parse_integer(trim(*value)) : std::nullopt;
  return count ? std::optional(std::max<std::int64_t>(*count, 0)) : std::nullopt;
}

/// "250ms", "6m0s".
std::optional<milliseconds> parse_span(std::string_view text) {
  milliseconds sum{0};
  while (!text.empty()) {
    const std::size_t unit = text.find_first_not_of("0123456789.");
    const std::size_t next = text.find_first_of("0123456789", std::min(unit, text.size()));
    const auto part = parse_duration(text.substr(0, next), milliseconds(1000));
    if (!part) return std::nullopt;
    sum += *part;
    text.remove_prefix(std::min(next, text.size()));
  }
  return sum;
}

/// "1s", "6m0s", "250ms", seconds as a number, or a moment: in Unix seconds or by RFC 3339. A
/// moment counts from the service's own clock.
std::optional<milliseconds> reset_in(const http::HttpHead& head, const std::string& name) {
  const auto value = head.header("x-ratelimit-reset-" + name);
  if (!value) return std::nullopt;
  const std::string text(trim(*value));
  const auto served = parse_http_date(head.header("date").value_or(""));
  const auto until = [&](std::int64_t moment) -> std::optional<milliseconds> {
    if (!served) return std::nullopt;
    return std::chrono::seconds(std::max<std::int64_t>(0, moment - *served));
  };
  if (const auto seconds = parse_number(text)) {
    if (*seconds < 0) return std::nullopt;
    if (*seconds >= k_least_moment) {
      return until(static_cast<std::int64_t>(std::min(*seconds, k_most_moment)));
    }
    return milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  }
  if (const auto moment = parse_rfc3339(text)) return until(*moment);
  return text.empty() ? std::nullopt : parse_span(text);
}

}  // namespace

/// What a head says of its window.
struct RateLimiter::Window {
  explicit Window(const http::HttpHead& head, std::size_t under_way) {
    left = count_in(head, "remaining-requests");
    limit = count_in(head, "limit-requests");
    if (left == 0) reset = reset_in(head, "requests");
    const auto tokens = count_in(head, "remaining-tokens");
    const auto token_limit = count_in(head, "limit-tokens");
    // A limit of 0 means that there is none.
    if (!tokens || token_limit == 0) return;
    std::optional<std::int64_t> calls;
    if (*tokens == 0) calls = 0;
    if (*tokens > 0 && left && limit && token_limit && *token_limit > *tokens) {
      // What those that are answered took on average is what the next one will take.
      const auto answered =
          std::max<std::int64_t>(1, *limit - *left - static_cast<std::int64_t>(under_way));
      const std::int64_t each = (*token_limit - *tokens - 1) / answered + 1;
      calls = std::max<std::int64_t>(1, *tokens / each);
    }
    if (!calls) return;
    if (*calls == 0) reset = std::max(reset, reset_in(head, "tokens"));
    left = left ? std::min(*left, *calls) : *calls;
  }

  std::optional<std::int64_t> left{};
  std::optional<std::int64_t> limit{};  ///< of requests
  std::optional<milliseconds> reset{};  ///< of what is used up
};

void RateLimiter::sent() noexcept {
  if (m_left == 0) m_tried = m_closed_until;
  if (m_left && *m_left > 0) --*m_left;
}

void RateLimiter::answered(const http::HttpHead& head, std::size_t under_way, Time now) {
  Window window(head, under_way);
  if (!window.left) return;
  const auto out = static_cast<std::int64_t>(under_way);
  const bool used_up = *window.left == 0;  // by this answer, not by one that it overtook
  // One that was overtaken tells of less that was used than is; after a pause there is none.
  const bool paused = m_closed_until >= m_last_at && now >= m_closed_until;
  if (!paused && now - m_last_at < k_overtaken) window.left = std::min(*window.left, m_last);
  // Answers overtake each other, but by no more than are under way.
  const bool refilled = *window.left > m_last + out + 1;
  if (!m_window_begin || refilled || now - *m_window_begin >= k_window) m_window_begin = now;
  if (*window.left != m_last) m_last_at = now;
  m_last = *window.left;
  // Those that are out may be counted already, or not yet: the careful reading.
  m_left = std::max<std::int64_t>(0, *window.left - out);
  if (!used_up) {
    m_probes = 0;
    return;
  }
  if (now < m_closed_until) return;  // another answer of the same window
  hold(opens(window, now));
}

/// When a window with nothing left has something again.
RateLimiter::Time RateLimiter::opens(const Window& window, Time now) {
  if (window.reset) return *window.reset <= m_longest ? now + *window.reset : now;
  if (window.limit && m_longest >= k_window) return *m_window_begin + k_window;
  return now + k_first_probe * (1 << std::min(m_probes++, k_most_doublings));
}

std::optional<RateLimiter::Time> RateLimiter::next(std::size_t under_way) const noexcept {
  // When the window opens again is known: one call then finds out, however long the others take.
  const bool opens = m_closed_until > m_last_at && m_tried != m_closed_until;
  if (m_left == 0 && under_way > 0 && !opens) return std::nullopt;
  return m_closed_until;
}

}  // namespace svc
