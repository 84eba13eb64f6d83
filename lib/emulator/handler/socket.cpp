#include "emulator/handler/socket.h"

#include <algorithm>

#include "base/text.h"
#include "emulator/handler/http_call.h"

namespace svc::emulator {
namespace {

// Returns the elements of all headers with that name: "a, b" and two headers are equivalent (RFC
// 9110, section 5.3).
std::vector<std::string> listed(const std::vector<Header>& headers, sv name) {
  std::vector<std::string> parts;
  for (const Header& header : headers) {
    if (!equals_ignore_case(header.name, name)) continue;
    for (const sv part : split(header.value, ',')) {
      if (!trim(part).empty()) parts.emplace_back(trim(part));
    }
  }
  return parts;
}

bool lists(const std::vector<Header>& headers, sv name, sv wanted) {
  const auto parts = listed(headers, name);
  return std::ranges::any_of(
      parts, [&](const std::string& part) { return equals_ignore_case(part, wanted); });
}

bool is_upgrade(const std::vector<Header>& headers) {
  return lists(headers, "Upgrade", "websocket") && lists(headers, "Connection", "upgrade");
}

// 16 bytes in base64 are 22 characters and "==".
bool is_socket_key(sv key) {
  const sv letters = key.substr(0, std::min<std::size_t>(key.size(), 22));
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(letters, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
         });
}

Answer refuse_upgrade(sv why) {
  Answer answer = refuse(426, "Upgrade required", why);
  answer.headers = {
      {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Version", "13"}};
  return answer;
}

// Validates the handshake (RFC 6455, section 4.2.1).
std::optional<Answer> check_handshake(const Call& call) {
  if (!is_upgrade(call.headers)) {
    return refuse_upgrade(
        "This operation is a WebSocket: connect to it with wss:// (ws:// on this machine).");
  }
  if (trim(call.header("Sec-WebSocket-Version").value_or("")) != "13") {
    return refuse_upgrade("The version of the WebSocket protocol is 13.");
  }
  if (!is_socket_key(trim(call.header("Sec-WebSocket-Key").value_or("")))) {
    return refuse_argument("Sec-WebSocket-Key holds no 16 bytes in base64.");
  }
  return std::nullopt;
}

// Only the protocol of a client secret is supported: browsers require it in the response.
std::string agreed_protocol(const std::vector<Header>& headers) {
  for (std::string& protocol : listed(headers, "Sec-WebSocket-Protocol")) {
    if (protocol.starts_with(k_secret_protocol)) return std::move(protocol);
  }
  return {};
}

Answer open_socket(const Call& call, const SocketFactory& factory) {
  if (auto refusal = check_handshake(call)) return *std::move(refusal);
  auto opened = factory(call);
  if (auto* refusal = std::get_if<Answer>(&opened)) return std::move(*refusal);
  auto offer = std::make_shared<SocketOffer>();
  offer->session = std::get<std::shared_ptr<SocketSession>>(std::move(opened));
  offer->key = trim(call.header("Sec-WebSocket-Key").value_or(""));
  offer->protocol = agreed_protocol(call.headers);
  Answer answer;
  answer.status = 101;
  answer.socket = std::move(offer);
  return answer;
}

}  // namespace

Route socket_route(SocketRoute socket) {
  Route route{"GET", std::move(socket.path),
              [factory = std::move(socket.factory)](const Call& call) {
                return open_socket(call, factory);
              }};
  route.endpoint_acl = std::move(socket.endpoint_acl);
  route.secrets = std::move(socket.secrets);
  return route;
}

bool asks_for_socket(const HttpCall& call) {
  return is_upgrade(call.headers);
}

std::optional<std::string> offered_secret(const HttpCall& call) {
  const sv authorization = trim(call.header("Authorization"));
  if (authorization.empty()) {
    const std::string protocol = agreed_protocol(call.headers);
    if (protocol.empty()) return std::nullopt;
    return protocol.substr(k_secret_protocol.size());
  }
  const auto blank = authorization.find(' ');
  if (blank == sv::npos) return std::nullopt;
  const sv token = trim(authorization.substr(blank));
  if (!token.starts_with(k_secret_prefix)) return std::nullopt;
  return std::string(token);
}

}  // namespace svc::emulator
