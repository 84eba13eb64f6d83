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
/// How long until queued requests may have been sent.
constexpr milliseconds k_queue_wait{10};
constexpr int k_max_doublings = 5;
constexpr milliseconds k_window{60'000};
/// Responses arrive out of order by no more than this.
constexpr std::chrono::seconds k_max_reordering{1};
/// Larger numbers are timestamps in Unix seconds.
constexpr double k_min_moment = 1e9;
constexpr double k_max_moment = 4e9;

std::optional<std::int64_t> count_in(const http::HttpHead& head, const std::string& name) {
  const auto value = head.header("x-ratelimit-" + name);
  const auto count = value ? parse_integer(trim(*value)) : std::nullopt;
  return count ? std::optional(std::max<std::int64_t>(*count, 0)) : std::nullopt;
}

/// Parses "250ms" or "6m0s".
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

/// Parses "1s", "6m0s", "250ms", seconds as a number, or a timestamp (Unix seconds or RFC 3339),
/// which is relative to the service's clock.
std::optional<milliseconds> reset_in(const http::HttpHead& head, const std::string& name) {
  const auto value = head.header("x-ratelimit-reset-" + name);
  if (!value) return std::nullopt;
  const std::string text(trim(*value));
  const auto server_time = parse_http_date(head.header("date").value_or(""));
  const auto until = [&](std::int64_t moment) -> std::optional<milliseconds> {
    if (!server_time) return std::nullopt;
    return std::chrono::seconds(std::max<std::int64_t>(0, moment - *server_time));
  };
  if (const auto seconds = parse_number(text)) {
    if (*seconds < 0) return std::nullopt;
    if (*seconds >= k_min_moment) {
      return until(static_cast<std::int64_t>(std::min(*seconds, k_max_moment)));
    }
    return milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  }
  if (const auto moment = parse_rfc3339(text)) return until(*moment);
  return text.empty() ? std::nullopt : parse_span(text);
}

}  // namespace

/// The window as reported in a head.
struct RateLimiter::Window {
  explicit Window(const http::HttpHead& head, std::size_t in_flight) {
    left = count_in(head, "remaining-requests");
    limit = count_in(head, "limit-requests");
    if (left == 0) reset = reset_in(head, "requests");
    const auto tokens = count_in(head, "remaining-tokens");
    const auto token_limit = count_in(head, "limit-tokens");
    // A limit of 0 means no limit.
    if (!tokens || token_limit == 0) return;
    std::optional<std::int64_t> calls;
    if (*tokens == 0) calls = 0;
    if (*tokens > 0 && left && limit && token_limit && *token_limit > *tokens) {
      // Assumes that the next request uses as many tokens as the answered ones did on average.
      const auto answered =
          std::max<std::int64_t>(1, *limit - *left - static_cast<std::int64_t>(in_flight));
      const std::int64_t each = (*token_limit - *tokens - 1) / answered + 1;
      calls = std::max<std::int64_t>(1, *tokens / each);
    }
    if (!calls) return;
    if (*calls == 0) reset = std::max(reset, reset_in(head, "tokens"));
    left = left ? std::min(*left, *calls) : *calls;
  }

  std::optional<std::int64_t> left{};
  std::optional<std::int64_t> limit{};  ///< of requests
  std::optional<milliseconds> reset{};  ///< of the exhausted limit
};

void RateLimiter::sent() noexcept {
  if (m_left == 0) m_probed_at = m_closed_until;
  if (m_left && *m_left > 0) --*m_left;
}

void RateLimiter::answered(const http::HttpHead& head, std::size_t in_flight, Time now) {
  Window window(head, in_flight);
  if (!window.left) return;
  const auto out = static_cast<std::int64_t>(in_flight);
  const bool exhausted = *window.left == 0;  // according to this response, not one that overtook it
  // A late response reports less usage than there is; after a pause no response is late.
  const bool paused = m_closed_until >= m_last_at && now >= m_closed_until;
  if (!paused && now - m_last_at < k_max_reordering) window.left = std::min(*window.left, m_last);
  // Responses arrive out of order, but only as many as are in flight.
  const bool refilled = *window.left > m_last + out + 1;
  if (!m_window_begin || refilled || now - *m_window_begin >= k_window) m_window_begin = now;
  if (*window.left != m_last) m_last_at = now;
  m_last = *window.left;
  // Requests in flight may or may not be included in the count; assumes that they are not.
  m_left = std::max<std::int64_t>(0, *window.left - out);
  if (!exhausted) {
    m_probes = 0;
    return;
  }
  if (now < m_closed_until) return;  // another response of the same window
  block_until(opens(window, now));
}

/// When an exhausted window reopens.
RateLimiter::Time RateLimiter::opens(const Window& window, Time now) {
  if (window.reset) return *window.reset <= m_longest ? now + *window.reset : now;
  if (window.limit && m_longest >= k_window) return *m_window_begin + k_window;
  return now + k_first_probe * (1 << std::min(m_probes++, k_max_doublings));
}

std::optional<RateLimiter::Time> RateLimiter::next(std::size_t in_flight) const noexcept {
  // The reopening time is known: one request then probes it, however long the others take.
  const bool opens = m_closed_until > m_last_at && m_probed_at != m_closed_until;
  if (m_left == 0 && in_flight > 0 && !opens) return std::nullopt;
  return m_closed_until;
}

Pacer::Pacer(const Pace& pace) {
  // A request may take longer to arrive than the next one, so that the periods are a little longer.
  constexpr milliseconds k_second{1'050};
  constexpr milliseconds k_minute{61'000};
  const auto add = [this](std::int64_t limit, milliseconds length, bool of_tokens) {
    if (limit > 0) m_periods.push_back({limit, length, of_tokens});
  };
  add(pace.requests_per_second, k_second, false);
  add(pace.requests_per_minute, k_minute, false);
  add(pace.tokens_per_minute, k_minute, true);
}

std::int64_t Pacer::weight(const Period& period, const Sent& sent) const {
  if (!period.of_tokens) return 1;
  return sent.tokens + (sent.is_open ? usual_answer() : 0);
}

/// Forgets what was sent before each period that ends now.
void Pacer::drop_old(Time now) {
  std::size_t least = m_sent.size();
  for (Period& period : m_periods) {
    for (; period.first < m_sent.size(); ++period.first) {
      const Sent& old = m_sent[period.first];
      if (old.at + period.length > now) break;
      period.sum -= period.of_tokens ? old.tokens : 1;
      period.open -= old.is_open ? 1 : 0;
    }
    least = std::min(least, period.first);
  }
  m_sent.erase(m_sent.begin(), m_sent.begin() + static_cast<std::ptrdiff_t>(least));
  m_first += least;
  for (Period& period : m_periods) period.first -= least;
}

Pacer::Time Pacer::next(std::int64_t input, Time now) {
  drop_old(now);
  Time at = now;
  for (const Period& period : m_periods) {
    const std::int64_t queued =
        period.of_tokens ? m_queued_tokens + m_queued * usual_answer() : m_queued;
    const std::int64_t answers = period.of_tokens ? period.open * usual_answer() : 0;
    std::int64_t over =
        period.sum + queued + answers + weight(period, {.tokens = input}) - period.limit;
    if (over > 0 && m_queued > 0) at = std::max(at, now + k_queue_wait);
    for (std::size_t i = period.first; over > 0 && i < m_sent.size(); ++i) {
      over -= weight(period, m_sent[i]);
      at = std::max(at, m_sent[i].at + period.length);
    }
  }
  return at;
}

void Pacer::queued(std::int64_t input) noexcept {
  ++m_queued;
  m_queued_tokens += input;
}

std::uint64_t Pacer::sent(std::int64_t input, Time now) {
  --m_queued;
  m_queued_tokens -= input;
  m_sent.push_back({.at = now, .tokens = input});
  for (Period& period : m_periods) {
    period.sum += period.of_tokens ? input : 1;
    ++period.open;
  }
  return m_first + m_sent.size() - 1;
}

void Pacer::answered(std::uint64_t number, std::int64_t input, std::int64_t output) {
  constexpr std::int64_t k_most = 1'000'000'000;  // more is a mistake of the service
  input = std::clamp<std::int64_t>(input, 0, k_most);
  output = std::clamp<std::int64_t>(output, 0, k_most);
  m_output += output;
  ++m_answers;
  if (number < m_first || !m_sent[number - m_first].is_open) return;
  const std::size_t index = number - m_first;
  const std::int64_t more = input + output - m_sent[index].tokens;
  m_sent[index].tokens += more;
  m_sent[index].is_open = false;
  for (Period& period : m_periods) {
    if (index < period.first) continue;
    period.sum += period.of_tokens ? more : 0;
    --period.open;
  }
}

}  // namespace svc
