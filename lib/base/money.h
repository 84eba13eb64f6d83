// Money, exactly: whole numbers of a fraction of a US dollar, never floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// Usage is counted in 1/100,000,000 US cent: a tick.
inline constexpr std::int64_t k_ticks_per_cent = 100'000'000;
inline constexpr std::int64_t k_ticks_per_dollar = 100 * k_ticks_per_cent;

/// What an integer of the service counts: the number of places behind the point of a dollar.
enum class MoneyUnit : std::uint8_t {
  Cent = 2,       ///< billing
  MicroCent = 8,  ///< 1/1,000,000 cent: the unit price of a line
  Tick = 10,      ///< 1/100,000,000 cent: per image, per second
  /// Cents per 100 million tokens, as US dollars per million tokens. A price in
  /// 1/100,000,000 cent per token, as for long contexts, is the same number.
  TokenPrice = 4,
};

/// The integer `digits` as US dollars: "$0.0042", at least two decimals, no trailing zeros beyond,
/// nothing rounded away, however long it is. Nothing when it is no integer.
[[nodiscard]] std::optional<std::string> format_money(std::string_view digits, MoneyUnit unit);

/// The same of a number that is at hand.
[[nodiscard]] std::string format_cents(std::int64_t cents);
[[nodiscard]] std::string format_ticks(std::int64_t ticks);

/// Cents from an amount as people write it: "12.50", "12.5", "12", "$12.50", "12.50USD",
/// "12.50 USD". Nothing for anything else: signs, other currencies, fractions of a cent, more than
/// 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_dollars(std::string_view text);

/// Ticks from US dollars: "5", "0.25", "$0.0000000001". Nothing for more than ten decimals or eight
/// digits before them, a sign, or anything that is no such number.
[[nodiscard]] std::optional<std::int64_t> parse_ticks(std::string_view text) noexcept;

}  // namespace svc
