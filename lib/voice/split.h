// Cutting a long text where a speaker would draw breath.
#pragma once

#include <cstddef>
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

}  // namespace svc::voice
