// `svc templates list | show | edit`: templates with a prompt, system prompt, model and flags.

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "client/config_file.h"
#include "client/config_write.h"
#include "commands/command.h"
#include "conversation/prompt_template.h"
#include "conversation/text_editor.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

constexpr sv k_sketch =
    "# Values for `svc chat -t {}`. An empty template is removed.\n"
    "system = \"\"\n"
    "prompt = \"\"\n"
    "# model = \"svc-4.5\"\n"
    "# Any flag of `svc chat`, with underscores: temperature = 0.2, image = [\"a.jpg\"]\n";

OrderedJson template_json(const std::string& name, const ConfigTemplate& one) {
  OrderedJson row{{"name", name}, {"system", nullptr}, {"prompt", nullptr}, {"model", nullptr}};
  OrderedJson flags = OrderedJson::object();
  for (const auto& [key, values] : one.values) {
    const OrderedJson value =
        values.size() == 1 ? OrderedJson(values.front()) : OrderedJson(values);
    if (row.contains(key)) {
      row[key] = value;
      continue;
    }
    flags[key] = value;
  }
  row["flags"] = std::move(flags);
  return row;
}

/// The table row: the flags as they would be typed.
OrderedJson template_row(const OrderedJson& document) {
  OrderedJson row = document;
  std::string flags;
  for (const auto& [key, value] : document["flags"].items()) {
    flags += fmt::format("{}--{} {}", flags.empty() ? "" : " ", replace_all(key, "_", "-"),
                         plain_text(value));
  }
  row["flags"] = flags;
  return row;
}

Result<std::string> template_name(const Session& session) {
  const std::string name =
      Flags<catalogue::tool_commands::k_template_fields>(session.inputs()).text<"name">();
  const Result<void> good = check_profile_name(name);
  if (good) return name;
  return usage_error(fmt::format("invalid template name '{}'", shown(name)),
                     "Use 1 to 64 letters, digits, dashes and underscores.");
}

}  // namespace

template <>
Result<void> run<Handler::TemplatesList>(Session& session) {
  const auto& templates = session.config().templates(session.settings().profile.value);
  OrderedJson rows = OrderedJson::array();
  for (const auto& [name, one] : templates) rows.push_back(template_json(name, one));
  if (templates.empty() && session.format() == Format::Text) {
    session.notices().note("the profile has no templates; `svc templates edit NAME` creates one");
    return {};
  }
  return print_list(session, rows, template_row);
}

template <>
Result<void> run<Handler::TemplatesShow>(Session& session) {
  SVC_TRY(name, template_name(session));
  const std::string& profile = session.settings().profile.value;
  const auto& templates = session.config().templates(profile);
  const auto found = templates.find(name);
  if (found == templates.end()) {
    return Error{Fault::NotFound, fmt::format("profile {} has no template '{}'", profile, name),
                 "`svc templates` lists the templates."};
  }
  if (session.format() != Format::Text) {
    return session.write_document(compact_json(template_json(name, found->second)));
  }
  SVC_TRY(body, read_template(session.config().path(), profile, name));
  return session.write_foreign(std::string(trim(body)) + "\n");
}

template <>
Result<void> run<Handler::TemplatesEdit>(Session& session) {
  SVC_TRY(name, template_name(session));
  if (::isatty(STDIN_FILENO) != 1) {
    return usage_error(
        "an editor needs a terminal",
        fmt::format("Add [profile.{}.templates.{}] to {}.", session.settings().profile.value, name,
                    visible(session.config().path().string(), Lines::Escape)));
  }
  const std::string& profile = session.settings().profile.value;
  SVC_TRY(before, read_template(session.config().path(), profile, name));
  const std::string text = trim(before).empty() ? replace_all(std::string(k_sketch), "{}", name)
                                                : std::string(trim(before)) + "\n";
  RawTerminal terminal(STDIN_FILENO);
  SVC_TRY(edited, edit_text(text, terminal, session.environment(), session.cancel_token()));
  terminal.leave();
  const std::string body(trim(edited));
  if (body == trim(text)) {
    session.notices().note("nothing was changed");
    return {};
  }
  const auto parsed = parse_template(body);
  Result<void> good = parsed ? check_template(name, *parsed) : Result<void>(parsed.error());
  if (!good) {
    if (!parsed) good.error().hint = "Correct that line and edit the template again.";
    // The edited text is not saved anywhere else.
    SVC_CHECK(session.say(visible(body, Lines::Keep) + "\n"));
    return good;
  }
  SVC_CHECK(write_template(session.config().path(), profile, name, body, session.cancel_token()));
  session.notices().note(fmt::format("template {} of profile {} was {}", name, profile,
                                     body.empty() ? "removed" : "saved"));
  return {};
}

}  // namespace svc::cli
