// TOML in plain ASCII, for a parser to which other characters are undefined. Not part of the public
// interface.
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

}  // namespace svc
