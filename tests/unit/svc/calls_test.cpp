// What a call is made with, what it reports meanwhile, and what it hands back: warnings, progress,
// secrets, tools, sockets, large files.
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "fixture.h"
#include "support/environment_variable.h"
#include "support/mentions.h"
#include "svc/impl/rows.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// A sparse file.
std::string file_of_size(const TemporaryDirectory& directory, const char* name,
                         std::uintmax_t size) {
  std::string path = directory.file(name);
  put(path, "");
  std::filesystem::resize_file(path, size);
  return path;
}

std::string called(const std::string& calls) {
  return one_reply(
      R"({"id":"a","choices":[{"index":0,"message":{"role":"assistant","content":null,)"
      R"("tool_calls":[)" +
      calls + R"(]},"finish_reason":"tool_calls"}]})");
}

std::string call_of(const char* id, const char* name, const char* type = "function") {
  return std::string(R"({"id":")") + id + R"(","type":")" + type + R"(","function":{"name":")" +
         name + R"(","arguments":"{}"}})";
}

/// The same, as the library sends it again.
std::string call_of_own(const std::string& id, const std::string& name) {
  return R"({"id":")" + id + R"(","type":"function","function":{"name":")" + name +
         R"(","arguments":"{}"}})";
}

}  // namespace

TEST_CASE("warnings about a request are told, and may stop it") {
  const TemporaryDirectory directory;
  put(directory.file("a.txt"), "hello");
  ClientWorld world(one_reply(R"({"id":"f1"})") + one_reply(R"({"id":"f2"})"));
  const api::UploadOptions ignored{.flags = {{"purpose", "x"}}};
  std::vector<std::string> warnings;
  api::CallOptions options;
  options.on_warning = [&](const std::string& sentence) { warnings.push_back(sentence); };
  REQUIRE(world.client.upload(directory.file("a.txt"), ignored, options));
  CHECK(warnings == std::vector<std::string>{"--purpose is ignored by the service"});
  options.on_warning = [](const std::string&) { throw std::runtime_error("mine"); };
  CHECK_THROWS_WITH_AS((void)world.client.upload(directory.file("a.txt"), ignored, options), "mine",
                       std::runtime_error);
  CHECK(world.server->requests().size() == 1);
  CHECK(world.client.upload(directory.file("a.txt"), ignored));
}

TEST_CASE("what was sent of a file is told, to its end") {
  const TemporaryDirectory directory;
  put(directory.file("a.txt"), std::string(200'000, 'a'));
  ClientWorld world(one_reply(R"({"id":"f1"})"));
  std::pair<std::uint64_t, std::uint64_t> last;
  api::CallOptions options;
  options.on_upload = [&](std::uint64_t sent, std::uint64_t total) { last = {sent, total}; };
  REQUIRE(world.client.upload(directory.file("a.txt"), {}, options));
  CHECK(last.first > 200'000);
  CHECK(last.first == last.second);
}

TEST_CASE("calls that follow one another share a connection, and a limit of time is theirs") {
  ClientWorld world(one_reply(R"({"id":"f1"})") + one_reply(R"({"id":"f2"})") + "read\nstall\n");
  REQUIRE(world.client.file("f1"));
  REQUIRE(world.client.file("f2"));
  CHECK(world.server->connections().size() == 1);
  const auto late = world.client.file("f3", {.timeout = 50ms});
  REQUIRE_FALSE(late);
  CHECK(late.error().fault == api::Fault::Timeout);
}

TEST_CASE("no key is in an error, nor sent to the documentation") {
  ClientWorld world(
      "reply 400 application/json {\"error\":\"svc-a-key-of-tests is not allowed\"}\n");
  const auto echoed = world.client.file("f1");
  REQUIRE_FALSE(echoed);
  CHECK(mentions(echoed.error().message, "is not allowed"));
  CHECK_FALSE(mentions(echoed.error().message, "svc-a-key-of-tests"));
  const auto docs = *FaultServer::start(script("reply 500 text/plain no\n"));
  const auto client =
      *api::Client::open({.docs_url = docs->url(), .api_key = "svc-a-key-of-tests", .retries = 0});
  CHECK_FALSE(client.call("docs list"));
  REQUIRE(docs->requests().size() == 1);
  CHECK(docs->requests()[0].target == "/api/mcp");
  CHECK_FALSE(docs->requests()[0].header("authorization"));
}

TEST_CASE("all calls of an answer are run, in their order; what runs on the service is not") {
  ClientWorld world(called(call_of("c0", "web", "web_search_call") + "," + call_of("c1", "one") +
                           "," + call_of("c2", "two")) +
                    one_reply(answer_json("Done")) +
                    called(call_of("c3", "one") + "," + call_of("c4", "three")) +
                    called(call_of("c5", "web", "web_search_call")));
  std::string runs;
  api::ChatRequest request{.prompt = "Go"};
  for (const char* name : {"one", "two"}) {
    request.tools.push_back({.name = name, .run = [&runs, name](const std::string&) {
                               runs += std::string(name) + ";";
                               return api::Result<std::string>(std::string(name));
                             }});
  }
  const auto answer = world.client.chat(request);
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(answer->text == "Done");
  CHECK(runs == "one;two;");
  const std::string sent = world.server->requests()[1].body;
  CHECK(mentions(sent, R"({"role":"tool","tool_call_id":"c1","content":"one"},)"
                       R"({"role":"tool","tool_call_id":"c2","content":"two"}])"));
  CHECK_FALSE(mentions(sent, "c0"));
  CHECK(mentions(sent, R"({"role":"assistant","content":null,"tool_calls":[)" +
                           call_of_own("c1", "one") + "," + call_of_own("c2", "two") + "]}"));
  // One of them cannot be run: the caller has to answer both.
  const auto open = world.client.chat(request);
  REQUIRE(open);
  CHECK(runs == "one;two;");
  REQUIRE(open->tool_calls.size() == 2);
  CHECK(open->tool_calls[0].id == "c3");
  CHECK(open->tool_calls[1].name == "three");
  const auto none = world.client.chat(request);
  REQUIRE(none);
  CHECK(none->tool_calls.empty());
}

TEST_CASE("a tool that throws or cancels ends the call") {
  api::ChatRequest request{.prompt = "Go"};
  request.tools.push_back(
      {.name = "one", .run = [](const std::string&) -> api::Result<std::string> {
         throw std::runtime_error("mine");
       }});
  ClientWorld world(called(call_of("c1", "one")) + called(call_of("c1", "one")));
  CHECK_THROWS_WITH_AS((void)world.client.chat(request), "mine", std::runtime_error);
  const api::Cancellation cancellation;
  request.tools[0].run = [&](const std::string&) {
    cancellation.cancel();
    return "rain";
  };
  const auto canceled = world.client.chat(request, {.cancellation = cancellation});
  REQUIRE_FALSE(canceled);
  CHECK(canceled.error().fault == api::Fault::Interrupted);
  CHECK(canceled.error().may_have_run);  // the first answer was paid
  CHECK(world.server->requests().size() == 2);
}

TEST_CASE("a stream that was answered was paid, whatever ends the call then") {
  ClientWorld world(
      "events\n"
      R"(event {"id":"a","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1",)"
      R"("type":"function","function":{"name":"one","arguments":"{}"}}]},)"
      R"("finish_reason":"tool_calls"}]})"
      "\ndone\n");
  const api::Cancellation cancellation;
  api::ChatRequest request{.prompt = "Go"};
  request.tools.push_back({.name = "one", .run = [&](const std::string&) {
                             cancellation.cancel();
                             return "rain";
                           }});
  const auto canceled = world.client.chat(request, [](const api::Delta&) { return true; },
                                          {.cancellation = cancellation});
  REQUIRE_FALSE(canceled);
  CHECK(canceled.error().fault == api::Fault::Interrupted);
  CHECK(canceled.error().may_have_run);
}

TEST_CASE("a chat goes on from its messages alone, and shows pictures") {
  ClientWorld world(one_reply(answer_json("a")) + one_reply(answer_json("b")) +
                    one_reply(answer_json("c")) +
                    one_reply(R"({"id":"r","status":"completed","output":[]})"));
  const api::Flags calls_needed = {{"tool-choice", "required"}};
  const api::Message asked{.role = "user", .content = "Weather?"};
  const api::Message calls{.role = "assistant", .tool_calls = {{.id = "c1", .name = "w"}}};
  const api::Message said{.role = "tool", .content = "rain", .tool_call_id = "c1"};
  const api::Message answered{.role = "assistant", .content = "Rain"};
  const std::vector<api::Tool> tools = {{.name = "w"}};
  // The results of tools are answered without calling another.
  REQUIRE(
      world.client.chat({.messages = {asked, calls, said}, .tools = tools, .flags = calls_needed}));
  const std::string results = world.server->requests()[0].body;
  CHECK(mentions(results, R"("tool_call_id":"c1"}])"));
  CHECK_FALSE(mentions(results, "tool_choice"));
  const api::Message empty{.role = "user"};
  REQUIRE(world.client.chat({.messages = {asked, empty}, .tools = tools, .flags = calls_needed}));
  CHECK(mentions(world.server->requests()[1].body, R"("tool_choice":"required")"));
  CHECK(mentions(world.server->requests()[1].body, R"({"role":"user","content":""}])"));
  const auto nothing = world.client.chat({.messages = {asked, answered}});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().fault == api::Fault::Usage);
  REQUIRE(world.client.chat(
      {.prompt = "What is it?", .images = {"https://a/1.png"}, .files = {"file_1"}}));
  CHECK(mentions(world.server->requests()[2].body, "https://a/1.png"));
  CHECK(mentions(world.server->requests()[2].body, R"("file_id":"file_1")"));
  REQUIRE(world.client.responses(
      {.input = "What is it?", .images = {"https://a/2.png"}, .files = {"file_2"}}));
  CHECK(mentions(world.server->requests()[3].body, "https://a/2.png"));
  CHECK(mentions(world.server->requests()[3].body, R"("file_id":"file_2")"));
}

TEST_CASE("a file that is too large for one request is sent in chunks") {
  const TemporaryDirectory directory;
  const std::string large = file_of_size(directory, "large.bin", 50'000'001);
  {
    ClientWorld world(one_reply(R"({"file_id":"f1"})") +
                      "reply 400 application/json {\"error\":\"no room\"}\n");
    std::uint64_t total = 0;
    api::CallOptions options;
    options.on_upload = [&](std::uint64_t, std::uint64_t all) {
      CHECK(all == 50'000'001);  // of the file, not of a chunk
      total = all;
    };
    const auto sent = world.client.upload(large, {.name = "n.md", .content_type = "x/y"}, options);
    REQUIRE_FALSE(sent);
    CHECK(mentions(sent.error().message, "no room"));
    CHECK(total == 50'000'001);
    const auto requests = world.server->requests();
    REQUIRE(requests.size() >= 2);
    CHECK(requests[0].target == "/v1/files:initialize");
    CHECK(requests[0].body == R"({"name":"n.md","content_type":"x/y"})");
    CHECK(requests[1].target == "/v1/files:uploadChunks");
  }
  {
    std::string answers = one_reply(R"({"file_id":"f1"})");
    for (int chunk = 0; chunk < 11; ++chunk) {
      answers +=
          "read head\nsend HTTP/1.1 100 Continue\\r\\n\\r\\n\nread body\n" + one_reply("null");
    }
    // As the service describes the file of a chunked upload, and as it describes any other.
    const std::string metadata = R"({"file_id":"f1","name":"n.md","size_bytes":50000001})";
    const std::string described =
        R"({"id":"f1","filename":"m.md","bytes":50000001,"file_id":"f1","name":"x","size_bytes":50000001})";
    ClientWorld world(answers + one_reply(metadata) + answers + one_reply(described));
    for (const std::string& json : {metadata, described}) {
      const auto sent = world.client.upload(large, {.content_type = "x/y"});
      REQUIRE_MESSAGE(sent, sent.error().message);
      CHECK(sent->id == "f1");
      CHECK(sent->filename == (json == described ? "m.md" : "n.md"));
      CHECK(sent->bytes == 50'000'001);
      CHECK(sent->json == json);
    }
    const auto requests = world.server->requests();
    REQUIRE(requests.size() == 26);
    CHECK(requests[0].body == R"({"name":"large.bin","content_type":"x/y"})");
    CHECK(requests[11].body == R"({"file_id":"f1","chunk":"AA=="})");
    CHECK(requests[12].target == "/v1/files/f1");
  }
  ClientWorld world("read\nhang\n");
  const auto refused = [&](const std::string& path, const api::UploadOptions& options) {
    const auto sent = world.client.upload(path, options);
    REQUIRE_FALSE(sent);
    CHECK(sent.error().fault == api::Fault::Usage);
    CHECK(mentions(sent.error().message, "too large"));
  };
  // A chunk has no place for other fields.
  refused(large, {.flags = {{"expires-after", "3600"}}});
  refused(file_of_size(directory, "huge.bin", 512'000'001), {});
  CHECK(world.server->requests().empty());
  api::CallOptions options;
  options.on_upload = [](std::uint64_t, std::uint64_t) { throw std::runtime_error("mine"); };
  CHECK_THROWS(
      (void)world.client.upload(file_of_size(directory, "most.bin", 50'000'000), {}, options));
  REQUIRE(world.server->wait_for_requests(1, 10s));
  CHECK(world.server->requests()[0].target == "/v1/files");
}

TEST_CASE("what an answer names is saved, without the key, and replaces a file if it may") {
  const TemporaryDirectory directory;
  ClientWorld world("reply 200 video/mp4 film\nnext\nreply 200 video/mp4 other\n");
  const std::string path = directory.file("v.mp4");
  const auto saved = world.client.save(world.server->url("/v.mp4"), path);
  REQUIRE_MESSAGE(saved, saved.error().message);
  CHECK(*saved == 4);
  CHECK(get(path) == "film");
  CHECK_FALSE(world.client.save(world.server->url("/v.mp4"), path));
  CHECK(get(path) == "film");
  const auto again = world.client.save(world.server->url("/v.mp4"), path, {.replace = true});
  REQUIRE(again);
  CHECK(*again == 5);
  CHECK(get(path) == "other");
  CHECK(world.server->requests()[0].target == "/v.mp4");
  CHECK_FALSE(world.server->requests()[0].header("authorization"));
  CHECK_FALSE(world.client.save("http://example.com/v.mp4", directory.file("w.mp4")));
}

TEST_CASE("a search is limited, and speech that is stopped is asked for no more") {
  ClientWorld world(one_reply(R"({"matches":[]})") +
                    "read\nsend HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\n\\r\\nsoun\n"
                    "sleep 100ms\npart dand\n");
  const auto found = world.client.search({.query = "x", .collections = {"k1", "k2"}, .limit = 5});
  REQUIRE(found);
  CHECK(found->empty());
  const std::string body = world.server->requests()[0].body;
  CHECK(mentions(body, R"("limit":5)"));
  CHECK(mentions(body, R"("collection_ids":["k1","k2"])"));
  int pieces = 0;
  const auto speech = world.client.speak({.text = "Hi"}, [&](std::string_view) {
    ++pieces;
    return false;
  });
  REQUIRE(speech);
  CHECK(speech->stopped);
  CHECK(speech->bytes == 4);
  CHECK(pieces == 1);
}

TEST_CASE("a socket sends texts and bytes, tells them apart, and says how it ended") {
  const api::Flags model = {{"model", "m"}};
  ClientWorld world(
      "upgrade\nread frame\nread frame\nframe binary xyz\nframe text hi\nread frame\nframe close "
      "1000\n"
      "connection\nupgrade\nframe close 1011 broken\nread frames\nclose\n"
      "connection\nreply 403 application/json {\"error\":\"no right\"}\n");
  const auto socket = world.client.connect("realtime connect", model);
  REQUIRE_MESSAGE(socket, socket.error().message);
  REQUIRE(socket->send("one"));
  REQUIRE(socket->send_binary("two"));
  const auto bytes = socket->receive();
  REQUIRE(bytes);
  CHECK((*bytes)->binary);
  CHECK((*bytes)->data == "xyz");
  const auto text = socket->receive();
  REQUIRE(text);
  CHECK_FALSE((*text)->binary);
  CHECK((*text)->data == "hi");
  socket->close();
  const auto over = socket->receive();
  REQUIRE(over);
  CHECK_FALSE(over->has_value());
  const auto late = socket->send("three");
  REQUIRE_FALSE(late);
  CHECK(late.error().message == "the connection has ended");
  REQUIRE(world.server->wait_until_closed(10s));
  CHECK(world.server->requests()[0].body.starts_with("text one\nbinary two\n"));
  const auto broken = world.client.connect("realtime connect", model);
  REQUIRE(broken);
  const auto why = broken->receive();
  REQUIRE_FALSE(why);
  CHECK(mentions(why.error().message, "broken"));
  const auto refused = world.client.connect("realtime connect", model);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().http_status == 403);
  CHECK(mentions(refused.error().message, "no right"));
}

TEST_CASE("a finished transcription is closed, and sends what the service expects") {
  ClientWorld world(
      "upgrade\nframe text {\"type\":\"transcript.created\"}\n"
      R"(frame text {"type":"transcript.done","text":"","duration":0})"
      "\nread frames\nclose\n");
  const auto live = world.client.transcribe_live({});
  REQUIRE_MESSAGE(live, live.error().message);
  CHECK_FALSE(live->next()->has_value());
  CHECK(world.server->wait_until_closed(5s));  // before it is destroyed
  CHECK(mentions(world.server->requests()[0].target, "sample_rate=16000"));
  CHECK(mentions(world.server->requests()[0].target, "encoding=pcm"));
}

TEST_CASE("a batch has a name and a model of its own, or usual ones") {
  const auto sent = [](api::BatchRequest request) {
    const TemporaryDirectory directory;
    ClientWorld world(one_reply(R"({"batch_id":"b1"})") +
                      "reply 400 application/json {\"error\":\"no\"}\n");
    request.journal = directory.file("run");
    request.items = {{.id = "1", .prompt = "Hello"}};
    CHECK_FALSE(world.client.run_batch(request, {}, {.poll_interval = 1ms}));
    const auto requests = world.server->requests();
    REQUIRE(requests.size() >= 2);
    return requests[0].body + requests[1].body;
  };
  const std::string own = sent({.model = "mm", .name = "mine"});
  CHECK(mentions(own, R"("name":"mine )"));
  CHECK(mentions(own, R"("model":"mm")"));
  const std::string usual = sent({});
  CHECK(mentions(usual, R"("name":"libsvc )"));
  CHECK(mentions(usual, R"("model":"svc-4.3")"));
}

TEST_CASE("members of documents are read by their paths") {
  const auto document = nlohmann::json::parse(
      R"({"a":{"b":{"c":7}},"n":"42","f":1.5,"t":"x","no":false,"yes":true,"list":[1,2],"empty":[]})");
  CHECK(api::value_at(document, "a.b.c") == 7);
  CHECK(api::value_at(document, "a.x.c").is_null());
  CHECK(api::value_at(document, "") == document);
  CHECK(api::items_at(document, "list[]").size() == 2);
  CHECK(api::items_at(document, "empty[]").empty());
  CHECK(api::items_at(document, "t[]").empty());
  CHECK(api::integer_at(document, "a.b.c") == 7);
  CHECK(api::integer_at(document, "n") == 42);
  CHECK(api::integer_at(document, "t") == 0);
  CHECK(api::integer_at(document, "f") == 0);
  CHECK(api::number_at(document, "f") == 1.5);
  CHECK(api::number_at(document, "n") == 0);
  CHECK(api::is_false_at(document, "no"));
  CHECK_FALSE(api::is_false_at(document, "yes"));
  CHECK_FALSE(api::is_false_at(document, "missing"));
}

TEST_CASE("an answer that comes at once is no job, though it has an ID") {
  const std::string id = R"({"request_id":"job-1",)";
  ClientWorld world(one_reply(id + R"("data":[{"url":"https://a/b.jpg"}]})") +
                    one_reply(id + answer_json("Oslo").substr(1)));
  const auto made = world.client.images({.prompt = "Waves"}, {.poll_interval = 1ms});
  REQUIRE_MESSAGE(made, made.error().message);
  CHECK(made->images.size() == 1);
  CHECK_FALSE(made->usage.cost_in_usd_ticks);
  const auto answer = world.client.chat({.prompt = "Hello", .flags = {{"deferred", "true"}}},
                                        {.poll_interval = 1ms});
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(answer->text == "Oslo");
  CHECK(world.server->requests().size() == 2);
}

TEST_CASE("the environment is read only if a client is opened with it") {
  const TemporaryDirectory directory;
  const auto server = *FaultServer::start(script(one_reply(R"({"id":"f1"})")));
  const EnvironmentVariable place("XDG_CONFIG_HOME", directory.path());
  const EnvironmentVariable url("SVC_BASE_URL", server->url());
  const EnvironmentVariable key("SVC_API_KEY", "svc-a-key-of-tests");
  const auto without = api::Client::open(api::Options{});
  REQUIRE(without);
  CHECK(mentions(without->file("f1").error().message, "base_url is not set"));
  CHECK(server->requests().empty());
  const auto with = api::Client::open();
  REQUIRE_MESSAGE(with, with.error().message);
  REQUIRE(with->file("f1"));
  CHECK(server->requests()[0].header("authorization") == "Bearer svc-a-key-of-tests");
}

TEST_CASE("options have their names, and sockets a URL of their own") {
  CHECK(mentions(open_error({.base_url = "no"}), "--base-url"));
  CHECK(mentions(open_error({.management_url = "no"}), "--management-url"));
  CHECK(mentions(open_error({.realtime_url = "no"}), "--realtime-url"));
  CHECK(mentions(open_error({.docs_url = "no"}), "--docs-url"));
  CHECK(mentions(open_error({.timeout = -1ms}), "--timeout"));
  CHECK(mentions(open_error({.connect_timeout = -1ms}), "--connect-timeout"));
  CHECK(mentions(open_error({.idle_timeout = -1ms}), "--idle-timeout"));
  CHECK(mentions(open_error({.retries = -1}), "--retries"));
  const auto server =
      *FaultServer::start(script("upgrade\nframe close 1000\nread frames\nclose\n"));
  const auto client =
      *api::Client::open({.base_url = "http://127.0.0.1:9",
                          .realtime_url = "ws" + server->url().substr(sv("http").size()),
                          .api_key = "svc-a-key-of-tests"});
  const auto socket = client.connect("realtime connect", {{"model", "m"}});
  REQUIRE_MESSAGE(socket, socket.error().message);
  CHECK_FALSE(socket->receive()->has_value());
  const api::Cancellation cancellation;
  CHECK_FALSE(cancellation.requested());
  cancellation.cancel();
  CHECK(cancellation.requested());
}

TEST_CASE("a certificate is trusted if its authority was given") {
  const auto server = *FaultServer::start(
      script("reply 200 application/json {\"id\":\"f1\"}\nloop\n"), {.tls = Tls::Good});
  api::Options options{.base_url = server->url(), .api_key = "svc-a-key-of-tests", .retries = 0};
  const auto unknown = api::Client::open(options)->file("f1");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().fault == api::Fault::Network);
  CHECK(server->requests().empty());
  options.ca_file = server->ca_file();
  const auto known = api::Client::open(options)->file("f1");
  REQUIRE_MESSAGE(known, known.error().message);
  CHECK(known->id == "f1");
}
