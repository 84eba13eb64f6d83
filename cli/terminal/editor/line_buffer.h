// The text being edited, and its cursor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::cli {

/// Returns the end offset of each grapheme cluster (user-perceived character) of a UTF-8 text; the
/// last is the text's size. Empty for an empty text.
[[nodiscard]] std::vector<std::size_t> grapheme_ends(std::string_view text);

/// One or more lines of UTF-8. The cursor is always between two grapheme clusters.
class LineBuffer {
 public:
  [[nodiscard]] const std::string& text() const noexcept { return m_text; }
  [[nodiscard]] std::size_t cursor() const noexcept { return m_cursor; }
  /// The offsets of the neighboring clusters, and of the ends of the line at an offset or the
  /// cursor.
  [[nodiscard]] std::size_t before() const;
  [[nodiscard]] std::size_t after() const;
  [[nodiscard]] std::size_t begin_of_line(std::size_t at) const;
  [[nodiscard]] std::size_t begin_of_line() const { return begin_of_line(m_cursor); }
  [[nodiscard]] std::size_t end_of_line(std::size_t at) const;
  [[nodiscard]] std::size_t end_of_line() const { return end_of_line(m_cursor); }

  void set(std::string text);
  /// Inserts text. Line ends become newlines, invalid bytes the replacement character.
  void insert(std::string_view text);
  void erase_before();
  void erase_after();

  void left() { m_cursor = before(); }
  void right() { m_cursor = after(); }
  void line_begin() { m_cursor = begin_of_line(); }
  void line_end() { m_cursor = end_of_line(); }
  void text_end() { m_cursor = m_text.size(); }
  void move_to(std::size_t cursor) { m_cursor = cursor; }
  void word_left() { m_cursor = word_before(); }
  void word_right() { m_cursor = word_after(); }

  /// Delete text and save it for yank().
  void kill_to_line_end();
  void kill_to_line_begin() { kill(begin_of_line(), m_cursor); }
  void kill_word_before() { kill(word_before(), m_cursor); }
  void kill_word_after() { kill(m_cursor, word_after()); }
  void yank() { insert(m_killed); }
  void kill(std::size_t begin, std::size_t end);
  /// What was deleted last, or is to be put back.
  [[nodiscard]] const std::string& killed() const noexcept { return m_killed; }
  void save(std::string text) { m_killed = std::move(text); }
  /// Exchanges the characters around the cursor.
  void transpose();

  /// Until the next call with false, undo() treats all changes as one.
  void group(bool begins) {
    m_grouping = begins;
    m_grouped = false;
  }

  /// Undoes the last change; false if there is none.
  bool undo();

 private:
  struct State {
    std::string text;
    std::size_t cursor;
  };

  [[nodiscard]] std::size_t word_before() const;
  [[nodiscard]] std::size_t word_after() const;
  void remember();

  std::string m_text{};
  std::size_t m_cursor = 0;
  std::string m_killed{};
  std::vector<State> m_states{};
  bool m_grouping = false;
  bool m_grouped = false;  ///< the group's first change was remembered
};

}  // namespace svc::cli
