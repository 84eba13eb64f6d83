// Words in lines: breaks styled text at blanks as it arrives, and never touches what it gave out.
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

// How a piece of text looks on a terminal: our own escape sequences, nobody else's.

using sv = std::string_view;

/// A set of looks, to be joined with `|`.
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

/// What ends every look.
inline constexpr sv k_end_look = "\x1b[0m";

/// `text` (safe for a terminal already) in that look.
[[nodiscard]] std::string styled(sv text, unsigned look);

/// Of a cursor: behind the last column, or a tab.
inline constexpr std::size_t k_unknown_column = static_cast<std::size_t>(-1);

/// Text that flows into lines of the terminal's width. What it gives out is append-only and does
/// not depend on how the text was cut. Every word carries its own escape sequences and ends them,
/// so that a line that breaks off leaves nothing behind. `text` must be safe for a terminal.
class Flow {
 public:
  using Measure = std::function<int()>;

  /// `columns` is asked at the begin of every line: the window may be resized.
  Flow(Terminal terminal, Measure columns);

  /// Lines of exactly `width` columns, as in the cell of a table: a longer word is broken.
  [[nodiscard]] static Flow cell(Terminal terminal, std::size_t width);

  /// What stands before the next line, and before those that follow it by breaking.
  void indent(std::string first, std::string rest);

  /// Words and blanks. A word longer than a line is left to the terminal to break, but for a cell.
  void text(sv text, unsigned look);

  /// From here on, words are a link to `url` (checked here); "" ends it.
  void link(sv url);

  /// Ends the line, if one is open.
  void end_line();

  /// Ends the line, also an empty one.
  void newline();

  /// A line as it is, without breaking: code. `ends` is false for one that continues.
  void verbatim(sv line, bool ends);

  /// Gives out a word that is not complete yet; its rest follows on the same line.
  void release_word();

  /// What was made since the last call. A word that is not complete yet is not in it.
  [[nodiscard]] std::string take() { return std::exchange(m_out, {}); }

  /// The column behind what was given out of the line that is open; 0 when none is, and
  /// k_unknown_column where terminals disagree.
  [[nodiscard]] std::size_t column() const noexcept;

  /// The width of the longest word so far.
  [[nodiscard]] std::size_t longest_word() const noexcept { return m_longest_word; }

  /// Columns that a line may have.
  [[nodiscard]] std::size_t width() const;

  /// Columns left after the line's prefix.
  [[nodiscard]] std::size_t room() const;

  [[nodiscard]] const Terminal& terminal() const noexcept { return m_terminal; }

  /// The widths of the lines that were ended since the last call.
  [[nodiscard]] std::vector<std::size_t> take_widths() { return std::exchange(m_widths, {}); }

  /// Whether anything stands on the current line.
  [[nodiscard]] bool line_open() const noexcept { return m_open || !m_word.empty(); }

 private:
  void add(sv bytes, std::size_t width, unsigned look);
  void close_look();
  void close_word();
  void blank(unsigned look);
  void begin_line();
  void break_line();

  Terminal m_terminal;
  Measure m_measure;
  std::size_t m_cell = 0;  ///< the width of a cell; 0: lines of the terminal
  std::string m_out{};
  std::string m_first{};
  std::string m_rest{};
  std::vector<std::size_t> m_widths{};
  std::string m_url{};
  std::string m_word{};  ///< with its escape sequences
  std::size_t m_word_width = 0;
  unsigned m_word_look = 0;  ///< that is open at the word's end
  bool m_word_link = false;  ///< likewise
  bool m_word_wide = false;  ///< ends with a character after which a line may break
  bool m_joining = false;    ///< the last character joins the next one to it
  std::size_t m_marks = 0;   ///< combining characters in a row
  bool m_goes_on = false;    ///< the next word belongs to the last one, which was too long to hold
  bool m_blank = false;      ///< stands before the next word
  unsigned m_blank_look = 0;
  bool m_open = false;  ///< something stands on the line
  std::size_t m_column = 0;
  std::size_t m_indent = 0;
  std::size_t m_limit = 0;
  std::size_t m_columns = 0;
  std::size_t m_longest_word = 0;
};

}  // namespace svc::print
