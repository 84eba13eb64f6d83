// TOML 1.0: read as a tree, and edited one value or table at a time without changing other bytes.
// Numbers, dates and times are recognized, but not checked in every detail. Internal to lib/client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc {

/// Maximum size of a configuration file.
inline constexpr std::uint64_t k_max_config_bytes = 1U << 20U;

/// A value with its key, or an element of an array, which has none.
struct TomlNode {
  enum class Type : std::uint8_t { Table, Array, Text, Number, Boolean, Time };
  /// What defined a table or array, which decides what may be added to it. Inline: nothing may.
  enum class Origin : std::uint8_t { Path, Header, Dotted, Inline };

  std::string key{};
  Type type = Type::Table;
  Origin origin = Origin::Path;
  std::size_t line = 0;              ///< from 1
  std::string text{};                ///< of a scalar: "true", "12", "1.5"
  std::vector<TomlNode> children{};  ///< of a table or array, in the order of the file

  [[nodiscard]] bool is_table() const noexcept { return type == Type::Table; }
  /// The child with that key, or null.
  [[nodiscard]] const TomlNode* find(std::string_view name) const;
  [[nodiscard]] TomlNode* find(std::string_view name);
  /// The child with that key, added as an empty table if there is none.
  [[nodiscard]] TomlNode& child(std::string_view name);
  /// Whether both hold the same values, wherever they are in their files.
  [[nodiscard]] bool operator==(const TomlNode& other) const;
};

/// Parses `text`, the content of the file `name`. Usage, with line and column, if it is not TOML.
[[nodiscard]] Result<TomlNode> parse_toml(std::string_view name, std::string_view text);

/// A table as TOML, without comments.
[[nodiscard]] std::string toml_text(const TomlNode& table);

/// A table's path: {} is the top of the file, {"profile", "work"} is [profile.work].
using TablePath = std::vector<std::string>;

/// Returns `text`, which must be TOML, with `name = toml_value` in `table`: replaces the value in
/// place, else adds a line at the end of the table, else adds the table at the end of the file.
/// Without a value, removes the line. Tables in other notations (inline, dotted) are not supported:
/// the caller must check the result.
[[nodiscard]] std::string edit_toml_value(std::string_view text, const TablePath& table,
                                          std::string_view name,
                                          const std::optional<std::string>& toml_value);

/// Returns `text` with an empty `table` at the end, unless it exists.
[[nodiscard]] std::string add_toml_table(std::string_view text, const TablePath& table);

/// Returns `text` with the content of `table` replaced by `body`, lines of TOML; an empty body
/// removes the table.
[[nodiscard]] std::string replace_toml_table(std::string_view text, const TablePath& table,
                                             std::string_view body);

/// The content of `table` as written, including comments; empty if it does not exist.
[[nodiscard]] std::string toml_table_body(std::string_view text, const TablePath& table);

/// `text` as a quoted TOML basic string.
[[nodiscard]] std::string toml_quote(std::string_view text);

}  // namespace svc
