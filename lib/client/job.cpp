#include "client/job.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/api_error.h"
#include "json/document.h"

namespace svc {
namespace {

using nlohmann::json;

std::optional<std::uint64_t> percent_of(const json& document) {
  const json& found = member(document, "progress");
  if (!found.is_number()) return std::nullopt;
  return static_cast<std::uint64_t>(std::clamp(found.get<double>(), 0.0, 100.0));
}

bool has_result(const json& document) {
  const json& data = member(document, "data");
  return data.is_array() ? !data.empty() : !video_url(document).empty();
}

JobStatus failed(Error error) {
  return JobStatus{.state = JobState::Failed, .failure = std::move(error)};
}

JobStatus by_status(const json& document, std::span<const std::string> secrets) {
  const std::string status = to_lower(text_member(document, "status"));
  if (status == "failed" || status == "expired") {
    if (auto error = error_in_body(document, secrets)) {
      error->fault = Fault::RemoteJob;
      return failed(*std::move(error));
    }
    return failed(status == "expired"
                      ? Error{Fault::RemoteJob,
                              "the job expired: its result is no longer available",
                              "Submit it again."}
                      : Error{Fault::RemoteJob, "the job failed; no reason was given"});
  }
  const bool done = status == "done" || status == "completed" || status == "succeeded";
  if (done || (status != "pending" && has_result(document))) return {JobState::Done};
  return JobStatus{.percent = percent_of(document)};
}

}  // namespace

std::string video_url(const nlohmann::json& document) {
  return text_member(member(document, "video"), "url");
}

JobStatus read_job_status(Judge judge, int http_status, std::string_view body,
                          std::span<const std::string> secrets) {
  if (judge == Judge::Answered) return {http_status == 202 ? JobState::Pending : JobState::Done};
  const json document = parse_reply(body);
  if (!document.is_object()) return {};
  if (http_status == 202) return JobStatus{.percent = percent_of(document)};
  return by_status(document, secrets);
}

PollTimes times_of(const Poll& poll) {
  PollTimes times{std::chrono::seconds(poll.first_seconds), std::chrono::seconds(poll.max_seconds)};
  if (poll.limit_seconds != 0) times.limit = std::chrono::seconds(poll.limit_seconds);
  return times;
}

Result<void> poll_until(const PollTimes& times, std::string_view unfinished,
                        const std::function<Result<bool>()>& is_over,
                        const std::function<Result<void>(std::chrono::milliseconds)>& sleep) {
  const auto begin = std::chrono::steady_clock::now();
  for (auto pause = times.first;; pause = times.after(pause)) {
    SVC_TRY(over, is_over());
    if (over) return {};
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    if (times.limit && waited >= *times.limit) {
      return Error{Fault::Timeout,
                   fmt::format("{} within {}", unfinished, format_duration(*times.limit))};
    }
    SVC_CHECK(sleep(times.limit ? std::min(pause, *times.limit - waited) : pause));
  }
}

}  // namespace svc
