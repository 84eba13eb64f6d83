#include "websocket/handshake.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "base/base64.h"
#include "base/text.h"
#include "base/wait.h"
#include "http/check.h"
#include "http/trace.h"
#include "websocket/channel.h"

namespace svc::websocket {
namespace {

/// A refusal says why in a few words; what is longer is not read to its end.
constexpr std::size_t k_max_refusal = 64U << 10U;

std::string fresh_key() {
  std::string bytes(16, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), 16) != 1) {
    throw std::runtime_error("the system gives no random numbers");
  }
  return base64_encode(bytes);
}

/// Headers that the handshake makes itself.
bool is_reserved(std::string_view name) {
  return equals_ignore_case(name, "upgrade") || to_lower(name).starts_with("sec-websocket-");
}

bool lists(std::string_view value, std::string_view word) {
  for (const std::string_view one : split(value, ',')) {
    if (equals_ignore_case(trim(one), word)) return true;
  }
  return false;
}

std::string as_http(std::string url) {
  if (url.starts_with("ws")) url.replace(0, 2, "http");
  return url;
}

/// Undoes chunks as far as they are there; nothing when the last one has not come.
std::optional<std::string> undo_chunks(std::string_view bytes) {
  std::string out;
  while (true) {
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    std::size_t size = 0;
    const auto parsed = std::from_chars(bytes.data(), bytes.data() + end, size, 16);
    if (parsed.ec != std::errc() || size > k_max_refusal) return out;
    if (size == 0) return out;
    bytes.remove_prefix(end + 2);
    if (bytes.size() < size + 2) return std::nullopt;
    out += bytes.substr(0, size);
    bytes.remove_prefix(size + 2);
  }
}

Error broken_rule(const std::string& peer, std::string_view what) {
  return Error{Fault::Network, fmt::format("{} does not speak WebSocket: {}", peer, what),
               "Check the address, and any proxy in between."};
}

using Clock = Channel::Clock;
using std::chrono::milliseconds;

/// Performs the handshake over an open connection.
class Opener {
 public:
  Opener(http::Connection& connection, Handshake& handshake, const ChannelOptions& options,
         const CancelToken& cancel)
      : m_connection(connection),
        m_handshake(handshake),
        m_cancel(cancel),
        m_limit(options.handshake),
        m_end(Clock::now() + options.handshake) {}

  Result<void> run() {
    SVC_CHECK(write());
    while (true) {
      std::array<char, 16'384> buffer;  // not cleared: it is written first
      SVC_TRY(got, m_connection.read(buffer));
      if (!got) {
        SVC_TRY(whole, m_handshake.ended());
        (void)whole;
        return {};
      }
      if (*got == 0) {
        SVC_CHECK(wait(POLLIN));
        continue;
      }
      SVC_TRY(whole, m_handshake.take({buffer.data(), *got}));
      if (whole) return {};
    }
  }

 private:
  Result<void> write() {
    std::string_view left = m_handshake.text();
    while (!left.empty()) {
      SVC_TRY(took, m_connection.write(left));
      left.remove_prefix(took);
      if (took == 0) SVC_CHECK(wait(POLLOUT));
    }
    return {};
  }

  Result<void> wait(short events) {
    pollfd socket{m_connection.descriptor(), events, 0};
    SVC_TRY(ready, svc::wait({&socket, 1}, m_end, m_cancel));
    if (ready) return {};
    return Error{
        Fault::Timeout,
        fmt::format("no answer to the WebSocket handshake within {}", format_duration(m_limit)),
        "Try again; the service or the network stalled."};
  }

  http::Connection& m_connection;
  Handshake& m_handshake;
  const CancelToken& m_cancel;
  milliseconds m_limit;
  Clock::time_point m_end;
};

void trace_head(const ChannelOptions& options, const OpenRequest& request,
                const Handshake& handshake) {
  if (!options.transport.trace) return;
  const http::Secrets secrets{request.bearer};
  http::trace_lines(options.transport.trace, "> ", handshake.text(), secrets);
  const http::HttpHead& head = handshake.head();
  http::trace_lines(options.transport.trace, "< ",
                    fmt::format("HTTP/{} {}", head.version, head.status), secrets);
  for (const Header& header : head.headers) {
    http::trace_lines(options.transport.trace, "< ",
                      fmt::format("{}: {}", header.name, header.value), secrets);
  }
}

}  // namespace

std::string accept_for(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::string digest(SHA_DIGEST_LENGTH, '\0');
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (SHA1(bytes, text.size(), reinterpret_cast<unsigned char*>(digest.data())) == nullptr) {
    throw std::bad_alloc();
  }
  return base64_encode(digest);
}

Result<Handshake> Handshake::make(const OpenRequest& request, std::string_view user_agent) {
  http::HttpRequest plain;
  plain.url = as_http(request.url);
  plain.headers = request.headers;
  plain.bearer = request.bearer;
  SVC_TRY(url, http::check_request(plain));
  for (const Header& header : request.headers) {
    if (!is_reserved(header.name)) continue;
    return usage_error(fmt::format("the header {} cannot be overridden", header.name),
                       "Leave it out; it follows from the request.");
  }
  Handshake made;
  made.m_key = fresh_key();
  made.m_peer = visible(url.authority(), Lines::Escape);
  made.m_subprotocols = request.subprotocols;
  const std::string origin = url.origin();
  std::string& text = made.m_text;
  text = fmt::format("GET {}{} HTTP/1.1\r\nHost: {}\r\n", url.path.empty() ? "/" : url.path,
                     url.query, origin.substr(origin.find("//") + 2));
  text += fmt::format(
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: {}\r\n",
      made.m_key);
  if (!request.subprotocols.empty()) {
    const std::vector<sv> names(request.subprotocols.begin(), request.subprotocols.end());
    text += fmt::format("Sec-WebSocket-Protocol: {}\r\n", join(names, ", "));
  }
  if (!user_agent.empty()) text += fmt::format("User-Agent: {}\r\n", user_agent);
  if (!request.bearer.empty()) text += fmt::format("Authorization: Bearer {}\r\n", request.bearer);
  for (const Header& header : request.headers) {
    text += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  text += "\r\n";
  return made;
}

Result<bool> Handshake::take(std::string_view bytes) {
  m_rest += bytes;
  bool upgraded = false;
  while (!m_head.complete() && !upgraded) {
    constexpr std::string_view protocol = "HTTP/";
    const std::size_t compared = std::min(m_rest.size(), protocol.size());
    if (m_head.head().status == 0 &&
        m_rest.compare(0, compared, protocol.substr(0, compared)) != 0) {
      return broken_rule(m_peer, "its answer is not HTTP");
    }
    const std::size_t end = m_rest.find('\n');
    if (end == std::string::npos) {
      if (m_rest.size() <= http::k_max_head_bytes) return false;
      return broken_rule(m_peer, "the headers of its answer have no end");
    }
    const std::string_view line = std::string_view(m_rest).substr(0, end + 1);
    auto complete = m_head.line(line);
    if (!complete) return broken_rule(m_peer, complete.error().message);
    // An end here, although other 1xx answers are followed by the real one.
    upgraded = m_head.head().status == 101 && trim(line).empty();
    m_rest.erase(0, end + 1);
  }
  return read_answer();
}

Result<bool> Handshake::read_answer() {
  const int status = m_head.head().status;
  if (status >= 200 && status < 300) {
    return broken_rule(m_peer, fmt::format("it answered {} instead of 101", status));
  }
  if (status != 101) return read_refusal();
  SVC_CHECK(check_upgrade());
  m_accepted = true;
  return true;
}

Result<void> Handshake::check_upgrade() const {
  const http::HttpHead& head = m_head.head();
  const auto value = [&](std::string_view name) { return head.header(name).value_or(""); };
  if (!lists(value("upgrade"), "websocket")) {
    return broken_rule(m_peer, "its answer has no Upgrade: websocket");
  }
  if (!lists(value("connection"), "upgrade")) {
    return broken_rule(m_peer, "its answer has no Connection: Upgrade");
  }
  if (trim(value("sec-websocket-accept")) != accept_for(m_key)) {
    return broken_rule(m_peer, "its accept key is wrong");
  }
  if (!trim(value("sec-websocket-extensions")).empty()) {
    return broken_rule(m_peer, "it wants an extension that was not asked for");
  }
  const std::string_view chosen = trim(value("sec-websocket-protocol"));
  if (chosen.empty()) return {};
  for (const std::string& offered : m_subprotocols) {
    if (offered == chosen) return {};
  }
  return broken_rule(m_peer, "it wants a subprotocol that was not asked for");
}

/// True when the body of the refusal is there, or as much of it as is read.
bool Handshake::read_refusal() {
  const http::HttpHead& head = m_head.head();
  m_body = m_rest.substr(0, k_max_refusal);
  if (m_rest.size() >= k_max_refusal || head.status == 204 || head.status == 304) return true;
  if (lists(head.header("transfer-encoding").value_or(""), "chunked")) {
    auto whole = undo_chunks(m_rest);
    if (whole) m_body = *std::move(whole);
    return whole.has_value();
  }
  const auto length = parse_integer(trim(head.header("content-length").value_or("")));
  if (!length) return false;  // it ends with the connection
  m_body.resize(std::min<std::size_t>(m_body.size(), static_cast<std::size_t>(*length)));
  return m_rest.size() >= static_cast<std::size_t>(*length);
}

Result<bool> Handshake::ended() {
  if (m_head.complete() && m_head.head().status != 101) return true;
  return Error{Fault::Network,
               fmt::format("{} closed the connection without an answer to the handshake", m_peer),
               "Try again; if it persists, check the network."};
}

Result<Opening> open_channel(const OpenRequest& request, const ChannelOptions& options,
                             const CancelToken& cancel) {
  SVC_TRY(handshake, Handshake::make(request, options.transport.user_agent));
  SVC_TRY(connection,
          http::open_connection(
              {.url = request.url, .bearer = request.bearer, .connect = options.connect},
              options.transport, cancel));
  SVC_CHECK(Opener(*connection, handshake, options, cancel).run());
  trace_head(options, request, handshake);
  Opening opening{.head = handshake.head()};
  if (!handshake.accepted()) {
    opening.refusal = handshake.refusal().body;
    return opening;
  }
  opening.channel =
      std::make_unique<Channel>(std::move(connection), options, handshake.take_rest());
  return opening;
}

}  // namespace svc::websocket
