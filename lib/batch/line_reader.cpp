#include "batch/line_reader.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace svc::batch {
namespace {

constexpr std::size_t k_chunk = 256UL << 10U;
constexpr std::size_t k_shown_of_too_long = 200;
constexpr std::string_view k_mark = "\xEF\xBB\xBF";

}  // namespace

ReadSome read_descriptor(int fd, std::string name, std::uint64_t offset) {
  return [fd, name = std::move(name), offset](char* buffer,
                                              std::size_t size) mutable -> Result<std::size_t> {
    while (true) {
      const ssize_t count = ::pread(fd, buffer, size, static_cast<off_t>(offset));
      if (count >= 0) {
        offset += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return system_error(name + " cannot be read", errno);
    }
  };
}

LineReader::LineReader(ReadSome read, std::uint64_t max_line, Cut cut, std::uint64_t offset,
                       std::uint64_t number)
    : m_read(std::move(read)),
      m_max_line(max_line),
      m_cut(cut),
      m_offset(offset),
      m_number(number),
      m_started(offset > 0) {}

Result<bool> LineReader::fill() {
  if (m_at_end) return false;
  if (m_begin > 0) {
    m_buffer.erase(0, m_begin);
    m_begin = 0;
  }
  if (m_offset + m_buffer.size() >= m_stop) {
    m_at_end = m_stopped = true;
    return false;
  }
  const std::size_t had = m_buffer.size();
  // Doubling would take up to three times the memory of a long line.
  if (m_buffer.capacity() < had + k_chunk) m_buffer.reserve(had + std::max(k_chunk, had / 4));
  m_buffer.resize(had + k_chunk);
  auto count = m_read(m_buffer.data() + had, k_chunk);
  if (!count) return std::move(count).error();
  m_buffer.resize(had + *count);
  if (*count == 0) m_at_end = true;
  if (m_head.size() < 4) m_head.append(m_buffer, had, 4 - m_head.size());
  return *count > 0;
}

/// Searches from `from` on for the newline that ends the line; returns the size of the buffer if it
/// has not been read yet.
std::size_t LineReader::find_end(std::size_t from) {
  while (from < m_buffer.size()) {
    const std::size_t end = std::min(m_buffer.find('\n', from), m_buffer.size());
    if (m_cut == Cut::Records) {
      const auto begin = m_buffer.begin();
      const auto quotes = std::count(begin + static_cast<std::ptrdiff_t>(from),
                                     begin + static_cast<std::ptrdiff_t>(end), '"');
      if (quotes % 2 != 0) m_quoted = !m_quoted;
    }
    if (end == m_buffer.size() || !m_quoted) return end;
    from = end + 1;
  }
  return m_buffer.size();
}

void LineReader::give(Line& line, std::size_t end, bool ended) {
  std::string_view text(m_buffer.data() + m_begin, end - m_begin);
  line.number = m_number;
  line.offset = m_offset;
  line.too_long = text.size() > m_max_line;
  m_number += 1;
  if (m_cut == Cut::Records) {
    m_number += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }
  m_offset += text.size() + (ended ? 1 : 0);
  m_begin = end + (ended ? 1 : 0);
  m_quoted = false;
  if (ended && text.ends_with('\r')) text.remove_suffix(1);
  line.text = line.too_long ? text.substr(0, k_shown_of_too_long) : text;
}

/// Skips the rest of a line that is too long.
Result<void> LineReader::skip_rest() {
  m_skips = false;
  const auto pass = [&](std::size_t end) {
    if (m_cut == Cut::Records) {
      const auto begin = m_buffer.begin();
      m_number +=
          static_cast<std::uint64_t>(std::count(begin + static_cast<std::ptrdiff_t>(m_begin),
                                                begin + static_cast<std::ptrdiff_t>(end), '\n'));
    }
    m_offset += end - m_begin;
    m_begin = end;
  };
  // The data in the buffer has already been searched.
  pass(m_buffer.size());
  while (true) {
    SVC_TRY(more, fill());
    if (!more) break;
    const std::size_t end = find_end(0);
    pass(end);
    if (end == m_buffer.size()) continue;
    ++m_offset;
    ++m_begin;
    break;
  }
  m_quoted = false;
  ++m_number;
  return {};
}

Result<bool> LineReader::next(Line& line) {
  if (!m_started) {
    m_started = true;
    while (m_buffer.size() < k_mark.size()) {
      SVC_TRY(more, fill());
      if (!more) break;
    }
    if (std::string_view(m_buffer).starts_with(k_mark)) m_begin = m_offset = k_mark.size();
  }
  if (m_skips) SVC_CHECK(skip_rest());
  std::size_t searched = m_begin;
  while (true) {
    const std::size_t end = find_end(searched);
    if (end < m_buffer.size()) {
      give(line, end, true);
      return true;
    }
    if (m_buffer.size() - m_begin > m_max_line) {
      line = Line{m_number, m_offset,
                  std::string_view(m_buffer).substr(m_begin, k_shown_of_too_long), true};
      m_skips = true;
      return true;
    }
    searched = m_buffer.size() - m_begin;
    SVC_TRY(more, fill());
    if (!more) break;
  }
  if (m_begin == m_buffer.size() || m_stopped) return false;
  give(line, m_buffer.size(), false);
  return true;
}

}  // namespace svc::batch
