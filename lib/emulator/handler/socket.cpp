#include "emulator/handler/socket.h"

namespace svc::emulator {
namespace {

// Returns the elements of all headers with that name (RFC 9110, section 5.3).
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

Response upgrade_error(sv why) {
  Response response = error_response(426, "Upgrade required", why);
  response.headers = {
      {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Version", "13"}};
  return response;
}

// Validates the handshake (RFC 6455, section 4.2.1).
std::optional<Response> check_handshake(const Request& request) {
  if (!is_upgrade(request.headers)) {
    return upgrade_error(
        "This operation is a WebSocket: connect to it with wss:// (ws:// on this machine).");
  }
  if (trim(request.header("Sec-WebSocket-Version").value_or("")) != "13") {
    return upgrade_error("The version of the WebSocket protocol is 13.");
  }
  if (!is_socket_key(trim(request.header("Sec-WebSocket-Key").value_or("")))) {
    return invalid_argument_error("Sec-WebSocket-Key holds no 16 bytes in base64.");
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

Response open_socket(const Request& request, const SocketFactory& factory) {
  if (auto error = check_handshake(request)) return *std::move(error);
  auto opened = factory(request);
  if (auto* error = std::get_if<Response>(&opened)) return std::move(*error);
  auto offer = std::make_shared<SocketOffer>();
  offer->session = std::get<std::shared_ptr<SocketSession>>(std::move(opened));
  offer->key = trim(request.header("Sec-WebSocket-Key").value_or(""));
  offer->protocol = agreed_protocol(request.headers);
  return Response{.status = 101, .socket = std::move(offer)};
}

}  // namespace

Route socket_route(SocketRoute socket) {
  Route route{"GET", std::move(socket.path),
              [factory = std::move(socket.factory)](const Request& request) {
                return open_socket(request, factory);
              }};
  route.endpoint_acl = std::move(socket.endpoint_acl);
  route.secrets = std::move(socket.secrets);
  return route;
}

bool asks_for_socket(const HttpRequest& request) {
  return is_upgrade(request.headers);
}

std::optional<std::string> offered_secret(const HttpRequest& request) {
  const sv authorization = trim(request.header("Authorization"));
  if (authorization.empty()) {
    const std::string protocol = agreed_protocol(request.headers);
    if (protocol.empty()) return std::nullopt;
    return protocol.substr(k_secret_protocol.size());
  }
  const auto space = authorization.find(' ');
  if (space == sv::npos) return std::nullopt;
  const sv token = trim(authorization.substr(space));
  if (!token.starts_with(k_secret_prefix)) return std::nullopt;
  return std::string(token);
}

}  // namespace svc::emulator
