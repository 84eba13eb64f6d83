// What a terminal sends, as keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

enum class KeyCode : std::uint8_t {
  Text,   ///< what was typed: one character or several at once
  Paste,  ///< what was pasted, all of it, as it is
  Enter,
  NewLine,  ///< Alt-Enter
  Tab,
  BackTab,
  Backspace,
  Delete,
  Left,
  Right,
  Up,
  Down,
  Home,
  End,
  WordLeft,
  WordRight,
  WordBack,     ///< Alt-Backspace
  WordForward,  ///< Alt-D
  Escape,
  Control  ///< with `text` "c" for Ctrl-C
};

struct Key {
  KeyCode code = KeyCode::Text;
  std::string text{};
};

/// Takes bytes as they come, cut anywhere. Sequences that mean nothing here are left out; what is
/// between the marks of a bracketed paste is text, whatever it holds.
class KeyReader {
 public:
  void feed(std::string_view bytes) { m_bytes += bytes; }

  /// The next key, or nothing when more bytes are needed.
  [[nodiscard]] std::optional<Key> next();

  /// Whether an escape character waits for what follows it. Nothing follows the Escape key: after
  /// a moment without bytes call settle().
  [[nodiscard]] bool waits() const noexcept { return !m_bytes.empty() && !m_pasting; }
  /// What waits is not continued: an escape character is the Escape key.
  void settle() noexcept { m_settled = true; }

 private:
  [[nodiscard]] std::optional<Key> paste();
  [[nodiscard]] std::optional<Key> escape();
  [[nodiscard]] std::optional<Key> sequence();
  [[nodiscard]] std::optional<Key> typed();
  [[nodiscard]] Key taken(std::size_t bytes, Key key);

  std::string m_bytes{};
  bool m_pasting = false;
  bool m_settled = false;
};

}  // namespace svc::cli
