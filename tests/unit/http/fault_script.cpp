// The fault server itself: the meaning of its scripts.
#include "base/text.h"
#include "unit/http/transport_fixture.h"

namespace svc::http {
namespace {

using test::Step;

std::string unescaped(std::string_view text) {
  std::string out;
  const test::Script script = test::script(text);
  for (const Step& step : script.connections.at(0).exchanges.at(0)) {
    if (step.kind == Step::Kind::Send)
      out += step.chunked ? "<" + step.bytes + ">" : step.bytes;
    else if (step.kind == Step::Kind::Close)
      out += "{close}";
  }
  return out;
}

bool refuses(std::string_view text, std::string_view words) {
  const auto parsed = test::parse_script(text);
  return !parsed && parsed.error().message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("script: connections, requests, loop") {
  const test::Script script = test::script(
      "# a comment\n\nreply 200\r\nnext\n  reply 404 text/plain "
      "no\nconnection\nread\nreset\nloop\n");
  REQUIRE(script.connections.size() == 2);
  CHECK(script.connections[0].exchanges.size() == 2);
  CHECK(script.connections[1].exchanges.size() == 1);
  CHECK(script.loop);
  const auto& first = script.connections[0].exchanges[0];
  REQUIRE(first.size() == 2);
  CHECK(first[0].kind == Step::Kind::Read);
  CHECK(first[1].head == "HTTP/1.1 200 OK\r\n");
  CHECK(script.connections[0].exchanges[1][1].bytes == "no");
  CHECK(script.connections[1].exchanges[0][1].kind == Step::Kind::Reset);
}

TEST_CASE("script: escapes, events and their end") {
  CHECK(unescaped("send a\\r\\n\\t\\\\\\x00\\x7F\\0") == std::string("a\r\n\t\\\0\x7f\0", 8));
  CHECK(unescaped("send  two spaces ") == " two spaces ");
  const std::string chunked = unescaped("events\nevent {}\ncomment c\npart p\ndone");
  CHECK(chunked.ends_with("\r\n\r\n<data: {}\n\n><: c\n\n><p><data: [DONE]\n\n>0\r\n\r\n"));
  CHECK(contains_ignore_case(chunked, "transfer-encoding: chunked"));
  const std::string closing = unescaped("events close\nevent {}");
  CHECK(closing.ends_with("\r\n\r\ndata: {}\n\n{close}"));
  CHECK(unescaped("events\nevent a\nreset").ends_with("<data: a\n\n>"));
  CHECK(unescaped("events\nend\nsend x").ends_with("\r\n\r\n0\r\n\r\nx"));
  const test::Script many = test::script("events\nrepeat 3 {}\nrepeat 2 a\\n");
  CHECK(many.connections[0].exchanges[0][2].bytes == "data: {}\n\n");
  CHECK(many.connections[0].exchanges[0][2].count == 3);
  CHECK(many.connections[0].exchanges[0][3].bytes == "a\n");
}

TEST_CASE("script: errors are reported with their line") {
  CHECK(refuses("reply 200\nnonsense", "line 2: unknown step `nonsense`"));
  CHECK(refuses("reply", "line 1"));
  CHECK(refuses("reply 20", "STATUS"));
  CHECK(refuses("send \\q", "escape"));
  CHECK(refuses("send \\x4", "escape"));
  CHECK(refuses("send \\", "escape"));
  CHECK(refuses("sleep soon", "time"));
  CHECK(refuses("repeat x y", "COUNT"));
  CHECK(refuses("bytewise 5ms", "DELAY"));
  CHECK(refuses("events sideways", "close"));
  CHECK(refuses("read everything", "`read` takes"));
  CHECK(refuses("header nothing", "NAME"));
  CHECK(refuses("close now", "takes nothing"));
  CHECK(refuses("end", "without `events`"));
  CHECK(refuses("reply 200\nloop\nreply 200", "nothing may follow"));
  CHECK(refuses("reply 200\nnext\nloop", "no steps"));
  CHECK_THROWS_AS((void)test::script("nonsense"), std::invalid_argument);
}

TEST_CASE("server: records, placeholders, unscripted requests, bytes one at a time") {
  const auto server = serve(
      "header X-Port: ${PORT}\nreply 200 text/plain port=${PORT}\nnext\nevents\nbytewise 1ms data: "
      "a\\n\\n");
  const auto transport = make_curl_transport({});
  HttpRequest request = request_to(*server, "POST", "/first");
  request.body = std::string("\"quoted\"\x01");
  const Answered first = ask(*transport, request);
  const std::string port = std::to_string(server->port());
  CHECK(first.body == "port=" + port);
  CHECK(first.head.header("x-port") == port);
  CHECK(ask(*transport, request_to(*server, "GET", "/second")).body == "data: a\n\n");
  CHECK(ask(*transport, request_to(*server, "GET", "/third")).fault() == Fault::Network);
  CHECK(server->wait_for_requests(3, 1s));
  CHECK_FALSE(server->wait_for_requests(4, 50ms));
  const auto requests = server->requests();
  CHECK(requests.at(0).connection == 1);
  CHECK(requests.at(0).body == "\"quoted\"\x01");
  CHECK(requests.at(2).target == "/third");
  const std::string dump = server->dump();
  const auto lines = split(dump, '\n');
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with(
      R"({"connection":1,"method":"POST","target":"/first","headers":[["Host",)"));
  CHECK(lines[0].find(R"("body":"\"quoted\"\u0001","body_size":9,"at_ms":)") != std::string::npos);
}

TEST_CASE("server: chunked request bodies are decoded") {
  const auto server = serve("read\nreply 200 text/plain ok");
  const auto transport = make_curl_transport({});
  // libcurl sends no chunks here, so the test writes the bytes itself.
  const std::string script =
      "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n"
      "0\r\nX-Trailer: 1\r\n\r\n";
  const std::string command =
      "printf '%s' '" + script + "' > /dev/tcp/127.0.0.1/" + std::to_string(server->port());
  REQUIRE(std::system(("bash -c " + shell_quote(command)).c_str()) == 0);
  REQUIRE(server->wait_for_requests(1, 2s));
  REQUIRE(server->wait_until_closed(2s));
  CHECK(server->requests().at(0).body == "hello!");
}

}  // namespace svc::http
