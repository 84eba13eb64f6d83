#include <chrono>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "unit/emulator/core_support.h"

using namespace svc;
using namespace svc::emulator;
using namespace std::chrono_literals;
using test::get_request;
using test::RawClient;
using test::TestServer;
using Clock = std::chrono::steady_clock;

namespace {

int g_runs = 0;  // of /hello; read only after its answer or reset

std::vector<Route> hello_routes() {
  const auto hello = [](const Request&) {
    ++g_runs;
    Response response;
    response.content_type = "text/plain";
    response.body = "hello world";
    return response;
  };
  const auto five = [](const Request&) {
    Response response;
    response.content_type = "text/event-stream";
    response.next = [i = 0]() mutable -> std::optional<StreamChunk> {
      if (++i > 5) return std::nullopt;
      return StreamChunk{i == 5 ? "data: [DONE]\n\n" : fmt::format("data: {}\n\n", i)};
    };
    return response;
  };
  return {{"GET", "/hello", hello}, {"GET", "/five", five}};
}

// The bytes that a new connection gets with `rule`, up to its end or half a second of silence.
struct Outcome {
  std::string bytes{};
  bool ended = false;
  bool reset = false;
};

Outcome outcome_of(std::string_view path, std::string_view rule) {
  g_runs = 0;
  TestServer server(hello_routes());
  server.add_fault(rule);
  RawClient client(server.port());
  client.send(get_request(path, "Connection: close\r\n"));
  Outcome outcome;
  for (std::string more = client.receive(500ms); !more.empty(); more = client.receive(500ms)) {
    outcome.bytes += more;
  }
  outcome.ended = client.ended();
  outcome.reset = client.was_reset();
  return outcome;
}

std::string body_bytes(const Outcome& outcome) {
  const auto end = outcome.bytes.find("\r\n\r\n");
  return end == std::string::npos ? "" : outcome.bytes.substr(end + 4);
}

}  // namespace

TEST_CASE("latency delays an otherwise normal response") {
  const auto begin = Clock::now();
  const Outcome outcome = outcome_of("/hello", "GET /hello: latency 120ms");
  CHECK(Clock::now() - begin >= 120ms);
  CHECK(body_bytes(outcome) == "hello world");
}

TEST_CASE("a status replaces the operation") {
  const Outcome outcome = outcome_of("/hello", "GET /hello: status 429 retry-after 7");
  CHECK(outcome.bytes.starts_with("HTTP/1.1 429 Too Many Requests\r\n"));
  CHECK(outcome.bytes.find("Retry-After: 7\r\n") != std::string::npos);
  CHECK(g_runs == 0);
}

TEST_CASE("reset: no byte, and the operation does not run") {
  const Outcome outcome = outcome_of("/hello", "GET /*: reset");
  CHECK(outcome.bytes.empty());
  CHECK(outcome.reset);
  CHECK(g_runs == 0);
}

TEST_CASE("reset-after 0: no byte, but the operation ran") {
  const Outcome outcome = outcome_of("/hello", "GET /*: reset-after 0");
  CHECK(outcome.bytes.empty());
  CHECK(outcome.reset);
  CHECK(g_runs == 1);
}

TEST_CASE("reset-after: N bytes of the body, then a reset") {
  const Outcome whole = outcome_of("/hello", "GET /*: reset-after 5");
  CHECK(whole.bytes.find("Content-Length: 11\r\n") != std::string::npos);
  CHECK(body_bytes(whole) == "hello");
  CHECK(whole.reset);
  const Outcome stream = outcome_of("/five", "GET /*: reset-after 12");
  CHECK(body_bytes(stream) == "9\r\ndata: 1\n\n\r\n9\r\ndat");
  CHECK(stream.reset);
}

TEST_CASE("cut-after: a stream ends well-formed without its last events") {
  const Outcome outcome = outcome_of("/five", "GET /*: cut-after 2");
  CHECK(body_bytes(outcome) == "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  CHECK_FALSE(outcome.reset);
  CHECK(body_bytes(outcome_of("/five", "GET /*: cut-after 0")) == "0\r\n\r\n");
  CHECK(body_bytes(outcome_of("/hello", "GET /*: cut-after 0")) == "hello world");
}

TEST_CASE("stall: no byte, and the connection remains open") {
  const Outcome outcome = outcome_of("/hello", "GET /*: stall");
  CHECK(outcome.bytes.empty());
  CHECK_FALSE(outcome.ended);
  CHECK(g_runs == 0);
}

TEST_CASE("a client that ends its side of a stalled connection is let go") {
  TestServer server(hello_routes());
  server.add_fault("GET /hello: stall");
  for (const bool at_once : {true, false}) {
    RawClient client(server.port());
    client.send(get_request("/hello"));
    if (!at_once) CHECK(client.receive(50ms).empty());
    client.end_sending();
    CHECK(client.receive_all().empty());
    CHECK(client.ended());
  }
}

TEST_CASE("stall-after: a stream falls silent and remains open") {
  const Outcome outcome = outcome_of("/five", "GET /*: stall-after 1");
  CHECK(body_bytes(outcome) == "9\r\ndata: 1\n\n\r\n");
  CHECK_FALSE(outcome.ended);
}

TEST_CASE("slow: byte by byte, but complete") {
  const auto begin = Clock::now();
  const Outcome outcome = outcome_of("/hello", "GET /*: slow 1ms per byte");
  CHECK(body_bytes(outcome) == "hello world");
  CHECK(Clock::now() - begin >= std::chrono::milliseconds(outcome.bytes.size()));
}

TEST_CASE("garbage and empty respond with 200") {
  CHECK(outcome_of("/hello", "GET /*: garbage").bytes.find("text/html") != std::string::npos);
  const Outcome empty = outcome_of("/hello", "GET /*: empty");
  CHECK(empty.bytes.starts_with("HTTP/1.1 200 OK"));
  CHECK(body_bytes(empty).empty());
  CHECK(empty.bytes.find("Content-Length: 0\r\n") != std::string::npos);
}

TEST_CASE(
    "after a fault with a proper end the connection continues, and the next request is not "
    "affected") {
  TestServer server(hello_routes());
  server.add_fault("GET /hello: status 503, times 1");
  RawClient client(server.port());
  client.send(get_request("/hello"));
  CHECK(client.receive_response().starts_with("HTTP/1.1 503 "));
  client.send(get_request("/hello"));
  CHECK(client.receive_response().ends_with("hello world"));
}

TEST_CASE("stalled and slow connections do not delay the exit") {
  TestServer server(hello_routes());
  server.add_fault("GET /hello: stall");
  server.add_fault("GET /five: slow 1s");
  RawClient stalled(server.port());
  RawClient slow(server.port());
  stalled.send(get_request("/hello"));
  slow.send(get_request("/five"));
  CHECK(stalled.receive(100ms).empty());
  const auto begin = Clock::now();
  server.stop(100ms);
  CHECK(Clock::now() - begin < 2s);
  CHECK(stalled.receive().empty());
  CHECK(stalled.ended());
}
