// The emulator as a child process, for the length of one command.
#pragma once

#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/settings.h"

namespace svc::cli {

/// The path of svc-emulator: beside this program, else in PATH. Local with the cause when missing.
[[nodiscard]] Result<std::string> find_emulator();

/// A running svc-emulator that listens on a free port of loopback. It ends with this object, and by
/// itself when this program dies.
class EmulatorProcess {
 public:
  /// Starts it and waits until it listens (at most ten seconds). Local when it cannot be started.
  [[nodiscard]] static Result<EmulatorProcess> start(const CancelToken& cancel);
  EmulatorProcess(EmulatorProcess&& other) noexcept;
  EmulatorProcess& operator=(EmulatorProcess&& other) noexcept;
  EmulatorProcess(const EmulatorProcess&) = delete;
  EmulatorProcess& operator=(const EmulatorProcess&) = delete;
  ~EmulatorProcess();

  [[nodiscard]] const EmulatorAddress& address() const noexcept { return m_address; }

 private:
  EmulatorProcess() = default;
  void end() noexcept;

  EmulatorAddress m_address{};
  int m_pid = -1;
  int m_parent_fd = -1;  ///< its other end sees EOF when this program ends
};

}  // namespace svc::cli
