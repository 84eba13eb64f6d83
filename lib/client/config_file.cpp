#include "client/config_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "client/config_toml.h"
#include "client/settings.h"
#include "client/toml_text.h"

namespace svc {

using config_toml::shown_file;

std::string config_toml::shown_file(const std::filesystem::path& path) {
  return visible(path.string(), Lines::Escape);
}

Result<toml::table> config_toml::parse(const std::filesystem::path& path, std::string_view text) {
  // The parser asserts that many characters cannot occur: undefined behaviour, even where they are
  // valid.
  const AsciiToml plain = to_ascii_toml(text);
  if (plain.fault) {
    const TomlPosition position = position_of(text, plain.fault->at);
    return usage_error(
        fmt::format("{} is not valid TOML: line {}, column {}: '{}' {}", shown_file(path),
                    position.line, position.column,
                    visible(text.substr(plain.fault->at, plain.fault->end - plain.fault->at),
                            Lines::Escape),
                    plain.fault->what),
        "Quote names and strings with non-ASCII characters, in UTF-8.");
  }
  toml::parse_result parsed = toml::parse(plain.text, path.string());
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  const toml::source_position& begin = error.source().begin;
  const TomlPosition position = original_position(plain, text, {begin.line, begin.column});
  // The library's error describes the first problem; its text may quote the file, so it is made
  // safe.
  return usage_error(
      fmt::format("{} is not valid TOML: line {}, column {}: {}", shown_file(path), position.line,
                  position.column, shown(error.description(), 300)),
      "Fix that line, or move the file away and set the values again with `svc config set`.");
}

namespace {

/// Whether a name suggests a key, which must not be in this file.
bool is_key_name(std::string_view name) {
  const std::string lower = replace_all(to_lower(name), "-", "_");
  constexpr std::array<std::string_view, 5> words = {"key", "token", "secret", "password",
                                                     "bearer"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.ends_with(word); });
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

}  // namespace

/// Reads a parsed table into a ConfigFile.
struct ConfigReader {
  ConfigFile& file;
  bool others_can_read = false;

  [[nodiscard]] std::string position(const toml::key& key) const {
    return fmt::format("in line {} of {}", key.source().begin.line, shown_file(file.m_path));
  }

  /// Handles an unknown name: a key, or a typo.
  Result<void> unknown_name(const toml::key& key, std::span<const sv> known) {
    if (!is_key_name(key.str())) {
      const sv near = nearest(key.str(), known);
      file.m_warnings.push_back(
          fmt::format("{} {} is not a setting{}", svc::shown(key.str()), position(key),
                      near.empty() ? std::string() : fmt::format("; did you mean {}?", near)));
      return {};
    }
    if (others_can_read) {
      return Error{Fault::Local,
                   fmt::format("{} {} is a key that other users of this machine can read",
                               svc::shown(key.str()), position(key)),
                   "Remove that line and create a new key; `svc auth login` stores it safely."};
    }
    file.m_warnings.push_back(
        fmt::format("{} {} is ignored: keys do not belong in this file; store it with `svc auth "
                    "login`, or set key_command or key_file",
                    svc::shown(key.str()), position(key)));
    return {};
  }

  /// Flags are validated where they are used.
  Result<void> read_flags(const toml::table& table, ConfigTemplate& into) {
    for (const auto& [flag, given] : table) {
      std::vector<std::string> texts;
      const auto take = [&](const toml::node& item) {
        auto text = scalar_text(item);
        if (!text) return false;
        texts.push_back(*std::move(text));
        return true;
      };
      bool good = true;
      if (const toml::array* list = given.as_array()) {
        for (const toml::node& item : *list) good = good && take(item);
      } else {
        good = take(given);
      }
      if (!good) {
        return usage_error(
            fmt::format("{} {} must be a string, number, boolean, or an array of them",
                        svc::shown(flag.str()), position(flag)));
      }
      into.values.emplace_back(std::string(flag.str()), std::move(texts));
    }
    return {};
  }

  static Result<ConfigTemplate> template_of(std::string_view body) {
    ConfigFile none;
    none.m_path = "the template";
    SVC_TRY(root, config_toml::parse(none.m_path, body));
    ConfigTemplate parsed;
    SVC_CHECK(ConfigReader{none}.read_flags(root, parsed));
    return parsed;
  }

  Result<void> read_templates(const toml::key& profile, const toml::key& key,
                              const toml::node& node) {
    const toml::table* all = node.as_table();
    if (all == nullptr)
      return usage_error(fmt::format("templates {} must be tables", position(key)));
    ConfigFile::Templates& templates = file.m_templates[std::string(profile.str())];
    for (const auto& [name, value] : *all) {
      const toml::table* table = value.as_table();
      if (table == nullptr) {
        return usage_error(
            fmt::format("template {} {} must be a table", svc::shown(name.str()), position(name)));
      }
      ConfigTemplate& one = templates[std::string(name.str())];
      one.line = name.source().begin.line;
      SVC_CHECK(read_flags(*table, one));
    }
    return {};
  }

  Result<void> read_profile(const toml::key& name, const toml::table& table) {
    std::vector<sv> known;
    for (const SettingRow& row : setting_rows()) known.push_back(row.name);
    ConfigFile::Profile& profile = file.m_profiles[std::string(name.str())];
    for (const auto& [key, node] : table) {
      if (key.str() == "templates") {
        SVC_CHECK(read_templates(name, key, node));
        continue;
      }
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        SVC_CHECK(unknown_name(key, known));
        continue;
      }
      auto text = scalar_text(node);
      if (!text) {
        return usage_error(fmt::format("{} {} must be a string or a number", svc::shown(key.str()),
                                       position(key)));
      }
      profile[std::string(key.str())] = {*std::move(text), key.source().begin.line};
    }
    return {};
  }

  Result<void> read_profiles(const toml::key& key, const toml::node& node) {
    const toml::table* profiles = node.as_table();
    if (profiles == nullptr) {
      return usage_error(
          fmt::format("profile {} must be tables, such as [profile.work]", position(key)));
    }
    for (const auto& [name, value] : *profiles) {
      if (!value.is_table()) {
        return usage_error(fmt::format("profile.{} {} must be a table, such as [profile.work]",
                                       svc::shown(name.str()), position(name)));
      }
      SVC_CHECK(read_profile(name, *value.as_table()));
    }
    return {};
  }

  Result<void> read(const toml::table& root) {
    constexpr std::array<sv, 2> known = {"profile", "default_profile"};
    for (const auto& [key, node] : root) {
      if (key.str() == "profile") {
        SVC_CHECK(read_profiles(key, node));
      } else if (key.str() == "default_profile") {
        const auto* name = node.as_string();
        if (name == nullptr) {
          return usage_error(fmt::format("default_profile {} must be a string", position(key)));
        }
        file.m_default_profile = name->get();
      } else {
        SVC_CHECK(unknown_name(key, known));
      }
    }
    return {};
  }

  /// Anyone who can change this file decides where keys are sent.
  Result<void> check_owner() {
    struct stat status {};
    if (stat(file.m_path.c_str(), &status) != 0) return {};
    if (S_ISREG(status.st_mode) && (status.st_mode & S_IWOTH) != 0) {
      return Error{
          Fault::Local,
          fmt::format("{} is ignored because anyone can write to it", shown_file(file.m_path)),
          fmt::format("`chmod 600 {}` fixes that.", shell_quote(file.m_path.string()))};
    }
    const bool foreign = status.st_uid != geteuid() && status.st_uid != 0;
    file.m_trust_issue = foreign                           ? TrustIssue::ForeignOwner
                         : (status.st_mode & S_IWGRP) != 0 ? TrustIssue::GroupCanWrite
                                                           : TrustIssue::None;
    others_can_read = foreign || (status.st_mode & (S_IRGRP | S_IROTH)) != 0;
    return {};
  }
};

namespace {

std::filesystem::path default_path() {
  const std::filesystem::path directory = config_directory();
  return directory.empty() ? directory : directory / "config.toml";
}

}  // namespace

Result<ConfigFile> ConfigFile::load_default() {
  return load(default_path());
}

ConfigFile ConfigFile::unread_default() {
  ConfigFile file;
  file.m_path = default_path();
  file.m_exists = true;
  file.m_unread = true;
  return file;
}

Result<ConfigFile> ConfigFile::load(const std::filesystem::path& path) {
  ConfigFile file;
  file.m_path = path;
  if (path.empty()) return file;
  std::error_code ec;
  const auto type = std::filesystem::status(path, ec).type();
  if (type == std::filesystem::file_type::not_found) return file;
  if (ec) {
    // An inaccessible home directory, as for a service's user: everything else still works.
    file.m_warnings.push_back(fmt::format("{} cannot be read: {}", shown_file(path), ec.message()));
    return file;
  }
  ConfigReader reader{file};
  SVC_CHECK(reader.check_owner());
  SVC_TRY(text, read_file(path.string(), config_toml::k_max_bytes));
  SVC_TRY(root, config_toml::parse(path, text));
  SVC_CHECK(reader.read(root));
  file.m_exists = true;
  return file;
}

Result<ConfigTemplate> parse_template(std::string_view body) {
  return ConfigReader::template_of(body);
}

const ConfigFile::Templates& ConfigFile::templates(std::string_view profile) const {
  static const Templates none;
  const auto found = m_templates.find(profile);
  return found == m_templates.end() ? none : found->second;
}

const ConfigValue* ConfigFile::value(std::string_view profile, std::string_view name) const {
  const auto table = m_profiles.find(profile);
  if (table == m_profiles.end()) return nullptr;
  const auto found = table->second.find(name);
  return found == table->second.end() ? nullptr : &found->second;
}

Result<void> check_profile_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= 64 && name.front() != '-' &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '-' || c == '_';
                    });
  if (good) return {};
  return usage_error(fmt::format("invalid profile name '{}'", shown(name, 64)),
                     "Use 1 to 64 letters, digits, dashes and underscores.");
}

}  // namespace svc
