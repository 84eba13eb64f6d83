// Standard input in a file, for what must know its length or read it twice.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/result.h"
#include "base/stop.h"

namespace svc::cli {

/// Hands on everything from `fd` to its end, piece by piece; a closed one is empty. `on_silence` is
/// called once, when two seconds went by without a byte. The stop's fault when it asks; the sink's.
[[nodiscard]] Result<void> read_to_end(int fd, const Stop& stop,
                                       const std::function<void()>& on_silence,
                                       const std::function<Result<void>(std::string_view)>& sink);

/// A private temporary file, removed with this.
class Spool {
 public:
  /// Everything from `fd` to its end, at most `max_bytes` (Usage). `on_silence` is called once,
  /// when two seconds went by without a byte. Ends early when `stop` asks. Local when the temporary
  /// folder (TMPDIR) cannot be written.
  [[nodiscard]] static Result<Spool> read(int fd, std::uint64_t max_bytes, const Stop& stop,
                                          const std::function<void()>& on_silence);
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  [[nodiscard]] const FileSource& source() const noexcept { return m_source; }

 private:
  explicit Spool(FileSource source) : m_source(std::move(source)) {}
  FileSource m_source;
};

}  // namespace svc::cli
