// Several tokens as one.
#pragma once

#include <chrono>
#include <initializer_list>
#include <vector>

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"

namespace svc {

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
