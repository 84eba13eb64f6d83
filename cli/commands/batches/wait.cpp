// `svc batches wait`: waits until a batch has finished. Ctrl-C stops the wait, never the batch.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "batch/service.h"
#include "catalogue/batches_fields.h"
#include "commands/command.h"
#include "operation/batch_view.h"
#include "operation/plan.h"
#include "operation/runner.h"
#include "operation/waiter.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using BatchWaitFlags = Flags<catalogue::batches::k_wait_fields_of_batch>;

/// A batch's tokens are only in its results; those of larger batches are not read.
constexpr std::int64_t k_max_read = 10'000;

class BatchWait {
 public:
  BatchWait(Session& session, ApiClient& client, request::Request request)
      : m_session(session),
        m_client(client),
        m_request(std::move(request)),
        m_id(
            request::text_given(session.inputs(), BatchWaitFlags::k_name<"batch-id">).value_or("")),
        m_progress(session) {}

  Result<void> run(batch::Service& service) {
    batch::BatchState state;
    Result<void> waited = wait_until(m_session, waiting(), [&]() -> Result<bool> {
      SVC_TRY(read, look());
      state = std::move(read);
      return batch::is_finished(state);
    });
    if (!waited) {
      record_batch(m_session, m_id, "", {.cost_ticks = m_cost});
      return waited;
    }
    SVC_CHECK(print_answer(m_session, *m_request.operation, m_body));
    SVC_CHECK(m_session.out().flush());
    return verdict(service, state);
  }

 private:
  [[nodiscard]] Waiting waiting() const {
    return {.timed_out = fmt::format("{} has not finished", visible(m_id, Lines::Escape)),
            .resume = fmt::format(
                "The batch is still running; wait again with: {}",
                with_profile(m_session, fmt::format("svc batches wait {}", shell_quote(m_id))))};
  }

  Result<batch::BatchState> look() {
    SVC_TRY(reply, m_client.call(m_request));
    SVC_TRY(state, batch::read_batch_state(reply.body));
    state.served_at = batch::served_at(reply.head);
    m_body = std::move(reply.body);
    m_progress.update(state.done(), state.requests, state.failed, state.canceled,
                      state.cost_ticks.value_or(0));
    m_cost = state.cost_ticks;
    return state;
  }

  /// Exit code 9 unless every request succeeded, with a count per reason, read from the results.
  Result<void> verdict(batch::Service& service, const batch::BatchState& state) {
    const std::int64_t unsuccessful = state.requests - state.succeeded;
    const bool gone = batch::has_expired(state);
    const bool reads = !gone && (unsuccessful > 0 || state.requests <= k_max_read);
    const auto reasons_read = reads ? read_results(service, state) : Result<Reasons>(Reasons());
    Usage usage = m_usage;
    usage.cost_ticks = state.cost_ticks;
    record_batch(m_session, m_id, "", usage);
    m_session.notices().note(counts_text(state.succeeded, state.failed, state.canceled,
                                         std::max<std::int64_t>(state.pending, 0),
                                         state.cost_ticks.value_or(0)));
    if (batch::has_expired(state) && !state.was_canceled) {
      return Error{Fault::RemoteJob, "the batch has expired; its results are gone"};
    }
    if (unsuccessful == 0) return {};
    if (!reasons_read) return reasons_read.error();
    Reasons reasons = *reasons_read;
    if (!state.cancel_message.empty()) {
      reasons.emplace_back("canceled by the service: " + state.cancel_message, state.canceled);
    } else if (state.canceled > 0) {
      reasons.emplace_back("canceled", state.canceled);
    }
    return batch_failures(m_session, unsuccessful, state.requests, reasons,
                          fmt::format("`svc batches results {}` shows the result of each request.",
                                      shell_quote(m_id)));
  }

  /// Counts the reasons for failures and the tokens of the results read.
  Result<Reasons> read_results(batch::Service& service, const batch::BatchState& state) {
    std::map<std::string, std::int64_t> counts;
    std::int64_t found = 0;
    std::string token;
    while (true) {
      SVC_TRY(page, service.results(m_id, token));
      for (const sv json : page.items) {
        m_usage.add(batch::result_usage(json));
        const batch::ResultItem item = batch::read_result_item(json);
        if (item.outcome != batch::Outcome::Failed || item.counts_as_success) continue;
        ++found;
        ++counts[batch::reason_class(item.reason)];
      }
      const bool enough = found >= state.failed && state.requests > k_max_read;
      if (enough || page.next.empty() || page.next == token) break;
      token = page.next;
    }
    Reasons reasons(counts.begin(), counts.end());
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return reasons;
  }

  Session& m_session;
  ApiClient& m_client;
  request::Request m_request;
  std::string m_id;
  std::string m_body{};
  BatchProgress m_progress;
  std::optional<std::int64_t> m_cost{};  ///< last known
  Usage m_usage{};                       ///< of the results read
};

Result<request::Plan> plan_batch_wait(Session& session, request::Request request) {
  const BatchWaitFlags flags(session.inputs());
  request::Plan plan;
  plan.steps.push_back({.request = std::move(request), .repeats = "until the batch is done"});
  if (!session.globals().shows_only()) return plan;
  SVC_TRY(base, base_to_show(session, Host::Inference));
  const batch::ServiceRequests requests(std::move(base), plan.steps.front().request.headers);
  plan.steps.push_back(
      {.request = requests.page("results", flags.text<"batch-id">(), {}, batch::k_result_page),
       .condition = fmt::format("if a request failed, or if the batch has at most {} requests",
                                k_max_read)});
  return plan;
}

/// A batch is finished when no request is pending, and failed unless all of its requests succeeded.
JobStatus look_at_batch(const CallReply& reply) {
  JobStatus look;
  auto state = batch::read_batch_state(reply.body);
  if (!state) return {.state = JobState::Failed, .failure = std::move(state).error()};
  state->served_at = batch::served_at(reply.head);
  if (!batch::is_finished(*state)) return look;
  look.state = JobState::Done;
  if (state->succeeded == state->requests) return look;
  look.state = JobState::Failed;
  look.failure =
      Error{Fault::RemoteJob, fmt::format("{} of {} requests did not succeed",
                                          state->requests - state->succeeded, state->requests)};
  return look;
}

JobKind batch_jobs(Session& session) {
  return {.look = look_at_batch,
          .done = [&session](const std::string& id, const std::string& body) {
            const auto state = batch::read_batch_state(body);
            if (!state) return id;
            record_batch(session, id, "", {.cost_ticks = state->cost_ticks});
            return fmt::format("{}\t{} of {} succeeded", id, state->succeeded, state->requests);
          }};
}

}  // namespace

template <>
Result<void> run<Handler::BatchesWait>(Session& session) {
  const Operation& operation = *session.invocation().operation;
  auto ids = several_jobs(session, operation);
  if (!ids.empty()) return wait_for_each(session, operation, std::move(ids), batch_jobs(session));
  SVC_TRY(request, prepare(session, operation, session.invocation().inputs));
  SVC_TRY(plan, plan_batch_wait(session, std::move(request)));
  SVC_TRY(approved, approve(session, plan));
  if (!approved) return {};
  request = std::move(plan.steps.front().request);
  SVC_TRY(client, open_client(session, request));
  SVC_TRY(base, session.base_url(operation.host));
  const auto service = batch::make_service(*client, base, request.headers);
  return BatchWait(session, *client, std::move(request)).run(*service);
}

}  // namespace svc::cli
