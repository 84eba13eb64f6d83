#include "print/markdown_table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "print/markdown_inline.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr std::size_t k_column_gap = 3;  ///< " │ "
constexpr std::size_t k_min_width = 4;   ///< minimum width of a useful column
constexpr std::size_t k_no_limit = 1'000'000;
constexpr std::size_t k_whole_word = 24;  ///< longer words are broken before columns are cut

Flow flow_cell(const Flow& around, sv cell, std::size_t width, unsigned look) {
  Flow flow = Flow::cell(around.terminal(), width);
  std::string source = steady(cell);
  for (const sv tag : {"<br>", "<br/>", "<br />"}) source = replace_all(source, tag, "\n");
  for (const sv part : split(source, '\n')) {
    inline_markup(flow, trim(part), look);
    flow.end_line();
  }
  return flow;
}

std::vector<std::string> cell_lines(const Flow& around, sv cell, std::size_t width, unsigned look,
                                    std::vector<std::size_t>& widths) {
  Flow flow = flow_cell(around, cell, width, look);
  widths = flow.take_widths();
  const std::string text = flow.take();
  std::vector<std::string> lines;
  for (const sv line : split(text, '\n')) lines.emplace_back(line);
  lines.resize(widths.size());
  if (lines.empty()) {
    lines.emplace_back();
    widths.push_back(0);
  }
  return lines;
}

}  // namespace

std::vector<std::string> split_row(sv line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::vector<std::string> cells(1);
  bool code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (c == '|' && !code) {
      cells.emplace_back();
    } else {
      // An unclosed backtick opens no code span.
      if (c == '`') code = !code && line.find('`', i + 1) != sv::npos;
      cells.back() += c;
    }
  }
  if (cells.size() > 1 && trim(cells.back()).empty()) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_delimiter_row(sv line) {
  if (line.find('-') == sv::npos || line.find('|') == sv::npos) return false;
  if (line.find_first_not_of("|-: \t") != sv::npos) return false;
  const std::vector<std::string> cells = split_row(line);
  return std::all_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return cell.find('-') != std::string::npos; });
}

MarkdownTable::MarkdownTable(const Flow& flow, sv header, sv delimiter, std::size_t max_lines)
    : m_headed(!delimiter.empty()), m_max_lines(max_lines), m_header(split_row(header)) {
  for (const std::string& cell : split_row(delimiter)) {
    const bool left = cell.starts_with(':');
    const bool right = cell.ends_with(':');
    m_sides.push_back(left && right ? Side::Middle : right ? Side::Right : Side::Left);
  }
  m_sides.resize(m_header.size());
  m_widths.assign(m_header.size(), 1);
  m_words.assign(m_header.size(), 1);
  measure(flow, m_header);
  m_layout = m_shown = fit_to(flow);
  m_preview = head(flow, m_shown);
  m_height = m_preview.size();
  m_settled = m_layout.listed && flow.plain();
}

/// Fixes the widths before the table is higher than the screen. Then, and at its end, it is laid
/// out once more.
void MarkdownTable::add(Flow& flow, sv line) {
  Row row = split_row(line);
  // Surplus cells would be lost; append them to the last column.
  for (std::size_t i = m_header.size(); i < row.size(); ++i) {
    row[m_header.size() - 1].append(" | ").append(row[i]);
  }
  row.resize(m_header.size());
  if (!m_settled) {
    measure(flow, row);
    const Layout layout = fit_to(flow);
    m_rows.push_back(row);
    m_bytes += line.size();
    if (layout == m_layout) {
      m_height += row_lines(flow, layout, row).size();
    } else {
      m_height = lines(flow, layout).size();
    }
    if (m_height <= m_max_lines && m_bytes < k_most_bytes) {
      m_layout = layout;
      if (m_rows.size() == 1) {
        m_shown = guess(flow);
        m_preview = head(flow, m_shown);
      }
      for (std::string& one : row_lines(flow, m_shown, row)) m_preview.push_back(std::move(one));
      if (m_preview.size() > m_max_lines) m_preview = lines(flow, m_shown = layout);
      return;
    }
    m_rows.pop_back();
    m_layout = guess(flow);
    settle(flow);
  }
  for (const std::string& one : row_lines(flow, m_layout, row)) flow.verbatim(one, true);
}

void MarkdownTable::finish(Flow& flow) {
  if (!m_settled) settle(flow);
}

void MarkdownTable::settle(Flow& flow) {
  m_settled = true;
  for (const std::string& line : lines(flow, m_layout)) flow.verbatim(line, true);
  m_rows.clear();
  m_preview.clear();
}

void MarkdownTable::preview(Flow& flow) const {
  for (const std::string& line : m_preview) flow.verbatim(line, true);
}

std::vector<std::string> MarkdownTable::lines(const Flow& flow, const Layout& layout) const {
  std::vector<std::string> all = head(flow, layout);
  for (const Row& row : m_rows) {
    for (std::string& line : row_lines(flow, layout, row)) all.push_back(std::move(line));
  }
  return all;
}

/// Measures the widths that a row needs.
void MarkdownTable::measure(const Flow& flow, const Row& row) {
  for (std::size_t i = 0; i < m_header.size(); ++i) {
    Flow cell = flow_cell(flow, row[i], k_no_limit, 0);
    m_words[i] = std::max(m_words[i], cell.longest_word());
    for (const std::size_t width : cell.take_widths()) m_widths[i] = std::max(m_widths[i], width);
  }
}

MarkdownTable::Layout MarkdownTable::fit_to(const Flow& flow) const {
  const std::size_t room = flow.room();
  const std::size_t count = m_header.size();
  std::size_t least = k_column_gap * (count - 1);
  for (const std::size_t width : m_widths) least += std::min(width, k_min_width);
  if (count > k_max_columns || least > room || flow.plain()) return {{}, true};
  Layout layout{m_widths};
  shrink(layout.widths, room - k_column_gap * (count - 1));
  return layout;
}

/// Leaves room for longer cells in the rows to come.
MarkdownTable::Layout MarkdownTable::guess(const Flow& flow) const {
  const std::size_t room = flow.room();
  Layout layout = fit_to(flow);
  if (layout.listed) return layout;
  std::size_t used = k_column_gap * (m_header.size() - 1);
  for (const std::size_t width : layout.widths) used += width;
  const std::size_t spare = room > used ? (room - used) / m_header.size() : 0;
  for (std::size_t& width : layout.widths) width += std::min(spare, width);
  return layout;
}

/// Shrinks the widest columns first: to their longest words, then below.
void MarkdownTable::shrink(Widths& widths, std::size_t available) const {
  std::size_t sum = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  for (const bool whole_words : {true, false}) {
    const auto spare = [&](std::size_t i) {
      const std::size_t least = whole_words ? std::min(m_words[i], k_whole_word) : 1;
      return widths[i] > std::max(least, std::size_t{1}) ? widths[i] : 0;
    };
    while (sum > available) {
      std::size_t widest = 0;
      for (std::size_t i = 1; i < widths.size(); ++i) {
        if (spare(i) > spare(widest)) widest = i;
      }
      if (spare(widest) == 0) break;
      --widths[widest];
      --sum;
    }
  }
}

std::vector<std::string> MarkdownTable::head(const Flow& flow, const Layout& layout) const {
  if (layout.listed) return {};
  std::vector<std::string> lines = row_lines(flow, layout, m_header, true);
  if (!m_headed) return lines;
  const bool utf8 = flow.terminal().utf8;
  std::string rule;
  for (const std::size_t width : layout.widths) {
    if (!rule.empty()) rule += utf8 ? "─┼─" : "-+-";
    rule += repeat(utf8 ? "─" : "-", width);
  }
  lines.push_back(flow.terminal().color ? styled(rule, k_look_dim) : rule);
  return lines;
}

std::string MarkdownTable::padded(const std::string& text, std::size_t used, std::size_t width,
                                  std::size_t column) const {
  const std::size_t free = width > used ? width - used : 0;
  const std::size_t before = m_sides[column] == Side::Right    ? free
                             : m_sides[column] == Side::Middle ? free / 2
                                                               : 0;
  const bool last = column + 1 == m_sides.size();
  return std::string(before, ' ') + text + std::string(last ? 0 : free - before, ' ');
}

std::vector<std::string> MarkdownTable::row_lines(const Flow& flow, const Layout& layout,
                                                  const Row& row, bool header) const {
  if (layout.listed) return listed_lines(flow, row);
  std::vector<std::vector<std::string>> cells;
  std::vector<Widths> widths(row.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const unsigned look = header ? k_look_bold : k_look_plain;
    cells.push_back(cell_lines(flow, row[i], layout.widths[i], look, widths[i]));
    height = std::max(height, cells.back().size());
  }
  const Terminal& terminal = flow.terminal();
  const sv bar = terminal.utf8 ? " │ " : " | ";
  const std::string between = terminal.color ? styled(bar, k_look_dim) : std::string(bar);
  std::vector<std::string> lines;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += between;
      const bool there = line < cells[i].size();
      text += padded(there ? cells[i][line] : "", there ? widths[i][line] : 0, layout.widths[i], i);
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

std::vector<std::string> MarkdownTable::listed_lines(const Flow& flow, const Row& row) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < row.size(); ++i) {
    Flow cell = Flow::cell(flow.terminal(), flow.room());
    inline_markup(cell, m_header[i] + ":", k_look_bold);
    cell.text(" ", 0);
    inline_markup(cell, steady(row[i]), 0);
    cell.end_line();
    const std::string text = cell.take();
    for (const sv line : split(trim(text), '\n')) lines.emplace_back(line);
  }
  lines.emplace_back();
  return lines;
}

}  // namespace svc::print
