#include "socket.h"

#include "client/api_error.h"

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
  return options;
}

Result<std::unique_ptr<websocket::Channel>> open_socket(Session& session, const std::string& path,
                                                        websocket::OpenRequest request) {
  SVC_CHECK(session.ensure_emulator());
  SVC_TRY(base, session.base_url(Host::Realtime));
  SVC_TRY(key, session.key(Host::Realtime));
  request.url = base + path;
  request.bearer = key;
  SVC_TRY(opening, websocket::open_channel(request, channel_options(session), session.stop()));
  if (opening.channel == nullptr) {
    return api_error(opening.head, opening.refusal, session.secrets());
  }
  return std::move(opening.channel);
}

}  // namespace svc::cli
