// A timer with a descriptor that can be polled.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <sys/timerfd.h>

#include "audio/format.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::audio {

class DeadlineTimer {
 public:
  /// Fails with Fault::Local if no descriptor is available.
  [[nodiscard]] static Result<DeadlineTimer> create() {
    FileDescriptor fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!fd.is_open()) return system_error("cannot create a timer", errno);
    return DeadlineTimer(std::move(fd));
  }

  /// Makes the descriptor readable from `when` on, until armed again.
  void arm(Clock::time_point when) {
    // Zero would disarm the timer. Like steady_clock, it uses CLOCK_MONOTONIC.
    const auto at = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count());
    itimerspec spec{};
    spec.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
    spec.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
    ::timerfd_settime(m_fd.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  }
  /// Makes the descriptor readable at once.
  void fire() { arm(Clock::time_point(std::chrono::nanoseconds(1))); }

  [[nodiscard]] int fd() const noexcept { return m_fd.get(); }

 private:
  explicit DeadlineTimer(FileDescriptor fd) noexcept : m_fd(std::move(fd)) {}
  FileDescriptor m_fd;
};

}  // namespace svc::audio
