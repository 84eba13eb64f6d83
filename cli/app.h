// The program between main() and the commands: help, version, one command, its error.
#pragma once

#include <string>
#include <vector>

#include "base/cancel_token.h"

namespace svc::cli {

/// Runs the program with these arguments (without its name) and gives its exit code.
[[nodiscard]] int run_app(const std::vector<std::string>& arguments, const CancelToken& cancel);

}  // namespace svc::cli
