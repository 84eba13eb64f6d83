// A line of input, read one byte at a time: what stands behind it is for somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace svc::cli
