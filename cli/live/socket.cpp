#include "live/socket.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "client/api_error.h"
#include "client/credentials.h"
#include "operation/runner.h"
#include "session/secret_value.h"

namespace svc::cli {
namespace {

/// In front of a client secret that takes the key's place.
constexpr sv k_secret_protocol = "svc-client-secret.";

std::vector<std::string> subprotocols(const Invocation& invocation) {
  std::vector<std::string> offered;
  for (const request::Given& given : invocation.inputs.given) {
    if (given.field->flag == "subprotocol") offered.push_back(given.text);
  }
  return offered;
}

}  // namespace

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

Result<websocket::OpenRequest> socket_request(Session& session, const request::Request& request) {
  SVC_CHECK(session.cost_tracker().may_spend());
  SVC_CHECK(session.ensure_emulator());
  websocket::OpenRequest open{.url = request.url,
                              .headers = request.headers,
                              .subprotocols = subprotocols(session.invocation())};
  if (open.url.starts_with('/')) {  // it was prepared before there was an emulator
    SVC_TRY(base, session.base_url(Host::Realtime));
    open.url = base + open.url;
  }
  SVC_TRY(secret, secret_flag(session, "protocol-secret"));
  if (secret) {
    SVC_CHECK(check_key("--protocol-secret", *secret));
    open.subprotocols.push_back(fmt::format("{}{}", k_secret_protocol, *secret));
  } else {
    SVC_TRY(bearer, session.key(Host::Realtime));
    open.bearer = bearer;
  }
  return open;
}

Result<void> show_socket(Session& session, request::Request request) {
  const Invocation& invocation = session.invocation();
  std::vector<std::string> offered = subprotocols(invocation);
  if (const auto given = invocation.value("protocol-secret")) {
    const Field* field = find_field(*invocation.operation, "protocol-secret");
    SVC_TRY(source, request::parse_secret_source(*field, *given));
    request.variables.push_back(request::secret_variable(*field, source));
    offered.push_back(fmt::format("{}{}", k_secret_protocol, request.variables.back()));
    request.keyless = true;
  }
  request.headers.insert(request.headers.begin(),
                         {{"Connection", "Upgrade"},
                          {"Upgrade", "websocket"},
                          {"Sec-WebSocket-Version", "13"},
                          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}});
  if (!offered.empty()) {
    request.headers.push_back(
        {"Sec-WebSocket-Protocol", fmt::format("{}", fmt::join(offered, ", "))});
  }
  if (session.globals().curl && request.url.starts_with("ws")) request.url.replace(0, 2, "http");
  if (session.globals().curl) request.body = {};  // messages are not curl's
  return show(session, request);
}

Result<std::unique_ptr<websocket::Channel>> open_socket(Session& session,
                                                        const request::Request& request) {
  SVC_TRY(open, socket_request(session, request));
  SVC_TRY(opening, websocket::open_channel(open, channel_options(session), session.cancel_token()));
  return channel_of(std::move(opening), session.secrets());
}

Result<std::unique_ptr<websocket::Channel>> channel_of(websocket::Opening opening,
                                                       std::span<const std::string> secrets) {
  if (opening.channel == nullptr) return api_error(opening.head, opening.refusal, secrets);
  return std::move(opening.channel);
}

bool may_come_back(const websocket::Close& close) {
  if (close.code == websocket::k_abnormal_closure) return true;
  // RFC 6455 §7.4.1 and its registry: internal error, restart, try again later.
  return !close.ours && (close.code == 1011 || close.code == 1012 || close.code == 1013);
}

bool closed_in_order(const websocket::Close& close) {
  constexpr std::uint16_t k_going_away = 1001;
  return close.code == websocket::k_normal_closure || close.code == k_going_away ||
         close.code == websocket::k_no_status;
}

void say_goodbye(websocket::Channel& channel, std::uint16_t code) {
  channel.close(code);
  const NeverCancelled nobody;
  const auto until = websocket::Channel::Clock::now() +
                     std::chrono::milliseconds(code == websocket::k_normal_closure ? 500 : 50);
  while (websocket::Channel::Clock::now() < until) {
    const auto got = channel.receive(nobody, until);
    if (!got || got->what == websocket::Arrival::Closed) break;
  }
}

}  // namespace svc::cli
