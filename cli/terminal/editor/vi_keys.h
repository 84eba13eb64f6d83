// vi's normal mode in the line editor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "terminal/editor/line_buffer.h"

namespace svc::cli {

/// Counts, motions (h l w b e W B E 0 ^ $ gg G f t F T ; ,), operators with them (d c y, doubled
/// for lines), x X D C Y S s r p P u i a I A o O, and . for the last change. Starts in insert mode,
/// in which the editor works as always; what is inserted at a time is one change for u.
class ViKeys {
 public:
  /// What the editor has to do itself.
  enum class Wish : std::uint8_t { None, Up, Down, Search, SearchOn, Edit };

  [[nodiscard]] bool is_normal() const noexcept { return m_normal; }
  void insert(LineBuffer& buffer);
  /// The Escape key.
  void escape(LineBuffer& buffer);
  /// A character typed in normal mode; may be wide.
  [[nodiscard]] Wish type(std::string_view character, LineBuffer& buffer);
  /// Moves the cursor off the end of its line, where normal mode has no character.
  void settle(LineBuffer& buffer) const;

 private:
  struct Motion {
    std::size_t to = 0;
    bool inclusive = false;  ///< an operator includes the character there
    bool lines = false;      ///< an operator applies to whole lines
  };

  /// A search for a character on the line: f, t, F or T, and the character.
  struct Find {
    char kind = 0;
    std::string target{};
  };
  /// The last change, for `.`: its keys, and the text inserted after them.
  struct Change {
    std::string keys{};
    std::string inserted{};
    std::size_t begin = 0;  ///< of the inserted text
    std::size_t tail = 0;   ///< length of the text behind it
  };

  [[nodiscard]] Wish run(std::string_view character, LineBuffer& buffer);
  void repeat_change(LineBuffer& buffer);
  [[nodiscard]] std::optional<Motion> find(const Find& what, bool again, LineBuffer& at) const;
  [[nodiscard]] Wish command(char c, LineBuffer& buffer);
  [[nodiscard]] std::optional<Motion> motion(char c, LineBuffer& buffer) const;
  [[nodiscard]] std::optional<Motion> reach(char c, LineBuffer& at) const;
  void finish_pending(char what, std::string_view character, LineBuffer& buffer);
  void apply(char which, std::optional<Motion> motion, LineBuffer& buffer);
  void operate(char which, std::size_t begin, std::size_t end, LineBuffer& buffer);
  void operate_lines(char which, std::size_t from, std::size_t to, LineBuffer& buffer);
  [[nodiscard]] std::size_t last_line(const LineBuffer& buffer) const;
  [[nodiscard]] static Motion line_number(std::size_t number, const LineBuffer& buffer);
  void put(bool after, LineBuffer& buffer) const;
  void replace(std::string_view character, LineBuffer& buffer) const;
  void open_line(bool below, LineBuffer& buffer);
  [[nodiscard]] std::size_t count() const noexcept;
  [[nodiscard]] bool is_counted() const noexcept { return m_count > 0 || m_operator_count > 0; }
  void reset() noexcept;

  bool m_normal = false;
  std::size_t m_count = 0;           ///< as typed; 0: none
  std::size_t m_operator_count = 0;  ///< before the operator
  char m_operator = 0;
  char m_pending = 0;    ///< waits for a character: r g f t F T
  std::string m_keys{};  ///< of the command that is being typed
  Find m_find{};
  Change m_change{};
};

}  // namespace svc::cli
