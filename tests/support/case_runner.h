// Runs one case and says what was wrong.
#pragma once

#include <string>
#include <vector>

#include "support/case_file.h"
#include "support/case_world.h"

namespace svc::test {

struct CaseResult {
  std::string name{};
  std::vector<std::string> failures{};  ///< empty: passed
  Milliseconds wall{0};                 ///< of the command
  std::string folder{};                 ///< where its files are, when they were kept
};

enum class Keep : std::uint8_t { Nothing, Failed };

/// Never throws for what a case does; a case that cannot even start has failed.
[[nodiscard]] CaseResult run_case(const Case& which, const Programs& programs, Keep keep);

}  // namespace svc::test
