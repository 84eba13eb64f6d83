// Changes one value in the text of a TOML file and leaves every other byte as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// A table's path: {} is the top of the file, {"profile", "work"} is [profile.work].
using TablePath = std::vector<std::string>;

/// `text`, which must be TOML, with `name = toml_value` in `table`: the value is replaced where it
/// stands, else a line is added at the table's end, else the table is added at the file's end. No
/// value removes the line. A table that is written in another way ("inline", dotted) is not
/// understood: the caller must check what it got.
[[nodiscard]] std::string edit_toml_value(std::string_view text, const TablePath& table,
                                          std::string_view name,
                                          const std::optional<std::string>& toml_value);

/// `text` with an empty `table` added at the end, unless there is one.
[[nodiscard]] std::string add_toml_table(std::string_view text, const TablePath& table);

/// `text` with `body`, lines of TOML, as all that `table` holds; an empty one removes the table.
[[nodiscard]] std::string replace_toml_table(std::string_view text, const TablePath& table,
                                             std::string_view body);

/// What stands in `table`, its comments too, as it is written; empty when it is not there.
[[nodiscard]] std::string toml_table_body(std::string_view text, const TablePath& table);

/// `text` as a basic string of TOML, with the quotes.
[[nodiscard]] std::string toml_quote(std::string_view text);

}  // namespace svc
