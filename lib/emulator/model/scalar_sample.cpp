#include "emulator/model/scalar_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_longest_sample = 100'000;
constexpr double k_largest = 9'007'199'254'740'991;  // beyond it doubles skip integers

// A text in one of the formats that schemas name; nothing for a format that is not known.
std::optional<std::string> format_text(const std::string& format, std::size_t variation) {
  const std::size_t day = 1 + variation % 28;
  if (format == "date") return fmt::format("2026-01-{:02}", day);
  if (format == "time") return fmt::format("12:00:{:02}Z", variation % 60);
  if (format == "date-time") return fmt::format("2026-01-{:02}T12:00:00Z", day);
  if (format == "duration") return fmt::format("PT{}M", 1 + variation);
  if (format == "email" || format == "idn-email") {
    return fmt::format("user{}@example.com", 1 + variation);
  }
  if (format == "hostname" || format == "idn-hostname") {
    return fmt::format("host{}.example.com", 1 + variation);
  }
  if (format == "ipv4") return fmt::format("192.0.2.{}", 1 + variation % 254);
  if (format == "ipv6") return fmt::format("2001:db8::{:x}", 1 + variation % 0xffff);
  if (format == "uri" || format == "url" || format == "iri") {
    return fmt::format("https://example.com/{}", 1 + variation);
  }
  if (format == "uri-reference") return fmt::format("/{}", 1 + variation);
  if (format == "uuid") return fmt::format("00000000-0000-4000-8000-{:012x}", 1 + variation);
  if (format == "json-pointer") return fmt::format("/{}", variation);
  if (format == "regex") return fmt::format("^{}$", variation);
  if (format == "byte") return std::string("c3ZjIGVtdWxhdG9y");
  return std::nullopt;
}

std::size_t length_of(const Json& schema, sv word, std::size_t fallback) {
  const auto length = number_of(schema, word);
  return length ? static_cast<std::size_t>(std::clamp(*length, 0.0, 1e9)) : fallback;
}

std::optional<Json> sample_text(const Json& schema, sv hint, std::size_t variation) {
  const std::size_t least = length_of(schema, "minLength", 0);
  const std::size_t most = length_of(schema, "maxLength", k_longest_sample);
  if (least > most || least > k_longest_sample) return std::nullopt;
  if (auto text = format_text(text_of(schema, "format"), variation)) return Json(*text);
  std::string text = fmt::format("emulated {}", hint.empty() ? "text" : hint);
  if (variation > 0) text += fmt::format(" {}", variation + 1);
  if (count_code_points(text) > most) {
    // Too short for a name: letters, so that variations still differ.
    text = std::string(most, static_cast<char>('a' + variation % 26));
  }
  const std::size_t length = count_code_points(text);
  if (length < least) text.append(least - length, '.');
  return Json(text);
}

// The numbers k for which k * step lies within the limits of the schema.
struct Steps {
  double low;
  double high;
};

Steps steps_of(const Json& schema, double step) {
  Steps steps{std::ceil(-k_largest / step), std::floor(k_largest / step)};
  if (const auto low = number_of(schema, "minimum")) {
    steps.low = std::max(steps.low, std::ceil(*low / step - 1e-9));
  }
  if (const auto low = number_of(schema, "exclusiveMinimum")) {
    steps.low = std::max(steps.low, std::floor(*low / step + 1e-9) + 1);
  }
  if (const auto high = number_of(schema, "maximum")) {
    steps.high = std::min(steps.high, std::floor(*high / step + 1e-9));
  }
  if (const auto high = number_of(schema, "exclusiveMaximum")) {
    steps.high = std::min(steps.high, std::ceil(*high / step - 1e-9) - 1);
  }
  return steps;
}

// 1, 2, 3 … where the limits allow it, else from the nearest limit on.
std::optional<double> pick_step(const Steps& steps, std::size_t variation) {
  if (steps.low > steps.high) return std::nullopt;
  const double start = std::clamp(1.0, steps.low, steps.high);
  const double count = steps.high - start + 1;
  const auto offset = static_cast<double>(variation);
  if (offset < count) return start + offset;
  return std::max(steps.low, start - (offset - count + 1));
}

std::optional<Json> sample_integer(const Json& schema, std::size_t variation) {
  const double wanted = number_of(schema, "multipleOf").value_or(1);
  // A step such as 0.5 allows every integer; one such as 2.5 needs its double.
  double step = wanted > 0 ? wanted : 1;
  for (int i = 1; i <= 1000 && step != std::floor(step); ++i) {
    const double times = wanted * i;
    if (std::abs(times - std::round(times)) < 1e-9) step = std::round(times);
  }
  if (step != std::floor(step) || step < 1) return std::nullopt;
  const auto count = pick_step(steps_of(schema, step), variation);
  if (!count) return std::nullopt;
  return Json(static_cast<std::int64_t>(std::llround(*count * step)));
}

std::optional<Json> sample_number(const Json& schema, std::size_t variation) {
  if (const auto step = number_of(schema, "multipleOf"); step && *step > 0) {
    const auto count = pick_step(steps_of(schema, *step), variation);
    return count ? std::optional<Json>(*count * *step) : std::nullopt;
  }
  if (auto whole = sample_integer(schema, variation)) return whole;
  // No integer lies between the limits: something in the middle of them does.
  const double low = std::max(number_of(schema, "minimum").value_or(-k_largest),
                              number_of(schema, "exclusiveMinimum").value_or(-k_largest));
  const double high = std::min(number_of(schema, "maximum").value_or(k_largest),
                               number_of(schema, "exclusiveMaximum").value_or(k_largest));
  if (low > high) return std::nullopt;
  return Json(low + (high - low) / (2.0 + static_cast<double>(variation)));
}

}  // namespace

std::optional<Json> sample_scalar(const std::string& type, const Json& schema, sv hint,
                                  std::size_t variation) {
  if (type == "string") return sample_text(schema, hint, variation);
  if (type == "integer") return sample_integer(schema, variation);
  if (type == "number") return sample_number(schema, variation);
  if (type == "boolean") return Json(variation % 2 == 0);
  if (type == "null") return Json(nullptr);
  return std::nullopt;
}

}  // namespace svc::emulator::text
