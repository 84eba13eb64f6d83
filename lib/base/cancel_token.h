// Cancellation: one side requests it, the other side polls a token or waits on a descriptor.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

/// A flag that threads can wait for with poll(2): its descriptor is readable from signal() until
/// clear().
class Event {
 public:
  Event() : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void signal() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_fd.get(), &one, sizeof one);
  }
  /// Resets the event. A woken thread calls this before it checks what has changed.
  void clear() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(m_fd.get(), &count, sizeof count);
  }
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

/// Reports whether cancellation was requested. Long operations take a token and return canceled()
/// once it is.
class CancelToken {
 public:
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;
  virtual ~CancelToken() = default;

  /// The signal's fault (Interrupted, Terminated, ...) once cancellation was requested; otherwise
  /// empty.
  [[nodiscard]] virtual std::optional<Fault> requested() const noexcept = 0;

  /// A descriptor that becomes readable when cancellation is requested, or -1.
  [[nodiscard]] virtual int wake_fd() const noexcept = 0;
};

/// A token that is never canceled.
class NeverCanceled final : public CancelToken {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override { return std::nullopt; }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
};

/// A token canceled by the program itself, for work in a separate thread.
class CancelSource final : public CancelToken {
 public:
  /// Thread-safe; repeated calls have no effect.
  void cancel() noexcept {
    m_requested = true;
    m_event.signal();
  }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return m_requested ? std::optional(Fault::Interrupted) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_event.descriptor(); }

 private:
  std::atomic<bool> m_requested = false;
  Event m_event{};
};

/// The error of a canceled operation.
[[nodiscard]] inline Error canceled(Fault fault) {
  switch (fault) {
    case Fault::HungUp:
      return Error{fault, "the terminal disconnected"};
    case Fault::Quit:
      return Error{fault, "quit"};
    case Fault::Terminated:
      return Error{fault, "terminated"};
    default:
      return Error{fault, "interrupted"};
  }
}

/// A token that is canceled once any linked token is. The linked tokens must outlive it.
class LinkedToken : public CancelToken {
 public:
  LinkedToken(std::initializer_list<const CancelToken*> to = {}) { link(to); }

  /// Replaces the linked tokens. Must not be called while the token is in use.
  void link(std::initializer_list<const CancelToken*> to) {
    m_links = to;
    m_epoll.reset(::epoll_create1(EPOLL_CLOEXEC));
    m_must_poll = false;
    for (const CancelToken* token : m_links) {
      epoll_event event{};
      event.events = EPOLLIN;
      if (token->wake_fd() >= 0) {
        ::epoll_ctl(m_epoll.get(), EPOLL_CTL_ADD, token->wake_fd(), &event);
      } else if (dynamic_cast<const NeverCanceled*>(token) == nullptr) {
        m_must_poll = true;
      }
    }
  }

  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    for (const CancelToken* token : m_links) {
      if (const auto fault = token->requested()) return fault;
    }
    return std::nullopt;
  }
  /// -1 when a linked token has no descriptor.
  [[nodiscard]] int wake_fd() const noexcept override { return m_must_poll ? -1 : m_epoll.get(); }

 private:
  std::vector<const CancelToken*> m_links{};
  FileDescriptor m_epoll{};
  bool m_must_poll = false;
};

/// A token that is canceled after a given time.
class TimeoutToken final : public CancelToken {
 public:
  explicit TimeoutToken(std::chrono::milliseconds time)
      : m_end(std::chrono::steady_clock::now() + time),
        m_timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    itimerspec once{};
    once.it_value.tv_sec = time.count() / 1000;
    once.it_value.tv_nsec = time.count() % 1000 * 1'000'000;
    ::timerfd_settime(m_timer.get(), 0, &once, nullptr);
  }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    const bool over = std::chrono::steady_clock::now() >= m_end;
    return over ? std::optional(Fault::Interrupted) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_timer.get(); }

 private:
  std::chrono::steady_clock::time_point m_end;
  FileDescriptor m_timer;
};

}  // namespace svc
