#include "base/base64.h"

#include <array>

namespace svc {
namespace {

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t k_no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> k_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(k_no_digit);
  for (std::size_t i = 0; i < k_digits.size(); ++i) {
    values[static_cast<unsigned char>(k_digits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// Decodes four digits without padding; false if any is invalid.
bool decode_group(std::string_view text, std::size_t at, std::string& out) {
  std::uint32_t bits = 0;
  std::uint8_t seen = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint8_t value = k_values[byte_at(text, at + i)];
    seen |= value;
    bits = (bits << 6U) | value;
  }
  if ((seen & 0xC0U) != 0) return false;
  out += static_cast<char>((bits >> 16U) & 0xFFU);
  out += static_cast<char>((bits >> 8U) & 0xFFU);
  out += static_cast<char>(bits & 0xFFU);
  return true;
}

/// Decodes the last group, which may end in one or two `=`.
bool decode_last(std::string_view text, std::string& out) {
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string digits(text.substr(0, 4 - padding));
  digits.append(padding, 'A');
  if (!decode_group(digits, 0, out)) return false;
  out.resize(out.size() - padding);
  return true;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  std::size_t at = out.size();
  out.resize(at + base64_length(bytes.size()));
  std::size_t from = 0;
  for (; from + 3 <= bytes.size(); from += 3) {
    const std::uint32_t bits =
        byte_at(bytes, from) << 16U | byte_at(bytes, from + 1) << 8U | byte_at(bytes, from + 2);
    out[at++] = k_digits[bits >> 18U];
    out[at++] = k_digits[(bits >> 12U) & 63U];
    out[at++] = k_digits[(bits >> 6U) & 63U];
    out[at++] = k_digits[bits & 63U];
  }
  const std::size_t left = bytes.size() - from;
  if (left == 0) return;
  std::uint32_t bits = byte_at(bytes, from) << 16U;
  if (left == 2) bits |= byte_at(bytes, from + 1) << 8U;
  out[at++] = k_digits[bits >> 18U];
  out[at++] = k_digits[(bits >> 12U) & 63U];
  out[at++] = left == 2 ? k_digits[(bits >> 6U) & 63U] : '=';
  out[at] = '=';
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3);
  const Result<bool> fine = base64_decode(text, [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  });
  if (!fine || !*fine) return std::nullopt;
  return out;
}

Result<bool> base64_decode(std::string_view text,
                           const std::function<Result<void>(std::string_view bytes)>& sink) {
  if (text.size() % 4 != 0) return false;
  if (text.empty()) return true;
  constexpr std::size_t k_chunk_size = 49'152;
  std::string chunk;
  chunk.reserve(k_chunk_size);
  for (std::size_t at = 0; at + 4 < text.size(); at += 4) {
    if (!decode_group(text, at, chunk)) return false;
    if (chunk.size() < k_chunk_size) continue;
    SVC_CHECK(sink(chunk));
    chunk.clear();
  }
  if (!decode_last(text.substr(text.size() - 4), chunk)) return false;
  SVC_CHECK(sink(chunk));
  return true;
}

}  // namespace svc
