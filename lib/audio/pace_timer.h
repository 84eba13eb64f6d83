// A clock that a poll can wait for.
#pragma once

#include "audio/format.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::audio {

class PaceTimer {
 public:
  /// Local when the system has no descriptor left.
  [[nodiscard]] static Result<PaceTimer> create();

  /// Readable from `when` on, until armed again.
  void arm(Clock::time_point when);
  /// Readable now.
  void fire() { arm(Clock::time_point(std::chrono::nanoseconds(1))); }

  [[nodiscard]] int fd() const noexcept { return m_fd.get(); }

 private:
  explicit PaceTimer(FileDescriptor fd) noexcept : m_fd(std::move(fd)) {}
  FileDescriptor m_fd;
};

}  // namespace svc::audio
