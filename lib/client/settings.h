// What is configured, and from where: flag, then environment, then profile, then built in.
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

// The process environment as a value, so that everything above can be tested without one.

/// Gives the value of a variable, or nothing when it is not set, or set to nothing.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> get;

  /// The environment of this process: the only place in client and cli that reads it.
  [[nodiscard]] static Environment of_process();

  [[nodiscard]] std::optional<std::string> operator()(const std::string& name) const {
    auto value = get ? get(name) : std::nullopt;
    return value && !value->empty() ? std::move(value) : std::nullopt;
  }
};

/// A value and who set it: "flag --base-url", "environment SVC_BASE_URL", "profile work",
/// "emulator", "derived from base_url", "built in"; both empty when nobody did.
struct Setting {
  std::string value{};
  std::string source{};

  [[nodiscard]] bool is_set() const noexcept { return !value.empty(); }
};

/// Where a running emulator listens, and the demo credentials that it accepts (no secrets).
struct EmulatorAddress {
  std::string base_url{};
  std::string management_url{};
  std::string realtime_url{};
  std::string docs_url{};
  std::string api_key{};
  std::string management_key{};
  std::string team_id{};
};

/// Everything that is configured, checked and in its normal form: addresses without a trailing
/// slash and without `/v1`, everything else as it was given.
struct Settings {
  Setting profile{};  ///< always set; "default" unless chosen
  Setting base_url{};
  Setting management_url{};
  Setting realtime_url{};  ///< ws(s)://; derived from base_url when nobody set it
  Setting docs_url{};
  Setting team_id{};
  Setting model{};
  Setting voice{};
  Setting input_device{};
  Setting output_device{};
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
  Setting cost{};              ///< auto, always or never: whether each answer's cost is told
  Setting max_cost{};          ///< of a run, in US dollars
  Setting max_cost_per_day{};  ///< of all runs of the profile
  Setting history{};           ///< true or false: whether conversations are kept
  Setting mcp_config{};        ///< a file that names MCP servers
  Setting render{};            ///< true or false: whether Markdown is rendered on a terminal
  /// The credentials of the emulator once fill_from_emulator() was called.
  std::string emulator_key{};
  std::string emulator_management_key{};
  std::string home{};  ///< what `~/` in key_file stands for; HOME, or empty

  /// The profile `emulator` is chosen: the caller starts one and calls fill_from_emulator().
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
  Money  ///< US dollars, more than none
};

/// One row of THE table of settings: `svc config`, `svc doctor` and the manual read it.
struct SettingRow {
  std::string_view name;                      ///< in config.toml and in `svc config`: "base_url"
  std::string_view flag;                      ///< without dashes; empty: there is none
  std::array<std::string_view, 2> variables;  ///< the first that is set counts; may be empty
  SettingKind kind;
  std::string_view built_in;  ///< the value when nobody sets one; empty: none
  std::string_view choices;   ///< "text|json", or empty
  std::string_view help;      ///< one sentence
  Setting Settings::*member;
};

/// All settings but the profile's own name, in the order in which they are shown.
[[nodiscard]] std::span<const SettingRow> setting_rows() noexcept;

/// The row of that name, or null. Dashes count as underscores: "base-url" is "base_url".
[[nodiscard]] const SettingRow* find_setting(std::string_view name) noexcept;

/// Global flags as given: name without dashes -> value. Flags that are no setting are ignored.
using Overrides = std::map<std::string, std::string, std::less<>>;

/// Is a profile that no file holds an error, or (for `config set`, `auth login`) about to be made?
enum class NewProfile : std::uint8_t { Refuse, Allow };

/// Resolves every setting. With the profile `emulator` only flags set addresses and team. A
/// variable that is set but empty counts as unset. Usage, with the flag, variable or file and line
/// at fault, for a value that does not fit its kind or an unknown profile.
/// With `faults`, what is wrong in environment and file is told there and left out, so that the
/// rest can be shown and mended: only a wrong flag, or a name in SVC_PROFILE that cannot be one,
/// fails then.
[[nodiscard]] Result<Settings> resolve_settings(const Overrides& flags,
                                                const Environment& environment,
                                                const ConfigFile& file,
                                                NewProfile new_profile = NewProfile::Refuse,
                                                std::vector<Error>* faults = nullptr);

/// Puts the emulator's addresses, team and demo keys in place, for settings whose profile is
/// `emulator`. Environment and profile gave none of these (a real key must not go there, nor a demo
/// key to the real service); an address given by a flag stays.
Settings& fill_from_emulator(Settings& settings, const EmulatorAddress& address);

/// `value` checked against the row's kind and in its normal form; Usage with `where` ("--retries",
/// "SVC_RETRIES") as the subject.
[[nodiscard]] Result<std::string> check_setting(const SettingRow& row, std::string_view where,
                                                std::string_view value);

/// The error for a command that needs an address that nobody set: says how to set it, and that
/// `-p emulator` works without. `row` is one of the four addresses, or team_id.
[[nodiscard]] Error missing_setting(const SettingRow& row);

/// The times that bound an exchange.
[[nodiscard]] http::Timeouts timeouts_of(const Settings& settings);
[[nodiscard]] int retries_of(const Settings& settings);
/// The longest pause that is accepted when the service asks for one.
[[nodiscard]] std::chrono::milliseconds max_wait_of(const Settings& settings);
/// The ticks of a setting of SettingKind::Money; nothing when it is not set.
[[nodiscard]] std::optional<std::int64_t> ticks_of(const Setting& setting);

}  // namespace svc
