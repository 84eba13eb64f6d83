#include "base/money.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace svc {
namespace {

bool is_digits(sv text) {
  return !text.empty() && text.find_first_not_of("0123456789") == sv::npos;
}

/// Parses "12.5" as a number of units of which ten to the power of `decimals` make one.
std::optional<std::int64_t> parse_decimal(sv text, std::size_t decimals) {
  const std::size_t point = text.find('.');
  const sv whole = text.substr(0, point);
  const sv fraction = point == sv::npos ? sv("0") : text.substr(point + 1);
  if (!is_digits(whole) || !is_digits(fraction) || fraction.size() > decimals) return std::nullopt;
  std::string units = std::string(whole).append(fraction).append(decimals - fraction.size(), '0');
  units.erase(0, std::min(units.find_first_not_of('0'), units.size() - 1));
  return parse_integer(units);
}

}  // namespace

std::optional<std::string> format_money(std::string_view digits, MoneyUnit unit) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (!is_digits(digits)) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  const auto decimals = static_cast<std::size_t>(unit);
  std::string amount(digits);
  if (amount.size() <= decimals) amount.insert(0, decimals + 1 - amount.size(), '0');
  std::string fraction = amount.substr(amount.size() - decimals);
  amount.resize(amount.size() - decimals);
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return (negative && !digits.empty() ? "-$" : "$") + amount + "." + fraction;
}

std::string format_cents(std::int64_t cents) {
  return *format_money(std::to_string(cents), MoneyUnit::Cent);
}

std::string format_ticks(std::int64_t ticks) {
  return *format_money(std::to_string(ticks), MoneyUnit::Tick);
}

std::string format_cost(std::int64_t ticks, Rounding rounding) {
  std::int64_t unit = 1;
  while (unit < k_ticks_per_cent && (ticks / unit >= 100 || ticks / unit <= -100)) unit *= 10;
  std::int64_t rest = ticks % unit;
  if (rest < 0) rest += unit;
  const bool up = rounding == Rounding::Up     ? rest > 0
                  : rounding == Rounding::Down ? false
                                               : rest >= unit - rest;
  // Amounts at the ends of the range cannot be rounded.
  const bool fits = up ? ticks <= INT64_MAX - unit : ticks >= INT64_MIN + unit;
  if (!fits) return format_ticks(ticks);
  return format_ticks(up ? ticks + (unit - rest) : ticks - rest);
}

std::optional<std::int64_t> parse_dollars(std::string_view text) {
  if (text.starts_with('$')) {
    text.remove_prefix(1);
  } else if (text.size() > 3 && equals_ignore_case(text.substr(text.size() - 3), "usd")) {
    text = text.substr(0, text.size() - 3);
    if (text.ends_with(' ')) text.remove_suffix(1);
  }
  return parse_decimal(text, 2);
}

std::optional<std::int64_t> parse_ticks(std::string_view text) {
  if (text.starts_with('$')) text.remove_prefix(1);
  if (std::min(text.find('.'), text.size()) > 8) return std::nullopt;
  return parse_decimal(text, 10);
}

}  // namespace svc
