// Incoming calls over real connections: the emulator's own server receives the webhook too.
#include <array>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "core_support.h"
#include "emulator/api/media/media.h"
#include "emulator/api/phone/phone.h"
#include "emulator/handler/handler.h"

using namespace svc;
using namespace svc::emulator;
using namespace svc::test;

namespace {

struct Received {
  std::string id{}, timestamp{}, signature{}, authorization{}, body{};
};

/// A webhook endpoint that records its requests.
class WebhookReceiver {
 public:
  Response take(const Request& call) {
    const std::lock_guard lock(m_mutex);
    Received received{call.header("webhook-id").value_or(""),
                      call.header("webhook-timestamp").value_or(""),
                      call.header("webhook-signature").value_or(""),
                      call.header("Authorization").value_or(""), call.body};
    m_received.push_back(std::move(received));
    m_changed.notify_all();
    Response response;
    response.status = m_received.size() <= refusals ? 503 : 204;
    return response;
  }
  std::vector<Received> wait_for(std::size_t count) {
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, std::chrono::seconds(10), [&] { return m_received.size() >= count; });
    return m_received;
  }
  std::size_t refusals = 0;  ///< set before the first call

 private:
  std::mutex m_mutex{};
  std::condition_variable m_changed{};
  std::vector<Received> m_received{};
};

std::vector<Route> routes_with(WebhookReceiver& hook) {
  auto routes = all_routes();
  routes.push_back({.method = "POST",
                    .path = "/hook",
                    .handler = [&hook](const Request& call) { return hook.take(call); },
                    .key = KeyRequirement::None});
  routes.push_back({.method = "POST",
                    .path = "/token",
                    .handler =
                        [](const Request& call) {
                          Response response;
                          const bool granted =
                              call.header("Authorization") == "Bearer client" &&
                              call.header("Content-Type") == "application/x-www-form-urlencoded" &&
                              call.body == "grant_type=client_credentials";
                          response.status = granted ? 200 : 401;
                          response.body = R"({"access_token":"exchanged"})";
                          return response;
                        },
                    .input = Input::Free,
                    .key = KeyRequirement::None});
  routes.push_back({.method = "POST",
                    .path = "/nothing",
                    .handler = [](const Request&) { return Response{.body = "{}"}; },
                    .input = Input::Free,
                    .key = KeyRequirement::None});
  return routes;
}

class Line {
 public:
  Line() : m_server(routes_with(hook)) {}

  nlohmann::json request(std::string_view path, const nlohmann::json& body) {
    return exchange(post_request(path, body.dump(), "Connection: close\r\n"));
  }
  nlohmann::json show(std::string_view path) {
    return exchange(get_request(path, "Connection: close\r\n"));
  }
  nlohmann::json exchange(const std::string& request) {
    RawClient client(m_server.port());
    client.send(request);
    const std::string response = client.receive_all();
    status = std::stoi(response.substr(9, 3));
    const auto begin = response.find('{');
    if (begin == std::string::npos) return nullptr;
    return nlohmann::json::parse(response.substr(begin, response.rfind('}') - begin + 1), nullptr,
                                 false);
  }
  /// Registers +14155550123 with the webhook, and returns its signing secret.
  std::string register_hook(nlohmann::json webhook = nlohmann::json::object()) {
    webhook["url"] = fmt::format("http://127.0.0.1:{}/hook", m_server.port());
    const nlohmann::json created = request("/v2/phone-numbers", {{"origin", "byo_trunk"},
                                                                 {"name", "Desk"},
                                                                 {"phone_number", "+14155550123"},
                                                                 {"webhook", std::move(webhook)}});
    REQUIRE(status == 200);
    return created["webhook"]["dispatch_signing_secret"];
  }
  std::string url(std::string_view path) {
    return fmt::format("http://127.0.0.1:{}{}", m_server.port(), path);
  }

  WebhookReceiver hook{};
  int status = 0;

 private:
  TestServer m_server;
};

}  // namespace

TEST_CASE("an incoming call is a signed event, and is transferred") {
  Line line;
  const std::string secret = line.register_hook({{"auth_token", "me"}});
  const nlohmann::json call =
      line.request("/_emulator/calls", {{"to", "+14155550123"}, {"from", "+18005550199"}});
  REQUIRE(line.status == 200);
  CHECK(call["state"] == "ringing");
  CHECK(call["webhook"]["delivered"] == true);
  CHECK(call["webhook"]["attempts"] == nlohmann::json::parse(R"([{"status":204}])"));
  const Received deliveries = line.hook.wait_for(1).at(0);
  CHECK(deliveries.authorization == "Bearer me");
  CHECK(deliveries.signature == phone::sign_delivery(secret, deliveries.id,
                                                     std::stoll(deliveries.timestamp),
                                                     deliveries.body));
  const nlohmann::json event = nlohmann::json::parse(deliveries.body);
  CHECK(event["object"] == "event");
  CHECK(event["type"] == "realtime.call.incoming");
  CHECK(event["id"] == deliveries.id);
  CHECK(std::abs(event["created_at"].get<std::int64_t>() - unix_now()) < 60);
  CHECK(event["data"]["call_id"] == call["call_id"]);
  CHECK(event["data"]["sip_headers"] ==
        nlohmann::json::parse(
            R"([{"name":"From","value":"+18005550199"},{"name":"To","value":"+14155550123"}])"));

  const std::string path = "/v1/realtime/calls/" + call["call_id"].get<std::string>();
  (void)line.request(path + "/refer", {{"target_uri", "mailto:a@b"}});
  CHECK(line.status == 400);
  (void)line.request(path + "/refer", {{"target_uri", "sip:ann@pbx.example"}});
  CHECK(line.status == 200);
  (void)line.request(path + "/hangup", nlohmann::json::object());
  CHECK(line.status == 404);
  const nlohmann::json expect_error =
      line.request("/v1/realtime/calls/nonsense/hangup", nlohmann::json::object());
  CHECK(line.status == 400);
  CHECK(expect_error["error"] == "invalid call_id");
}

TEST_CASE("a call is hung up") {
  Line line;
  line.register_hook();
  const nlohmann::json call =
      line.request("/_emulator/calls", {{"to", "+14155550123"}, {"wait", false}});
  CHECK(line.request("/v1/realtime/calls/" + call["call_id"].get<std::string>() + "/hangup",
                     nlohmann::json::object()) == nlohmann::json::object());
  CHECK(line.status == 200);
}

TEST_CASE("a rejected delivery is retried with the same ID") {
  Line line;
  line.hook.refusals = 1;
  const std::string secret = line.register_hook();
  const nlohmann::json call = line.request("/_emulator/calls", {{"to", "+14155550123"}});
  CHECK(call["webhook"]["attempts"] == nlohmann::json::parse(R"([{"status":503},{"status":204}])"));
  const auto deliveries = line.hook.wait_for(2);
  REQUIRE(deliveries.size() == 2);
  CHECK(deliveries[0].id == deliveries[1].id);
  CHECK(deliveries[1].signature == phone::sign_delivery(secret, deliveries[1].id,
                                                        std::stoll(deliveries[1].timestamp),
                                                        deliveries[1].body));
}

TEST_CASE("deliveries are retried after 0.5 s and 2 s more, and signed with the real time") {
  Line line;
  line.hook.refusals = 2;
  line.register_hook();
  (void)line.request("/_emulator/clock", {{"advance", "30d"}});
  const auto begin = std::chrono::steady_clock::now();
  const nlohmann::json call = line.request("/_emulator/calls", {{"to", "+14155550123"}});
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(call["webhook"]["attempts"] ==
        nlohmann::json::parse(R"([{"status":503},{"status":503},{"status":204}])"));
  CHECK(took >= std::chrono::milliseconds(2'400));
  CHECK(took < std::chrono::milliseconds(6'000));
  for (const Received& delivery : line.hook.wait_for(3)) {
    const auto off = std::stoll(delivery.timestamp) - std::time(nullptr);
    CHECK(std::abs(off) < 60);
  }
}

TEST_CASE("intentionally invalid deliveries") {
  Line line;
  const std::string secret = line.register_hook();
  (void)line.request("/_emulator/calls", {{"to", "+14155550123"},
                                          {"deliveries", 2},
                                          {"wrong_signature", true},
                                          {"timestamp_offset", -600}});
  const auto deliveries = line.hook.wait_for(2);
  REQUIRE(deliveries.size() == 2);
  CHECK(deliveries[0].id == deliveries[1].id);
  CHECK(std::stoll(deliveries[0].timestamp) <= unix_now() - 590);
  CHECK(deliveries[0].signature != phone::sign_delivery(secret, deliveries[0].id,
                                                        std::stoll(deliveries[0].timestamp),
                                                        deliveries[0].body));
}

TEST_CASE("an event is delivered up to ten times, with a time that is off by up to a billion") {
  Line line;
  (void)line.register_hook();
  const auto attempts = [&](const nlohmann::json& more) {
    nlohmann::json body = {{"to", "+14155550123"}};
    body.update(more);
    return line.request("/_emulator/calls", body)["webhook"]["attempts"].size();
  };
  CHECK(attempts({{"deliveries", 0}}) == 1);
  CHECK(attempts({{"deliveries", 10}}) == 10);
  CHECK(attempts({{"deliveries", 11}}) == 10);
  CHECK(attempts({{"timestamp_offset", 2'000'000'000}}) == 1);
  CHECK(attempts({{"timestamp_offset", -2'000'000'000}}) == 1);
  const auto deliveries = line.hook.wait_for(23);
  REQUIRE(deliveries.size() == 23);
  const auto off = [&](std::size_t i) { return std::stoll(deliveries[i].timestamp) - unix_now(); };
  CHECK(std::abs(off(0)) < 60);
  CHECK(std::abs(off(21) - 1'000'000'000) < 60);
  CHECK(std::abs(off(22) + 1'000'000'000) < 60);
}

TEST_CASE("an event is not delivered again once its call has ended") {
  Line line;
  line.hook.refusals = 9;
  (void)line.register_hook();
  nlohmann::json call = line.request("/_emulator/calls", {{"to", "+14155550123"}, {"wait", false}});
  const std::string id = call["call_id"];
  const auto wait_until = [&](const auto& holds) {
    for (int i = 0; i < 2'000 && !holds(call["webhook"]); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      call = line.show("/_emulator/calls/" + id);
    }
    REQUIRE(holds(call["webhook"]));
  };
  wait_until([](const nlohmann::json& webhook) { return !webhook["attempts"].empty(); });
  CHECK(call["webhook"]["settled"] == false);
  (void)line.request("/v1/realtime/calls/" + id + "/hangup", nlohmann::json::object());
  CHECK(line.status == 200);
  wait_until([](const nlohmann::json& webhook) { return webhook["settled"] == true; });
  CHECK(call["state"] == "ended");
  CHECK(call["webhook"]["delivered"] == false);
  CHECK(call["webhook"]["attempts"].size() < 4);  // usually 2: the next one was due already
}

TEST_CASE("a rejected forged delivery is not retried") {
  Line line;
  line.hook.refusals = 9;
  (void)line.register_hook();
  const nlohmann::json call =
      line.request("/_emulator/calls", {{"to", "+14155550123"}, {"timestamp_offset", -600}});
  CHECK(call["webhook"]["attempts"] == nlohmann::json::parse(R"([{"status":503}])"));
  CHECK(call["webhook"]["delivered"] == false);
}

TEST_CASE("a token is exchanged if the webhook requires it") {
  Line line;
  line.register_hook({{"auth_url", line.url("/token")}, {"auth_token", "client"}});
  (void)line.request("/_emulator/calls", {{"to", "+14155550123"}});
  CHECK(line.hook.wait_for(1).at(0).authorization == "Bearer exchanged");
}

TEST_CASE("a refused exchange of the token is the attempt's error") {
  Line line;
  line.register_hook({{"auth_url", line.url("/token")}, {"auth_token", "stranger"}});
  const nlohmann::json call =
      line.request("/_emulator/calls", {{"to", "+14155550123"}, {"timestamp_offset", 1}});
  CHECK(call["webhook"]["attempts"] ==
        nlohmann::json::parse(
            R"([{"error":"auth_url answered with status 401 and an access_token."}])"));
  CHECK(call["webhook"]["delivered"] == false);
  CHECK(call["webhook"]["settled"] == true);
  Line other;
  other.register_hook({{"auth_url", other.url("/nothing")}, {"auth_token", "client"}});
  CHECK(other.request("/_emulator/calls",
                      {{"to", "+14155550123"}, {"timestamp_offset", 1}})["webhook"]["attempts"] ==
        nlohmann::json::parse(
            R"([{"error":"auth_url answered with status 200 and no access_token."}])"));
}

TEST_CASE("closing without a response rejects the delivery") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  std::thread peer([&] {  // reads the request, then sends nothing
    const int connection = ::accept(listener, nullptr, nullptr);
    std::array<char, 4096> bytes{};
    (void)::recv(connection, bytes.data(), bytes.size(), 0);
    ::close(connection);
  });
  const auto posted =
      media::post(fmt::format("http://127.0.0.1:{}/hook", ntohs(address.sin_port)), "", "{}");
  peer.join();
  ::close(listener);
  REQUIRE_FALSE(posted.has_value());
  CHECK(posted.error().message.find("without an answer") != std::string::npos);
}

TEST_CASE("calls that are impossible") {
  Line line;
  (void)line.request("/_emulator/calls", {{"to", "+14155550000"}});
  CHECK(line.status == 404);
  line.register_hook();
  for (const char* more : {R"({"dtmf":"12x"})", R"({"input":"????"})", R"({"input":"UklGRg=="})",
                           R"({"input":"T2dnUw=="})"}) {
    nlohmann::json body = nlohmann::json::parse(more);
    body["to"] = "+14155550123";
    (void)line.request("/_emulator/calls", body);
    CHECK_MESSAGE(line.status == 400, more);
  }
}
