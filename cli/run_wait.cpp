// Waiting for a remote job (design §6): Ctrl-C ends the waiting, never the job.
#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "client/job.h"
#include "run.h"
#include "save_media.h"

namespace svc::cli {
namespace {

using std::chrono::milliseconds;

/// An answer that can be read one time only, on disk until it is safely written out.
class Keepsake {
 public:
  Keepsake(Session& session, const std::string& id, std::string_view body) : m_session(session) {
    const auto folder = state_folder();
    if (folder.empty() || !make_private_folder(folder / "deferred")) return;
    const std::string path =
        (folder / "deferred" / safe_file_name(id + ".json", "answer.json")).string();
    if (write_file(path, body, Replace::Yes, 0600)) m_path = path;
  }

  /// The answer reached the user.
  void release() {
    if (!m_path.empty()) std::filesystem::remove(m_path, m_ignored);
    m_path.clear();
  }

  Keepsake(const Keepsake&) = delete;
  Keepsake& operator=(const Keepsake&) = delete;
  ~Keepsake() {
    if (m_path.empty()) return;
    m_session.notices().note(
        fmt::format("the service gives this answer only once; it is kept in {}", m_path));
  }

 private:
  Session& m_session;
  std::string m_path{};
  std::error_code m_ignored{};
};

class Wait {
 public:
  Wait(Session& session, Caller& caller, const Operation& operation, std::string id)
      : m_session(session), m_caller(caller), m_operation(operation), m_id(std::move(id)) {}

  Result<void> run() {
    const auto interval = duration_flag(m_session, "poll-interval");
    const auto limit = limit_of_waiting();
    SVC_TRY(request, prepare_poll());
    const auto begin = std::chrono::steady_clock::now();
    milliseconds pause = interval.value_or(std::chrono::seconds(m_operation.poll->first_seconds));
    const bool counts = m_operation.poll->judge == Judge::Status;
    m_session.progress().start(fmt::format("Waiting for {}", m_id),
                               counts ? print::Unit::Percent : print::Unit::Time);
    while (true) {
      Result<CallReply> reply = poll(request);
      if (!reply) return explain(std::move(reply).error());
      const JobLook look = look_at_job(m_operation.poll->judge, reply->head.status, reply->body,
                                       m_session.secrets());
      if (look.state != JobState::Pending) {
        m_session.progress().finish();
        return look.failure ? print_failure(*reply, *look.failure) : print_result(*reply);
      }
      if (look.percent) m_session.progress().update(*look.percent);
      if (!waits(m_session, m_operation)) return not_ready();
      const auto waited =
          std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
      if (limit && waited >= *limit) return timed_out(*limit);
      const milliseconds next = limit ? std::min(pause, *limit - waited) : pause;
      if (const auto slept = sleep(next); !slept) return explain(slept.error());
      if (!interval) {
        pause = std::min<milliseconds>(pause * 3 / 2,
                                       std::chrono::seconds(m_operation.poll->most_seconds));
      }
    }
  }

 private:
  /// An answer that can be read once is taken byte by byte, so that whatever arrives is kept, well
  /// formed or not.
  Result<CallReply> poll(const request::Request& request) {
    if (!m_operation.once) return m_caller.call(request);
    std::string body;
    const auto head = m_caller.fetch(request, [&](sv bytes) {
      body += bytes;
      return Result<void>();
    });
    if (head) return CallReply{*head, std::move(body)};
    if (!body.empty()) {
      const Keepsake kept(m_session, m_id, body);
      m_lost = true;
    }
    return head.error();
  }

  Result<request::Request> prepare_poll() {
    request::Inputs inputs;
    inputs.headers = m_session.invocation().inputs.headers;
    inputs.given.push_back({&m_operation.fields.front(), m_id});
    return prepare(m_session, m_operation, inputs);
  }

  [[nodiscard]] std::string resume() const { return resume_command(m_session, m_operation, m_id); }

  [[nodiscard]] std::optional<milliseconds> limit_of_waiting() const {
    const auto given = duration_flag(m_session, "wait-timeout");
    const std::uint32_t usual = m_operation.poll->limit_seconds;
    if (given || usual == 0) return given;
    return std::chrono::seconds(usual);
  }

  Result<void> sleep(milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      SVC_CHECK(sleep_unless_stopped(
          std::min(milliseconds(100),
                   std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now())),
          m_session.stop()));
      m_session.progress().tick();
    }
    return {};
  }

  /// What the service says of a job that ended badly is the result in every form but text.
  Result<void> print_failure(const CallReply& reply, const Error& failure) {
    if (m_session.format() != Format::Text) {
      SVC_CHECK(m_session.write_document(reply.body));
      SVC_CHECK(m_session.out().flush());
    }
    return failure;
  }

  Result<void> print_result(const CallReply& reply) {
    if (!m_operation.once) {
      Result<void> printed = print_answer(m_session, m_operation, reply.body);
      if (!printed && saves_media(m_operation) && printed.error().fault != Fault::RemoteJob &&
          printed.error().hint.empty()) {
        printed.error().hint = fmt::format("The job is done; get its result with: {}", resume());
      }
      return printed;
    }
    Keepsake keepsake(m_session, m_id, reply.body);
    if (auto fault = not_json(reply.head, reply.body, m_session.secrets()))
      return *std::move(fault);
    Result<void> printed = print_answer(m_session, m_operation, reply.body);
    const bool shown = printed || printed.error().fault == Fault::RemoteJob;
    // A file given by --output is in place only once it is closed: until then the copy stays.
    if (shown) {
      SVC_CHECK(m_session.close(true));
      keepsake.release();
    }
    return printed;
  }

  Error explain(Error error) {
    m_session.progress().finish();
    if (m_lost) {
      error.hint = "The service gives this answer only once.";
      return error;
    }
    if (error.fault == Fault::Interrupted || error.fault == Fault::Terminated ||
        error.fault == Fault::Network || error.fault == Fault::Timeout) {
      error.hint = fmt::format("The job goes on; resume with: {}", resume());
    }
    if (error.fault == Fault::NotFound && m_operation.once) {
      error.hint = "An answer can be fetched once, within 24 hours.";
    }
    return error;
  }

  Error not_ready() {
    m_session.progress().finish();
    return Error{Fault::Timeout, fmt::format("{} is not ready yet", visible(m_id, Lines::Escape)),
                 fmt::format("Wait for it with: {}", resume())};
  }

  Error timed_out(milliseconds limit) {
    m_session.progress().finish();
    return Error{Fault::Timeout,
                 fmt::format("{} was not ready within {}", visible(m_id, Lines::Escape),
                             format_duration(limit)),
                 fmt::format("The job goes on; resume with: {}", resume())};
  }

  Session& m_session;
  Caller& m_caller;
  const Operation& m_operation;
  std::string m_id;
  bool m_lost = false;  ///< the answer came and was cut: asking again gives nothing
};

}  // namespace

bool waits(const Session& session, const Operation& operation) {
  const auto said = session.invocation().value("wait");
  return said ? *said == "true" : operation.poll->by_default;
}

std::string resume_command(const Session& session, const Operation& job, const std::string& id) {
  const Globals& globals = session.globals();
  std::string command = fmt::format("svc {} {}", command_name(job), shell_quote(id));
  if (!job.poll->by_default) command += " --wait";
  if (globals.output) command += fmt::format(" -o {}", shell_quote(*globals.output));
  if (globals.force) command += " --force";
  const auto profile = globals.settings.find("profile");
  if (profile != globals.settings.end()) {
    command += fmt::format(" -p {}", shell_quote(profile->second));
  }
  return command;
}

Result<void> run_wait(Session& session, Caller& caller, const Operation& operation,
                      const std::string& id) {
  return Wait(session, caller, operation, id).run();
}

std::optional<milliseconds> duration_flag(const Session& session, sv flag) {
  const auto text = session.invocation().value(flag);
  return text ? parse_duration(*text) : std::nullopt;
}

}  // namespace svc::cli
