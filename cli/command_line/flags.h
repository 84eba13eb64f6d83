// The flags among the arguments: the one place where argv is cut, by CLI11.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "catalogue/global_flags.h"

namespace svc::cli {

/// A flag of an operation, or a global one; neither: unknown.
struct Flag {
  const Field* field = nullptr;
  const GlobalFlag* global = nullptr;
  bool denies = false;  ///< --no-NAME

  bool operator==(const Flag&) const = default;
  [[nodiscard]] bool known() const { return field != nullptr || global != nullptr; }
  [[nodiscard]] bool takes_value() const {
    return field != nullptr ? field->kind != Kind::Boolean
                            : global != nullptr && !global->value.empty();
  }
  /// The optional value of this flag, such as NAME|N for --continue[=NAME|N].
  [[nodiscard]] sv may_take() const { return field != nullptr && !denies ? field->may_take : sv(); }
  [[nodiscard]] char letter() const { return field != nullptr ? field->letter : global->letter; }
  [[nodiscard]] sv name() const { return field != nullptr ? field->flag : global->name; }
};

/// By its name without dashes, or by its letter. Without an operation only global flags are known.
[[nodiscard]] Flag find_flag(const Operation* operation, sv name);
[[nodiscard]] Flag find_flag(const Operation* operation, char letter);

struct GivenFlag {
  Flag flag{};
  std::optional<std::string> value{};  ///< "true" or "false" of a switch; none: missing
};

/// The arguments of an operation in heaps.
struct Cut {
  std::vector<GivenFlag> flags{};
  std::vector<std::string> unknown{};  ///< what looks like a flag and is none
  std::string refused{};               ///< a switch with a value that it does not take, as typed
  std::vector<std::string> positionals{};
  bool dashes = false;  ///< there was a `--`
};

/// Sorts what is left when group and verb are taken out. Text that begins with a dash but cannot be
/// a flag is an argument, so is everything after `--`; what looks like a flag stays one, known or
/// not.
[[nodiscard]] Cut cut_arguments(const Operation* operation, std::span<const std::string> words);

/// How many words the global flags at the front and their values are.
[[nodiscard]] std::size_t count_global_flags(std::span<const std::string> words);

}  // namespace svc::cli
