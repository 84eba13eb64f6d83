// What may stand at the cursor of a command line that is being typed.
#pragma once

#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace svc::cli {

struct Candidate {
  std::string word;
  std::string help{};  ///< without the full stop; may be empty
};

/// What a shell offers for the last word of a command line.
struct ShellCompletion {
  std::string prefix{};  ///< the beginning of the word that stays: "--model=", "@"
  std::vector<Candidate> candidates{};
  sv source{};         ///< further candidates that the service or the configuration knows, or empty
  bool files = false;  ///< paths as well
};

/// `words` are the arguments so far; the last one is being typed and may be empty. Candidates are
/// all that may stand there, whatever of it is typed already.
[[nodiscard]] ShellCompletion complete_line(const std::vector<std::string>& words);

}  // namespace svc::cli
