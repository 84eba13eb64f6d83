#include "terminal/editor/line_buffer.h"

#include <algorithm>
#include <utility>

#include <utf8proc.h>

#include "base/text.h"

namespace svc::cli {
namespace {

constexpr std::size_t k_max_states = 100;

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::vector<std::size_t> grapheme_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t last = -1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const auto code = static_cast<utf8proc_int32_t>(decode_utf8(text, at));
    if (last >= 0 && utf8proc_grapheme_break_stateful(last, code, &state)) ends.push_back(begin);
    last = code;
  }
  if (!text.empty()) ends.push_back(text.size());
  return ends;
}

void LineBuffer::remember() {
  if (m_grouping && std::exchange(m_grouped, true)) return;
  if (!m_states.empty() && m_states.back().text == m_text) return;
  if (m_states.size() >= k_max_states) m_states.erase(m_states.begin());
  m_states.push_back({m_text, m_cursor});
}

bool LineBuffer::undo() {
  if (m_states.empty()) return false;
  m_text = std::move(m_states.back().text);
  m_cursor = m_states.back().cursor;
  m_states.pop_back();
  m_grouped = false;
  return true;
}

void LineBuffer::set(std::string text) {
  m_text = std::move(text);
  m_cursor = m_text.size();
  m_states.clear();
  m_grouped = false;
}

void LineBuffer::insert(std::string_view text) {
  remember();
  std::string clean = replace_all(replace_invalid_utf8(text), "\r\n", "\n");
  std::replace(clean.begin(), clean.end(), '\r', '\n');
  m_text.insert(m_cursor, clean);
  m_cursor += clean.size();
}

/// The current line is enough: a newline always ends a cluster.
std::size_t LineBuffer::before() const {
  const std::size_t begin = begin_of_line();
  if (m_cursor == begin) return m_cursor == 0 ? 0 : m_cursor - 1;
  const auto ends = grapheme_ends(std::string_view(m_text).substr(begin, m_cursor - begin));
  return ends.size() < 2 ? begin : begin + ends[ends.size() - 2];
}

std::size_t LineBuffer::after() const {
  const std::size_t end = end_of_line();
  if (m_cursor == end) return std::min(m_cursor + 1, m_text.size());
  return m_cursor +
         grapheme_ends(std::string_view(m_text).substr(m_cursor, end - m_cursor)).front();
}

std::size_t LineBuffer::begin_of_line(std::size_t at) const {
  if (at == 0) return 0;
  const std::size_t newline = m_text.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t LineBuffer::end_of_line(std::size_t at) const {
  return std::min(m_text.find('\n', at), m_text.size());
}

std::size_t LineBuffer::word_before() const {
  std::size_t at = m_cursor;
  while (at > 0 && !is_word_byte(m_text[at - 1])) --at;
  while (at > 0 && is_word_byte(m_text[at - 1])) --at;
  return at;
}

std::size_t LineBuffer::word_after() const {
  std::size_t at = m_cursor;
  while (at < m_text.size() && !is_word_byte(m_text[at])) ++at;
  while (at < m_text.size() && is_word_byte(m_text[at])) ++at;
  return at;
}

void LineBuffer::erase_before() {
  const std::size_t begin = before();
  if (begin == m_cursor) return;
  remember();
  m_text.erase(begin, m_cursor - begin);
  m_cursor = begin;
}

void LineBuffer::erase_after() {
  const std::size_t end = after();
  if (end == m_cursor) return;
  remember();
  m_text.erase(m_cursor, end - m_cursor);
}

void LineBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  remember();
  m_killed = m_text.substr(begin, end - begin);
  m_text.erase(begin, end - begin);
  m_cursor = begin;
}

void LineBuffer::kill_to_line_end() {
  const std::size_t end = end_of_line();
  kill(m_cursor, end == m_cursor ? std::min(end + 1, m_text.size()) : end);
}

void LineBuffer::transpose() {
  const std::size_t middle = m_cursor == end_of_line() ? before() : m_cursor;
  m_cursor = middle;
  const std::size_t begin = before();
  const std::size_t end = after();
  if (begin < begin_of_line() || begin == middle || end == middle) return;
  remember();
  const std::string second = m_text.substr(middle, end - middle);
  m_text.erase(middle, end - middle);
  m_text.insert(begin, second);
  m_cursor = end;
}

}  // namespace svc::cli
