#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "base/utf8.h"

namespace svc {

namespace {

/// Returns the end of the ASCII run at `position`, or up to seven bytes before it: checks eight
/// bytes at a time.
std::size_t skip_ascii(sv text, std::size_t position) noexcept {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  while (text.size() - position >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + position, sizeof word);
    if ((word & high_bits) != 0) break;
    position += sizeof word;
  }
  return position;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(sv text) noexcept {
  for (std::size_t position = skip_ascii(text, 0); position < text.size();) {
    const utf8::Step step = utf8::step(text, position);
    if (step.validity != utf8::Validity::Valid) return position;
    position += step.length;
    if (step.length == 1) position = skip_ascii(text, position);
  }
  return std::nullopt;
}

std::string replace_invalid_utf8(sv text) {
  std::string out;
  out.reserve(text.size());
  std::size_t clean = 0;  // everything before this is in `out`
  for (std::size_t position = 0; position < text.size();) {
    const utf8::Step step = utf8::step(text, position);
    if (step.validity != utf8::Validity::Valid) {
      out.append(text, clean, position - clean);
      append_utf8(out, utf8::k_replacement);
      clean = position + step.length;
    }
    position += step.length;
  }
  return out.append(text, clean);
}

std::size_t count_code_points(sv text) noexcept {
  std::size_t count = 0;
  for (std::size_t position = 0; position < text.size();) {
    const utf8::Step step = utf8::step(text, position);
    count += step.validity == utf8::Validity::Valid ? 1 : step.length;
    position += step.length;
  }
  return count;
}

char32_t decode_utf8(sv text, std::size_t& position) noexcept {
  if (position >= text.size()) return utf8::k_replacement;
  const utf8::Step step = utf8::step(text, position);
  position += step.length;
  return step.code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (surrogate || code_point > 0x10FFFF) code_point = utf8::k_replacement;
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  const auto tail = [&](unsigned shift) { put(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    tail(0);
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    tail(6);
    tail(0);
  } else {
    put(0xF0U | (code_point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string excerpt(sv text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  // Ill-formed text may contain any number of continuation bytes; no sequence is longer than four.
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && max_bytes - end < 3 && continues(end)) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string shown(sv text, std::size_t max_bytes) {
  return visible(excerpt(text, max_bytes), Lines::Escape);
}

std::string excerpt_message(sv text) {
  return excerpt(text, 400);
}

std::string shown_message(sv text) {
  return visible(excerpt_message(text), Lines::Escape);
}

}  // namespace svc
