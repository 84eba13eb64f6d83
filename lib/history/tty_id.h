// Which terminal a program runs on.
#pragma once

#include <string>

namespace svc::history {

/// A name for the controlling terminal of this process that no other terminal has or will have: its
/// device, the leader of its session, and when that began, so that a number that was given away
/// again is not taken for the same. Empty where there is not a terminal, or where it cannot be
/// told. `proc`: where the kernel tells about processes.
[[nodiscard]] std::string tty_id(const std::string& proc = "/proc");

}  // namespace svc::history
