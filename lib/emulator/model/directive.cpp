#include "emulator/model/directive.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::emulator::text {
namespace {

constexpr std::array<sv, 24> k_words = {"the",    "emulator", "writes", "plain", "words", "one",
                                        "after",  "another",  "so",     "that",  "a",     "long",
                                        "answer", "can",      "be",     "tried", "out",   "without",
                                        "any",    "network",  "or",     "key",   "at",    "all"};
constexpr std::size_t k_sentence = 12;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Returns N of "write N words".
std::optional<std::int64_t> wanted_words(sv message) {
  constexpr sv k_verb = "write ";
  if (!equals_ignore_case(message.substr(0, k_verb.size()), k_verb)) return std::nullopt;
  const sv rest = message.substr(k_verb.size());
  const std::size_t space = rest.find(' ');
  if (space == sv::npos) return std::nullopt;
  const auto count = parse_integer(rest.substr(0, space));
  if (!count || *count <= 0) return std::nullopt;
  constexpr sv k_noun = "word";
  if (!equals_ignore_case(rest.substr(space + 1, k_noun.size()), k_noun)) return std::nullopt;
  return count;
}

}  // namespace

Directive parse_directive(sv given) {
  struct Mark {
    sv text;
    DirectiveKind kind;
  };
  constexpr std::array k_marks = {Mark{"say exactly:", DirectiveKind::Exactly},
                                  Mark{"refuse:", DirectiveKind::Refuse},
                                  Mark{"fail with:", DirectiveKind::Fail}};
  const sv message = trim(given);
  for (const Mark& mark : k_marks) {
    const std::size_t size = mark.text.size();
    if (!equals_ignore_case(message.substr(0, size), mark.text)) continue;
    return {mark.kind, std::string(trim(message.substr(size)))};
  }
  if (const auto count = wanted_words(message)) return {DirectiveKind::Words, {}, *count};
  return {};
}

std::optional<std::size_t> find_word(sv text, sv word) {
  if (word.empty()) return std::nullopt;
  for (std::size_t at = text.find(word); at != sv::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (begins && ends) return at;
  }
  return std::nullopt;
}

std::string generate_words(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(i) % k_sentence;
    std::string word(k_words[static_cast<std::size_t>(i) % k_words.size()]);
    if (index == 0) word.front() = static_cast<char>(word.front() - 'a' + 'A');
    if (index + 1 == k_sentence || i + 1 == count) word += '.';
    if (i > 0) text += ' ';
    text += word;
  }
  return text;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace svc::emulator::text
