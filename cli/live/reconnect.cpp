#include "live/reconnect.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/visible.h"
#include "base/wait.h"
#include "client/api_client.h"
#include "client/api_error.h"

namespace svc::cli {

using std::chrono::milliseconds;

bool may_come_back(const websocket::Close& close) {
  if (close.code == websocket::k_abnormal_closure) return true;
  // RFC 6455 §7.4.1 and its registry: internal error, restart, try again later.
  return !close.ours && (close.code == 1011 || close.code == 1012 || close.code == 1013);
}

bool closed_in_order(const websocket::Close& close) {
  constexpr std::uint16_t k_going_away = 1001;
  return close.code == websocket::k_normal_closure || close.code == k_going_away ||
         close.code == websocket::k_no_status;
}

Error end_of(const websocket::Close& close, std::string_view what, std::string_view said) {
  Error error = websocket::close_error(close);
  if (said.empty()) return error;
  if (closed_in_order(close)) error.fault = Fault::Service;
  error.message = fmt::format("the service ended {}: {}", what, shown(said, 300));
  return error;
}

Result<std::unique_ptr<websocket::Channel>> channel_of(websocket::Opening opening,
                                                       std::span<const std::string> secrets) {
  if (opening.channel == nullptr) return api_error(opening.head, opening.refusal, secrets);
  return std::move(opening.channel);
}

bool may_pass(const Error& refusal) {
  return refusal.http_status == 429 || refusal.http_status >= 500;
}

void say_goodbye(websocket::Channel& channel, std::uint16_t code) {
  using Clock = websocket::Channel::Clock;
  channel.close(code);
  const NeverCancelled nobody;
  const auto until = Clock::now() + milliseconds(code == websocket::k_normal_closure ? 500 : 50);
  while (Clock::now() < until) {
    const auto got = channel.receive(nobody, until);
    if (!got || got->what == websocket::Arrival::Closed) break;
  }
}

milliseconds retry_pause(int attempts) {
  return std::min(milliseconds(500) * (1 << std::clamp(attempts, 0, 10)), milliseconds(8'000));
}

Result<websocket::Received> wait_readable(
    const CancelToken& cancel, std::optional<websocket::Channel::Clock::time_point> until,
    std::span<const int> others) {
  std::vector<pollfd> waits;
  for (const int fd : others) waits.push_back({fd, POLLIN, 0});
  auto end = websocket::Channel::Clock::now() + milliseconds(1'000);
  if (until) end = std::min(end, *until);
  SVC_TRY(ready, wait(waits, end, cancel));
  return websocket::Received{.what =
                                 ready ? websocket::Arrival::Ready : websocket::Arrival::Nothing};
}

}  // namespace svc::cli
