// Standard input in a file, for what must know its length or read it twice.
#pragma once

#include <functional>
#include <string>

#include "base/message.h"
#include "base/result.h"
#include "base/stop.h"

namespace svc::cli {

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
