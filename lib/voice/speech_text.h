// Splits long text at natural pauses.
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
  std::size_t begin = 0;  ///< byte offset in the whole text
};

/// Splits text into parts of at most `most` characters (code points), preferably at the end of a
/// paragraph or sentence, else of a line, clause or word. Does not split inside a wrapping tag
/// unless the tag's text is too long, in which case the tag is closed and reopened; a tag that alone
/// is longer than `most` is a part. Only whitespace between parts is dropped; a text that fits is
/// returned unchanged as one part.
[[nodiscard]] std::vector<TextPart> split_text(std::string_view text, std::size_t most);

/// Whether a sentence ends before byte `at`, where whitespace or the end follows. Abbreviations,
/// initials and ordinals do not end a sentence.
[[nodiscard]] bool ends_sentence(std::string_view text, std::size_t at);

// Speech tags.

/// A speech tag, in `[` or `<`.
struct Tag {
  enum class Kind : std::uint8_t {
    Inline,  ///< [pause]
    Open,    ///< <whisper>
    Close,   ///< </whisper>
  };
  Kind kind = Kind::Inline;
  std::string_view name{};
  std::size_t begin = 0;  ///< byte offset
  std::size_t end = 0;
  bool known = false;
};

/// The tag that starts at byte `at`; nothing for other text (`a < b`, `[1]`).
[[nodiscard]] std::optional<Tag> tag_at(std::string_view text, std::size_t at);

/// Checks a text's tags and returns a sentence for each problem: unknown (with the closest name),
/// unclosed, unopened and overlapping tags. At most ten, followed by the number of the others.
[[nodiscard]] std::vector<std::string> check_tags(std::string_view text);

}  // namespace svc::voice
