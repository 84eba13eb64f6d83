// Changes the configuration file: under a lock, atomically, and without touching other content.
#include "client/config_write.h"

#include <chrono>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/atomic_file.h"
#include "base/files.h"
#include "base/text.h"
#include "client/config_file.h"
#include "client/settings.h"
#include "client/toml.h"

namespace svc {

namespace {

/// The table at `path` inside `root`, created if missing and `make` is set. Null if something else
/// is there.
TomlNode* table_at(TomlNode& root, const TablePath& path, bool make) {
  TomlNode* table = &root;
  for (const std::string& name : path) {
    table = make ? &table->child(name) : table->find(name);
    if (table == nullptr || !table->is_table()) return nullptr;
  }
  return table;
}

/// Removes the table at `path` inside `root`, and those around it that only its name made.
void remove_table(TomlNode& root, std::span<const std::string> path) {
  TomlNode* inner = root.find(path.front());
  if (inner == nullptr) return;
  if (path.size() > 1) {
    remove_table(*inner, path.subspan(1));
    if (!inner->children.empty() || inner->origin != TomlNode::Origin::Path) return;
  }
  std::erase_if(root.children, [&](const TomlNode& node) { return node.key == path.front(); });
}

/// `candidate` if it is equivalent to `expected`; else `expected` as text, without comments.
std::string checked_text(const std::string& candidate, const TomlNode& expected) {
  const auto parsed = parse_toml({}, candidate);
  return parsed && *parsed == expected ? candidate : toml_text(expected);
}

/// A change to the file's text; `root` is the parsed text and is changed accordingly.
using ConfigEdit = std::function<Result<std::string>(TomlNode& root, const std::string& text)>;

Error not_a_table(const std::filesystem::path& path, const TablePath& table) {
  return usage_error(fmt::format("{} has [{}], but it is not a table",
                                 visible(path.string(), Lines::Escape), fmt::join(table, ".")));
}

ConfigEdit with_value(const std::filesystem::path& path, const TablePath& table,
                      const std::string& name, const std::optional<std::string>& value) {
  return [=](TomlNode& root, const std::string& text) -> Result<std::string> {
    TomlNode* target = table_at(root, table, value.has_value());
    if (target == nullptr && value) return not_a_table(path, table);
    if (target == nullptr) return text;
    if (!value) {
      std::erase_if(target->children, [&](const TomlNode& node) { return node.key == name; });
      return checked_text(edit_toml_value(text, table, name, std::nullopt), root);
    }
    const bool setting = !table.empty() && table.front() == "profile";
    const SettingRow* row = setting ? find_setting(name) : nullptr;
    const bool number = row != nullptr && row->kind == SettingKind::Count && parse_integer(*value);
    const bool flag =
        row != nullptr && row->choices == "true|false" && (*value == "true" || *value == "false");
    TomlNode& node = target->child(name);
    node.type = number ? TomlNode::Type::Number
                : flag ? TomlNode::Type::Boolean
                       : TomlNode::Type::Text;
    node.text = *value;
    node.children.clear();
    const std::string literal = number || flag ? *value : toml_quote(*value);
    return checked_text(edit_toml_value(text, table, name, literal), root);
  };
}

/// Replaces a whole table with the user's text.
ConfigEdit with_body(const std::filesystem::path& path, const TablePath& table,
                     const std::string& body) {
  return [=](TomlNode& root, const std::string& text) -> Result<std::string> {
    if (body.empty()) {
      remove_table(root, table);
    } else {
      SVC_TRY(content, parse_toml("the template", body));
      TomlNode* parent = table_at(root, {table.begin(), table.end() - 1}, true);
      if (parent == nullptr) return not_a_table(path, table);
      parent->child(table.back()).children = std::move(content.children);
    }
    return checked_text(replace_toml_table(text, table, body), root);
  };
}

Result<std::string> read_config(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return std::string();
  return read_file(path.string(), k_max_config_bytes);
}

/// Reads, edits and replaces the file under a lock. Concurrent writers wait for each other's flush
/// of the file, but each flushes the directory itself after releasing the lock.
Result<void> edit_file(const std::filesystem::path& path, const ConfigEdit& edit,
                       const CancelToken& cancel) {
  if (path.empty()) {
    return Error{Fault::Local,
                 "no directory for the configuration: neither XDG_CONFIG_HOME nor HOME is set",
                 "Set one of them, or use flags and environment variables such as SVC_BASE_URL."};
  }
  const std::filesystem::path directory = path.parent_path();
  SVC_CHECK(make_private_directory(directory));
  std::optional<FileLock> lock;
  SVC_TRY(taken, FileLock::acquire((directory / "config.lock").string(), std::chrono::seconds(60),
                                   cancel));
  lock.emplace(std::move(taken));
  SVC_TRY(text, read_config(path));
  SVC_TRY(root, parse_toml(path.string(), text));
  SVC_TRY(changed, edit(root, text));
  if (changed == text) return {};
  SVC_TRY(file, AtomicFile::create(path.string(), Replace::Yes, 0600));
  SVC_CHECK(file.write(changed));
  SVC_CHECK(file.rename_into_place());
  lock.reset();
  return file.flush_rename();
}

}  // namespace

Result<void> write_config_value(const std::filesystem::path& path, std::string_view profile,
                                std::string_view name, const std::optional<std::string>& value,
                                const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile)};
  return edit_file(path, with_value(path, table, std::string(name), value), cancel);
}

Result<void> write_default_profile(const std::filesystem::path& path,
                                   const std::optional<std::string>& profile,
                                   const CancelToken& cancel) {
  if (profile) SVC_CHECK(check_profile_name(*profile));
  return edit_file(path, with_value(path, {}, "default_profile", profile), cancel);
}

Result<void> write_alias(const std::filesystem::path& path, std::string_view name,
                         const std::optional<std::string>& expansion, const CancelToken& cancel) {
  return edit_file(path, with_value(path, {"alias"}, std::string(name), expansion), cancel);
}

Result<void> write_template(const std::filesystem::path& path, std::string_view profile,
                            std::string_view name, const std::string& body,
                            const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile), "templates", std::string(name)};
  return edit_file(path, with_body(path, table, body), cancel);
}

Result<std::string> read_template(const std::filesystem::path& path, std::string_view profile,
                                  std::string_view name) {
  SVC_TRY(text, read_config(path));
  return toml_table_body(text, {"profile", std::string(profile), "templates", std::string(name)});
}

Result<std::string> read_config_text(const std::filesystem::path& path) {
  return read_config(path);
}

Result<void> write_config_text(const std::filesystem::path& path, const std::string& before,
                               const std::string& text, const CancelToken& cancel) {
  SVC_CHECK(ConfigFile::parse(path, text));
  const auto replace = [&](TomlNode&, const std::string& now) -> Result<std::string> {
    if (now == before) return text;
    return usage_error("the configuration was changed meanwhile; nothing was saved",
                       "Edit it again.");
  };
  return edit_file(path, replace, cancel);
}

Result<void> add_profile(const std::filesystem::path& path, std::string_view profile,
                         const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile)};
  const auto add = [&](TomlNode& root, const std::string& text) -> Result<std::string> {
    if (table_at(root, table, false) != nullptr) return text;
    if (table_at(root, table, true) == nullptr) return not_a_table(path, table);
    return checked_text(add_toml_table(text, table), root);
  };
  return edit_file(path, add, cancel);
}

}  // namespace svc
