// ITU-T G.711: a sample in eight bits.
#pragma once

#include <cstdint>

namespace svc::emulator::speech {

[[nodiscard]] std::uint8_t to_mulaw(std::int16_t sample);
[[nodiscard]] std::int16_t from_mulaw(std::uint8_t code);
[[nodiscard]] std::uint8_t to_alaw(std::int16_t sample);
[[nodiscard]] std::int16_t from_alaw(std::uint8_t code);

}  // namespace svc::emulator::speech
