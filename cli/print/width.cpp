#include "print/width.h"

#include <algorithm>

#include <utf8proc.h>

#include "base/text.h"

namespace svc::print {
namespace {

constexpr std::size_t k_max_marks = 8;

std::size_t width_of(char32_t code_point) noexcept {
  if (code_point < 0x80) return code_point >= 0x20 && code_point != 0x7f ? 1 : 0;
  const int width = utf8proc_charwidth(static_cast<utf8proc_int32_t>(code_point));
  return width > 0 ? static_cast<std::size_t>(width) : 0;
}

/// Images and symbols that can be part of an emoji, but not letters and their marks.
bool is_symbol(char32_t code_point) noexcept {
  return (code_point >= 0x2190 && code_point < 0x2c00) ||
         (code_point >= 0x1f000 && code_point < 0x20000);
}

bool is_skin_tone(char32_t code_point) noexcept {
  return code_point >= 0x1f3fb && code_point <= 0x1f3ff;
}

/// Returns the part of `text` that fits into `columns`, without surplus combining characters.
std::string cut_to_width(sv text, std::size_t columns) {
  std::string taken;
  std::size_t used = 0;
  std::size_t marks = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t width = width_of(decode_utf8(text, at));
    if (used + width > columns) break;
    used += width;
    marks = width == 0 ? marks + 1 : 0;
    if (marks <= k_max_marks) taken += text.substr(begin, at - begin);
  }
  return taken;
}

/// Returns the end of the word at `begin`. A command in backticks is one word, so that it can be
/// copied, unless it does not fit into a line.
std::size_t word_end(sv line, std::size_t begin, std::size_t columns) {
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const sv word = line.substr(begin, end - begin);
  if (std::count(word.begin(), word.end(), '`') % 2 == 0) return end;
  const std::size_t close = line.find('`', end);
  if (close == sv::npos) return end;
  const std::size_t whole = std::min(line.find(' ', close), line.size());
  return display_width(line.substr(begin, whole - begin)) <= columns ? whole : end;
}

}  // namespace

std::size_t display_width(sv text) noexcept {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(decode_utf8(text, at));
  return width;
}

std::string steady(sv text) {
  constexpr char32_t k_joiner = 0x200d;
  constexpr char32_t k_emoji_selector = 0xfe0f;
  std::string out;
  bool after_symbol = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code_point = decode_utf8(text, at);
    const bool joins = code_point == k_joiner || is_skin_tone(code_point);
    if (code_point == k_emoji_selector || (joins && after_symbol)) continue;
    out += text.substr(begin, at - begin);
    after_symbol = is_symbol(code_point);
  }
  return out;
}

std::string fit(sv text, std::size_t columns, bool utf8) {
  if (display_width(text) <= columns) return cut_to_width(text, columns);
  const sv ellipsis = utf8 ? "…" : "...";
  const std::size_t room = utf8 ? 1 : 3;
  if (columns < room) return cut_to_width(text, columns);
  return cut_to_width(text, columns - room) += ellipsis;
}

std::vector<std::string> wrap(sv text, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  for (const sv word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::size_t width = display_width(word);
    if (used > 0 && used + 1 + width > columns) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += width;
  }
  return lines;
}

std::string fold(sv text, std::size_t columns) {
  std::string out;
  for (const sv line : split(text, '\n')) {
    if (line.data() != text.data()) out += '\n';
    std::size_t used = 0;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
      const std::size_t end = word_end(line, begin, columns);
      const std::size_t width = display_width(line.substr(begin, end - begin));
      if (at > 0 && used + (begin - at) + width > columns && begin < line.size()) {
        out += '\n';
        used = 0;
      } else {
        out += line.substr(at, begin - at);
        used += begin - at;
      }
      out += line.substr(begin, end - begin);
      used += width;
      at = end;
    }
  }
  return out;
}

}  // namespace svc::print
