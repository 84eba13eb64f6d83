// Word wrapping: breaks styled text at spaces as it arrives, with append-only output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "print/streams.h"

namespace svc::print {

// The look of text on a terminal. Only our own escape sequences are used.

using sv = std::string_view;

/// Looks, combined with `|`.
enum Look : std::uint16_t {
  k_look_plain = 0,
  k_look_bold = 1,
  k_look_dim = 2,
  k_look_italic = 4,
  k_look_underline = 8,
  k_look_strike = 16,
  k_look_green = 32,
  k_look_magenta = 64,
  k_look_cyan = 128,
  k_look_red = 256,
};

/// Returns `text` (already safe for a terminal) in that look.
[[nodiscard]] std::string styled(sv text, unsigned look);

/// Cursor position after the last column or after a tab.
inline constexpr std::size_t k_unknown_column = static_cast<std::size_t>(-1);

/// Wraps text to the terminal's width. The output is append-only and does not depend on how the
/// input was split. Every word contains its own escape sequences and ends them, so that an
/// interrupted line leaves no look behind. `text` must be safe for a terminal.
class Flow {
 public:
  using Measure = std::function<int()>;

  /// `columns` is called at the start of every line, because the window may be resized. `rows` of
  /// the screen; 0: what was written cannot be redrawn.
  Flow(Terminal terminal, Measure columns, std::size_t rows = 0);

  /// Creates a flow with lines of exactly `width` columns, as in a table cell: longer words are
  /// broken.
  [[nodiscard]] static Flow cell(Terminal terminal, std::size_t width);

  /// Sets the prefix of the next line and of the lines it wraps into.
  void indent(std::string first, std::string rest);

  /// Adds words and spaces. The terminal breaks a word that is longer than a line, except in a
  /// cell.
  void text(sv text, unsigned look);

  /// Links the words that follow to `url` (checked here); "" ends the link.
  void link(sv url);

  /// Ends the current line, if one is open.
  void end_line();

  /// Ends the current line, even if it is empty.
  void newline();

  /// Adds a line without wrapping: code. `ends` is false if the line continues.
  void verbatim(sv line, bool ends);

  /// Outputs an incomplete word for a preview. If `may_wait`, not near the end of the line, from
  /// where its rest might move it to the next line.
  void preview_word(bool may_wait);

  /// On a plain terminal, where nothing is redrawn: outputs an incomplete word, unless its rest may
  /// move it to the next line. There, a line breaks inside a word that is longer than
  /// k_longest_moved and starts before the line's last k_longest_moved columns, so that the lines
  /// do not depend on when the text arrived.
  void commit_word();
  static constexpr std::size_t k_longest_moved = 16;

  /// Returns the number of complete words so far.
  [[nodiscard]] std::size_t words() const noexcept { return m_words; }

  /// Returns the output since the last call, without a word that is still incomplete.
  [[nodiscard]] std::string take() { return std::exchange(m_out, {}); }

  /// Returns the column after the output on the open line: 0 if no line is open, and
  /// k_unknown_column where terminals disagree.
  [[nodiscard]] std::size_t column() const noexcept;

  /// Returns the width of the longest word so far.
  [[nodiscard]] std::size_t longest_word() const noexcept { return m_longest_word; }

  /// Returns the maximum columns of a line.
  [[nodiscard]] std::size_t width() const;

  /// Returns the columns left after the line's prefix.
  [[nodiscard]] std::size_t room() const;

  [[nodiscard]] const Terminal& terminal() const noexcept { return m_terminal; }
  [[nodiscard]] std::size_t rows() const noexcept { return m_rows; }

  /// Whether this is text on a plain terminal.
  [[nodiscard]] bool plain() const noexcept {
    return m_terminal.plain && m_rows == 0 && m_cell == 0;
  }

  /// Whether it is shown there with its marks, so that a mark need not wait for its end.
  [[nodiscard]] bool raw() const noexcept { return plain() && m_terminal.shows_marks(); }

  /// Returns the widths of the lines that ended since the last call.
  [[nodiscard]] std::vector<std::size_t> take_widths() { return std::exchange(m_widths, {}); }

  /// Whether the current line has any content.
  [[nodiscard]] bool line_open() const noexcept { return m_open || !m_word.empty(); }

 private:
  void add(sv bytes, std::size_t width, unsigned look);
  void close_look();
  [[nodiscard]] bool may_move() const;
  void close_word();
  void blank(unsigned look);
  void begin_line();
  void break_line();

  Terminal m_terminal;
  Measure m_measure;
  std::size_t m_rows;
  std::size_t m_cell = 0;  ///< width of a cell; 0: lines of the terminal
  std::string m_out{};
  std::string m_first{};
  std::string m_rest{};
  std::vector<std::size_t> m_widths{};
  std::string m_url{};
  std::string m_word{};  ///< including its escape sequences
  std::size_t m_word_width = 0;
  unsigned m_word_look = 0;  ///< look that is open at the word's end
  bool m_word_link = false;  ///< link that is open at the word's end
  bool m_word_wide = false;  ///< ends with a character after which a line may break
  bool m_joining = false;    ///< the last character joins the next one
  std::size_t m_marks = 0;   ///< combining characters in a row
  bool m_continues = false;  ///< the next word continues one that was too long to buffer
  bool m_blank = false;      ///< a space precedes the next word
  unsigned m_blank_look = 0;
  bool m_open = false;  ///< the line has content
  std::size_t m_column = 0;
  std::size_t m_indent = 0;
  std::size_t m_limit = 0;
  std::size_t m_columns = 0;
  std::size_t m_longest_word = 0;
  std::size_t m_words = 0;
};

}  // namespace svc::print
