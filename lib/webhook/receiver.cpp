#include "webhook/receiver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <vector>

#include <arpa/inet.h>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"
#include "base/wait.h"

namespace svc::webhook {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view k_continue = "HTTP/1.1 100 Continue\r\n\r\n";
/// After responding, keeps reading for a while: closing with unread data would reset the connection
/// before the sender has the response.
constexpr milliseconds k_drain_time{1'000};
/// Maximum wait if the cancel token cannot interrupt it.
constexpr milliseconds k_poll_interval{50};

const char* reason_of(int status) {
  constexpr std::array<std::pair<int, const char*>, 10> k_reasons = {
      {{200, "OK"},
       {204, "No Content"},
       {401, "Unauthorized"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {408, "Request Timeout"},
       {413, "Content Too Large"},
       {431, "Request Header Fields Too Large"},
       {503, "Service Unavailable"},
       {505, "HTTP Version Not Supported"}}};
  for (const auto& [known, reason] : k_reasons) {
    if (known == status) return reason;
  }
  return status < 300 ? "OK" : "Bad Request";
}

std::string answer_text(const HttpReply& answer) {
  const int status = answer.status;
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\n", status, reason_of(status));
  if (status == 405) text += "Allow: POST\r\n";
  if (status == 503) text += "Retry-After: 5\r\n";
  if (answer.reason.empty()) return text + (status == 204 ? "\r\n" : "Content-Length: 0\r\n\r\n");
  return text +
         fmt::format("Content-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\r\n{}\n",
                     answer.reason.size() + 1, answer.reason);
}

/// Why an unreadable request was refused.
std::string rejection_reason(int status, const HttpLimits& limits) {
  switch (status) {
    case 413:
      return fmt::format("its body is larger than {}", format_bytes(limits.body));
    case 431:
      return fmt::format("its headers are larger than {}", format_bytes(limits.header));
    case 505:
      return "its HTTP version is not 1.0 or 1.1";
    default:
      return "it is not a complete HTTP request";
  }
}

/// Parses an IPv4 or IPv6 address and returns its length; 0 if it is invalid.
socklen_t read_address(const std::string& text, std::uint16_t port, sockaddr_storage& address) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return sizeof v4;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    return sizeof v6;
  }
  return 0;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                                            : reinterpret_cast<sockaddr_in6&>(address).sin6_port);
}

}  // namespace

struct WebhookServer::Connection {
  enum class State : std::uint8_t { Reading, Writing, Draining, Over };

  FileDescriptor socket;
  RequestReader reader;
  Clock::time_point until;
  State state = State::Reading;
  bool has_data = false;  ///< whether any byte has arrived
  std::string output{};
  std::size_t written = 0;
};

WebhookServer::WebhookServer(ReceiverOptions options, FileDescriptor listener, std::uint16_t port)
    : m_options(std::move(options)), m_listener(std::move(listener)), m_port(port) {}
WebhookServer::WebhookServer(WebhookServer&&) noexcept = default;
WebhookServer::~WebhookServer() = default;

Result<WebhookServer> WebhookServer::open(ReceiverOptions options) {
  sockaddr_storage address{};
  const socklen_t length = read_address(options.address, options.port, address);
  if (length == 0) {
    return usage_error(
        fmt::format("'{}' is not an address of this machine", shown(options.address)),
        "Give an IPv4 or IPv6 address, such as 127.0.0.1, 0.0.0.0 or ::1.");
  }
  FileDescriptor socket = open_socket(address.ss_family);
  if (!socket.is_open()) return system_error("cannot create a socket", errno);
  const int on = 1;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    Error error = system_error(
        fmt::format("cannot listen on {} port {}", options.address, options.port), errno);
    if (errno == EADDRINUSE) error.hint = "Choose another --port, or 0 for any free port.";
    return error;
  }
  const std::uint16_t port = bound_port(socket.get());
  return WebhookServer(std::move(options), std::move(socket), port);
}

std::string WebhookServer::url() const {
  const bool v6 = m_options.address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}{}", v6 ? "[" : "", m_options.address, v6 ? "]" : "", m_port,
                     m_options.path);
}

Result<void> WebhookServer::serve(const CancelToken& cancel, const Handler& handler) {
  std::vector<pollfd> waits;
  std::optional<Clock::time_point> shutdown_deadline;
  while (true) {
    const auto now = Clock::now();
    if (!shutdown_deadline && cancel.requested()) {
      shutdown_deadline = now + std::chrono::seconds(1);
      m_listener.reset();
      m_connections.remove_if(
          [](const Connection& one) { return one.state == Connection::State::Reading; });
    }
    if (shutdown_deadline && (m_connections.empty() || now >= *shutdown_deadline)) return {};
    waits.clear();
    waits.push_back({m_out_of_descriptors ? -1 : m_listener.get(), POLLIN, 0});
    for (const Connection& one : m_connections) {
      const bool writing = one.state == Connection::State::Writing;
      waits.push_back({one.socket.get(), static_cast<short>(writing ? POLLOUT : POLLIN), 0});
    }
    // Once shutting down, the cancel token must not wake the poll again.
    const NeverCanceled never;
    const auto waited = wait(waits, next_deadline(now, shutdown_deadline.has_value()),
                             shutdown_deadline ? static_cast<const CancelToken&>(never) : cancel);
    if (!waited && !cancel.requested()) return waited.error();
    m_out_of_descriptors = false;
    std::size_t at = 1;
    for (Connection& one : m_connections) work(one, waits[at++].revents, handler);
    m_connections.remove_if(
        [](const Connection& one) { return one.state == Connection::State::Over; });
    if (waits[0].revents != 0) accept_all();
  }
}

WebhookServer::Clock::time_point WebhookServer::next_deadline(Clock::time_point now,
                                                              bool shutting_down) const {
  auto next = now + std::chrono::seconds(60);
  for (const Connection& one : m_connections) next = std::min(next, one.until);
  return shutting_down || m_out_of_descriptors ? std::min(next, now + k_poll_interval) : next;
}

void WebhookServer::accept_all() {
  while (true) {
    FileDescriptor socket = accept_connection(m_listener.get());
    if (!socket.is_open()) {
      bool exhausted = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
      // Without a free descriptor it fails although nobody waits: the last one was just accepted.
      pollfd listener{m_listener.get(), POLLIN, 0};
      exhausted = exhausted && ::poll(&listener, 1, 0) > 0;
      if (exhausted && !m_connections.empty()) close_oldest();
      // Retries after a short wait instead of spinning.
      m_out_of_descriptors = exhausted;
      return;
    }
    if (m_connections.size() >= m_options.max_connections) close_oldest();
    m_connections.push_back({.socket = std::move(socket),
                             .reader = RequestReader(m_options.limits),
                             .until = Clock::now() + m_options.read_time});
  }
}

/// Closes the connection that has waited longest.
void WebhookServer::close_oldest() {
  m_connections.pop_front();
}

void WebhookServer::work(Connection& connection, short events, const Handler& handler) {
  if (events != 0) {
    if (connection.state == Connection::State::Reading) read_some(connection, handler);
    if (connection.state == Connection::State::Draining) drain_some(connection);
  }
  if (connection.state == Connection::State::Writing) write_some(connection);
  check_timeout(connection, Clock::now());
}

void WebhookServer::read_some(Connection& connection, const Handler& handler) {
  std::array<char, 64U << 10U> buffer;  // left uninitialised: it is written before it is read
  const ssize_t count = ::recv(connection.socket.get(), buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) {
    connection.state = Connection::State::Over;
    return;
  }
  if (count == 0) return progress(connection, connection.reader.ended(), handler);
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
  connection.has_data = true;
  progress(connection, connection.reader.feed(bytes), handler);
  if (connection.state == Connection::State::Reading && buffered_memory() > m_options.max_memory) {
    refuse(connection, {503, "too many large deliveries arrive at once"});
  }
}

void WebhookServer::progress(Connection& connection, RequestReader::Progress made,
                             const Handler& handler) {
  switch (made) {
    case RequestReader::Progress::NeedMore:
      return;
    case RequestReader::Progress::Continue:
      // Short enough for the socket buffer; if it does not fit, the sender proceeds without it.
      (void)send_some(connection.socket.get(), k_continue);
      return;
    case RequestReader::Progress::Rejected:
      return refuse(connection, {connection.reader.status(),
                                 rejection_reason(connection.reader.status(), m_options.limits)});
    case RequestReader::Progress::Complete:
      break;
  }
  HttpRequest request = connection.reader.take();
  if (request.path != m_options.path) {
    return refuse(connection, {404, fmt::format("its path is {}, not {}", shown(request.path),
                                                m_options.path)});
  }
  if (request.method != "POST") {
    return refuse(connection,
                  {405, fmt::format("its method is {}, not POST", shown(request.method))});
  }
  answer(connection, handler(request));
}

void WebhookServer::refuse(Connection& connection, HttpReply refusal) {
  // A connection without any data is not a delivery.
  if (m_options.refused && connection.has_data) m_options.refused(refusal);
  answer(connection, refusal);
}

void WebhookServer::answer(Connection& connection, const HttpReply& answer) {
  connection.output = answer_text(answer);
  connection.state = Connection::State::Writing;
  connection.until = Clock::now() + m_options.write_time;
  connection.reader = RequestReader(m_options.limits);  // releases its buffer
  write_some(connection);
}

void WebhookServer::write_some(Connection& connection) {
  const std::string_view left = std::string_view(connection.output).substr(connection.written);
  const ssize_t count = send_some(connection.socket.get(), left);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) {
    connection.state = Connection::State::Over;
    return;
  }
  connection.written += static_cast<std::size_t>(count);
  if (connection.written < connection.output.size()) return;
  (void)::shutdown(connection.socket.get(), SHUT_WR);
  connection.state = Connection::State::Draining;
  connection.until = Clock::now() + k_drain_time;
  drain_some(connection);
}

void WebhookServer::drain_some(Connection& connection) {
  std::array<char, 64U << 10U> buffer;  // discarded
  const ssize_t count = ::recv(connection.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  const bool more = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  if (!more) connection.state = Connection::State::Over;
}

void WebhookServer::check_timeout(Connection& connection, Clock::time_point now) {
  if (now < connection.until) return;
  if (connection.state == Connection::State::Reading) {
    return refuse(connection, {408, fmt::format("it was not complete after {}",
                                                format_duration(m_options.read_time))});
  }
  connection.state = Connection::State::Over;
}

std::size_t WebhookServer::buffered_memory() const {
  std::size_t all = 0;
  for (const Connection& one : m_connections) all += one.reader.buffered_bytes();
  return all;
}

namespace http = boost::beast::http;

struct RequestReader::State {
  http::request_parser<http::string_body> parser{};
  std::string rest{};  ///< incomplete line, not parsed yet
  std::size_t most_header = 0;
  std::size_t header = 0;  ///< number of header bytes parsed
  bool continued = false;
};

namespace {

constexpr std::string_view k_end_of_header = "\r\n\r\n";
/// The shortest end of a chunked body.
constexpr std::string_view k_last_chunk = "0\r\n\r\n";

int status_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

std::string text_of(boost::beast::string_view view) {
  return {view.data(), view.size()};
}

std::string header_of(const http::fields& fields, std::string_view name) {
  std::string all;
  const auto [begin, end] = fields.equal_range({name.data(), name.size()});
  for (auto at = begin; at != end; ++at) {
    if (!all.empty()) all += ' ';
    all += text_of(at->value());
  }
  return all;
}

}  // namespace

RequestReader::RequestReader(const HttpLimits& limits) : m_state(std::make_unique<State>()) {
  // The parser's own limit depends on how the data is split; it only bounds memory.
  m_state->parser.header_limit(static_cast<std::uint32_t>(2 * limits.header));
  m_state->most_header = limits.header;
  m_state->parser.body_limit(limits.body);
  m_state->parser.eager(true);
}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

RequestReader::Progress RequestReader::refuse(int status) {
  m_status = status;
  return Progress::Rejected;
}

RequestReader::Progress RequestReader::parse_result() {
  State& state = *m_state;
  if (state.parser.is_done()) return Progress::Complete;
  if (!state.parser.is_header_done() || state.continued) return Progress::NeedMore;
  const auto expect = state.parser.get()[http::field::expect];
  state.continued = true;
  return equals_ignore_case(text_of(expect), "100-continue") ? Progress::Continue
                                                             : Progress::NeedMore;
}

RequestReader::Progress RequestReader::feed(std::string_view bytes) {
  State& state = *m_state;
  if (m_status != 0) return Progress::Rejected;
  if (state.parser.is_done()) return Progress::Complete;
  state.rest.append(bytes);
  std::string_view left = state.rest;
  const bool in_header = !state.parser.is_header_done();
  if (in_header) {
    const std::size_t end = left.find(k_end_of_header);
    const std::size_t here =
        end == std::string_view::npos ? left.size() : end + k_end_of_header.size();
    if (state.header + here > state.most_header) return refuse(431);
  }
  while (!left.empty() && !state.parser.is_done()) {
    // The parser would expect more of the last chunk than may have arrived.
    const bool in_chunks = state.parser.is_header_done() && state.parser.chunked();
    if (in_chunks && left.front() == '0' && left.size() < k_last_chunk.size()) break;
    boost::system::error_code error;
    const std::size_t used =
        state.parser.put(boost::asio::const_buffer(left.data(), left.size()), error);
    left.remove_prefix(used);
    if (error == http::error::need_more) break;
    if (error) return refuse(status_of(error));
    if (used == 0) break;
  }
  const std::size_t parsed = state.rest.size() - left.size();
  if (in_header) state.header += parsed;
  state.rest.erase(0, parsed);
  return parse_result();
}

RequestReader::Progress RequestReader::ended() {
  State& state = *m_state;
  if (m_status != 0) return Progress::Rejected;
  if (state.parser.is_done()) return Progress::Complete;
  boost::system::error_code error;
  if (state.parser.got_some()) state.parser.put_eof(error);
  return state.parser.is_done() && !error ? Progress::Complete : refuse(400);
}

std::size_t RequestReader::buffered_bytes() const noexcept {
  return m_state->rest.capacity() + m_state->parser.get().body().capacity();
}

HttpRequest RequestReader::take() {
  auto message = m_state->parser.release();
  const std::string target = text_of(message.target());
  HttpRequest request;
  for (const auto& [name, value] : k_delivery_headers) request.*value = header_of(message, name);
  request.method = text_of(message.method_string());
  request.path = target.substr(0, target.find('?'));
  request.authorization = header_of(message, "authorization");
  request.body = std::move(message.body());
  return request;
}

}  // namespace svc::webhook
