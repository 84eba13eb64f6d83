// Gets a key from a password manager or any other command.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// Runs `command` through /bin/sh without input and returns the first line of its output. Its
/// standard error is inherited, and it gets the terminal when it reads from it, to ask for a
/// passphrase. `name` is the subject of errors ("key_command of profile work"). Auth if it fails,
/// prints nothing or exceeds `limit`; Local if it cannot start; errors never contain its output.
/// Interrupted or Terminated if `cancel` is canceled or Ctrl-C ended the command. When the limit
/// or `cancel` ends it, all processes in its process group are ended too; after a normal exit, an
/// agent it started keeps running.
[[nodiscard]] Result<std::string> run_key_command(
    std::string_view name, const std::string& command, const CancelToken& cancel,
    std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace svc
