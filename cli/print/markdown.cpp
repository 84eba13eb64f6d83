#include "print/markdown.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

// Lines longer than these are text, or shown in pieces.
constexpr std::size_t k_most_undecided = 512;
constexpr std::size_t k_most_row = 16U << 10U;
constexpr std::size_t k_most_code_line = 4096;
constexpr std::size_t k_most_quotes = 6;
constexpr std::size_t k_most_items = 10;

bool repeats(sv line) {
  constexpr sv k_runs = "-*_=#`~|";
  return line.size() > 4 && line.back() == line[line.size() - 2] &&
         k_runs.find(line.back()) != sv::npos;
}

/// The line without so many columns of its blanks.
std::string without_columns(sv line, std::size_t columns) {
  std::size_t at = 0;
  std::size_t column = 0;
  for (; column < columns && at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at) {
    column += line[at] == '\t' ? 4 - column % 4 : 1;
  }
  return std::string(column > columns ? column - columns : 0, ' ') + std::string(line.substr(at));
}

}  // namespace

MarkdownStream::MarkdownStream(Terminal terminal, Flow::Measure columns)
    : m_flow(terminal, std::move(columns)), m_inline(m_flow) {}

std::string MarkdownStream::feed(sv piece) {
  for (const char c : m_visible.feed(piece)) take(c);
  (void)m_flow.take_widths();
  return m_flow.take();
}

std::string MarkdownStream::finish() {
  for (const char c : m_visible.finish()) take(c);
  if (!m_line.empty() || m_flowing) end_line();
  if (m_code && m_flow.line_open()) m_flow.end_line();
  flush_row();
  close_text();
  m_code.reset();
  m_items.clear();
  m_quotes = m_line_quotes = 0;
  m_gap = m_any = m_fresh = false;
  set_indent();
  (void)m_flow.take_widths();
  return m_flow.take();
}

void MarkdownStream::take(char c) {
  if (c == '\r') return;  // stands before a newline only
  if (c == '\n') return end_line();
  if (m_flowing) return m_inline.feed(sv(&c, 1));
  m_line += c;
  if (m_code) {
    if (m_line.size() >= k_most_code_line && static_cast<unsigned char>(c) < 0x80) code_piece();
  } else if (!repeats(m_line) || m_line.size() >= k_most_undecided) {
    begin_line(false);
  }
}

void MarkdownStream::end_line() {
  if (m_code) {
    code_line();
  } else if (!m_flowing) {
    begin_line(true);
  }
  if (m_flowing && m_heading) {
    m_inline.finish();
    m_inline.base_look(k_look_plain);
    m_flow.end_line();
    m_paragraph = false;
  }
  m_flowing = m_heading = m_fresh = false;
  m_line.clear();
  m_line_quotes = 0;
}

void MarkdownStream::begin_line(bool whole) {
  for (bool again = true; again;) {
    const bool is_row = m_line.find_first_not_of(" \t") != std::string::npos &&
                        m_line[m_line.find_first_not_of(" \t")] == '|';
    const bool enough = m_line.size() >= (is_row ? k_most_row : k_most_undecided);
    auto start = read_line_start(m_line, whole);
    if (!start && !enough) return;
    if (!start) start = LineStart{LineKind::Text, 0, 0, 0, {}};
    again = act(*start, whole || enough);
  }
}

/// Whether there is more to find out about the line.
bool MarkdownStream::act(const LineStart& start, bool whole) {
  if (start.kind == LineKind::Quote && m_line_quotes < k_most_quotes) {
    quote(start);
    return true;
  }
  settle_quotes();
  if (start.kind != LineKind::Row) {
    if (m_row) flush_row();
    if (m_table) {
      m_table->finish();
      m_table.reset();
    }
  }
  switch (start.kind) {
    case LineKind::Blank:
      blank();
      return false;
    case LineKind::Heading:
      heading(start);
      return false;
    case LineKind::Rule:
      if (start.mark == "=" && !m_paragraph) return text(start, whole);
      rule();
      return false;
    case LineKind::Fence:
      open_fence(start);
      return false;
    case LineKind::Item:
      return begin_item(start) || text(start, whole);
    case LineKind::Row:
      row(start);
      return false;
    default:
      return text(start, whole);
  }
}

void MarkdownStream::quote(const LineStart& start) {
  ++m_line_quotes;
  m_line.erase(0, start.content);
}

void MarkdownStream::settle_quotes() {
  if (m_line_quotes == m_quotes) return;
  flush_row();
  close_text();
  if (m_fresh) m_flow.newline();  // the mark of an item that holds a quote
  m_fresh = false;
  m_items.clear();
  if (m_gap && m_any) {
    m_flow.indent({}, {});
    m_flow.newline();
    m_gap = false;
  }
  m_quotes = m_line_quotes;
}

void MarkdownStream::blank() {
  close_text();
  if (m_fresh) m_flow.newline();  // an item that holds nothing
  m_gap = true;
}

void MarkdownStream::heading(const LineStart& start) {
  leave_items(start.indent);
  begin_block();
  const unsigned look = start.size == 1 ? k_look_bold | k_look_underline : k_look_bold;
  m_inline.base_look(look);
  m_heading = true;
  if (!m_flow.terminal().color) m_flow.text(std::string(start.size, '#') + " ", look);
  flow_text(sv(m_line).substr(start.content));
}

void MarkdownStream::rule() {
  if (!m_paragraph) leave_items(0);
  begin_block();
  const std::size_t width = std::min<std::size_t>(m_flow.room(), 72);
  std::string line;
  for (std::size_t i = 0; i < width; ++i) line += m_flow.terminal().utf8 ? "─" : "-";
  m_flow.verbatim(m_flow.terminal().color ? styled(line, k_look_dim) : line, true);
}

void MarkdownStream::open_fence(const LineStart& start) {
  if (!m_fresh) leave_items(start.indent);
  begin_block();
  const sv info = trim(sv(m_line).substr(start.content));
  m_code.emplace(Code{std::string(start.mark), start.indent, m_quotes,
                      CodeColors(m_flow.terminal().color ? info : sv{})});
  const std::string line = std::string(start.mark) + std::string(info);
  m_flow.verbatim(m_flow.terminal().color ? styled(line, k_look_dim) : line, true);
}

void MarkdownStream::code_line() {
  sv line = m_line;
  if (!m_code->partial) {
    for (std::size_t i = 0; i < m_code->quotes; ++i) {
      const std::size_t at = line.find_first_not_of(' ');
      if (at == sv::npos || line[at] != '>') break;
      line.remove_prefix(at + 1);
      if (line.starts_with(' ')) line.remove_prefix(1);
    }
    const sv bare = trim(line);
    if (bare.size() >= m_code->mark.size() && bare.starts_with(m_code->mark) &&
        bare.find_first_not_of(m_code->mark.front()) == sv::npos) {
      m_flow.verbatim(m_flow.terminal().color ? styled(bare, k_look_dim) : std::string(bare), true);
      m_code.reset();
      return;
    }
  }
  const std::string code =
      m_code->partial ? std::string(line) : without_columns(line, m_code->indent);
  m_flow.verbatim(m_code->partial ? code : m_code->colors.paint(code), true);
  m_code->partial = false;
}

void MarkdownStream::code_piece() {
  m_code->partial = true;
  m_flow.verbatim(m_line, false);
  m_line.clear();
}

bool MarkdownStream::begin_item(const LineStart& start) {
  const bool number = start.mark.size() > 1;
  if (m_items.size() >= k_most_items) return false;
  // A line of text may begin with a year.
  if (number && m_paragraph && !m_fresh && m_items.empty() && start.mark.substr(0, 1) != "1") {
    return false;
  }
  // Siblings may stand a column apart.
  if (!m_fresh) leave_items(start.indent > 0 ? start.indent - 1 : 0);
  if (m_fresh) m_flow.newline();
  begin_block();
  constexpr std::array<sv, 3> k_bullets = {"•", "◦", "▪"};
  const bool utf8 = m_flow.terminal().utf8;
  const sv bullet = utf8 ? k_bullets[m_items.size() % k_bullets.size()] : sv("-");
  const std::string mark = (number ? std::string(start.mark) : std::string(bullet)) + " ";
  const std::size_t content = start.indent + start.mark.size() + 1;
  m_items.push_back({start.indent, content, display_width(mark)});
  set_indent(mark);
  m_line = std::string(content, ' ') + m_line.substr(start.content);
  m_fresh = true;
  return true;
}

bool MarkdownStream::task_box(sv rest) {
  const bool done = rest.starts_with("[x] ") || rest.starts_with("[X] ");
  if (!done && !rest.starts_with("[ ] ")) return false;
  const bool utf8 = m_flow.terminal().utf8;
  const std::string mark = utf8 ? (done ? "☑ " : "☐ ") : (done ? "[x] " : "[ ] ");
  m_items.back().width = display_width(mark);
  set_indent(mark);
  return true;
}

/// Whether more of the line must be seen.
bool MarkdownStream::text(const LineStart& start, bool whole) {
  sv rest = sv(m_line).substr(std::min(m_line.find_first_not_of(" \t"), m_line.size()));
  if (m_fresh && rest.starts_with('[') && rest.size() < 4 && !whole) return false;
  if (m_paragraph && !m_fresh) {
    m_inline.feed("\n");
    flow_text(rest);
    return false;
  }
  const std::size_t deep = m_items.empty() ? 0 : m_items.back().content;
  if (!m_fresh) {
    if (start.indent >= deep + 4) {
      if (!whole) return false;
      begin_block();
      m_flow.verbatim(without_columns(m_line, deep + 4), true);
      m_line.clear();
      return false;
    }
    leave_items(start.indent);
    begin_block();
  } else if (task_box(rest)) {
    rest.remove_prefix(4);
  }
  flow_text(rest);
  return false;
}

void MarkdownStream::row(const LineStart& start) {
  if (m_table) return m_table->add(trim(m_line));
  if (!m_paragraph && !m_fresh) leave_items(start.indent);
  if (m_row && is_delimiter_row(m_line)) {
    begin_block();
    m_table.emplace(m_flow);
    m_table->begin(*m_row, trim(m_line));
    m_row.reset();
    return;
  }
  flush_row();
  m_row = m_line;
}

/// What might have been a table's header is text.
void MarkdownStream::flush_row() {
  if (!m_row) return;
  const std::string line = *std::exchange(m_row, std::nullopt);
  if (m_paragraph) {
    m_inline.feed("\n");
  } else {
    begin_block();
  }
  m_inline.feed(trim(line));
  m_paragraph = true;
}

void MarkdownStream::close_text() {
  if (m_table) m_table->finish();
  m_table.reset();
  m_inline.finish();
  m_inline.base_look(k_look_plain);
  m_flow.end_line();
  m_paragraph = m_flowing = m_heading = false;
}

void MarkdownStream::begin_block() {
  close_text();
  if (m_gap && m_any) {
    m_flow.indent(bars(), {});
    m_flow.newline();
  }
  m_gap = false;
  m_any = true;
  if (!m_fresh) set_indent();
}

void MarkdownStream::flow_text(sv rest) {
  m_flowing = m_paragraph = true;
  m_inline.feed(rest);
  m_line.clear();
}

void MarkdownStream::leave_items(std::size_t indent) {
  while (!m_items.empty() && indent <= m_items.back().indent) m_items.pop_back();
}

std::string MarkdownStream::bars() const {
  std::string text;
  for (std::size_t i = 0; i < m_quotes; ++i) text += m_flow.terminal().utf8 ? "│ " : "> ";
  return text;
}

/// `mark` belongs to the innermost item.
void MarkdownStream::set_indent(sv mark) {
  std::size_t before = 0;
  for (const Item& item : m_items) before += item.width;
  const std::size_t own = mark.empty() ? 0 : m_items.back().width;
  m_flow.indent(bars() + std::string(before - own, ' ') + std::string(mark),
                bars() + std::string(before, ' '));
}

}  // namespace svc::print
