// TOML as text: converted to plain ASCII for a parser whose behaviour is undefined for other
// characters, and edited one value at a time without changing other bytes. Internal to lib/client.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

struct AsciiToml {
  struct Fault {
    std::size_t at;    ///< in the original text
    std::size_t end;   ///< after the character
    const char* what;  ///< "is outside of quotes"
  };
  /// Equivalent to the original, line by line, except that comments lose non-ASCII characters.
  std::string text{};
  /// The offset in the original of each byte of `text`; empty if both are the same.
  std::vector<std::size_t> origin{};
  std::optional<Fault> fault{};
};

[[nodiscard]] AsciiToml to_ascii_toml(std::string_view given);

/// A position in a text for errors: both from 1, columns in characters.
struct TomlPosition {
  std::size_t line;
  std::size_t column;
};
[[nodiscard]] TomlPosition position_of(std::string_view text, std::size_t at);

/// Converts a position in `plain` to the position in `given`.
[[nodiscard]] TomlPosition original_position(const AsciiToml& plain, std::string_view given,
                                             TomlPosition position);

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
