#include "websocket/open_channel.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wait.h"
#include "http/trace.h"
#include "websocket/handshake.h"

namespace svc::websocket {
namespace {

using Clock = WebSocket::Clock;
using std::chrono::milliseconds;

/// Performs the handshake over an open connection.
class HandshakeRunner {
 public:
  HandshakeRunner(http::Connection& connection, Handshake& handshake, const ChannelOptions& options,
                  const CancelToken& cancel)
      : m_connection(connection),
        m_handshake(handshake),
        m_cancel(cancel),
        m_limit(options.handshake),
        m_end(Clock::now() + options.handshake) {}

  Result<void> run() {
    SVC_CHECK(write());
    while (true) {
      std::array<char, 16'384> buffer;  // not initialised: it is written first
      SVC_TRY(got, m_connection.read(buffer));
      if (!got) {
        SVC_CHECK(m_handshake.ended());
        return {};
      }
      if (*got == 0) {
        SVC_CHECK(wait(POLLIN));
        continue;
      }
      SVC_TRY(whole, m_handshake.feed({buffer.data(), *got}));
      if (whole) return {};
    }
  }

 private:
  Result<void> write() {
    std::string_view left = m_handshake.text();
    while (!left.empty()) {
      SVC_TRY(written, m_connection.write(left));
      left.remove_prefix(written);
      if (written == 0) SVC_CHECK(wait(POLLOUT));
    }
    return {};
  }

  Result<void> wait(short events) {
    pollfd socket{m_connection.descriptor(), events, 0};
    SVC_TRY(ready, svc::wait({&socket, 1}, m_end, m_cancel));
    if (ready) return {};
    return Error{Fault::Timeout,
                 fmt::format("WebSocket handshake timed out after {}", format_duration(m_limit)),
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

Result<OpenResult> open_channel(const OpenRequest& request, const ChannelOptions& options,
                                const CancelToken& cancel) {
  SVC_TRY(handshake, Handshake::make(request, options.transport.user_agent));
  SVC_TRY(connection,
          http::open_connection(
              {.url = request.url, .bearer = request.bearer, .connect = options.connect},
              options.transport, cancel));
  SVC_CHECK(HandshakeRunner(*connection, handshake, options, cancel).run());
  trace_head(options, request, handshake);
  OpenResult result{.head = handshake.head()};
  if (!handshake.accepted()) {
    result.refusal = handshake.refusal();
    return result;
  }
  result.channel =
      std::make_unique<WebSocket>(std::move(connection), options, handshake.take_rest());
  return result;
}

}  // namespace svc::websocket
