// Changes to the configuration file: under a lock, whole, and leaving alone what is not ours.
#include <chrono>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "client/config_edit.h"
#include "client/config_file.h"
#include "client/config_toml.h"
#include "client/settings.h"

namespace svc {

using config_toml::shown;

namespace {

using Edit = std::function<Result<std::string>(const std::string& text)>;

/// Reads, edits and replaces the file while nobody else does.
Result<void> edit_file(const std::filesystem::path& path, const Edit& edit, const Stop& stop) {
  if (path.empty()) {
    return Error{Fault::Local,
                 "there is no place for the configuration: neither XDG_CONFIG_HOME nor HOME is set",
                 "Set one of them, or use flags and environment variables such as SVC_BASE_URL."};
  }
  SVC_CHECK(make_private_folder(path.parent_path()));
  // Hundreds of writers at once take turns; each needs a few milliseconds, and some disks more.
  std::optional<FileLock> held;
  SVC_TRY(lock, FileLock::take((path.parent_path() / "config.lock").string(),
                               std::chrono::seconds(60), stop));
  held.emplace(std::move(lock));
  std::string text;
  std::error_code ec;
  const auto type = std::filesystem::status(path, ec).type();
  if (type != std::filesystem::file_type::not_found) {
    SVC_TRY(old, read_file(path.string(), config_toml::k_max_bytes));
    text = std::move(old);
  }
  SVC_TRY(changed, edit(text));
  if (changed == text) return {};
  SVC_TRY(file, AtomicFile::create(path.string(), Replace::Yes, 0600));
  SVC_CHECK(file.write(changed));
  SVC_CHECK(file.put_in_place());
  held.reset();  // the next writer need not wait for the disk's last word
  return file.flush_place();
}

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
  const toml::parse_result parsed = toml::parse(candidate);
  if (parsed && parsed.table() == expected) return candidate;
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
    return usage_error(fmt::format("{} holds something else in the place of [{}]", shown(path),
                                   fmt::join(table, ".")));
  }
  if (!value) {
    target->erase(name);
    return checked_text(edit_toml_value(text, table, name, std::nullopt), root);
  }
  const SettingRow* row = find_setting(name);
  const auto number =
      row != nullptr && row->kind == SettingKind::Count ? parse_integer(*value) : std::nullopt;
  if (number) {
    target->insert_or_assign(name, *number);
  } else {
    target->insert_or_assign(name, *value);
  }
  const std::string literal = number ? std::to_string(*number) : toml_quote(*value);
  return checked_text(edit_toml_value(text, table, name, literal), root);
}

}  // namespace

Result<void> write_config_value(const std::filesystem::path& path, std::string_view profile,
                                std::string_view name, const std::optional<std::string>& value,
                                const Stop& stop) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile)};
  return edit_file(
      path, [&](const std::string& text) { return with_value(path, text, table, name, value); },
      stop);
}

Result<void> write_default_profile(const std::filesystem::path& path,
                                   const std::optional<std::string>& profile) {
  if (profile) SVC_CHECK(check_profile_name(*profile));
  return edit_file(
      path,
      [&](const std::string& text) {
        return with_value(path, text, {}, "default_profile", profile);
      },
      NoStop());
}

Result<void> add_profile(const std::filesystem::path& path, std::string_view profile) {
  SVC_CHECK(check_profile_name(profile));
  const TablePath table{"profile", std::string(profile)};
  return edit_file(
      path,
      [&](const std::string& text) -> Result<std::string> {
        SVC_TRY(root, config_toml::parse(path, text));
        if (table_at(root, table, false) != nullptr) return text;
        if (table_at(root, table, true) == nullptr) {
          return usage_error(fmt::format("{} holds something else in the place of [profile.{}]",
                                         shown(path), profile));
        }
        return checked_text(add_toml_table(text, table), root);
      },
      NoStop());
}

}  // namespace svc
