#include "commands/waiter.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "client/call.h"
#include "run.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

}  // namespace

Waiter::Waiter(Session& session, const std::string& label, std::string resume, milliseconds first,
               milliseconds most)
    : m_session(session),
      m_resume(std::move(resume)),
      m_pause(duration_flag(session, "poll-interval").value_or(first)),
      m_most(std::max(m_pause, duration_flag(session, "poll-interval").value_or(most))),
      m_limit(duration_flag(session, "wait-timeout")) {
  m_session.progress().start(label);
}

Result<void> Waiter::pause() {
  const auto now = Clock::now();
  const auto waited = std::chrono::duration_cast<milliseconds>(now - m_begin);
  if (m_limit && waited >= *m_limit) {
    return explain(Error{Fault::Timeout,
                         fmt::format("it was not ready within {}", format_duration(*m_limit))});
  }
  const milliseconds length = m_limit ? std::min(m_pause, *m_limit - waited) : m_pause;
  for (const auto until = now + length; Clock::now() < until;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    const auto slept = sleep_unless_stopped(std::min(left, milliseconds(100)), m_session.stop());
    if (!slept) return explain(slept.error());
    m_session.progress().tick();
  }
  m_pause = std::min(m_pause * 3 / 2, m_most);
  return {};
}

Error Waiter::explain(Error error) const {
  m_session.progress().finish();
  if (error.fault == Fault::Interrupted || error.fault == Fault::Terminated ||
      error.fault == Fault::Network || error.fault == Fault::Timeout) {
    error.hint = fmt::format("The service goes on with it; wait again with: {}", m_resume);
  }
  return error;
}

}  // namespace svc::cli
