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

void MarkdownTable::begin(sv header, sv delimiter) {
  m_header = split_row(header);
  for (const std::string& cell : split_row(delimiter)) {
    const bool left = cell.starts_with(':');
    const bool right = cell.ends_with(':');
    m_sides.push_back(left && right ? Side::Middle : right ? Side::Right : Side::Left);
  }
  m_sides.resize(m_header.size());
}

void MarkdownTable::add(sv line) {
  Row row = split_row(line);
  // Surplus cells would be lost; append them to the last column.
  for (std::size_t i = m_header.size(); i < row.size(); ++i) {
    row[m_header.size() - 1].append(" | ").append(row[i]);
  }
  row.resize(m_header.size());
  if (m_settled) return write_row(row, false);
  m_bytes += line.size();
  m_rows.push_back(std::move(row));
  if (m_rows.size() >= k_max_rows || m_bytes >= k_most_bytes) settle();
}

Flow MarkdownTable::flow_cell(sv cell, std::size_t width, unsigned look) const {
  Flow flow = Flow::cell(m_flow.terminal(), width);
  std::string source = steady(cell);
  for (const sv tag : {"<br>", "<br/>", "<br />"}) source = replace_all(source, tag, "\n");
  for (const sv part : split(source, '\n')) {
    inline_markup(flow, trim(part), look);
    flow.end_line();
  }
  return flow;
}

std::vector<std::string> MarkdownTable::cell_lines(sv cell, std::size_t width, unsigned look,
                                                   std::vector<std::size_t>& widths) const {
  Flow flow = flow_cell(cell, width, look);
  widths = flow.take_widths();
  std::string text = flow.take();
  std::vector<std::string> lines;
  for (const sv line : split(text, '\n')) lines.emplace_back(line);
  lines.resize(widths.size());
  if (lines.empty()) {
    lines.emplace_back();
    widths.push_back(0);
  }
  return lines;
}

/// Measures the widths that the content needs.
void MarkdownTable::measure() {
  m_widths.assign(m_header.size(), 1);
  m_words.assign(m_header.size(), 1);
  const auto look_at = [this](const Row& row) {
    for (std::size_t i = 0; i < m_header.size(); ++i) {
      Flow flow = flow_cell(row[i], k_no_limit, 0);
      m_words[i] = std::max(m_words[i], flow.longest_word());
      for (const std::size_t width : flow.take_widths()) {
        m_widths[i] = std::max(m_widths[i], width);
      }
    }
  };
  look_at(m_header);
  for (const Row& row : m_rows) look_at(row);
}

/// Shrinks the widest columns first: to their longest words, then below.
void MarkdownTable::shrink(std::size_t available) {
  std::size_t sum = std::accumulate(m_widths.begin(), m_widths.end(), std::size_t{0});
  for (const bool whole_words : {true, false}) {
    const auto spare = [&](std::size_t i) {
      const std::size_t least = whole_words ? std::min(m_words[i], k_whole_word) : 1;
      return m_widths[i] > std::max(least, std::size_t{1}) ? m_widths[i] : 0;
    };
    while (sum > available) {
      std::size_t widest = 0;
      for (std::size_t i = 1; i < m_widths.size(); ++i) {
        if (spare(i) > spare(widest)) widest = i;
      }
      if (spare(widest) == 0) break;
      --m_widths[widest];
      --sum;
    }
  }
}

void MarkdownTable::settle() {
  m_settled = true;
  const std::size_t count = m_header.size();
  const std::size_t room = m_flow.room();
  m_listed = count > k_max_columns;
  if (!m_listed) {
    measure();
    std::size_t least = k_column_gap * (count - 1);
    for (const std::size_t width : m_widths) least += std::min(width, k_min_width);
    m_listed = least > room;
  }
  if (!m_listed) {
    shrink(room - k_column_gap * (count - 1));
    write_row(m_header, true);
    const bool utf8 = m_flow.terminal().utf8;
    std::string rule;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) rule += utf8 ? "─┼─" : "-+-";
      rule += repeat(utf8 ? "─" : "-", m_widths[i]);
    }
    m_flow.verbatim(m_flow.terminal().color ? styled(rule, k_look_dim) : rule, true);
  }
  for (const Row& row : m_rows) write_row(row, false);
  m_rows.clear();
}

std::string MarkdownTable::padded(const std::string& text, std::size_t used,
                                  std::size_t column) const {
  const std::size_t width = m_widths[column];
  const std::size_t free = width > used ? width - used : 0;
  const std::size_t before = m_sides[column] == Side::Right    ? free
                             : m_sides[column] == Side::Middle ? free / 2
                                                               : 0;
  const bool last = column + 1 == m_widths.size();
  return std::string(before, ' ') + text + std::string(last ? 0 : free - before, ' ');
}

void MarkdownTable::write_row(const Row& row, bool header) {
  if (m_listed) return write_listed(row);
  std::vector<std::vector<std::string>> cells;
  std::vector<std::vector<std::size_t>> widths(row.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const unsigned look = header ? k_look_bold : k_look_plain;
    cells.push_back(cell_lines(row[i], m_widths[i], look, widths[i]));
    height = std::max(height, cells.back().size());
  }
  const sv bar = m_flow.terminal().utf8 ? " │ " : " | ";
  const std::string between = m_flow.terminal().color ? styled(bar, k_look_dim) : std::string(bar);
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += between;
      const bool there = line < cells[i].size();
      text += padded(there ? cells[i][line] : "", there ? widths[i][line] : 0, i);
    }
    m_flow.verbatim(text, true);
  }
}

void MarkdownTable::write_listed(const Row& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    Flow flow = Flow::cell(m_flow.terminal(), m_flow.room());
    inline_markup(flow, m_header[i] + ":", k_look_bold);
    flow.text(" ", 0);
    inline_markup(flow, steady(row[i]), 0);
    flow.end_line();
    std::string lines = flow.take();
    for (const sv line : split(trim(lines), '\n')) m_flow.verbatim(line, true);
  }
  m_flow.newline();
}

}  // namespace svc::print
