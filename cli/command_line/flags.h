// Splits argv into flags and arguments. The only user of CLI11.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/global_flags.h"

namespace svc::cli {

/// A flag of an operation, or a global flag; unknown if both pointers are null.
struct Flag {
  const Field* field = nullptr;
  const GlobalFlag* global = nullptr;
  bool negated = false;  ///< --no-NAME

  bool operator==(const Flag&) const = default;
  [[nodiscard]] bool known() const { return field != nullptr || global != nullptr; }
  [[nodiscard]] bool takes_value() const {
    return field != nullptr ? field->kind != Kind::Boolean
                            : global != nullptr && !global->value.empty();
  }
  /// The optional value of this flag, such as NAME|N for --continue[=NAME|N].
  [[nodiscard]] sv optional_value() const {
    return field != nullptr && !negated ? field->optional_value : sv();
  }
  [[nodiscard]] char letter() const { return field != nullptr ? field->letter : global->letter; }
  [[nodiscard]] sv name() const { return field != nullptr ? field->flag : global->name; }
};

/// Finds a flag by its name without dashes, or by its letter; `--no-NAME` too. If `operation` is
/// null, only global flags are found.
[[nodiscard]] Flag find_flag(const Operation* operation, sv name);
[[nodiscard]] Flag find_flag(const Operation* operation, char letter);

struct GivenFlag {
  Flag flag{};
  std::optional<std::string> value{};  ///< of a switch: "true" or "false"; none: missing
};

/// The arguments of an operation, sorted by kind.
struct Cut {
  std::vector<GivenFlag> flags{};
  std::vector<std::string> unknown{};  ///< unknown flags, as typed
  std::string refused{};               ///< a switch given with a value, as typed; empty if none
  std::vector<std::string> positionals{};
  bool dashes = false;  ///< the arguments contain `--`
};

/// Sorts the arguments without group and verb. Text that starts with a dash but cannot be a flag is
/// an argument, as is everything after `--`; anything else that looks like a flag is one, known or
/// unknown.
[[nodiscard]] Cut cut_arguments(const Operation* operation, std::span<const std::string> words);

/// The number of words that leading global flags and their values take up.
[[nodiscard]] std::size_t count_global_flags(std::span<const std::string> words);

}  // namespace svc::cli
