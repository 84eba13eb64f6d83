#include "audio/wait.h"

#include <algorithm>
#include <array>

#include <poll.h>

namespace svc::audio {

Result<void> check_stop(const Stop& stop) {
  if (const auto fault = stop.requested()) return stopped(*fault);
  return {};
}

Result<void> wait_readable(int fd, const Stop& stop, std::optional<Clock::time_point> until) {
  std::array<pollfd, 2> watched = {{{fd, POLLIN, 0}, {stop.wake_fd(), POLLIN, 0}}};
  int timeout = -1;
  if (until) {
    const auto left = std::chrono::ceil<Milliseconds>(*until - Clock::now()).count();
    timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }
  ::poll(watched.data(), watched.size(), timeout);
  return check_stop(stop);
}

}  // namespace svc::audio
