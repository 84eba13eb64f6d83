// Finds group and verb among the arguments, which determine the valid flags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/flags.h"

namespace svc::cli {

/// Group and operation, and the rest of the arguments.
struct SplitArgs {
  const Group* group = nullptr;
  const Operation* operation = nullptr;
  Cut cut{};                ///< the other arguments
  bool verb_given = false;  ///< false for the default verb of a group
  bool help = false;        ///< `svc help …` or `svc GROUP help`
  sv topic{};               ///< of `svc help TOPIC`
};

/// A text in place of a command.
struct BarePrompt {
  std::string text{};
  std::size_t words = 0;  ///< number of arguments that it consists of
};

/// The text that the words begin with: one with a space in it, or more than two words before the
/// first flag. Nothing for what may be a command.
[[nodiscard]] std::optional<BarePrompt> prompt_in(std::span<const std::string> words);

/// Returns Fault::Usage for an unknown group or verb, and for a missing verb of a group without a
/// default verb (unless help is requested).
[[nodiscard]] Result<SplitArgs> split_args(const std::vector<std::string>& arguments);

}  // namespace svc::cli
