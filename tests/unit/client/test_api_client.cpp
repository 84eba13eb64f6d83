// Single API calls: retries, checks and errors.
#include <chrono>

#include <doctest/doctest.h>

#include "call_world.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST_CASE("the request") {
  World world({json_reply(200, "{}")});
  world.policy.timeouts.total = 7s;
  request::Request request = World::request(k_ask);
  request.headers = {{"X-A", "1"}};
  request.body = std::string("{\"a\":1}");
  REQUIRE(world.client().call(request));
  const http::HttpRequest& wire = world.transport.requests.front();
  CHECK(wire.method == "POST");
  CHECK(wire.url == "https://host/a");
  CHECK(wire.bearer == k_key);
  CHECK(header(wire, "x-a") == "1");
  CHECK(std::get<std::string>(wire.body) == "{\"a\":1}");
  CHECK(wire.timeouts.total == 7s);
  CHECK(wire.redirects == http::Redirects::Refuse);
  CHECK(header(wire, "Accept") == "application/json");
}

TEST_CASE("a complete response is returned unchanged") {
  World world({[] {
    FakeReply reply;
    reply.pieces = {"{\"n\": 123456789012345678901234567890,", " \"a\": 1, \"a\": 2}\n"};
    return reply;
  }()});
  const auto reply = world.call(k_ask);
  REQUIRE(reply);
  CHECK(reply->body == "{\"n\": 123456789012345678901234567890, \"a\": 1, \"a\": 2}\n");
  CHECK(reply->head.status == 200);
}

TEST_CASE("an unsent request is always resent") {
  for (const Operation* operation : {&k_read, &k_ask, &k_create}) {
    CAPTURE(operation->name);
    World world({failure(Fault::Network, false), json_reply(200, "{}")});
    CHECK(world.call(*operation));
    CHECK(world.sent() == 2);
    REQUIRE(world.told.size() == 1);
    CHECK(mentions(world.told[0], "retry 1 of 2"));
  }
}

TEST_CASE("a request whose response was lost is retried only if that is harmless") {
  World read({failure(Fault::Network), json_reply(200, "{}")});
  CHECK(read.call(k_read));
  CHECK(read.sent() == 2);
  for (const Operation* operation : {&k_ask, &k_create}) {
    CAPTURE(operation->name);
    World world({failure(Fault::Network)});
    const Error error = world.error(*operation);
    CHECK(error.fault == Fault::UnknownOutcome);
    CHECK(error.message == "request sent, but the response was lost: the line went dead");
    CHECK(error.hint == "It may have been executed and billed; it was not retried.");
    CHECK(world.sent() == 1);
  }
}

TEST_CASE("with an idempotency key every request may be resent") {
  World world({failure(Fault::Network), refusal(503), json_reply(200, "{}")});
  request::Request request = World::request(k_create);
  request.headers = {{"Idempotency-Key", "k"}};
  CHECK(world.client().call(request));
  CHECK(world.sent() == 3);
}

TEST_CASE("rejected requests are retried according to the kind of operation") {
  for (const int status : {408, 409, 500, 502, 503, 504, 529}) {
    CAPTURE(status);
    World read({refusal(status), json_reply(200, "{}")});
    CHECK(read.call(k_read));
    World ask({refusal(status), json_reply(200, "{}")});
    CHECK(ask.call(k_ask));
    World create({refusal(status)});
    CHECK(create.error(k_create).http_status == status);
    CHECK(create.sent() == 1);
  }
  World limited({refusal(429), refusal(429), json_reply(200, "{}")});
  CHECK(limited.call(k_create));
  CHECK(limited.sent() == 3);
  for (const int status : {400, 401, 403, 404, 405, 413, 415, 422}) {
    CAPTURE(status);
    World world({refusal(status)});
    CHECK(world.error(k_read).http_status == status);
    CHECK(world.sent() == 1);
  }
}

TEST_CASE("exhausted credits are not retried") {
  World world({refusal(429, R"({"error":"You have used all available credits"})")});
  const Error error = world.error(k_read);
  CHECK(error.fault == Fault::Limited);
  CHECK(world.sent() == 1);
}

TEST_CASE("after the last retry the service's own error is returned") {
  World world({refusal(503), refusal(503), refusal(500, R"({"error":"broken for good"})")});
  const Error error = world.error(k_read);
  CHECK(error.fault == Fault::Service);
  CHECK(error.http_status == 500);
  CHECK(mentions(error.message, "broken for good"));
  CHECK(world.sent() == 3);
  World none({refusal(503)}, CallPolicy{.retries = 0});
  CHECK(none.error(k_read).http_status == 503);
  CHECK(none.sent() == 1);
}

TEST_CASE("the service decides when to retry, and whether") {
  World later({refusal(429), json_reply(200, "{}")});
  const auto begin = Clock::now();
  CHECK(later.call(k_ask));
  CHECK(Clock::now() - begin < 900ms);  // less than the usual delay after a 429

  World timed({[] {
                 FakeReply reply = json_reply(503, "{}");
                 reply.headers.push_back({"Retry-After", "0.3"});
                 return reply;
               }(),
               json_reply(200, "{}")});
  const auto start = Clock::now();
  CHECK(timed.call(k_ask));
  CHECK(Clock::now() - start >= 300ms);

  FakeReply never = refusal(503);
  never.headers.push_back({"x-should-retry", "false"});
  World stubborn({never});
  CHECK(stubborn.error(k_read).http_status == 503);
  CHECK(stubborn.sent() == 1);

  FakeReply again = refusal(400);
  again.headers.push_back({"x-should-retry", "true"});
  World told({again, json_reply(200, "{}")});
  CHECK(told.call(k_create));
}

TEST_CASE("a delay that is too long ends the call and is reported") {
  FakeReply reply = json_reply(429, R"({"error":"slow down"})");
  reply.headers.push_back({"Retry-After", "86400"});
  World world({reply});
  const auto begin = Clock::now();
  const Error error = world.error(k_ask);
  CHECK(Clock::now() - begin < 1s);
  CHECK(error.fault == Fault::Limited);
  CHECK(error.message == "too many requests (HTTP 429): slow down");
  CHECK(error.hint == "Retry after 24 h, or raise --max-wait.");
  CHECK(world.sent() == 1);
}

TEST_CASE("a run of failures exhausts the quota, a success restores some of it") {
  World world({});
  for (int i = 0; i < 99; ++i) REQUIRE(world.quota.spend(false));
  CHECK(world.quota.left() == 5);
  World poor({refusal(503), refusal(503)});
  for (int i = 0; i < 99; ++i) REQUIRE(poor.quota.spend(false));
  CHECK(poor.error(k_read).http_status == 503);
  CHECK(poor.sent() == 2);
  World good({json_reply(200, "{}")});
  REQUIRE(good.quota.spend(false));
  const int left = good.quota.left();
  CHECK(good.call(k_read));
  CHECK(good.quota.left() == left + 1);
}

TEST_CASE("canceling works before, during and after a request") {
  World before({json_reply(200, "{}")});
  before.cancel.cancel();
  CHECK(before.error(k_read).fault == Fault::Interrupted);

  FakeReply pause = json_reply(503, "{}");
  pause.headers.push_back({"Retry-After", "30"});
  World during({});
  pause.before = [&during] { during.cancel.cancel(); };
  during.transport.add(pause);
  const auto begin = Clock::now();
  CHECK(during.error(k_read).fault == Fault::Interrupted);
  CHECK(Clock::now() - begin < 5s);

  World lost({failure(Fault::Interrupted)});
  CHECK(lost.error(k_create).fault == Fault::Interrupted);
  CHECK(lost.sent() == 1);
}

TEST_CASE("a timeout keeps its class and is not retried") {
  for (const Operation* operation : {&k_read, &k_create}) {
    World world({failure(Fault::Timeout)});
    CHECK(world.error(*operation).fault == Fault::Timeout);
    CHECK(world.sent() == 1);
  }
}

TEST_CASE("a truncated response is invalid, not lost") {
  FakeReply cut = json_reply(200, "{\"a\":");
  cut.error = Error{Fault::Network, "the connection ended early"};
  World create({cut});
  CHECK(create.error(k_create).fault == Fault::Network);
  World read({cut, json_reply(200, "{}")});
  CHECK(read.call(k_read));
  CHECK(read.sent() == 2);
}

TEST_CASE("a request may have run unless it was redirected, or not sent") {
  const auto may_have_run = [](int status, bool sent) {
    World world({FakeReply{
        .status = status, .error = Error{Fault::Network, "the line went dead"}, .sent = sent}});
    return world.error(k_create).may_have_run;
  };
  CHECK(may_have_run(200, true));
  CHECK_FALSE(may_have_run(300, true));
  CHECK_FALSE(may_have_run(399, true));
  CHECK_FALSE(may_have_run(0, false));
}

TEST_CASE("an error status counts even if its body is truncated") {
  for (const auto& [status, fault] : {std::pair(401, Fault::Auth), std::pair(404, Fault::NotFound),
                                      std::pair(500, Fault::Service)}) {
    FakeReply cut = json_reply(status, "{\"error\":\"half of a sen");
    cut.error = Error{Fault::Network, "the connection ended early"};
    World world({cut}, CallPolicy{.retries = 0});
    const Error error = world.error(k_create);
    CHECK(error.fault == fault);
    CHECK(error.http_status == status);
  }
}

TEST_CASE("errors that would recur are not retried") {
  FakeReply reply = failure(Fault::Network, false);
  reply.permanent = true;
  World world({reply});
  CHECK(world.error(k_read).fault == Fault::Network);
  CHECK(world.sent() == 1);
}

TEST_CASE("a response that is not JSON") {
  const auto error_for = [](const std::string& body, const std::string& type) {
    FakeReply reply = json_reply(200, body);
    reply.headers = {{"content-type", type}};
    World world({reply});
    return world.error(k_ask);
  };
  Error error = error_for("<html>Log in here \x1b[2J</html>", "text/html");
  CHECK(error.fault == Fault::Network);
  CHECK(error.message ==
        "expected application/json, got text/html: <html>Log in here ^[[2J</html>");
  CHECK(error.hint ==
        "Something between here and the service may have responded; check the URL with `svc "
        "doctor`.");
  for (const char* empty : {"", " \n"}) {
    error = error_for(empty, "application/json");
    CHECK(error.fault == Fault::Network);
    CHECK(error.message == "expected JSON, got an empty response (HTTP 200)");
    CHECK(error.hint == "Check the URL with `svc doctor`.");
  }
  CHECK(error_for("echo " + k_key, "text/plain").message ==
        "expected application/json, got text/plain: echo svc-…wxyz");
  for (const std::string& broken :
       {std::string("{\"a\":"), std::string("{} {}"), std::string(2000, '[')}) {
    error = error_for(broken, broken.size() > 5 ? "application/json" : "");
    CHECK(error.fault == Fault::Network);
    CHECK(error.message.starts_with("response is not JSON: line 1, column "));
    CHECK(error.hint == "It may have been cut short; try again.");
  }
}

TEST_CASE("JSON with related content types, or none") {
  for (const char* type :
       {"application/json; charset=utf-8", "APPLICATION/JSON", "application/problem+json", ""}) {
    CAPTURE(type);
    FakeReply reply = json_reply(200, " {\"a\":1} ");
    reply.headers = {{"Content-Type", type}};
    World world({reply});
    CHECK(world.call(k_ask));
  }
  World pending({json_reply(202, "")});
  CHECK(pending.call(k_read));
  // Where bytes are expected, any content type is accepted.
  FakeReply bytes = json_reply(200, std::string("\0\xff", 2));
  bytes.headers = {{"Content-Type", "audio/wav"}};
  World load({bytes});
  CHECK(load.call(k_load));
}

TEST_CASE("ill-formed bytes of a response are replaced, in names and in values") {
  const std::string body = "{\"a\xff\":\"b\xe2\x82\",\"c\":[\"\xed\xa0\x80\"]}";
  World world({json_reply(200, body)});
  const auto reply = world.call(k_ask);
  REQUIRE(reply);
  CHECK(reply->body ==
        "{\"a\xef\xbf\xbd\":\"b\xef\xbf\xbd\",\"c\":[\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"]}");
  // What the outline names are positions in the new text.
  CHECK(reply->outline.member(reply->body, "a\xef\xbf\xbd") == "\"b\xef\xbf\xbd\"");
}

TEST_CASE("an endless response is not collected") {
  FakeReply huge;
  huge.pieces.assign(40, std::string(1 << 20, ' '));
  World world({huge});
  const Error error = world.error(k_read);
  CHECK(error.fault == Fault::Network);
  CHECK(mentions(error.message, "larger than"));
  CHECK(world.sent() == 1);
}

TEST_CASE("errors never contain the key") {
  World echoed({json_reply(401, R"({"error":"wrong key )" + k_key + "\"}")});
  CHECK(mentions(echoed.error(k_read).message, "svc-\xe2\x80\xa6wxyz"));
  FakeReply typed = json_reply(200, "{}");
  typed.headers = {{"Content-Type", k_key}};
  World other_type({typed});
  CHECK_FALSE(mentions(other_type.error(k_ask).message, k_key.substr(4, 12)));
  FakeReply lost = failure(Fault::Network);
  lost.error->message = "lost: " + k_key;
  World world({lost});
  CHECK(world.error(k_create).fault == Fault::UnknownOutcome);
}

TEST_CASE("with a clock, requests work the same") {
  World world({failure(Fault::Network, false), json_reply(200, "{\"a\":1}")});
  int ticks = 0;
  ApiClient client(
      world.transport, world.quota, world.cancel, world.policy, [](const std::string&) {},
      [&] { ++ticks; });
  const auto reply = client.call(World::request(k_ask));
  REQUIRE(reply);
  CHECK(reply->body == "{\"a\":1}");
  CHECK(ticks == 2);
  CHECK(world.sent() == 2);
}

TEST_CASE("canceling ends a sleep") {
  const NeverCanceled never;
  auto begin = Clock::now();
  CHECK(interruptible_sleep(30ms, never));
  CHECK(Clock::now() - begin >= 30ms);
  CHECK(interruptible_sleep(0ms, never));
  CHECK(interruptible_sleep(-5ms, never));
  Switch cancel;
  cancel.cancel();
  begin = Clock::now();
  const auto slept = interruptible_sleep(30s, cancel);
  REQUIRE_FALSE(slept);
  CHECK(slept.error().fault == Fault::Interrupted);
  CHECK(Clock::now() - begin < 5s);
}

TEST_CASE("a document with another ID than the one asked for is refused") {
  const auto answered = [](const char* method, const char* path, const char* url,
                           const char* body) {
    Operation get = k_read;
    get.method = method;
    get.path = path;
    World world({json_reply(200, body)});
    request::Request request = World::request(get);
    request.url = url;
    const auto reply = world.client().call(request);
    if (!reply) CHECK(reply.error().fault == Fault::Network);
    return reply ? "" : reply.error().message;
  };
  const std::string wrong = "expected the response for b1, got the one for b2";
  CHECK(answered("GET", "/b/{batch_id}", "https://host/b/b1?x=/y", R"({"batch_id":"b2"})") ==
        wrong);
  CHECK(answered("GET", "/b/{batch_id}", "https://host/b/b1", R"({"id":"b2"})") == wrong);
  CHECK(answered("GET", "/v/{request_id}", "https://host/v/b1", R"({"request_id":"b2"})") == wrong);
  CHECK(answered("GET", "/b/{batch_id}", "https://host/b/b%201", R"({"id":"b2"})") ==
        "expected the response for b 1, got the one for b2");
  for (const char* fine : {R"({"batch_id":"B1"})", R"({"batch_id":"b1","id":"b2"})", "{}"}) {
    CHECK(answered("GET", "/b/{batch_id}", "https://host/b/b1", fine).empty());
  }
  CHECK(answered("GET", "/v/{request_id}", "https://host/v/b1", R"({"id":"b2"})").empty());
  CHECK(answered("GET", "/t/{teamId}", "https://host/t/b1", R"({"teamId":"b2"})").empty());
  CHECK(answered("GET", "/b/{batch_id}/x", "https://host/b/b1/x", R"({"id":"b2"})").empty());
  CHECK(answered("GET", "/b", "https://host/b", R"({"id":"b2"})").empty());
  CHECK(answered("POST", "/b/{batch_id}", "https://host/b/b1", R"({"id":"b2"})").empty());
}

TEST_CASE("the hint of a refusal knows the host") {
  const auto hint = [](Host host) {
    Operation read = k_read;
    read.host = host;
    World world({refusal(403)});
    return world.error(read).hint;
  };
  CHECK(mentions(hint(Host::Management), "The management key is valid"));
  CHECK(mentions(hint(Host::Inference), "svc keys self"));
}

TEST_CASE("what may cost money is sent to a model, and is not free") {
  Operation ask = k_ask;
  CHECK(may_cost(ask));
  CHECK_FALSE(may_cost(k_read));
  ask.host = Host::Realtime;
  CHECK(may_cost(ask));
  ask.method = "GET";
  CHECK_FALSE(may_cost(ask));
  ask.reply = Reply::Socket;
  CHECK(may_cost(ask));
  ask.free = true;
  CHECK_FALSE(may_cost(ask));
  ask = k_ask;
  ask.host = Host::Management;
  CHECK_FALSE(may_cost(ask));
}
