// Descriptors that become readable when something happens, to wait for it with poll(2). How they do
// is each system's own: wake_linux.cpp (eventfd, timerfd, epoll) or wake_kqueue.cpp.
#pragma once

#include <cerrno>
#include <chrono>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

/// A flag that threads can wait for: its descriptor is readable from signal() until clear(). It is
/// -1 if the system has none left.
class Event {
 public:
  Event();

  void signal() noexcept;
  /// Resets the event. A woken thread calls this before it checks what has changed.
  void clear() noexcept;
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

/// A point in time that threads can wait for.
class Timer {
 public:
  /// Not armed. Its descriptor is -1 if the system has none left.
  Timer();
  /// Fails with Fault::Local if no descriptor is available.
  [[nodiscard]] static Result<Timer> create() {
    Timer timer;
    if (timer.descriptor() < 0) return system_error("cannot create a timer", errno);
    return timer;
  }

  /// Makes the descriptor readable from `when` on, until armed again.
  void arm(std::chrono::steady_clock::time_point when) noexcept;
  /// Makes the descriptor readable at once.
  void fire() noexcept { arm({}); }
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

/// Descriptors waited for as one, which is readable once any of them is; on macOS even after that.
class DescriptorSet {
 public:
  DescriptorSet();
  /// `fd` must be open, and leaves the set when its last duplicate is closed. Returns whether it is
  /// in the set: the system may refuse sets of sets.
  [[nodiscard]] bool add(int fd) noexcept;
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

}  // namespace svc
