// Decodes terminal input into keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

enum class KeyCode : std::uint8_t {
  Text,   ///< typed characters, one or several
  Paste,  ///< a complete paste, unchanged
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
  PageUp,
  PageDown,
  Escape,
  Control  ///< with `text` "c" for Ctrl-C
};

struct Key {
  KeyCode code = KeyCode::Text;
  std::string text{};
};

/// Decodes bytes as they arrive, split anywhere. Unknown sequences are ignored; everything within a
/// bracketed paste is text.
class KeyReader {
 public:
  void feed(std::string_view bytes) { m_bytes += bytes; }

  /// In vi, a letter after the Escape key is not part of it.
  void separate_escape(bool wanted) noexcept { m_separate = wanted; }

  /// Returns the next key, or nothing if more bytes are needed.
  [[nodiscard]] std::optional<Key> next();

  /// Whether the input ends in an escape character. If it was the Escape key, nothing follows: call
  /// settle() after a short time without input.
  [[nodiscard]] bool waits() const noexcept { return !m_bytes.empty() && !m_pasting; }
  /// Treats a trailing escape character as the Escape key.
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
  bool m_separate = false;
};

}  // namespace svc::cli
