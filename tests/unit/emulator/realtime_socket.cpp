// Realtime sessions over real connections: authorization, and how a session ends.
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core_support.h"
#include "emulator/handler/handler.h"
#include "socket_support.h"
#include "unit/emulator/realtime_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

std::vector<Route> realtime_and_phone() {
  auto routes = realtime_routes(std::make_shared<FakeSpeech>());
  for (Route& route : phone_routes()) routes.push_back(std::move(route));
  return routes;
}

class RealtimeServer {
 public:
  [[nodiscard]] std::uint16_t port() const { return server.port(); }
  nlohmann::json post(std::string_view path, const nlohmann::json& body, int expected = 200) {
    RawClient client(port());
    client.send(post_request(path, body.dump()));
    const std::string response = client.receive_response();
    CHECK_MESSAGE(response.substr(9, 3) == std::to_string(expected), response);
    return nlohmann::json::parse(response.substr(response.find("\r\n\r\n") + 4));
  }
  nlohmann::json show(std::string_view path) {
    RawClient client(port());
    client.send(get_request(path));
    const std::string response = client.receive_response();
    return nlohmann::json::parse(response.substr(response.find("\r\n\r\n") + 4));
  }
  std::string secret(const nlohmann::json& session) {
    return post("/v1/realtime/client_secrets", {{"session", session}})["value"];
  }
  std::string call() {
    (void)post("/v2/phone-numbers",
               {{"origin", "byo_trunk"}, {"name", "Desk"}, {"phone_number", "+14155550123"}});
    return post("/_emulator/calls", {{"to", "+14155550123"}})["call_id"];
  }
  TestServer server{realtime_and_phone()};
};

std::vector<Header> bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

/// Reads up to the first event of that type.
nlohmann::json wait_for(SocketClient& client, std::string_view type) {
  for (int i = 0; i < 1'000; ++i) {
    nlohmann::json event = client.receive_json();
    if (event["type"] == type) return event;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a session is opened by a key or a client secret") {
  RealtimeServer server;
  SocketClient by_key(
      server.port(),
      "/v1/realtime?model=svc-voice-think-fast-1.0&reasoning.effort=none&agent_id=a1");
  REQUIRE(by_key.is_open());
  const nlohmann::json session = wait_for(by_key, "session.created")["session"];
  CHECK(session["model"] == "svc-voice-think-fast-1.0");
  CHECK(session["reasoning"]["effort"] == "none");
  CHECK(session["agent_id"] == "a1");

  const std::string secret =
      server.secret({{"voice", "ara"}, {"model", "svc-voice-think-fast-2.0"}});
  SocketClient by_header(server.port(), "/v1/realtime", bearer(secret));
  REQUIRE(by_header.is_open());
  const nlohmann::json stored = wait_for(by_header, "session.created")["session"];
  CHECK(stored["voice"] == "ara");
  CHECK(stored["model"] == "svc-voice-think-fast-2.0");

  SocketClient by_protocol(server.port(), "/v1/realtime",
                           {{"Sec-WebSocket-Protocol", "svc-client-secret." + secret}});
  REQUIRE(by_protocol.is_open());
  CHECK(by_protocol.header("Sec-WebSocket-Protocol") == "svc-client-secret." + secret);
}

TEST_CASE("rejected connections") {
  RealtimeServer server;
  const auto expect_error = [&](const std::string& target, const std::vector<Header>& headers,
                                int status) {
    const SocketClient client(server.port(), target, headers);
    CHECK_FALSE(client.is_open());
    CHECK_MESSAGE(client.status() == status, target);
  };
  expect_error("/v1/realtime", {}, 401);
  expect_error("/v1/realtime", bearer("svc-wrong"), 400);
  expect_error("/v1/realtime", bearer("svc-realtime-client-secret-none"), 401);
  expect_error("/v1/realtime?model=svc-4.5", with_demo_key(), 400);
  expect_error("/v1/realtime?reasoning.effort=low", with_demo_key(), 400);
  const std::string secret = server.secret({{"voice", "ara"}});
  const auto aged = server.server.state().change([&](Database& database) {
    return database.change("UPDATE client_secrets SET expires_at = 1 WHERE value = ?", secret);
  });
  REQUIRE(aged);
  expect_error("/v1/realtime", bearer(secret), 401);
  expect_error("/v1/realtime?call_id=none", with_demo_key(), 400);
  const std::string call = server.call();
  expect_error("/v1/realtime?call_id=" + call, bearer(server.secret({})), 403);
  (void)server.post("/v1/realtime/calls/" + call + "/hangup", nlohmann::json::object());
  expect_error("/v1/realtime?call_id=" + call, with_demo_key(), 404);
}

TEST_CASE("a team can have ten concurrent sessions") {
  RealtimeServer server;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server.port(), "/v1/realtime"));
    REQUIRE(clients.back()->is_open());
  }
  CHECK(SocketClient(server.port(), "/v1/realtime").status() == 429);
  clients.back()->close();
  bool free = false;
  for (int i = 0; i < 100 && !free; ++i) {
    free = SocketClient(server.port(), "/v1/realtime").is_open();
    if (!free) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(free);
}

TEST_CASE("a turn over the network, and a close during it") {
  RealtimeServer server;
  auto headers = with_demo_key();
  headers.push_back({"x-emulator-delay-ms", "0"});
  SocketClient client(server.port(), "/v1/realtime", headers);
  const auto ask = [](SocketClient& whom) {
    whom.send_text(
        R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello there"}]}})");
    whom.send_text(R"({"type":"response.create"})");
  };
  ask(client);
  const nlohmann::json done = wait_for(client, "response.done")["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["output"][0]["content"][0]["transcript"].get<std::string>().find("2 words") !=
        std::string::npos);

  server.server.add_fault("GET /v1/realtime: close-after 6 4001 \"no more\"");
  SocketClient cut(server.port(), "/v1/realtime", headers);
  ask(cut);
  for (int i = 0; i < 6; ++i) (void)cut.receive_json();
  const auto end = cut.receive();
  CHECK(end.kind == SocketClient::Message::Kind::Closed);
  CHECK(end.code == 4001);
  CHECK(end.bytes == "no more");
}

TEST_CASE("a session ends with its call") {
  RealtimeServer server;
  const std::string call = server.call();
  SocketClient client(server.port(), "/v1/realtime?call_id=" + call);
  REQUIRE(client.is_open());
  (void)wait_for(client, "conversation.created");
  CHECK(server.show("/_emulator/calls/" + call)["state"] == "active");
  (void)server.post("/v1/realtime/calls/" + call + "/refer", {{"target_uri", "tel:+14155550100"}});
  const auto end = client.receive();
  CHECK(end.kind == SocketClient::Message::Kind::Closed);
  CHECK(end.code == 1000);
  CHECK(end.bytes == "The call is over.");
}
