#include "request/rules.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/text_format.h"

namespace svc::request {

namespace {

bool is_one_of(sv values, sv text) {
  return std::ranges::any_of(split(values, '|'), [&](sv value) {
    return value.ends_with('*') ? text.starts_with(value.substr(0, value.size() - 1))
                                : text == value;
  });
}

/// `values`: those that match ("" for any).
bool is_flag_given(const Inputs& inputs, const Field& field, sv values = {}) {
  for (const Given& given : inputs.given) {
    // A form has no body that would show another flag for the same field.
    const bool same =
        given.field == &field ||
        (field.in == In::Form && given.field->in == In::Form && given.field->path == field.path);
    if (!same) continue;
    if (!values.empty() && !is_one_of(values, given.text)) continue;
    return !values.empty() || given.field->kind != Kind::Boolean || given.text != "false";
  }
  return false;
}

bool has_field(const OrderedJson& body, sv path, sv values = {}) {
  const OrderedJson* member = path.empty() ? nullptr : find(body, path);
  if (member == nullptr || member->is_null() || *member == OrderedJson(false)) return false;
  const auto matches = [&](const OrderedJson& value) {
    return value.is_string() && is_one_of(values, value.get_ref<const std::string&>());
  };
  return values.empty() || matches(*member) ||
         (member->is_array() && std::ranges::any_of(*member, matches));
}

bool is_set(const Inputs& inputs, const Field& field, const OrderedJson& body, sv values = {}) {
  if (is_flag_given(inputs, field, values)) return true;
  if (field.media) return has_field(body, field.media->one) || has_field(body, field.media->many);
  return (field.in == In::Body || field.in == In::Form) && !field.alias &&
         has_field(body, field.path, values);
}

Result<void> check_required(const Operation& operation, const Field& field, const Inputs& inputs,
                            const OrderedJson& body) {
  if (!field.required || is_set(inputs, field, body)) return {};
  for (const Given& given : inputs.given) {
    if (given.field == &field) return {};  // a required boolean may be false
  }
  if (field.positional) {
    return usage_error(fmt::format("{} is missing: {}", flag_name(field), command_line_help(field)),
                       operation.examples.empty()
                           ? fmt::format("For example: {}", field.example)
                           : fmt::format("For example: {}", operation.examples.front().command));
  }
  const Field& shown = preferred_field(operation, field);
  return usage_error(fmt::format("{} is required: {}", flag_name(shown), command_line_help(field)),
                     fmt::format("For example: {} {}", flag_name(shown), field.example));
}

/// Checks values from --body and --set; flags were checked when converted.
Result<void> check_field_not_blank(const Field& field, const OrderedJson& body) {
  if (field.alias || (field.in != In::Body && field.in != In::Form)) return {};
  const OrderedJson* member = find(body, field.path);
  return member != nullptr && member->is_string()
             ? check_not_blank(field, member->get_ref<const std::string&>())
             : Result<void>();
}

Result<void> check_count(const Field& field, const Inputs& inputs, const OrderedJson& body) {
  if (field.max_count == 0 || field.in == In::Compose) return {};
  const bool part = field.in == In::Body || field.in == In::Form;
  const OrderedJson* member = part ? find(body, field.path) : nullptr;
  std::size_t count = member != nullptr && member->is_array() ? member->size() : 0;
  if (field.in != In::Body) {
    for (const Given& given : inputs.given) count += given.field == &field ? 1 : 0;
  }
  if (count <= field.max_count) return {};
  return usage_error(
      fmt::format("{} was given {} times (maximum: {})", flag_name(field), count, field.max_count));
}

/// A side of a rule as the user knows it: the flag typed for the field, else the preferred one;
/// "--audio-format pcm".
std::string side_name(sv side, const Operation& operation, const Inputs& inputs) {
  const Field* field = find_field(operation, rule_flag(side));
  sv flag = preferred_field(operation, *field).flag;
  for (const Given& given : inputs.given) {
    const bool same =
        given.field == field ||
        (!field->path.empty() && given.field->in == field->in && given.field->path == field->path);
    if (same) flag = given.field->flag;
  }
  const std::string values = replace_all(std::string(rule_values(side)), "|", " or ");
  if (values == "true") return fmt::format("--{}", flag);
  if (values == "false") return fmt::format("--no-{}", flag);
  return fmt::format("--{}{}{}", flag, values.empty() ? "" : " ", values);
}

/// The value of a field: from the body, or for other fields from its flag.
std::string text_of(const Field& field, const Inputs& inputs, const OrderedJson& body) {
  const OrderedJson* member = field.in == In::Body ? find(body, field.path) : nullptr;
  if (member != nullptr && member->is_string()) return member->get<std::string>();
  for (const Given& given : inputs.given) {
    if (given.field == &field) return given.text;
  }
  return {};
}

/// Compares days as YYYY-MM-DD, which sort as text.
Result<void> check_order(const Rule& rule, const Operation& operation, const Inputs& inputs,
                         const OrderedJson& body) {
  const Field* first = find_field(operation, rule_flag(rule.flag));
  const Field* last = find_field(operation, rule_flag(rule.other));
  if (first == nullptr || last == nullptr) return {};
  const std::string from = text_of(*first, inputs, body);
  const std::string to = text_of(*last, inputs, body);
  if (!matches_format(TextFormat::Day, from) || !matches_format(TextFormat::Day, to) || from <= to)
    return {};
  return usage_error(fmt::format("{} {} is after {} {}", side_name(rule.flag, operation, inputs),
                                 from, side_name(rule.other, operation, inputs), to),
                     std::string(rule.why));
}

Result<void> check_rule(const Rule& rule, const Operation& operation, const Inputs& inputs,
                        const OrderedJson& body) {
  if (rule.kind == RuleKind::Warns) return {};
  if (rule.kind == RuleKind::Ordered) return check_order(rule, operation, inputs, body);
  const Field* one = find_field(operation, rule_flag(rule.flag));
  const Field* other = find_field(operation, rule_flag(rule.other));
  if (one == nullptr || other == nullptr) return {};
  if (rule.kind == RuleKind::Either) {
    if (is_set(inputs, *one, body) || is_set(inputs, *other, body)) return {};
    return usage_error(fmt::format("{} or {} is required", flag_name(*one), flag_name(*other)),
                       std::string(rule.why));
  }
  // For two flags of one field, only the typed flags show which one is meant. A media flag has
  // already replaced the field in the body, so it can only conflict with another flag.
  const bool same = one->in == other->in && one->path == other->path && !one->path.empty();
  const bool typed = same || (rule.kind == RuleKind::Excludes && one->media.has_value());
  const auto set = [&](const Field& field, sv values) {
    if (!same) return typed ? is_flag_given(inputs, field) : is_set(inputs, field, body, values);
    return std::any_of(inputs.given.begin(), inputs.given.end(), [&](const Given& given) {
      return given.field == &field && (field.kind != Kind::Boolean || given.text != "false");
    });
  };
  if (!set(*one, rule_values(rule.flag))) return {};
  const bool other_set = set(*other, rule_values(rule.other));
  if (rule.kind == RuleKind::Excludes && other_set) {
    const auto name = [&](const Field& field, sv side) {
      return same ? flag_name(field) : side_name(side, operation, inputs);
    };
    return usage_error(fmt::format("{} and {} cannot be combined", name(*one, rule.flag),
                                   name(*other, rule.other)),
                       std::string(rule.why));
  }
  if (rule.kind == RuleKind::Requires && !other_set) {
    return usage_error(fmt::format("{} requires {}", side_name(rule.flag, operation, inputs),
                                   side_name(rule.other, operation, inputs)),
                       std::string(rule.why));
  }
  return {};
}

}  // namespace

Result<void> check_rules(const Operation& operation, const Inputs& inputs,
                         const OrderedJson& body) {
  for (const Field& field : operation.fields) {
    SVC_CHECK(check_required(operation, field, inputs, body));
    SVC_CHECK(check_count(field, inputs, body));
    SVC_CHECK(check_field_not_blank(field, body));
  }
  for (const Rule& rule : operation.rules) SVC_CHECK(check_rule(rule, operation, inputs, body));
  return {};
}

void add_warnings(const Operation& operation, const Inputs& inputs, const OrderedJson& members,
                  std::vector<std::string>& warnings) {
  const auto set = [&](sv side) {
    const Field* field = find_field(operation, rule_flag(side));
    return field != nullptr && is_set(inputs, *field, members, rule_values(side));
  };
  for (const Rule& rule : operation.rules) {
    if (rule.kind != RuleKind::Warns || !set(rule.flag) || !set(rule.other)) continue;
    const bool both =
        rule_flag(rule.flag) != rule_flag(rule.other) && rule_values(rule.other).empty();
    warnings.push_back(fmt::format(
        "{}{}: {}", side_name(rule.flag, operation, inputs),
        both ? fmt::format(" and {}", side_name(rule.other, operation, inputs)) : std::string(),
        rule.why.substr(0, rule.why.size() - 1)));
  }
}

bool ends_something(const Operation& operation, const Inputs& inputs, const OrderedJson& members) {
  if (operation.ends.empty() || operation.ends_if.empty()) return !operation.ends.empty();
  const Field* field = find_field(operation, rule_flag(operation.ends_if));
  return field != nullptr && is_set(inputs, *field, members, rule_values(operation.ends_if));
}

Result<void> check_local(const Operation& operation, const Inputs& inputs) {
  for (const Given& given : inputs.given) SVC_CHECK(check_value(given));
  return check_rules(operation, inputs, OrderedJson::object());
}

}  // namespace svc::request
