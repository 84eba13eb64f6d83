#include "operation/multi_target.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/concurrent_calls.h"
#include "client/download.h"
#include "client/job.h"
#include "json/document.h"
#include "operation/media_names.h"
#include "operation/plan.h"
#include "operation/results.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "operation/save_video.h"
#include "operation/waiter.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

/// Returns the repeatable path parameter, or null.
const Field* repeated_id(const Operation& operation) {
  for (const Field& field : operation.fields) {
    if (field.in == In::Path && field.repeated) return &field;
  }
  return nullptr;
}

/// Returns the description of a failure, such as "files were not deleted" for `svc files delete`.
std::string not_done(const Operation& operation) {
  const sv verb = split(operation.name, ' ').back();
  return fmt::format("{} were not {}{}", operation.noun.many, verb,
                     verb.ends_with('e') ? "d" : "ed");
}

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t k_max_looks = 16;     ///< concurrent status checks
constexpr std::size_t k_max_downloads = 6;  ///< concurrent downloads
constexpr milliseconds k_wait_slice{100};

struct WaitedJob {
  std::string id{};
  request::Request request{};
  steady_clock::time_point due{};
  milliseconds pause{};
  bool asked = false;  ///< a status check is in flight
  std::string body{};  ///< once it is done
  std::unique_ptr<Download> download{};
  std::string path{};  ///< of the downloaded file
};

class WaitEach {
 public:
  WaitEach(Session& session, const Operation& operation, ApiClient& client, JobKind kind)
      : m_session(session),
        m_operation(operation),
        m_kind(std::move(kind)),
        m_times(poll_times(session, m_kind.times)),
        m_plan(media_plan(session)),
        m_calls(client) {}

  /// `ids` are those of the plan's requests.
  Result<void> run(std::vector<std::string> ids, request::Plan plan) {
    SVC_CHECK(prepare_jobs(std::move(ids), std::move(plan)));
    Results results(m_session, m_jobs.size());
    const sv plural = m_operation.noun.many;
    Failures failures(m_session, m_jobs.size(), fmt::format("{} failed", plural));
    m_session.progress().start(fmt::format("Waiting for {} {}", m_jobs.size(), plural),
                               print::ProgressUnit::Items, m_jobs.size());
    const auto limit = m_times.limit;
    const auto begin = steady_clock::now();
    while (m_over < m_jobs.size()) {
      if (const auto fault = m_session.cancel_token().requested())
        return ended(results, canceled(*fault));
      if (limit && steady_clock::now() - begin >= *limit) {
        return ended(results,
                     Error{Fault::Timeout, fmt::format("{} of {} {} were not ready within {}",
                                                       m_jobs.size() - m_over, m_jobs.size(),
                                                       plural, format_duration(*limit))});
      }
      SVC_CHECK(step());
      SVC_CHECK(report(results, failures));
    }
    m_session.progress().finish();
    SVC_CHECK(results.finish());
    return failures.verdict();
  }

 private:
  Result<void> prepare_jobs(std::vector<std::string> ids, request::Plan plan) {
    const auto now = steady_clock::now();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      request::Request request = std::move(plan.steps[i].request);
      SVC_CHECK(complete_address(m_session, request));
      // Spread the first checks over the interval.
      m_jobs.push_back({.id = std::move(ids[i]),
                        .request = std::move(request),
                        .due = now + m_times.first * i / ids.size(),
                        .pause = m_times.first});
    }
    return {};
  }

  Result<void> step() {
    const auto now = steady_clock::now();
    for (WaitedJob& job : m_jobs) {
      if (m_calls.in_flight() - m_downloading >= k_max_looks) break;
      if (job.asked || job.due > now) continue;
      job.asked = true;
      m_calls.start({.request = job.request, .done = [this, &job](Result<CallReply> reply) {
                       looked(job, std::move(reply));
                     }});
    }
    while (m_downloading < k_max_downloads && !m_to_load.empty()) {
      WaitedJob& job = *m_to_load.front();
      m_to_load.pop_front();
      if (auto begun = load(job); !begun) finish(job, std::move(begun).error());
    }
    const auto until = now + k_wait_slice;
    if (m_calls.in_flight() > 0) {
      m_calls.run(m_session.cancel_token(), until);
    } else if (m_finished.empty()) {
      (void)interruptible_sleep(k_wait_slice, m_session.cancel_token());
    }
    m_session.progress().tick();
    return {};
  }

  void looked(WaitedJob& job, Result<CallReply> reply) {
    if (!reply) return finish(job, std::move(reply).error());
    JobStatus look = m_kind.look(*reply);
    if (look.state == JobState::Pending) {
      job.asked = false;
      job.due = steady_clock::now() + job.pause;
      job.pause = m_times.after(job.pause);
      return;
    }
    job.body = std::move(reply->body);
    if (look.failure) return finish(job, *std::move(look.failure));
    if (saves_media(m_operation) && m_plan.place == MediaPlace::Directory) {
      m_to_load.push_back(&job);
    } else {
      finish(job, {});
    }
  }

  /// Starts to download the video of a finished job.
  Result<void> load(WaitedJob& job) {
    SVC_TRY(url, finished_video_url(m_session, parse_reply(job.body), true));
    if (url.empty()) return video_without_url();
    if (!m_media) {
      SVC_TRY(client, media_caller(m_session));
      m_media = std::move(client);
    }
    SVC_TRY(base, m_session.base_url(Host::Inference));
    SVC_TRY(request, media_request(url, base, m_media->policy()));
    SVC_TRY(download, Download::open(std::move(request),
                                     {.path = m_plan.path,
                                      .directory = true,
                                      .name = job.id + ".mp4",
                                      .fallback = "video.mp4",
                                      .replace = m_session.globals().replace()},
                                     {}));
    job.download = std::move(download);
    ++m_downloading;
    load_on(job);
    return {};
  }

  /// Starts the download's next request, or finishes it.
  void load_on(WaitedJob& job) {
    if (auto call = job.download->next([this, &job] { load_on(job); })) {
      call->by = m_media.get();
      return m_calls.start(*std::move(call));
    }
    --m_downloading;
    auto saved = job.download->finish({});
    if (!saved) return finish(job, std::move(saved).error());
    job.path = std::move(saved->path);
    check_saved_video(m_session, job.path);
    finish(job, {});
  }

  void finish(WaitedJob& job, std::optional<Error> error) {
    m_finished.emplace_back(&job, std::move(error));
  }

  Result<void> report(Results& results, Failures& failures) {
    while (!m_finished.empty()) {
      auto [job, error] = std::move(m_finished.front());
      m_finished.pop_front();
      m_session.progress().update(++m_over);
      const std::string done = job->body.empty() ? "" : m_kind.done(job->id, job->body);
      if (!job->body.empty() && (!error || m_session.format() != Format::Text)) {
        SVC_CHECK(results.add(job->body, (job->path.empty() ? done : job->path) + "\n"));
      }
      if (error && !failures.add(excerpt(job->id), *std::move(error))) {
        return ended(results, failures.verdict().error());
      }
      job->body = {};
      job->download.reset();
    }
    return {};
  }

  /// Stops waiting; the jobs continue. Completes the output for finished jobs.
  Error ended(Results& results, Error error) {
    m_session.progress().finish();
    CancelSource all;
    all.cancel();
    // An interrupted download leaves a partial file, which a later run resumes.
    while (m_calls.in_flight() > 0) m_calls.run(all, steady_clock::now());
    (void)results.finish();
    if (error.hint.empty()) {
      error.hint = fmt::format(
          "{} of {} {} are done; rerun the command to wait for the others, which continue.", m_over,
          m_jobs.size(), m_operation.noun.many);
    }
    return error;
  }

  Session& m_session;
  const Operation& m_operation;
  JobKind m_kind;
  PollTimes m_times;
  MediaPlan m_plan;
  std::unique_ptr<ApiClient> m_media{};  ///< without an API key
  std::deque<WaitedJob> m_jobs{};        ///< a deque, since addresses must stay valid
  ConcurrentCalls m_calls;               ///< destroyed before the objects that its calls write to
  std::deque<WaitedJob*> m_to_load{};
  std::deque<std::pair<WaitedJob*, std::optional<Error>>> m_finished{};
  std::size_t m_downloading = 0;
  std::size_t m_over = 0;
};

/// One request per ID. Without any, the single request reports the missing one.
Result<request::Plan> plan_targets(Session& session, const Operation& operation, sv flag,
                                   const std::vector<std::string>& ids, sv repeats = {}) {
  request::Plan plan;
  for (const std::string& one : ids.empty() ? std::vector<std::string>(1) : ids) {
    const auto inputs = ids.empty() ? session.invocation().inputs : inputs_with(session, flag, one);
    SVC_TRY(request, prepare(session, operation, inputs));
    plan.steps.push_back({.request = std::move(request), .repeats = std::string(repeats)});
  }
  return plan;
}

Result<void> check_several_targets(Session& session, const Operation& operation) {
  if (!session.globals().output) return {};
  if (media_plan(session).place == MediaPlace::Directory) {
    return check_media_target(session, operation);
  }
  return usage_error("--output must be a directory for several jobs",
                     "Use -o DIRECTORY/: each file is named after its job.");
}

}  // namespace

bool takes_targets(const Operation& operation) {
  return repeated_id(operation) != nullptr;
}

Result<void> run_each_target(Session& session) {
  const Operation& operation = *session.invocation().operation;
  const Field& id = *repeated_id(operation);
  const std::vector<std::string> ids = distinct_values_of(session, id.flag);
  SVC_TRY(plan, plan_targets(session, operation, id.flag, ids));
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  SVC_TRY(client, open_client(session, plan.steps.front().request));
  Results results(session, ids.size());
  Failures failures(session, ids.size(), not_done(operation));
  session.progress().start(fmt::format("svc {}", command_name(operation)),
                           print::ProgressUnit::Items, ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    request::Request& request = plan.steps[i].request;
    SVC_CHECK(complete_address(session, request));
    const auto reply = client->call(request);
    session.progress().update(i + 1);
    if (reply) {
      SVC_CHECK(results.add(reply->body, ids[i] + "\n"));
    } else if (!failures.add(excerpt(ids[i]), reply.error())) {
      break;
    }
  }
  session.progress().finish();
  SVC_CHECK(results.finish());
  return failures.verdict();
}

std::vector<std::string> several_jobs(const Session& session, const Operation& operation) {
  std::vector<std::string> ids = distinct_values_of(session, operation.fields.front().flag);
  if (ids.size() < 2) ids.clear();
  return ids;
}

Result<void> wait_for_each(Session& session, const Operation& operation,
                           std::vector<std::string> ids, JobKind kind) {
  SVC_TRY(plan, plan_targets(session, operation, operation.fields.front().flag, ids,
                             "until the job is done"));
  if (saves_media(operation)) SVC_CHECK(check_several_targets(session, operation));
  if (session.globals().shows_only()) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      plan_download(session, plan, i, fmt::format("VIDEO_URL_{}", i + 1));
    }
  }
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  SVC_TRY(client, session.client(operation.host));
  return WaitEach(session, operation, *client, std::move(kind))
      .run(std::move(ids), std::move(plan));
}

}  // namespace svc::cli
