// A terminal's screen: what a person sees after all the bytes that a program wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

struct Cell {
  std::string text{};  ///< of a wide character: the second half is empty
  std::string look{};  ///< the codes of SGR that it was written with, "1;36"; empty: none

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Understands what programs of this project may write: text in UTF-8 with wide and combining
/// characters, cursor movement, erasing, looks, links and the clipboard (OSC 8, OSC 52). Anything
/// else is noted as a fault. A newline goes to the begin of the next line, as on a terminal whose
/// line discipline adds the carriage return. A new size wraps the lines anew, as modern terminals
/// do.
class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows);

  void feed(std::string_view bytes);
  void resize(std::size_t columns, std::size_t rows);

  /// All lines from the first on, those that have left the screen too, without blanks at their
  /// ends and without empty lines at the end.
  [[nodiscard]] std::string text() const;
  /// The same lines, a cell per column.
  [[nodiscard]] std::vector<std::vector<Cell>> rows() const;
  /// Where the cursor is, counted from 0 on the screen.
  [[nodiscard]] std::size_t row() const noexcept { return m_row - top(); }
  [[nodiscard]] std::size_t column() const noexcept { return m_column; }
  /// What was given to the clipboard, in base64.
  [[nodiscard]] const std::string& clipboard() const noexcept { return m_clipboard; }
  /// The sequences that it does not know, in visible form.
  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return m_faults; }

 private:
  struct Line {
    std::vector<Cell> cells{};
    bool wrapped = false;  ///< goes on in the next line
  };

  [[nodiscard]] std::size_t top() const noexcept;
  [[nodiscard]] std::size_t escape(std::string_view text);
  [[nodiscard]] std::size_t control_sequence(std::string_view text);
  [[nodiscard]] std::size_t command(std::string_view text);
  void set_look(std::string_view codes);
  void put(std::string_view character, std::size_t width);
  void newline();
  Line& line();
  void erase_from(std::size_t row, std::size_t column);
  void fault(std::string_view sequence);

  std::size_t m_columns;
  std::size_t m_rows;
  std::vector<Line> m_lines{1};
  std::size_t m_row = 0;  ///< among all lines
  std::size_t m_column = 0;
  bool m_pending = false;  ///< the next character wraps
  std::string m_look{};    ///< of what is written now
  std::string m_held{};    ///< a sequence that is not complete yet
  std::string m_clipboard{};
  std::vector<std::string> m_faults{};
};

}  // namespace svc::test
