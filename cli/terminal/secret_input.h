// A secret typed at a terminal: never shown, and the terminal is left as it was.
#pragma once

#include <functional>
#include <string>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::cli {

/// Turns echo off on the terminal `fd`, calls `prompt`, and reads one line, without its end. Stops
/// and quits from the keyboard are off meanwhile, as they would leave the terminal mute; Ctrl-C
/// works through `stop`. Usage when the input ends before a line, Local when `fd` is not a
/// terminal, Interrupted or Terminated when `stop` asks.
[[nodiscard]] Result<std::string> read_secret(int fd, const std::function<Result<void>()>& prompt,
                                              const CancelToken& cancel);

}  // namespace svc::cli
