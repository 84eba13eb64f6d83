// Identifies the terminal a program runs on.
#pragma once

#include <string>

namespace svc::history {

/// A unique name for the controlling terminal of this process: its device, its session leader and
/// the leader's start time, so that a reused number is not taken for the same terminal. Empty
/// without a terminal, or if it cannot be determined.
[[nodiscard]] std::string tty_id();

}  // namespace svc::history
