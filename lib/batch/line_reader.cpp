#include "batch/line_reader.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace svc::batch {
namespace {

constexpr std::size_t k_chunk = 256UL << 10U;
constexpr std::size_t k_excerpt_size = 200;
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

LineReader::LineReader(ReadSome read, std::uint64_t max_line, SplitMode split_mode,
                       std::uint64_t offset, std::uint64_t number)
    : m_read(std::move(read)),
      m_max_line(max_line),
      m_split_mode(split_mode),
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
  const std::size_t old_size = m_buffer.size();
  // Doubling would take up to three times the memory of a long line.
  if (m_buffer.capacity() < old_size + k_chunk)
    m_buffer.reserve(old_size + std::max(k_chunk, old_size / 4));
  m_buffer.resize(old_size + k_chunk);
  auto count = m_read(m_buffer.data() + old_size, k_chunk);
  if (!count) return std::move(count).error();
  m_buffer.resize(old_size + *count);
  if (*count == 0) m_at_end = true;
  if (m_head.size() < 4) m_head.append(m_buffer, old_size, 4 - m_head.size());
  return *count > 0;
}

/// Searches from `from` on for the newline that ends the line; returns the size of the buffer if it
/// has not been read yet.
std::size_t LineReader::find_end(std::size_t from) {
  while (from < m_buffer.size()) {
    const std::size_t end = std::min(m_buffer.find('\n', from), m_buffer.size());
    if (m_split_mode == SplitMode::Records) {
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

void LineReader::fill_line(Line& line, std::size_t end, bool ended) {
  std::string_view text(m_buffer.data() + m_begin, end - m_begin);
  line.number = m_number;
  line.offset = m_offset;
  line.too_long = text.size() > m_max_line;
  m_number += 1;
  if (m_split_mode == SplitMode::Records) {
    m_number += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }
  m_offset += text.size() + (ended ? 1 : 0);
  m_begin = end + (ended ? 1 : 0);
  m_quoted = false;
  if (ended && text.ends_with('\r')) text.remove_suffix(1);
  line.text = line.too_long ? text.substr(0, k_excerpt_size) : text;
}

/// Skips the rest of a line that is too long.
Result<void> LineReader::skip_rest() {
  m_skipping = false;
  const auto pass = [&](std::size_t end) {
    if (m_split_mode == SplitMode::Records) {
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
  if (m_skipping) SVC_CHECK(skip_rest());
  std::size_t searched = m_begin;
  while (true) {
    const std::size_t end = find_end(searched);
    if (end < m_buffer.size()) {
      fill_line(line, end, true);
      return true;
    }
    if (m_buffer.size() - m_begin > m_max_line) {
      line = Line{m_number, m_offset, std::string_view(m_buffer).substr(m_begin, k_excerpt_size),
                  true};
      m_skipping = true;
      return true;
    }
    searched = m_buffer.size() - m_begin;
    SVC_TRY(more, fill());
    if (!more) break;
  }
  if (m_begin == m_buffer.size() || m_stopped) return false;
  fill_line(line, m_buffer.size(), false);
  return true;
}

}  // namespace svc::batch
