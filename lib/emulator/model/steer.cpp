#include "emulator/model/steer.h"

#include <array>

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

// What follows the first of `marks` that the message has, or nothing.
std::optional<std::string> after(sv message, const std::string& lower, sv mark) {
  const std::size_t at = lower.find(mark);
  if (at == std::string::npos) return std::nullopt;
  return std::string(trim(message.substr(at + mark.size())));
}

// N of "write N words".
std::optional<std::int64_t> wanted_words(const std::string& lower) {
  constexpr sv k_verb = "write ";
  for (std::size_t at = lower.find(k_verb); at != std::string::npos;
       at = lower.find(k_verb, at + 1)) {
    const sv rest = sv(lower).substr(at + k_verb.size());
    const std::size_t blank = rest.find(' ');
    if (blank == sv::npos) continue;
    const auto count = parse_integer(rest.substr(0, blank));
    if (count && *count > 0 && rest.substr(blank + 1).starts_with("word")) return count;
  }
  return std::nullopt;
}

}  // namespace

Steering read_steering(sv message) {
  const std::string lower = to_lower(message);
  const std::string start = to_lower(trim(message));
  if (start.starts_with("refuse:")) return {Steer::Refuse, *after(message, lower, "refuse:")};
  if (start.starts_with("fail with:")) return {Steer::Fail, *after(message, lower, "fail with:")};
  for (const sv mark : {sv("say exactly:"), sv("repeat:")}) {
    if (auto text = after(message, lower, mark)) return {Steer::Exactly, std::move(*text)};
  }
  if (const auto count = wanted_words(lower)) return {Steer::Words, {}, *count};
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

std::string write_words(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<std::size_t>(i) % k_sentence;
    std::string word(k_words[static_cast<std::size_t>(i) % k_words.size()]);
    if (place == 0) word.front() = static_cast<char>(word.front() - 'a' + 'A');
    if (place + 1 == k_sentence || i + 1 == count) word += '.';
    if (i > 0) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace svc::emulator::text
