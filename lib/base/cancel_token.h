// Cancellation: one side asks for an end, the other side polls for it or waits on a descriptor.
#pragma once

#include <atomic>
#include <optional>

#include "base/event.h"
#include "base/result.h"

namespace svc {

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

}  // namespace svc
