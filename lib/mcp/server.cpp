#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/sigpipe_guard.h"
#include "base/text.h"
#include "base/wait.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"

namespace svc::mcp {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// Maximum number of concurrent requests; more wait, as long as there are not too many.
constexpr std::size_t k_max_working = 32;
constexpr std::size_t k_max_waiting = 1'000;
constexpr std::string_view k_roots_id = "svc-roots-";
constexpr std::string_view k_subscription_id = "io.modelcontextprotocol/subscriptionId";
/// Minimum interval between progress notifications.
constexpr std::chrono::milliseconds k_progress_interval{250};

/// The revision specified in the request itself; empty if it uses the handshake's.
std::string stateless_revision(const RpcMessage& message) {
  const json params = parse_reply(message.params);
  return text_member(member(params, "_meta"), "io.modelcontextprotocol/protocolVersion");
}

std::string text_param(const RpcMessage& message, const char* name) {
  return text_member(parse_reply(message.params), name);
}

std::string error_answer(const RpcMessage& message, const Error& error) {
  const bool stateless = !stateless_revision(message).empty();
  const int code = error.fault == Fault::Usage      ? k_invalid_params
                   : error.fault != Fault::NotFound ? k_internal_error
                   : stateless                      ? k_invalid_params
                                                    : k_resource_not_found;
  return error_text(message.id, code,
                    error.hint.empty() ? error.message : error.message + ". " + error.hint);
}

json capabilities() {
  return {{"tools", json::object()}, {"resources", json::object()}, {"prompts", json::object()}};
}

std::string no_method(const RpcMessage& message) {
  return error_text(message.id, k_method_not_found,
                    fmt::format("unknown method {}", shown(message.method)));
}

}  // namespace

Server::Server(ServerHandler& handler, ServerIdentity identity, int input, int output)
    : m_handler(handler), m_identity(std::move(identity)), m_input(input), m_output(output) {}

Server::~Server() {
  collect(true);
}

Result<void> Server::run(const CancelToken& cancel) {
  m_cancel = &cancel;
  Result<void> ended = serve(cancel);
  end_subscriptions();
  return ended;
}

Result<void> Server::serve(const CancelToken& cancel) {
  std::string line;
  std::array<char, 64U << 10U> buffer;  // left uninitialised: it is written before it is read
  while (true) {
    const Result<bool> readable = wait_readable(m_input, after(std::chrono::seconds(1)), cancel);
    if (!readable) {
      const std::lock_guard lock(m_mutex);
      m_waiting.clear();
      for (const auto& [id, work] : m_working) work->cancel.cancel();
      return readable.error();
    }
    collect(false);
    if (m_reader_gone) return Error{Fault::ReaderGone, "the client closed the output"};
    if (!*readable) continue;
    const ssize_t count = ::read(m_input, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return system_error("cannot read standard input", errno);
    if (count == 0) break;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n')) {
      line += bytes.substr(0, end);
      receive_line(std::exchange(line, {}));
      bytes.remove_prefix(end + 1);
    }
    line += bytes;
    if (line.size() > k_most_message) {
      return Error{Fault::Usage,
                   fmt::format("a request is larger than {}", format_bytes(k_most_message))};
    }
  }
  receive_line(line);
  // A client that pipes its requests in still expects all responses.
  while (true) {
    {
      const std::lock_guard lock(m_mutex);
      if (const auto fault = cancel.requested()) {
        m_waiting.clear();
        for (const auto& [id, work] : m_working) work->cancel.cancel();
        return canceled(*fault);
      }
      if (m_working.empty()) return {};
    }
    (void)wait_readable(-1, after(std::chrono::milliseconds(20)), cancel);
  }
}

/// Joins the threads that have finished, or all of them.
void Server::collect(bool all) {
  std::list<std::shared_ptr<Work>> done;
  {
    const std::lock_guard lock(m_mutex);
    if (all) m_waiting.clear();
    for (auto work = m_threads.begin(); work != m_threads.end();) {
      const auto next = std::next(work);
      if (all) (*work)->cancel.cancel();
      if (all || (*work)->over) done.splice(done.end(), m_threads, work);
      work = next;
    }
  }
  for (const auto& work : done) work->thread.join();
}

/// A client that does not read must not delay the shutdown.
bool Server::wait_for_reader() {
  const auto at_once = wait_writable(m_output, Clock::now(), NeverCanceled());
  if (at_once && *at_once) return true;
  return static_cast<bool>(wait_writable(m_output, {}, *m_cancel));
}

void Server::write(const std::string& line) {
  // A write of this size to a ready pipe does not block, even in blocking mode.
  constexpr std::size_t k_chunk_size = 4096;
  const std::lock_guard lock(m_write_mutex);
  const SigpipeGuard quiet;
  const std::string bytes = line + "\n";
  std::string_view left = bytes;
  while (!left.empty() && !m_reader_gone) {
    const ssize_t count =
        wait_for_reader() ? ::write(m_output, left.data(), std::min(left.size(), k_chunk_size)) : 0;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      m_reader_gone = true;
      return;
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Server::receive_line(std::string_view line) {
  if (trim(line).empty()) return;
  const auto refuse = [](const Error& error) {
    const auto code = parse_integer(error.code);
    return error_text({}, code ? static_cast<int>(*code) : k_parse_error, error.message);
  };
  const bool array = trim(line).starts_with('[') && !check_json(line);
  const auto elements = array ? json_elements(line) : std::vector{line};
  const InBatch batch = array && !elements.empty() ? std::make_shared<Batch>() : nullptr;
  if (batch) batch->left = elements.size();
  for (const std::string_view element : elements) {
    auto messages = read_messages(element);
    if (messages && messages->size() == 1) {
      receive(std::move(messages->front()), batch);
    } else {
      reply(batch, messages ? error_text({}, k_invalid_request, "a batch within a batch")
                            : refuse(messages.error()));
    }
  }
  if (elements.empty()) write(error_text({}, k_invalid_request, "the batch is empty"));
}

/// Writes a response, or collects it until the batch is complete; "" for a message without one.
void Server::reply(const InBatch& batch, const std::string& text) {
  if (!batch) return text.empty() ? void() : write(text);
  std::string all;
  {
    const std::lock_guard lock(batch->mutex);
    if (!text.empty()) batch->responses += (batch->responses.empty() ? "" : ",") + text;
    if (--batch->left == 0) all = std::move(batch->responses);
  }
  if (!all.empty()) write(fmt::format("[{}]", all));
}

void Server::receive(RpcMessage message, const InBatch& batch) {
  switch (message.kind) {
    case MessageKind::Request:
      return begin(std::move(message), batch);
    case MessageKind::Notification:
      if (message.method == "notifications/cancelled") cancel_request(message);
      if (message.method == "notifications/initialized" ||
          message.method == "notifications/roots/list_changed") {
        ask_for_roots();
      }
      break;
    case MessageKind::Result:
    case MessageKind::Error:
      on_reply(message);
      break;
  }
  reply(batch, {});
}

/// Runs requests that contact the service on a separate thread.
void Server::begin(RpcMessage message, const InBatch& batch) {
  const std::string revision = stateless_revision(message);
  if (!revision.empty() && revision != k_stateless_version) {
    return reply(
        batch,
        error_text(message.id, k_unsupported_version, "Unsupported protocol version",
                   fmt::format(R"({{"supported":["{}","{}"],"requested":{}}})", k_stateless_version,
                               k_handshake_version, json_quote(revision))));
  }
  if (!revision.empty()) {
    const json params = parse_reply(message.params);
    const json& meta = member(params, "_meta");
    if (!member(meta, "io.modelcontextprotocol/clientCapabilities").is_object()) {
      return reply(batch, error_text(message.id, k_invalid_params,
                                     "_meta lacks io.modelcontextprotocol/clientCapabilities"));
    }
    if (message.method == "subscriptions/listen") {
      subscribe(message);
      return reply(batch, {});
    }
  }
  constexpr std::array<std::string_view, 3> k_threaded_methods = {"tools/call", "resources/list",
                                                                  "resources/read"};
  if (std::find(k_threaded_methods.begin(), k_threaded_methods.end(), message.method) ==
      k_threaded_methods.end()) {
    return reply(batch, answer(message, NeverCanceled{}));
  }
  const std::lock_guard lock(m_mutex);
  const bool waits = std::ranges::any_of(
      m_waiting, [&](const Waiting& other) { return other.message.id == message.id; });
  if (waits || m_working.contains(message.id)) {
    return reply(batch, error_text(message.id, k_invalid_request,
                                   "a request with this ID is already in progress"));
  }
  if (m_waiting.size() >= k_max_waiting) {
    return reply(batch,
                 error_text(message.id, k_internal_error,
                            fmt::format("too many waiting requests (maximum: {})", k_max_waiting)));
  }
  m_waiting.push_back({std::move(message), batch});
  start_waiting();
}

/// Call it with m_mutex held.
void Server::start_waiting() {
  if (m_waiting.empty() || m_working.size() >= k_max_working) return;
  Waiting next = std::move(m_waiting.front());
  m_waiting.pop_front();
  const auto job = std::make_shared<Work>();
  m_working[next.message.id] = job;
  m_threads.push_back(job);
  job->thread =
      std::thread([this, next = std::move(next), job] { work(next.message, job, next.batch); });
}

void Server::work(const RpcMessage& message, const std::shared_ptr<Work>& job,
                  const InBatch& batch) {
  std::string text;
  try {
    text = answer(message, job->cancel);
  } catch (const std::exception& failure) {
    text = error_text(message.id, k_internal_error, failure.what());
  }
  // A canceled request gets no response.
  reply(batch, job->cancel.requested() ? std::string() : text);
  const std::lock_guard lock(m_mutex);
  m_working.erase(message.id);
  job->over = true;
  start_waiting();
}

/// The offer never changes, so no notifications are promised.
void Server::subscribe(const RpcMessage& message) {
  if (!member(parse_reply(message.params), "notifications").is_object()) {
    return write(error_text(message.id, k_invalid_params, "notifications must be a JSON object"));
  }
  {
    const std::lock_guard lock(m_mutex);
    if (m_subscriptions.size() >= k_max_working || !m_subscriptions.insert(message.id).second) {
      return write(
          error_text(message.id, k_invalid_request,
                     "a request with this ID, or too many requests, are already in progress"));
    }
  }
  write(notification_text("notifications/subscriptions/acknowledged",
                          fmt::format(R"({{"_meta":{{"{}":{}}},"notifications":{{}}}})",
                                      k_subscription_id, message.id)));
}

void Server::end_subscriptions() {
  std::set<std::string> all;
  {
    const std::lock_guard lock(m_mutex);
    all.swap(m_subscriptions);
  }
  for (const std::string& id : all) {
    write(result_text(id, fmt::format(R"({{"resultType":"complete","_meta":{{"{}":{}}}}})",
                                      k_subscription_id, id)));
  }
}

void Server::ask_for_roots() {
  if (!m_has_roots) return;
  m_handler.expect_roots();
  write(json_rpc_request(fmt::format(R"("{}{}")", k_roots_id, ++m_asked), "roots/list", {}));
}

/// The newest list of roots counts; nothing else is ever asked of a client.
void Server::on_reply(const RpcMessage& message) {
  if (message.id != fmt::format(R"("{}{}")", k_roots_id, m_asked)) return;
  if (message.kind == MessageKind::Error) return m_handler.on_no_roots();
  std::vector<std::string> uris;
  const json result = parse_reply(message.result);
  for (const json& root : member(result, "roots")) uris.push_back(text_member(root, "uri"));
  m_handler.on_roots(uris);
}

void Server::cancel_request(const RpcMessage& message) {
  if (message.params.empty()) return;
  const auto id = json_member(message.params, "requestId");
  if (!id) return;
  const std::lock_guard lock(m_mutex);
  m_subscriptions.erase(std::string(*id));
  std::erase_if(m_waiting, [&](const Waiting& one) {
    if (one.message.id != *id) return false;
    reply(one.batch, {});
    return true;
  });
  const auto found = m_working.find(std::string(*id));
  if (found != m_working.end()) found->second->cancel.cancel();
}

std::string Server::answer(const RpcMessage& message, const CancelToken& cancel) {
  const std::string& method = message.method;
  // The revision without a handshake has neither method.
  const bool removed =
      (method == "initialize" || method == "ping") && !stateless_revision(message).empty();
  if (removed) return no_method(message);
  if (method == "initialize") return initialize(message);
  if (method == "server/discover") return discover(message);
  if (method == "ping") return complete(message, "{}", false);
  if (method == "tools/call") return call_tool(message, cancel);
  if (method == "tools/list") {
    return complete(message, fmt::format(R"({{"tools":{}}})", m_handler.tools()), true);
  }
  if (method == "prompts/list") {
    return complete(message, fmt::format(R"({{"prompts":{}}})", m_handler.prompts()), true);
  }
  if (method == "prompts/get") {
    const auto given =
        message.params.empty() ? std::nullopt : json_member(message.params, "arguments");
    auto prompt = m_handler.prompt(text_param(message, "name"), std::string(given.value_or("{}")));
    return prompt ? complete(message, *std::move(prompt), false)
                  : error_answer(message, prompt.error());
  }
  if (method == "resources/templates/list") {
    return complete(message,
                    fmt::format(R"({{"resourceTemplates":{}}})", m_handler.resource_templates()),
                    true);
  }
  if (method == "resources/list" || method == "resources/read") {
    const bool list = method == "resources/list";
    const std::string uri = text_param(message, "uri");
    const auto found = list ? m_handler.resources(cancel) : m_handler.read_resource(uri, cancel);
    if (!found) return error_answer(message, found.error());
    return complete(message, fmt::format(R"({{"{}":{}}})", list ? "resources" : "contents", *found),
                    true);
  }
  return no_method(message);
}

std::string Server::initialize(const RpcMessage& message) {
  const std::string requested = text_param(message, "protocolVersion");
  const json params = parse_reply(message.params);
  m_has_roots = member(member(params, "capabilities"), "roots").is_object();
  if (m_has_roots) m_handler.expect_roots();
  json result = {{"protocolVersion",
                  is_handshake_version(requested) ? requested : std::string(k_handshake_version)},
                 {"capabilities", capabilities()},
                 {"serverInfo", {{"name", m_identity.name}, {"version", m_identity.version}}}};
  if (!m_identity.instructions.empty()) result["instructions"] = m_identity.instructions;
  return result_text(message.id, compact_json(result));
}

std::string Server::discover(const RpcMessage& message) const {
  json result = {{"supportedVersions", {k_stateless_version}}, {"capabilities", capabilities()}};
  if (!m_identity.instructions.empty()) result["instructions"] = m_identity.instructions;
  return complete(message, compact_json(result), true);
}

std::string Server::call_tool(const RpcMessage& message, const CancelToken& cancel) {
  const std::string name = text_param(message, "name");
  const auto arguments =
      message.params.empty() ? std::nullopt : json_member(message.params, "arguments");
  if (arguments && !arguments->starts_with('{') && *arguments != "null") {
    return error_text(message.id, k_invalid_params, "arguments must be a JSON object");
  }
  const bool given = arguments && arguments->starts_with('{');
  const auto token =
      message.params.empty() ? std::nullopt : json_member(message.params, "_meta.progressToken");
  Clock::time_point last_report{};
  double last = -1;
  const OnProgress progress = [&](double done, double total, std::string_view detail) {
    const auto now = Clock::now();
    if (!token || cancel.requested() || now < last_report + k_progress_interval) return;
    last_report = now;
    // Each notification must report more progress than the last.
    last = done > last ? done : last + 0.001;
    json params = {{"progressToken", parse_reply(*token)}, {"progress", last}};
    if (total > 0) params["total"] = total;
    if (!detail.empty()) params["message"] = detail;
    write(notification_text("notifications/progress", compact_json(params)));
  };
  auto result = m_handler.call(name, given ? std::string(*arguments) : "{}", progress, cancel);
  if (!result) return error_answer(message, result.error());
  return complete(message, *std::move(result), false);
}

/// Adapts a result to the request's revision: the newest one marks it as complete and specifies how
/// long a list may be cached.
std::string Server::complete(const RpcMessage& message, std::string result, bool cacheable) const {
  if (stateless_revision(message).empty()) return result_text(message.id, result);
  std::string extra = R"("resultType":"complete",)";
  if (cacheable) extra += R"("ttlMs":0,"cacheScope":"private",)";
  extra +=
      fmt::format(R"("_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":{},"version":{}}}}})",
                  json_quote(m_identity.name), json_quote(m_identity.version));
  result.insert(1, result == "{}" ? extra : extra + ",");
  return result_text(message.id, result);
}

}  // namespace svc::mcp
