#include "base/money.h"

namespace svc {

std::string format_ticks(std::int64_t ticks) {
  constexpr auto per_dollar = static_cast<std::uint64_t>(k_ticks_per_dollar);
  constexpr std::size_t decimals = 10;
  // Unsigned, because the smallest int64 has no positive twin.
  const auto bits = static_cast<std::uint64_t>(ticks);
  const std::uint64_t amount = ticks < 0 ? 0 - bits : bits;
  std::string fraction = std::to_string(amount % per_dollar);
  fraction.insert(0, decimals - fraction.size(), '0');
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return (ticks < 0 ? "-$" : "$") + std::to_string(amount / per_dollar) + "." + fraction;
}

}  // namespace svc
