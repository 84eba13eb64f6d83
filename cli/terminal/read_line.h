// A line of input, read one byte at a time: what stands behind it is for somebody else. A secret is
// never shown, and the terminal is left as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc::cli {

enum class LineEnd : std::uint8_t { Newline, Input, TooLong };

struct InputLine {
  std::string text{};  ///< without its end
  LineEnd end = LineEnd::Newline;
};

/// Reads from `fd` up to a newline, the end of the input (a closed descriptor is at its end), or
/// more than `most` bytes. The stop's fault when it asks; Local when the input cannot be read.
[[nodiscard]] Result<InputLine> read_line(int fd, const CancelToken& cancel,
                                          std::size_t most = 64U << 10U);

/// Turns echo off on the terminal `fd`, calls `prompt`, and reads one line, without its end. Stops
/// and quits from the keyboard are off meanwhile, as they would leave the terminal mute; Ctrl-C
/// works through `cancel`. Usage when the input ends before a line, Local when `fd` is not a
/// terminal, Interrupted or Terminated when `cancel` asks.
[[nodiscard]] Result<std::string> read_secret(int fd, const std::function<Result<void>()>& prompt,
                                              const CancelToken& cancel);

}  // namespace svc::cli
