// The emulator as a child process, for the duration of one command.
#pragma once

#include <memory>
#include <string>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"
#include "client/settings.h"

namespace svc::cli {

/// The path of svc-emulator: next to svc, or else in PATH. Fails with Fault::Local if not found.
[[nodiscard]] Result<std::string> find_emulator();

/// A running svc-emulator, listening on a free loopback port. It exits when this object is
/// destroyed, or when svc dies.
class EmulatorProcess {
 public:
  /// Starts it and waits until it is listening (at most ten seconds). Fails with Fault::Local if it
  /// cannot be started.
  [[nodiscard]] static Result<std::unique_ptr<EmulatorProcess>> start(const CancelToken& cancel);
  EmulatorProcess(const EmulatorProcess&) = delete;
  EmulatorProcess& operator=(const EmulatorProcess&) = delete;
  ~EmulatorProcess();

  [[nodiscard]] const EmulatorAddress& address() const noexcept { return m_address; }

 private:
  EmulatorProcess() = default;

  EmulatorAddress m_address{};
  int m_pid = -1;
  FileDescriptor m_alive{};  ///< its other end reads EOF when svc exits
};

}  // namespace svc::cli
