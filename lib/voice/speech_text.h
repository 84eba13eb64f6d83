// Cutting a long text where a speaker would draw breath.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::voice {

struct TextPart {
  std::string text{};
  std::size_t begin = 0;  ///< in the whole text, bytes
};

/// Parts of at most `most` characters (code points): ended by a paragraph or a sentence, where
/// there is none by a line, a clause, a word. Not inside a wrapping tag, unless one alone is too
/// long: it is then closed and opened again. White space between parts is dropped, nothing else; a
/// text that fits is one part, as it is.
[[nodiscard]] std::vector<TextPart> split_text(std::string_view text, std::size_t most);

/// Whether a sentence ends before byte `at`, where white space or the end follows. Abbreviations,
/// initials and ordinals do not end one.
[[nodiscard]] bool ends_sentence(std::string_view text, std::size_t at);

// The tags of a text that is to be spoken.

/// What a text has at a `[` or `<`.
struct Tag {
  enum class Kind : std::uint8_t {
    Inline,  ///< [pause]
    Open,    ///< <whisper>
    Close,   ///< </whisper>
  };
  Kind kind = Kind::Inline;
  std::string_view name{};
  std::size_t begin = 0;  ///< bytes
  std::size_t end = 0;
  bool known = false;
};

/// The tag that begins at byte `at`, or nothing: what looks like none (`a < b`, `[1]`) is text.
[[nodiscard]] std::optional<Tag> tag_at(std::string_view text, std::size_t at);

/// What is wrong with the tags of a text, a sentence each: unknown ones (with the nearest name),
/// ones that are not closed or not open, and such that overlap. At most ten, then how many more.
[[nodiscard]] std::vector<std::string> check_tags(std::string_view text);

}  // namespace svc::voice
