// Changes to the configuration file: under a lock, whole, and leaving alone what is not ours.
#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "client/config_file.h"
#include "client/config_toml.h"
#include "client/settings.h"
#include "client/toml_text.h"

namespace svc {

using config_toml::shown_file;

namespace {

/// A change of one value, which is removed when there is none; without a name the table is added.
struct ConfigEdit {
  TablePath table{};
  std::optional<std::string> name{};
  std::optional<std::string> value{};
};

/// The table at `path` inside `root`; made when missing. Null when something else is there.
toml::table* table_at(toml::table& root, const TablePath& path, bool make) {
  toml::table* table = &root;
  for (const std::string& name : path) {
    if (make && !table->contains(name)) table->insert(name, toml::table{});
    toml::node* node = table->get(name);
    if (node == nullptr || !node->is_table()) return nullptr;
    table = node->as_table();
  }
  return table;
}

/// `candidate` if it means what `expected` says; else `expected` written anew, without comments.
std::string checked_text(const std::string& candidate, const toml::table& expected) {
  const auto parsed = config_toml::parse({}, candidate);
  if (parsed && *parsed == expected) return candidate;
  std::ostringstream out;
  out << toml::toml_formatter{expected} << '\n';
  return out.str();
}

Result<std::string> with_value(const std::filesystem::path& path, const std::string& text,
                               const TablePath& table, std::string_view name,
                               const std::optional<std::string>& value) {
  SVC_TRY(root, config_toml::parse(path, text));
  toml::table* target = table_at(root, table, value.has_value());
  if (target == nullptr) {
    if (!value) return text;
    return usage_error(fmt::format("{} holds something else in the place of [{}]", shown_file(path),
                                   fmt::join(table, ".")));
  }
  if (!value) {
    target->erase(name);
    return checked_text(edit_toml_value(text, table, name, std::nullopt), root);
  }
  const SettingRow* row = find_setting(name);
  const auto number =
      row != nullptr && row->kind == SettingKind::Count ? parse_integer(*value) : std::nullopt;
  const bool flag = row != nullptr && row->choices == "true|false";
  if (number) {
    target->insert_or_assign(name, *number);
  } else if (flag) {
    target->insert_or_assign(name, *value == "true");
  } else {
    target->insert_or_assign(name, *value);
  }
  const std::string literal = number ? std::to_string(*number) : flag ? *value : toml_quote(*value);
  return checked_text(edit_toml_value(text, table, name, literal), root);
}

Result<std::string> with_table(const std::filesystem::path& path, const std::string& text,
                               const TablePath& table) {
  SVC_TRY(root, config_toml::parse(path, text));
  if (table_at(root, table, false) != nullptr) return text;
  if (table_at(root, table, true) == nullptr) {
    return usage_error(fmt::format("{} holds something else in the place of [{}]", shown_file(path),
                                   fmt::join(table, ".")));
  }
  return checked_text(add_toml_table(text, table), root);
}

/// All of a table, as somebody wrote it.
Result<std::string> with_body(const std::filesystem::path& path, const std::string& text,
                              const TablePath& table, const std::string& body) {
  SVC_TRY(root, config_toml::parse(path, text));
  SVC_TRY(content, config_toml::parse("the template", body));
  TablePath parent = table;
  const std::string name = parent.back();
  parent.pop_back();
  toml::table* target = table_at(root, parent, true);
  if (target == nullptr) {
    return usage_error(fmt::format("{} holds something else in the place of [{}]", shown_file(path),
                                   fmt::join(table, ".")));
  }
  if (body.empty()) {
    target->erase(name);
  } else {
    target->insert_or_assign(name, std::move(content));
  }
  return checked_text(replace_toml_table(text, table, body), root);
}

Result<std::string> apply(const std::filesystem::path& path, const std::string& text,
                          const ConfigEdit& edit) {
  if (!edit.name && edit.value) return with_body(path, text, edit.table, *edit.value);
  return edit.name ? with_value(path, text, edit.table, *edit.name, edit.value)
                   : with_table(path, text, edit.table);
}

Result<std::string> read_config(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found) return std::string();
  return read_file(path.string(), config_toml::k_max_bytes);
}

/// Reads, edits and replaces the file while nobody else does. Hundreds that write at once wait for
/// each other's flush of the file; that of the folder each does for itself.
Result<void> edit_file(const std::filesystem::path& path, const ConfigEdit& edit,
                       const CancelToken& cancel) {
  if (path.empty()) {
    return Error{Fault::Local,
                 "there is no place for the configuration: neither XDG_CONFIG_HOME nor HOME is set",
                 "Set one of them, or use flags and environment variables such as SVC_BASE_URL."};
  }
  const std::filesystem::path folder = path.parent_path();
  SVC_CHECK(make_private_folder(folder));
  std::optional<FileLock> lock;
  SVC_TRY(taken,
          FileLock::take((folder / "config.lock").string(), std::chrono::seconds(60), cancel));
  lock.emplace(std::move(taken));
  SVC_TRY(text, read_config(path));
  SVC_TRY(changed, apply(path, text, edit));
  if (changed == text) return {};
  SVC_TRY(file, AtomicFile::create(path.string(), Replace::Yes, 0600));
  SVC_CHECK(file.write(changed));
  SVC_CHECK(file.put_in_place());
  lock.reset();
  return file.flush_place();
}

}  // namespace

Result<void> write_config_value(const std::filesystem::path& path, std::string_view profile,
                                std::string_view name, const std::optional<std::string>& value,
                                const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  return edit_file(path, {{"profile", std::string(profile)}, std::string(name), value}, cancel);
}

Result<void> write_default_profile(const std::filesystem::path& path,
                                   const std::optional<std::string>& profile,
                                   const CancelToken& cancel) {
  if (profile) SVC_CHECK(check_profile_name(*profile));
  return edit_file(path, {{}, "default_profile", profile}, cancel);
}

Result<void> write_template(const std::filesystem::path& path, std::string_view profile,
                            std::string_view name, const std::string& body,
                            const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile), "templates", std::string(name)};
  return edit_file(path, {table, std::nullopt, body}, cancel);
}

Result<std::string> read_template(const std::filesystem::path& path, std::string_view profile,
                                  std::string_view name) {
  SVC_TRY(text, read_config(path));
  return toml_table_body(text, {"profile", std::string(profile), "templates", std::string(name)});
}

Result<void> add_profile(const std::filesystem::path& path, std::string_view profile,
                         const CancelToken& cancel) {
  SVC_CHECK(check_profile_name(profile));
  return edit_file(path, {{"profile", std::string(profile)}, std::nullopt, std::nullopt}, cancel);
}

}  // namespace svc
