// A timer with a descriptor that can be polled.
#pragma once

#include "audio/format.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::audio {

class PaceTimer {
 public:
  /// Fails with Fault::Local if no descriptor is available.
  [[nodiscard]] static Result<PaceTimer> create();

  /// Makes the descriptor readable from `when` on, until armed again.
  void arm(Clock::time_point when);
  /// Makes the descriptor readable at once.
  void fire() { arm(Clock::time_point(std::chrono::nanoseconds(1))); }

  [[nodiscard]] int fd() const noexcept { return m_fd.get(); }

 private:
  explicit PaceTimer(FileDescriptor fd) noexcept : m_fd(std::move(fd)) {}
  FileDescriptor m_fd;
};

}  // namespace svc::audio
