// Asks a password manager, or any other command, for a key.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// Runs `command` through /bin/sh with no input and gives the first line of its output. Its
/// standard error is that of this program, and it gets the terminal when it reads from it, so that
/// it can ask for a passphrase. `name` is the subject of errors ("key_command of profile work").
/// Auth when it ends badly, prints nothing or takes longer than `limit`; Local when it cannot
/// start; the error never holds its output. Interrupted or Terminated when `stop` asks, or Ctrl-C
/// ended it. Ended before its time, by the limit or by `stop`, it takes with it everything that it
/// started and that is still in its process group; after its own end an agent runs on.
[[nodiscard]] Result<std::string> run_key_command(
    std::string_view name, const std::string& command, const CancelToken& cancel,
    std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace svc
