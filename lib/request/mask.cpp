#include "request/mask.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "catalogue/keys_fields.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/flags.h"

namespace svc::request {
namespace {

using Names = std::vector<std::string>;

void add(Names& names, std::string_view name) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  names.emplace_back(name);
}

/// The names in a mask of either format.
Names given_names(const OrderedJson* mask) {
  Names names;
  if (mask == nullptr) return names;
  if (mask->is_string()) {
    for (const sv name : split(mask->get_ref<const std::string&>(), ',')) add(names, trim(name));
  }
  const OrderedJson* paths = mask->is_object() ? find(*mask, "paths") : nullptr;
  if (paths != nullptr && paths->is_array()) {
    for (const OrderedJson& name : *paths) {
      if (name.is_string()) add(names, name.get_ref<const std::string&>());
    }
  }
  return names;
}

OrderedJson mask_of(MaskForm form, const Names& names) {
  if (form == MaskForm::Paths) return OrderedJson{{"paths", names}};
  return OrderedJson(join(names, ","));
}

/// The paths of the fields in --clear.
Result<Names> cleared_names(const Operation& operation, const Inputs& inputs,
                            const OrderedJson& members) {
  Names names;
  for (const std::string& name : Flags<catalogue::keys::k_update_fields>(inputs).get<"clear">()) {
    const Field* field = find_field(operation, name);
    if (field == nullptr) continue;  // choices are already checked
    if (find(members, field->path) != nullptr) {
      return usage_error(
          fmt::format("--clear {0} and {1} cannot be combined", name, flag_name(*field)));
    }
    add(names, field->path);
  }
  return names;
}

Error nothing_changes(const Operation& operation) {
  std::vector<std::string> flags;
  for (const Field& field : operation.fields) {
    const bool member = field.in == In::Body || field.in == In::Compose;
    if (member && field.common) flags.push_back(flag_name(field));
  }
  return usage_error("nothing to change", fmt::format("Use one or more of {}.", join(flags, ", ")));
}

}  // namespace

std::string field_prefix(const Operation& operation) {
  return operation.mask ? fmt::format("{}.", operation.mask->wrapper) : std::string();
}

const OrderedJson& members_of(const Operation& operation, const OrderedJson& body) {
  static const OrderedJson nothing = OrderedJson::object();
  if (!operation.mask) return body;
  const OrderedJson* wrapper = find(body, operation.mask->wrapper);
  return wrapper != nullptr ? *wrapper : nothing;
}

Result<void> apply_mask(const Operation& operation, const Inputs& inputs, OrderedJson& body) {
  if (!operation.mask) {
    if (operation.changes && body.empty()) return nothing_changes(operation);
    return {};
  }
  const Mask& mask = *operation.mask;
  const std::string member(mask.member);
  const OrderedJson& members = members_of(operation, body);
  if (!members.is_object()) return usage_error(fmt::format("'{}' is not an object", mask.wrapper));
  const bool given = body.contains(member);
  Names names = given ? given_names(&body[member]) : Names();
  for (const auto& [name, value] : members.items()) {
    if (!given) add(names, name);
  }
  for (const Given& one : inputs.given) {
    if (one.field->in == In::Body) add(names, one.field->path);
  }
  SVC_TRY(cleared, cleared_names(operation, inputs, members));
  for (const std::string& name : cleared) add(names, name);
  if (names.empty()) return nothing_changes(operation);
  if (!body.contains(std::string(mask.wrapper)))
    body[std::string(mask.wrapper)] = OrderedJson::object();
  body.erase(member);  // so that it follows the fields
  body[member] = mask_of(mask.form, names);
  return {};
}

}  // namespace svc::request
