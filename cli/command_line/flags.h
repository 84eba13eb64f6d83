// The flags among the arguments: the one place where argv is cut.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
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
  /// What a switch may be given all the same.
  [[nodiscard]] sv may_take() const { return field != nullptr && !denies ? field->may_take : sv(); }
  [[nodiscard]] sv name() const { return field != nullptr ? field->flag : global->name; }
};

/// By its name without dashes, or by its letter. Without an operation only global flags are known.
[[nodiscard]] Flag find_flag(const Operation* operation, sv name);
[[nodiscard]] Flag find_flag(const Operation* operation, char letter);

struct GivenFlag {
  Flag flag{};
  std::string word{};                  ///< as it was typed
  std::optional<std::string> value{};  ///< "true" or "false" of a switch; none: missing
};

/// The arguments of an operation in two heaps.
struct Cut {
  std::vector<GivenFlag> flags{};
  std::vector<std::string> positionals{};
};

/// Sorts what is left when group and verb are taken out. Text that begins with a dash but cannot be
/// a flag is an argument, so is everything after `--`; what looks like a flag stays one, known or
/// not. Usage for a switch with a value.
[[nodiscard]] Result<Cut> cut_arguments(const Operation* operation,
                                        const std::vector<std::string>& arguments);

/// How many arguments the global flag, or the bundle of short ones, at `at` takes, itself included;
/// 0 when it is none.
[[nodiscard]] std::size_t global_flag_length(const std::vector<std::string>& arguments,
                                             std::size_t at);

}  // namespace svc::cli
