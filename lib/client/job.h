// What the answer of a poll says about a remote job.
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

struct JobLook {
  JobState state = JobState::Pending;
  std::optional<std::uint64_t> percent{};  ///< how far it is, while it is pending
  std::optional<Error> failure{};          ///< of JobState::Failed: RemoteJob, with the reason
};

/// Where a finished video is; "" when the service gives no URL for it.
[[nodiscard]] std::string video_url(const nlohmann::json& document);

/// Judges a success answer by the operation's Judge. By status: 202 and `pending` go
/// on, an empty body is "not yet", `failed` and `expired` end badly with the service's code and
/// message, everything that holds a result is done; an unknown status without a result goes on.
/// What the document says beside its status (a progress of 0, an empty url) decides nothing.
[[nodiscard]] JobLook look_at_job(Judge judge, int http_status, std::string_view body,
                                  std::span<const std::string> secrets);

}  // namespace svc
