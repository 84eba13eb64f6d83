// Standard input in a file, for what must know its length or read it twice.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::cli {

/// Hands on everything from `fd` to its end, piece by piece; a closed one is empty. `on_silence` is
/// called once, when two seconds went by without a byte. The stop's fault when it asks; the sink's.
[[nodiscard]] Result<void> read_to_end(int fd, const CancelToken& cancel,
                                       const std::function<void()>& on_silence,
                                       const std::function<Result<void>(std::string_view)>& sink);

/// A private temporary file, removed with this.
class StdinBuffer {
 public:
  /// Everything from `fd` to its end, at most `max_bytes` (Usage). `on_silence` is called once,
  /// when two seconds went by without a byte. Ends early when `stop` asks. Local when the temporary
  /// folder (TMPDIR) cannot be written.
  [[nodiscard]] static Result<StdinBuffer> read(int fd, std::uint64_t max_bytes,
                                                const CancelToken& cancel,
                                                const std::function<void()>& on_silence);
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
