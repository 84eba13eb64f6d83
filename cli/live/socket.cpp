#include "live/socket.h"

#include <algorithm>

#include "client/api_error.h"
#include "live/reconnect.h"
#include "operation/runner.h"

namespace svc::cli {

websocket::ChannelOptions channel_options(Session& session) {
  websocket::ChannelOptions options;
  options.transport.user_agent = "svc/" SVC_VERSION;
  if (session.globals().verbose) {
    options.transport.trace = [&session](sv line) {
      session.notices().detail(scrub(std::string(line), session.secrets()));
    };
  }
  options.connect = timeouts_of(session.settings()).connect;
  // A peer that answers no ping is gone; one that has nothing to say is not.
  options.dead_after = std::min(options.dead_after, timeouts_of(session.settings()).idle);
  options.ping_after = options.dead_after / 2;
  return options;
}

Result<websocket::OpenRequest> socket_request(Session& session, const std::string& path,
                                              websocket::OpenRequest request, SocketKey key) {
  SVC_CHECK(session.cost_tracker().may_spend());
  SVC_CHECK(session.ensure_emulator());
  SVC_TRY(base, session.base_url(Host::Realtime));
  if (key == SocketKey::Send) {
    SVC_TRY(bearer, session.key(Host::Realtime));
    request.bearer = bearer;
  }
  request.url = base + path;
  return request;
}

Result<std::unique_ptr<websocket::Channel>> open_socket(Session& session, const std::string& path,
                                                        websocket::OpenRequest request,
                                                        SocketKey key) {
  SVC_TRY(complete, socket_request(session, path, std::move(request), key));
  SVC_TRY(opening,
          websocket::open_channel(complete, channel_options(session), session.cancel_token()));
  return channel_of(std::move(opening), session.secrets());
}

std::string socket_path(const request::Request& request) {
  const std::string& url = request.url;
  const std::size_t scheme = url.find("://");
  const std::size_t path = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

Result<void> show_socket(Session& session, request::Request request) {
  request.headers.insert(request.headers.begin(),
                         {{"Connection", "Upgrade"},
                          {"Upgrade", "websocket"},
                          {"Sec-WebSocket-Version", "13"},
                          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
  if (session.globals().curl && request.url.starts_with("ws")) request.url.replace(0, 2, "http");
  if (session.globals().curl) request.body = {};  // messages are not curl's
  return show(session, request);
}

}  // namespace svc::cli
