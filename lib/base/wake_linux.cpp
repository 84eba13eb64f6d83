#include <algorithm>
#include <cstdint>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include "base/wake.h"

namespace svc {

Event::Event() : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Event::signal() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(m_fd.get(), &one, sizeof one);
}

void Event::clear() noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(m_fd.get(), &count, sizeof count);
}

Timer::Timer() : m_fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

void Timer::arm(std::chrono::steady_clock::time_point when) noexcept {
  // Zero would disarm the timer. Like steady_clock, it uses CLOCK_MONOTONIC.
  const auto at = std::max<std::int64_t>(
      1, std::chrono::duration_cast<std::chrono::nanoseconds>(when.time_since_epoch()).count());
  itimerspec spec{};
  spec.it_value.tv_sec = static_cast<time_t>(at / 1'000'000'000);
  spec.it_value.tv_nsec = static_cast<long>(at % 1'000'000'000);
  ::timerfd_settime(m_fd.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

DescriptorSet::DescriptorSet() : m_fd(::epoll_create1(EPOLL_CLOEXEC)) {}

bool DescriptorSet::add(int fd) noexcept {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(m_fd.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace svc
