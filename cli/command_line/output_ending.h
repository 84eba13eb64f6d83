// The ending of --output decides the format of the result.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "command_line/parse_args.h"

namespace svc::cli {

enum class EndingUse : std::uint8_t {
  Decides,  ///< the command writes this format
  Refused,
  Own  ///< the command saves bytes as they are, or reads the ending itself
};

/// What an ending, "srt", does at an operation; Own for one that svc does not know, such as "log".
/// `bulk`: of `chat --each` and the like.
[[nodiscard]] EndingUse use_of_ending(const Operation& operation, bool bulk, sv ending);

/// Sets the format that the ending of --output means, unless a flag does; Usage, with the endings
/// that are possible, if the command cannot write it. A directory, a device, - and other endings
/// decide nothing.
[[nodiscard]] Result<void> apply_output_ending(Invocation& invocation);

/// Whether it is the ending of a known type of file, such as "srt".
[[nodiscard]] bool is_ending(sv ending);

}  // namespace svc::cli
