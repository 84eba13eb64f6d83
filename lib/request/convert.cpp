#include "request/convert.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/money.h"
#include "base/text.h"
#include "json/text.h"
#include "request/body.h"
#include "request/inputs.h"
#include "request/text_format.h"

namespace svc::request {
namespace {

/// Names, models, prompts and required values must not be empty: an empty one comes from an unset
/// shell variable.
bool rejects_blank(const Field& field) {
  if (field.kind != Kind::Text && field.kind != Kind::TextOrJson) return false;
  // A value used by svc itself may be a setting, which "" unsets.
  if (field.in != In::Local && (field.required || field.positional || field.repeated)) return true;
  constexpr std::array<sv, 6> k_words = {"model", "name",   "prompt",
                                         "input", "system", "instructions"};
  const sv member = field.path.empty() ? field.flag : field.path;
  const sv last = member.substr(member.rfind('.') + 1);
  return std::ranges::find(k_words, last) != k_words.end() || last.ends_with("_name") ||
         last.ends_with("filename") || last.ends_with("_model");
}

/// A value for an error message: short, on one line, safe to print.
std::string quoted(std::string_view value) {
  return fmt::format("'{}'", shown(value));
}

std::string format_number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15
             ? fmt::format("{}", static_cast<std::int64_t>(value))
             : fmt::format("{}", value);
}

std::string allowed_range(const Range& range) {
  const std::string unit = range.unit.empty() ? std::string() : fmt::format(" {}", range.unit);
  if (range.max >= k_no_max) return fmt::format("{} or more", format_number(range.min));
  return fmt::format("{} to {}{}", format_number(range.min), format_number(range.max), unit);
}

Error invalid_value_error(const Field& field, std::string_view text, std::string_view wanted) {
  return usage_error(fmt::format("{} must be {}, not {}", flag_name(field), wanted, quoted(text)));
}

Error bad_number(const Field& field, std::string_view text, std::string kind) {
  if (field.range) kind += ", " + allowed_range(*field.range);
  return invalid_value_error(field, text, kind);
}

Result<void> check_range(const Field& field, std::string_view text, double value) {
  if (!field.range || (value >= field.range->min && value <= field.range->max)) return {};
  return usage_error(fmt::format("{} is out of range: {} (allowed: {})", flag_name(field),
                                 quoted(text), allowed_range(*field.range)));
}

Result<void> check_choice(const Field& field, std::string_view text) {
  if (field.choices.empty() || std::ranges::find(field.choices, text) != field.choices.end()) {
    return {};
  }
  const sv near = nearest(text, field.choices);
  return usage_error(fmt::format("{} must be one of {}, not {}", flag_name(field),
                                 join(field.choices, ", "), quoted(text)),
                     near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near));
}

Result<OrderedJson> convert_integer(const Field& field, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) return bad_number(field, text, "an integer");
  SVC_CHECK(check_range(field, text, static_cast<double>(*value)));
  SVC_CHECK(check_choice(field, std::to_string(*value)));
  return OrderedJson(*value);
}

Result<OrderedJson> convert_number(const Field& field, std::string_view text) {
  const auto value = parse_number(text);
  if (!value) return bad_number(field, text, "a number");
  SVC_CHECK(check_range(field, text, *value));
  // An integer is sent as one: 1, not 1.0.
  if (const auto whole = parse_integer(text)) return OrderedJson(*whole);
  return OrderedJson(*value);
}

Result<void> check_format(const Field& field, std::string_view text) {
  if (matches_format(field.form, text)) return {};
  Error error = invalid_value_error(field, text, describe_format(field.form));
  if (const std::string near = suggest_format(field.form, text); !near.empty()) {
    error.hint = fmt::format("Did you mean '{}'?", near);
  }
  return error;
}

/// The duration as typed, or as an integer in the field's unit.
Result<OrderedJson> convert_duration(const Field& field, std::string_view text) {
  const auto time = parse_duration(text);
  if (!time || time->count() <= 0)
    return invalid_value_error(field, text, "a duration such as 5s or 2m");
  if (field.unit_ms == 0) return OrderedJson(std::string(text));
  const auto unit = static_cast<std::int64_t>(field.unit_ms);
  if (time->count() % unit != 0) {
    return invalid_value_error(field, text,
                               fmt::format("an integer number of {}", field.range->unit));
  }
  const std::int64_t count = time->count() / unit;
  auto checked = check_range(field, text, static_cast<double>(count));
  if (checked) return OrderedJson(count);
  // Whoever thinks in the field's unit forgets that a bare number is in seconds.
  const auto bare = parse_number(text);
  if (bare && unit == 1 && check_range(field, text, *bare)) {
    checked.error().hint =
        fmt::format("A number without a unit is in seconds. Did you mean '{}ms'?", text);
  }
  return checked.error();
}

Result<OrderedJson> convert_text(const Field& field, std::string_view text, bool literal) {
  std::string value;
  if (field.file_text) {
    SVC_TRY(resolved, resolve_text(flag_name(field), text, literal));
    value = std::move(resolved);
  } else {
    if (first_invalid_utf8(text)) {
      return usage_error(fmt::format("{} is not valid UTF-8", flag_name(field)));
    }
    value = std::string(text);
  }
  value = normalize_format(field.form, std::move(value));
  SVC_CHECK(check_not_blank(field, value));
  SVC_CHECK(check_choice(field, value));
  SVC_CHECK(check_format(field, value));
  if (field.max_length != 0) {
    const std::size_t length = count_code_points(value);
    if (length > field.max_length) {
      return usage_error(fmt::format("{} is too long: {} characters (maximum: {})",
                                     flag_name(field), length, field.max_length));
    }
  }
  return OrderedJson(std::move(value));
}

/// Parses RFC 3339, a date, or a duration from now.
std::optional<std::int64_t> read_time(std::string_view text, std::int64_t now) {
  if (const auto time = parse_rfc3339(text)) return time;
  if (const auto day = parse_rfc3339(fmt::format("{}T00:00:00Z", text))) return day;
  const bool has_unit = !text.empty() && text.find_first_not_of("0123456789.") != sv::npos;
  const auto ahead = has_unit ? parse_duration(text) : std::nullopt;
  if (!ahead) return std::nullopt;
  return now + std::chrono::ceil<std::chrono::seconds>(*ahead).count();
}

Result<OrderedJson> convert_time(const Field& field, std::string_view text, std::int64_t now) {
  const auto time = read_time(text, now);
  if (!time) {
    return invalid_value_error(
        field, text, "a time such as 2027-01-31T12:00:00Z or 2027-01-31, or 30d from now");
  }
  if (*time <= now) {
    return usage_error(fmt::format("{} must be in the future: {} (it is now {})", flag_name(field),
                                   quoted(text), format_rfc3339(now)));
  }
  if (field.max_days != 0 && *time > now + std::int64_t{field.max_days} * 86'400) {
    return usage_error(fmt::format("{} is too far away: {} is more than {} days from now",
                                   flag_name(field), quoted(text), field.max_days));
  }
  return OrderedJson(format_rfc3339(*time));
}

/// Money in the service's format: cents as a string, in an object.
Result<OrderedJson> convert_money(const Field& field, std::string_view text, bool cents) {
  const auto amount = cents ? parse_integer(text) : parse_dollars(text);
  if (!amount || *amount < 0) {
    return invalid_value_error(field, text,
                               cents ? "an integer number of cents, 0 or more"
                                     : "US dollars such as 12.50, $12.50 or 12.50USD");
  }
  return OrderedJson{{"val", std::to_string(*amount)}};
}

/// Checks the member that an object needs, and the range of its numbers; of each element of an
/// array.
Result<void> check_json_value(const Field& field, const OrderedJson& value) {
  if (value.is_array()) {
    for (const OrderedJson& element : value) SVC_CHECK(check_json_value(field, element));
  }
  if (!value.is_object()) return {};
  const auto has = [&](sv path) {
    const OrderedJson* member = find(value, path);
    return member != nullptr && !member->is_null() && *member != OrderedJson("");
  };
  if (!field.needs.empty() && std::ranges::none_of(split(field.needs, '|'), has)) {
    return usage_error(fmt::format("{} needs {}", flag_name(field),
                                   replace_all(std::string(field.needs), "|", " or ")),
                       fmt::format("For example: {}", field.example));
  }
  if (!field.range) return {};
  for (const OrderedJson& number : value) {
    if (number.is_number()) SVC_CHECK(check_range(field, number.dump(), number.get<double>()));
  }
  return {};
}

/// Wraps "eve" as {"voice_id": "eve"} for fields that require it.
Result<OrderedJson> wrap(const Field& field, Result<OrderedJson> value) {
  if (field.wraps.empty() || !value) return value;
  return OrderedJson{{std::string(field.wraps), *std::move(value)}};
}

bool looks_like_json(std::string_view text) {
  const sv trimmed = trim(text);
  return !trimmed.empty() && (trimmed.front() == '{' || trimmed.front() == '[');
}

/// "docs.example.com" for "https://docs.example.com:8080/sse"; `text` itself if it is not a URL.
std::string host_in(sv text) {
  const std::size_t slashes = text.find("//");
  if (slashes != sv::npos) text.remove_prefix(slashes + 2);
  return std::string(text.substr(0, text.find_first_of(":/?#")));
}

OrderedJson parts_of(sv text) {
  OrderedJson parts = OrderedJson::array();
  for (const sv part : split(text, ',')) {
    if (!trim(part).empty()) parts.push_back(trim(part));
  }
  return parts;
}

void fill(OrderedJson& at, sv value) {
  if (at == OrderedJson("$")) {
    at = value;
  } else if (at == OrderedJson("$list")) {
    at = parts_of(value);
  } else if (at == OrderedJson("$host")) {
    at = host_in(value);
  } else if (at.is_structured()) {
    for (OrderedJson& element : at) fill(element, value);
  }
}

}  // namespace

std::string flag_name(const Field& field) {
  return fmt::format("--{}", field.flag);
}

Result<void> check_not_blank(const Field& field, std::string_view text) {
  if (!rejects_blank(field) || !trim(text).empty()) return {};
  return usage_error(
      fmt::format("{} is empty", flag_name(field)),
      field.example.empty() ? std::string() : fmt::format("For example: {}", field.example));
}

Result<void> check_value(const Given& given) {
  SVC_CHECK(convert(*given.field, given.text, {.literal = given.literal}));
  return {};
}

Result<std::string> read_named_file(std::string_view name, const std::string& path,
                                    std::uint64_t max_bytes) {
  Result<std::string> content = read_file(path, max_bytes);
  if (!content) content.error().message = fmt::format("{}: {}", name, content.error().message);
  return content;
}

Result<std::string> resolve_text(std::string_view name, const Given& given) {
  return resolve_text(name, given.text, given.literal);
}

Result<std::string> resolve_text(std::string_view name, std::string_view text, bool literal) {
  std::string value(text);
  if (!literal && text.starts_with("\\@")) {
    value = std::string(text.substr(1));
  } else if (!literal && text.starts_with('@')) {
    SVC_TRY(content, read_named_file(name, std::string(text.substr(1))));
    value = std::move(content);
    if (value.starts_with("\xEF\xBB\xBF")) value.erase(0, 3);
  }
  if (const auto at = first_invalid_utf8(value)) {
    return usage_error(fmt::format("{} is not valid UTF-8 (at byte {})", name, *at + 1));
  }
  return value;
}

Result<OrderedJson> parse_user_json(std::string_view name, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto at = first_invalid_utf8(text)) {
    return usage_error(fmt::format("{} is not valid UTF-8 (at byte {})", name, *at + 1));
  }
  if (const auto fault = check_json(text)) {
    return usage_error(fmt::format("{} is not valid JSON: {}", name, describe(*fault)));
  }
  OrderedJson value = OrderedJson::parse(text, nullptr, false);
  if (value.is_discarded()) return usage_error(fmt::format("{} is not valid JSON", name));
  return value;
}

Result<OrderedJson> resolve_json(std::string_view name, std::string_view text) {
  if (!text.starts_with('@')) return parse_user_json(name, text);
  const std::string path(text.substr(1));
  SVC_TRY(content, read_named_file(name, path));
  return parse_user_json(fmt::format("{} (file {})", name, visible(path, Lines::Escape)), content);
}

Result<OrderedJson> convert(const Field& field, std::string_view text,
                            const ConvertOptions& options) {
  if (!field.null_word.empty() && text == field.null_word) return OrderedJson(nullptr);
  switch (field.kind) {
    case Kind::Integer:
      return convert_integer(field, text);
    case Kind::Number:
      return convert_number(field, text);
    case Kind::Boolean:
      if (!field.optional_value.empty()) return convert_text(field, text, true);
      if (text == "true") return OrderedJson(true);
      if (text == "false") return OrderedJson(false);
      return invalid_value_error(field, text, "true or false");
    case Kind::Duration:
      return convert_duration(field, text);
    case Kind::Secret:
      SVC_CHECK(parse_secret_source(field, text));
      return OrderedJson();  // read when the request is built; a path need not be UTF-8
    case Kind::Time:
      return convert_time(field, text, options.now);
    case Kind::Money:
      return convert_money(field, text, options.cents);
    case Kind::Json: {
      SVC_TRY(value, options.literal ? parse_user_json(flag_name(field), text)
                                     : resolve_json(flag_name(field), text));
      SVC_CHECK(check_json_value(field, value));
      return std::move(value);
    }
    case Kind::TextOrJson:
      if (looks_like_json(text)) return parse_user_json(flag_name(field), text);
      if (!options.literal && text.starts_with('@')) return resolve_json(flag_name(field), text);
      if (!options.literal && text.starts_with("\\@")) text.remove_prefix(1);
      return wrap(field, convert_text(field, text, options.literal));
    case Kind::File:
      SVC_CHECK(check_not_blank(field, text));
      return OrderedJson(std::string(text));  // a path need not be UTF-8
    case Kind::Text:
    case Kind::Media:
      break;
  }
  return convert_text(field, text, options.literal);
}

OrderedJson fill_template(std::string_view form, std::string_view value) {
  OrderedJson filled = OrderedJson::parse(form.begin(), form.end());
  fill(filled, value);
  return filled;
}

}  // namespace svc::request
