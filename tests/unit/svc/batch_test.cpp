// The files of a batch.
#include "base/text.h"
#include "batch/journal.h"
#include "fixture.h"
#include "support/mentions.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

api::Result<api::BatchReport> run(const std::string& journal, const std::string& prompt) {
  const auto client = *api::Client::open(
      {.base_url = "http://127.0.0.1:9", .api_key = "svc-a-key-of-tests", .retries = 0});
  return client.run_batch({.journal = journal, .items = {{.id = "1", .prompt = prompt}}}, {});
}

}  // namespace

TEST_CASE("the items of a batch are private, and follow its journal") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  CHECK(run(journal, "Hello").error().fault == api::Fault::Network);
  CHECK(mode_of(journal + ".items") == 0600);
  CHECK(mentions(get(journal + ".items"), "Hello"));
  // Nothing was sent, so that it may change.
  CHECK(run(journal, "Goodbye").error().fault == api::Fault::Network);
  CHECK(mentions(get(journal + ".items"), "Goodbye"));
}

TEST_CASE("a file that is not of the batch is left alone") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  put(journal + ".items", "theirs");
  const auto refused = run(journal, "Hello");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == api::Fault::Local);
  CHECK(refused.error().message ==
        quote_path(journal + ".items") +
            " exists, but is not of this batch, which has no journal yet");
  CHECK(refused.error().hint == "Move it elsewhere, or name another journal.");
  CHECK(get(journal + ".items") == "theirs");
  CHECK(directory.names().size() == 1);
}

TEST_CASE("the items of a run that is under way are left alone") {
  const TemporaryDirectory directory;
  const std::string journal = directory.file("run");
  const auto other = batch::Journal::open(journal);
  REQUIRE(other);
  put(journal + ".items", "theirs");
  const auto refused = run(journal, "Hello");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == api::Fault::Local);
  CHECK(refused.error().message == "another run is using the journal " + quote_path(journal));
  CHECK(refused.error().hint == "Wait for it to finish, or pass another journal with --journal.");
  CHECK(get(journal + ".items") == "theirs");
}

TEST_CASE("items are lines of JSON, and each has an ID of its own and one content") {
  const TemporaryDirectory directory;
  const auto client = *api::Client::open(
      {.base_url = "http://127.0.0.1:9", .api_key = "svc-a-key-of-tests", .retries = 0});
  const auto refused = [&](std::vector<api::BatchItem> items, const std::string& journal) {
    const auto ran = client.run_batch({.journal = journal, .items = std::move(items)}, {});
    REQUIRE_FALSE(ran);
    CHECK(ran.error().fault == api::Fault::Usage);
    return ran.error().message + (ran.error().hint.empty() ? "" : " / ") + ran.error().hint;
  };
  const std::string journal = directory.file("run");
  CHECK(refused({{.id = "1", .prompt = "a"}}, "") ==
        "the batch has no journal / Name a file in BatchRequest::journal: it lets a later run "
        "continue.");
  CHECK(refused({{.prompt = "a"}}, journal) == "an item of the batch has no ID");
  CHECK(refused({{.id = "1", .prompt = "a"}, {.id = "1", .prompt = "b"}}, journal) ==
        "the item 1 is in the batch twice");
  for (const api::BatchItem& item :
       {api::BatchItem{.id = "1"}, api::BatchItem{.id = "1", .prompt = "a", .body = "{}"}}) {
    CHECK(refused({item}, journal) == "the item 1 needs either a prompt or a body");
  }
  CHECK(mentions(refused({{.id = "1", .body = "{"}}, journal), "the item 1"));
  CHECK(directory.names().empty());
  CHECK_FALSE(client.run_batch(
      {.journal = journal,
       .items = {{.id = "1", .prompt = "a"},
                 {.id = "2", .body = R"({"messages":[{"role":"user","content":"b"}]})"}},
       .system = "s"},
      {}));
  CHECK(get(journal + ".items") ==
        R"({"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"messages":[)"
        R"({"role":"system","content":"s"},{"role":"user","content":"a"}]}})"
        "\n"
        R"({"custom_id":"2","method":"POST","url":"/v1/chat/completions","body":{"messages":[)"
        R"({"role":"user","content":"b"}]}})"
        "\n");
}

TEST_CASE("items that are refused leave no files") {
  const TemporaryDirectory directory;
  CHECK_FALSE(run(directory.file("run"), ""));
  CHECK_FALSE(run("", "Hello"));
  CHECK(directory.names().empty());
}

TEST_CASE("a later run goes on where the journal ends: what failed is sent again if asked to") {
  const auto answered = [&](const std::string& id, bool good, const std::string& result) {
    const std::string state =
        one_reply(R"({"batch_id":")" + id + R"(","state":{"num_requests":1,)" +
                  (good ? R"("num_success":1}})" : R"("num_error":1}})"));
    return one_reply(R"({"batch_id":")" + id + "\"}") + one_reply("{}") + state +
           one_reply(R"({"results":[{"batch_request_id":"1","batch_result":)" + result + "}]}");
  };
  const TemporaryDirectory directory;
  ClientWorld world(
      answered("b1", false, R"({"error":"no room"})") +
      answered("b2", true, R"({"response":{"chat_get_completion":)" + answer_json("Oslo") + "}}"));
  api::BatchRequest request{.journal = directory.file("run"),
                            .items = {{.id = "1", .prompt = "Where?"}}};
  std::vector<api::BatchResult> got;
  const auto run_with = [&](const api::Client& client) {
    got.clear();
    return client.run_batch(request,
                            [&](const api::BatchResult& result) {
                              got.push_back(result);
                              return true;
                            },
                            {.poll_interval = std::chrono::milliseconds(1)});
  };
  const auto first = run_with(world.client);
  REQUIRE_MESSAGE(first, first.error().message);
  CHECK(first->failed == 1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].error == "no room");
  const std::size_t sent = world.server->requests().size();
  const auto same = run_with(world.client);
  REQUIRE_MESSAGE(same, same.error().message);
  CHECK(same->failed == 1);
  CHECK(world.server->requests().size() == sent);
  // Another service does not have it.
  ClientWorld other("");
  const auto elsewhere = run_with(other.client);
  REQUIRE_FALSE(elsewhere);
  CHECK(elsewhere.error().fault == api::Fault::Usage);
  CHECK(other.server->requests().empty());
  request.retry_failed = true;
  const auto again = run_with(world.client);
  REQUIRE_MESSAGE(again, again.error().message);
  CHECK(again->succeeded == 1);
  REQUIRE(got.size() == 1);
  CHECK(got[0].answer == "Oslo");
}

TEST_CASE("an item without a result is unknown, with the reason") {
  const TemporaryDirectory directory;
  ClientWorld world(one_reply(R"({"batch_id":"b1"})") + one_reply("{}") +
                    R"(reply 200 application/json {"batch_id":"b1","state":{"num_requests":1,)"
                    R"("num_success":1},"results":[]})"
                    "\nloop\n");
  std::vector<api::BatchResult> got;
  const auto report = world.client.run_batch(
      {.journal = directory.file("run"), .items = {{.id = "1", .prompt = "Where?"}}},
      [&](const api::BatchResult& result) {
        got.push_back(result);
        return true;
      },
      {.poll_interval = std::chrono::milliseconds(1)});
  REQUIRE_MESSAGE(report, report.error().message);
  CHECK(report->unknown == 1);
  CHECK(report->failed == 0);
  CHECK_FALSE(report->stopped);
  REQUIRE(got.size() == 1);
  CHECK(got[0].id == "1");
  CHECK(got[0].state == api::BatchResult::State::Unknown);
  CHECK(got[0].answer.empty());
  CHECK(got[0].error == "the service returned no result");
}

TEST_CASE("a batch is waited for as long as the call says, and has the client's model") {
  const TemporaryDirectory directory;
  const auto server = *FaultServer::start(
      script(one_reply(R"({"batch_id":"b1"})") + one_reply("{}") +
             R"(reply 200 application/json {"batch_id":"b1","state":{"num_requests":1,)"
             R"("num_pending":1}})"
             "\nloop\n"));
  const auto client = *api::Client::open(
      {.base_url = server->url(), .api_key = "svc-a-key-of-tests", .model = "mine", .retries = 0});
  const auto late = client.run_batch(
      {.journal = directory.file("run"), .items = {{.id = "1", .prompt = "Where?"}}}, {},
      {.wait_timeout = std::chrono::milliseconds(20),
       .poll_interval = std::chrono::milliseconds(5)});
  REQUIRE_FALSE(late);
  CHECK(late.error().fault == api::Fault::Timeout);
  CHECK(late.error().message == "timed out after 20 ms");
  CHECK(mentions(server->requests()[1].body, R"("model":"mine")"));
}
