#include "print/live_tail.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "print/width.h"

namespace svc::print {
namespace {

constexpr std::size_t k_tab_stop = 8;
constexpr sv k_begin_update = "\x1b[?2026h";
constexpr sv k_end_update = "\x1b[?2026l";
constexpr sv k_no_look = "\x1b[0m";
constexpr sv k_no_link = "\x1b]8;;\x1b\\";

/// Reads text with the looks and links of its characters.
class Cells {
 public:
  explicit Cells(sv text) : m_text(text) { skip_sequences(); }

  [[nodiscard]] bool done() const { return m_at >= m_text.size(); }
  [[nodiscard]] std::size_t at() const { return m_at; }
  [[nodiscard]] bool same(const Cells& other) const {
    return character() == other.character() && m_look == other.m_look && m_link == other.m_link;
  }
  [[nodiscard]] sv character() const {
    std::size_t end = m_at;
    (void)decode_utf8(m_text, end);
    return m_text.substr(m_at, end - m_at);
  }
  void next() {
    (void)decode_utf8(m_text, m_at);
    skip_sequences();
  }
  /// Returns the sequences that set the current look.
  [[nodiscard]] std::string look() const {
    return m_look + (m_link.empty() ? "" : std::string(m_link));
  }

 private:
  void skip_sequences() {
    while (m_text.substr(m_at).starts_with('\x1b')) {
      const sv rest = m_text.substr(m_at);
      const bool link = rest.starts_with("\x1b]");
      const std::size_t last = link ? rest.find("\x1b\\") : rest.find('m');
      if (last == sv::npos) {
        m_at = m_text.size();
        return;
      }
      const sv sequence = rest.substr(0, last + (link ? 2 : 1));
      if (link) {
        m_link = sequence == k_no_link ? sv{} : sequence;
      } else if (sequence == k_no_look) {
        m_look.clear();
      } else {
        m_look += sequence;
      }
      m_at += sequence.size();
    }
  }

  sv m_text;
  std::size_t m_at = 0;
  std::string m_look{};
  sv m_link{};
};

/// The same, with the place of each character on a screen of `columns`.
class Places : public Cells {
 public:
  Places(sv text, std::size_t columns) : Cells(text), m_text(text), m_columns(columns) {}

  /// Returns how many rows below the first one the cursor is.
  [[nodiscard]] std::size_t row() const { return m_row; }
  /// Returns the cursor's column; the number of columns after a full row.
  [[nodiscard]] std::size_t column() const { return m_column; }
  /// Returns the text from the start of the cursor's row to `end`, in its look.
  [[nodiscard]] std::string row_until(std::size_t end) const {
    if (m_row_begin >= end) return {};
    return m_row_look + std::string(m_text.substr(m_row_begin, end - m_row_begin));
  }
  /// Whether the next character moves the cursor to the next row.
  [[nodiscard]] bool breaks() const {
    const sv c = character();
    return c == "\n" || (c != "\t" && m_column + display_width(c) > m_columns);
  }
  void next() {
    const sv c = character();
    if (c == "\n") {
      Cells::next();
      return begin_row();
    }
    if (breaks()) begin_row();
    m_column = c == "\t" ? std::min(m_columns - 1, (m_column / k_tab_stop + 1) * k_tab_stop)
                         : m_column + display_width(c);
    Cells::next();
  }

 private:
  void begin_row() {
    ++m_row;
    m_column = 0;
    m_row_begin = at();
    m_row_look = look();
  }

  sv m_text;
  std::size_t m_columns;
  std::size_t m_row = 0;
  std::size_t m_column = 0;
  std::size_t m_row_begin = 0;
  std::string m_row_look{};
};

/// Whether the text at `next` belongs to the character before it, which a terminal may join only
/// with what comes at once.
bool splits_character(const Cells& next, sv text) {
  if (next.done() || next.at() == 0) return false;
  constexpr sv k_joiner = "\u200D";
  const bool joined = text.substr(0, next.at()).ends_with(k_joiner);
  return joined || (next.character() != "\n" && next.character() != "\t" &&
                    display_width(next.character()) == 0);
}

/// Writes the rows from the first difference on once more.
std::string redraw(Places shown, const Places& next, std::size_t next_size) {
  while (!shown.done()) shown.next();
  const std::size_t up = shown.row() - next.row();
  std::string out = "\r";
  if (up > 0) out += "\x1b[" + std::to_string(up) + "A";
  const std::string rows = next.row_until(next_size);
  Cells first(rows);
  if (!first.done() && first.character() != "\n") first.next();
  while (splits_character(first, rows)) first.next();
  // Erased at the top left of the screen, the rows would go to the history of some terminals.
  return out + rows.substr(0, first.at()) + "\x1b[J" + rows.substr(first.at());
}

}  // namespace

std::string LiveTail::advance(sv fixed, sv tail, std::size_t columns, std::size_t rows) {
  const std::string before = m_row + m_tail;
  std::string text = m_row;
  text += fixed;
  const std::size_t tail_begin = text.size();
  const std::size_t line_begin = text.rfind('\n') + 1;
  text += tail;

  Places end(sv(text).substr(line_begin), columns);
  while (!end.done() && end.at() < tail_begin - line_begin) end.next();
  m_row = end.row_until(tail_begin - line_begin);
  // One more row is needed for progress.
  const std::size_t last_row = end.row() + std::max<std::size_t>(rows, 2) - 2;
  while (!end.done() && (end.row() < last_row || !end.breaks())) end.next();
  if (!end.done()) {
    text.resize(line_begin + end.at());
    if (!end.look().empty()) text.append(k_no_look).append(k_no_link);
  }
  m_column = end.column() < columns ? end.column() : k_unknown_column;
  m_tail = text.substr(tail_begin);

  Places shown(before, columns);
  Places next(text, columns);
  while (!shown.done() && !next.done() && shown.same(next)) {
    shown.next();
    next.next();
  }
  if (!shown.done() || splits_character(next, text)) {
    const std::string rows_again = redraw(shown, next, text.size());
    // Behind a full row, any sequence but a look may keep the next character from wrapping.
    if (m_column == k_unknown_column) return rows_again;
    return fmt::format("{}{}{}", k_begin_update, rows_again, k_end_update);
  }
  return next.done() ? std::string() : next.look() + text.substr(next.at());
}

}  // namespace svc::print
