// The settings and their sources: flag, then environment, then profile, then default.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/config_file.h"
#include "http/transport.h"

namespace svc {

// The process environment as a value, so that code using it can be tested with another one.

/// Returns the value of a variable; empty if it is unset or set to "".
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> get;

  /// The environment of this process: its only use in client and cli.
  [[nodiscard]] static Environment of_process();

  [[nodiscard]] std::optional<std::string> operator()(const std::string& name) const {
    auto value = get ? get(name) : std::nullopt;
    return value && !value->empty() ? std::move(value) : std::nullopt;
  }
};

/// Where a setting's value comes from.
enum class Origin : std::uint8_t {
  Unset,
  Flag,         ///< `name` is the flag: "--base-url"
  Environment,  ///< `name` is the variable
  Profile,      ///< `name` is the profile
  ConfigFile,   ///< outside the profiles; `name` says where
  Derived,      ///< `name` is the setting it follows from
  Emulator,
  Typed,   ///< by the user, during this run
  Lookup,  ///< found during this run; `name` says where
  BuiltIn,
};

/// A value and its origin; the value is empty if unset.
struct Setting {
  std::string value{};
  Origin origin = Origin::Unset;
  std::string name{};

  [[nodiscard]] bool is_set() const noexcept { return !value.empty(); }
  /// The origin in words: "flag --base-url", "environment SVC_BASE_URL", "profile work",
  /// "emulator", "derived from base_url", "built in"; empty if unset.
  [[nodiscard]] std::string source() const;
};

/// The URLs of a running emulator, and its demo credentials (not secret).
struct EmulatorAddress {
  std::string base_url{};
  std::string management_url{};
  std::string realtime_url{};
  std::string docs_url{};
  std::string api_key{};
  std::string management_key{};
  std::string team_id{};
  bool in_memory = false;  ///< its state ends with it
};

/// All settings, checked and normalised: URLs without a trailing slash and without `/v1`,
/// everything else as given.
struct Settings {
  Setting profile{};  ///< always set; default: "default"
  Setting base_url{};
  Setting management_url{};
  Setting realtime_url{};  ///< ws(s)://; derived from base_url if unset
  Setting docs_url{};
  Setting team_id{};
  Setting model{};
  Setting voice{};
  Setting input_device{};
  Setting output_device{};
  Setting noise_suppression{};  ///< off, low or high
  Setting gain_control{};       ///< true or false: whether the volume of a microphone adapts
  Setting latency{};            ///< low, normal or safe
  Setting interrupt_after{};    ///< how long speech that interrupts an answer is
  Setting interrupt_words{};    ///< and of how many words
  Setting fillers{};            ///< words that do not interrupt, or none
  Setting resume_after{};       ///< when an answer continues, or none
  Setting format{};
  Setting timeout{};
  Setting connect_timeout{};
  Setting idle_timeout{};
  Setting retries{};
  Setting max_wait{};
  Setting key_command{};
  Setting key_file{};
  Setting management_key_command{};
  Setting management_key_file{};
  Setting webhook_secret_file{};
  Setting cost{};              ///< auto, always or never: whether to print the cost of each answer
  Setting max_cost{};          ///< of a run, in US dollars
  Setting max_cost_per_day{};  ///< of all runs of the profile
  Setting history{};           ///< true or false: whether conversations are saved
  Setting mcp_config{};        ///< a file that lists MCP servers
  Setting render{};            ///< true or false: whether Markdown is rendered on a terminal
  Setting keys{};              ///< emacs or vi: the keys of the prompt
  Setting reasoning{};         ///< full, fold or none: how much of the reasoning is shown
  Setting notify{};            ///< true, false, or how long work takes that ends with a call
  Setting screen_reader{};     ///< true or false: whether a terminal's text is read aloud
  Setting default_command{};   ///< the command for a text that is no command
  /// The emulator's credentials, set by fill_from_emulator().
  std::string emulator_key{};
  std::string emulator_management_key{};

  /// Whether the profile `emulator` is selected: the caller starts one and calls
  /// fill_from_emulator().
  [[nodiscard]] bool wants_emulator() const noexcept { return profile.value == "emulator"; }
};

enum class SettingKind : std::uint8_t {
  Text,
  Url,
  SocketUrl,
  Duration,
  Count,
  Choice,
  Command,
  Path,
  Money  ///< US dollars, more than 0
};

/// One row of the table of settings, used by `svc config`, `svc doctor` and the manual.
struct SettingRow {
  std::string_view name;                      ///< in config.toml and in `svc config`: "base_url"
  std::string_view flag;                      ///< without dashes; empty: none
  std::array<std::string_view, 2> variables;  ///< the first one that is set applies; may be empty
  SettingKind kind;
  std::string_view default_value;  ///< default value; empty: none
  std::string_view choices;        ///< "text|json", or empty
  std::string_view help;           ///< one sentence
  Setting Settings::*member;
};

/// All settings except the profile's name, in display order.
[[nodiscard]] std::span<const SettingRow> setting_rows() noexcept;

/// The row of that name, or null. Dashes are equivalent to underscores: "base-url" is "base_url".
[[nodiscard]] const SettingRow* find_setting(std::string_view name) noexcept;

/// Global flags as given: name without dashes -> value. Flags that are not settings are ignored.
using Overrides = std::map<std::string, std::string, std::less<>>;

/// Whether an unknown profile is an error, or about to be created (`config set`, `auth login`).
enum class NewProfile : std::uint8_t { Refuse, Allow };

/// Resolves every setting. With the profile `emulator` only flags set URLs and the team. An empty
/// variable is treated as unset. Usage, with the flag, variable or file and line, for an invalid
/// value or an unknown profile. With `errors`, errors in environment and file are appended there
/// and their values left unset, so that the rest can be shown and fixed: then only a wrong flag, or
/// an invalid name in SVC_PROFILE, fails.
[[nodiscard]] Result<Settings> resolve_settings(const Overrides& flags,
                                                const Environment& environment,
                                                const ConfigFile& file,
                                                NewProfile new_profile = NewProfile::Refuse,
                                                std::vector<Error>* errors = nullptr);

/// Fills in the emulator's URLs, team and demo keys, for settings with the profile `emulator`.
/// Environment and profile set none of these (a real key must not go to the emulator, nor a demo
/// key to the real service); a URL given by a flag is not changed.
Settings& fill_from_emulator(Settings& settings, const EmulatorAddress& address);

/// Checks and normalises `value` for the row's kind; Usage with `where` ("--retries",
/// "SVC_RETRIES") as the subject.
[[nodiscard]] Result<std::string> check_setting(const SettingRow& row, std::string_view where,
                                                std::string_view value);

/// The error for a command that requires an unset URL or team ID: explains how to set it, and that
/// `-p emulator` needs none. `row` is one of the four URLs, or team_id.
[[nodiscard]] Error missing_setting(const SettingRow& row);

/// The timeouts of a request.
[[nodiscard]] http::Timeouts timeouts_of(const Settings& settings);
[[nodiscard]] int retries_of(const Settings& settings);
/// The longest accepted Retry-After.
[[nodiscard]] std::chrono::milliseconds max_wait_of(const Settings& settings);
/// The ticks of a setting of SettingKind::Money; empty if unset.
[[nodiscard]] std::optional<std::int64_t> ticks_of(const Setting& setting);

}  // namespace svc
