// A flag that threads can wait for with poll(2).
#pragma once

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file_descriptor.h"

namespace svc {

/// A descriptor that becomes readable by signal(), and stays so.
class Event {
 public:
  Event() : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void signal() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_fd.get(), &one, sizeof one);
  }
  [[nodiscard]] int descriptor() const noexcept { return m_fd.get(); }

 private:
  FileDescriptor m_fd;
};

}  // namespace svc
