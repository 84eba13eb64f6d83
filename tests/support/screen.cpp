#include "support/screen.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace svc::test {
namespace {

struct Span {
  char32_t first;
  char32_t last;
};

bool within(char32_t code, std::initializer_list<Span> spans) {
  return std::any_of(spans.begin(), spans.end(),
                     [code](Span span) { return code >= span.first && code <= span.last; });
}

/// The usual width table of terminals, as far as the tests need it.
std::size_t width_of(char32_t code) {
  if (within(code, {{0x300, 0x36f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}, {0x1f3fb, 0x1f3ff}}))
    return 0;
  const bool wide = within(code, {{0x1100, 0x115f},
                                  {0x2e80, 0x303e},
                                  {0x3041, 0xa4cf},
                                  {0xac00, 0xd7a3},
                                  {0xf900, 0xfaff},
                                  {0xfe30, 0xfe6f},
                                  {0xff00, 0xff60},
                                  {0xffe0, 0xffe6},
                                  {0x1f300, 0x1f64f},
                                  {0x1f900, 0x1f9ff}});
  return wide ? 2 : 1;
}

}  // namespace

Screen::Screen(std::size_t columns, std::size_t rows) : m_columns(columns), m_rows(rows) {}

std::size_t Screen::top() const noexcept {
  return m_lines.size() > m_rows ? m_lines.size() - m_rows : 0;
}

Screen::Line& Screen::line() {
  return m_lines[m_row];
}

void Screen::fault(std::string_view sequence) {
  m_faults.push_back(visible(sequence, Lines::Escape));
}

void Screen::feed(std::string_view bytes) {
  m_held += bytes;
  std::string text = std::exchange(m_held, {});
  for (std::size_t at = 0; at < text.size();) {
    const sv rest = sv(text).substr(at);
    if (rest.front() == '\x1b') {
      const std::size_t length = escape(rest);
      if (length == 0) {
        m_held = std::string(rest);
        return;
      }
      at += length;
      continue;
    }
    const utf8::Step step = utf8::step(text, at);
    if (step.validity == utf8::Validity::Truncated) {
      m_held = std::string(rest);
      return;
    }
    at += step.length;
    switch (step.code_point) {
      case '\n':
        newline();
        break;
      case '\r':
        m_column = 0;
        m_pending = false;
        break;
      case '\b':
        m_column -= m_column > 0 ? 1 : 0;
        break;
      case '\t':
        m_column = std::min(m_columns - 1, (m_column / 8 + 1) * 8);
        break;
      default:
        if (step.code_point < 0x20 || step.code_point == 0x7f) {
          fault(rest.substr(0, 1));
        } else {
          put(rest.substr(0, step.length), width_of(step.code_point));
        }
    }
  }
}

void Screen::newline() {
  m_column = 0;
  m_pending = false;
  if (++m_row == m_lines.size()) m_lines.emplace_back();
}

void Screen::put(std::string_view character, std::size_t width) {
  if (width == 0) {
    auto& cells = line().cells;
    std::size_t at = std::min(m_pending ? m_column + 1 : m_column, cells.size());
    while (at > 0 && cells[at - 1].text.empty()) --at;
    if (at > 0) cells[at - 1].text += character;
    return;
  }
  if (m_pending || m_column + width > m_columns) {
    line().wrapped = true;
    newline();
  }
  auto& cells = line().cells;
  if (cells.size() < m_column + width) cells.resize(m_column + width, {" "});
  cells[m_column] = {std::string(character), m_look};
  if (width == 2) cells[m_column + 1] = {"", m_look};
  m_column += width;
  m_pending = m_column >= m_columns;
  if (m_pending) m_column = m_columns - 1;
}

std::size_t Screen::escape(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == '[') return control_sequence(text);
  if (text[1] == ']') return command(text);
  if (text[1] == '\\') return 2;
  fault(text.substr(0, 2));
  return 2;
}

std::size_t Screen::control_sequence(std::string_view text) {
  std::size_t end = 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
  if (end == text.size()) return 0;
  const sv parameters = text.substr(2, end - 2);
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(1, parse_integer(parameters).value_or(1)));
  const char final = text[end];
  m_pending = m_pending && final == 'm';
  switch (final) {
    case 'A':
      m_row -= std::min(count, m_row - top());
      break;
    case 'B':
      m_row = std::min(m_row + count, m_lines.size() - 1);
      break;
    case 'C':
      m_column = std::min(m_column + count, m_columns - 1);
      break;
    case 'D':
      m_column -= std::min(count, m_column);
      break;
    case 'H':
      m_row = top();
      m_column = 0;
      break;
    case 'J':
      if (parameters == "2") {
        erase_from(top(), 0);
      } else {
        erase_from(m_row, m_column);
      }
      break;
    case 'K':
      if (line().cells.size() > m_column) line().cells.resize(m_column);
      line().wrapped = false;
      break;
    case 'm':
      set_look(parameters);
      break;
    default:
      if (final == 'q' && parameters.ends_with(' ')) break;  // the cursor's shape
      if (parameters != "?2004" && parameters != "?25" && parameters != "?2026")
        fault(text.substr(0, end + 1));
  }
  return end + 1;
}

std::size_t Screen::command(std::string_view text) {
  const std::size_t end = text.find("\x1b\\");
  const std::size_t bell = text.find('\a');
  if (std::min(end, bell) == sv::npos) return 0;
  if (bell < end) {
    fault(text.substr(0, bell + 1));
    return bell + 1;
  }
  const sv body = text.substr(2, end - 2);
  if (body.starts_with("52;c;")) {
    m_clipboard = std::string(body.substr(5));
  } else if (!body.starts_with("8;;")) {
    fault(text.substr(0, end + 2));
  }
  return end + 2;
}

void Screen::set_look(std::string_view codes) {
  if (codes.empty() || codes == "0") {
    m_look.clear();
  } else {
    m_look.append(m_look.empty() ? "" : ";").append(codes);
  }
}

void Screen::erase_from(std::size_t row, std::size_t column) {
  if (m_lines[row].cells.size() > column) m_lines[row].cells.resize(column);
  m_lines[row].wrapped = false;
  for (std::size_t i = row + 1; i < m_lines.size(); ++i) m_lines[i] = {};
}

void Screen::resize(std::size_t columns, std::size_t rows) {
  std::vector<Line> before = std::exchange(m_lines, {});
  std::size_t new_row = 0;
  std::size_t new_column = 0;
  for (std::size_t i = 0; i < before.size();) {
    std::vector<Cell> cells;
    std::size_t cursor = std::string::npos;
    for (bool on = true; on && i < before.size(); ++i) {
      if (i == m_row) cursor = cells.size() + m_column;
      on = before[i].wrapped;
      cells.insert(cells.end(), before[i].cells.begin(), before[i].cells.end());
    }
    const std::size_t first = m_lines.size();
    do {
      const std::size_t begin = (m_lines.size() - first) * columns;
      Line part;
      for (std::size_t at = begin; at < std::min(begin + columns, cells.size()); ++at) {
        part.cells.push_back(cells[at]);
      }
      part.wrapped = begin + columns < cells.size();
      m_lines.push_back(std::move(part));
    } while (m_lines.back().wrapped);
    if (cursor == std::string::npos) continue;
    new_row = std::min(first + cursor / columns, m_lines.size() - 1);
    new_column = cursor % columns;
  }
  m_row = new_row;
  m_column = new_column;
  m_columns = columns;
  m_rows = rows;
  m_pending = false;
}

std::vector<std::vector<Cell>> Screen::rows() const {
  const std::string shown = text();
  std::vector<std::vector<Cell>> rows;
  for (const Line& row : m_lines) rows.push_back(row.cells);
  rows.resize(static_cast<std::size_t>(std::count(shown.begin(), shown.end(), '\n')));
  return rows;
}

std::string Screen::text() const {
  std::string all;
  for (const Line& row : m_lines) {
    std::string text;
    for (const Cell& cell : row.cells) text += cell.text;
    while (text.ends_with(' ')) text.pop_back();
    all += text + "\n";
  }
  while (all.ends_with("\n\n")) all.pop_back();
  return all == "\n" ? std::string() : all;
}

}  // namespace svc::test
