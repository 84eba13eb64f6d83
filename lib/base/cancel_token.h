// Cancellation: one side requests it, the other side polls a token or waits on a descriptor.
#pragma once

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/wake.h"

namespace svc {

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
    if (!m_links.empty()) m_any = DescriptorSet();  // else it is still as it was made
    m_links = to;
    m_must_poll = false;
    for (const CancelToken* token : m_links) {
      if (dynamic_cast<const NeverCanceled*>(token) != nullptr) continue;
      m_must_poll |= token->wake_fd() < 0 || !m_any.add(token->wake_fd());
    }
  }

  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    for (const CancelToken* token : m_links) {
      if (const auto fault = token->requested()) return fault;
    }
    return std::nullopt;
  }
  /// -1 when a linked token has no descriptor.
  [[nodiscard]] int wake_fd() const noexcept override {
    return m_must_poll ? -1 : m_any.descriptor();
  }

 private:
  std::vector<const CancelToken*> m_links{};
  DescriptorSet m_any{};
  bool m_must_poll = false;
};

/// A token that is canceled after a given time.
class TimeoutToken final : public CancelToken {
 public:
  explicit TimeoutToken(std::chrono::milliseconds time)
      : m_end(std::chrono::steady_clock::now() + time) {
    m_timer.arm(m_end);
  }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    const bool over = std::chrono::steady_clock::now() >= m_end;
    return over ? std::optional(Fault::Interrupted) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_timer.descriptor(); }

 private:
  std::chrono::steady_clock::time_point m_end;
  Timer m_timer{};
};

}  // namespace svc
