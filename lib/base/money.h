// Exact amounts of money: integers in fractions of a US dollar, never floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// Usage is counted in ticks of 1/100,000,000 US cent.
inline constexpr std::int64_t k_ticks_per_cent = 100'000'000;
inline constexpr std::int64_t k_ticks_per_dollar = 100 * k_ticks_per_cent;

/// The unit of an amount from the service; the value is its number of decimal places in dollars.
enum class MoneyUnit : std::uint8_t {
  Cent = 2,       ///< billing
  MicroCent = 8,  ///< 1/1,000,000 cent: the unit price of a line
  Tick = 10,      ///< 1/100,000,000 cent: per image, per second
  /// Cents per 100 million tokens, as US dollars per million tokens. Prices in 1/100,000,000 cent
  /// per token, used for long contexts, have the same scale.
  TokenPrice = 4,
};

/// Formats the integer `digits`, of any length, as US dollars: "$0.0042", with at least two
/// decimals, no trailing zeros after them, and no rounding. Empty if it is not an integer.
[[nodiscard]] std::optional<std::string> format_money(std::string_view digits, MoneyUnit unit);

/// Formats an amount in cents or ticks.
[[nodiscard]] std::string format_cents(std::int64_t cents);
[[nodiscard]] std::string format_ticks(std::int64_t ticks);

/// How an amount without a short form is rounded. Up: for the most that something may cost; Down:
/// for what is left.
enum class Rounding : std::uint8_t { Nearest, Up, Down };
/// Formats ticks for a person: to the cent, smaller amounts with two significant digits ("$1.23",
/// "$0.012", "$0.00039").
[[nodiscard]] std::string format_cost(std::int64_t ticks, Rounding rounding = Rounding::Nearest);

/// Parses an amount such as "12.50", "12.5", "12", "$12.50", "12.50USD" or "12.50 USD" into cents.
/// Empty for anything else: signs, other currencies, fractions of a cent, more than 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_dollars(std::string_view text);

/// Parses US dollars such as "5", "0.25" or "$0.0000000001" into ticks. Empty for more than ten
/// decimals, more than eight digits before them, a sign, or anything that is not a number.
[[nodiscard]] std::optional<std::int64_t> parse_ticks(std::string_view text);

}  // namespace svc
