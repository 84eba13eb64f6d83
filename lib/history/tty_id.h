// Identifies the terminal a program runs on.
#pragma once

#include <string>

namespace svc::history {

/// A unique name for the controlling terminal of this process: its device, its session leader and
/// the leader's start time, so that a reused number is not taken for the same terminal. Empty
/// without a terminal, or if it cannot be determined. `proc` is the path of the proc file system.
[[nodiscard]] std::string tty_id(const std::string& proc = "/proc");

}  // namespace svc::history
