// The one place where a plan is shown, priced, confirmed, or released to be sent.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "operation/estimate.h"
#include "operation/results.h"
#include "request/plan.h"
#include "session/session.h"

namespace svc::cli {

/// --dry-run, --curl and --estimate: prints the steps of a plan one by one, so that a long plan
/// needs no memory. A plan of one step is printed as that request alone.
class PlanPrinter {
 public:
  explicit PlanPrinter(Session& session);

  /// Usage for a request that svc would refuse to send; Limited if --max-cost or the limit of the
  /// day does not allow it.
  [[nodiscard]] Result<void> add(request::Step step);
  /// Prints what is left to print, and what the plan may cost unless the caller has `priced` it.
  [[nodiscard]] Result<void> finish(bool priced = false);

 private:
  [[nodiscard]] Result<void> add_next(request::Step step);
  [[nodiscard]] Result<void> price(const request::Step& step);
  [[nodiscard]] Result<void> print_one(const request::Step& step);
  [[nodiscard]] Result<void> print_next(const request::Step& step);

  Session& m_session;
  Results m_documents;
  Estimate m_estimate{};
  std::optional<request::Step> m_first{};  ///< until a second one follows
  std::size_t m_count = 0;
  std::size_t m_looked = 0;  ///< of the session's lookups
  bool m_costs = false;
  std::string m_command{};
};

/// With --dry-run, --curl or --estimate, prints the plan and returns false: nothing is to be sent.
/// Otherwise asks before a step that ends something, and returns true. Usage if the user declines
/// or cannot be asked.
[[nodiscard]] Result<bool> approve(Session& session, const request::Plan& plan);
/// The same for a single request; `repeats` as in request::Step.
[[nodiscard]] Result<bool> approve(Session& session, const request::Request& request,
                                   std::string repeats = {});

/// Adds to a plan what follows from its last request: further pages, the checks of the job that it
/// submits, and the download of a video. Only where the plan is shown: when it is sent, the answers
/// say what follows.
[[nodiscard]] Result<void> plan_rest(Session& session, request::Plan& plan);

/// Adds the download of the video that the answer of step `at` names as `variable`, if it is saved.
void plan_download(Session& session, request::Plan& plan, std::size_t at, std::string variable);

/// "until the job is done": how often the request of an operation that waits is sent; "" if it is
/// sent once.
[[nodiscard]] std::string wait_repeats(const Session& session, const Operation& operation);

/// Makes the answer of the plan's last step the source of `placeholder` in `request`.
void plan_result(request::Plan& plan, request::Request& request, std::string placeholder,
                 const std::string& name, std::string path);

}  // namespace svc::cli
