#include "emulator/model/tokenizer.h"

#include "base/text.h"

namespace svc::emulator {
namespace {

constexpr std::uint32_t k_vocabulary = 131'072;
constexpr std::size_t k_whole_word = 8;  // code points; longer words are split
constexpr std::size_t k_word_piece = 5;
constexpr std::size_t k_digit_group = 3;
constexpr std::size_t k_blank_run = 16;

enum class Class : std::uint8_t { Letter, Digit, Blank, LineEnd, Other };

Class class_of(char32_t c) {
  if ((c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || c == U'_') return Class::Letter;
  if (c >= U'0' && c <= U'9') return Class::Digit;
  if (c == U' ' || c == U'\t') return Class::Blank;
  if (c == U'\n' || c == U'\r') return Class::LineEnd;
  // Letters of other alphabets up to the general punctuation block; scripts without blanks between
  // words (from U+2E80 on) count one token per character.
  if (c >= 0xC0 && c < 0x2000) return Class::Letter;
  return Class::Other;
}

// Returns the end of the code points of class `token_class` from `position` on, at most `limit` of
// them.
std::size_t run_end(sv text, std::size_t position, Class token_class, std::size_t limit) {
  for (std::size_t count = 0; count < limit && position < text.size(); ++count) {
    std::size_t next = position;
    if (class_of(decode_utf8(text, next)) != token_class) break;
    position = next;
  }
  return position;
}

std::size_t word_end(sv text, std::size_t begin) {
  const std::size_t whole = run_end(text, begin, Class::Letter, k_whole_word);
  const bool continues = run_end(text, whole, Class::Letter, 1) != whole;
  return continues ? run_end(text, begin, Class::Letter, k_word_piece) : whole;
}

// Returns the end of the token that starts at `begin`, which is before the end of `text`.
std::size_t token_end(sv text, std::size_t begin) {
  std::size_t next = begin;
  const char32_t first = decode_utf8(text, next);
  switch (class_of(first)) {
    case Class::Letter:
      return word_end(text, begin);
    case Class::Digit:
      return run_end(text, begin, Class::Digit, k_digit_group);
    case Class::LineEnd:
      return run_end(text, begin, Class::LineEnd, 2);
    case Class::Blank: {
      const std::size_t after = word_end(text, next);
      if (first == U' ' && after != next) return after;
      return run_end(text, begin, Class::Blank, k_blank_run);
    }
    case Class::Other:
      break;
  }
  return next;
}

std::uint32_t hash_id(sv bytes) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  }
  return (hash ^ (hash >> 17U)) % k_vocabulary;
}

}  // namespace

std::vector<Token> tokenize(sv text) {
  std::vector<Token> tokens;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = token_end(text, begin);
    const sv piece = text.substr(begin, end - begin);
    tokens.push_back({hash_id(piece), piece});
    begin = end;
  }
  return tokens;
}

std::size_t count_tokens(sv text) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < text.size(); ++count) begin = token_end(text, begin);
  return count;
}

}  // namespace svc::emulator
