#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

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

namespace {

Response describe_request(const Request& call) {
  Response response;
  response.content_type = "text/plain";
  response.body = fmt::format("{} {} {}", call.path, call.query_value("q").value_or("-"),
                              call.header("x-two").value_or("-"));
  return response;
}

std::vector<Route> echo_routes() {
  return {{"GET", "/x", describe_request},
          {"POST", "/x", describe_request},
          {"GET", "/", describe_request}};
}

// The first line of the response to `bytes`; "" if there is none within a moment.
std::string outcome(const TestServer& server, std::string_view bytes) {
  RawClient client(server.port());
  client.send(bytes);
  std::string all = client.receive(500ms);
  return all.substr(0, std::min(all.find("\r\n"), all.size()));
}

constexpr std::string_view k_bad = "HTTP/1.1 400 Bad Request";

}  // namespace

TEST_CASE("a request is the same wherever its bytes are split") {
  TestServer server(echo_routes());
  RawClient client(server.port());
  const std::string plain = post_request("/x?q=b", "[1]", "X-Two: 1\r\n");
  std::string chunked = plain;
  chunked.replace(chunked.find("Content-Length: 3"), 17, "Transfer-Encoding: chunked");
  chunked.replace(chunked.size() - 3, 3, "2\r\n[1\r\n1;ext=1\r\n]\r\n0\r\nTrailer: t\r\n\r\n");
  for (const std::string& request : {plain, chunked}) {
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
      client.send(std::string_view(request).substr(0, cut));
      client.send(std::string_view(request).substr(cut));
      REQUIRE(client.receive_response().ends_with("\r\n\r\n/x b 1"));
    }
  }
}

TEST_CASE("requests follow one another, with empty lines between") {
  TestServer server(echo_routes());
  RawClient client(server.port());
  client.send("\r\n" + get_request("/x?q=1") + "\r\n\r\n" + get_request("/x?q=2"));
  CHECK(client.receive_response().ends_with("/x 1 -"));
  CHECK(client.receive_response().ends_with("/x 2 -"));
  client.send("\r\n");
  client.send(get_request("/x?q=3"));
  CHECK(client.receive_response().ends_with("/x 3 -"));
}

TEST_CASE("an empty line after a request takes nothing from the next one") {
  TestServer server(echo_routes());
  RawClient client(server.port());
  client.send(get_request("/x?q=1") + "\r\n");
  CHECK(client.receive_response().ends_with("/x 1 -"));
  client.send(get_request("/x?q=2"));
  CHECK(client.receive_response().ends_with("/x 2 -"));
}

TEST_CASE("an incomplete request ends with the connection") {
  TestServer server(echo_routes());
  RawClient client(server.port());
  client.send(get_request("/x?q=1") + "GET /x HT");
  CHECK(client.receive_response().ends_with("/x 1 -"));
  client.end_sending();
  CHECK(client.receive_all().empty());
  CHECK(client.ended());
}

TEST_CASE("the absolute form of a target loses its host") {
  TestServer server(echo_routes());
  RawClient client(server.port());
  const auto told = [&](std::string_view target) {
    client.send(get_request(target));
    const std::string response = client.receive_response();
    return response.substr(response.find("\r\n\r\n") + 4);
  };
  CHECK(told("http://host:80/x?q=1") == "/x 1 -");
  CHECK(told("http://host") == "/ - -");
  CHECK(told("/x?q=http://a/b") == "/x http://a/b -");
}

TEST_CASE("anything but HTTP/1 is malformed") {
  TestServer server(echo_routes());
  const std::string post =
      "POST /x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer svc-demo-key\r\n"
      "Content-Type: application/json\r\n";
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02 TLS hello\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string("GET /x\r\n\r\n"),
        std::string("GET /x HTTP/1.1\r\nno colon\r\n\r\n"), post + "Content-Length: x\r\n\r\n",
        post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        post + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(200'000, 'a')}) {
    CAPTURE(bytes.substr(0, 200));
    CHECK(outcome(server, bytes) == k_bad);
  }
  CHECK(outcome(server, post + "Content-Length: 67108864\r\n\r\n").empty());
}

TEST_CASE("a chunk's length counts before the chunk has arrived") {
  TestServer server(echo_routes());
  const std::string chunked =
      "POST /x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer svc-demo-key\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(outcome(server, chunked + "4000001\r\n").starts_with("HTTP/1.1 413 "));
  CHECK(outcome(server, chunked + "4000000\r\n").empty());
}
