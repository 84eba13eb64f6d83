#include "print/flow.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr std::size_t k_max_word = 512;  ///< bytes buffered to find out whether a word fits
constexpr std::size_t k_max_marks_flow = 8;
constexpr sv k_end_look = "\x1b[0m";
constexpr char32_t k_zero_width_joiner = 0x200D;

/// Ideographic punctuation that must not start a line.
bool ends_a_clause(char32_t c) {
  constexpr std::u32string_view k_marks = U"、。，．！？：；）」』】》";
  return k_marks.find(c) != std::u32string_view::npos;
}

/// Returns the escape sequence that starts the look, or "" for plain text.
std::string begin_look(unsigned look) {
  constexpr std::array<std::pair<unsigned, sv>, 9> k_codes = {{{k_look_bold, "1"},
                                                               {k_look_dim, "2"},
                                                               {k_look_italic, "3"},
                                                               {k_look_underline, "4"},
                                                               {k_look_strike, "9"},
                                                               {k_look_red, "31"},
                                                               {k_look_green, "32"},
                                                               {k_look_magenta, "35"},
                                                               {k_look_cyan, "36"}}};
  std::string codes;
  for (const auto& [bit, code] : k_codes) {
    if ((look & bit) == 0) continue;
    if (!codes.empty()) codes += ';';
    codes += code;
  }
  return codes.empty() ? codes : "\x1b[" + codes + "m";
}

/// Whether `url` may be passed to a terminal as a link (OSC 8): http or https, and only printable
/// ASCII that is valid in a URL.
bool is_link_target(sv url) noexcept {
  constexpr std::size_t k_longest = 2000;
  const sv rest = url.starts_with("https://")  ? url.substr(8)
                  : url.starts_with("http://") ? url.substr(7)
                                               : sv{};
  if (rest.empty() || rest.front() == '/' || url.size() > k_longest) return false;
  static constexpr sv k_marks = "-._~:/?#[]@!$&'()*+,;=%";
  return std::all_of(rest.begin(), rest.end(), [](char c) {
    return is_letter(c) || is_digit(c) || k_marks.find(c) != sv::npos;
  });
}

}  // namespace

Flow::Flow(Terminal terminal, Measure columns, std::size_t rows)
    : m_terminal(terminal), m_measure(std::move(columns)), m_rows(rows) {}

Flow Flow::cell(Terminal terminal, std::size_t width) {
  Flow flow(terminal, {});
  flow.m_cell = std::max<std::size_t>(width, 1);
  return flow;
}

std::size_t Flow::width() const {
  if (m_cell > 0) return m_cell;
  const int columns = m_measure ? m_measure() : m_terminal.columns;
  // Terminals disagree about the cursor's position after a row of full width.
  return static_cast<std::size_t>(std::max(columns, 12) - 1);
}

std::size_t Flow::room() const {
  const std::size_t all = width();
  return all - std::min(display_width(m_rest), all / 2);
}

void Flow::indent(std::string first, std::string rest) {
  m_first = std::move(first);
  m_rest = std::move(rest);
}

void Flow::begin_line() {
  m_limit = width();
  m_columns = m_limit + 1;
  // Leave room for words, even with deep nesting.
  m_first = fit(m_first, m_limit / 2, m_terminal.utf8);
  m_column = m_indent = display_width(m_first);
  m_out += styled(m_first, m_terminal.color && !m_first.empty() ? k_look_dim : k_look_plain);
  m_first = m_rest;
  m_open = true;
}

void Flow::break_line() {
  m_widths.push_back(m_column);
  m_out += '\n';
  m_open = false;
  m_blank = false;
  m_continues = false;
}

void Flow::close_look() {
  if (m_word_link) m_word += "\x1b]8;;\x1b\\";
  if (m_word_look != 0) m_word += k_end_look;
  m_word_link = false;
  m_word_look = 0;
}

/// Whether the open word may still start the next line.
bool Flow::may_move() const {
  if (m_continues || (m_open && m_column <= m_indent)) return false;
  if (!plain()) return true;
  const std::size_t start = m_column + (m_blank ? 1 : 0);
  return m_open && start + std::min(k_longest_moved, m_limit / 3) > m_limit;
}

void Flow::close_word() {
  if (m_word.empty()) return;
  close_look();
  if (!m_open) begin_line();
  const std::size_t before = m_blank && m_column > m_indent ? 1 : 0;
  if (may_move() && m_column + before + m_word_width > m_limit) {
    break_line();
    begin_line();
  } else if (before > 0) {
    m_out += styled(" ", m_blank_look);
    ++m_column;
  }
  m_out += m_word;
  m_longest_word = std::max(m_longest_word, m_word_width);
  ++m_words;
  m_column += m_word_width;
  // The terminal has wrapped the line; a full row does not wrap before the next character.
  if (m_column > m_columns) m_column = (m_column - 1) % m_columns + 1;
  m_word.clear();
  m_word_width = 0;
  m_blank = false;
  m_continues = false;
  m_word_wide = false;
}

void Flow::blank(unsigned look) {
  close_word();
  m_blank = m_open;
  m_blank_look = m_terminal.color ? look & (k_look_underline | k_look_strike) : 0;
  m_continues = false;
}

void Flow::add(sv bytes, std::size_t width, unsigned look) {
  if (!m_terminal.color) look = 0;
  const bool linked = m_terminal.color && !m_url.empty();
  if (look != m_word_look || linked != m_word_link) {
    close_look();
    m_word += begin_look(look);
    m_word_look = look;
    if (linked) m_word += "\x1b]8;;" + m_url + "\x1b\\";
    m_word_link = linked;
  }
  m_word += bytes;
  m_word_width += width;
}

void Flow::text(sv text, unsigned look) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = decode_utf8(text, at);
    const sv bytes = text.substr(begin, at - begin);
    if (c == ' ' || c == '\t') {
      blank(look);
      continue;
    }
    const std::size_t width = display_width(bytes);
    m_marks = width == 0 ? m_marks + 1 : 0;
    if (m_marks > k_max_marks_flow) continue;
    const bool wide = width > 1;
    const bool may_break = width > 0 && !m_joining && !ends_a_clause(c) && (wide || m_word_wide);
    if (may_break && m_word.empty()) m_continues = false;
    if (may_break && !m_word.empty()) close_word();
    // In a cell, a word is broken only at the end of the line.
    if (m_cell > 0 && m_word_width > 0 && m_word_width + width > m_cell) close_word();
    add(bytes, width, look);
    if (width > 0) m_word_wide = wide;
    m_joining = c == k_zero_width_joiner;
    if (m_word.size() > k_max_word) {
      close_word();
      m_continues = true;
    }
  }
}

void Flow::link(sv url) {
  if (m_word_link) close_look();
  m_url = is_link_target(url) ? std::string(url) : std::string();
}

void Flow::end_line() {
  close_word();
  if (m_open) break_line();
}

void Flow::newline() {
  close_word();
  if (!m_open) begin_line();
  break_line();
}

void Flow::verbatim(sv line, bool ends) {
  close_word();
  if (!m_open) begin_line();
  m_out += line;
  if (ends) return break_line();
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t look = std::min(line.find('\x1b', at), line.size());
    m_column += display_width(line.substr(at, look - at));
    at = line.find('m', look);
    if (at != sv::npos) ++at;
  }
}

std::size_t Flow::column() const noexcept {
  if (!m_open) return 0;
  const std::size_t column = m_columns > 0 ? m_column % m_columns : m_column;
  return column == 0 && m_column > 0 ? k_unknown_column : column;
}

void Flow::preview_word(bool may_wait) {
  constexpr std::size_t k_rest_of_word = 12;
  const std::size_t end = m_column + (m_blank ? 1 : 0) + m_word_width;
  const bool near_end = m_open && end <= m_limit && end + k_rest_of_word > m_limit;
  if (!may_wait || !near_end || m_continues) close_word();
}

void Flow::commit_word() {
  const std::size_t end = m_column + (m_blank ? 1 : 0) + m_word_width;
  if (m_word.empty() || (may_move() && end <= m_limit)) return;
  const bool wide = m_word_wide;
  close_word();
  m_continues = true;
  m_word_wide = wide;
}

std::string styled(sv text, unsigned look) {
  std::string out = begin_look(look);
  const bool any = !out.empty();
  out += text;
  if (any) out += k_end_look;
  return out;
}

}  // namespace svc::print
