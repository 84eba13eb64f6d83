#include "client/rate_limiter.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace svc {
namespace {

constexpr std::chrono::seconds k_first_probe{1};
constexpr int k_most_doublings = 5;

/// The smaller of what is left, of requests and of tokens; tokens count as left while there are
/// any, as nobody knows what the next request takes.
std::optional<std::int64_t> left_in(const http::HttpHead& head) {
  std::optional<std::int64_t> left;
  const auto requests = head.header("x-ratelimit-remaining-requests");
  if (requests) left = parse_integer(trim(*requests));
  const auto tokens = head.header("x-ratelimit-remaining-tokens");
  const auto limit = head.header("x-ratelimit-limit-tokens");
  // A limit of 0 means that there is none.
  if (tokens && (!limit || trim(*limit) != "0") && parse_integer(trim(*tokens)) == 0) left = 0;
  if (left && *left < 0) left = 0;
  return left;
}

}  // namespace

void RateLimiter::sent() noexcept {
  if (m_left && *m_left > 0) --*m_left;
}

void RateLimiter::answered(const http::HttpHead& head, std::size_t under_way, Time now) {
  const auto left = left_in(head);
  if (!left) return;
  // Those that are out may be counted already, or not yet: the careful reading.
  m_left = std::max<std::int64_t>(0, *left - static_cast<std::int64_t>(under_way));
  if (*left > 0) {
    m_probes = 0;
    return;
  }
  if (now < m_closed_until) return;  // another answer of the same window
  hold(now + k_first_probe * (1 << std::min(m_probes, k_most_doublings)));
  ++m_probes;
}

void RateLimiter::hold(Time until) noexcept {
  m_closed_until = std::max(m_closed_until, until);
}

std::optional<RateLimiter::Time> RateLimiter::next(std::size_t under_way) const noexcept {
  if (m_left && *m_left == 0 && under_way > 0) return std::nullopt;
  return m_closed_until;
}

}  // namespace svc
