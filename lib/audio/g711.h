// ITU-T G.711: 16-bit samples as one byte each, by logarithm.
#pragma once

#include <cstdint>

namespace svc::audio {

[[nodiscard]] std::uint8_t to_mu_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_mu_law(std::uint8_t byte) noexcept;
[[nodiscard]] std::uint8_t to_a_law(std::int16_t sample) noexcept;
[[nodiscard]] std::int16_t from_a_law(std::uint8_t byte) noexcept;

}  // namespace svc::audio
