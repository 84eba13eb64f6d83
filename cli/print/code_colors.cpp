#include "print/code_colors.h"

#include "base/text.h"

namespace svc::print {
namespace {

constexpr unsigned k_keyword_look = k_look_magenta;
constexpr unsigned k_text_look = k_look_green;
constexpr unsigned k_comment_look = k_look_dim;
constexpr unsigned k_number_look = k_look_cyan;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool begins(sv line, std::size_t at, sv with) {
  return !with.empty() && line.substr(at).starts_with(with);
}

unsigned diff_look(sv line) {
  if (line.starts_with("@@")) return k_look_cyan;
  if (line.starts_with("+")) return k_look_green;
  if (line.starts_with("-")) return k_look_red;
  return 0;
}

}  // namespace

CodeColors::CodeColors(sv info) {
  const std::string name = to_lower(info.substr(0, info.find_first_of(" \t{,")));
  m_diff = name == "diff" || name == "patch";
  if (!name.empty()) m_language = find_language(name);
}

std::string CodeColors::paint(sv line) {
  if (m_diff) return styled(line, diff_look(line));
  if (m_language == nullptr) return std::string(line);
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    unsigned look = 0;
    const std::size_t end = token(line, at, look);
    out += styled(line.substr(at, end - at), look);
    at = end;
  }
  return out;
}

/// Where what begins at `at` ends, and how it looks.
std::size_t CodeColors::token(sv line, std::size_t at, unsigned& look) {
  if (!m_until.empty()) {
    look = m_until_look;
    const std::size_t end = line.find(m_until, at);
    if (end == sv::npos) return line.size();
    const std::size_t after = end + m_until.size();
    m_until = {};
    return after;
  }
  const Language& language = *m_language;
  if (begins(line, at, language.line_comment) || begins(line, at, language.other_comment)) {
    // In a shell `$#` is not a comment, nor is the middle of a word.
    if (language.line_comment != "#" || at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') {
      look = k_comment_look;
      return line.size();
    }
  }
  if (begins(line, at, language.block_begin)) {
    look = m_until_look = k_comment_look;
    m_until = language.block_end;
    return at + language.block_begin.size();
  }
  if (begins(line, at, language.long_quote)) {
    look = m_until_look = k_text_look;
    m_until = language.long_quote;
    return at + language.long_quote.size();
  }
  if (language.quotes.find(line[at]) != sv::npos) {
    look = k_text_look;
    return text_end(line, at);
  }
  return is_name(line[at]) ? word(line, at, look) : at + 1;
}

std::size_t CodeColors::text_end(sv line, std::size_t at) const {
  const char quote = line[at];
  for (std::size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      return i + 1;
    }
  }
  return line.size();
}

std::size_t CodeColors::word(sv line, std::size_t at, unsigned& look) const {
  std::size_t end = at;
  const bool number = is_digit(line[at]);
  while (end < line.size() && (is_name(line[end]) || (number && line[end] == '.'))) ++end;
  if (number) {
    look = k_number_look;
    return end;
  }
  constexpr std::size_t k_longest_keyword = 20;
  if (end - at > k_longest_keyword) return end;
  std::string word = " " + std::string(line.substr(at, end - at)) + " ";
  if (m_language->any_case) word = to_lower(word);
  if (m_language->keywords.find(word) != sv::npos) look = k_keyword_look;
  return end;
}

}  // namespace svc::print
