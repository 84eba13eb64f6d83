// Money, exactly: integers of 1/100,000,000 US cent ("ticks", api 1 conventions).
#pragma once

#include <cstdint>
#include <string>

namespace svc {

inline constexpr std::int64_t k_ticks_per_cent = 100'000'000;
inline constexpr std::int64_t k_ticks_per_dollar = 100 * k_ticks_per_cent;

/// Ticks as US dollars: "$0.0042", at least two decimals, no trailing zeros beyond, nothing rounded
/// away.
[[nodiscard]] std::string format_ticks(std::int64_t ticks);

}  // namespace svc
