// Asks a password manager, or any other command, for a key.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stop.h"

namespace svc {

/// Runs `command` through /bin/sh with no input and gives the first line of its output. Its
/// standard error is that of this program, and it stays on the terminal, so that it can ask for a
/// passphrase. `name` is the subject of errors ("key_command of profile work").
/// Auth when it cannot start, ends badly, prints nothing or takes longer than `limit` (it is then
/// killed); the error never holds its output. Interrupted or Terminated when `stop` asks.
[[nodiscard]] Result<std::string> run_key_command(
    std::string_view name, const std::string& command, const Stop& stop,
    std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace svc
