// Cancellation: one side asks for an end, the other side polls for it or waits on a descriptor.
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

// A flag that threads can wait for with poll(2).

/// A descriptor that becomes readable by signal(), and stays so until clear().
class Event {
 public:
  Event() : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void signal() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_fd.get(), &one, sizeof one);
  }
  /// The thread that was woken takes it back, before it looks at what has changed.
  void clear() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(m_fd.get(), &count, sizeof count);
  }
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

/// Whether somebody asked for an end. Long operations take one and return cancelled() when it is
/// requested.
class CancelToken {
 public:
  CancelToken() = default;
  CancelToken(const CancelToken&) = delete;
  CancelToken& operator=(const CancelToken&) = delete;
  virtual ~CancelToken() = default;

  /// Interrupted, Terminated or another fault of a signal once an end was requested; nothing
  /// before.
  [[nodiscard]] virtual std::optional<Fault> requested() const noexcept = 0;

  /// A descriptor that is readable from the moment of the request on, or -1.
  [[nodiscard]] virtual int wake_fd() const noexcept = 0;
};

/// Is never cancelled.
class NeverCancelled final : public CancelToken {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override { return std::nullopt; }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
};

/// A token that the program itself cancels, for work in a thread of its own.
class CancelSource final : public CancelToken {
 public:
  /// From any thread; further calls change nothing.
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

/// The error of a cancelled operation.
[[nodiscard]] inline Error cancelled(Fault fault) {
  switch (fault) {
    case Fault::HungUp:
      return Error{fault, "the terminal hung up"};
    case Fault::Quit:
      return Error{fault, "quit"};
    case Fault::Terminated:
      return Error{fault, "terminated"};
    default:
      return Error{fault, "interrupted"};
  }
}

// Several tokens as one.

/// Is cancelled once one of those that it is linked to is. They must outlive its use.
class LinkedToken : public CancelToken {
 public:
  LinkedToken(std::initializer_list<const CancelToken*> to = {}) { link(to); }

  /// To these from now on, instead of those before. Not while it is in use.
  void link(std::initializer_list<const CancelToken*> to) {
    m_links = to;
    m_wake.reset(::epoll_create1(EPOLL_CLOEXEC));
    m_blind = false;
    for (const CancelToken* token : m_links) {
      epoll_event event{};
      event.events = EPOLLIN;
      if (token->wake_fd() >= 0) {
        ::epoll_ctl(m_wake.get(), EPOLL_CTL_ADD, token->wake_fd(), &event);
      } else if (dynamic_cast<const NeverCancelled*>(token) == nullptr) {
        m_blind = true;
      }
    }
  }

  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    for (const CancelToken* token : m_links) {
      if (const auto fault = token->requested()) return fault;
    }
    return std::nullopt;
  }
  /// -1 when one of them has no descriptor.
  [[nodiscard]] int wake_fd() const noexcept override { return m_blind ? -1 : m_wake.get(); }

 private:
  std::vector<const CancelToken*> m_links{};
  FileDescriptor m_wake{};
  bool m_blind = false;
};

/// Is cancelled once its time is over.
class TimeLimit final : public CancelToken {
 public:
  explicit TimeLimit(std::chrono::milliseconds time)
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
