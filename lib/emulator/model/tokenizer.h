// A tokenizer that is always the same: words, sub-words, digits, spaces and punctuation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace svc::emulator {

struct Token {
  std::uint32_t id = 0;   ///< by a hash of the bytes, below 131,072
  std::string_view text;  ///< part of what was tokenized
};

/// Cuts `text` into tokens; joined they are `text`, byte for byte. A blank belongs to the word that
/// follows it, long words are cut into pieces, and no well-formed UTF-8 character is cut in two.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

/// tokenize(text).size(), without the list.
[[nodiscard]] std::size_t count_tokens(std::string_view text);

}  // namespace svc::emulator
