#include "request/rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "request/body.h"
#include "request/convert.h"

namespace svc::request {
namespace {

bool given_as_flag(const Inputs& inputs, const Field& field) {
  for (const Given& given : inputs.given) {
    if (given.field == &field) return field.kind != Kind::Boolean || given.text == "true";
  }
  return false;
}

bool has_member(const Json& body, sv path) {
  const Json* member = path.empty() ? nullptr : find(body, path);
  return member != nullptr && !member->is_null() && *member != Json(false);
}

bool is_set(const Inputs& inputs, const Field& field, const Json& body) {
  if (given_as_flag(inputs, field)) return true;
  if (field.media) return has_member(body, field.media->one) || has_member(body, field.media->many);
  return field.in == In::Body && !field.alias && has_member(body, field.path);
}

Result<void> check_required(const Field& field, const Inputs& inputs, const Json& body) {
  if (!field.required || is_set(inputs, field, body)) return {};
  for (const Given& given : inputs.given) {
    if (given.field == &field) return {};  // a boolean that is required may be false
  }
  if (field.positional) {
    return usage_error(fmt::format("{} is missing: {}", flag_name(field), field.help),
                       fmt::format("For example: {}", field.example));
  }
  return usage_error(fmt::format("{} is required: {}", flag_name(field), field.help),
                     fmt::format("For example: {} {}", flag_name(field), field.example));
}

Result<void> check_count(const Field& field, const Json& body) {
  if (field.max_count == 0 || field.in != In::Body) return {};
  const Json* member = find(body, field.path);
  if (member == nullptr || !member->is_array() || member->size() <= field.max_count) return {};
  return usage_error(fmt::format("{} was given {} times, at most {} are allowed", flag_name(field),
                                 member->size(), field.max_count));
}

Result<void> check_rule(const Rule& rule, const Operation& operation, const Inputs& inputs,
                        const Json& body) {
  const Field* one = find_field(operation, rule.flag);
  const Field* other = find_field(operation, rule.other);
  if (one == nullptr || other == nullptr) return {};
  if (rule.kind == RuleKind::Either) {
    if (is_set(inputs, *one, body) || is_set(inputs, *other, body)) return {};
    return usage_error(fmt::format("{} or {} is required", flag_name(*one), flag_name(*other)),
                       std::string(rule.why));
  }
  // Of two flags for one member only what was typed tells which one is meant; and a media flag has
  // replaced what the body held, so that it can only be at odds with another flag.
  const bool same = one->in == In::Body && other->in == In::Body && one->path == other->path;
  const bool typed = same || (rule.kind == RuleKind::Excludes && one->media.has_value());
  const auto set = [&](const Field& field) {
    return typed ? given_as_flag(inputs, field) : is_set(inputs, field, body);
  };
  if (!set(*one)) return {};
  const bool other_set = set(*other);
  if (rule.kind == RuleKind::Excludes && other_set) {
    return usage_error(
        fmt::format("{} and {} exclude one another", flag_name(*one), flag_name(*other)),
        std::string(rule.why));
  }
  if (rule.kind == RuleKind::Requires && !other_set) {
    return usage_error(fmt::format("{} needs {}", flag_name(*one), flag_name(*other)),
                       std::string(rule.why));
  }
  return {};
}

}  // namespace

Result<void> check_rules(const Operation& operation, const Inputs& inputs, const Json& body) {
  for (const Field& field : operation.fields) {
    SVC_CHECK(check_required(field, inputs, body));
    SVC_CHECK(check_count(field, body));
  }
  for (const Rule& rule : operation.rules) {
    SVC_CHECK(check_rule(rule, operation, inputs, body));
  }
  return {};
}

Result<void> check_local(const Operation& operation, const Inputs& inputs) {
  for (const Given& given : inputs.given) SVC_CHECK(check_value(*given.field, given.text));
  return check_rules(operation, inputs, Json::object());
}

}  // namespace svc::request
