#include "client/settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/money.h"
#include "base/text.h"
#include "http/url.h"

namespace svc {
namespace {

using std::chrono::milliseconds;

/// The allowed values of settings; of others, those of the first row.
struct Durations {
  Setting Settings::*member;
  sv least;
  sv most;
};
constexpr std::array k_durations = {Durations{nullptr, "1ms", "30d"},
                                    Durations{&Settings::max_wait, "0s", "30d"},
                                    Durations{&Settings::interrupt_after, "50ms", "5s"},
                                    Durations{&Settings::resume_after, "200ms", "10s"}};
struct Counts {
  Setting Settings::*member;
  std::int64_t most;
};
constexpr std::array k_counts = {Counts{nullptr, 100}, Counts{&Settings::interrupt_words, 20}};

template <typename Row, std::size_t N>
const Row& limits_of(const std::array<Row, N>& rows, const SettingRow& setting) {
  const auto found = std::ranges::find(rows, setting.member, &Row::member);
  return found == rows.end() ? rows.front() : *found;
}

/// A value, and its place for errors.
struct Found {
  // Not an aggregate: GCC 12 destroys a nested braced value twice if memory runs out meanwhile.
  Found(Setting value, std::string place) : setting(std::move(value)), where(std::move(place)) {}

  Setting setting;
  std::string where;  ///< "SVC_RETRIES", "retries in line 3 of …"
};

std::string in_quotes(std::string_view text) {
  return "'" + shown(text) + "'";
}

Result<std::string> check_text(std::string_view where, std::string_view value) {
  const bool has_control = std::any_of(value.begin(), value.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (has_control)
    return usage_error(fmt::format("{} must not contain control characters", where),
                       "Remove line breaks and other invisible characters.");
  if (first_invalid_utf8(value)) return usage_error(fmt::format("{} is not valid UTF-8", where));
  return std::string(value);
}

Result<std::string> check_duration(const SettingRow& row, std::string_view where,
                                   std::string_view value) {
  const auto duration = parse_duration(value);
  const auto words = split(row.choices, '|');
  if (std::find(words.begin(), words.end(), value) != words.end()) return std::string(value);
  if (!duration) {
    const std::string choices = row.choices.empty() ? "" : join(words, ", ") + " or ";
    return usage_error(fmt::format("{} must be {}a duration such as 90s, 250ms, 5m or 2h, not {}",
                                   where, choices, in_quotes(value)));
  }
  const Durations& allowed = limits_of(k_durations, row);
  if (*duration < parse_duration(allowed.least) || *duration > parse_duration(allowed.most)) {
    return usage_error(fmt::format("{} is out of range: {} (allowed: {} to {})", where,
                                   in_quotes(value), allowed.least, allowed.most));
  }
  return std::string(value);
}

Result<std::string> check_count(const SettingRow& row, std::string_view where,
                                std::string_view value) {
  const auto number = parse_integer(value);
  if (!number) {
    return usage_error(fmt::format("{} must be an integer, not {}", where, in_quotes(value)));
  }
  if (const std::int64_t most = limits_of(k_counts, row).most; *number < 0 || *number > most) {
    return usage_error(
        fmt::format("{} is out of range: {} (allowed: 0 to {})", where, *number, most));
  }
  return std::to_string(*number);
}

Result<std::string> check_money(std::string_view where, std::string_view value) {
  const auto ticks = parse_ticks(value);
  if (ticks && *ticks > 0) return std::string(value);
  return usage_error(
      fmt::format("{} must be a positive amount in US dollars with at most ten decimals, such "
                  "as 2.50, not {}",
                  where, in_quotes(value)));
}

Result<std::string> check_choice(const SettingRow& row, std::string_view where,
                                 std::string_view value) {
  const auto choices = split(row.choices, '|');
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::string(value);
  const sv near = nearest(value, choices);
  return usage_error(
      fmt::format("{} must be one of {}, not {}", where, join(choices, ", "), in_quotes(value)),
      near.empty() ? std::string() : fmt::format("Did you mean '{}'?", near));
}

Result<std::string> check_url(const SettingRow& row, std::string_view where,
                              std::string_view value) {
  auto url = row.kind == SettingKind::SocketUrl ? http::normalise_realtime_url(value)
                                                : http::normalise_base_url(value);
  if (!url) {
    url.error().message = fmt::format("{}: {}", where, url.error().message);
    return url;
  }
  constexpr std::string_view tool_path = "/api/mcp";  // the documented URL includes it
  if (row.member == &Settings::docs_url && url->ends_with(tool_path)) {
    url->resize(url->size() - tool_path.size());
  }
  return url;
}

/// Records an error in environment or file if the caller wants to continue; a flag can simply be
/// corrected.
Result<void> record_error(std::vector<Error>* errors, Origin origin, Error error) {
  if (errors == nullptr || origin == Origin::Flag) return error;
  errors->push_back(std::move(error));
  return {};
}

/// The profile's name and its source. Does not check whether it exists.
Result<Found> choose_profile(const Overrides& flags, const Environment& environment,
                             const ConfigFile& file, std::vector<Error>* errors) {
  const Found fallback{{"default", Origin::BuiltIn}, "the profile"};
  Found found = fallback;
  const auto flag = flags.find("profile");
  const auto variable = environment("SVC_PROFILE");
  if (flag != flags.end()) {
    found = {{flag->second, Origin::Flag, "--profile"}, "--profile"};
  } else if (variable && !variable->empty()) {
    found = {{*variable, Origin::Environment, "SVC_PROFILE"}, "SVC_PROFILE"};
  } else if (file.default_profile()) {
    found = {{*file.default_profile(), Origin::ConfigFile, "default_profile in config.toml"},
             fmt::format("default_profile in {}", file.path().string())};
  }
  const auto checked = check_profile_name(found.setting.value);
  if (checked) return found;
  Error error = usage_error(found.where + ": " + checked.error().message, checked.error().hint);
  // Only the file can be fixed with svc itself.
  if (errors == nullptr || found.setting.origin != Origin::ConfigFile) return error;
  errors->push_back(std::move(error));
  return fallback;
}

Error unknown_profile(const Found& chosen, const ConfigFile& file) {
  std::vector<sv> known{"emulator", "default"};
  for (const auto& [name, values] : file.profiles()) {
    if (name != "emulator" && name != "default") known.emplace_back(name);
  }
  const std::string& name = chosen.setting.value;
  const sv near = nearest(name, known);
  return usage_error(fmt::format("{}: unknown profile {}; known profiles: {}", chosen.where,
                                 in_quotes(name), visible(join(known, ", "), Lines::Escape)),
                     near.empty()
                         ? fmt::format("`svc config set base_url URL -p {}` creates it.", name)
                         : fmt::format("Did you mean '{}'?", near));
}

/// With `-p emulator`, the emulator's own URLs and team apply, not those of the real service.
bool emulator_fills(const SettingRow& row) {
  return row.kind == SettingKind::Url || row.kind == SettingKind::SocketUrl ||
         row.member == &Settings::team_id;
}

/// A path means the same from every directory: `~/` is the home directory, and a relative path in
/// the configuration file starts at the file's directory. The word none stays.
std::string absolute_path(const Setting& setting, const ConfigFile& file,
                          const Environment& environment) {
  const auto home = environment("HOME");
  if (setting.value.starts_with("~/") && home) {
    return (std::filesystem::path(*home) / setting.value.substr(2)).string();
  }
  if (setting.origin != Origin::Profile || setting.value == "none") return setting.value;
  return (file.directory() / setting.value).string();  // an absolute path stays
}

Result<std::optional<Found>> find_value(const SettingRow& row, const Overrides& flags,
                                        const Environment& environment, const ConfigFile& file,
                                        const std::string& profile) {
  if (const auto flag = flags.find(row.flag); !row.flag.empty() && flag != flags.end()) {
    const std::string name = "--" + std::string(row.flag);
    if (flag->second.empty()) return usage_error(name + " must not be empty");
    return std::optional(Found{{flag->second, Origin::Flag, name}, name});
  }
  if (profile == "emulator" && emulator_fills(row)) return std::optional<Found>();
  for (const sv row_name : row.variables) {
    const std::string name(row_name);
    const auto variable = name.empty() ? std::nullopt : environment(name);
    if (variable) return std::optional(Found{{*variable, Origin::Environment, name}, name});
  }
  if (const ConfigValue* value = file.value(profile, row.name); value && !value->text.empty()) {
    return std::optional(Found{{value->text, Origin::Profile, profile},
                               fmt::format("{} in line {} of {}", row.name, value->line,
                                           visible(file.path().string(), Lines::Escape))});
  }
  if (row.default_value.empty()) return std::optional<Found>();
  return std::optional(
      Found{{std::string(row.default_value), Origin::BuiltIn}, std::string(row.name)});
}

}  // namespace

Result<std::string> check_setting(const SettingRow& row, std::string_view where,
                                  std::string_view value) {
  if (value.empty()) return usage_error(fmt::format("{} must not be empty", where));
  SVC_TRY(text, check_text(where, value));
  switch (row.kind) {
    case SettingKind::Url:
    case SettingKind::SocketUrl:
      return check_url(row, where, text);
    case SettingKind::Duration:
      return check_duration(row, where, text);
    case SettingKind::Count:
      return check_count(row, where, text);
    case SettingKind::Choice:
      return check_choice(row, where, text);
    case SettingKind::Money:
      return check_money(where, text);
    case SettingKind::Text:
    case SettingKind::Command:
    case SettingKind::Path:
      break;
  }
  return text;
}

Result<Settings> resolve_settings(const Overrides& flags, const Environment& environment,
                                  const ConfigFile& file, NewProfile new_profile,
                                  std::vector<Error>* errors) {
  Settings settings;
  SVC_TRY(chosen, choose_profile(flags, environment, file, errors));
  settings.profile = chosen.setting;
  const std::string& profile = settings.profile.value;
  const Origin origin = settings.profile.origin;
  // The default profile needs no table in the file, selected or not.
  const bool known = profile == "default" || settings.wants_emulator() || file.has_profile(profile);
  if (!known && new_profile == NewProfile::Refuse) {
    SVC_CHECK(record_error(errors, origin, unknown_profile(chosen, file)));
  }

  for (const SettingRow& row : setting_rows()) {
    SVC_TRY(found, find_value(row, flags, environment, file, profile));
    if (!found) continue;
    auto value = check_setting(row, found->where, found->setting.value);
    if (!value) {
      SVC_CHECK(record_error(errors, found->setting.origin, std::move(value).error()));
      continue;
    }
    found->setting.value = *std::move(value);
    if (row.kind == SettingKind::Path) {
      found->setting.value = absolute_path(found->setting, file, environment);
    }
    settings.*row.member = std::move(found->setting);
  }
  if (!settings.realtime_url.is_set() && settings.base_url.is_set()) {
    settings.realtime_url = {http::to_websocket_url(settings.base_url.value), Origin::Derived,
                             "base_url"};
  }
  return settings;
}

Settings& fill_from_emulator(Settings& settings, const EmulatorAddress& address) {
  // Any value already set came from a flag.
  const auto fill = [](Setting& setting, const std::string& value) {
    if (!setting.is_set() && !value.empty()) setting = {value, Origin::Emulator};
  };
  fill(settings.base_url, address.base_url);
  fill(settings.management_url, address.management_url);
  fill(settings.realtime_url, address.realtime_url);
  fill(settings.docs_url, address.docs_url);
  fill(settings.team_id, address.team_id);
  settings.emulator_key = address.api_key;
  settings.emulator_management_key = address.management_key;
  return settings;
}

Error missing_setting(const SettingRow& row) {
  const std::string variable(row.variables[0]);
  const bool is_team = row.member == &Settings::team_id;
  const std::string ways = fmt::format("--{}, {} or `svc config set {} {}`", row.flag, variable,
                                       row.name, is_team ? "ID" : "https://…");
  const bool is_first = row.member == &Settings::base_url;
  return usage_error(
      is_team ? "the team ID is not set" : fmt::format("{} is not set", row.name),
      fmt::format("{} {}. Without an account, try the same command with `-p emulator`.",
                  is_first ? "`svc auth login` asks for it; or use" : "Set it with", ways));
}

http::Timeouts timeouts_of(const Settings& settings) {
  http::Timeouts timeouts;
  timeouts.total = parse_duration(settings.timeout.value).value_or(timeouts.total);
  timeouts.connect = parse_duration(settings.connect_timeout.value).value_or(timeouts.connect);
  timeouts.idle = parse_duration(settings.idle_timeout.value).value_or(timeouts.idle);
  return timeouts;
}

int retries_of(const Settings& settings) {
  return static_cast<int>(parse_integer(settings.retries.value).value_or(2));
}

std::optional<std::int64_t> ticks_of(const Setting& setting) {
  return setting.is_set() ? parse_ticks(setting.value) : std::nullopt;
}

milliseconds max_wait_of(const Settings& settings) {
  return parse_duration(settings.max_wait.value).value_or(std::chrono::seconds(60));
}

std::string Setting::source() const {
  constexpr std::array k_words = {"", "flag ",         "environment ", "profile ",
                                  "", "derived from ", "emulator",     "typed",
                                  "", "built in"};
  return k_words.at(static_cast<std::size_t>(origin)) + name;
}

Environment Environment::of_process() {
  return Environment{[](const std::string& name) -> std::optional<std::string> {
    // Nothing in the library changes the environment, so there is no race.
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  }};
}

}  // namespace svc
