#include "mcp/stdio_channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/program.h"
#include "base/sigpipe_guard.h"
#include "base/text.h"
#include "base/wait.h"
#include "json/text.h"

namespace svc::mcp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t k_max_complaints = 4U << 10U;
/// Limit for notifications and requests between two responses.
constexpr std::size_t k_max_unasked = 8U << 20U;
/// Limit for output that is not a message, in total.
constexpr std::size_t k_max_noise = 128U << 10U;
/// Limit for requests that the server has not read.
constexpr std::size_t k_max_unread = 64U << 20U;
constexpr std::size_t k_max_unread_answers = 1U << 20U;

/// As the protocol requires, a server gets this long to exit after its input is closed.
constexpr milliseconds k_exit_timeout{300};
/// How long a server may clean up after it is asked to exit. Short, so that Ctrl-C is responsive.
constexpr milliseconds k_kill_delay{300};

}  // namespace

Result<std::unique_ptr<StdioChannel>> StdioChannel::start(const ServerCommand& command,
                                                          OnNotification on_notification) {
  SVC_TRY(process, ServerProcess::start(command));
  return std::unique_ptr<StdioChannel>(
      new StdioChannel(std::move(process), std::move(on_notification)));
}

StdioChannel::StdioChannel(ServerProcess process, OnNotification on_notification)
    : m_process(std::move(process)), m_on_notification(std::move(on_notification)) {
  m_thread = std::thread([this] { work(); });
}

StdioChannel::~StdioChannel() {
  StdioChannel::request_exit();
  m_thread.join();
}

void StdioChannel::request_exit() noexcept {
  {
    const std::lock_guard lock(m_mutex);
    m_closing = true;
  }
  m_changed.signal();
}

std::string StdioChannel::stderr_output() const {
  const std::lock_guard lock(m_mutex);
  return m_stderr;
}

bool StdioChannel::is_closed() const {
  const std::lock_guard lock(m_mutex);
  return m_failure.has_value();
}

void StdioChannel::adopt_protocol(NegotiatedProtocol protocol) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(m_mutex);
    m_meta = protocol.meta;
    if (!protocol.subscribes) return;
    id = ++m_last_id;
  }
  // Its response only arrives when the subscription ends, so nothing waits for it.
  send(json_rpc_request(fmt::format("{}", id), "subscriptions/listen",
                        with_meta(std::string(k_tool_changes), {}, protocol.meta)));
}

bool StdioChannel::is_stateless() const {
  const std::lock_guard lock(m_mutex);
  return !m_meta.empty();
}

std::size_t StdioChannel::unread_bytes() const {
  const std::lock_guard lock(m_mutex);
  return m_outbox.size() - m_written;
}

void StdioChannel::send(std::string line) {
  {
    const std::lock_guard lock(m_mutex);
    m_outbox += line;
    m_outbox += '\n';
  }
  m_changed.signal();
}

Result<void> StdioChannel::notify(std::string_view method, std::string_view params) {
  {
    const std::lock_guard lock(m_mutex);
    if (m_failure) return *m_failure;
  }
  send(notification_text(method, params));
  return {};
}

Result<std::string> StdioChannel::request(std::string_view method, std::string params,
                                          const CallContext& context,
                                          const std::vector<Header>& /*headers*/) {
  if (unread_bytes() > k_max_unread) {
    return Error{Fault::Local, "the MCP server is not reading its input"};
  }
  const auto waiter = std::make_shared<Waiter>();
  std::int64_t id = 0;
  std::string meta;
  {
    const std::lock_guard lock(m_mutex);
    if (m_failure) return *m_failure;
    id = ++m_last_id;
    m_waiting[id] = waiter;
    meta = m_meta;
  }
  const std::string number = fmt::format("{}", id);
  send(json_rpc_request(number, method,
                        with_meta(params, method == "tools/call" ? number : std::string(), meta)));
  const auto until = Clock::now() + context.time;
  std::optional<Error> abandoned;
  while (true) {
    {
      const std::lock_guard lock(m_mutex);
      if (waiter->answer) return *std::move(waiter->answer);
      if (abandoned) m_waiting.erase(id);
    }
    if (abandoned) break;
    const Result<bool> ready = svc::wait_readable(waiter->done.descriptor(), until, context.cancel);
    if (!ready) {
      abandoned = ready.error();
    } else if (!*ready) {
      abandoned = Error{Fault::Timeout, fmt::format("the MCP server did not respond within {}",
                                                    format_duration(context.time))};
    }
  }
  // The handshake cannot be canceled.
  if (method != "initialize") {
    (void)notify("notifications/cancelled",
                 fmt::format(R"({{"requestId":{},"reason":{}}})", id,
                             abandoned->fault == Fault::Timeout ? "\"timeout\"" : "\"canceled\""));
  }
  return *std::move(abandoned);
}

void StdioChannel::work() {
  while (true) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_closing) break;
    }
    write_some();
    read_output();
    read_error();
    if (!m_process.output().is_open() && !m_process.error().is_open()) break;
    wait();
  }
  bool requested = false;
  {
    const std::lock_guard lock(m_mutex);
    requested = m_closing;
  }
  if (requested) m_process.request_exit();
  fail("the MCP server was stopped");
}

void StdioChannel::wait() {
  bool writes = false;
  {
    const std::lock_guard lock(m_mutex);
    writes = m_written < m_outbox.size();
  }
  std::array<pollfd, 4> waits = {pollfd{m_changed.descriptor(), POLLIN, 0},
                                 pollfd{m_process.output().get(), POLLIN, 0},
                                 pollfd{m_process.error().get(), POLLIN, 0},
                                 pollfd{writes ? m_process.input().get() : -1, POLLOUT, 0}};
  (void)svc::wait(waits, std::nullopt, NeverCanceled());
  m_changed.clear();
}

void StdioChannel::write_some() {
  const SigpipeGuard quiet;
  const std::lock_guard lock(m_mutex);
  while (m_written < m_outbox.size()) {
    if (!m_process.input().is_open()) {
      m_outbox.clear();
      m_written = 0;
      return;
    }
    const ssize_t count =
        ::write(m_process.input().get(), m_outbox.data() + m_written, m_outbox.size() - m_written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      m_process.input().reset();
      continue;
    }
    m_written += static_cast<std::size_t>(count);
  }
  m_outbox.clear();
  m_written = 0;
}

void StdioChannel::read_output() {
  std::array<char, 64U << 10U> buffer;  // left uninitialised: it is written before it is read
  // Bounded, because requests have to be sent as well.
  for (int times = 0; times < 16 && m_process.output().is_open(); ++times) {
    const ssize_t count = ::read(m_process.output().get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      m_process.output().reset();
      // The server's last standard error output arrives when it exits.
      const auto end = m_process.describe_exit(milliseconds(200));
      read_error();
      fail(end ? fmt::format("the MCP server exited ({})", *end)
               : std::string("the MCP server closed its output"));
      return;
    }
    take_bytes(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
}

void StdioChannel::read_error() {
  std::array<char, 16U << 10U> buffer;  // left uninitialised: it is written before it is read
  for (int times = 0; times < 16 && m_process.error().is_open(); ++times) {
    const ssize_t count = ::read(m_process.error().get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return m_process.error().reset();
    const std::lock_guard lock(m_mutex);
    m_stderr.append(buffer.data(), static_cast<std::size_t>(count));
    if (m_stderr.size() > k_max_complaints) {
      m_stderr.erase(0, m_stderr.size() - k_max_complaints);
    }
  }
}

void StdioChannel::take_bytes(std::string_view bytes) {
  while (!bytes.empty() && m_process.output().is_open()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view chunk = bytes.substr(0, end);
    if (m_line.size() + chunk.size() > k_most_message) {
      m_process.output().reset();
      return fail(fmt::format("the MCP server sent a message of more than {}",
                              format_bytes(k_most_message)));
    }
    m_line += chunk;
    if (end == std::string_view::npos) break;
    receive_line(std::exchange(m_line, {}));
    bytes.remove_prefix(end + 1);
  }
}

void StdioChannel::receive_line(std::string_view line) {
  if (trim(line).empty()) return;
  // Some servers print a greeting to standard output, which is reserved for messages.
  const char first = trim(line).front();
  if (first != '{' && first != '[') return take_stray_line(line);
  auto messages = read_messages(line);
  if (!messages) return take_stray_line(line);
  m_unsolicited_bytes += line.size();
  for (RpcMessage& message : *messages) receive(std::move(message));
  if (m_unsolicited_bytes < k_max_unasked || !m_process.output().is_open()) return;
  m_process.output().reset();
  fail("the MCP server keeps sending notifications");
}

void StdioChannel::take_stray_line(std::string_view line) {
  if (m_first_stray_line.empty()) m_first_stray_line = shown_message(line);
  m_stray_bytes += line.size() + 1;
  if (m_stray_bytes < k_max_noise || !m_process.output().is_open()) return;
  m_process.output().reset();
  fail("the MCP server's output is not JSON-RPC");
}

void StdioChannel::receive(RpcMessage message) {
  switch (message.kind) {
    case MessageKind::Result:
    case MessageKind::Error:
      return answer(message);
    case MessageKind::Notification:
      return m_on_notification(message.method, message.params);
    case MessageKind::Request:
      // A server that sends requests without reading gets no more responses; without a handshake
      // there are none at all.
      if (unread_bytes() > k_max_unread_answers || is_stateless()) return;
      return send(reply_to(message));
  }
}

void StdioChannel::answer(const RpcMessage& message) {
  std::string_view number = message.id;
  if (number.size() > 2 && number.front() == '"') number = number.substr(1, number.size() - 2);
  const auto id = parse_integer(number);
  const std::lock_guard lock(m_mutex);
  const auto found = id ? m_waiting.find(*id) : m_waiting.end();
  if (found == m_waiting.end()) return;  // too late, or unknown ID
  m_unsolicited_bytes = 0;
  found->second->answer = message.kind == MessageKind::Result
                              ? Result<std::string>(message.result)
                              : Result<std::string>(error_of(message));
  found->second->done.signal();
  m_waiting.erase(found);
}

void StdioChannel::fail(const std::string& why) {
  const std::lock_guard lock(m_mutex);
  if (!m_failure) {
    m_failure = Error{Fault::Local, why};
    if (const sv detail = trim(m_stderr); !detail.empty()) {
      m_failure->message +=
          fmt::format("; standard error: {}",
                      shown(detail.substr(detail.size() > 400 ? detail.size() - 400 : 0), 420));
    } else if (!m_first_stray_line.empty()) {
      m_failure->message += fmt::format("; output: {}", m_first_stray_line);
    }
  }
  for (auto& [id, waiter] : m_waiting) {
    waiter->answer = Result<std::string>(*m_failure);
    waiter->done.signal();
  }
  m_waiting.clear();
}

ServerProcess::ServerProcess(GroupGuard::Guarded program, FileDescriptor input,
                             FileDescriptor output, FileDescriptor error)
    : m_pid(program.pid),
      m_target(program.target),
      m_input(std::move(input)),
      m_output(std::move(output)),
      m_error(std::move(error)),
      m_exit(open_exit_descriptor(program.pid)),
      m_guard(std::move(program.guard)) {}

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)),
      m_target(other.m_target),
      m_input(std::move(other.m_input)),
      m_output(std::move(other.m_output)),
      m_error(std::move(other.m_error)),
      m_exit(std::move(other.m_exit)),
      m_exit_requested(other.m_exit_requested),
      m_guard(std::move(other.m_guard)) {}

ServerProcess::~ServerProcess() {
  if (m_pid < 0) return;
  m_input.reset();
  m_output.reset();
  m_error.reset();
  if (m_exit_requested || !wait_for_exit(k_exit_timeout)) {
    request_exit();
    (void)wait_for_exit(k_kill_delay);
  }
  // Not reaped yet, so the process group ID is still valid: everything that a wrapper such as npx
  // has started is killed too.
  ::kill(m_target, SIGKILL);
  while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ServerProcess::request_exit() noexcept {
  m_input.reset();
  if (m_pid < 0) return;  // moved from
  m_exit_requested = true;
  ::kill(m_target, SIGTERM);
  ::kill(m_target, SIGCONT);
}

bool ServerProcess::wait_for_exit(milliseconds most) const noexcept {
  const auto until = Clock::now() + most;
  while (true) {
    siginfo_t info{};
    const int looked =
        ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (looked != 0 || info.si_pid == m_pid) return true;
    if (Clock::now() >= until) return false;
    const Deadline look =
        m_exit.is_open() ? until : std::min(until, Clock::now() + milliseconds(5));
    (void)wait_readable(m_exit.get(), look, NeverCanceled());
  }
}

std::optional<std::string> ServerProcess::describe_exit(milliseconds most) const {
  if (!wait_for_exit(most)) return std::nullopt;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return "ended";
  }
  if (info.si_code == CLD_EXITED) return fmt::format("exit code {}", info.si_status);
  const char* name = ::strsignal(info.si_status);
  return fmt::format("signal {} ({})", info.si_status, name != nullptr ? name : "?");
}

Result<ServerProcess> ServerProcess::start(const ServerCommand& command) {
  if (command.arguments.empty()) return Error{Fault::Unexpected, "no program given"};
  SVC_TRY(input, make_pipe());
  SVC_TRY(output, make_pipe());
  SVC_TRY(error, make_pipe());
  SVC_TRY(program, GroupGuard::start({.arguments = command.arguments,
                                      .variables = command.variables,
                                      .inherit = Inherit::Usual,
                                      .directory = command.directory,
                                      .input = input.read.get(),
                                      .output = output.write.get(),
                                      .error = error.write.get()}));
  make_nonblocking(input.write.get());
  make_nonblocking(output.read.get());
  make_nonblocking(error.read.get());
  return ServerProcess(std::move(program), std::move(input.write), std::move(output.read),
                       std::move(error.read));
}

}  // namespace svc::mcp
