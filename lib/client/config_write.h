// Changes the configuration file, and keeps what they do not change, comments included.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// Writes `name = value` into [profile.PROFILE] of the file at `path`, or removes the setting if
/// `value` is empty. Preserves the rest of the file, including comments. The file is replaced
/// atomically, with mode 0600 and under a lock, so that concurrent writers lose nothing. `value`
/// must have been checked. `cancel` ends the wait for other writers. Local if there is no path for
/// the file or it cannot be written; Usage if the file is not TOML.
[[nodiscard]] Result<void> write_config_value(const std::filesystem::path& path,
                                              std::string_view profile, std::string_view name,
                                              const std::optional<std::string>& value,
                                              const CancelToken& cancel = NeverCanceled());

/// Writes the name of the default profile, or removes it if `profile` is empty.
[[nodiscard]] Result<void> write_default_profile(const std::filesystem::path& path,
                                                 const std::optional<std::string>& profile,
                                                 const CancelToken& cancel = NeverCanceled());

/// Writes `name = expansion` into [alias], or removes the alias if `expansion` is empty. Errors as
/// above.
[[nodiscard]] Result<void> write_alias(const std::filesystem::path& path, std::string_view name,
                                       const std::optional<std::string>& expansion,
                                       const CancelToken& cancel = NeverCanceled());

/// Writes [profile.PROFILE.templates.NAME] with `body`, lines of TOML; an empty body removes it.
/// Errors as above, and Usage if `body` is not TOML.
[[nodiscard]] Result<void> write_template(const std::filesystem::path& path,
                                          std::string_view profile, std::string_view name,
                                          const std::string& body,
                                          const CancelToken& cancel = NeverCanceled());

/// The content of that table, including comments; empty if it does not exist.
[[nodiscard]] Result<std::string> read_template(const std::filesystem::path& path,
                                                std::string_view profile, std::string_view name);

/// The file's text; empty if there is no file.
[[nodiscard]] Result<std::string> read_config_text(const std::filesystem::path& path);

/// Replaces the text `before` of the file by `text`. Usage if the new text could not be loaded,
/// with line and column, or if the file has changed meanwhile.
[[nodiscard]] Result<void> write_config_text(const std::filesystem::path& path,
                                             const std::string& before, const std::string& text,
                                             const CancelToken& cancel = NeverCanceled());

/// Adds an empty [profile.PROFILE] unless it exists.
[[nodiscard]] Result<void> add_profile(const std::filesystem::path& path, std::string_view profile,
                                       const CancelToken& cancel = NeverCanceled());

}  // namespace svc
