// Reads lines or CSV records from a file one at a time, using little memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::batch {

/// Fills `buffer` and returns the number of bytes read; 0 at the end.
using ReadSome = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;

/// Reads `fd`, which remains owned by the caller, from `offset` on. `name` is used in errors.
[[nodiscard]] ReadSome read_descriptor(int fd, std::string name, std::uint64_t offset = 0);

/// What ends a line: a newline, or a newline outside double quotes.
enum class SplitMode : std::uint8_t { Lines, Records };

/// A line without its end (LF or CRLF). `text` is valid until the next call.
struct Line {
  std::uint64_t number = 0;  ///< from 1; for a record, the number of its first line
  std::uint64_t offset = 0;  ///< of its first byte in the file
  std::string_view text{};
  bool too_long = false;  ///< `text` is only the start of the line
};

class LineReader {
 public:
  /// Lines longer than `max_line` bytes are skipped by the next call without being stored. Starts
  /// at line `number`, which begins at `offset`.
  LineReader(ReadSome read, std::uint64_t max_line, SplitMode split_mode = SplitMode::Lines,
             std::uint64_t offset = 0, std::uint64_t number = 1);

  /// Reads the next line; false at the end. A byte order mark at the start is not part of the first
  /// line. The last line need not end with a newline.
  [[nodiscard]] Result<bool> next(Line& line);

  /// Stops reading at `offset`. A line that crosses it is not returned.
  void stop_at(std::uint64_t offset) noexcept { m_stop = offset; }
  /// Whether reading stopped because of stop_at() and not at the end of the file.
  [[nodiscard]] bool stopped() const noexcept { return m_stopped; }

  /// The first bytes of the file, at most four. Valid after the first call of next().
  [[nodiscard]] std::string_view head() const noexcept { return m_head; }

 private:
  [[nodiscard]] Result<bool> fill();
  [[nodiscard]] std::size_t find_end(std::size_t from);
  [[nodiscard]] Result<void> skip_rest();
  void fill_line(Line& line, std::size_t end, bool ended);

  ReadSome m_read;
  std::uint64_t m_max_line;
  SplitMode m_split_mode;
  std::string m_buffer{};
  std::string m_head{};
  std::size_t m_begin = 0;     // start of the unread data in the buffer
  std::uint64_t m_offset = 0;  // position of m_begin in the file
  std::uint64_t m_number = 1;  // number of the line at m_begin
  bool m_started = false;
  bool m_at_end = false;
  bool m_quoted = false;    // inside double quotes, at the position scanned last
  bool m_skipping = false;  // the rest of the line at m_begin is to be skipped
  bool m_stopped = false;
  std::uint64_t m_stop = UINT64_MAX;
};

}  // namespace svc::batch
