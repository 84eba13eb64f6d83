// What a call costs, as the lines of a bill.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace svc::emulator {

/// `units` of something, each for `unit_ticks` (100,000,000 ticks are one US cent).
struct Charge {
  std::string description{};  ///< what a bill says: "svc-4.5 prompt tokens"
  std::string unit{};         ///< "token", "image", "second", "request"
  std::int64_t units = 0;
  std::int64_t unit_ticks = 0;
};

/// What all of them cost together, in ticks.
[[nodiscard]] constexpr std::int64_t total_ticks(std::span<const Charge> charges) {
  std::int64_t sum = 0;
  for (const Charge& charge : charges) sum += charge.units * charge.unit_ticks;
  return sum;
}

}  // namespace svc::emulator
