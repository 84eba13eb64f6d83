#include "audio/pace_timer.h"

#include <algorithm>
#include <cerrno>

#include <sys/timerfd.h>

namespace svc::audio {

Result<PaceTimer> PaceTimer::create() {
  FileDescriptor fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!fd.is_open()) return system_error("cannot create a timer", errno);
  return PaceTimer(std::move(fd));
}

void PaceTimer::arm(Clock::time_point when) {
  // Zero would disarm the timer. Like steady_clock, it uses CLOCK_MONOTONIC.
  const auto at = std::max<std::int64_t>(
      1, std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count());
  itimerspec spec{};
  spec.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
  spec.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
  ::timerfd_settime(m_fd.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

}  // namespace svc::audio
