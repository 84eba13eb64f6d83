// A stop of one's own: for work in another thread that nobody waits for any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/stop.h"

namespace svc::cli {

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

class Cancel final : public Stop {
 public:
  void ask() noexcept {
    m_asked = true;
    m_event.signal();
  }
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return m_asked ? std::optional(Fault::Interrupted) : std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return m_event.descriptor(); }

 private:
  std::atomic<bool> m_asked = false;
  Event m_event{};
};

}  // namespace svc::cli
