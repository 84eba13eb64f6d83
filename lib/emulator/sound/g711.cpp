#include "emulator/sound/g711.h"

#include <algorithm>
#include <bit>

namespace svc::emulator::speech {
namespace {

constexpr int k_mulaw_bias = 0x84;
constexpr int k_mulaw_clip = 32635;

}  // namespace

std::uint8_t to_mulaw(std::int16_t sample) {
  const int sign = sample < 0 ? 0x80 : 0;
  const int magnitude =
      std::min(sample < 0 ? -int{sample} : int{sample}, k_mulaw_clip) + k_mulaw_bias;
  const int exponent =
      static_cast<int>(std::bit_width(static_cast<unsigned>(magnitude))) - 8;  // 0 to 7
  const int mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return static_cast<std::uint8_t>(~(sign | exponent << 4 | mantissa));
}

std::int16_t from_mulaw(std::uint8_t code) {
  const int bits = ~code & 0xff;
  const int exponent = (bits >> 4) & 7;
  const int magnitude = ((((bits & 0x0f) << 3) + k_mulaw_bias) << exponent) - k_mulaw_bias;
  return static_cast<std::int16_t>((bits & 0x80) != 0 ? -magnitude : magnitude);
}

std::uint8_t to_alaw(std::int16_t sample) {
  const int sign = sample < 0 ? 0 : 0x80;
  const int magnitude = (sample < 0 ? ~int{sample} : int{sample}) >> 3;  // 13 bits with the sign
  const int exponent =
      std::max(0, static_cast<int>(std::bit_width(static_cast<unsigned>(magnitude))) - 5);
  const int mantissa = (magnitude >> std::max(1, exponent)) & 0x0f;
  return static_cast<std::uint8_t>((sign | exponent << 4 | mantissa) ^ 0x55);
}

std::int16_t from_alaw(std::uint8_t code) {
  const int bits = code ^ 0x55;
  const int exponent = (bits >> 4) & 7;
  int magnitude = (bits & 0x0f) << 4;
  magnitude = exponent == 0 ? magnitude + 8 : (magnitude + 0x108) << (exponent - 1);
  return static_cast<std::int16_t>((bits & 0x80) != 0 ? magnitude : -magnitude);
}

}  // namespace svc::emulator::speech
