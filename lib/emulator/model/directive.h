// Instructions to the emulator in a user's message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::emulator::text {

enum class DirectiveKind : std::uint8_t { None, Exactly, Words, Refuse, Fail };

struct Directive {
  DirectiveKind kind = DirectiveKind::None;
  std::string text{};      ///< the text to say, or the reason
  std::int64_t words = 0;  ///< of DirectiveKind::Words
};

/// Recognizes `Say exactly: X`, `Write N words`, `Refuse: X` and `Fail with: X` at the start of the
/// message, case-insensitively.
[[nodiscard]] Directive parse_directive(std::string_view message);

/// Returns the position of `word` in `text` as a whole word, without a letter, digit or underscore
/// next to it; or nothing.
[[nodiscard]] std::optional<std::size_t> find_word(std::string_view text, std::string_view word);

/// Returns `count` words as sentences.
[[nodiscard]] std::string generate_words(std::int64_t count);

/// "1 word", "2 words".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

}  // namespace svc::emulator::text
