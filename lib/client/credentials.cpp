#include "client/credentials.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/files.h"
#include "base/masking.h"
#include "base/text.h"
#include "client/key_command.h"

namespace svc {
namespace {

constexpr std::size_t k_max_key_bytes = 4096;
constexpr std::size_t k_min_shown_bytes = 20;
constexpr std::size_t k_min_secret_bytes = 4;

/// The sources of one kind of key.
struct KeySources {
  std::string_view title;  ///< "API key"
  std::array<std::string_view, 2> variables;
  std::string_view command_name;
  Setting Settings::*command;
  std::string_view file_name;
  Setting Settings::*file;
  std::string Settings::*emulator;
  std::string_view login;
  std::string_view suffix;  ///< of the stored file
};

constexpr KeySources k_inference{
    "API key",  {"SVC_API_KEY", ""}, "key_command",           &Settings::key_command,
    "key_file", &Settings::key_file, &Settings::emulator_key, "svc auth login",
    ".api-key"};
constexpr KeySources k_management{"management key",
                                  {"SVC_MANAGEMENT_API_KEY", "SVC_MANAGEMENT_KEY"},
                                  "management_key_command",
                                  &Settings::management_key_command,
                                  "management_key_file",
                                  &Settings::management_key_file,
                                  &Settings::emulator_management_key,
                                  "svc auth login --management",
                                  ".management-key"};

const KeySources& sources_of(KeyKind kind) {
  return kind == KeyKind::Inference ? k_inference : k_management;
}

using FoundKey = Result<std::optional<Credential>>;

FoundKey checked(const std::string& source, std::string key) {
  SVC_CHECK(check_key(source, key));
  return std::optional(Credential{std::move(key), source});
}

FoundKey with_file(FoundKey found, const std::string& path) {
  if (found && *found) (*found)->file = path;
  return found;
}

FoundKey from_environment(const KeySources& sources, const Environment& environment) {
  for (const std::string_view name : sources.variables) {
    if (name.empty()) continue;
    if (auto value = environment(std::string(name))) {
      if (const auto good = check_key(name, *value); !good) return good.error();
      return std::optional(Credential{*std::move(value), fmt::format("environment {}", name)});
    }
  }
  return std::optional<Credential>();
}

/// Anyone who controls the file's content could run commands as this user.
Error untrusted_file_error(const std::string& name, const ConfigFile& file) {
  const std::string path = file.path().string();
  const bool foreign = file.trust_issue() == TrustIssue::ForeignOwner;
  return Error{Fault::Local,
               fmt::format("{} is not run because {} {}", name,
                           foreign ? "another user owns" : "others can change",
                           visible(path, Lines::Escape)),
               foreign ? fmt::format("Use an environment variable or key_file, or make the file "
                                     "yours: `chown {} {}`.",
                                     geteuid(), shell_quote(path))
                       : fmt::format("`chmod 600 {}` fixes that.", shell_quote(path))};
}

FoundKey from_command(const KeySources& sources, const Settings& settings, const ConfigFile& file,
                      const CancelToken& cancel) {
  const Setting& command = settings.*sources.command;
  if (!command.is_set()) return std::optional<Credential>();
  const std::string name =
      fmt::format("{} of profile {}", sources.command_name, settings.profile.value);
  if (file.trust_issue() != TrustIssue::None) return untrusted_file_error(name, file);
  SVC_TRY(key, run_key_command(name, command.value, cancel));
  return checked(name, std::move(key));
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

FoundKey from_file(const KeySources& sources, const Settings& settings) {
  const Setting& setting = settings.*sources.file;
  if (!setting.is_set()) return std::optional<Credential>();
  const std::string& path = setting.value;
  SVC_TRY(text, read_secret_setting(sources.file_name, setting));
  return with_file(checked(fmt::format("{} {}", sources.file_name, visible(path, Lines::Escape)),
                           without_line_end(std::move(text))),
                   path);
}

FoundKey from_store(KeyKind kind, const Settings& settings, const ConfigFile& file) {
  const std::filesystem::path path = stored_key_path(kind, settings.profile.value, file);
  if (path.empty()) return std::optional<Credential>();
  std::error_code ec;
  const auto type = std::filesystem::symlink_status(path, ec).type();
  if (type == std::filesystem::file_type::not_found || ec) return std::optional<Credential>();
  SVC_TRY(text, read_private_file(path.string()));
  return with_file(checked(fmt::format("stored for profile {}", settings.profile.value),
                           without_line_end(std::move(text))),
                   path.string());
}

Error emulator_not_running(const KeySources& sources) {
  return Error{Fault::Auth, fmt::format("the emulator provided no {}", sources.title),
               "Start one with `svc emulator` and use the environment it prints."};
}

}  // namespace

Result<std::string> read_secret_setting(std::string_view name, const Setting& setting) {
  Result<std::string> text = read_private_file(setting.value);
  if (!text) text.error().message = fmt::format("{}: {}", name, text.error().message);
  return text;
}

std::string_view key_title(KeyKind kind) noexcept {
  return sources_of(kind).title;
}

Result<std::optional<Credential>> find_optional_credential(KeyKind kind, const Settings& settings,
                                                           const Environment& environment,
                                                           const ConfigFile& file,
                                                           const CancelToken& cancel) {
  const KeySources& sources = sources_of(kind);
  if (settings.wants_emulator()) {
    const std::string& key = settings.*sources.emulator;
    if (key.empty()) return emulator_not_running(sources);
    return std::optional(Credential{key, "emulator"});
  }
  SVC_TRY(variable, from_environment(sources, environment));
  if (variable) return std::move(variable);
  SVC_TRY(command, from_command(sources, settings, file, cancel));
  if (command) return std::move(command);
  SVC_TRY(key_file, from_file(sources, settings));
  if (key_file) return std::move(key_file);
  return from_store(kind, settings, file);
}

Result<Credential> find_credential(KeyKind kind, const Settings& settings,
                                   const Environment& environment, const ConfigFile& file,
                                   const CancelToken& cancel) {
  SVC_TRY(found, find_optional_credential(kind, settings, environment, file, cancel));
  if (!found) return missing_key(kind, settings);
  return *std::move(found);
}

Error missing_key(KeyKind kind, const Settings& settings) {
  const KeySources& sources = sources_of(kind);
  return Error{
      Fault::Auth, fmt::format("no {} for profile {}", sources.title, settings.profile.value),
      fmt::format("Store one with `{}`, set {}, or set {} in the profile. Without an account, try "
                  "the same command with `-p emulator`.",
                  sources.login, sources.variables[0], sources.command_name)};
}

Result<void> check_key(std::string_view where, std::string_view key) {
  const auto wrong = [&](std::string_view what, std::string_view hint) {
    return usage_error(fmt::format("{}: {}", where, what), std::string(hint));
  };
  if (key.empty()) return wrong("the key is empty", "Unset it, or set it to a key.");
  if (key.size() > k_max_key_bytes) {
    return wrong("the key is longer than 4096 bytes", "It may be an entire file.");
  }
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r') return wrong("the key contains a line break", "Use the key alone.");
    if (c == ' ' || c == '\t') {
      return wrong("the key contains a space", "Use the key alone, without \"Bearer\" or a name.");
    }
    if (c == '"' || c == '\'' || c == '`')
      return wrong("the key contains a quote", "Remove the quotes.");
    if (byte < 0x20 || byte == 0x7F) return wrong("the key contains a control character", "");
    if (byte >= 0x80) return wrong("the key contains a non-ASCII character", "");
  }
  return {};
}

std::string mask_key(std::string_view key) {
  const std::string_view prefix = key.starts_with("svc-") ? "svc-…" : "…";
  std::string out(prefix);
  if (key.size() >= k_min_shown_bytes) out += key.substr(key.size() - 4);
  return out;
}

std::string scrub(std::string text, std::span<const std::string> secrets) {
  // Longest first, as one secret may be part of another.
  std::vector<const std::string*> ordered;
  for (const std::string& secret : secrets) {
    if (secret.size() >= k_min_secret_bytes) ordered.push_back(&secret);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const std::string* a, const std::string* b) { return a->size() > b->size(); });
  for (const std::string* secret : ordered) {
    text = mask_secret(std::move(text), *secret, mask_key(*secret));
  }
  return text;
}

std::filesystem::path stored_key_path(KeyKind kind, std::string_view profile,
                                      const ConfigFile& file) {
  if (file.path().empty()) return {};
  return file.directory() / "credentials" /
         (std::string(profile) + std::string(sources_of(kind).suffix));
}

Result<void> store_key(KeyKind kind, std::string_view profile, std::string_view key,
                       const ConfigFile& file) {
  SVC_CHECK(check_profile_name(profile));
  SVC_CHECK(check_key("the key", key));
  const std::filesystem::path path = stored_key_path(kind, profile, file);
  if (path.empty()) {
    return Error{
        Fault::Local, "cannot store a key: neither XDG_CONFIG_HOME nor HOME is set",
        fmt::format("Set one of them, or pass the key in {}.", sources_of(kind).variables[0])};
  }
  SVC_CHECK(make_private_directory(path.parent_path()));
  std::error_code ec;
  // Writing through a link would store the key elsewhere.
  if (std::filesystem::is_symlink(path, ec)) std::filesystem::remove(path, ec);
  return write_file(path.string(), std::string(key) + "\n", Replace::Yes, 0600);
}

Result<bool> forget_key(KeyKind kind, std::string_view profile, const ConfigFile& file) {
  SVC_CHECK(check_profile_name(profile));
  const std::filesystem::path path = stored_key_path(kind, profile, file);
  if (path.empty()) return false;
  std::error_code ec;
  const bool removed = std::filesystem::remove(path, ec);
  if (ec) return system_error(fmt::format("cannot remove {}", visible(path.string())), ec.value());
  return removed;
}

}  // namespace svc
