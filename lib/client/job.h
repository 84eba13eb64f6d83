// Interprets the response to a poll of a remote job.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc {

enum class JobState : std::uint8_t { Pending, Done, Failed };

struct JobStatus {
  JobState state = JobState::Pending;
  std::optional<std::uint64_t> percent{};  ///< progress of a pending job
  std::optional<Error> failure{};          ///< of JobState::Failed: RemoteJob, with the reason
};

/// The URL of a finished video; "" if the service returns none.
[[nodiscard]] std::string video_url(const nlohmann::json& document);

/// Evaluates a successful response by the operation's Judge and its status: 202 and `pending` mean
/// pending, an empty body means "not yet", `failed` and `expired` are failures with the service's
/// code and message, and anything that contains a result is done; an unknown status without a
/// result is pending. Other fields (a progress of 0, an empty url) have no effect.
[[nodiscard]] JobStatus read_job_status(Judge judge, int http_status, std::string_view body,
                                        std::span<const std::string> secrets);

}  // namespace svc
