#include "operation/waiter.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "client/api_client.h"
#include "operation/runner.h"

namespace svc::cli {

using std::chrono::milliseconds;

Waiter::Waiter(Session& session, Waiting waiting)
    : m_session(session), m_waiting(std::move(waiting)) {
  const auto interval = duration_flag(session, "poll-interval");
  m_grows = !interval;
  m_pause = interval.value_or(m_waiting.first);
  m_limit = duration_flag(session, "wait-timeout");
  if (!m_limit) m_limit = m_waiting.usual_limit;
}

Result<void> Waiter::pause() {
  const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - m_begin);
  if (m_limit && waited >= *m_limit) {
    return explain(Error{Fault::Timeout, fmt::format("{} within {}", m_waiting.not_ready,
                                                     format_duration(*m_limit))});
  }
  const auto slept =
      pause_with_progress(m_session, m_limit ? std::min(m_pause, *m_limit - waited) : m_pause);
  if (!slept) return explain(slept.error());
  if (m_grows) m_pause = std::min(m_pause * 3 / 2, m_waiting.most);
  return {};
}

Error Waiter::explain(Error error) const {
  m_session.progress().finish();
  if (is_cancellation(error.fault) || error.fault == Fault::Network ||
      error.fault == Fault::Timeout) {
    error.hint = m_waiting.resume;
  }
  return error;
}

Result<void> pause_with_progress(Session& session, milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    SVC_CHECK(sleep_unless_stopped(std::min(milliseconds(100), left), session.cancel_token()));
    session.progress().tick();
  }
  return {};
}

Result<void> call_until(Session& session, sv label, Waiting waiting,
                        const std::function<Result<bool>(const std::string& answer)>& is_over) {
  const Invocation& invocation = session.invocation();
  SVC_TRY(request, prepare(session, *invocation.operation, invocation.inputs));
  if (session.globals().shows_only()) return show(session, request);
  SVC_TRY(client, open_client(session, request));
  session.progress().start(std::string(label));
  Waiter waiter(session, std::move(waiting));
  while (true) {
    const auto reply = client->call(request);
    if (!reply) return waiter.explain(reply.error());
    const Result<bool> over = is_over(reply->body);
    if (over && !*over) {
      SVC_CHECK(waiter.pause());
      continue;
    }
    session.progress().finish();
    if (over || over.error().fault == Fault::RemoteJob) {
      SVC_CHECK(print_answer(session, *invocation.operation, reply->body));
    }
    return over ? Result<void>() : over.error();
  }
}

}  // namespace svc::cli
