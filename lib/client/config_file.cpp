#include "client/config_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "client/model_facts.h"
#include "client/settings.h"
#include "client/toml.h"

namespace svc {

namespace {

/// Whether a name suggests a key, which must not be in this file.
bool is_key_name(std::string_view name) {
  const std::string lower = replace_all(to_lower(name), "-", "_");
  constexpr std::array<std::string_view, 5> words = {"key", "token", "secret", "password",
                                                     "bearer"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.ends_with(word); });
}

bool is_scalar(const TomlNode& node) {
  return node.type == TomlNode::Type::Text || node.type == TomlNode::Type::Number ||
         node.type == TomlNode::Type::Boolean;
}

std::string shown_file(const std::filesystem::path& path) {
  return visible(path.string(), Lines::Escape);
}

}  // namespace

/// Reads a parsed table into a ConfigFile.
struct ConfigReader {
  ConfigFile& file;
  bool others_can_read = false;

  [[nodiscard]] std::string position(const TomlNode& node) const {
    return fmt::format("in line {} of {}", node.line, shown_file(file.m_path));
  }

  /// Handles an unknown name: a key, or a typo.
  Result<void> unknown_name(const TomlNode& node, std::span<const sv> known) {
    if (!is_key_name(node.key)) {
      const sv near = nearest(node.key, known);
      file.m_warnings.push_back(
          fmt::format("{} {} is not a setting{}", svc::shown(node.key), position(node),
                      near.empty() ? std::string() : fmt::format("; did you mean {}?", near)));
      return {};
    }
    if (others_can_read) {
      return Error{Fault::Local,
                   fmt::format("{} {} is a key that other users of this machine can read",
                               svc::shown(node.key), position(node)),
                   "Remove that line and create a new key; `svc auth login` stores it safely."};
    }
    file.m_warnings.push_back(
        fmt::format("{} {} is ignored: keys do not belong in this file; store it with `svc auth "
                    "login`, or set key_command or key_file",
                    svc::shown(node.key), position(node)));
    return {};
  }

  /// Flags are validated where they are used.
  Result<void> read_flags(const TomlNode& table, ConfigTemplate& into) {
    for (const TomlNode& flag : table.children) {
      const bool list = flag.type == TomlNode::Type::Array;
      std::vector<std::string> texts;
      for (const TomlNode& item :
           list ? std::span<const TomlNode>(flag.children) : std::span<const TomlNode>(&flag, 1)) {
        if (!is_scalar(item)) {
          return usage_error(
              fmt::format("{} {} must be a string, number, boolean, or an array of them",
                          svc::shown(flag.key), position(flag)));
        }
        texts.push_back(item.text);
      }
      into.values.emplace_back(flag.key, std::move(texts));
    }
    return {};
  }

  static Result<ConfigTemplate> template_of(std::string_view body) {
    ConfigFile none;
    none.m_path = "the template";
    SVC_TRY(root, parse_toml("the template", body));
    ConfigTemplate parsed;
    SVC_CHECK(ConfigReader{none}.read_flags(root, parsed));
    return parsed;
  }

  Result<void> read_templates(const std::string& profile, const TomlNode& node) {
    if (!node.is_table()) {
      return usage_error(fmt::format("templates {} must be tables", position(node)));
    }
    ConfigFile::Templates& templates = file.m_templates[profile];
    for (const TomlNode& table : node.children) {
      if (!table.is_table()) {
        return usage_error(
            fmt::format("template {} {} must be a table", svc::shown(table.key), position(table)));
      }
      ConfigTemplate& one = templates[table.key];
      one.line = table.line;
      SVC_CHECK(read_flags(table, one));
    }
    return {};
  }

  Result<void> read_prices(const TomlNode& table, ConfigFile::Profile& profile) {
    if (!table.is_table()) {
      return usage_error(fmt::format("prices {} must be a table", position(table)));
    }
    std::vector<sv> known;
    for (const PriceRow& row : price_rows()) known.push_back(row.setting);
    for (const TomlNode& node : table.children) {
      const auto row = std::ranges::find(price_rows(), sv(node.key), &PriceRow::setting);
      if (row == price_rows().end()) {
        SVC_CHECK(unknown_name(node, known));
        continue;
      }
      if (const auto price = read_price(*row, is_scalar(node) ? node.text : ""); !price) {
        return usage_error(fmt::format("{}: {}", position(node), price.error().message));
      }
      profile[fmt::format("{}{}", k_price_settings, node.key)] = {node.text, node.line};
    }
    return {};
  }

  Result<void> read_profile(const TomlNode& table) {
    std::vector<sv> known;
    for (const SettingRow& row : setting_rows()) known.push_back(row.name);
    ConfigFile::Profile& profile = file.m_profiles[table.key];
    for (const TomlNode& node : table.children) {
      if (node.key == "templates") {
        SVC_CHECK(read_templates(table.key, node));
      } else if (node.key == "prices") {
        SVC_CHECK(read_prices(node, profile));
      } else if (std::find(known.begin(), known.end(), node.key) == known.end()) {
        SVC_CHECK(unknown_name(node, known));
      } else if (!is_scalar(node)) {
        return usage_error(fmt::format("{} {} must be a string or a number", svc::shown(node.key),
                                       position(node)));
      } else {
        profile[node.key] = {node.text, node.line};
      }
    }
    return {};
  }

  Result<void> read_profiles(const TomlNode& profiles) {
    if (!profiles.is_table()) {
      return usage_error(
          fmt::format("profile {} must be tables, such as [profile.work]", position(profiles)));
    }
    for (const TomlNode& profile : profiles.children) {
      if (!profile.is_table()) {
        return usage_error(fmt::format("profile.{} {} must be a table, such as [profile.work]",
                                       svc::shown(profile.key), position(profile)));
      }
      SVC_CHECK(read_profile(profile));
    }
    return {};
  }

  Result<void> read_aliases(const TomlNode& aliases) {
    for (const TomlNode& alias : aliases.children) {
      if (alias.type != TomlNode::Type::Text) {
        return usage_error(
            fmt::format("alias {} {} must be a string", svc::shown(alias.key), position(alias)));
      }
      file.m_aliases[alias.key] = {alias.text, alias.line};
    }
    return {};
  }

  Result<void> read(const TomlNode& root) {
    constexpr std::array<sv, 3> known = {"profile", "default_profile", "alias"};
    for (const TomlNode& node : root.children) {
      if (node.key == "profile") {
        SVC_CHECK(read_profiles(node));
      } else if (node.key == "alias" && node.is_table()) {
        SVC_CHECK(read_aliases(node));
      } else if (node.key != "default_profile") {
        SVC_CHECK(unknown_name(node, known));
      } else if (node.type != TomlNode::Type::Text) {
        return usage_error(fmt::format("default_profile {} must be a string", position(node)));
      } else {
        file.m_default_profile = node.text;
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
  SVC_TRY(text, read_file(path.string(), k_max_config_bytes));
  SVC_TRY(root, parse_toml(path.string(), text));
  SVC_CHECK(reader.read(root));
  file.m_exists = true;
  return file;
}

Result<ConfigFile> ConfigFile::parse(const std::filesystem::path& path, std::string_view text) {
  ConfigFile file;
  file.m_path = path;
  SVC_TRY(root, parse_toml(path.string(), text));
  SVC_CHECK(ConfigReader{file}.read(root));
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
  return usage_error(fmt::format("invalid profile name '{}'", shown(name)),
                     "Use 1 to 64 letters, digits, dashes and underscores.");
}

}  // namespace svc
