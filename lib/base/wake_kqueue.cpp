// macOS: each descriptor is a queue of kernel events with one kind of event.
#include <algorithm>
#include <cstdint>

#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>
#include <sys/types.h>

#include "base/wake.h"

namespace svc {
namespace {

FileDescriptor open_queue() noexcept {
  FileDescriptor queue(::kqueue());
  if (queue.is_open()) (void)::fcntl(queue.get(), F_SETFD, FD_CLOEXEC);
  return queue;
}

using Change = struct kevent;

Change change_of(int identifier, int filter, unsigned flags) noexcept {
  Change change{};
  change.ident = static_cast<decltype(change.ident)>(identifier);
  change.filter = static_cast<decltype(change.filter)>(filter);
  change.flags = static_cast<decltype(change.flags)>(flags);
  return change;
}

bool apply(const FileDescriptor& queue, const Change& change) noexcept {
  return ::kevent(queue.get(), &change, 1, nullptr, 0, nullptr) == 0;
}

}  // namespace

Event::Event() : m_fd(open_queue()) {
  (void)apply(m_fd, change_of(0, EVFILT_USER, EV_ADD | EV_CLEAR));
}

void Event::signal() noexcept {
  Change change = change_of(0, EVFILT_USER, 0);
  change.fflags = NOTE_TRIGGER;
  (void)apply(m_fd, change);
}

void Event::clear() noexcept {
  Change pending{};
  const timespec at_once{};
  (void)::kevent(m_fd.get(), nullptr, 0, &pending, 1, &at_once);
}

Timer::Timer() : m_fd(open_queue()) {}

void Timer::arm(std::chrono::steady_clock::time_point when) noexcept {
  using std::chrono::nanoseconds;
  // It may have fired, which arming it again does not undo.
  (void)apply(m_fd, change_of(0, EVFILT_TIMER, EV_DELETE));
  // Zero is not a time for every system.
  const auto left = std::max(
      nanoseconds(1), std::chrono::ceil<nanoseconds>(when - std::chrono::steady_clock::now()));
  Change change = change_of(0, EVFILT_TIMER, EV_ADD | EV_ONESHOT);
  // Like steady_clock, it goes on while the machine sleeps.
  change.fflags = NOTE_NSECONDS | NOTE_MACH_CONTINUOUS_TIME | NOTE_CRITICAL;
  change.data = static_cast<decltype(change.data)>(left.count());
  (void)apply(m_fd, change);
}

DescriptorSet::DescriptorSet() : m_fd(open_queue()) {}

bool DescriptorSet::add(int fd) noexcept {
  return apply(m_fd, change_of(fd, EVFILT_READ, EV_ADD));
}

}  // namespace svc
