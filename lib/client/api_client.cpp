#include "client/api_client.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/url.h"
#include "base/wait.h"
#include "catalogue/catalogue.h"
#include "client/api_error.h"
#include "client/call_attempt.h"
#include "client/credentials.h"
#include "http/sse.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc {

using call_attempt::is_success;
using call_attempt::media_type;

std::optional<Error> not_json(const http::HttpHead& head, std::string_view body,
                              std::span<const std::string> secrets, std::string_view list,
                              JsonOutline* outline) {
  if (head.status == 202) return std::nullopt;
  if (trim(body).empty()) {
    return Error{Fault::Network,
                 fmt::format("expected JSON, got an empty response (HTTP {})", head.status),
                 "Check the URL with `svc doctor`."};
  }
  const std::string type = media_type(head);
  if (!type.empty() && type.find("json") == std::string::npos) {
    return Error{
        Fault::Network,
        fmt::format("expected application/json, got {}: {}",
                    visible(scrub(type, secrets), Lines::Escape), body_excerpt(body, secrets)),
        "Something between here and the service may have responded; check the URL with "
        "`svc doctor`."};
  }
  JsonOutline unused;
  if (const auto fault = outline_json(body, list, outline != nullptr ? *outline : unused)) {
    return Error{Fault::Network, fmt::format("response is not JSON: {}", describe(*fault)),
                 "It may have been cut short; try again."};
  }
  return std::nullopt;
}

namespace {

/// What is taken from a document is written into others, which must be UTF-8.
void repair_utf8(std::string& body) {
  if (first_invalid_utf8(body)) body = replace_invalid_utf8(body);
}

/// The error if a document fetched by its ID has another one: it answers another request. The ID of
/// a job's result is not that of the job.
std::optional<Error> wrong_document(const request::Request& request, std::string_view body,
                                    std::span<const std::string> secrets) {
  const std::string_view path = request.operation->path;
  const std::size_t at = path.rfind("/{");
  if (request.method != "GET" || at == std::string_view::npos || !path.ends_with('}')) return {};
  const std::string_view name = path.substr(at + 2, path.size() - at - 3);
  if (name.starts_with("team")) return std::nullopt;
  const bool job = name == "request_id";
  const std::string answered =
      json_string(json_member(body, fmt::format("{}{}", name, job ? "" : "|id")));
  const std::string_view url = sv(request.url).substr(0, request.url.find('?'));
  const std::string asked = percent_decode(url.substr(url.rfind('/') + 1));
  if (answered.empty() || equals_ignore_case(answered, asked)) return std::nullopt;
  return Error{Fault::Network,
               fmt::format("expected the response for {}, got the one for {}", shown(asked),
                           shown(scrub(answered, secrets))),
               "Something between here and the service may have mixed up responses; try again."};
}

}  // namespace

bool may_cost(const Operation& operation) {
  const bool hosted = operation.host == Host::Inference || operation.host == Host::Realtime;
  const bool submits = operation.method == "POST" || operation.reply == Reply::Socket;
  return hosted && submits && !operation.free;
}

ApiClient::ApiClient(http::Transport& transport, http::RetryQuota& quota, const CancelToken& cancel,
                     CallPolicy policy, Trace trace, Tick tick)
    : m_transport(transport),
      m_quota(quota),
      m_cancel(cancel),
      m_policy(std::move(policy)),
      m_trace(std::move(trace)),
      m_tick(std::move(tick)) {}

http::HttpRequest ApiClient::to_http(const request::Request& request) const {
  http::HttpRequest out;
  out.method = request.method;
  out.url = request.url;
  out.headers = request::sent_headers(request);
  out.bearer = m_policy.key;
  out.body = request.body;
  out.timeouts = m_policy.timeouts;
  // Streamed data has no size limit; the receiver limits collected data.
  out.max_body_bytes = 0;
  return out;
}

Error ApiClient::failure_of(Repeat repeat, const http::Outcome& outcome,
                            const Attempt& attempt) const {
  // The status of an error response is valid even if its body is incomplete.
  const bool refused = outcome.answered && outcome.head.status >= 400 && !outcome.permanent &&
                       outcome.error && outcome.error->fault == Fault::Network;
  if (!outcome.error || refused) {
    return api_error(outcome.head, attempt.body, m_policy.secrets);
  }
  Error error = *outcome.error;
  error.message = scrub(std::move(error.message), m_policy.secrets);
  // A redirect means that the request was not executed.
  const bool redirected = outcome.answered && outcome.head.status / 100 == 3;
  error.may_have_run = outcome.sent && !redirected;
  if (!outcome.sent || outcome.answered || outcome.permanent || attempt.output_started ||
      repeat == Repeat::Always || error.fault != Fault::Network) {
    return error;
  }
  error.fault = Fault::UnknownOutcome;
  error.message = fmt::format("request sent, but the response was lost: {}", error.message);
  error.hint = "It may have been executed and billed; it was not retried.";
  return error;
}

http::Outcome ApiClient::exchange(const http::HttpRequest& wire, Attempt& attempt) {
  if (!m_tick) return m_transport.perform(wire, attempt, m_cancel);
  std::optional<http::Outcome> outcome;
  m_transport.start(wire, attempt, [&](http::Outcome ended) { outcome = std::move(ended); });
  while (!outcome) {
    m_transport.run(m_cancel, std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
    m_tick();
  }
  return *std::move(outcome);
}

ApiClient::Verdict ApiClient::evaluate(Repeat repeat, const http::Outcome& outcome,
                                       Attempt& attempt, int& made) {
  if (!outcome.error && is_success(outcome.head.status)) {
    m_quota.replenish();
    return {.ended = outcome.head};
  }
  Error failure = failure_of(repeat, outcome, attempt);
  if (attempt.transfer != nullptr) {
    const bool refused = outcome.answered && !is_success(outcome.head.status);
    const RetryAction verdict = attempt.transfer->on_interrupted(refused ? &outcome.head : nullptr);
    attempt.output_started = verdict == RetryAction::No;
    if (verdict == RetryAction::RetryAndReset) made = 0;
    if (verdict == RetryAction::Restart) return {};
  }
  http::FailedAttempt facts{.retries_made = made,
                            .may_repeat_refused = repeat != Repeat::Never,
                            .may_repeat_lost = repeat == Repeat::Always,
                            .sent = outcome.sent,
                            .answered = outcome.answered,
                            .permanent = outcome.permanent,
                            .status = outcome.head.status,
                            .headers = outcome.head.headers,
                            .output_started = attempt.output_started,
                            .credits_used_up = failure.cause == Cause::CreditsUsedUp};
  if (outcome.error) facts.fault = outcome.error->fault;
  // Other requests may close theirs meanwhile.
  if (failure.cause == Cause::NoDescriptors) facts.fault = Fault::Network;
  const http::RetryPolicy retry{.max_retries = m_policy.retries, .max_wait = m_policy.max_wait};
  const http::RetryDecision decision =
      http::decide(retry, facts, m_quota, http::random_jitter(), unix_now());
  if (!decision.retry) {
    if (decision.too_long) {
      const std::string time = format_duration(*decision.retry_after);
      failure.hint = fmt::format("Retry after {}, or raise --max-wait.", time);
    } else if (decision.retries_exhausted && failure.cause == Cause::Passing) {
      failure.hint.pop_back();
      failure.hint += "; --retries N allows more tries.";
    }
    if (attempt.management) hint_for_management(failure, attempt.body);
    return {.ended = std::move(failure)};
  }
  m_trace(fmt::format("retry {} of {} in {}: {}", made + 1, m_policy.retries,
                      format_duration(decision.wait), decision.reason));
  return {.wait = decision.wait};
}

/// Waits until the request may be sent.
Result<void> ApiClient::reserve(const Operation& operation, Payload& body, Attempt& attempt) {
  while (true) {
    SVC_TRY(granted, attempt.reserve(m_policy, operation, body));
    if (granted) return {};
    SVC_CHECK(interruptible_sleep(call_attempt::k_spend_wait, m_cancel));
  }
}

Result<http::HttpHead> ApiClient::run(const request::Request& request, Attempt& attempt) {
  const Repeat repeat = call_attempt::repeat_of(request);
  http::HttpRequest wire = to_http(request);
  attempt.upload_callback = &m_on_upload;
  for (int made = 0;; ++made) {
    attempt.reset();
    SVC_CHECK(reserve(*request.operation, wire.body, attempt));
    const http::Outcome outcome = exchange(wire, attempt);
    Verdict verdict = evaluate(repeat, outcome, attempt, made);
    attempt.settle(m_policy, spend_end(outcome, verdict));
    if (verdict.ended) return *std::move(verdict.ended);
    SVC_CHECK(interruptible_sleep(verdict.wait, m_cancel));
  }
}

SpendEnd ApiClient::spend_end(const http::Outcome& outcome, const Verdict& verdict) {
  if (verdict.ended && *verdict.ended) return SpendEnd::Answered;
  const bool lost =
      verdict.ended ? verdict.ended->error().may_have_run : outcome.sent && !outcome.answered;
  return lost ? SpendEnd::Unknown : SpendEnd::NotRun;
}

Result<CallReply> ApiClient::reply_of(const request::Request& request, http::HttpHead head,
                                      Attempt& attempt) const {
  CallReply reply{std::move(head), std::move(attempt.body)};
  if (request.operation->reply == Reply::Json) {
    repair_utf8(reply.body);
    if (auto fault = not_json(reply.head, reply.body, m_policy.secrets, request.operation->items,
                              &reply.outline)) {
      fault->may_have_run = true;
      return *std::move(fault);
    }
    if (auto fault = wrong_document(request, reply.body, m_policy.secrets))
      return *std::move(fault);
  }
  return reply;
}

Result<CallReply> ApiClient::call(const request::Request& request) {
  Attempt attempt(Attempt::Mode::Collect);
  attempt.configure(*request.operation);
  SVC_TRY(head, run(request, attempt));
  return reply_of(request, std::move(head), attempt);
}

Result<StreamReply> ApiClient::stream(const request::Request& request, const EventSink& sink,
                                      const std::function<Result<void>()>& on_batch,
                                      const http::SseParser::OnRun& on_run) {
  Attempt attempt(Attempt::Mode::Events);
  attempt.configure(*request.operation);
  attempt.sink = sink;
  attempt.on_batch = on_batch;
  attempt.on_run = on_run;
  SVC_TRY(head, run(request, attempt));
  if (!attempt.streamed) {
    repair_utf8(attempt.body);
    if (auto fault = not_json(head, attempt.body, m_policy.secrets)) {
      fault->may_have_run = true;
      return *std::move(fault);
    }
  }
  const std::size_t events = attempt.events();
  return StreamReply{std::move(head), attempt.streamed, std::move(attempt.body), events};
}

Result<http::HttpHead> ApiClient::fetch(const request::Request& request, const EventSink& on_bytes,
                                        const std::function<Result<void>()>& on_batch) {
  Attempt attempt(Attempt::Mode::Bytes);
  attempt.configure(*request.operation);
  attempt.sink = on_bytes;
  attempt.on_batch = on_batch;
  return run(request, attempt);
}

Result<void> interruptible_sleep(std::chrono::milliseconds time, const CancelToken& cancel) {
  SVC_CHECK(wait_readable(-1, after(time), cancel));
  return {};
}

}  // namespace svc
