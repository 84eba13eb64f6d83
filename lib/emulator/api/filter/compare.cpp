#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/api/filter/node.h"

namespace svc::emulator::filter {
namespace {

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return {};
}

std::optional<double> number_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return parse_number(*text);
  return std::nullopt;
}

// Is one of the words of `text` nearly `wanted`?
bool has_near_word(sv text, sv wanted) {
  std::vector<sv> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size() || sv(" ._-/").find(text[i]) != sv::npos;
    if (!ends) continue;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return !nearest(wanted, words).empty();
}

template <typename T>
bool ordered(Op op, const T& left, const T& right) {
  switch (op) {
    case Op::Less:
      return left < right;
    case Op::LessEqual:
      return !(right < left);
    case Op::Greater:
      return right < left;
    case Op::GreaterEqual:
      return !(left < right);
    default:
      return !(left < right) && !(right < left);
  }
}

bool text_equals(const Comparison& comparison, sv text) {
  const bool part = comparison.match == Match::Part || comparison.match == Match::Fuzzy ||
                    (comparison.match == Match::Any && comparison.op == Op::Has);
  if (!part) return text == comparison.text;
  return contains_ignore_case(text, comparison.text) ||
         (comparison.match == Match::Fuzzy && has_near_word(text, comparison.text));
}

bool is_text_match(Match match) {
  return match == Match::Exact || match == Match::Part || match == Match::Fuzzy;
}

}  // namespace

std::optional<double> number_for(Match match, sv text) {
  if (is_text_match(match)) return std::nullopt;
  if (match != Match::Time) return parse_number(text);
  auto time = parse_rfc3339(text);
  if (!time) time = parse_rfc3339(fmt::format("{}T00:00:00Z", text));
  if (!time) return std::nullopt;
  return static_cast<double>(*time);
}

bool compare(const Comparison& comparison, const Value& value) {
  // What is not there differs from everything, and is neither less nor greater.
  if (std::holds_alternative<std::monostate>(value)) return comparison.op == Op::NotEqual;
  const auto number = number_of(value);
  if (comparison.range) {
    return number && *number >= comparison.range->first && *number <= comparison.range->second;
  }
  const bool by_text = is_text_match(comparison.match) || !comparison.number || !number;
  const bool is_equality =
      comparison.op == Op::Has || comparison.op == Op::Equal || comparison.op == Op::NotEqual;
  bool holds = false;
  if (by_text && is_equality) {
    holds = text_equals(comparison, text_of(value));
  } else if (by_text) {
    holds = ordered(comparison.op, text_of(value), comparison.text);
  } else {
    holds = ordered(comparison.op, *number, *comparison.number);
  }
  return comparison.op == Op::NotEqual ? !holds : holds;
}

}  // namespace svc::emulator::filter
