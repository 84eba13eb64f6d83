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

/// How long to wait for input.
struct InputWait {
  std::function<void()> on_silence{};  ///< called once, after two seconds without input
  std::optional<std::chrono::milliseconds>
      limit{};  ///< maximum time to the end of the input; then Timeout
};

/// Passes everything from `fd` to its end to the sink, chunk by chunk; a closed descriptor is
/// empty. Returns the token's fault if canceled, or the sink's error.
[[nodiscard]] Result<void> read_to_end(int fd, const CancelToken& cancel, const InputWait& wait,
                                       const std::function<Result<void>(std::string_view)>& sink);

/// A private temporary file, deleted together with this object.
class StdinBuffer {
 public:
  /// Reads `fd` to its end, at most `max_bytes` (otherwise Usage). Stops early if `cancel` is
  /// requested. Returns Local if the temporary directory (TMPDIR) is not writable.
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

/// A line of input, read byte by byte so that what follows it remains for another reader. A secret
/// is never echoed, and the terminal's modes are restored.
struct InputLine {
  std::string text{};  ///< without its end
  LineEnd end = LineEnd::Newline;
};

/// Reads from `fd` up to a newline, the end of the input (a closed descriptor counts as ended), or
/// more than `most` bytes. Returns the token's fault if canceled, and Local if reading fails.
[[nodiscard]] Result<InputLine> read_line(int fd, const CancelToken& cancel,
                                          std::size_t most = 64U << 10U);

/// Turns echo off on the terminal `fd`, calls `prompt`, and reads one line, without its end.
/// Suspending and quitting from the keyboard are disabled meanwhile, because they would leave the
/// terminal without echo; Ctrl-C works through `cancel`. Returns Usage if the input ends before a
/// line, Local if `fd` is not a terminal, Interrupted or Terminated if `cancel` is requested.
[[nodiscard]] Result<std::string> read_secret(int fd, const std::function<Result<void>()>& prompt,
                                              const CancelToken& cancel);

}  // namespace svc::cli
