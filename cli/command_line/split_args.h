// Finds group and verb among the arguments before any flag is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace svc::cli {

/// Group and operation, and the arguments that are left when their words are taken out. `help` as
/// first word asks for help on what follows.
struct SplitArgs {
  const Group* group = nullptr;
  const Operation* operation = nullptr;
  std::vector<std::string> rest{};
  bool verb_given = false;  ///< the verb was written, not filled in
  bool help = false;
  sv topic{};  ///< of `svc help TOPIC`
};

/// Usage for an unknown group or verb, and for a group without a default verb that was given none
/// (unless help was asked for).
[[nodiscard]] Result<SplitArgs> split_args(const std::vector<std::string>& arguments);

/// How many arguments the global flag, or the bundle of short ones, at `at` takes, itself included;
/// 0 when it is none.
[[nodiscard]] std::size_t global_flag_length(const std::vector<std::string>& arguments,
                                             std::size_t at);

/// The arguments of an operation in two heaps.
struct Cut {
  std::vector<std::string> flags{};  ///< each with its value behind it, if it takes one
  std::vector<std::string> positionals{};
};

/// Sorts what is left when group and verb are taken out. Text that begins with a dash but cannot be
/// a flag is an argument, so is everything after `--`; what looks like a flag stays one, known or
/// not. Usage for a switch with a value.
[[nodiscard]] Result<Cut> cut_arguments(const Operation* operation,
                                        std::vector<std::string> arguments);

}  // namespace svc::cli
