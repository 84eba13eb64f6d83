#include "conversation/prompt_template.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace svc::cli {
namespace {

Error no_such_template(const Session& session, const std::string& name) {
  std::vector<sv> names;
  const std::string& profile = session.settings().profile.value;
  for (const auto& [known, one] : session.config().templates(profile)) names.push_back(known);
  return Error{Fault::NotFound,
               fmt::format("profile {} has no template '{}'", profile, shown(name, 80)),
               names.empty() ? fmt::format("`svc templates edit {}` creates it.", shown(name, 80))
                             : fmt::format("Templates: {}.", join(names, ", "))};
}

/// The field that `key` of a template sets: a flag with underscores, or the positional prompt.
const Field* field_of(const Operation& operation, sv key) {
  const std::string flag = replace_all(std::string(key), "_", "-");
  if (const Field* field = find_field(operation, flag)) return field;
  if (flag != "prompt") return nullptr;
  const auto found = std::find_if(operation.fields.begin(), operation.fields.end(),
                                  [](const Field& field) { return field.positional; });
  return found == operation.fields.end() ? nullptr : &*found;
}

}  // namespace

Result<void> apply_template(const Session& session, Invocation& invocation) {
  const auto name = invocation.value("template");
  if (!name || find_field(*invocation.operation, "template")->letter != 't') return {};
  const auto& templates = session.config().templates(session.settings().profile.value);
  const auto found = templates.find(*name);
  if (found == templates.end()) return no_such_template(session, *name);
  std::vector<request::Given> given;
  for (const auto& [key, values] : found->second.values) {
    // A template of chat serves responses as well.
    const bool responses = invocation.operation->view == View::Response;
    const sv known = key == "system" && responses ? sv("instructions") : sv(key);
    const Field* field = field_of(*invocation.operation, known);
    if (field == nullptr) {
      return usage_error(
          fmt::format("template '{}' sets {}, which is not a flag of `svc {}`", *name,
                      shown(key, 60), command_name(*invocation.operation, true)),
          fmt::format("`svc templates edit {}` changes it.", *name));
    }
    const auto own = std::find_if(invocation.inputs.given.begin(), invocation.inputs.given.end(),
                                  [&](const request::Given& one) { return one.field == field; });
    const bool there = own != invocation.inputs.given.end();
    if (there && field->positional && !values.empty()) {
      own->text = values.front() + "\n\n" + own->text;
    }
    if (there || (values.size() == 1 && values.front().empty())) continue;
    for (const std::string& value : values) given.push_back({field, value});
  }
  invocation.inputs.given.insert(invocation.inputs.given.begin(), given.begin(), given.end());
  return {};
}

}  // namespace svc::cli
