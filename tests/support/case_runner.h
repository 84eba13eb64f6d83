// Runs one case and reports its failures.
#pragma once

#include <string>
#include <vector>

#include "support/case_file.h"
#include "support/case_world.h"

namespace svc::test {

struct CaseResult {
  std::string name{};
  std::vector<std::string> failures{};  ///< empty if it passed
  Milliseconds wall{0};                 ///< of the command
  std::string directory{};              ///< directory of its files, if kept
  std::string out{};                    ///< what the command wrote to stdout
  std::string screen{};                 ///< what was on the terminal at the end
};

enum class Keep : std::uint8_t { Nothing, Failed };

/// Never throws because of a case; a case that cannot be started has failed.
[[nodiscard]] CaseResult run_case(const Case& which, const Programs& programs, Keep keep);

}  // namespace svc::test
