// A request to end, as a signal makes it: polled by loops, waited on by poll(2).
#pragma once

#include <optional>

#include "base/result.h"

namespace svc {

class Stop {
 public:
  Stop() = default;
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;
  virtual ~Stop() = default;

  /// Interrupted or Terminated once somebody asked; nothing before.
  [[nodiscard]] virtual std::optional<Fault> requested() const noexcept = 0;

  /// A descriptor that is readable from the moment of the request on, or -1.
  [[nodiscard]] virtual int wake_fd() const noexcept = 0;
};

/// Never asks.
class NoStop final : public Stop {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override { return std::nullopt; }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
};

/// The error of what was asked to end.
[[nodiscard]] inline Error stopped(Fault fault) {
  return Error{fault, fault == Fault::Terminated ? "terminated" : "interrupted"};
}

}  // namespace svc
