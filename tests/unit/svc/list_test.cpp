// Lists and their pages, batches, teams, and what a client is opened with.
#include <chrono>

#include <fmt/format.h>

#include "fixture.h"
#include "support/mentions.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

using Texts = std::vector<std::string>;

std::string batches(const std::string& ids, const std::string& token) {
  std::string items;
  for (const char id : ids) {
    items += (items.empty() ? "" : ",") + std::string(R"({"batch_id":")") + id + "\"}";
  }
  return one_reply(R"({"batches":[)" + items + R"(],"pagination_token":)" + token + "}");
}

/// The IDs that a list passes on, until there are as many as wanted.
struct Listed {
  std::string ids{};
  api::Result<std::uint64_t> count;

  Listed(const ClientWorld& world, const api::Flags& flags, std::size_t wanted = SIZE_MAX)
      : count(world.client.list("batches list", flags, [&](std::string_view item) {
          const std::size_t at = item.find("\"batch_id\":\"");
          REQUIRE(at != std::string_view::npos);
          ids += item[at + 12];
          return ids.size() < wanted;
        })) {}
};

}  // namespace

TEST_CASE("pages are followed by their tokens, and what overlaps is passed on once") {
  ClientWorld world(batches("ab", "\"t1\"") + batches("cd", "17") + batches("e", "null"));
  const Listed all(world, {});
  REQUIRE_MESSAGE(all.count, all.count.error().message);
  CHECK(*all.count == 5);
  CHECK(all.ids == "abcde");
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 3);
  CHECK_FALSE(mentions(requests[0].target, "pagination_token"));
  CHECK(mentions(requests[1].target, "pagination_token=t1"));
  CHECK(mentions(requests[2].target, "pagination_token=17"));
  // What a page repeats of the one before, because the list grew, is passed on once.
  const auto results = [](const char* ids, const char* token) {
    return one_reply(
        fmt::format(R"({{"results":[{{"batch_request_id":"{}"}},{{"batch_request_id":"{}"}}],)"
                    R"("pagination_token":{}}})",
                    ids[0], ids[1], token));
  };
  ClientWorld grows(results("ab", "\"t1\"") + results("bc", "null"));
  std::string ids;
  const auto count =
      grows.client.list("batches results", {{"batch-id", "b1"}}, [&](std::string_view item) {
        ids += item[item.size() - 3];
        return true;
      });
  REQUIRE_MESSAGE(count, count.error().message);
  CHECK(*count == 3);
  CHECK(ids == "abc");
  // A list of files ends with a page that is not full, whatever its token.
  ClientWorld files(one_reply(R"({"data":[{"id":"a"},{"id":"b"}],"pagination_token":"t1"})") +
                    one_reply(R"({"data":[{"id":"d"}],"pagination_token":"t3"})"));
  const auto all_files =
      files.client.list("files list", {{"page-size", "2"}}, [](std::string_view) { return true; });
  REQUIRE_MESSAGE(all_files, all_files.error().message);
  CHECK(*all_files == 3);
}

TEST_CASE("a list ends with an empty page, at its limit, or when the caller has enough") {
  {
    ClientWorld world(batches("ab", "\"t1\"") + batches("", "\"t2\"") + batches("c", "null"));
    CHECK(Listed(world, {}).ids == "ab");
    CHECK(world.server->requests().size() == 2);
  }
  {
    ClientWorld world(batches("ab", "\"t1\"") + batches("cd", "\"t2\"") + batches("e", "null"));
    const Listed three(world, {{"limit", "3"}});
    CHECK(three.ids == "abc");
    CHECK(*three.count == 3);
    CHECK(world.server->requests().size() == 2);
    CHECK(mentions(world.server->requests()[0].target, "limit=3"));
    CHECK(mentions(world.server->requests()[1].target, "limit=1"));
  }
  {
    ClientWorld world(batches("ab", "\"t1\"") + batches("cd", "\"t2\""));
    const Listed one(world, {}, 3);
    CHECK(one.ids == "abc");
    CHECK(*one.count == 3);
    CHECK(world.server->requests().size() == 2);
  }
  {
    ClientWorld world(batches("c", "null"));
    CHECK(Listed(world, {{"pagination-token", "t9"}}).ids == "c");
    CHECK(mentions(world.server->requests()[0].target, "pagination_token=t9"));
  }
  ClientWorld world(batches("a", "\"t1\"") + batches("b", "\"t1\"") + batches("c", "null"));
  const Listed same(world, {});
  REQUIRE_FALSE(same.count);
  CHECK(same.ids == "ab");
  CHECK(same.count.error().fault == api::Fault::Network);
  CHECK(same.count.error().message == "the service returned the same page token twice");
}

TEST_CASE("a list that says whether it goes on ends when it does not") {
  const auto page = [](const char* id, const char* more) {
    return one_reply(fmt::format(R"({{"data":[{{"id":"{0}"}}],"last_id":"{0}"{1}}})", id, more));
  };
  const std::string more = R"(,"has_more":true)";
  ClientWorld world(page("a", more.c_str()) + page("b", R"(,"has_more":false)") + page("c", "") +
                    page("d", R"(,"has_more":"true")"));
  const auto ids_of = [&world] {
    std::string ids;
    const auto count =
        world.client.list("responses inputs", {{"response-id", "r"}}, [&](std::string_view item) {
          ids += item;
          return true;
        });
    REQUIRE_MESSAGE(count, count.error().message);
    return ids;
  };
  CHECK(ids_of() == R"({"id":"a"}{"id":"b"})");
  CHECK(ids_of() == R"({"id":"c"})");
  CHECK(ids_of() == R"({"id":"d"})");
  const auto requests = world.server->requests();
  REQUIRE(requests.size() == 4);
  CHECK(requests[0].target == "/v1/responses/r/input_items?limit=100");
  CHECK(requests[1].target == "/v1/responses/r/input_items?limit=100&after=a");
}
TEST_CASE("a list without pages has its items, and what is no list is refused") {
  ClientWorld world(one_reply(R"({"voices":[{"id":"v1"},{"id":"v1"},{"id":"v2"}]})"));
  std::string all;
  const auto count = world.client.list("tts voices", {}, [&](std::string_view item) {
    all += item;
    return true;
  });
  REQUIRE_MESSAGE(count, count.error().message);
  CHECK(*count == 3);
  CHECK(all == R"({"id":"v1"}{"id":"v1"}{"id":"v2"})");
  const auto chat =
      world.client.list("chat", {{"prompt", "a"}}, [](std::string_view) { return true; });
  REQUIRE_FALSE(chat);
  CHECK(chat.error().message == "'svc chat create' does not return a list");
  CHECK(chat.error().hint == "Use call().");
  const auto socket = world.client.connect("chat", {});
  REQUIRE_FALSE(socket);
  CHECK(socket.error().message == "'svc chat create' is not a WebSocket");
  CHECK(socket.error().hint == "Use call().");
  CHECK(world.server->requests().size() == 1);
}

TEST_CASE("a reply has its status, its type, its ID and its body") {
  ClientWorld world("header x-request-id: r-9\nreply 200 application/json {\"id\":\"f1\"}\nnext\n");
  const auto got = world.client.call("files get", {{"file-id", "f1"}});
  REQUIRE_MESSAGE(got, got.error().message);
  CHECK(got->status == 200);
  CHECK(got->content_type == "application/json");
  CHECK(got->request_id == "r-9");
  CHECK(got->body == R"({"id":"f1"})");
}

TEST_CASE("call() waits for a job if it is told to") {
  const std::string pending = one_reply(R"({"status":"pending"})");
  const std::string done = one_reply(R"({"status":"done","video":{"url":"https://a/v.mp4"}})");
  ClientWorld world(pending + done + one_reply(R"({"request_id":"job-1"})") + pending + done +
                    one_reply(R"({"request_id":"job-2"})"));
  const auto waited =
      world.client.call("videos wait", {{"request-id", "job-1"}, {"poll-interval", "1ms"}});
  REQUIRE_MESSAGE(waited, waited.error().message);
  CHECK(mentions(waited->body, "v.mp4"));
  const auto generated = world.client.call(
      "videos generate", {{"prompt", "Waves"}, {"wait", "true"}, {"poll-interval", "1ms"}});
  REQUIRE_MESSAGE(generated, generated.error().message);
  CHECK(mentions(generated->body, "v.mp4"));
  const auto submitted = world.client.call("videos generate", {{"prompt", "Waves"}});
  REQUIRE(submitted);
  CHECK(submitted->body == R"({"request_id":"job-2"})");
  CHECK(world.server->requests().size() == 6);
}

TEST_CASE("what a client is opened with is sent") {
  const auto server = *FaultServer::start(script("reply 200 application/json {}\nloop\n"));
  const auto agent = [&](const api::Options& options) {
    const auto client = api::Client::open(options);
    REQUIRE(client);
    const auto got = client->call("files get", {{"file-id", "f1"}});
    REQUIRE_MESSAGE(got, got.error().message);
    return server->requests().back().header("user-agent").value_or("");
  };
  CHECK(agent({.base_url = server->url(), .api_key = "svc-a-key-of-tests"}) ==
        std::string("libsvc/") + api::version());
  CHECK(
      agent({.base_url = server->url(), .api_key = "svc-a-key-of-tests", .user_agent = "mine/1"}) ==
      "mine/1");
  CHECK(mentions(open_error({.api_key = "a key"}), "api_key"));
  CHECK(mentions(open_error({.management_key = "a\nkey"}), "management_key"));
  CHECK(mentions(open_error({.profile = "emulator"}), "only for the program"));
  CHECK(mentions(open_error({.retries = -1}), "retries"));
  CHECK(mentions(open_error({.idle_timeout = -1ms}), "idle"));
}

TEST_CASE("a model of the options is that of each call, unless it names one") {
  const auto server =
      *FaultServer::start(script("reply 200 application/json " + answer_json("Hi") + "\nloop\n"));
  const auto client = *api::Client::open(
      {.base_url = server->url(), .api_key = "svc-a-key-of-tests", .model = "mine"});
  REQUIRE(client.chat({.prompt = "Hello"}));
  REQUIRE(client.chat({.prompt = "Hello", .model = "other"}));
  CHECK(mentions(server->requests()[0].body, R"("model":"mine")"));
  CHECK(mentions(server->requests()[1].body, R"("model":"other")"));
}

TEST_CASE("the team is that of the options, or of the key, which is asked once") {
  const auto server = *FaultServer::start(
      script(one_reply(R"({"teamId":"t 1"})") + one_reply(R"({"apiKeys":[]})") +
             one_reply(R"({"apiKeys":[]})") + one_reply(R"({"apiKeys":[]})") + one_reply("{}")));
  api::Options options{.management_url = server->url(), .management_key = "svc-a-key-of-tests"};
  const auto asks = *api::Client::open(options);
  for (int i = 0; i < 2; ++i) {
    const auto got = asks.call("keys list", {});
    REQUIRE_MESSAGE(got, got.error().message);
  }
  options.team_id = "t2";
  REQUIRE(api::Client::open(options)->call("keys list", {}));
  const auto requests = server->requests();
  REQUIRE(requests.size() == 4);
  CHECK(mentions(requests[1].target, "/teams/t%201/"));
  CHECK(mentions(requests[2].target, "/teams/t%201/"));
  CHECK(mentions(requests[3].target, "/teams/t2/"));
  options.team_id.clear();
  const auto none = api::Client::open(options)->call("keys list", {});
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "the team ID is not set");
}

TEST_CASE("a batch is run, and its results are passed on until the caller has enough") {
  const std::string created = one_reply(R"({"batch_id":"b1"})");
  const std::string state =
      one_reply(R"({"batch_id":"b1","state":{"num_requests":2,"num_success":1,"num_error":1},)"
                R"("cost_breakdown":{"total_cost_usd_ticks":70}})");
  const std::string results = one_reply(
      R"({"results":[{"batch_request_id":"1","batch_result":{"response":{)"
      R"("chat_get_completion":)" +
      answer_json("Oslo") + R"(}}},{"batch_request_id":"2","batch_result":{"error":"no room"}}]})");
  for (const bool stops : {false, true}) {
    CAPTURE(stops);
    const TemporaryDirectory directory;
    ClientWorld world(created + one_reply("{}") + state + results + state);
    std::vector<api::BatchResult> got;
    const auto report = world.client.run_batch(
        {.journal = directory.file("run"),
         .items = {{.id = "1", .prompt = "Where?"}, {.id = "2", .prompt = "When?"}},
         .name = "mine"},
        [&](const api::BatchResult& result) {
          got.push_back(result);
          return !stops;
        },
        {.poll_interval = 1ms});
    REQUIRE_MESSAGE(report, report.error().message);
    CHECK(report->stopped == stops);
    CHECK(report->items == 2);
    REQUIRE(got.size() == (stops ? 1 : 2));
    CHECK(got[0].id == "1");
    CHECK(got[0].state == api::BatchResult::State::Succeeded);
    CHECK(got[0].answer == "Oslo");
    CHECK(got[0].error.empty());
    CHECK(mentions(got[0].json, R"("answer":"Oslo")"));
    const auto requests = world.server->requests();
    CHECK(mentions(requests[0].body, R"("name":"mine )"));
    CHECK(mentions(requests[1].body, "Where?"));
    if (stops) continue;
    CHECK(got[1].state == api::BatchResult::State::Failed);
    CHECK(got[1].error == "no room");
    CHECK(report->succeeded == 1);
    CHECK(report->failed == 1);
    CHECK(report->canceled == 0);
    CHECK(report->unknown == 0);
    CHECK(report->cost_in_usd_ticks == 70);
  }
}

TEST_CASE("the events and the flags of a realtime conversation") {
  ClientWorld world(
      "upgrade\nread frame\n"
      R"(frame text {"type":"a.transcript","transcript":"T"})"
      "\n"
      R"(frame text {"type":"a.text","text":"U"})"
      "\n"
      R"(frame text {"type":"response.audio.delta","delta":"?"})"
      "\nframe close 1000\nread frames\nclose\n");
  const auto talk = world.client.realtime({.model = "m", .voice = "v", .instructions = "Be brief"});
  REQUIRE_MESSAGE(talk, talk.error().message);
  CHECK((*talk->next())->text == "T");
  CHECK((*talk->next())->text == "U");
  const auto sound = talk->next();
  CHECK((*sound)->text.empty());
  CHECK((*sound)->audio.empty());
  CHECK((*sound)->type == "response.audio.delta");
  talk->close();
  CHECK_FALSE(talk->next()->has_value());
  const auto request = world.server->requests().front();
  CHECK(mentions(request.target, "model=m"));
  CHECK(mentions(request.body, R"("voice":"v")"));
  CHECK(mentions(request.body, R"("instructions":"Be brief")"));
}
