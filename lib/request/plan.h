// What svc is going to send: requests in order, and what they depend on. --dry-run, --curl,
// --estimate and confirmations read it, and so does the code that sends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "request/inputs.h"

namespace svc::request {

/// A value of a step's answer that later requests contain.
struct StepResult {
  std::string variable{};  ///< its name in those requests, where it appears as "$NAME"
  std::string path{};      ///< in the answer, for jq: ".id"
};

/// One request of a plan.
struct Step {
  Request request{};
  std::string purpose{};    ///< such as "Upload report.pdf"; empty: its operation says it all
  std::string repeats{};    ///< such as "until the job is done"; empty: sent once
  std::string condition{};  ///< such as "if a request failed"; empty: sent in any case
  std::optional<StepResult> result{};
};

struct Plan {
  std::vector<Step> steps{};
  std::string question{};  ///< asked before anything is sent, instead of what a step ends
};

/// A unique word that stands for a secret, or for the ID of a file or job, in a request that is
/// only shown: the mark of a variable.
[[nodiscard]] std::string placeholder_id(std::string_view kind);

/// A request that finds the ID for which `placeholder` stands in the inputs.
struct Lookup {
  Step step{};  ///< its result is the ID
  std::string placeholder{};
};

/// Has `placeholder` shown as "$NAME" wherever it is in the request.
void put_variable(Request& request, std::string placeholder, std::string_view name);

/// Renames variables of the plan's answers whose names are in the requests' own text.
void rename_variables(Plan& plan);

}  // namespace svc::request
