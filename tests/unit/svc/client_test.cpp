// Calls of a client: by name and typed, streams, tools, errors, cancelling.
#include <stdexcept>
#include <thread>

#include "fixture.h"
#include "support/mentions.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// A client of nothing: what it refuses, it refuses before it sends.
api::Client unconnected() {
  return *api::Client::open({.base_url = "http://127.0.0.1:9", .api_key = "svc-a-key-of-tests"});
}

api::Error refused(std::string_view operation, const api::Flags& flags = {}) {
  const auto reply = unconnected().call(operation, flags);
  REQUIRE_FALSE(reply);
  CHECK(reply.error().fault == api::Fault::Usage);
  return reply.error();
}

std::string chat_events(int pieces, bool ends) {
  std::string steps = "events\n";
  for (int i = 0; i < pieces; ++i) {
    steps += R"(event {"id":"a","choices":[{"index":0,"delta":{"content":"word "}}]})"
             "\n";
  }
  if (ends) {
    steps += R"(event {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"
             "\ndone\n";
  }
  return steps;
}

}  // namespace

TEST_CASE("row 143: mistyped names are errors with the nearest one") {
  struct Row {
    const char* operation;
    api::Flags flags;
    const char* message;
    const char* hint;
  };
  const Row rows[] = {
      {"chta", {}, "unknown command 'chta'", "'chat'"},
      {"", {}, "unknown command ''", "Commands: chat,"},
      {"   ", {}, "unknown command ''", "Commands: chat,"},
      {"videos create",
       {},
       "'svc videos' has no verb 'create'; verbs: generate,",
       "`svc videos generate`"},
      {"files lsit", {}, "'svc files' has no verb 'lsit'", "`svc files list`"},
      {"collections documents", {}, "needs a verb: ", "add"},
      {"files", {}, "'svc files' needs a verb: upload, list", ""},
      {"chat", {{"temprature", "1"}}, "'svc chat' has no flag '--temprature'", "'--temperature'"},
      {"chat", {{"", "1"}}, "'svc chat' has no flag '--'", ""},
      {"chat", {{"prompt", "a"}, {"temperature", "9"}}, "--temperature is out of range", ""},
      {"chat", {{"prompt", "a"}, {"temperature", "warm"}}, "--temperature", ""},
      {"chat", {{"prompt", "a"}, {"store", "maybe"}}, "--store", ""},
      {"chat", {{"prompt", "a"}, {"prompt", "b"}}, "--prompt was given 2 times", ""},
      {"chat", {{"prompt", "a"}, {"session", "x"}}, "--session is only for the program", ""},
      {"chat", {{"prompt", "a"}, {"body", "@/etc/passwd"}}, "--body must be a JSON object", ""},
      {"chat", {{"prompt", "a"}, {"set", ""}}, "--set must be PATH=JSON", ""},
      {"chat", {{"prompt", "a"}, {"stream", "true"}}, "cannot be streamed", "chat()"},
      {"chat", {{"prompt", "a"}, {"set", "stream=true"}}, "cannot be streamed", ""},
      {"responses",
       {{"body", R"({"input":"a","model":"m","stream":true})"}},
       "cannot be streamed",
       ""},
      {"config get", {}, "'svc config get' is a command of the program", ""},
      {"stt live", {}, "'svc stt live' is a WebSocket", "connect()"},
      {"chat", {}, "", ""},
      {"files get", {}, "file-id", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.operation);
    CAPTURE(row.message);
    const api::Error error = refused(row.operation, row.flags);
    CHECK(mentions(error.message + " " + error.hint, row.message));
    CHECK(mentions(error.hint + " " + error.message, row.hint));
  }
}

TEST_CASE("what is called in a wrong way says how it is called") {
  const auto told = [](const auto& done) {
    REQUIRE_FALSE(done);
    CHECK(done.error().fault == api::Fault::Usage);
    return done.error().message + " / " + done.error().hint;
  };
  const api::Client client = unconnected();
  CHECK(told(client.call("config get", {})) ==
        "'svc config get' is a command of the program, not a request / svc-commands(7) lists the "
        "operations with their requests.");
  CHECK(told(client.call("stt live", {})) ==
        "'svc stt live' is a WebSocket / Open it with connect().");
  CHECK(told(client.call("chat", {{"prompt", "a"}, {"stream", "true"}})) ==
        "call() returns an answer at once, so it cannot be streamed / Leave 'stream' out, or use "
        "chat() or responses() with a callback.");
  CHECK(told(client.list("chat", {}, [](std::string_view) { return true; })) ==
        "'svc chat create' does not return a list / Use call().");
  CHECK(told(client.connect("chat", {})) == "'svc chat create' is not a WebSocket / Use call().");
  CHECK(told(api::Client::open({.profile = "emulator"})) ==
        "the profile emulator is only for the program, which starts an emulator itself / Start "
        "svc-emulator, and open a client with the URLs and keys that it prints.");
}

TEST_CASE("a client that was given nothing says what is missing") {
  const auto client = api::Client::open(api::Options{});
  REQUIRE(client);
  const auto answer = client->chat({.prompt = "Hello"});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == api::Fault::Usage);
  CHECK(mentions(answer.error().message, "base_url is not set"));
  const auto keyless = api::Client::open({.base_url = "http://127.0.0.1:9"});
  REQUIRE(keyless);
  CHECK(keyless->chat({.prompt = "Hello"}).error().fault == api::Fault::Auth);
  CHECK(api::Client::open({.base_url = "nonsense"}).error().fault == api::Fault::Usage);
  CHECK(api::Client::open({.profile = "no/name"}).error().fault == api::Fault::Usage);
}

TEST_CASE("a typed answer has the members of the service's") {
  ClientWorld world("reply 200 application/json " + answer_json("Oslo"));
  const auto answer = world.client.chat({.prompt = "@/etc/passwd", .max_completion_tokens = 9});
  REQUIRE(answer);
  CHECK(answer->text == "Oslo");
  CHECK(answer->finish_reason == "stop");
  CHECK(answer->usage.input_tokens == 3);
  CHECK(answer->usage.cost_in_usd_ticks == 70);
  CHECK(mentions(answer->json, "new_member"));
  const std::string body = world.server->requests().front().body;
  CHECK(mentions(body, R"("content":"@/etc/passwd")"));
  CHECK(mentions(body, R"("max_completion_tokens":9)"));
  CHECK(world.server->requests().front().header("authorization") == "Bearer svc-a-key-of-tests");
}

TEST_CASE("a stream is passed on piece by piece, and can be stopped") {
  for (const bool stops : {false, true}) {
    CAPTURE(stops);
    ClientWorld world(chat_events(200, true));
    int pieces = 0;
    const auto answer = world.client.chat({.prompt = "Hello"}, [&](const api::Delta& delta) {
      CHECK(delta.text == "word ");
      return ++pieces < 7 || !stops;
    });
    REQUIRE(answer);
    CHECK(answer->stopped == stops);
    CHECK(pieces == (stops ? 7 : 200));
    if (!stops) CHECK(answer->text.size() == 1000);
  }
}

TEST_CASE("a stream that breaks is an error") {
  ClientWorld world(chat_events(3, false) + "cut\n");
  std::string got;
  const auto answer = world.client.chat({.prompt = "Hello"}, [&](const api::Delta& delta) {
    got += delta.text;
    return true;
  });
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == api::Fault::Network);
  CHECK(got == "word word word ");
}

TEST_CASE("what a callback throws reaches its caller") {
  ClientWorld world(chat_events(5, true) + "connection\nreply 200 application/json " +
                    answer_json("again"));
  CHECK_THROWS_WITH_AS(
      (void)world.client.chat({.prompt = "Hello"},
                              [](const api::Delta&) -> bool { throw std::runtime_error("mine"); }),
      "mine", std::runtime_error);
  CHECK(world.client.chat({.prompt = "Hello"}));  // the client can still be used
}

TEST_CASE("a function of the program is called, and its result sent") {
  ClientWorld world(
      R"(reply 200 application/json {"id":"a","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather",)"
      R"("arguments":"{\\"city\\":\\"Oslo\\"}"}}]},"finish_reason":"tool_calls"}],)"
      R"("usage":{"prompt_tokens":3,"completion_tokens":2}})"
      "\nnext\nreply 200 application/json " +
      answer_json("Take one"));
  api::ChatRequest request{.prompt = "Umbrella?"};
  std::string arguments;
  request.tools.push_back({.name = "weather", .run = [&](const std::string& given) {
                             arguments = given;
                             return api::Result<std::string>(std::string("rain"));
                           }});
  const auto answer = world.client.chat(request);
  REQUIRE(answer);
  CHECK(answer->text == "Take one");
  CHECK(answer->usage.input_tokens == 6);
  CHECK(arguments == R"({"city":"Oslo"})");
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 2);
  CHECK(mentions(requests[1].body, R"({"role":"user","content":"Umbrella?"})"));
  CHECK(mentions(requests[1].body, R"({"role":"tool","tool_call_id":"c1","content":"rain"})"));
}

TEST_CASE("errors have what the service says") {
  ClientWorld world(
      "header x-request-id: r-1\nreply 429 application/json "
      R"({"code":"rate_limited","error":"Too many requests"})");
  const auto answer = world.client.chat({.prompt = "Hello"});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == api::Fault::Limited);
  CHECK(answer.error().cause == api::Cause::Passing);
  CHECK(answer.error().http_status == 429);
  CHECK(answer.error().code == "rate_limited");
  CHECK(answer.error().request_id == "r-1");
  CHECK(api::fault_name(answer.error().fault) == std::string("limited"));
}

TEST_CASE("a call that waits is cancelled by another thread") {
  ClientWorld world("read\nstall");
  const api::Cancellation cancellation;
  std::thread other([&] {
    (void)world.server->wait_for_requests(1, 10s);
    cancellation.cancel();
  });
  const auto answer =
      world.client.chat({.prompt = "Hello"}, {.cancellation = cancellation, .timeout = 60s});
  other.join();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == api::Fault::Interrupted);
  CHECK(world.client.chat({.prompt = "Hello"}, {.cancellation = cancellation}).error().fault ==
        api::Fault::Interrupted);
}

TEST_CASE("a list is read to its end, or until the caller has enough") {
  const std::string file =
      R"({"id":"f%","filename":"a","bytes":1,"created_at":5,"expires_at":null})";
  const auto page = [&](const std::string& id, const std::string& token) {
    std::string item = file;
    item.replace(item.find('%'), 1, id);
    std::string items = item;
    for (int i = 0; i < 99; ++i)
      items += "," + std::string(item).replace(item.find(id), 1, id + "_" + std::to_string(i));
    return "reply 200 application/json {\"data\":[" + items + "],\"pagination_token\":\"" + token +
           "\"}\nnext\n";
  };
  ClientWorld world(page("1", "t1") + page("2", ""));
  const auto files = world.client.files(150);
  REQUIRE(files);
  CHECK(files->size() == 150);
  CHECK(files->front().id == "f1");
  CHECK(files->front().created_at == 5);
  CHECK(files->back().expires_at == 0);
}

TEST_CASE("a delivery is verified") {
  const std::string secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
  const api::Delivery delivery{
      .id = "m1", .timestamp = "1000", .signature = "v1,AAAA", .body = "{}"};
  const auto wrong = api::verify_webhook(secret, delivery, 1000);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().fault == api::Fault::Auth);
  CHECK(wrong.error().message ==
        "the delivery is not valid: its signature does not match its ID, timestamp and body");
  CHECK(api::verify_webhook(secret, delivery, 2000).error().message != wrong.error().message);
  CHECK(api::verify_webhook("", delivery, 1000).error().fault == api::Fault::Usage);
  api::Delivery good = delivery;
  good.signature = "v1,Pw/4L7Qr3jIq2I7SAU75Lp2ics2UyfGKmM0PQHsiNeo=";
  CHECK(api::verify_webhook(secret, good, 1000));
  CHECK_FALSE(api::verify_webhook(secret, good, 2000));
  good.body = "{ }";
  CHECK_FALSE(api::verify_webhook(secret, good, 1000));
}

TEST_CASE("a delivery is as old as the clock says if the call does not") {
  const auto old =
      api::verify_webhook("whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
                          {.id = "m1",
                           .timestamp = "1000",
                           .signature = "v1,Pw/4L7Qr3jIq2I7SAU75Lp2ics2UyfGKmM0PQHsiNeo=",
                           .body = "{}"});
  REQUIRE_FALSE(old);
  CHECK(old.error().fault == api::Fault::Auth);
  CHECK(mentions(old.error().message, " old (maximum: 5 min)"));
}

TEST_CASE("copies of a cancellation are canceled together") {
  const api::Cancellation one;
  const api::Cancellation same = one;  // NOLINT: a copy
  const api::Cancellation other;
  CHECK_FALSE(same.requested());
  one.cancel();
  CHECK(one.requested());
  CHECK(same.requested());
  CHECK_FALSE(other.requested());
}
