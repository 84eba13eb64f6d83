// Keys: where they come from, and what may be shown of them.
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

/// A checked key and who gave it: "environment SVC_API_KEY", "key_command of profile work",
/// "key_file /run/secrets/svc", "stored for profile work", "emulator". `source` is no secret.
struct Credential {
  std::string key{};
  std::string source{};
  std::string file{};  ///< the file it was read from; empty for other sources
};

/// The key of that kind, from the first that has one: the emulator when it is filled in, the
/// environment, the profile's key_command (through /bin/sh, first line, at most 30 s, its standard
/// error passed through), the profile's key_file, the key stored by `svc auth login`.
/// Auth when nobody has one, or the command failed; Usage for a key that cannot be one; Local for
/// a file that others can read; Interrupted or Terminated when `stop` asks while a command runs.
[[nodiscard]] Result<Credential> find_credential(KeyKind kind, const Settings& settings,
                                                 const Environment& environment,
                                                 const ConfigFile& file,
                                                 const CancelToken& cancel = NeverCancelled{});

/// The same, with nothing instead of an error when nobody has a key of that kind.
[[nodiscard]] Result<std::optional<Credential>> look_for_credential(
    KeyKind kind, const Settings& settings, const Environment& environment, const ConfigFile& file,
    const CancelToken& cancel = NeverCancelled{});

/// The Auth error for a key that nobody has.
[[nodiscard]] Error missing_key(KeyKind kind, const Settings& settings);

/// What errors call a key of that kind: "API key" or "management key".
[[nodiscard]] std::string_view key_title(KeyKind kind) noexcept;

/// Usage, naming `where` and never the key, when it is empty, longer than 4096 bytes, or holds
/// anything but visible ASCII without quotes: such a value could forge a header.
[[nodiscard]] Result<void> check_key(std::string_view where, std::string_view key);

/// What may be shown of a key: "svc-…wxyz"; the last four only of a key of 20 bytes or more.
[[nodiscard]] std::string mask_key(std::string_view key);

/// `text` with every occurrence of a secret, as it is or percent-encoded, replaced by its mask.
/// Secrets shorter than four bytes are ignored.
[[nodiscard]] std::string scrub(std::string text, std::span<const std::string> secrets);

/// Where a file of a secret is that the configuration names: `~/` is the home folder, a relative
/// path stands beside the configuration file.
[[nodiscard]] std::filesystem::path secret_file_path(const Settings& settings,
                                                     const ConfigFile& file,
                                                     const std::string& text);

/// The file for the key that `svc auth login` stores; empty when there is no place for it.
[[nodiscard]] std::filesystem::path stored_key_path(KeyKind kind, std::string_view profile,
                                                    const ConfigFile& file);

/// Stores a checked key, 0600, replacing one that is there. Local when it cannot be written.
[[nodiscard]] Result<void> store_key(KeyKind kind, std::string_view profile, std::string_view key,
                                     const ConfigFile& file);

/// Removes the stored key; gives whether there was one.
[[nodiscard]] Result<bool> forget_key(KeyKind kind, std::string_view profile,
                                      const ConfigFile& file);

}  // namespace svc
