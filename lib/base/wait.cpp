#include "base/wait.h"

#include <algorithm>
#include <cerrno>
#include <vector>

namespace svc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds k_longest{60'000};
/// Polling interval for a token without a descriptor.
constexpr milliseconds k_unwakeable_poll_interval{50};

}  // namespace

Result<bool> wait(std::span<pollfd> fds, Deadline until, const CancelToken& cancel) {
  std::vector<pollfd> all(fds.begin(), fds.end());
  all.push_back({cancel.wake_fd(), POLLIN, 0});
  const bool never = dynamic_cast<const NeverCanceled*>(&cancel) != nullptr;
  const milliseconds most = never || cancel.wake_fd() >= 0 ? k_longest : k_unwakeable_poll_interval;
  while (true) {
    if (const auto fault = cancel.requested()) return canceled(*fault);
    const milliseconds left =
        until ? std::chrono::ceil<milliseconds>(*until - Clock::now()) : k_longest;
    const auto slice = std::clamp(left, milliseconds(0), most);
    const int ready =
        ::poll(all.data(), static_cast<nfds_t>(all.size()), static_cast<int>(slice.count()));
    if (ready < 0 && errno != EINTR && errno != EAGAIN) {
      return system_error("the system cannot wait", errno);
    }
    if (ready > 0) {
      std::copy(all.begin(), all.end() - 1, fds.begin());
      const auto is_ready = [](const pollfd& one) { return one.revents != 0; };
      if (std::any_of(fds.begin(), fds.end(), is_ready)) return true;
    }
    if (until && Clock::now() >= *until) return false;
  }
}

Result<bool> wait_readable(int fd, Deadline until, const CancelToken& cancel) {
  pollfd one{fd, POLLIN, 0};
  return wait({&one, 1}, until, cancel);
}

Result<bool> wait_writable(int fd, Deadline until, const CancelToken& cancel) {
  pollfd one{fd, POLLOUT, 0};
  return wait({&one, 1}, until, cancel);
}

}  // namespace svc
