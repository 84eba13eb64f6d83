// Peers that break the protocol or the connection, or are too slow: the rows of the fault list
// about one request over plain TCP.
#include <thread>

#include <sys/resource.h>

#include "http/transport.h"
#include "unit/http/transport_fixture.h"

namespace svc::http {
namespace {

/// Peak memory of this process, in kB.
long peak_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

bool names(const FaultServer& server, const Answered& got) {
  return got.says("127.0.0.1:" + std::to_string(server.port()));
}

}  // namespace

TEST_CASE("row 1: connection refused") {
  HttpRequest request;
  {
    const auto server = serve("reply 200");
    request = request_to(*server, "POST");
  }
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Network);
  CHECK_FALSE(got.outcome.sent);
  CHECK_FALSE(got.outcome.permanent);
  CHECK(got.says("cannot connect to 127.0.0.1:"));
  CHECK(got.says("Connection refused"));
}

TEST_CASE("row 2: an unknown host name") {
  HttpRequest request;
  request.url = "https://no-such-host.invalid/v1/x";
  request.timeouts.connect = 2s;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Network);
  CHECK_FALSE(got.outcome.sent);
  CHECK(got.says("no-such-host.invalid:443"));
  CHECK(got.took < 2500ms);
}

TEST_CASE("what is invisible in the name of a host is shown") {
  HttpRequest request;
  request.url = "https://no\u200dhost.invalid/";
  const Answered got = ask(request);
  CHECK(got.says("no\\u{200d}host.invalid:443"));
  request.url = "http://no\u200dhost.invalid/";
  CHECK(ask(request).says("plain http to no\\u{200d}host.invalid:80 is refused"));
}

TEST_CASE("row 3: packets are lost while connecting") {
  const auto server = serve("reply 200", {.black_hole = true});
  HttpRequest request = request_to(*server);
  request.timeouts.connect = 400ms;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Timeout);
  CHECK(got.says("connecting to"));
  CHECK(names(*server, got));
  CHECK_FALSE(got.outcome.sent);
  CHECK(got.took >= 390ms);
  CHECK(got.took < 900ms);
  request.timeouts.connect = 0ms;
  CHECK(ask(request).says("connecting to"));
}

TEST_CASE("row 4: accepted, and never a response") {
  const auto server = serve("hang");
  HttpRequest request = request_to(*server);
  request.timeouts.total = 300ms;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Timeout);
  CHECK(got.says("timed out after"));
  CHECK(got.says("300 ms"));
  CHECK(got.outcome.sent);
  CHECK_FALSE(got.outcome.answered);
  CHECK(got.took >= 290ms);
  CHECK(got.took < 700ms);
}

TEST_CASE("rows 5 and 6: reset or closed before a response") {
  for (const char* script : {"read\nreset", "read\nclose", "read\nhalf\nhang"}) {
    CAPTURE(script);
    const auto server = serve(script);
    HttpRequest request = request_to(*server, "POST");
    request.body = std::string("{}");
    const Answered got = ask(request);
    CHECK(got.fault() == Fault::Network);
    CHECK(got.says("empty response from"));
    CHECK(names(*server, got));
    CHECK(got.outcome.sent);
    CHECK_FALSE(got.outcome.answered);
    CHECK(server->requests().size() == 1);
  }
}

TEST_CASE("row 6: a reused connection that breaks does not send a request twice") {
  const auto server =
      serve("reply 200 text/plain one\nnext\nread\nreset\nconnection\nreply 200 text/plain two");
  const auto transport = make_curl_transport({});
  HttpRequest request = request_to(*server, "POST");
  request.body = std::string("{}");
  CHECK(ask(*transport, request).body == "one");
  const Answered got = ask(*transport, request);
  CHECK(got.fault() == Fault::Network);
  CHECK(got.outcome.sent);
  CHECK_FALSE(got.outcome.answered);
  CHECK(server->requests().size() == 2);
  CHECK(ask(*transport, request).body == "two");
}

TEST_CASE("a kept-alive connection closed by the server is detected before sending") {
  for (const auto tls : {test::Tls::None, test::Tls::Good}) {
    for (const char* ends :
         {"close", "cut", "reset", "send HTTP/1.1 408 Late\\r\\n\\r\\n\nclose"}) {
      CAPTURE(ends);
      const auto server = serve(std::string("reply 200 text/plain one\n") + ends +
                                    "\nconnection\nreply 200 text/plain two",
                                {.tls = tls});
      const auto transport = make_curl_transport({.ca_file = server->ca_file()});
      CHECK(ask(*transport, request_to(*server, "POST")).body == "one");
      REQUIRE(server->wait_until_closed(2s));
      std::this_thread::sleep_for(20ms);
      CHECK(ask(*transport, request_to(*server, "POST")).body == "two");
      CHECK(server->requests().size() == 2);
    }
  }
}

TEST_CASE("a connection opened ahead carries the next request, and nothing before it") {
  const auto server = serve("reply 200 text/plain one\nnext\nreply 200 text/plain two");
  const auto transport = make_curl_transport({});
  transport->connect_ahead(request_to(*server, "POST"));
  for (int i = 0; i < 500 && server->connections().empty(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  std::this_thread::sleep_for(100ms);
  REQUIRE(server->connections().size() == 1);
  CHECK(server->connections().front().received == 0);
  CHECK(ask(*transport, request_to(*server, "POST")).body == "one");
  transport->connect_ahead(request_to(*server, "POST"));  // there is one
  std::this_thread::sleep_for(100ms);
  CHECK(ask(*transport, request_to(*server, "POST")).body == "two");
  CHECK(server->connections().size() == 1);
  CHECK(server->requests().size() == 2);
}

TEST_CASE("nothing is opened ahead beside a request, nor traced") {
  const auto server = serve("reply 200 text/plain one\nloop");
  std::vector<std::string> lines;
  const auto transport =
      make_curl_transport({.trace = [&](std::string_view line) { lines.emplace_back(line); }});
  transport->connect_ahead(request_to(*server));
  for (int i = 0; i < 500 && server->connections().empty(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  std::this_thread::sleep_for(100ms);
  CHECK(lines.empty());
  Collect collect;
  transport->start(request_to(*server), collect, [](const Outcome&) {});
  transport->connect_ahead(request_to(*server));
  std::this_thread::sleep_for(50ms);
  CHECK(server->requests().empty());
  transport->run(NeverCanceled{});
  CHECK(collect.body == "one");
  CHECK_FALSE(lines.empty());
  CHECK(server->connections().size() == 1);
}

TEST_CASE("a connection opened ahead that the server closed meanwhile is replaced") {
  for (const auto tls : {test::Tls::None, test::Tls::Good}) {
    const auto server =
        serve("sleep 50ms\nclose\nconnection\nreply 200 text/plain two", {.tls = tls});
    const auto transport = make_curl_transport({.ca_file = server->ca_file()});
    transport->connect_ahead(request_to(*server, "POST"));
    std::this_thread::sleep_for(300ms);
    REQUIRE(server->wait_until_closed(2s));
    CHECK(ask(*transport, request_to(*server, "POST")).body == "two");
    CHECK(server->connections().size() == 2);
    CHECK(server->requests().size() == 1);
  }
}

TEST_CASE("a connection that cannot be opened ahead leaves the report to the request") {
  const auto hole = serve("reply 200", {.black_hole = true});
  const auto closed = [] { return serve("reply 200")->url("/"); }();
  for (const std::string& url : {hole->url("/"), closed, std::string("ftp://x/")}) {
    CAPTURE(url);
    const auto transport = make_curl_transport({});
    HttpRequest request;
    request.url = url;
    request.timeouts.connect = 600ms;
    transport->connect_ahead(request);
    std::this_thread::sleep_for(50ms);
    const auto began = std::chrono::steady_clock::now();
    const Answered got = ask(*transport, request);
    REQUIRE(got.outcome.error);
    CHECK_FALSE(got.outcome.sent);
    CHECK(got.outcome.error->message == ask(request).outcome.error->message);
    CHECK(std::chrono::steady_clock::now() - began < 3s);
    transport->connect_ahead(request);  // and the destructor does not wait for it
  }
}

TEST_CASE("row 7: reset in the middle of the body") {
  const auto server = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf\nsleep 100ms\nreset");
  const Answered got = ask(request_to(*server));
  CHECK(got.fault() == Fault::Network);
  CHECK(got.outcome.answered);
  CHECK(got.body == "half");
}

TEST_CASE("row 8: less body than announced") {
  const auto server =
      serve("read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf\nclose");
  const Answered got = ask(request_to(*server));
  CHECK(got.fault() == Fault::Network);
  CHECK(got.says("ended early"));
  CHECK(got.outcome.answered);
}

TEST_CASE("row 9: more body than announced, and a second response appended") {
  const auto server = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\noneHTTP/1.1 200 OK\\r\\n"
      "Content-Length: 4\\r\\n\\r\\nevil\nconnection\nreply 200 text/plain two");
  const auto transport = make_curl_transport({});
  CHECK(ask(*transport, request_to(*server)).body == "one");
  CHECK(ask(*transport, request_to(*server)).body == "two");
  CHECK(server->connections().size() == 2);
}

TEST_CASE("row 10: two different Content-Length values") {
  for (const char* second : {"Content-Length: 5", "content-length: 300"}) {
    const auto server = serve("read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n" +
                              std::string(second) + "\\r\\n\\r\\nabcde");
    const Answered got = ask(request_to(*server));
    CHECK(got.fault() == Fault::Network);
    if (!got.says("not an HTTP server (Invalid Content-Length")) {  // newer versions of libcurl
      CHECK(got.says("127.0.0.1:" + std::to_string(server->port()) +
                     ": the response has two different Content-Length values, 3 and "));
      CHECK(got.outcome.error->hint == "Check the URL, and any proxy in between.");
    }
    CHECK(got.outcome.permanent);
    CHECK(got.body.empty());
  }
  const auto same = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nContent-Length: 3\\r\\n\\r\\nabc");
  CHECK(ask(request_to(*same)).body == "abc");
}

TEST_CASE("row 11: invalid chunks, and a body that ends without the last one") {
  for (const char* body : {"zz\\r\\nhello\\r\\n0\\r\\n\\r\\n", "5\\r\\nhelloXX0\\r\\n\\r\\n",
                           "ffffffffffffffffff\\r\\nhello", "-5\\r\\nhello\\r\\n0\\r\\n\\r\\n"}) {
    CAPTURE(body);
    const auto server =
        serve("read\nsend HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n" +
              std::string(body) + "\nclose");
    const Answered got = ask(request_to(*server));
    CHECK(got.fault() == Fault::Network);
    CHECK(got.says("malformed response from"));
    CHECK_FALSE(got.outcome.permanent);
    CHECK(got.outcome.answered);
  }
  const auto server = serve("events\nevent a\nclose");
  const Answered got = ask(request_to(*server));
  CHECK(got.fault() == Fault::Network);
  CHECK(got.body == "data: a\n\n");
}

TEST_CASE(
    "rows 12 and 44: an empty response and one that ends by closing are complete at this level") {
  const auto server = serve("reply 204\nnext\nreply 200\nnext\nevents close\nevent a");
  const auto transport = make_curl_transport({});
  CHECK_FALSE(ask(*transport, request_to(*server)).outcome.error);
  const Answered empty = ask(*transport, request_to(*server));
  CHECK_FALSE(empty.outcome.error);
  CHECK(empty.body.empty());
  const Answered closed = ask(*transport, request_to(*server));
  CHECK_FALSE(closed.outcome.error);
  CHECK(closed.body == "data: a\n\n");
}

TEST_CASE("invalid HTTP") {
  for (const char* bytes : {"SSH-2.0-OpenSSH_9.2\\r\\n", "\\x15\\x03\\x01\\x00\\x02\\x02\\x46",
                            "<html>hi</html>\\n", "HTTP/9.9 200 OK\\r\\n\\r\\n"}) {
    CAPTURE(bytes);
    const auto server = serve("read\nsend " + std::string(bytes) + "\nclose");
    const Answered got = ask(request_to(*server));
    CHECK(got.fault() == Fault::Network);
    CHECK(names(*server, got));
    CHECK(got.outcome.sent);
    CHECK(got.says("is not an HTTP server"));
    CHECK(got.outcome.permanent);
  }
}

TEST_CASE("row 28: endless headers") {
  const char* scripts[] = {
      "read\nsend HTTP/1.1 200 OK\\r\\n\nrepeat 100000 X-A: "
      "bbbbbbbbbbbbbbbbbbbbbbbbbbbb\\r\\n\nhang",
      "read\nsend HTTP/1.1 200 OK\\r\\nX-A: \nrepeat 400000 a\nhang",
      "read\nrepeat 100000 HTTP/1.1 100 Continue\\r\\nX-A: b\\r\\n\\r\\n\nhang",
      "read\nsend HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\nrepeat "
      "100000 X-A: "
      "bbbbbbbbbbbbbbbbbbb\\r\\n\nhang"};
  for (const char* script : scripts) {
    CAPTURE(script);
    const auto server = serve(script);
    const Answered got = ask(request_to(*server));
    REQUIRE(got.outcome.error);
    CAPTURE(got.outcome.error->message);
    CHECK(got.fault() == Fault::Network);
    CHECK(got.says("header"));
    CHECK(got.outcome.permanent);
    CHECK(names(*server, got));
    CHECK(got.took < 1000ms);
  }
}

TEST_CASE("row 29: a gzip bomb is stopped at the cap") {
  // 30 kB of zeros as one independent block of 50 bytes, ten thousand times: 300 MB.
  const auto server = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nContent-Encoding: gzip\\r\\nConnection: close\\r\\n\\r\\n"
      "\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x03\n"
      "repeat 10000 "
      "\\xec\\xc1\\x31\\x01\\x00\\x00\\x00\\xc2\\xa0\\xf5\\x4f\\x6d\\x09\\x4f\\xa0\\x00\\x00\\x00\\"
      "x00"
      "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\"
      "x00\\x00\\x00"
      "\\x00\\x00\\x00\\x00\\x3e\\x06\\x00\\x00\\xff\\xff\nhang");
  const long before = peak_kb();
  Collect collect;
  collect.keep_body = false;
  HttpRequest request = request_to(*server);
  request.max_body_bytes = 20'000'000;
  const Outcome outcome = make_curl_transport({})->perform(request, collect, NeverCanceled{});
  REQUIRE(outcome.error);
  CHECK(outcome.error->fault == Fault::Network);
  CHECK(outcome.error->message.find("exceeds the limit of 20 MB") != std::string::npos);
  CHECK(outcome.permanent);
  CHECK(collect.body_size <= 20'000'000);
  CHECK(peak_kb() - before < 64'000);
}

TEST_CASE("row 30: a large plain response is stopped at the cap too, and streamed without a cap") {
  const auto server = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 104857600\\r\\n\\r\\n\nrepeat 1638400 "
      "0123456789012345678901234567890123456789012345678901234567890123\nloop");
  const long before = peak_kb();
  HttpRequest request = request_to(*server);
  Collect first;
  first.keep_body = false;
  const Outcome capped = make_curl_transport({})->perform(request, first, NeverCanceled{});
  CHECK(capped.error);
  CHECK(first.body_size <= k_max_collected_body);
  Collect second;
  second.keep_body = false;
  request.max_body_bytes = 0;
  const Outcome streamed = make_curl_transport({})->perform(request, second, NeverCanceled{});
  CHECK_FALSE(streamed.error);
  CHECK(second.body_size == 104'857'600);
  CHECK(peak_kb() - before < 64'000);
}

TEST_CASE("unrequested and invalid content codings") {
  const std::pair<const char*, std::string> rows[] = {{"br", "br"},
                                                      {"zstd", "zstd"},
                                                      {"gzip, br", "br"},
                                                      {"compress", "compress"},
                                                      {"x\\x1b[2J", "x^[[2J"}};
  for (const auto& [coding, name] : rows) {
    CAPTURE(coding);
    const auto server =
        serve("header Content-Encoding: " + std::string(coding) + "\nreply 200 text/plain ok");
    const Answered got = ask(request_to(*server));
    CHECK(got.fault() == Fault::Network);
    REQUIRE(got.outcome.error);
    CHECK(got.outcome.error->message ==
          "the response from 127.0.0.1:" + std::to_string(server->port()) +
              " has the content coding '" + name + "', which svc did not request");
    CHECK(got.outcome.error->hint == "Check the URL, and any proxy in between.");
  }
  const auto server = serve("header Content-Encoding: gzip\nreply 200 text/plain this is no gzip");
  CHECK(ask(request_to(*server)).says("malformed response from"));
}

TEST_CASE("a response may be as large as its limit") {
  const auto server = serve("reply 200 text/plain four\nloop");
  HttpRequest request = request_to(*server);
  request.max_body_bytes = 4;
  CHECK(ask(request).body == "four");
  request.max_body_bytes = 1;
  const Answered got = ask(request);
  CHECK(got.body.empty());
  CHECK(got.outcome.permanent);
  CHECK(got.says("exceeds the limit of 1 B"));
}

TEST_CASE("row 45: silence ends by the idle limit, pings postpone it, the total limit applies") {
  HttpRequest request;
  SUBCASE("silence") {
    const auto server = serve("events\nevent a\nhang");
    request = request_to(*server);
    request.timeouts.idle = 300ms;
    const Answered got = ask(request);
    CHECK(got.fault() == Fault::Timeout);
    CHECK(got.says("no data to or from"));
    CHECK(got.outcome.answered);
    CHECK(got.body == "data: a\n\n");
    CHECK(got.took >= 290ms);
    CHECK(got.took < 700ms);
  }
  SUBCASE("pings") {
    const auto server = serve(
        "events\nevent a\nsleep 200ms\ncomment ping\nsleep 200ms\ncomment ping\nsleep "
        "200ms\ncomment "
        "ping\nsleep 200ms\nevent b");
    request = request_to(*server);
    request.timeouts.idle = 400ms;
    CHECK_FALSE(ask(request).outcome.error);
  }
  SUBCASE("endless pings") {
    const auto server =
        serve("events\nevent a\nbytewise 50ms ::::::::::::::::::::::::::::::::::::::::::::");
    request = request_to(*server);
    request.timeouts.idle = 200ms;
    request.timeouts.total = 600ms;
    const Answered got = ask(request);
    CHECK(got.fault() == Fault::Timeout);
    CHECK(got.says("timed out after"));
    CHECK(got.took >= 590ms);
    CHECK(got.took < 1000ms);
  }
}

TEST_CASE("the idle limit applies before the response too, but not while connecting") {
  const auto server = serve("read\nsleep 3s\nreply 200");
  HttpRequest request = request_to(*server);
  request.timeouts.idle = 300ms;
  const Answered got = ask(request);
  CHECK(got.fault() == Fault::Timeout);
  CHECK(got.took >= 290ms);
  CHECK(got.took < 700ms);
  const auto hole = serve("reply 200", {.black_hole = true});
  HttpRequest slow = request_to(*hole);
  slow.timeouts.idle = 100ms;
  slow.timeouts.connect = 500ms;
  const Answered unconnected = ask(slow);
  CHECK(unconnected.says("connecting to"));
  CHECK(unconnected.took >= 490ms);
}

TEST_CASE("concurrent calls, each with its own limits") {
  const auto server = serve("read\nhang\nconnection\nread\nhang\nconnection\nread\nhang");
  const auto transport = make_curl_transport({});
  std::vector<std::unique_ptr<Collect>> receivers;
  std::vector<Fault> faults;
  for (const auto limit : {900ms, 300ms, 600ms}) {
    HttpRequest request = request_to(*server);
    request.timeouts.total = limit;
    receivers.push_back(std::make_unique<Collect>());
    transport->start(request, *receivers.back(), [&faults](const Outcome& outcome) {
      faults.push_back(outcome.error ? outcome.error->fault : Fault::Unexpected);
    });
  }
  const auto began = std::chrono::steady_clock::now();
  transport->run(NeverCanceled{}, began + 450ms);
  CHECK(faults.size() == 1);
  transport->run(NeverCanceled{}, began + 750ms);
  CHECK(faults.size() == 2);
  transport->run(NeverCanceled{});
  CHECK(faults == std::vector<Fault>(3, Fault::Timeout));
}

}  // namespace svc::http
