#include "mcp/http_channel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/cancel_token.h"
#include "base/text.h"
#include "base/wait.h"
#include "http/sse.h"
#include "json/document.h"
#include "json/slices.h"
#include "json/text.h"
#include "mcp/header_arguments.h"

namespace svc::mcp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds k_short_timeout{5'000};
constexpr milliseconds k_shutdown_timeout{300};
constexpr int k_max_resumptions = 20;
/// Maximum size of a response, events included.
constexpr std::size_t k_most_answer = 64U << 20U;
/// Requests allowed from the server per stream, in addition to one per second.
constexpr std::int64_t k_max_questions = 20;

/// Returned by a sink that needs no more data.
Error enough() {
  return Error{Fault::Unexpected, "enough"};
}

Error refusal(int status, const std::string& body) {
  // An error response may contain a JSON-RPC error.
  if (const auto messages = read_messages(body)) {
    for (const RpcMessage& message : *messages) {
      if (message.kind != MessageKind::Error) continue;
      Error error = error_of(message);
      error.http_status = status;
      if (status != 401 && status != 403) return error;
    }
  }
  Error error{status == 401 || status == 403 ? Fault::Auth
              : status == 404                ? Fault::NotFound
                                             : Fault::Service,
              fmt::format("the server returned HTTP {}{}{}", status, trim(body).empty() ? "" : ": ",
                          shown_message(trim(body)))};
  error.http_status = status;
  error.states_status = true;
  if (error.fault == Fault::Auth) {
    error.hint =
        "Set the server's key in the `headers` of --mcp-config, for example as \"env:NAME\".";
  }
  // A server without a handshake may report that by the status alone.
  if (status == 400 || status == 404 || status == 405)
    error.code = fmt::format("{}", k_invalid_request);
  return error;
}

/// Receives the response to a message that expects none: keeps its status and the start of an error
/// body. Requests in the body are ignored; otherwise a server could make svc respond to its own
/// responses.
class AcknowledgementReceiver final : public http::Receiver {
 public:
  Result<void> on_head(const http::HttpHead& head) override {
    m_status = head.status;
    return {};
  }
  Result<void> on_body(std::string_view bytes) override {
    if (m_body.size() + bytes.size() > k_most_refusal) return enough();
    m_body += bytes;
    return {};
  }
  [[nodiscard]] Result<void> verdict(const http::Outcome& outcome) const {
    if (m_status / 100 == 2) return {};
    if (outcome.error && m_status == 0) return *outcome.error;
    return refusal(m_status, m_body);
  }

 private:
  static constexpr std::size_t k_most_refusal = 64U << 10U;
  int m_status = 0;
  std::string m_body{};
};

}  // namespace

/// Receives the body for one request, as a document or as events, until the response is found.
/// Requests from the server are answered within the time limit of the request.
class HttpChannel::EventReader final : public http::Receiver {
 public:
  EventReader(HttpChannel& channel, std::string id, const CancelToken& cancel,
              Clock::time_point until)
      : m_channel(channel), m_id(std::move(id)), m_cancel(cancel), m_until(until) {}

  Result<void> on_head(const http::HttpHead& head) override {
    m_status = head.status;
    if (!m_parser.last_event_id().empty()) m_event_id = m_parser.last_event_id();
    m_parser = http::SseParser(k_most_message);
    m_events = to_lower(head.header("content-type").value_or("")).starts_with("text/event-stream");
    const std::string_view session = head.header("mcp-session-id").value_or("");
    if (!session.empty()) m_session = session;
    return {};
  }

  Result<void> on_body(std::string_view bytes) override {
    m_size += bytes.size();
    if (m_size > k_most_answer || (!m_events && m_body.size() + bytes.size() > k_most_message)) {
      return Error{Fault::Network, fmt::format("the MCP server's response is larger than {}",
                                               format_bytes(k_most_message))};
    }
    if (!m_events) {
      m_body += bytes;
      return {};
    }
    return m_parser.feed(bytes, [this](const http::SseEvent& event) -> Result<void> {
      if (!trim(event.data).empty()) SVC_CHECK(take(event.data));
      return m_found ? Result<void>(enough()) : Result<void>();
    });
  }

  /// Call when the transfer is complete: parses a document.
  Result<void> finish() {
    if (m_events || m_status / 100 != 2 || trim(m_body).empty()) return {};
    return take(m_body);
  }

  [[nodiscard]] bool found() const noexcept { return m_found.has_value(); }
  [[nodiscard]] Result<std::string> answer() { return *std::move(m_found); }
  [[nodiscard]] int status() const noexcept { return m_status; }
  [[nodiscard]] const std::string& body() const noexcept { return m_body; }
  [[nodiscard]] const std::string& session() const noexcept { return m_session; }
  /// The event ID from which an interrupted stream can be resumed; empty if it cannot. The last ID
  /// of this stream, or else of the stream it resumes.
  [[nodiscard]] const std::string& event_id() const noexcept {
    return m_parser.last_event_id().empty() ? m_event_id : m_parser.last_event_id();
  }
  [[nodiscard]] milliseconds retry() const {
    return m_parser.retry().value_or(milliseconds(1'000));
  }

 private:
  Result<void> take(std::string_view text) {
    SVC_TRY(messages, read_messages(text));
    for (const RpcMessage& message : messages) {
      if (message.kind == MessageKind::Notification) {
        m_channel.m_on_notification(message.method, message.params);
      } else if (message.kind == MessageKind::Request) {
        SVC_CHECK(answer_request(message));
      } else if (message.id == m_id || message.id == '"' + m_id + '"' ||
                 (message.kind == MessageKind::Error &&
                  (message.id.empty() || message.id == "null"))) {
        m_found = message.kind == MessageKind::Result ? Result<std::string>(message.result)
                                                      : Result<std::string>(error_of(message));
      }
    }
    return {};
  }

  Result<void> answer_request(const RpcMessage& message) {
    const auto now = Clock::now();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - m_begin).count();
    if (++m_request_count > k_max_questions + seconds) {
      return Error{Fault::Network, "the MCP server keeps sending requests"};
    }
    // Without a handshake, servers send no requests and expect no responses.
    if (m_channel.is_stateless()) return {};
    if (now < m_until) {
      const auto left = std::chrono::ceil<milliseconds>(m_until - now);
      (void)m_channel.post(reply_to(message), m_cancel, std::min(k_short_timeout, left));
    }
    if (const auto fault = m_cancel.requested()) return canceled(*fault);
    return {};
  }

  HttpChannel& m_channel;
  std::string m_id;
  const CancelToken& m_cancel;
  Clock::time_point m_until;
  Clock::time_point m_begin = Clock::now();
  std::int64_t m_request_count = 0;
  int m_status = 0;
  bool m_events = false;
  std::size_t m_size = 0;
  http::SseParser m_parser{k_most_message};
  std::string m_event_id{};
  std::string m_body{};
  std::string m_session{};
  std::optional<Result<std::string>> m_found{};
};

/// A transport borrowed for one request.
struct HttpChannel::TransportLease {
  explicit TransportLease(HttpChannel& from) : channel(from), transport(from.acquire_transport()) {}
  TransportLease(const TransportLease&) = delete;
  TransportLease& operator=(const TransportLease&) = delete;
  ~TransportLease() { channel.release_transport(std::move(transport)); }
  http::Transport* operator->() const { return transport.get(); }

  HttpChannel& channel;
  std::unique_ptr<http::Transport> transport;
};

HttpChannel::HttpChannel(HttpServer server, MakeTransport make_transport,
                         OnNotification on_notification)
    : m_server(std::move(server)),
      m_make_transport(std::move(make_transport)),
      m_on_notification(std::move(on_notification)) {}

HttpChannel::~HttpChannel() {
  m_closing.cancel();
  if (m_listener.joinable()) m_listener.join();
  if (m_session.empty()) return;
  // The session is deleted on a best-effort basis, so the response is ignored.
  AcknowledgementReceiver ignored;
  const TransportLease transport(*this);
  (void)transport->perform(make_request("DELETE", {}, k_shutdown_timeout), ignored,
                           NeverCanceled{});
}

std::unique_ptr<http::Transport> HttpChannel::acquire_transport() {
  {
    const std::lock_guard lock(m_mutex);
    if (!m_idle.empty()) {
      auto transport = std::move(m_idle.back());
      m_idle.pop_back();
      return transport;
    }
  }
  return m_make_transport();
}

void HttpChannel::release_transport(std::unique_ptr<http::Transport> transport) {
  const std::lock_guard lock(m_mutex);
  m_idle.push_back(std::move(transport));
}

void HttpChannel::adopt_protocol(NegotiatedProtocol protocol) {
  bool listens = false;
  {
    const std::lock_guard lock(m_mutex);
    m_protocol = std::move(protocol);
    listens = m_protocol.meta.empty() ? !m_session.empty() : m_protocol.subscribes;
  }
  if (listens && !m_listener.joinable()) m_listener = std::thread([this] { listen(); });
}

http::HttpRequest HttpChannel::make_request(std::string method, std::string body,
                                            milliseconds time) const {
  const std::lock_guard lock(m_mutex);
  http::HttpRequest request{.method = std::move(method), .url = m_server.url};
  for (const Header& header : m_server.headers) {
    const bool bearer = equals_ignore_case(header.name, "authorization") &&
                        sv(header.value).substr(0, 7) == "Bearer ";
    if (bearer) {
      request.bearer = header.value.substr(7);
    } else {
      request.headers.push_back(header);
    }
  }
  if (request.method == "POST") {
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"Accept", "application/json, text/event-stream"});
    request.body = std::move(body);
  } else if (request.method == "GET") {
    request.headers.push_back({"Accept", "text/event-stream"});
  }
  if (!m_protocol.version.empty()) {
    request.headers.push_back({"MCP-Protocol-Version", m_protocol.version});
  }
  if (!m_session.empty()) request.headers.push_back({"Mcp-Session-Id", m_session});
  request.timeouts.total = time;
  request.timeouts.connect = std::min(request.timeouts.connect, time);
  request.timeouts.idle = std::min(request.timeouts.idle, time);
  request.max_body_bytes = 0;  // the receiver enforces the limit
  return request;
}

Result<void> HttpChannel::post(std::string body, const CancelToken& cancel, milliseconds time) {
  AcknowledgementReceiver receiver;
  const TransportLease transport(*this);
  const http::Outcome outcome =
      transport->perform(make_request("POST", std::move(body), time), receiver, cancel);
  return receiver.verdict(outcome);
}

Result<void> HttpChannel::notify(std::string_view method, std::string_view params) {
  return post(notification_text(method, params), m_closing, k_short_timeout);
}

bool HttpChannel::is_stateless() const {
  const std::lock_guard lock(m_mutex);
  return !m_protocol.meta.empty();
}

Result<std::string> HttpChannel::request(std::string_view method, std::string params,
                                         const CallContext& context,
                                         const std::vector<Header>& headers) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(m_mutex);
    id = ++m_last_id;
    if (method == "initialize") {
      m_handshake = params;
      m_session.clear();
    }
  }
  bool session_lost = false;
  Result<std::string> result = send_once(id, method, params, context, headers, session_lost);
  if (session_lost) {
    // The server rejected the session, so the request was not run.
    SVC_CHECK(restart_session(context));
    result = send_once(id, method, params, context, headers, session_lost);
  }
  const bool abandoned =
      !result && (result.error().fault == Fault::Timeout || is_cancellation(result.error().fault));
  // Without a handshake, closing the connection already cancels the request.
  if (abandoned && !is_stateless() && method != "initialize") {
    (void)post(
        notification_text("notifications/cancelled", fmt::format(R"({{"requestId":{}}})", id)),
        m_closing, k_shutdown_timeout);
  }
  return result;
}

Result<std::string> HttpChannel::send_once(std::int64_t id, std::string_view method,
                                           const std::string& params, const CallContext& context,
                                           const std::vector<Header>& headers, bool& session_lost) {
  const std::string number = fmt::format("{}", id);
  std::string meta;
  bool had_session = false;
  {
    const std::lock_guard lock(m_mutex);
    meta = m_protocol.meta;
    had_session = !m_session.empty();
  }
  const std::string whole =
      with_meta(params, method == "tools/call" ? number : std::string(), meta);
  http::HttpRequest request =
      make_request("POST", json_rpc_request(number, method, whole), context.time);
  if (!meta.empty()) {
    request.headers.push_back({"Mcp-Method", std::string(method)});
    const std::string name = text_member(parse_reply(params), "name");
    if (!name.empty()) request.headers.push_back({"Mcp-Name", header_value(name)});
    request.headers.insert(request.headers.end(), headers.begin(), headers.end());
  }
  const auto until = Clock::now() + context.time;
  const LinkedToken cancel({&context.cancel, &m_closing});
  EventReader answer(*this, number, cancel, until);
  http::Outcome outcome;
  {
    const TransportLease transport(*this);
    outcome = transport->perform(request, answer, cancel);
  }
  const bool resumable = meta.empty() && !answer.event_id().empty();
  if (!answer.found() && outcome.error && !resumable) return *outcome.error;
  if (!answer.found()) SVC_CHECK(answer.finish());
  if (answer.status() / 100 != 2) {
    session_lost = answer.status() == 404 && had_session;
    return refusal(answer.status(), answer.body());
  }
  if (method == "initialize") {
    const std::lock_guard lock(m_mutex);
    m_session = answer.session();
  }
  if (answer.found()) return answer.answer();
  if (resumable) return follow(answer, context, until);
  return Error{Fault::Network, "the MCP server's response ended before the result"};
}

/// A server may close a stream early; resumes it from the ID of its last event.
Result<std::string> HttpChannel::follow(EventReader& answer, const CallContext& context,
                                        Clock::time_point until) {
  for (int times = 0; times < k_max_resumptions && !answer.event_id().empty(); ++times) {
    const Deadline pause = std::min(until, Clock::now() + answer.retry());
    SVC_CHECK(wait_readable(-1, pause, context.cancel));
    if (Clock::now() >= until) {
      return Error{Fault::Timeout, fmt::format("the MCP server did not respond within {}",
                                               format_duration(context.time))};
    }
    http::HttpRequest again =
        make_request("GET", {}, std::chrono::ceil<milliseconds>(until - Clock::now()));
    again.headers.push_back({"Last-Event-ID", answer.event_id()});
    const LinkedToken cancel({&context.cancel, &m_closing});
    const TransportLease transport(*this);
    const http::Outcome outcome = transport->perform(again, answer, cancel);
    if (answer.found()) return answer.answer();
    if (outcome.error && is_cancellation(outcome.error->fault)) return *outcome.error;
    if (answer.status() / 100 != 2) break;
  }
  return Error{Fault::Network, "the MCP server's response ended before the result"};
}

Result<void> HttpChannel::restart_session(const CallContext& context) {
  std::string handshake;
  {
    const std::lock_guard lock(m_mutex);
    handshake = m_handshake;
  }
  SVC_CHECK(request("initialize", handshake, context, {}));
  return notify("notifications/initialized", {});
}

/// With a handshake, servers send notifications on a separate stream; without one, on a response.
http::HttpRequest HttpChannel::listen_request(std::int64_t id) const {
  constexpr std::string_view k_method = "subscriptions/listen";
  const bool asks = is_stateless();
  std::string body;
  if (asks) {
    const std::lock_guard lock(m_mutex);
    body = json_rpc_request(fmt::format("{}", id), k_method,
                            with_meta(std::string(k_tool_changes), {}, m_protocol.meta));
  }
  http::HttpRequest request =
      make_request(asks ? "POST" : "GET", std::move(body), std::chrono::hours(24));
  if (asks) request.headers.push_back({"Mcp-Method", std::string(k_method)});
  request.timeouts.connect = k_short_timeout;
  request.timeouts.idle = request.timeouts.total;  // silent unless something happens
  return request;
}

/// Receives notifications, such as changed tools. A server without such a stream returns 405.
void HttpChannel::listen() {
  int failures = 0;
  while (!m_closing.requested() && failures < 3) {
    std::int64_t id = 0;
    {
      const std::lock_guard lock(m_mutex);
      id = ++m_last_id;
    }
    EventReader stream(*this, fmt::format("{}", id), m_closing, Clock::time_point::max());
    const TransportLease transport(*this);
    const http::Outcome outcome = transport->perform(listen_request(id), stream, m_closing);
    if (stream.status() / 100 != 2) return;
    (void)stream.finish();
    const bool found = stream.found();
    if (found && !stream.answer()) return;  // rejected: the server sends no notifications
    failures = outcome.error && !found ? failures + 1 : 0;
    const auto pause = std::clamp(stream.retry(), milliseconds(100), milliseconds(10'000));
    (void)wait_readable(-1, after(pause), m_closing);
  }
}

}  // namespace svc::mcp
