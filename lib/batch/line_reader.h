// A file of lines or of CSV records, one at a time, in little memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::batch {

/// Fills `buffer` and gives how many bytes came; 0 at the end.
using ReadSome = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;

/// Reads `fd`, which stays the caller's, from `offset` on. `name` stands in errors.
[[nodiscard]] ReadSome read_descriptor(int fd, std::string name, std::uint64_t offset = 0);

/// Where a line ends: at a newline, or at one outside of double quotes.
enum class Cut : std::uint8_t { Lines, Records };

/// A line without its end (LF or CRLF). `text` lives until the next call.
struct Line {
  std::uint64_t number = 0;  ///< from 1; a record has the number of its first line
  std::uint64_t offset = 0;  ///< of its first byte in the file
  std::string_view text{};
  bool too_long = false;  ///< then `text` is only its beginning
};

class LineReader {
 public:
  /// Lines of more than `max_line` bytes are passed over without being held, when the next one is
  /// asked for.
  LineReader(ReadSome read, std::uint64_t max_line, Cut cut = Cut::Lines);
  /// From line `number` on, which begins at `offset` and is not the first.
  LineReader(ReadSome read, std::uint64_t max_line, Cut cut, std::uint64_t offset,
             std::uint64_t number);

  /// The next line; false at the end. A byte order mark at the beginning is not part of the first
  /// line, a missing newline at the end is none missing.
  [[nodiscard]] Result<bool> next(Line& line);

  /// Nothing is read from `offset` on, and the line that goes on there is not given.
  void stop_at(std::uint64_t offset) noexcept { m_stop = offset; }
  /// Whether the end was that of stop_at() and not the file's.
  [[nodiscard]] bool stopped() const noexcept { return m_stopped; }

  /// The first bytes of the file, at most four, once next() was called.
  [[nodiscard]] std::string_view head() const noexcept { return m_head; }

 private:
  [[nodiscard]] Result<bool> fill();
  [[nodiscard]] std::size_t find_end(std::size_t from);
  [[nodiscard]] Result<void> skip_rest();
  void give(Line& line, std::size_t end, bool ended);

  ReadSome m_read;
  std::uint64_t m_max_line;
  Cut m_cut;
  std::string m_buffer{};
  std::string m_head{};
  std::size_t m_begin = 0;     // of what was not given yet, in the buffer
  std::uint64_t m_offset = 0;  // of m_begin in the file
  std::uint64_t m_number = 1;  // of the line at m_begin
  bool m_started = false;
  bool m_at_end = false;
  bool m_quoted = false;  // inside double quotes, at the place up to which was searched
  bool m_skips = false;   // the rest of the line at m_begin is to be passed over
  bool m_stopped = false;
  std::uint64_t m_stop = UINT64_MAX;
};

}  // namespace svc::batch
