// Standard input in a file, for what must know its length or read it twice.
#pragma once

#include <chrono>
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

}  // namespace svc::cli
