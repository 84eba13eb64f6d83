// Standard input: in a file, for what must know its length or read it twice; and a line of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::cli {

/// How long an input is waited for.
struct InputWait {
  std::function<void()> on_silence{};  ///< called once, after two seconds without a byte
  std::optional<std::chrono::milliseconds> limit{};  ///< to its end; then Timeout
};

/// Hands on everything from `fd` to its end, piece by piece; a closed one is empty. The token's
/// fault when it is cancelled; the sink's.
[[nodiscard]] Result<void> read_to_end(int fd, const CancelToken& cancel, const InputWait& wait,
                                       const std::function<Result<void>(std::string_view)>& sink);

/// A private temporary file, removed with this.
class StdinBuffer {
 public:
  /// Everything from `fd` to its end, at most `max_bytes` (Usage). Ends early when `cancel` asks
  /// for it. Local when the temporary folder (TMPDIR) cannot be written.
  [[nodiscard]] static Result<StdinBuffer> read(int fd, std::uint64_t max_bytes,
                                                const CancelToken& cancel, const InputWait& wait);
  StdinBuffer(StdinBuffer&& other) noexcept;
  StdinBuffer& operator=(StdinBuffer&&) = delete;
  StdinBuffer(const StdinBuffer&) = delete;
  StdinBuffer& operator=(const StdinBuffer&) = delete;
  ~StdinBuffer();

  [[nodiscard]] const FileSource& source() const noexcept { return m_source; }

 private:
  explicit StdinBuffer(FileSource source) : m_source(std::move(source)) {}
  FileSource m_source;
};

enum class LineEnd : std::uint8_t { Newline, Input, TooLong };

/// A line of input, read one byte at a time: what stands behind it is for somebody else. A secret
/// is never shown, and the terminal is left as it was.
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
