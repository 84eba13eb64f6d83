// Ordinary requests, and requests that must not be sent.
#include <stdexcept>

#include "base/text.h"
#include "unit/http/transport_fixture.h"

namespace svc::http {

TEST_CASE("a GET request and its response arrive unchanged") {
  const auto server =
      serve("header X-Two: a\nheader x-two: b\nreply 200 application/json {\"a\":1}");
  HttpRequest request = request_to(*server, "GET", "/v1/files/a%2Fb?limit=1");
  request.headers = {{"x-one", "1"}, {"x-empty", ""}};
  request.bearer = "svc-key-1";
  const Answered got = ask(request, {.user_agent = "svc/0.1"});
  CHECK_FALSE(got.outcome.error);
  CHECK(got.outcome.sent);
  CHECK(got.outcome.answered);
  CHECK(got.outcome.head.status == 200);
  CHECK(got.head.version == "1.1");
  CHECK(got.head.header("X-TWO") == "a");
  CHECK_FALSE(got.head.header("x-none"));
  CHECK(got.body == "{\"a\":1}");
  const auto requests = server->requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].method == "GET");
  CHECK(requests[0].target == "/v1/files/a%2Fb?limit=1");
  CHECK(requests[0].header("authorization") == "Bearer svc-key-1");
  CHECK(requests[0].header("user-agent") == "svc/0.1");
  CHECK(requests[0].header("x-one") == "1");
  CHECK(requests[0].header("x-empty") == "");
  CHECK(requests[0].header("accept-encoding") == "gzip, deflate");
  CHECK_FALSE(requests[0].header("content-type"));
  CHECK(requests[0].body_size == 0);
}

TEST_CASE("every method, with and without a body") {
  const auto server = serve("reply 200 text/plain ok\nloop");
  const auto transport = make_curl_transport({});
  const auto exchange = [&](const char* method, Payload body) {
    HttpRequest request = request_to(*server, method);
    if (std::holds_alternative<std::string>(body))
      request.headers = {{"Content-Type", "application/json"}};
    request.body = std::move(body);
    const Answered got = ask(*transport, request);
    CHECK_FALSE(got.outcome.error);
    return server->requests().back();
  };
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "GET", "OPTIONS"}) {
    CAPTURE(method);
    const auto with = exchange(method, std::string("{\"b\":2}"));
    CHECK(with.method == method);
    CHECK(with.body == "{\"b\":2}");
    CHECK(with.header("content-type") == "application/json");
    const auto without = exchange(method, {});
    CHECK(without.method == method);
    CHECK(without.body_size == 0);
    CHECK_FALSE(without.header("content-type"));
  }
  CHECK(exchange("POST", {}).header("content-length") == "0");
  CHECK_FALSE(exchange("DELETE", {}).header("content-length"));
  CHECK(server->connections().size() == 1);  // one kept-alive connection for all of them
}

TEST_CASE("HEAD has no body, whatever its Content-Length") {
  const auto server = serve("header Content-Length: 5\nreply 200\nloop");
  const Answered got = ask(request_to(*server, "HEAD"));
  CHECK_FALSE(got.outcome.error);
  CHECK(got.outcome.head.status == 200);
}

TEST_CASE("a body with NUL and every other byte arrives complete, even a large one") {
  std::string body;
  for (int i = 0; i < 3'000'000; ++i) body += static_cast<char>(i % 251);
  const auto server =
      serve("read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread body\nreply 200");
  HttpRequest request = request_to(*server, "POST");
  request.body = body;
  const Answered got = ask(request);
  CHECK_FALSE(got.outcome.error);
  CHECK(server->requests().at(0).body == body);
  CHECK(server->requests().at(0).header("expect") == "100-continue");
}

TEST_CASE("a streamed response is passed on as it arrives") {
  const auto server = serve("events\nevent one\nsleep 400ms\nevent two");
  Collect collect;
  const auto began = std::chrono::steady_clock::now();
  const auto transport = make_curl_transport({});
  HttpRequest request = request_to(*server);
  request.max_body_bytes = 0;
  const Outcome outcome = transport->perform(request, collect, NeverCanceled{});
  CHECK_FALSE(outcome.error);
  CHECK(collect.body == "data: one\n\ndata: two\n\n");
  CHECK(collect.heads == 1);
  CHECK(collect.first_byte - began < 300ms);
  CHECK(std::chrono::steady_clock::now() - began >= 390ms);
}

TEST_CASE("the receiver is notified of each pause, once for data that arrived together") {
  const auto server = serve("events\nevent one\nsleep 300ms\nevent two\nsleep 300ms\nevent three");
  Collect collect;
  const auto transport = make_curl_transport({});
  CHECK_FALSE(transport->perform(request_to(*server), collect, NeverCanceled{}).error);
  REQUIRE(!collect.paused_at.empty());
  CHECK(collect.paused_at.front() == 11);  // "data: one" and two newlines
  CHECK(collect.paused_at.back() == collect.body.size());
  CHECK(collect.paused_at.size() <= 4);
}

TEST_CASE("gzip is decoded") {
  const auto server = serve(
      "header Content-Encoding: gzip\n"
      "reply 200 text/plain \\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00\\x02\\x03\\xcb\\x48\\xcd\\xc9"
      "\\xc9\\xd7\\x51\\x48\\xaf\\xca\\x2c\\x00\\x00\\x4a\\x9b\\xb1\\x5c\\x0b\\x00\\x00\\x00");
  const Answered got = ask(request_to(*server));
  CAPTURE(got.outcome.error ? got.outcome.error->message : "");
  CHECK(got.body == "hello, gzip");
}

TEST_CASE("each coding that was asked for is accepted, in any spelling") {
  for (const char* coding : {"", "identity", "Identity", " identity , identity"}) {
    CAPTURE(coding);
    const auto server =
        serve("header Content-Encoding: " + std::string(coding) + "\nreply 200 text/plain ok");
    const Answered got = ask(request_to(*server));
    CHECK_FALSE(got.outcome.error);
    CHECK(got.body == "ok");
  }
}

TEST_CASE("interim responses are not the response") {
  const auto server = serve(
      "read\nsend HTTP/1.1 103 Early Hints\\r\\nLink: </x>\\r\\nX-A: hint\\r\\n\\r\\n\n"
      "send HTTP/1.1 100 Continue\\r\\n\\r\\n\nheader X-A: final\nreply 200 text/plain ok");
  Collect collect;
  const Outcome outcome =
      make_curl_transport({})->perform(request_to(*server), collect, NeverCanceled{});
  CHECK_FALSE(outcome.error);
  CHECK(collect.heads == 1);
  CHECK(outcome.head.status == 200);
  CHECK(outcome.head.headers.size() == 3);
  CHECK(outcome.head.header("x-a") == "final");
}

TEST_CASE("trailers and folded headers are handled") {
  const auto server = serve(
      "read\nsend HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\nX-F: a\\r\\n  "
      "b\\r\\n\\r\\n\n"
      "send 2\\r\\nok\\r\\n0\\r\\nX-Trailer: t\\r\\n\\r\\n");
  const Answered got = ask(request_to(*server));
  CHECK_FALSE(got.outcome.error);
  CHECK(got.body == "ok");
  CHECK(got.head.header("x-f") == "a b");
  CHECK_FALSE(got.outcome.head.header("x-trailer"));
}

TEST_CASE("concurrent calls share one transport, and completion may start more") {
  const auto server = serve("reply 200 text/plain ok\nloop");
  const auto transport = make_curl_transport({});
  std::vector<std::unique_ptr<Collect>> receivers;
  int done = 0;
  const std::function<void()> start_one = [&] {
    receivers.push_back(std::make_unique<Collect>());
    transport->start(request_to(*server, "POST"), *receivers.back(), [&](const Outcome& outcome) {
      CHECK_FALSE(outcome.error);
      ++done;
      if (receivers.size() < 100) start_one();
    });
  };
  for (int i = 0; i < 20; ++i) start_one();
  transport->run(NeverCanceled{});
  CHECK(done == 100);
  CHECK(server->requests().size() == 100);
  CHECK(server->connections().size() < 50);
}

TEST_CASE("over TLS without HTTP/2, calls run concurrently, not one after the other") {
  const auto server =
      serve("read\nsleep 300ms\nreply 200 text/plain ok\nloop", {.tls = test::Tls::Good});
  const auto transport = make_curl_transport({.ca_file = server->ca_file()});
  std::vector<std::unique_ptr<Collect>> receivers;
  int done = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    receivers.push_back(std::make_unique<Collect>());
    transport->start(request_to(*server), *receivers.back(), [&](const Outcome& outcome) {
      CHECK_FALSE(outcome.error);
      ++done;
    });
  }
  transport->run(NeverCanceled{});
  CHECK(done == 10);
  CHECK(std::chrono::steady_clock::now() - began < 1500ms);
}

TEST_CASE("after a response without HTTP/2, there may be any number of connections") {
  std::string script = "reply 200 text/plain ok";
  for (int i = 0; i < 20; ++i) script += "\nconnection\nread\nhang";
  const auto server = serve(script);
  std::vector<std::unique_ptr<Collect>> receivers;
  const auto transport = make_curl_transport({});
  CHECK(ask(*transport, request_to(*server)).body == "ok");
  for (int i = 0; i < 20; ++i) {
    receivers.push_back(std::make_unique<Collect>());
    transport->start(request_to(*server, "POST"), *receivers.back(), [](const Outcome&) {});
  }
  const auto began = std::chrono::steady_clock::now();
  while (server->connections().size() < 21 && std::chrono::steady_clock::now() - began < 5s) {
    transport->run(NeverCanceled{}, std::chrono::steady_clock::now() + 10ms);
  }
  CHECK(server->connections().size() == 21);
}

TEST_CASE("run returns at `until` and continues later") {
  const auto server = serve("read\nsleep 300ms\nreply 200 text/plain ok");
  const auto transport = make_curl_transport({});
  Collect collect;
  bool done = false;
  transport->start(request_to(*server), collect, [&](const Outcome&) { done = true; });
  transport->run(NeverCanceled{}, std::chrono::steady_clock::now() + 50ms);
  CHECK_FALSE(done);
  transport->run(NeverCanceled{});
  CHECK(done);
  CHECK(collect.body == "ok");
}

TEST_CASE("a transport may be destroyed during a call") {
  const auto server = serve("read\nhang");
  Collect collect;
  {
    const auto transport = make_curl_transport({});
    transport->start(request_to(*server), collect, [](const Outcome&) { FAIL("not done"); });
    transport->run(NeverCanceled{}, std::chrono::steady_clock::now() + 50ms);
  }
  CHECK(server->wait_until_closed(2s));
}

TEST_CASE("the receiver's error ends the call with that error") {
  const auto server = serve("events\nevent a\nhang\nloop");
  const auto transport = make_curl_transport({});
  Collect collect;
  SUBCASE("at the head") {
    collect.refuse_head = Error{Fault::RemoteJob, "no such head"};
  }
  SUBCASE("at the body") {
    collect.refuse_body = Error{Fault::RemoteJob, "no such head"};
  }
  SUBCASE("at a pause") {
    collect.refuse_pause = Error{Fault::RemoteJob, "no such head"};
  }
  const Outcome outcome = transport->perform(request_to(*server), collect, NeverCanceled{});
  REQUIRE(outcome.error);
  CHECK(outcome.error->fault == Fault::RemoteJob);
  CHECK(outcome.error->message == "no such head");
  CHECK(outcome.permanent);
  CHECK(outcome.answered);
  CHECK(server->wait_until_closed(2s));
}

TEST_CASE("a receiver is told when its request is sent, on each connection") {
  struct Told final : Receiver {
    int sends = 0;
    int sends_at_head = 0;
    void on_send() override { ++sends; }
    Result<void> on_head(const HttpHead&) override {
      sends_at_head = sends;
      return {};
    }
    Result<void> on_body(std::string_view) override { return {}; }
  };
  const auto server = serve("header Location: /again\nreply 302\nnext\nreply 200 text/plain ok");
  HttpRequest request = request_to(*server);
  request.redirects = Redirects::FollowWithoutCredentials;
  Told told;
  CHECK_FALSE(make_curl_transport({})->perform(request, told, NeverCanceled{}).error);
  CHECK(told.sends == 2);
  CHECK(told.sends_at_head == 2);
  Told none;
  request.url = "ftp://h/";
  CHECK(make_curl_transport({})->perform(request, none, NeverCanceled{}).error);
  CHECK(none.sends == 0);
}

TEST_CASE("a call whose receiver throws is forgotten") {
  struct Throws final : Receiver {
    Result<void> on_head(const HttpHead&) override { return {}; }
    Result<void> on_body(std::string_view) override { return {}; }
    Result<void> on_pause() override { throw std::runtime_error("no memory"); }
  };
  const auto server = serve("events\nevent a\nhang\nconnection\nreply 200 text/plain ok");
  const auto transport = make_curl_transport({});
  Throws receiver;
  CHECK_THROWS_AS((void)transport->perform(request_to(*server), receiver, NeverCanceled{}),
                  std::runtime_error);
  CHECK(server->wait_until_closed(2s));
  CHECK(ask(*transport, request_to(*server)).body == "ok");
}

TEST_CASE("what a receiver throws while it takes the answer is the call's error") {
  struct Throws final : Receiver {
    bool at_head = false;
    bool unknown = false;
    void fail() const {
      if (unknown) throw 7;
      throw std::runtime_error("the reason");
    }
    Result<void> on_head(const HttpHead&) override {
      if (at_head) fail();
      return {};
    }
    Result<void> on_body(std::string_view) override {
      fail();
      return {};
    }
  };
  const auto server = serve("reply 200 text/plain ok\nloop");
  const auto transport = make_curl_transport({});
  for (const bool at_head : {false, true}) {
    for (const bool unknown : {false, true}) {
      Throws receiver;
      receiver.at_head = at_head;
      receiver.unknown = unknown;
      const Outcome outcome = transport->perform(request_to(*server), receiver, NeverCanceled{});
      REQUIRE(outcome.error);
      CHECK(outcome.error->fault == Fault::Unexpected);
      CHECK(outcome.error->message == (unknown ? "an unknown exception" : "the reason"));
      CHECK(outcome.permanent);
    }
  }
}

TEST_CASE("a receiver that starts another call gets an error") {
  struct Nested final : Receiver {
    Transport* transport = nullptr;
    HttpRequest request{};
    std::optional<Error> error{};
    std::optional<Error> late_error{};
    Result<void> on_head(const HttpHead&) override {
      Collect inner;
      error = transport->perform(request, inner, NeverCanceled{}).error;
      return {};
    }
    Result<void> on_body(std::string_view) override { return {}; }
    Result<void> on_pause() override {
      Collect inner;
      if (!late_error) late_error = transport->perform(request, inner, NeverCanceled{}).error;
      return {};
    }
  };
  const auto server = serve("events\nevent one\nsleep 300ms\nevent two");
  const auto transport = make_curl_transport({});
  Nested nested;
  nested.transport = transport.get();
  nested.request = request_to(*server);
  CHECK_FALSE(transport->perform(request_to(*server), nested, NeverCanceled{}).error);
  for (const auto& error : {nested.error, nested.late_error}) {
    REQUIRE(error);
    CHECK(error->fault == Fault::Unexpected);
    CHECK(error->message == "a receiver cannot wait for another request");
  }
  CHECK(server->requests().size() == 1);
}

TEST_CASE("rows 100 and 101: requests that are not sent at all") {
  const auto server = serve("reply 200 text/plain ok\nloop");
  const auto refused = [&](const HttpRequest& request) {
    const Answered got = ask(request);
    CHECK_FALSE(got.outcome.sent);
    REQUIRE(got.outcome.error);
    CAPTURE(got.outcome.error->message);
    CHECK(got.outcome.error->message.find("secret") == std::string::npos);
    CHECK(got.outcome.error->hint.find("secret") == std::string::npos);
    return got.fault() == Fault::Usage;
  };
  for (const char* key : {"secret\r\nX-Evil: 1", "secret key", "\"secret\"", "'secret'", "secret\n",
                          "secret\xc3\xa4", "\x01secret", "secret\x7f", " secret"}) {
    HttpRequest request = request_to(*server);
    request.bearer = key;
    CHECK(refused(request));
  }
  for (const Header& header :
       {Header{"X-A", "a\r\nX-Evil: 1"}, Header{"X-A", "a\nb"},
        Header{"X-A", std::string("a\0b", 3)}, Header{"X-A", "\x1b[2J"}, Header{"X A", "b"},
        Header{"", "b"}, Header{"X-A:", "b"}, Header{"X-\nA", "b"}, Header{"Content-Length", "5"},
        Header{"transfer-encoding", "chunked"}, Header{"Host", "evil"}}) {
    HttpRequest request = request_to(*server);
    request.headers = {header};
    CHECK(refused(request));
  }
  for (const char* url : {"http://api.example.com/v1/x", "ftp://127.0.0.1/x", "file:///etc/passwd",
                          "https://user:secret@127.0.0.1/", "127.0.0.1/x", "https://h/a b",
                          "wss://api.example.com/", ""}) {
    HttpRequest request = request_to(*server);
    request.url = url;
    CHECK(refused(request));
  }
  for (const char* method : {"", "GET /evil HTTP/1.1\r\nX: y", "G T", "G\xc3\xa4T"}) {
    HttpRequest request = request_to(*server);
    request.method = method;
    CHECK(refused(request));
  }
  HttpRequest form = request_to(*server, "POST");
  form.body = std::vector<Part>{{"a", std::string("b"), "f", "text/plain\r\nX-Evil: 1"}};
  CHECK(refused(form));
  CHECK(server->connections().empty());
}

TEST_CASE("unusual but valid values are sent unchanged") {
  const auto server = serve("reply 200 text/plain ok");
  HttpRequest request = request_to(*server);
  request.headers = {{"X-A", "a\tb; \"c\" \xc3\xa4"}};
  request.bearer = "svc-AZaz09-._~+/=:";
  CHECK_FALSE(ask(request).outcome.error);
  CHECK(server->requests().at(0).header("x-a") == "a\tb; \"c\" \xc3\xa4");
  CHECK(server->requests().at(0).header("authorization") == "Bearer svc-AZaz09-._~+/=:");
}

TEST_CASE("the path is sent as it was shown, including dots") {
  const auto server = serve("reply 200 text/plain ok");
  CHECK_FALSE(ask(request_to(*server, "DELETE", "/v1/files/..")).outcome.error);
  CHECK(server->requests().at(0).target == "/v1/files/..");
}

TEST_CASE("the versions are reported") {
  CHECK(curl_version_text().starts_with("libcurl/"));
  CHECK(contains_ignore_case(curl_version_text(), "openssl/"));
}

}  // namespace svc::http
