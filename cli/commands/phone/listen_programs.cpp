
#include "commands/phone/listen_programs.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/platform.h"
#include "base/text.h"
#include "catalogue/phone_fields.h"
#include "json/document.h"
#include "operation/runner.h"

namespace svc::cli {
namespace {

using ListenFlags = Flags<catalogue::phone::k_listen_fields>;

constexpr sv k_incoming = "realtime.call.incoming";
constexpr std::size_t k_max_programs = 1'000;  ///< running and queued
constexpr std::size_t k_max_line = 4U << 20U;

/// Formats a flag of this invocation as an argument for another one.
std::string argument_of(const request::Given& given) {
  if (given.field->kind != Kind::Boolean) {
    return fmt::format("--{}={}", given.field->flag, given.text);
  }
  return fmt::format("--{}{}", given.text == "true" ? "" : "no-", given.field->flag);
}

/// The call ID of an event; "" if it has none.
std::string call_of(const nlohmann::json& event) {
  return text_member(member(event, "data"), "call_id");
}

std::string shown_call(const std::string& call) {
  return shown(call);
}

/// Whether a flag configures how calls are answered.
bool is_about_answering(const request::Given& given) {
  const sv flag = given.field->flag;
  return given.field->in == In::Body || flag == ListenFlags::k_name<"greeting"> ||
         flag == ListenFlags::k_name<"greet"> || flag == ListenFlags::k_name<"session-limit">;
}

}  // namespace

void LineCutter::operator()(sv bytes) {
  m_rest += bytes;
  for (std::size_t end = m_rest.find('\n'); end != std::string::npos; end = m_rest.find('\n')) {
    m_line(m_rest.substr(0, end));
    m_rest.erase(0, end + 1);
  }
  if (m_rest.size() > k_max_line) finish();
}

void LineCutter::finish() {
  if (!m_rest.empty()) m_line(std::exchange(m_rest, {}));
}

std::uint64_t listen_number(std::optional<std::int64_t> given, std::uint64_t usual) {
  return given && *given > 0 ? static_cast<std::uint64_t>(*given) : usual;
}

Result<void> check_answering(Session& session) {
  if (ListenFlags(session.inputs()).is_true<"answer">()) {
    if (session.settings().wants_emulator()) return {};
    SVC_TRY(url, session.base_url(Host::Realtime));
    SVC_TRY(key, session.key(Host::Realtime));
    (void)url;
    (void)key;
    return {};
  }
  for (const request::Given& given : session.invocation().inputs.given) {
    if (!is_about_answering(given)) continue;
    return usage_error(fmt::format("--{} requires --answer", given.field->flag),
                       "It applies to answered calls.");
  }
  return {};
}

ListenPrograms::ListenPrograms(Session& session, ListenQueue& queue)
    : m_session(session), m_queue(queue) {
  const std::uint64_t jobs = listen_number(ListenFlags(session.inputs()).get<"exec-jobs">(), 10);
  for (std::uint64_t i = 0; i < jobs; ++i) m_threads.emplace_back([this] { work(); });
}

ListenPrograms::~ListenPrograms() {
  {
    const std::lock_guard lock(m_mutex);
    m_over = true;
    m_waiting.clear();
  }
  m_cancel.cancel();
  m_changed.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

std::size_t ListenPrograms::count() const {
  const std::lock_guard lock(m_mutex);
  return m_waiting.size() + m_running;
}

void ListenPrograms::work() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [this] { return m_over || !m_waiting.empty(); });
      if (m_over) return;
      job = std::move(m_waiting.front());
      m_waiting.pop_front();
      ++m_running;
    }
    run(job);
    {
      const std::lock_guard lock(m_mutex);
      --m_running;
    }
    m_wake.signal();
  }
}

/// Runs on one of the threads.
void ListenPrograms::run(const Job& job) {
  const Result<ProgramExit> end = run_program(job.run, m_cancel);
  if (!end && end.error().fault == Fault::Interrupted) return;
  const std::string how = end ? describe(*end, job.run.limit) : end.error().message;
  m_queue.put_when_room({ListenEvent::Kind::Note, fmt::format("{}: {}", job.name, how)});
}

void ListenPrograms::start(const std::string& body) {
  const ListenFlags flags(m_session.inputs());
  const nlohmann::json event = parse_reply(body);
  const std::string type = event.is_object() ? text_member(event, "type") : std::string();
  const std::string call = call_of(event);
  Job job;
  if (const auto program = flags.get<"exec">()) {
    job.name = fmt::format("{}{}{}", visible(*program, Lines::Escape),
                           call.empty() ? "" : ", call ", shown_call(call));
    job.run = own_program(*program, body);
    job.run.variables = {{"SVC_EVENT_TYPE", type}};
    if (!call.empty()) job.run.variables.emplace_back("SVC_CALL_ID", call);
  } else if (flags.is_true<"answer">() && type == k_incoming && !call.empty()) {
    job.name = fmt::format("call {}", shown_call(call));
    job.run = answering(call);
  } else {
    return;
  }
  // A NUL would truncate the value that the program receives.
  if (has_nul(call) || has_nul(type)) return;
  if (count() >= k_max_programs) {
    m_session.notices().warning(
        fmt::format("{}: not started; {} already queued", job.name, k_max_programs));
    return;
  }
  {
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(job));
  }
  m_changed.notify_one();
}

ProgramOptions ListenPrograms::own_program(const std::string& program,
                                           const std::string& event) const {
  return {
      .arguments = {program},
      .input = event,
      .passed_variables = ListenFlags(m_session.inputs()).get<"tool-env">(),
      .limit =
          ListenFlags(m_session.inputs()).get<"exec-timeout">().value_or(std::chrono::minutes(10)),
      .output = ProgramOutput::Error};
}

/// Runs svc again for one call, so that a failure affects no other call. As text, both sides go to
/// standard output, prefixed with the call's ID.
ProgramOptions ListenPrograms::answering(const std::string& call) {
  const bool read = m_session.format() == Format::Text;
  ProgramOptions run{.arguments = {running_program(), "phone", "answer", "--call-id=" + call},
                     .inherit = Inherit::Everything,
                     .output = read ? ProgramOutput::All : ProgramOutput::Captured};
  for (const request::Given& given : m_session.invocation().inputs.given) {
    if (is_about_answering(given)) run.arguments.push_back(argument_of(given));
  }
  for (const auto& [name, value] : m_session.globals().settings) {
    if (name != k_global_flag<"format">)
      run.arguments.push_back(fmt::format("--{}={}", name, value));
  }
  if (m_session.globals().quiet && !read) run.arguments.emplace_back("--quiet");
  if (m_session.globals().verbose) run.arguments.emplace_back("--verbose");
  run.arguments.emplace_back(read ? "--format=text" : "--format=jsonl");
  run.take = LineCutter([this, read, call](std::string line) {
    if (read) line = fmt::format("{}  {}", shown_call(call), line);
    m_queue.put_when_room({read ? ListenEvent::Kind::Said : ListenEvent::Kind::Line, line});
  });
  return run;
}

}  // namespace svc::cli
