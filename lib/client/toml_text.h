// TOML as text: in plain ASCII, for a parser to which other characters are undefined; and with one
// value changed, every other byte as it is. Not part of the public interface.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

struct PlainToml {
  struct Fault {
    std::size_t at;    ///< in what was given
    std::size_t end;   ///< behind the character
    const char* what;  ///< "stands outside of quotes"
  };
  /// Means the same, line by line, but that comments lose what is not ASCII.
  std::string text{};
  /// Where in what was given each byte of `text` comes from; empty when the two are the same.
  std::vector<std::size_t> origin{};
  std::optional<Fault> fault{};
};

[[nodiscard]] PlainToml plain_toml(std::string_view given);

/// A place in a text, as errors name it: both from 1, columns in characters.
struct TomlPlace {
  std::size_t line;
  std::size_t column;
};
[[nodiscard]] TomlPlace place_of(std::string_view text, std::size_t at);

/// Where in `given` that is which stands at `place` in `plain`.
[[nodiscard]] TomlPlace given_place(const PlainToml& plain, std::string_view given,
                                    TomlPlace place);

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
