#include "audio/g711.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace svc::audio {
namespace {

constexpr int k_mu_bias = 0x84;  // 33 in 14 bits: the first segment begins at a power of two
constexpr int k_mu_clip = 32'635;

}  // namespace

// A byte is sign, three bits of segment, four of step within it; mu-law sends it inverted.
std::uint8_t to_mu_law(std::int16_t sample) noexcept {
  const unsigned sign = sample < 0 ? 0x80U : 0U;
  const auto magnitude =
      static_cast<unsigned>(std::min(std::abs(static_cast<int>(sample)), k_mu_clip) + k_mu_bias);
  const auto segment = static_cast<unsigned>(std::bit_width(magnitude)) - 8U;
  const unsigned step = (magnitude >> (segment + 3U)) & 0x0FU;
  return static_cast<std::uint8_t>(~(sign | segment << 4U | step));
}

std::int16_t from_mu_law(std::uint8_t byte) noexcept {
  const unsigned bits = ~static_cast<unsigned>(byte) & 0xFFU;
  const unsigned segment = bits >> 4U & 7U;
  const int magnitude = static_cast<int>(((bits & 0x0FU) << 3U | 0x84U) << segment) - k_mu_bias;
  return static_cast<std::int16_t>((bits & 0x80U) != 0 ? -magnitude : magnitude);
}

// A-law counts 13 bits, is negative by one's complement, and sends every other bit inverted.
std::uint8_t to_a_law(std::int16_t sample) noexcept {
  const unsigned sign = sample < 0 ? 0U : 0x80U;
  const int value = sample >> 3;
  const auto magnitude = static_cast<unsigned>(sample < 0 ? ~value : value);
  const unsigned segment =
      magnitude < 32 ? 0U : static_cast<unsigned>(std::bit_width(magnitude)) - 5U;
  const unsigned step = magnitude >> (segment == 0 ? 1U : segment) & 0x0FU;
  return static_cast<std::uint8_t>((sign | segment << 4U | step) ^ 0x55U);
}

std::int16_t from_a_law(std::uint8_t byte) noexcept {
  const unsigned bits = static_cast<unsigned>(byte) ^ 0x55U;
  const unsigned segment = bits >> 4U & 7U;
  const unsigned step = (bits & 0x0FU) << 4U;
  const unsigned magnitude = segment == 0 ? step + 8U : (step + 0x108U) << (segment - 1U);
  return static_cast<std::int16_t>((bits & 0x80U) != 0 ? static_cast<int>(magnitude)
                                                       : -static_cast<int>(magnitude));
}

}  // namespace svc::audio
