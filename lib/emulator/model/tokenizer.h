// A deterministic tokenizer: words, sub-words, digits, spaces and punctuation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace svc::emulator {

struct Token {
  std::uint32_t id = 0;   ///< a hash of the bytes, below 131,072
  std::string_view text;  ///< part of the tokenized text
};

/// Splits `text` into tokens whose concatenation is `text`, byte for byte. A space belongs to the
/// word that follows it, long words are split, and valid UTF-8 characters are never split.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text);

/// tokenize(text).size(), without the list.
[[nodiscard]] std::size_t count_tokens(std::string_view text);

}  // namespace svc::emulator
