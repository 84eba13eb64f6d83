// A Stop that the program itself gives, for what a thread of its own does.
#pragma once

#include <atomic>
#include <optional>

#include "base/file_descriptor.h"
#include "base/stop.h"

namespace svc {

class ManualStop final : public Stop {
 public:
  ManualStop();

  /// From any thread; once is enough.
  void ask() noexcept;
  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override { return m_wake.get(); }

 private:
  std::atomic<bool> m_asked = false;
  FileDescriptor m_wake;
};

}  // namespace svc
