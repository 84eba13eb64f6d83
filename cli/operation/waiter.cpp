#include "operation/waiter.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "catalogue/shared_fields.h"
#include "client/api_client.h"
#include "client/job.h"
#include "operation/deferred_jobs.h"
#include "operation/runner.h"
#include "operation/save_media.h"
#include "session/secret_value.h"

namespace svc::cli {

namespace {

using WaitFlags = Flags<catalogue::k_wait_fields>;
using std::chrono::milliseconds;

class Wait {
 public:
  Wait(Session& session, ApiClient& client, const Operation& operation, std::string id)
      : m_session(session), m_client(client), m_operation(operation), m_id(std::move(id)) {}

  Result<void> run() {
    SVC_TRY(request,
            prepare_other(m_session, m_operation, {{m_operation.fields.front().flag, m_id}}));
    const bool counts = m_operation.poll->judge == Judge::Status;
    m_session.progress().start(fmt::format("Waiting for {}", m_id),
                               counts ? print::ProgressUnit::Percent : print::ProgressUnit::Time);
    std::optional<CallReply> reply;
    JobStatus look;
    Result<void> over = wait_until(m_session, waiting(), [&]() -> Result<bool> {
      SVC_TRY(polled, poll(request));
      look = read_job_status(m_operation.poll->judge, polled.head.status, polled.body,
                             m_session.secrets());
      reply = std::move(polled);
      if (look.percent) m_session.progress().update(*look.percent);
      return look.state != JobState::Pending || !waits(m_session, m_operation);
    });
    if (!over) return explain(std::move(over).error());
    if (look.state == JobState::Pending) return job_not_ready(m_session, m_operation, m_id);
    return look.failure ? print_failure(*reply, *look.failure) : print_result(*reply);
  }

 private:
  /// An answer that can be read only once is read byte by byte, so that whatever arrives is saved,
  /// even if malformed.
  Result<CallReply> poll(const request::Request& request) {
    if (!m_operation.once) return m_client.call(request);
    std::string body;
    const auto head = m_client.fetch(request, [&](sv bytes) {
      body += bytes;
      return Result<void>();
    });
    if (head) return CallReply{*head, std::move(body)};
    if (!body.empty()) {
      const SecretCopy saved(m_session, "deferred", m_id + ".json", body);
      m_lost = true;
    }
    return head.error();
  }

  [[nodiscard]] std::string resume() const { return resume_command(m_session, m_operation, m_id); }

  [[nodiscard]] Waiting waiting() const {
    return {.timed_out = fmt::format("{} was not ready", visible(m_id, Lines::Escape)),
            .resume = fmt::format("The job continues; resume with: {}", resume()),
            .times = times_of(*m_operation.poll)};
  }

  /// Except in text format, the service's report on a failed job is the result.
  Result<void> print_failure(const CallReply& reply, const Error& failure) {
    if (m_session.format() != Format::Text) {
      SVC_CHECK(m_session.write_document(scrub(reply.body, m_session.secrets())));
      SVC_CHECK(m_session.out().flush());
    }
    return failure;
  }

  Result<void> print_result(const CallReply& reply) {
    if (!m_operation.once) {
      Result<void> printed = print_answer(m_session, m_operation, reply.body, m_id);
      if (!printed && saves_media(m_operation) && printed.error().fault != Fault::RemoteJob &&
          printed.error().hint.empty()) {
        printed.error().hint = fmt::format("The job is done; get its result with: {}", resume());
      }
      return printed;
    }
    SecretCopy secret_copy(m_session, "deferred", m_id + ".json", reply.body);
    if (auto fault = not_json(reply.head, reply.body, m_session.secrets()))
      return *std::move(fault);
    Result<void> printed = print_answer(m_session, m_operation, reply.body, m_id);
    const bool shown = printed || printed.error().fault == Fault::RemoteJob;
    // With --output, the file is in place only after it is closed: keep the copy until then.
    if (shown) {
      SVC_CHECK(m_session.close(true));
      secret_copy.release();
      forget_deferred(m_id);
    }
    return printed;
  }

  [[nodiscard]] Error explain(Error error) const {
    if (m_lost) {
      error.hint = "This answer can be fetched only once.";
    } else if (error.fault == Fault::NotFound && m_operation.once) {
      forget_deferred(m_id);
      error.hint = "An answer can be fetched only once, within 24 hours.";
    }
    return error;
  }

  Session& m_session;
  ApiClient& m_client;
  const Operation& m_operation;
  std::string m_id;
  bool m_lost = false;  ///< the answer was truncated, and cannot be fetched again
};

}  // namespace

PollTimes poll_times(const Session& session, const PollTimes& usual) {
  const WaitFlags flags(session.inputs());
  return usual.with(flags.get<"poll-interval">(), flags.get<"wait-timeout">());
}

Result<void> wait_until(Session& session, const Waiting& waiting,
                        const std::function<Result<bool>()>& is_over) {
  Result<void> over =
      poll_until(poll_times(session, waiting.times), waiting.timed_out, is_over,
                 [&](milliseconds time) { return pause_with_progress(session, time); });
  session.progress().finish();
  if (over) return {};
  Error& error = over.error();
  if (is_cancellation(error.fault) || error.fault == Fault::Network ||
      error.fault == Fault::Timeout) {
    error.hint = waiting.resume;
  }
  return over;
}

Result<void> pause_with_progress(Session& session, milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    SVC_CHECK(interruptible_sleep(std::min(milliseconds(100), left), session.cancel_token()));
    session.progress().tick();
  }
  return {};
}

Result<void> call_until(Session& session, sv label, const Waiting& waiting,
                        const std::function<Result<bool>(const std::string& answer)>& is_over) {
  const Invocation& invocation = session.invocation();
  SVC_TRY(request, prepare(session, *invocation.operation, invocation.inputs));
  SVC_TRY(approved, approve(session, request, "until it is over"));
  if (!approved) return {};
  SVC_TRY(client, open_client(session, request));
  session.progress().start(std::string(label));
  std::string body;
  Result<void> failure;
  SVC_CHECK(wait_until(session, waiting, [&]() -> Result<bool> {
    SVC_TRY(reply, client->call(request));
    body = std::move(reply.body);
    const Result<bool> over = is_over(body);
    if (!over) failure = over.error();
    return !over || *over;
  }));
  if (failure || failure.error().fault == Fault::RemoteJob) {
    SVC_CHECK(print_answer(session, *invocation.operation, body));
  }
  return failure;
}

bool waits(const Session& session, const Operation& operation) {
  const auto said = WaitFlags(session.inputs()).get<"wait">();
  return said.value_or(operation.poll->by_default);
}

std::string resume_command(const Session& session, const Operation& job, const std::string& id) {
  const Globals& globals = session.globals();
  std::string command = fmt::format("svc {} {}", command_name(job), shell_quote(id));
  if (!job.poll->by_default) command += " --wait";
  if (globals.output) command += fmt::format(" -o {}", shell_quote(*globals.output));
  if (globals.force) command += " --force";
  return with_profile(session, std::move(command));
}

Error job_not_ready(const Session& session, const Operation& job, const std::string& id) {
  return Error{Fault::Timeout, fmt::format("{} is not ready yet", visible(id, Lines::Escape)),
               fmt::format("Wait for it with: {}", resume_command(session, job, id))};
}

std::string with_profile(const Session& session, std::string command) {
  const auto& settings = session.globals().settings;
  const auto profile = settings.find(std::string(k_global_flag<"profile">));
  if (profile == settings.end()) return command;
  return fmt::format("{} -p {}", command, shell_quote(profile->second));
}

Result<void> run_wait(Session& session, ApiClient& client, const Operation& operation,
                      const std::string& id) {
  return Wait(session, client, operation, id).run();
}

}  // namespace svc::cli
