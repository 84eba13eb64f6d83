// $XDG_CONFIG_HOME/svc/config.toml: `default_profile` and one [profile.NAME] table each.
// Keys are never stored in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// A value as text, and the line that it stands on.
struct ConfigValue {
  std::string text{};
  std::size_t line = 0;  ///< from 1
};

/// A prompt template: flags of an operation by their names, dashes as underscores, and `prompt`.
struct ConfigTemplate {
  std::vector<std::pair<std::string, std::vector<std::string>>> values{};
  std::size_t line = 0;  ///< from 1
};

/// Reads the lines of TOML between a template's title and the next. Usage with line and column when
/// they are none, or a value is not one of a flag.
[[nodiscard]] Result<ConfigTemplate> parse_template(std::string_view body);

/// Somebody else decides what a file says: its group may write it, or it is another user's (but not
/// root's), as when a container's configuration is mounted into it.
enum class Distrust : std::uint8_t { None, GroupCanWrite, ForeignOwner };

class ConfigFile {
 public:
  using Profile = std::map<std::string, ConfigValue, std::less<>>;
  using Templates = std::map<std::string, ConfigTemplate, std::less<>>;

  /// No file and no place for one.
  ConfigFile() = default;

  /// The file of this user, as the environment names it.
  [[nodiscard]] static Result<ConfigFile> load_default();

  /// That file unread: its path is known and nothing else. For commands that go on, and explain,
  /// when it cannot be loaded.
  [[nodiscard]] static ConfigFile unread_default();

  /// Reads `path`; a missing file, or an empty `path`, gives no profiles. Usage with line and
  /// column when the text is not TOML or a value is neither text nor a number; Local when it cannot
  /// be read, when everybody can change it, or when it holds a key and others can read it.
  [[nodiscard]] static Result<ConfigFile> load(const std::filesystem::path& path);

  /// Empty when neither XDG_CONFIG_HOME nor HOME is set.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }
  [[nodiscard]] std::filesystem::path folder() const { return m_path.parent_path(); }
  [[nodiscard]] bool exists() const noexcept { return m_exists; }
  /// It is there, but nobody knows what it holds: see unread_default().
  [[nodiscard]] bool is_unread() const noexcept { return m_unread; }

  /// Why no command in it is run.
  [[nodiscard]] Distrust distrust() const noexcept { return m_distrust; }

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

  /// Sentences about what the file holds but nobody reads (a typo, a key), for standard error.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return m_warnings; }

 private:
  friend struct ConfigReader;

  std::filesystem::path m_path{};
  bool m_exists = false;
  bool m_unread = false;
  Distrust m_distrust = Distrust::None;
  std::optional<std::string> m_default_profile{};
  std::map<std::string, Profile, std::less<>> m_profiles{};
  std::map<std::string, Templates, std::less<>> m_templates{};
  std::vector<std::string> m_warnings{};
};

/// A name for profiles: 1 to 64 letters, digits, `-` and `_`, not beginning with `-`.
[[nodiscard]] Result<void> check_profile_name(std::string_view name);

/// Writes `name = value` into [profile.PROFILE] of the file at `path`, or removes it when `value`
/// is empty (nothing). Everything else in the file stays as it is, comments too. The file appears
/// whole, 0600, under a lock, so that any number of writers at once lose nothing. `value` must have
/// been checked. The wait for the other writers ends when `stop` asks. Local when there is no place
/// for the file or it cannot be written; Usage when the file is not TOML.
[[nodiscard]] Result<void> write_config_value(const std::filesystem::path& path,
                                              std::string_view profile, std::string_view name,
                                              const std::optional<std::string>& value,
                                              const CancelToken& cancel = NeverCancelled());

/// Writes the name of the profile that is used when nobody chooses one; nothing removes it.
[[nodiscard]] Result<void> write_default_profile(const std::filesystem::path& path,
                                                 const std::optional<std::string>& profile,
                                                 const CancelToken& cancel = NeverCancelled());

/// Writes [profile.PROFILE.templates.NAME] with `body`, lines of TOML; an empty one removes it.
/// Errors as above, and Usage when the body is not TOML.
[[nodiscard]] Result<void> write_template(const std::filesystem::path& path,
                                          std::string_view profile, std::string_view name,
                                          const std::string& body,
                                          const CancelToken& cancel = NeverCancelled());

/// What stands in that table, its comments too; empty when there is none.
[[nodiscard]] Result<std::string> read_template(const std::filesystem::path& path,
                                                std::string_view profile, std::string_view name);

/// Adds an empty [profile.PROFILE] unless there is one.
[[nodiscard]] Result<void> add_profile(const std::filesystem::path& path, std::string_view profile,
                                       const CancelToken& cancel = NeverCancelled());

}  // namespace svc
