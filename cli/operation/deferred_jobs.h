// The deferred answers that this machine has asked for and not fetched yet, which the service keeps
// for 24 hours. For `svc expiring`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/session.h"

namespace svc::cli {

struct DeferredJob {
  std::string id{};
  std::string profile{};
  std::string command{};     ///< fetches the answer
  std::int64_t ends_at = 0;  ///< Unix seconds
};

/// Remembers a job. A failure to do so is not reported: the answer can be fetched all the same.
void remember_deferred(const Session& session, const std::string& id, const std::string& command);
/// Forgets a job whose answer has been printed.
void forget_deferred(const std::string& id);
/// The jobs remembered, without those that have ended, which are forgotten.
[[nodiscard]] std::vector<DeferredJob> deferred_jobs();

}  // namespace svc::cli
