// One step of UTF-8 decoding, shared by all code in this directory that reads external bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::utf8 {

inline constexpr char32_t k_replacement = 0xFFFD;

enum class Validity : std::uint8_t {
  Valid,
  Invalid,    ///< ill-formed, whatever follows
  Truncated,  ///< the text ends in a so far well-formed sequence
};

struct Step {
  char32_t code_point = k_replacement;
  std::size_t length = 0;  ///< in bytes; of the maximal subpart unless the form is Good
  Validity validity = Validity::Invalid;
};

/// Decodes the code point at `position`, which must be less than `text.size()`. Ill-formed input
/// yields the "maximal subpart" of the Unicode standard (§3.9), so that each becomes one U+FFFD.
[[nodiscard]] inline Step step(std::string_view text, std::size_t position) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(position);
  if (lead < 0x80) return {lead, 1, Validity::Valid};
  if (lead < 0xC2 || lead > 0xF4) return {k_replacement, 1, Validity::Invalid};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = lead & (0x7FU >> length);
  // The second byte alone rules out overlong forms, surrogates and code points above U+10FFFF.
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (position + i >= text.size()) return {k_replacement, i, Validity::Truncated};
    const unsigned next = byte(position + i);
    if (next < low || next > high) return {k_replacement, i, Validity::Invalid};
    code_point = (code_point << 6U) | (next & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, length, Validity::Valid};
}

}  // namespace svc::utf8
