// Polls a remote job, and interprets the responses.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
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

/// The pauses between polls, which grow, and the limit of the whole wait, if there is one.
struct PollTimes {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds most{10'000};
  std::optional<std::chrono::milliseconds> limit{};

  /// These times, with what the user set instead.
  [[nodiscard]] PollTimes with(std::optional<std::chrono::milliseconds> interval,
                               std::optional<std::chrono::milliseconds> given_limit) const {
    return {interval.value_or(first), interval.value_or(most), given_limit ? given_limit : limit};
  }
  /// The pause that follows one of `pause`.
  [[nodiscard]] std::chrono::milliseconds after(std::chrono::milliseconds pause) const {
    return std::min(pause * 3 / 2, most);
  }
};
[[nodiscard]] PollTimes times_of(const Poll& poll);

/// Calls `is_over` until it returns true, and `sleep` between the calls. Timeout after the limit:
/// "{unfinished} within 5 s". Errors of both functions are passed on.
[[nodiscard]] Result<void> poll_until(
    const PollTimes& times, std::string_view unfinished,
    const std::function<Result<bool>()>& is_over,
    const std::function<Result<void>(std::chrono::milliseconds)>& sleep);

}  // namespace svc
