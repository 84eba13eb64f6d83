// A terminal's screen: the text that is visible after a program's output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

struct Cell {
  std::string text{};  ///< empty in the second cell of a wide character
  std::string look{};  ///< its SGR codes, such as "1;36"; empty: none

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// Understands the output that programs of this project may write: UTF-8 with wide and combining
/// characters, cursor movement, erasing, looks, links and the clipboard (OSC 8, OSC 52). Anything
/// else is recorded as a fault. A newline moves to the start of the next line, as on a terminal
/// whose line discipline adds a carriage return. Resizing rewraps lines, as modern terminals do.
class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows);

  void feed(std::string_view bytes);
  void resize(std::size_t columns, std::size_t rows);

  /// All lines, including those scrolled off the screen, without trailing spaces and without empty
  /// lines at the end.
  [[nodiscard]] std::string text() const;
  /// The same lines as one cell per column.
  [[nodiscard]] std::vector<std::vector<Cell>> rows() const;
  /// The cursor's position on the screen, from 0.
  [[nodiscard]] std::size_t row() const noexcept { return m_row - top(); }
  [[nodiscard]] std::size_t column() const noexcept { return m_column; }
  /// The clipboard's content, in base64.
  [[nodiscard]] const std::string& clipboard() const noexcept { return m_clipboard; }
  /// The unknown sequences, in printable form.
  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return m_faults; }

 private:
  struct Line {
    std::vector<Cell> cells{};
    bool wrapped = false;  ///< continues in the next line
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
  std::string m_look{};    ///< of text written now
  std::string m_held{};    ///< an incomplete sequence
  std::string m_clipboard{};
  std::vector<std::string> m_faults{};
};

}  // namespace svc::test
