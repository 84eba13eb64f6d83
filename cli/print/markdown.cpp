#include "print/markdown.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

// Longer lines are text, or shown in parts.
constexpr std::size_t k_max_undecided = 512;
constexpr std::size_t k_usual_rows = 24;
constexpr std::size_t k_min_rows = 4;
constexpr std::size_t k_min_span = 40;
constexpr std::size_t k_max_span = 1000;
constexpr std::size_t k_max_table = 200;  ///< lines of a table off a terminal
constexpr std::size_t k_max_row = 16U << 10U;
constexpr std::size_t k_max_quotes = 6;
constexpr std::size_t k_max_items = 10;
constexpr std::size_t k_max_bare_row = 4096;  ///< bytes of a row without outer bars
// A line whose first cell would be longer is text.
constexpr std::size_t k_max_first_cell = 32;
constexpr std::ptrdiff_t k_max_cell_words = 5;

/// Removes up to this many columns of leading spaces.
std::string without_columns(sv line, std::size_t columns) {
  std::size_t at = 0;
  std::size_t column = 0;
  for (; column < columns && at < line.size() && (line[at] == ' ' || line[at] == '\t'); ++at) {
    column += line[at] == '\t' ? 4 - column % 4 : 1;
  }
  return std::string(column > columns ? column - columns : 0, ' ') + std::string(line.substr(at));
}

sv trim_left(sv line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

/// Returns the position of the first bar between cells.
std::size_t find_bar(sv line) {
  for (std::size_t bar = line.find('|'); bar != sv::npos; bar = line.find('|', bar + 1)) {
    if (bar > 0 && line[bar - 1] == '\\') continue;
    return line.substr(bar + 1).starts_with('|') ? sv::npos : bar;  // `a || b` is code
  }
  return sv::npos;
}

/// Whether a line that starts like this may have a short first cell, whose bar is still to come.
bool may_be_first_cell(sv text) {
  if (text.size() > k_max_first_cell || text.find('`') != sv::npos) return false;
  for (const sv end : {", ", ". ", ": ", "; ", "! ", "? "}) {
    if (text.find(end) != sv::npos) return false;
  }
  return std::count(text.begin(), text.end(), ' ') < k_max_cell_words;
}

}  // namespace

MarkdownStream::MarkdownStream(Terminal terminal, Flow::Measure columns, std::size_t rows)
    : m_flow(terminal, std::move(columns), rows) {}

std::string MarkdownStream::feed(sv piece) {
  m_inline.limit(max_span());
  for (const char c : m_visible.feed(piece)) feed(c);
  if (m_flow.plain()) commit();
  return write(m_flow.rows() > 0 ? preview() : std::string());
}

/// On a plain terminal: outputs the part of an open line whose meaning is known.
void MarkdownStream::commit() {
  if (m_flowing) return m_inline.commit(m_flow);
  if (!m_code || m_line.empty()) return;
  const sv line = unquoted_code();
  const bool may_close = trim(line).find_first_not_of(m_code->mark.front()) == sv::npos;
  if (may_close && !m_code->partial) return;
  code_piece();
}

/// Returns the output of the flow with `tail` behind it.
std::string MarkdownStream::write(const std::string& tail) {
  (void)m_flow.take_widths();
  std::string fixed = m_flow.take();
  const std::size_t rows = m_flow.rows();
  if (rows == 0) return fixed;
  return m_tail.advance(fixed, tail, m_flow.width() + 1, rows);
}

/// Returns the length of a span that certainly fits on the screen.
std::size_t MarkdownStream::max_span() const {
  const std::size_t rows = m_flow.rows() > 0 ? m_flow.rows() : k_usual_rows;
  const std::size_t half = m_flow.width() * (std::max(rows, k_min_rows) - 2) / 2;
  return std::clamp(half, k_min_span, k_max_span);
}

std::size_t MarkdownStream::max_table() const {
  return m_flow.rows() > 0 ? std::max(m_flow.rows(), k_min_rows) - 2 : k_max_table;
}

/// Whether the line has only marks so far, or cells: nothing of it is shown yet.
bool MarkdownStream::is_undecided() const {
  const sv rest = trim_left(m_line);
  if (rest.find_first_not_of("#-*_+=`~> \t") == sv::npos) return true;
  if (rest.starts_with('|') || rest.starts_with("```") || rest.starts_with("~~~")) return true;
  if (m_table || (m_fresh && rest.starts_with('[') && rest.size() < 4)) return true;
  const std::size_t digits = rest.find_first_not_of("0123456789");
  return digits == sv::npos ||
         (digits > 0 && rest.substr(digits).find_first_not_of(".)") == sv::npos);
}

/// Returns the undecided rest as it would look if the text ended here with all marks closed.
std::string MarkdownStream::preview() {
  const bool line = !m_line.empty() && !m_flowing && !m_code && !is_undecided();
  MarkdownStream probe(*this);
  (void)probe.m_flow.take();
  if (line) probe.begin_line(true);
  if (!line && m_row && trim_left(*m_row).starts_with('|')) {
    probe.begin_block();
    probe.m_table.emplace(m_flow, *m_row, sv{}, max_table());
  } else {
    probe.flush_row();
  }
  probe.preview_line(probe.m_flow);
  m_words = probe.m_words;
  return probe.m_flow.take();
}

void MarkdownStream::preview_line(Flow& flow) {
  if (m_code) {
    const sv line = unquoted_code();
    const bool may_close = trim(line).find_first_not_of(m_code->mark.front()) == sv::npos;
    if (may_close && !m_code->partial) return;
    CodeColors colors = m_code->colors;
    return flow.verbatim(
        m_code->partial ? line : colors.paint(without_columns(line, m_code->indent)), false);
  }
  if (m_table) return m_table->preview(flow);
  m_inline.preview(flow);
  const bool fresh = std::exchange(m_words, flow.words()) != flow.words();
  flow.preview_word(fresh);
}

std::string MarkdownStream::finish() {
  for (const char c : m_visible.finish()) feed(c);
  if (!m_line.empty() || m_flowing) end_line();
  flush_row();
  close_text();
  m_code.reset();
  m_items.clear();
  m_quotes = m_line_quotes = 0;
  m_gap = m_any = m_fresh = false;
  set_indent();
  return write({});
}

void MarkdownStream::feed(char c) {
  if (c == '\r') return;  // `\r` occurs only before a newline
  if (c == '\n') return end_line();
  if (m_flowing) return m_inline.feed(m_flow, sv(&c, 1));
  m_line += c;
  if (m_code) {
    if (m_line.size() >= max_span() && static_cast<unsigned char>(c) < 0x80) code_piece();
  } else {
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
    m_inline.finish(m_flow);
    m_inline.base_look(k_look_plain);
    m_flow.end_line();
    m_paragraph = false;
  }
  m_flowing = m_heading = m_fresh = m_bare_row = false;
  m_line.clear();
  m_line_quotes = 0;
}

void MarkdownStream::begin_line(bool whole) {
  if (m_paragraph && m_inline.in_formula(m_flow) && !trim(m_line).empty()) {
    m_inline.feed(m_flow, "\n");
    return flow_text(m_line);
  }
  for (bool again = true; again;) {
    const std::size_t first = m_line.find_first_not_of(" \t");
    const bool is_row = m_bare_row || (first != std::string::npos && m_line[first] == '|');
    const bool enough = m_line.size() >= (is_row ? k_max_row : k_max_undecided);
    auto start = read_line_start(m_line, whole);
    if (!start && !enough) return;
    if (!start) start = LineStart{};
    again = act(*start, whole || enough);
  }
}

/// Returns whether more of the line must be examined.
bool MarkdownStream::act(const LineStart& start, bool whole) {
  if (start.kind == LineKind::Quote && m_line_quotes < k_max_quotes) {
    quote(start);
    return true;
  }
  settle_quotes();
  const RowGuess guess = start.kind == LineKind::Row ? RowGuess::Yes : guess_row(start, whole);
  if (guess == RowGuess::Yes) row(start);
  if (guess != RowGuess::No) return false;
  end_table();
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
    default:
      return text(start, whole);
  }
}

void MarkdownStream::end_table() {
  if (m_row) flush_row();
  if (m_table) m_table->finish(m_flow);
  m_table.reset();
}

/// Whether a line that does not start with a bar is a table row. Its bars may come late.
MarkdownStream::RowGuess MarkdownStream::guess_row(const LineStart& start, bool whole) {
  const bool plain = start.kind == LineKind::Text || (m_row && start.kind == LineKind::Item);
  if (m_flow.plain() && !m_row) return RowGuess::No;  // the line would have to wait
  if (!plain || m_fresh || start.indent >= item_content() + 4) return RowGuess::No;
  const sv rest = trim_left(m_line);
  if (m_row) {
    const RowGuess below = guess_below_header(rest, whole);
    if (below != RowGuess::No) return below;
    if (start.kind == LineKind::Item) return RowGuess::No;
  }
  const std::size_t bar = find_bar(rest);
  if (bar != sv::npos && rest.size() <= k_max_bare_row && may_be_first_cell(rest.substr(0, bar))) {
    m_bare_row = true;
    return whole ? RowGuess::Yes : RowGuess::Wait;
  }
  return !whole && bar == sv::npos && may_be_first_cell(rest) ? RowGuess::Wait : RowGuess::No;
}

/// The same for the line after a possible header: it must be `---|---`.
MarkdownStream::RowGuess MarkdownStream::guess_below_header(sv rest, bool whole) const {
  if (rest.find_first_not_of("|-: \t") != sv::npos || rest.size() > k_max_bare_row) {
    return RowGuess::No;
  }
  if (!whole) return RowGuess::Wait;
  const bool below = is_delimiter_row(rest) && split_row(*m_row).size() == split_row(rest).size();
  return below ? RowGuess::Yes : RowGuess::No;
}

/// A mark outside an item's text ends the item and everything inside it.
void MarkdownStream::quote(const LineStart& start) {
  std::size_t kept = 0;
  while (kept < m_items.size() && m_items[kept].quotes <= m_line_quotes &&
         (m_items[kept].quotes < m_line_quotes || start.indent > m_items[kept].indent)) {
    ++kept;
  }
  if (kept < m_items.size() && m_items[kept].quotes == m_line_quotes) {
    flush_row();
    close_text();
    m_items.resize(kept);
    m_quotes = std::min(m_quotes, m_line_quotes);
  }
  ++m_line_quotes;
  m_line.erase(0, start.content);
}

/// Returns the column where the innermost item's text starts, relative to its quote.
std::size_t MarkdownStream::item_content() const {
  return m_items.empty() || m_items.back().quotes < m_quotes ? 0 : m_items.back().content;
}

void MarkdownStream::settle_quotes() {
  if (m_line_quotes == m_quotes) return;
  flush_row();
  close_text();
  while (!m_items.empty() && m_items.back().quotes > m_line_quotes) m_items.pop_back();
  if (m_gap && m_any) {
    m_quotes = std::min(m_quotes, m_line_quotes);
    m_flow.indent(prefix({}, true), {});
    m_flow.newline();
    m_gap = false;
  }
  m_quotes = m_line_quotes;
  if (m_fresh && !m_items.empty()) set_indent(m_items.back().mark);
}

void MarkdownStream::blank() {
  close_text();
  if (m_fresh) m_flow.newline();  // an empty item
  m_gap = true;
}

void MarkdownStream::heading(const LineStart& start) {
  leave_items(start.indent);
  begin_block();
  const unsigned look = start.size == 1 ? k_look_bold | k_look_underline : k_look_bold;
  m_inline.base_look(look);
  m_heading = true;
  if (m_flow.terminal().shows_marks()) m_flow.text(std::string(start.size, '#') + " ", look);
  flow_text(sv(m_line).substr(start.content));
}

void MarkdownStream::rule() {
  if (!m_paragraph) leave_items(0);
  begin_block();
  const std::size_t width = std::min<std::size_t>(m_flow.room(), 72);
  const std::string line =
      m_flow.plain() ? std::string("---") : repeat(m_flow.terminal().utf8 ? "─" : "-", width);
  m_flow.verbatim(m_flow.terminal().color ? styled(line, k_look_dim) : line, true);
}

void MarkdownStream::open_fence(const LineStart& start) {
  if (!m_fresh) leave_items(start.indent);
  begin_block();
  const sv info = trim(sv(m_line).substr(start.content));
  m_code.emplace(Code{std::string(start.mark), start.indent, m_quotes,
                      CodeColors(m_flow.terminal().color ? info : sv{})});
  const bool spoken = m_flow.terminal().screen_reader;
  const std::string line = !spoken        ? std::string(start.mark) + std::string(info)
                           : info.empty() ? "Code:"
                                          : "Code, " + std::string(info) + ":";
  m_flow.verbatim(m_flow.terminal().color ? styled(line, k_look_dim) : line, true);
}

/// Returns the line of code without the marks of the quotes around it.
sv MarkdownStream::unquoted_code() const {
  sv line = m_line;
  for (std::size_t i = 0; i < m_code->quotes && !m_code->partial; ++i) {
    const std::size_t at = line.find_first_not_of(' ');
    if (at == sv::npos || line[at] != '>') break;
    line.remove_prefix(at + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
  }
  return line;
}

void MarkdownStream::code_line() {
  const sv line = unquoted_code();
  if (!m_code->partial) {
    const sv bare = trim(line);
    if (bare.size() >= m_code->mark.size() && bare.starts_with(m_code->mark) &&
        bare.find_first_not_of(m_code->mark.front()) == sv::npos) {
      const sv end = m_flow.terminal().screen_reader ? sv("End of code.") : bare;
      m_flow.verbatim(m_flow.terminal().color ? styled(end, k_look_dim) : std::string(end), true);
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
  const sv line = unquoted_code();
  m_flow.verbatim(m_code->partial ? std::string(line) : without_columns(line, m_code->indent),
                  false);
  m_code->partial = true;
  m_line.clear();
}

bool MarkdownStream::begin_item(const LineStart& start) {
  const bool number = start.mark.size() > 1;
  if (m_items.size() >= k_max_items) return false;
  // A line of text may start with a year.
  const bool first = start.mark == "1." || start.mark == "1)";
  if (number && m_paragraph && !m_fresh && m_items.empty() && !first) return false;
  // Siblings may be a column apart.
  if (!m_fresh) leave_items(std::max<std::size_t>(start.indent, 1) - 1);
  if (m_fresh) m_flow.newline();
  begin_block();
  constexpr std::array<sv, 3> k_bullets = {"•", "◦", "▪"};
  const bool utf8 = m_flow.terminal().utf8 && !m_flow.terminal().screen_reader;
  const sv bullet = utf8 ? k_bullets[m_items.size() % k_bullets.size()] : sv("-");
  const std::string mark = (number ? std::string(start.mark) : std::string(bullet)) + " ";
  const std::size_t content = start.indent + start.mark.size() + 1;
  m_items.push_back({start.indent, content, m_quotes, mark, number});
  set_indent(mark);
  m_line = std::string(content, ' ') + m_line.substr(start.content);
  m_fresh = true;
  return true;
}

bool MarkdownStream::task_box(sv rest) {
  const bool done = rest.starts_with("[x] ") || rest.starts_with("[X] ");
  if (!done && !rest.starts_with("[ ] ")) return false;
  Item& item = m_items.back();
  if (item.quotes != m_quotes) return false;  // the text of a quote within the item
  const bool utf8 = m_flow.terminal().utf8 && !m_flow.plain();
  const sv box = utf8 ? (done ? "☑ " : "☐ ") : (done ? "[x] " : "[ ] ");
  item.mark = (item.numbered ? item.mark : std::string()) + std::string(box);
  set_indent(item.mark);
  return true;
}

/// Returns whether more of the line is needed.
bool MarkdownStream::text(const LineStart& start, bool whole) {
  sv rest = trim_left(m_line);
  if (m_fresh && rest.starts_with('[') && rest.size() < 4 && !whole) return false;
  if (m_paragraph && !m_fresh) {
    m_inline.feed(m_flow, "\n");
    flow_text(rest);
    return false;
  }
  const std::size_t deep = item_content();
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
  if (m_table) return m_table->add(m_flow, trim(m_line));
  if (!m_paragraph && !m_fresh) leave_items(start.indent);
  const bool bare = m_row && !trim(*m_row).starts_with('|');
  const bool below = m_row && is_delimiter_row(m_line);
  if (below && (!bare || guess_below_header(trim(m_line), true) == RowGuess::Yes)) {
    begin_block();
    m_table.emplace(m_flow, *m_row, trim(m_line), max_table());
    m_row.reset();
    return;
  }
  flush_row();
  m_row = m_line;
}

/// Treats a possible table header as text.
void MarkdownStream::flush_row() {
  if (!m_row) return;
  const std::string line = *std::exchange(m_row, std::nullopt);
  if (m_paragraph) {
    m_inline.feed(m_flow, "\n");
  } else {
    begin_block();
  }
  m_inline.feed(m_flow, trim(line));
  m_paragraph = true;
}

void MarkdownStream::close_text() {
  if (m_table) m_table->finish(m_flow);
  m_table.reset();
  m_inline.finish(m_flow);
  m_inline.base_look(k_look_plain);
  m_flow.end_line();
  m_paragraph = m_flowing = m_heading = false;
}

void MarkdownStream::begin_block() {
  close_text();
  if (m_gap && m_any) {
    m_flow.indent(prefix({}, true), {});
    m_flow.newline();
  }
  m_gap = false;
  m_any = true;
  if (!m_fresh) set_indent();
}

void MarkdownStream::flow_text(sv rest) {
  m_flowing = m_paragraph = true;
  m_inline.feed(m_flow, rest);
}

void MarkdownStream::leave_items(std::size_t indent) {
  while (!m_items.empty() && m_items.back().quotes == m_quotes && indent <= m_items.back().indent) {
    m_items.pop_back();
  }
}

std::string MarkdownStream::bars(std::size_t count) const {
  return repeat(m_flow.terminal().utf8 && !m_flow.plain() ? "│ " : "> ", count);
}

/// Returns a line's prefix: the bars of quotes and the indentation of items, outermost first, with
/// `mark` in place of the innermost item's indentation. `quotes_only`: only up to the innermost
/// bar.
std::string MarkdownStream::prefix(sv mark, bool quotes_only) const {
  std::string text;
  std::size_t quotes = 0;
  for (const Item& item : m_items) {
    if (quotes_only && item.quotes >= m_quotes) break;
    text += bars(item.quotes - quotes);
    quotes = item.quotes;
    const bool own = !mark.empty() && &item == &m_items.back();
    text += own ? std::string(mark) : std::string(display_width(item.mark), ' ');
  }
  return text + bars(m_quotes - quotes);
}

/// `mark` belongs to the innermost item.
void MarkdownStream::set_indent(sv mark) {
  m_flow.indent(prefix(mark), prefix({}));
}

}  // namespace svc::print
