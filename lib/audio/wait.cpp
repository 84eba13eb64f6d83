#include "audio/wait.h"

#include <algorithm>
#include <array>

#include <poll.h>

namespace svc::audio {

Result<void> check_stop(const CancelToken& cancel) {
  if (const auto fault = cancel.requested()) return cancelled(*fault);
  return {};
}

Result<void> wait_readable(int fd, const CancelToken& cancel,
                           std::optional<Clock::time_point> until) {
  std::array<pollfd, 2> watched = {{{fd, POLLIN, 0}, {cancel.wake_fd(), POLLIN, 0}}};
  int timeout = -1;
  if (until) {
    const auto left = std::chrono::ceil<Milliseconds>(*until - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }
  ::poll(watched.data(), watched.size(), timeout);
  return check_stop(cancel);
}

}  // namespace svc::audio
