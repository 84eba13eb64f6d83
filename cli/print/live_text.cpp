#include "print/live_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

/// Returns the length in bytes of the longest prefix that fits; at least one code point.
std::size_t fitting(sv text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t next = 0; next < text.size(); end = next) {
    (void)decode_utf8(text, next);
    if (end > 0 && display_width(text.substr(0, next)) > columns) break;
  }
  return end;
}

/// Splits a word that is longer than a row: no row may wrap, and no text may be lost.
std::vector<std::string> rows_of(sv text, std::size_t columns) {
  std::vector<std::string> rows;
  for (std::string& line : wrap(text, columns)) {
    while (display_width(line) > columns) {
      const std::size_t end = fitting(line, columns);
      rows.push_back(line.substr(0, end));
      line.erase(0, end);
    }
    rows.push_back(std::move(line));
  }
  return rows;
}

}  // namespace

LiveText::LiveText(Out& err, bool wanted, Measure columns)
    : m_err(err),
      m_enabled(wanted && err.terminal().is_tty && !err.terminal().dumb),
      m_measure(std::move(columns)) {}

LiveText::~LiveText() {
  clear();
}

std::size_t LiveText::columns() const {
  const int columns = m_measure ? m_measure() : m_err.terminal().columns;
  return static_cast<std::size_t>(std::max(columns, 2));
}

std::string LiveText::erase() const {
  if (m_widths.empty()) return {};
  // After the window narrows, one row takes up several.
  std::size_t rows = 0;
  for (const std::size_t width : m_widths) {
    rows += std::max<std::size_t>(1, (width + columns() - 1) / columns());
  }
  std::string out = "\r";
  if (rows > 1) out += "\x1b[" + std::to_string(rows - 1) + "A";
  return out + "\x1b[J";
}

void LiveText::show(sv text, sv status) {
  if (!m_enabled) return;
  // Terminals disagree about the cursor's position after a row of full width.
  const std::size_t width = columns() - 1;
  std::vector<std::string> rows;
  if (!trim(text).empty()) rows = rows_of(visible(text, Lines::Escape), width);
  if (rows.size() > k_max_rows) {
    rows.erase(rows.begin(), rows.end() - k_max_rows);
    rows.front() =
        fit((m_err.terminal().utf8 ? "…" : "...") + rows.front(), width, m_err.terminal().utf8);
  }
  const bool dim = m_err.terminal().color;
  std::string drawn;
  std::vector<std::size_t> widths;
  for (std::string& row : rows) {
    if (!drawn.empty()) drawn += "\r\n";
    row = fit(row, width, m_err.terminal().utf8);  // without surplus combining characters
    widths.push_back(display_width(row));
    drawn += dim ? "\x1b[2m" + row + "\x1b[0m" : row;
  }
  if (!status.empty()) {
    if (!drawn.empty()) drawn += "\r\n";
    const std::string row = fit(status, width, m_err.terminal().utf8);
    widths.push_back(display_width(row));
    drawn += row;
  }
  if (drawn == m_last && widths == m_widths) return;
  const std::string before = erase();
  m_widths = std::move(widths);
  m_last = std::move(drawn);
  (void)m_err.write(before + m_last);
  (void)m_err.flush();
}

void LiveText::clear() {
  if (m_widths.empty()) return;
  (void)m_err.write(erase());
  (void)m_err.flush();
  m_widths.clear();
  m_last.clear();
}

}  // namespace svc::print
