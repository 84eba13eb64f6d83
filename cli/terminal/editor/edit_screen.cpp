#include "terminal/editor/edit_screen.h"

#include <algorithm>

#include "base/text.h"
#include "print/width.h"
#include "terminal/editor/line_buffer.h"

namespace svc::cli {
namespace {

using print::display_width;

constexpr std::size_t k_tab = 4;

/// Returns a character in a form for a terminal whose cursor position must be known.
std::string shown_form(sv cluster, std::size_t column) {
  if (cluster == "\t") return std::string(k_tab - column % k_tab, ' ');
  return print::fit(visible(print::steady(cluster), Lines::Keep), 1000, true);
}

std::string move_up(std::size_t rows) {
  return rows == 0 ? std::string() : "\x1b[" + std::to_string(rows) + "A";
}

std::string move_right(std::size_t columns) {
  return columns == 0 ? std::string() : "\x1b[" + std::to_string(columns) + "C";
}

}  // namespace

EditLayout lay_out(sv text, std::size_t cursor, sv prompt, std::size_t columns) {
  const std::size_t limit = std::max<std::size_t>(columns, 8) - 1;
  const std::size_t indent = display_width(prompt);
  EditLayout layout;
  const auto begin_row = [&](std::size_t at) {
    const std::string lead = layout.rows.empty() ? std::string(prompt) : std::string(indent, ' ');
    layout.rows.push_back({lead, indent});
    layout.begins.push_back(at);
  };
  const auto mark_cursor = [&](std::size_t at) {
    if (at != cursor) return;
    layout.row = layout.rows.size() - 1;
    layout.column = layout.rows.back().width;
  };
  begin_row(0);
  std::size_t at = 0;
  for (const std::size_t end : grapheme_ends(text)) {
    const sv cluster = text.substr(at, end - at);
    if (cluster == "\n") {
      mark_cursor(at);
      begin_row(end);
    } else {
      std::string shown = shown_form(cluster, layout.rows.back().width - indent);
      const std::size_t width = display_width(shown);
      if (layout.rows.back().width + width > limit && layout.rows.back().width > indent) {
        begin_row(at);
      }
      mark_cursor(at);
      layout.rows.back().shown += shown;
      layout.rows.back().width += width;
    }
    at = end;
  }
  mark_cursor(at);
  return layout;
}

std::size_t offset_at(sv text, const EditLayout& layout, std::size_t row, std::size_t column,
                      std::size_t indent) {
  const std::size_t begin = layout.begins[row];
  std::size_t end = row + 1 < layout.begins.size() ? layout.begins[row + 1] : text.size();
  if (end > begin && text[end - 1] == '\n') --end;
  std::size_t width = indent;
  std::size_t at = begin;
  for (const std::size_t next : grapheme_ends(text.substr(begin, end - begin))) {
    width += display_width(shown_form(text.substr(at, begin + next - at), width - indent));
    if (width > column) break;
    at = begin + next;
  }
  return at;
}

/// Moves the cursor to the first row, even if rows have wrapped because the window was resized.
std::string EditScreen::to_top() const {
  std::size_t above = 0;
  for (std::size_t i = 0; i < m_row && i < m_rows.size(); ++i) {
    above += std::max<std::size_t>(1, (m_rows[i].width + m_columns - 1) / m_columns);
  }
  above += m_column / m_columns;
  return "\r" + move_up(above);
}

std::string EditScreen::draw(const EditLayout& layout, const std::vector<EditRow>& below,
                             std::size_t columns, std::size_t lines) {
  columns = std::max<std::size_t>(columns, 8);
  // Rows outside the screen could not be reached to redraw them.
  const std::size_t room = std::max<std::size_t>(lines, 2);
  const std::size_t extra = std::min(below.size(), room - 1);
  const std::size_t height = std::min(layout.rows.size(), room - extra);
  m_top = std::min(m_top, layout.rows.size() - height);
  m_top = std::clamp(m_top, layout.row + 1 > height ? layout.row + 1 - height : 0, layout.row);
  std::vector<EditRow> rows(layout.rows.begin() + static_cast<std::ptrdiff_t>(m_top),
                            layout.rows.begin() + static_cast<std::ptrdiff_t>(m_top + height));
  rows.insert(rows.end(), below.begin(), below.begin() + static_cast<std::ptrdiff_t>(extra));

  const bool resized = m_columns != columns;
  m_columns = columns;
  const std::size_t cursor_row = layout.row - m_top;
  if (!resized && rows == m_rows && cursor_row == m_row && layout.column == m_column) return {};
  std::string out = to_top();
  if (resized) out += "\x1b[J";
  std::size_t at = 0;  // the cursor's row
  // Clear removed rows one by one: a terminal that clears the whole screen may keep its content in
  // the scrollback.
  for (std::size_t i = 0; i < std::max(rows.size(), resized ? 0 : m_rows.size()); ++i) {
    const bool same = !resized && i < rows.size() && i < m_rows.size() && rows[i] == m_rows[i];
    if (same) continue;
    for (; at < i; ++at) out += "\r\n";
    out += "\r" + (i < rows.size() ? rows[i].shown : std::string()) + "\x1b[K";
  }
  out += at > cursor_row ? move_up(at - cursor_row) : std::string();
  for (; at < cursor_row; ++at) out += "\r\n";
  out += "\r" + move_right(layout.column);
  m_rows = std::move(rows);
  m_row = cursor_row;
  m_column = layout.column;
  m_text_rows = height;
  return out;
}

std::string EditScreen::leave() {
  if (m_rows.empty()) return {};
  std::string out;
  for (std::size_t at = m_row; at + 1 < m_text_rows; ++at) out += "\r\n";
  out += "\r\n\x1b[J";
  forget();
  return out;
}

std::string EditScreen::erase() {
  std::string out = m_rows.empty() ? std::string() : to_top() + "\x1b[J";
  forget();
  return out;
}

void EditScreen::forget() {
  m_rows.clear();
  m_row = m_column = m_text_rows = m_top = 0;
}

}  // namespace svc::cli
