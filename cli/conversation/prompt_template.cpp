#include "conversation/prompt_template.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/responses_fields.h"
#include "catalogue/tool_fields.h"
#include "request/convert.h"

namespace svc::cli {
namespace {

using ResponseFlags = Flags<catalogue::responses::k_create_fields>;
using TemplateNameFlags = Flags<catalogue::k_answer_shown_fields>;

Error unknown_template(const Session& session, const std::string& name) {
  std::vector<sv> names;
  const std::string& profile = session.settings().profile.value;
  for (const auto& [known, one] : session.config().templates(profile)) names.push_back(known);
  return Error{
      Fault::NotFound, fmt::format("profile {} has no template '{}'", profile, shown(name)),
      names.empty() ? fmt::format("Run `svc templates edit {}` to create it.", shown_word(name))
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

/// Resolves `given` so that another text can follow it. `-` is empty: standard input is added to
/// every prompt anyway.
Result<std::string> read_text(const request::Given& given) {
  if (given.is_stdin()) return std::string();
  return request::resolve_text("PROMPT", given);
}

/// Puts the template's prompt before the given one.
Result<void> join_prompts(const std::string& first, request::Given& prompt) {
  SVC_TRY(before, read_text({prompt.field, first}));
  SVC_TRY(text, read_text(prompt));
  if (!before.empty() && !text.empty()) before += "\n\n";
  before += text;
  prompt.literal = !before.empty();  // files have been read
  prompt.text = before.empty() ? std::string("-") : std::move(before);
  return {};
}

Error not_a_flag(const std::string& name, const std::string& key, const std::string& command) {
  std::vector<std::string> names = {"prompt", "system"};
  const Operation* chat = find_operation("chat", "create");
  for (const Field& field : chat->fields) {
    names.push_back(replace_all(std::string(field.flag), "-", "_"));
  }
  const sv near = nearest(key, names);
  return usage_error(
      fmt::format("template '{}' sets {}, which is not a flag of {}", name, shown(key), command),
      near.empty()
          ? "A template may set prompt, system and any flag of `svc chat --help-all`, with "
            "underscores."
          : fmt::format("Did you mean {}? Run `svc templates edit {}` to change it.", near, name));
}

}  // namespace

Result<void> apply_template(const Session& session, Invocation& invocation) {
  const auto name = TemplateNameFlags(invocation.inputs).get<"template">();
  if (!name ||
      find_field(*invocation.operation, TemplateNameFlags::k_name<"template">)->letter != 't')
    return {};
  const auto& templates = session.config().templates(session.settings().profile.value);
  const auto found = templates.find(*name);
  if (found == templates.end()) return unknown_template(session, *name);
  std::vector<request::Given> given;
  for (const auto& [key, values] : found->second.values) {
    // A chat template also works with `svc responses`.
    const bool responses = invocation.operation->view == View::Response;
    const sv known = key == "system" && responses ? ResponseFlags::k_name<"instructions"> : sv(key);
    const Field* field = field_of(*invocation.operation, known);
    if (field == nullptr) {
      return not_a_flag(*name, key,
                        fmt::format("`svc {}`", command_name(*invocation.operation, true)));
    }
    const auto own = std::find_if(invocation.inputs.given.begin(), invocation.inputs.given.end(),
                                  [&](const request::Given& one) { return one.field == field; });
    const bool there = own != invocation.inputs.given.end();
    if (there && field->positional && !values.empty()) {
      if (own->is_stdin() && !session.has_stdin()) {
        return usage_error("no prompt on standard input");
      }
      SVC_CHECK(join_prompts(values.front(), *own));
    }
    if (there || (values.size() == 1 && values.front().empty())) continue;
    for (const std::string& value : values) given.push_back({field, value});
  }
  invocation.inputs.given.insert(invocation.inputs.given.begin(), given.begin(), given.end());
  return {};
}

Result<void> check_template(const std::string& name, const ConfigTemplate& one) {
  const Operation* chat = find_operation("chat", "create");
  const Operation* responses = find_operation("responses", "create");
  for (const auto& [key, values] : one.values) {
    if (field_of(*chat, key) == nullptr && field_of(*responses, key) == nullptr) {
      return not_a_flag(name, key, "`svc chat`");
    }
  }
  return {};
}

}  // namespace svc::cli
