// `svc config get | set | unset | edit | profiles | list | path`: the settings of a profile.
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "catalogue/local_commands_fields.h"
#include "client/config_file.h"
#include "client/config_write.h"
#include "client/settings.h"
#include "commands/command.h"
#include "conversation/text_editor.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using ConfigFlags = Flags<catalogue::tool_commands::k_set_fields>;

OrderedJson describe(sv name, const Setting& setting) {
  OrderedJson out = {{"name", name}, {"value", nullptr}, {"source", nullptr}};
  if (setting.is_set()) {
    out["value"] = setting.value;
    out["source"] = setting.source();
  }
  return out;
}

Error unknown_setting(const std::string& name) {
  std::vector<sv> known{"profile", "default_profile"};
  for (const SettingRow& row : setting_rows()) known.push_back(row.name);
  const std::string given = shown(name);
  const std::string lower = to_lower(name);
  if (lower.ends_with("key") || lower.ends_with("token")) {
    return usage_error(fmt::format("'{}' is not a setting; keys are not stored here", given),
                       "Store a key with `svc auth login`, or set key_command or key_file.");
  }
  const sv near = nearest(lower, known);
  return usage_error(fmt::format("unknown setting '{}'", given),
                     near.empty() ? "`svc config list` lists the settings."
                                  : fmt::format("Did you mean '{}'?", near));
}

/// The settings outside the table: those that select the profile.
std::optional<Setting> find_profile_setting(const Session& session, sv name) {
  if (name == "profile") return session.settings().profile;
  if (name != "default_profile" && name != "default-profile") return std::nullopt;
  const auto& value = session.config().default_profile();
  return value ? Setting{*value, Origin::ConfigFile, "config.toml"} : Setting{};
}

Result<Setting> find_any(const Session& session, const std::string& name) {
  if (auto found = find_profile_setting(session, name)) return *std::move(found);
  const SettingRow* row = find_setting(name);
  if (row == nullptr) return unknown_setting(name);
  return session.settings().*row->member;
}

Result<void> set_default_profile(const Session& session, const std::string& value) {
  const std::filesystem::path& path = session.config().path();
  if (value.empty()) return write_default_profile(path, std::nullopt, session.cancel_token());
  SVC_CHECK(check_profile_name(value));
  if (value != "default" && value != "emulator" && !session.config().has_profile(value)) {
    return usage_error(fmt::format("unknown profile '{}'", value),
                       fmt::format("Run `svc config set base_url URL -p {}` to create it.", value));
  }
  return write_default_profile(path, value, session.cancel_token());
}

/// Fails on a configuration error that makes the file untrustworthy or the selected profile
/// uncertain.
Result<void> check_may_write(const Session& session, bool is_default) {
  const bool unsure =
      session.config().default_profile() && session.settings().profile.origin == Origin::BuiltIn;
  for (const Error& fault : session.config_faults()) {
    if (fault.fault == Fault::Local || (unsure && !is_default)) return fault;
  }
  return {};
}

Result<void> set_row(Session& session, const SettingRow& row, const std::string& value) {
  const Settings& settings = session.settings();
  const bool own_address = row.kind == SettingKind::Url || row.kind == SettingKind::SocketUrl ||
                           row.member == &Settings::team_id;
  if (settings.wants_emulator() && own_address) {
    return usage_error(fmt::format("the profile emulator has its own {}", row.name),
                       "Choose another profile with -p.");
  }
  std::optional<std::string> text;
  if (!value.empty()) {
    SVC_CHECK(check_setting(row, row.name, value));
    text = row.kind == SettingKind::Path && value != "none" && !value.starts_with("~/")
               ? std::filesystem::absolute(value).lexically_normal().string()
               : value;
  }
  SVC_CHECK(write_config_value(session.config().path(), settings.profile.value, row.name, text,
                               session.cancel_token()));
  if (const Setting& setting = settings.*row.member; setting.origin == Origin::Environment) {
    session.notices().warning(fmt::format("{} is set and overrides the profile", setting.name));
  }
  return {};
}

Result<void> change_setting(Session& session, const std::string& name, const std::string& value) {
  if (name == "profile") {
    return usage_error("the profile is selected per command, with -p NAME or SVC_PROFILE",
                       "Set the default with `svc config set default_profile NAME`.");
  }
  const bool is_default = name == "default_profile" || name == "default-profile";
  const SettingRow* row = find_setting(name);
  if (!is_default && row == nullptr) return unknown_setting(name);
  SVC_CHECK(check_may_write(session, is_default));
  SVC_CHECK(is_default ? set_default_profile(session, value) : set_row(session, *row, value));
  if (session.format() == Format::Text) return {};
  OrderedJson out = {
      {"profile", is_default ? OrderedJson() : OrderedJson(session.settings().profile.value)},
      {"name", is_default ? sv("default_profile") : row->name},
      {"value", text_or_null(value)},
      {"path", session.config().path().string()}};
  return session.write_document(compact_json(out));
}

}  // namespace

template <>
Result<void> run<Handler::ConfigGet>(Session& session) {
  const std::string name = ConfigFlags(session.inputs()).text<"name">();
  SVC_TRY(setting, find_any(session, name));
  if (!setting.is_set()) {
    return Error{Fault::NotFound, fmt::format("{} is not set", name),
                 fmt::format("`svc config set {} VALUE` sets it.", name)};
  }
  if (session.format() != Format::Text)
    return session.write_document(compact_json(describe(name, setting)));
  SVC_CHECK(print::write_text(session.out(), setting.value));
  return session.out().write("\n");
}

template <>
Result<void> run<Handler::ConfigSet>(Session& session) {
  const std::string name = ConfigFlags(session.inputs()).text<"name">();
  return change_setting(session, name, ConfigFlags(session.inputs()).text<"value">());
}

template <>
Result<void> run<Handler::ConfigUnset>(Session& session) {
  const std::string name = ConfigFlags(session.inputs()).text<"name">();
  return change_setting(session, name, {});
}

template <>
Result<void> run<Handler::ConfigEdit>(Session& session) {
  const std::filesystem::path& path = session.config().path();
  if (!session.can_ask()) {
    return usage_error("an editor needs a terminal",
                       fmt::format("The file is {}; `svc config set NAME VALUE` changes a setting.",
                                   quote_path(path.string())));
  }
  SVC_TRY(before, read_config_text(path));
  RawTerminal terminal(STDIN_FILENO);
  SVC_TRY(text, edit_text(before, terminal, session.environment(), session.cancel_token()));
  terminal.leave();
  // It comes without the ends of its last lines.
  if (text == sv(before).substr(0, before.find_last_not_of('\n') + 1)) {
    session.notices().note("nothing was changed");
    return {};
  }
  if (!text.empty()) text += '\n';
  const Result<void> saved = write_config_text(path, before, text, session.cancel_token());
  // The edited text is not saved anywhere else.
  if (!saved) SVC_CHECK(session.say(visible(text, Lines::Keep)));
  return saved;
}

template <>
Result<void> run<Handler::ConfigProfiles>(Session& session) {
  std::set<std::string> names = {"default", "emulator"};
  for (const auto& [name, values] : session.config().profiles()) names.insert(name);
  OrderedJson all = OrderedJson::array();
  for (const std::string& name : names) {
    const ConfigValue* url = session.config().value(name, "base_url");
    all.push_back({{"name", name},
                   {"base_url", url != nullptr ? OrderedJson(url->text) : OrderedJson()},
                   {"in_use", session.settings().profile.value == name}});
  }
  SVC_CHECK(print_list(session, all));
  return session.config_verdict();
}

template <>
Result<void> run<Handler::ConfigList>(Session& session) {
  OrderedJson all = OrderedJson::array();
  all.push_back(describe("profile", session.settings().profile));
  for (const SettingRow& row : setting_rows()) {
    all.push_back(describe(row.name, session.settings().*row.member));
  }
  SVC_CHECK(print_list(session, all));
  return session.config_verdict();
}

template <>
Result<void> run<Handler::ConfigPath>(Session& session) {
  const ConfigFile& file = session.config();
  if (file.path().empty()) {
    return Error{Fault::Local,
                 "no directory for the configuration: neither XDG_CONFIG_HOME nor HOME is set",
                 "Set one of them."};
  }
  if (session.format() != Format::Text) {
    return session.write_document(
        compact_json(OrderedJson{{"path", file.path().string()}, {"exists", file.exists()}}));
  }
  SVC_CHECK(print::write_text(session.out(), file.path().string()));
  return session.out().write("\n");
}

}  // namespace svc::cli
