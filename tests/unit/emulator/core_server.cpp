#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "emulator/server/connection.h"
#include "support/mentions.h"
#include "unit/emulator/core_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace std::chrono_literals;
using test::get_request;
using test::mentions;
using test::post_request;
using test::RawClient;
using test::TestServer;
using Clock = std::chrono::steady_clock;

namespace {

// A stream of `count` events, each `pause` after the previous one.
emulator::Handler counting(int count, std::chrono::milliseconds pause) {
  return [=](const Request&) {
    Response response;
    response.content_type = "text/event-stream";
    response.next = [=, i = 0]() mutable -> std::optional<StreamChunk> {
      if (i >= count) return std::nullopt;
      ++i;
      return StreamChunk{fmt::format("data: {}\n\n", i), i == 1 ? 0ms : pause};
    };
    return response;
  };
}

std::vector<Route> routes() {
  const auto echo = [](const Request& call) {
    Response response;
    response.body = call.body.size() > 100 ? std::to_string(call.body.size()) : call.body;
    response.headers = {{"X-Echo", call.header("X-Say").value_or("")}};
    return response;
  };
  const auto hello = [](const Request& call) {
    Response response;
    response.content_type = "text/plain";
    response.body = "hello " + call.query_value("name").value_or("nobody");
    return response;
  };
  const auto nothing = [](const Request&) {
    Response response;
    response.status = 202;
    response.content_type = "";
    return response;
  };
  const auto late = [](const Request&) {
    Response response;
    response.body = "late";
    response.delay = 60ms;
    return response;
  };
  const auto gaps = [](const Request&) {
    Response response;
    response.next = [i = 0]() mutable -> std::optional<StreamChunk> {
      if (i == 6) return std::nullopt;
      return StreamChunk{std::string(static_cast<std::size_t>(i++ % 3), 'x')};
    };
    return response;
  };
  return {{"POST", "/echo", echo},
          {"GET", "/late", late},
          {"GET", "/gaps", gaps},
          {"GET", "/hello", hello},
          {"GET", "/nothing", nothing},
          {"GET", "/three", counting(3, 150ms)},
          {"GET", "/endless", counting(1'000'000'000, 1ms)},
          {"GET", "/flood", counting(1'000'000'000, 0ms)}};
}

}  // namespace

TEST_CASE("one connection serves several requests") {
  TestServer server(routes());
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get_request(fmt::format("/hello?name=a%20{}", i)));
    const std::string response = client.receive_response();
    CHECK(response.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(response.ends_with(fmt::format("\r\n\r\nhello a {}", i)));
    CHECK_FALSE(mentions(response, "Connection:"));
  }
  client.send(get_request("/hello", "Connection: close\r\n"));
  CHECK(mentions(client.receive_all(), "Connection: close\r\n"));
  CHECK(client.ended());
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("an answer may be sent later; a stream goes on past pieces without text") {
  TestServer server(routes());
  RawClient client(server.port());
  const auto begin = Clock::now();
  client.send(get_request("/late"));
  CHECK(client.receive_response().ends_with("\r\n\r\nlate"));
  CHECK(Clock::now() - begin >= 60ms);
  client.send(get_request("/gaps", "Connection: close\r\n"));
  CHECK(client.receive_all().ends_with(
      "\r\n\r\n1\r\nx\r\n2\r\nxx\r\n1\r\nx\r\n2\r\nxx\r\n0\r\n\r\n"));
}

TEST_CASE("pipelined requests are answered in order") {
  TestServer server(routes());
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 20; ++i) all += get_request(fmt::format("/hello?name={}", i));
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    CHECK(client.receive_response().ends_with(fmt::format("hello {}", i)));
  }
}

TEST_CASE("bodies arrive with a length or in chunks, however they are split") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send(post_request("/echo", "\"abc\""));
  CHECK(client.receive_response().ends_with("\r\n\r\n\"abc\""));
  const std::string head = fmt::format(
      "POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\nContent-Type: "
      "application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      k_demo_key);
  for (const char byte : head + "2\r\n[1\r\n3\r\n,2]\r\n0\r\n\r\n") client.send({&byte, 1});
  CHECK(client.receive_response().ends_with("\r\n\r\n[1,2]"));
  const std::string large = "\"" + std::string(5'000'000, 'x') + "\"";
  client.send(post_request("/echo", large));
  CHECK(client.receive_response().ends_with("\r\n\r\n5000002"));
}

TEST_CASE("HEAD returns the length and no body") {
  TestServer server(routes());
  RawClient client(server.port());
  std::string request = get_request("/hello");
  request.replace(0, 3, "HEAD");
  client.send(request + get_request("/nothing"));
  const std::string head = client.receive_until("\r\n\r\n");
  CHECK(mentions(head, "Content-Length: 12\r\n"));
  const std::string both = head + client.receive_until("Accepted");
  CHECK_FALSE(mentions(both, "hello"));
  CHECK(mentions(both, "HTTP/1.1 202 Accepted"));
}

TEST_CASE("100 Continue is sent only if the body is wanted") {
  TestServer server(routes());
  {
    RawClient client(server.port());
    const std::string whole = post_request("/echo", "[1]", "Expect: 100-continue\r\n");
    client.send(whole.substr(0, whole.size() - 3));
    CHECK(client.receive_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("[1]");
    CHECK(client.receive_response().ends_with("[1]"));
  }
  RawClient client(server.port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  CHECK(client.receive_all().starts_with("HTTP/1.1 401 "));
  // Not if the body is there already, nor for what else may be expected.
  RawClient eager(server.port());
  eager.send(post_request("/echo", "[1]", "Expect: 100-continue\r\n"));
  CHECK(eager.receive_response().starts_with("HTTP/1.1 200 "));
  const std::string other = post_request("/echo", "[1]", "Expect: 200-ok\r\n");
  eager.send(other.substr(0, other.size() - 3));
  CHECK(eager.receive(100ms).empty());
  eager.send("[1]");
  CHECK(eager.receive_response().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("of which requests the head alone is answered: without a length, or above 1 MB") {
  TestServer server(routes());
  const auto answer = [&](const char* length, std::chrono::milliseconds wait = 10s) {
    RawClient client(server.port());
    client.send(fmt::format("POST /echo HTTP/1.1\r\nHost: h\r\n{}\r\n\r\n", length));
    return client.receive(wait).substr(0, 12);
  };
  CHECK(answer("Content-Length: 1048576", 200ms).empty());
  CHECK(answer("Content-Length: 1048577") == "HTTP/1.1 401");
  CHECK(answer("Transfer-Encoding: chunked") == "HTTP/1.1 401");
}

TEST_CASE(
    "a large body that cannot succeed is rejected before it is read, and the response arrives") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n");
  const std::string part(1'000'000, 'x');
  const auto begin = Clock::now();
  for (int i = 0; i < 5; ++i) client.send(part);
  const std::string response = client.receive_response();
  CHECK(response.starts_with("HTTP/1.1 401 "));
  CHECK(mentions(response, "Connection: close"));
  CHECK(Clock::now() - begin < 1500ms);
}

TEST_CASE("a body above the limit is a 413, by its length or by its chunks") {
  TestServer server(routes());
  {
    RawClient client(server.port());
    std::string request = post_request("/echo", "");
    request.replace(request.find("Content-Length: 0"), 17, "Content-Length: 67108865");
    client.send(request);
    const std::string response = client.receive_response();
    CHECK(response.starts_with("HTTP/1.1 413 "));
    CHECK(response.ends_with(
        R"({"code":"Payload too large","error":"The body is larger than 67.1 MB."})"));
  }
  RawClient client(server.port());
  client.send(
      fmt::format("POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\nContent-Type: "
                  "application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
                  k_demo_key));
  const std::string chunk = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
  for (int i = 0; i < 65; ++i) client.send(chunk);
  CHECK(client.receive_response().starts_with("HTTP/1.1 413 "));
}

TEST_CASE("an operation has its own limit, checked before the body is requested") {
  emulator::Route narrow{"POST", "/narrow", [](const emulator::Request&) { return Response{}; }};
  narrow.max_body = 100;
  emulator::Route wide = narrow;
  wide.path = "/wide";
  wide.max_body = 100'000'000;
  TestServer server({narrow, wide});
  const auto head = [](std::string_view path, std::string_view length) {
    std::string request = post_request(path, "", "Expect: 100-continue\r\n");
    return request.replace(request.find("Content-Length: 0"), 17,
                           fmt::format("Content-Length: {}", length));
  };
  for (const auto& [path, length, status] :
       {std::tuple{"/narrow", "101", "413"}, std::tuple{"/narrow", "100", "100"},
        std::tuple{"/wide", "99999999", "100"}, std::tuple{"/wide", "100000001", "413"}}) {
    RawClient client(server.port());
    client.send(head(path, length));
    CHECK(client.receive().starts_with(fmt::format("HTTP/1.1 {} ", status)));
  }
}

TEST_CASE("what is refused before its body comes is counted, and uses up no fault") {
  emulator::Route narrow{"POST", "/narrow", [](const emulator::Request&) { return Response{}; }};
  narrow.max_body = 100;
  TestServer server({narrow});
  server.add_fault("POST /narrow: status 503, times 1");
  const auto status_of = [&](std::size_t bytes, const char* headers) {
    RawClient client(server.port());
    client.send(post_request("/narrow", std::string(bytes, '1'), headers));
    return client.receive().substr(9, 3);
  };
  const auto count = [&](const char* match) {
    const auto check =
        emulator::parse_check(fmt::format(R"({{"match": {{{}}}, "count": 1}})", match));
    REQUIRE(check.has_value());
    return server.state().answers().verify(*check).has_value();
  };
  CHECK(status_of(101, "Expect: 100-continue\r\n") == "413");
  CHECK(count(R"("path": "/narrow")"));
  CHECK(count(R"("key": "svc-demo-key")"));
  CHECK(server.dispatcher().faults().entries().front().seen == 0);
  CHECK(status_of(100, "") == "503");
  CHECK(status_of(100, "") == "200");
}

TEST_CASE("errors: 404, 405, 415, 400, 431") {
  TestServer server(routes());
  const auto answer_to = [&](const std::string& request) {
    RawClient client(server.port());
    client.send(request);
    return client.receive_response();
  };
  const auto expect = [&](const std::string& request, const char* status, const char* body) {
    const std::string response = answer_to(request);
    CHECK(response.starts_with(std::string("HTTP/1.1 ") + status));
    CHECK(response.substr(response.find("\r\n\r\n") + 4) == body);
  };
  expect(get_request("/none"), "404 ",
         R"({"code":"Some requested entity was not found",)"
         R"("error":"The emulator has no operation at /none."})");
  CHECK(mentions(answer_to(get_request("/echo")), "Allow: POST\r\n"));
  expect(get_request("/echo"), "405 ",
         R"({"code":"Method not allowed","error":"GET is not allowed here. Allowed: POST."})");
  expect(
      fmt::format("POST /echo HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {}\r\n\r\n", k_demo_key),
      "415 ",
      R"({"code":"Unsupported media type","error":"This operation takes a JSON body with the header )"
      R"(Content-Type: application/json."})");
  expect("GET /hello HTTP/1.1\r\n\r\n", "400 ",
         R"({"code":"Bad request","error":"The request has no Host header."})");
  expect("nonsense\r\n\r\n", "400 ",
         R"({"code":"Bad request","error":"That was no well-formed HTTP/1 request."})");
  for (const std::size_t size : {66'000U, 80'000U}) {
    expect("GET / HTTP/1.1\r\nA: " + std::string(size, 'a'), "431 ",
           R"({"code":"Bad request","error":"The request's headers exceed 64 kB."})");
  }
  CHECK(answer_to(get_request("/hello", "A: " + std::string(65'000, 'a') + "\r\n"))
            .ends_with("hello nobody"));
}

TEST_CASE("a header that echoes the request cannot inject another header") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send(post_request("/echo", "[]", "X-Say: a\x01 b\r\n"));
  const std::string strange = client.receive_response();
  CHECK_FALSE(mentions(strange, "\n\n"));
  Response response;
  response.headers = {{"X", "a\r\nEvil: 1"}};
  CHECK_FALSE(mentions(serialize_head(response, {}), "\r\nEvil"));
  response.headers = {{"cache-control", "no-store"}};
  response.next = [] { return std::optional<StreamChunk>{}; };
  CHECK_FALSE(mentions(serialize_head(response, {}), "no-cache"));
}

TEST_CASE("HTTP/1.0 gets a stream that ends with the connection") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send(fmt::format("GET /three HTTP/1.0\r\nAuthorization: Bearer {}\r\n\r\n", k_demo_key));
  const std::string all = client.receive_all();
  CHECK_FALSE(mentions(all, "chunked"));
  CHECK(all.ends_with("data: 1\n\ndata: 2\n\ndata: 3\n\n"));
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("HTTP/1.0 keeps a connection if asked, but not after a stream") {
  TestServer server(routes());
  RawClient client(server.port());
  const auto ask = [&](const char* path, const char* headers) {
    client.send(fmt::format("GET {} HTTP/1.0\r\nAuthorization: Bearer {}\r\n{}\r\n", path,
                            k_demo_key, headers));
  };
  for (int i = 0; i < 2; ++i) {
    ask("/hello", "Connection: keep-alive\r\n");
    const std::string response = client.receive_response();
    CHECK(mentions(response, "\r\nConnection: keep-alive\r\n"));
    CHECK(response.ends_with("hello nobody"));
  }
  ask("/three", "Connection: keep-alive\r\n");
  const std::string stream = client.receive_all();
  CHECK(mentions(stream, "\r\nConnection: close\r\n"));
  CHECK(stream.ends_with("data: 3\n\n"));
  CHECK(client.ended());
  RawClient other(server.port());
  other.send(fmt::format("GET /hello HTTP/1.0\r\nAuthorization: Bearer {}\r\n\r\n", k_demo_key));
  CHECK(mentions(other.receive_all(), "\r\nConnection: close\r\n"));
  CHECK(other.ended());
}

TEST_CASE("HEAD of a stream gets its head only") {
  TestServer server(routes());
  RawClient client(server.port());
  std::string request = get_request("/endless");
  request.replace(0, 3, "HEAD");
  client.send(request + get_request("/hello"));
  const std::string head = client.receive_until("\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(mentions(head, "Transfer-Encoding: chunked\r\n"));
  const std::string all = head + client.receive_until("hello nobody");
  CHECK_FALSE(mentions(all, "data: "));
  CHECK(all.ends_with("hello nobody"));
}

TEST_CASE("each event of a stream is sent at once") {
  TestServer server(routes());
  RawClient client(server.port());
  const auto begin = Clock::now();
  client.send(get_request("/three"));
  const std::string first = client.receive_until("data: 1\n\n");
  CHECK(Clock::now() - begin < 120ms);
  CHECK(mentions(first, "Transfer-Encoding: chunked"));
  CHECK_FALSE(mentions(first, "data: 2"));
  CHECK(client.receive_until("data: 2\n\n") == "9\r\ndata: 2\n\n\r\n");
  CHECK(Clock::now() - begin >= 150ms);
  CHECK(client.receive_until("0\r\n\r\n") == "9\r\ndata: 3\n\n\r\n0\r\n\r\n");
  client.send(get_request("/hello"));
  CHECK(client.receive_response().ends_with("hello nobody"));
}

TEST_CASE("a stream whose handler fails is reset, and does not look complete") {
  const auto broken = [](const Request&) {
    Response response;
    response.next = [first = true]() mutable -> std::optional<StreamChunk> {
      if (!std::exchange(first, false)) throw std::runtime_error("a bug");
      return StreamChunk{"data: 1\n\n"};
    };
    return response;
  };
  Route apart{"GET", "/apart", broken};
  apart.run = RunOn::Worker;
  TestServer server({{"GET", "/broken", broken}, apart});
  for (const char* path : {"/broken", "/apart"}) {
    RawClient client(server.port());
    client.send(get_request(path));
    CHECK_FALSE(client.receive_all().ends_with("0\r\n\r\n"));
    CHECK(client.was_reset());
  }
}

TEST_CASE("a client that disconnects stops the producer") {
  std::atomic<bool> ended{false};
  struct Mark {
    std::atomic<bool>& flag;
    ~Mark() { flag = true; }
  };
  std::vector<Route> with_mark = routes();
  with_mark.push_back(
      {"GET", "/watched", [&](const Request&) {
         Response response;
         auto mark = std::make_shared<Mark>(Mark{ended});
         ended = false;  // the temporary's destructor
         response.next = [mark, first = true]() mutable -> std::optional<StreamChunk> {
           // After the first event nothing for an hour, so only the read can notice.
           return StreamChunk{"data: x\n\n", std::exchange(first, false) ? 0ms : 3'600'000ms};
         };
         return response;
       }});
  TestServer server(std::move(with_mark));
  {
    RawClient client(server.port());
    client.send(get_request("/watched"));
    (void)client.receive_until("data: x");
    CHECK_FALSE(ended.load());
  }
  for (int i = 0; i < 200 && !ended; ++i) std::this_thread::sleep_for(10ms);
  CHECK(ended.load());
}

TEST_CASE("a client that does not read blocks the producer, not the server") {
  std::atomic<int> made{0};
  std::vector<Route> with_count = routes();
  with_count.push_back({"GET", "/counted", [&](const Request&) {
                          Response response;
                          response.next = [&]() -> std::optional<StreamChunk> {
                            ++made;
                            return StreamChunk{std::string(1000, 'x')};
                          };
                          return response;
                        }});
  TestServer server(std::move(with_count));
  RawClient client(server.port());
  client.send(get_request("/counted"));
  int before = -1;
  for (int i = 0; i < 100 && before != made; ++i) {
    before = made;
    std::this_thread::sleep_for(100ms);
  }
  CHECK(made == before);
  CHECK(made < 50'000);
  RawClient other(server.port());
  other.send(get_request("/hello"));
  CHECK(other.receive_response().ends_with("hello nobody"));
}

TEST_CASE("a half-closed connection still gets its whole response") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send(get_request("/hello"));
  client.end_sending();
  CHECK(client.receive_all().ends_with("hello nobody"));
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("a stream to a half-closed connection is stopped") {
  TestServer server(routes());
  RawClient client(server.port());
  client.send(get_request("/endless"));
  (void)client.receive_until("data: 1");
  client.end_sending();
  for (int i = 0; i < 20'000 && !client.ended(); ++i) (void)client.receive();
  CHECK(client.ended());
  // Also if the end comes before the stream begins.
  server.add_fault("GET /endless: latency 50ms");
  RawClient early(server.port());
  early.send(get_request("/endless"));
  early.end_sending();
  CHECK(early.receive_all().empty());
  CHECK(early.ended());
}

TEST_CASE("idle and slow connections are closed") {
  ServerOptions options;
  options.timing.idle = 100ms;
  options.timing.head = 200ms;
  TestServer server(routes(), options);
  RawClient idle(server.port());
  CHECK(idle.receive_all().empty());
  CHECK(idle.ended());
  RawClient blank(server.port());
  blank.send("\r\n");  // is no begin of a request
  CHECK(blank.receive_all().empty());
  RawClient slow(server.port());
  std::string all;
  for (int i = 0; i < 10 && all.empty(); ++i) {  // a byte now and then is not progress
    slow.send(i == 0 ? "GET / HTTP/1.1\r\nA: " : "a");
    all = slow.receive(50ms);
  }
  CHECK(all.starts_with("HTTP/1.1 408 "));
  CHECK(all.ends_with(
      "\r\n\r\n{\"code\":\"Request timeout\",\"error\":\"The request did not arrive in time.\"}"));
}

TEST_CASE("a body that stops arriving is given up") {
  ServerOptions options;
  options.timing.body = 200ms;
  TestServer server(routes(), options);
  const std::string whole = post_request("/echo", "[1234567890]");
  RawClient stalled(server.port());
  stalled.send(whole.substr(0, whole.size() - 5));
  const std::string refusal = stalled.receive_all();
  CHECK(refusal.starts_with("HTTP/1.1 408 "));
  CHECK(mentions(refusal, "Connection: close\r\n"));
}

TEST_CASE("connections above the limit wait if none is idle") {
  ServerOptions options;
  options.max_connections = 2;
  TestServer server(routes(), options);
  auto first = std::make_unique<RawClient>(server.port());
  first->send(get_request("/endless"));
  (void)first->receive_until("data: 1");
  RawClient second(server.port());
  second.send(get_request("/endless"));
  (void)second.receive_until("data: 1");
  RawClient third(server.port());
  third.send(get_request("/hello"));
  CHECK(third.receive(200ms).empty());
  first.reset();
  CHECK(third.receive_response().ends_with("hello nobody"));
}

TEST_CASE("at the limit a new connection has time for its request") {
  ServerOptions options;
  options.max_connections = 1;
  TestServer server(routes(), options);
  RawClient client(server.port());
  CHECK(client.receive(50ms).empty());
  client.send(get_request("/hello"));
  CHECK(client.receive_response().ends_with("hello nobody"));
}

TEST_CASE("600 idle connections neither lock others out nor end requests in progress") {
  TestServer server(routes());
  RawClient stream(server.port());
  stream.send(get_request("/endless"));
  (void)stream.receive_until("data: 1");
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 600; ++i) {
    idle.push_back(std::make_unique<RawClient>(server.port()));
    if (i % 2 == 0) continue;
    idle.back()->send(get_request("/hello"));  // idle after a response, too
    CHECK(idle.back()->receive_response().ends_with("hello nobody"));
  }
  for (int i = 0; i < 5; ++i) {
    RawClient other(server.port());
    other.send(get_request("/hello"));
    CHECK(other.receive_response().ends_with("hello nobody"));
  }
  CHECK_FALSE(stream.receive(1'000ms).empty());
  CHECK_FALSE(stream.ended());
}

TEST_CASE("a port in use is an error message") {
  TestServer server(routes());
  ServerOptions options;
  options.port = server.port();
  const auto second = Server::start(options, server.dispatcher());
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().fault == Fault::Local);
  CHECK(mentions(second.error().message,
                 fmt::format("Port {} on 127.0.0.1 is in use", server.port())));
  CHECK(mentions(second.error().hint, "--port"));
  ServerOptions nowhere;
  nowhere.host = "no-such-host.invalid";
  CHECK_FALSE(Server::start(nowhere, server.dispatcher()).has_value());
}

TEST_CASE("stopping lets responses finish, and ends those that do not") {
  TestServer server(routes());
  RawClient idle(server.port());
  RawClient stream(server.port());
  RawClient endless(server.port());
  stream.send(get_request("/three"));
  endless.send(get_request("/endless"));
  (void)stream.receive_until("data: 1");
  (void)endless.receive_until("data: 1");
  const auto begin = Clock::now();
  server.stop(800ms);
  CHECK(Clock::now() - begin < 3s);
  CHECK(idle.receive_all().empty());
  CHECK(mentions(stream.receive_all(), "data: 3"));
  CHECK(mentions(endless.receive_all(), "data: "));
  CHECK(endless.ended());
}

TEST_CASE("stopping does not wait for a client that waits for the end") {
  TestServer server(routes());
  server.add_fault("GET /hello: latency 150ms");
  RawClient client(server.port());
  client.send(get_request("/hello"));
  std::this_thread::sleep_for(
      50ms);  // the response is being produced, and the client stays connected
  const auto begin = Clock::now();
  server.stop(5s);
  CHECK(Clock::now() - begin < 2s);
  CHECK(mentions(client.receive_all(), "hello"));
}

TEST_CASE("many concurrent clients are all served") {
  TestServer server(routes());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawClient client(server.port());
      for (int i = 0; i < 25; ++i) {
        client.send(get_request(fmt::format("/hello?name={}-{}", t, i)));
        if (client.receive_response().ends_with(fmt::format("hello {}-{}", t, i))) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == 200);
}
