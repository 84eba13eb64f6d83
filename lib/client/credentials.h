// API keys: finding, checking, storing and masking them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"
#include "client/config_file.h"
#include "client/settings.h"

namespace svc {

enum class KeyKind : std::uint8_t { Inference, Management };

/// A checked key and its source: "environment SVC_API_KEY", "key_command of profile work",
/// "key_file /run/secrets/svc", "stored for profile work", "emulator". `source` is not a secret.
struct Credential {
  std::string key{};
  std::string source{};
  std::string file{};  ///< the file it was read from; empty for other sources
};

/// Returns the key of the given kind from the first source that has one: the emulator if filled in,
/// the environment, the profile's key_command (through /bin/sh, first line, at most 30 s, standard
/// error passed through), the profile's key_file, the key stored by `svc auth login`. Auth if there
/// is none or the command failed; Usage for an invalid key; Local for a file that others can read;
/// Interrupted or Terminated if canceled while a command runs.
[[nodiscard]] Result<Credential> find_credential(KeyKind kind, const Settings& settings,
                                                 const Environment& environment,
                                                 const ConfigFile& file,
                                                 const CancelToken& cancel = NeverCanceled{});

/// As find_credential(), but empty instead of an error if there is no key.
[[nodiscard]] Result<std::optional<Credential>> find_optional_credential(
    KeyKind kind, const Settings& settings, const Environment& environment, const ConfigFile& file,
    const CancelToken& cancel = NeverCanceled{});

/// The Auth error for a missing key.
[[nodiscard]] Error missing_key(KeyKind kind, const Settings& settings);

/// The name of the key's kind in errors: "API key" or "management key".
[[nodiscard]] std::string_view key_title(KeyKind kind) noexcept;

/// Usage, mentioning `where` but never the key, if the key is empty, longer than 4096 bytes, or
/// contains anything but visible ASCII without quotes: such a value could forge a header.
[[nodiscard]] Result<void> check_key(std::string_view where, std::string_view key);

/// Masks a key for display: "svc-…wxyz"; the last four characters only for a key of 20 bytes or
/// more.
[[nodiscard]] std::string mask_key(std::string_view key);

/// Replaces every occurrence of a secret in `text`, plain or encoded (see mask_secret()), by its
/// mask. Ignores secrets shorter than four bytes.
[[nodiscard]] std::string scrub(std::string text, std::span<const std::string> secrets);

/// The content of the private file that a setting of SettingKind::Path names. Errors name the
/// setting.
[[nodiscard]] Result<std::string> read_secret_setting(std::string_view name,
                                                      const Setting& setting);

/// The file for the key stored by `svc auth login`; empty if there is no directory for it.
[[nodiscard]] std::filesystem::path stored_key_path(KeyKind kind, std::string_view profile,
                                                    const ConfigFile& file);

/// Stores a checked key with mode 0600, replacing an existing one. Local if it cannot be written.
[[nodiscard]] Result<void> store_key(KeyKind kind, std::string_view profile, std::string_view key,
                                     const ConfigFile& file);

/// Removes the stored key; returns whether there was one.
[[nodiscard]] Result<bool> forget_key(KeyKind kind, std::string_view profile,
                                      const ConfigFile& file);

}  // namespace svc
