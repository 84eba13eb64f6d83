// Shell completion: finds candidates for the word at the cursor of a command line.
#pragma once

#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace svc::cli {

struct Candidate {
  std::string word;
  std::string help{};  ///< one sentence without its full stop; may be empty
};

/// The candidates for the last word of a command line.
struct ShellCompletion {
  std::string prefix{};  ///< the unchanged beginning of the word: "--model=", "@"
  std::vector<Candidate> candidates{};
  sv source{};  ///< more candidates from the service or configuration: "models", "keys"; or empty
  bool files = false;  ///< file names are candidates too
};

/// `words` are the arguments so far; the last one is being typed and may be empty. Returns every
/// word that can appear there, not filtered by what is already typed.
[[nodiscard]] ShellCompletion complete_line(const std::vector<std::string>& words);

}  // namespace svc::cli
