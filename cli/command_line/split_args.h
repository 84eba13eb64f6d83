// Finds group and verb among the arguments, and so whose flags the others are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/flags.h"

namespace svc::cli {

/// Group and operation, and the rest of the arguments. `help` as first word asks for help on what
/// follows.
struct SplitArgs {
  const Group* group = nullptr;
  const Operation* operation = nullptr;
  Cut cut{};                ///< of what is left when their words are taken out
  bool verb_given = false;  ///< the verb was written, not filled in
  bool help = false;
  sv topic{};  ///< of `svc help TOPIC`
};

/// Usage for an unknown group or verb, and for a group without a default verb that was given none
/// (unless help was asked for).
[[nodiscard]] Result<SplitArgs> split_args(const std::vector<std::string>& arguments);

}  // namespace svc::cli
