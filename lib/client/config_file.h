// $XDG_CONFIG_HOME/svc/config.toml: `default_profile` and a [profile.NAME] table for each profile.
// It never contains keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc {

/// A value as text, and its line.
struct ConfigValue {
  std::string text{};
  std::size_t line = 0;  ///< from 1
};

/// A prompt template: an operation's flags by name, with underscores for dashes, and `prompt`.
struct ConfigTemplate {
  std::vector<std::pair<std::string, std::vector<std::string>>> values{};
  std::size_t line = 0;  ///< from 1
};

/// Parses the TOML lines below a template's title. Usage with line and column if they are not valid
/// TOML or a value does not fit a flag.
[[nodiscard]] Result<ConfigTemplate> parse_template(std::string_view body);

/// Why others may control a file's content: its group can write it, or another user (other than
/// root) owns it, as when a container's configuration is mounted into it.
enum class TrustIssue : std::uint8_t { None, GroupCanWrite, ForeignOwner };

class ConfigFile {
 public:
  using Profile = std::map<std::string, ConfigValue, std::less<>>;
  using Templates = std::map<std::string, ConfigTemplate, std::less<>>;

  /// No file, and no path for one.
  ConfigFile() = default;

  /// Loads this user's file, as located by the environment.
  [[nodiscard]] static Result<ConfigFile> load_default();

  /// That file without its content: only its path is known. For commands that must work, and
  /// explain the problem, when the file cannot be loaded.
  [[nodiscard]] static ConfigFile unread_default();

  /// Reads `path`; a missing file or an empty `path` yields no profiles. Usage with line and column
  /// if the text is not TOML or a value is neither a string nor a number; Local if the file is
  /// unreadable, writable by everyone, or contains a key and is readable by others.
  [[nodiscard]] static Result<ConfigFile> load(const std::filesystem::path& path);

  /// The same for the text of a file at `path`, which is not read.
  [[nodiscard]] static Result<ConfigFile> parse(const std::filesystem::path& path,
                                                std::string_view text);

  /// Empty if neither XDG_CONFIG_HOME nor HOME is set.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }
  [[nodiscard]] std::filesystem::path directory() const { return m_path.parent_path(); }
  [[nodiscard]] bool exists() const noexcept { return m_exists; }
  /// Whether the file exists but its content is unknown: see unread_default().
  [[nodiscard]] bool is_unread() const noexcept { return m_unread; }

  /// Why commands in the file are not run.
  [[nodiscard]] TrustIssue trust_issue() const noexcept { return m_trust_issue; }

  [[nodiscard]] const std::optional<std::string>& default_profile() const noexcept {
    return m_default_profile;
  }
  [[nodiscard]] const std::map<std::string, Profile, std::less<>>& profiles() const noexcept {
    return m_profiles;
  }
  [[nodiscard]] bool has_profile(std::string_view name) const {
    return m_profiles.find(name) != m_profiles.end();
  }
  /// The templates of a profile, by name.
  [[nodiscard]] const Templates& templates(std::string_view profile) const;

  /// The value of a setting in a profile, or null.
  [[nodiscard]] const ConfigValue* value(std::string_view profile, std::string_view name) const;

  /// What the names in [alias] stand for: "chat -m svc-4.3 -t fix".
  [[nodiscard]] const Profile& aliases() const noexcept { return m_aliases; }

  /// Warnings about unused content (a typo, a key), for standard error.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return m_warnings; }

 private:
  friend struct ConfigReader;

  std::filesystem::path m_path{};
  bool m_exists = false;
  bool m_unread = false;
  TrustIssue m_trust_issue = TrustIssue::None;
  std::optional<std::string> m_default_profile{};
  std::map<std::string, Profile, std::less<>> m_profiles{};
  std::map<std::string, Templates, std::less<>> m_templates{};
  Profile m_aliases{};
  std::vector<std::string> m_warnings{};
};

/// Checks a profile name: 1 to 64 letters, digits, `-` and `_`, not starting with `-`.
[[nodiscard]] Result<void> check_profile_name(std::string_view name);

}  // namespace svc
