#include "base/visible.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.h"

namespace svc {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

// Sorted. General categories Cf, Zl and Zp and the default-ignorable fillers.
constexpr std::array k_hidden = std::to_array<CodeRange>({
    {0x0080, 0x009F},    // C1 controls: U+009B is CSI
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors and vowel separator
    {0x200B, 0x200F},    // zero-width characters, directional marks
    {0x2028, 0x202E},    // separators, bidirectional embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates, deprecated controls
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // half-width Hangul filler
    {0xFFF9, 0xFFFB},    // interlinear annotations
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags and further variation selectors, used to smuggle text
});

void append_escape(std::string& out, char32_t code_point) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 static_cast<std::uint32_t>(code_point), 16);
  out.append("\\u{").append(digits.data(), end.ptr) += '}';
}

void append_control(std::string& out, sv text, std::size_t position, Lines lines) {
  const char c = text[position];
  const bool line_end = c == '\n' || (c == '\r' && text.substr(position + 1, 1) == "\n");
  if (lines == Lines::Keep && (c == '\t' || line_end)) {
    out += c;
    return;
  }
  out += '^';
  out += static_cast<char>(c ^ 0x40);  // ESC is '^[', DEL is '^?'
}

/// Needed by Persian and Indic words and joined emoji; deceptive in IDs and names.
bool is_joiner(char32_t code_point) noexcept {
  return code_point == 0x200C || code_point == 0x200D;
}

bool is_plain(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F;
}

}  // namespace

bool is_hidden_code_point(char32_t code_point) noexcept {
  if (code_point < k_hidden.front().first) return false;
  const auto after =
      std::upper_bound(k_hidden.begin(), k_hidden.end(), code_point,
                       [](char32_t value, const CodeRange& range) { return value < range.first; });
  return code_point <= std::prev(after)->last;
}

std::string visible(sv text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  std::size_t position = 0;
  while (true) {
    std::size_t plain = position;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text, position, plain - position);
    position = plain;
    if (position == text.size()) return out;
    const utf8::Step step = utf8::step(text, position);
    if (step.code_point < 0x80) {
      append_control(out, text, position, lines);
    } else if (is_hidden_code_point(step.code_point) &&
               !(lines == Lines::Keep && is_joiner(step.code_point))) {
      append_escape(out, step.code_point);
    } else {
      append_utf8(out, step.code_point);
    }
    position += step.length;
  }
}

std::string VisibleStream::feed(sv chunk) {
  std::string joined;
  if (!m_held.empty()) {
    joined = std::move(m_held);
    joined += chunk;
    m_held.clear();
    chunk = joined;
  }
  // Buffers a CR, whose meaning depends on the next byte, or the start of a code point.
  std::size_t held = !chunk.empty() && chunk.back() == '\r' ? 1 : 0;
  for (std::size_t back = 1; held == 0 && back <= 3 && back <= chunk.size(); ++back) {
    const utf8::Step step = utf8::step(chunk, chunk.size() - back);
    if (step.validity == utf8::Validity::Truncated && step.length == back) held = back;
  }
  std::string out = visible(chunk.substr(0, chunk.size() - held), m_lines);
  m_held = std::string(chunk.substr(chunk.size() - held));
  return out;
}

std::string VisibleStream::finish() {
  std::string out = visible(m_held, m_lines);
  m_held.clear();
  return out;
}

}  // namespace svc
