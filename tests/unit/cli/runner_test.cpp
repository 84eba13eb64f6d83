// One request: its answer in each form, and what is said of it.
#include "operation/runner.h"

#include <doctest/doctest.h>

#include "operation/rpc_tool.h"
#include "unit/cli/call_stage.h"
#include "unit/cli/state_here.h"
#include "unit/client/call_world.h"

namespace svc::cli {
namespace {

using test::failure;
using test::json_reply;
using Words = std::vector<std::string>;

/// What a command prints and says of the answer, and the outcome; of costs, what is recorded.
template <class Run>
std::string ran(const std::string& command, std::deque<test::FakeReply> replies, Run run) {
  const StateHere state;
  Words words;
  for (const sv word : split(command, ' ')) words.emplace_back(word);
  CallStage stage(words, std::move(replies));
  const auto done = run(stage);
  std::string all = stage.out() + "-- " + stage.err() + "-- ";
  if (done) return all + "well\n" + recorded();
  const Error& error = done.error();
  return all + fault_name(error.fault) + ": " + error.message + " / " + error.hint + "\n" +
         recorded();
}

std::string sent(const std::string& command, std::deque<test::FakeReply> replies) {
  return ran(command, std::move(replies), [](CallStage& stage) {
    return send(stage.session(), stage.client(), stage.request());
  });
}

std::string sent(const std::string& command, const std::string& answer) {
  return sent(command, {json_reply(200, answer)});
}

std::string tool(const std::string& command, const std::string& result) {
  return ran(
      command, {json_reply(200, R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}")},
      [](CallStage& stage) { return run_tool(stage.session(), stage.client(), stage.request()); });
}

const std::string k_changed =
    " / Something between here and the service may have changed it; check the URL with `svc "
    "doctor`.\n";

}  // namespace

TEST_CASE("an answer is printed as its form and the format ask for") {
  const std::string get = "-- |svc files get  1 s|-- ";
  CHECK(sent("files get f", R"({"id":"f","bytes":5,"filename":"x"})") ==
        "id: f\nbytes: 5\nfilename: x\n" + get + "well\n");
  CHECK(sent("files get f --json", R"({"id":"f"})") == "{\n  \"id\": \"f\"\n}\n" + get + "well\n");
  CHECK(sent("files get f", "{}") == get + "well\n");
  CHECK(sent("files get f", " null ") == get + "well\n");
  CHECK(sent("files get f", "[]") ==
        get + "network: expected an object in the response, got []" + k_changed);
  CHECK(sent("files get f", {json_reply(404, R"({"error":"no"})")}) ==
        get +
            "not_found: not found on the service (HTTP 404): no / Check the ID or model name, and "
            "the URL with `svc doctor`.\n");
  const std::string list = "-- |Listing voices  1 s|";
  const std::string one = R"({"voices":[{"voice_id":"a"}]})";
  CHECK(sent("tts voices", one) == "a\t\t\n" + list + "-- well\n");
  CHECK(sent("tts voices", R"([{"voice_id":"a"}])") == "a\t\t\n" + list + "-- well\n");
  CHECK(sent("tts voices", R"({"voices":[]})") == list + "The list is empty.\n-- well\n");
  CHECK(sent("tts voices", "7") ==
        list + "-- network: expected an object or a list in the response, got 7" + k_changed);
  CHECK(sent("tts voices --json", one) ==
        "[\n  {\n    \"voice_id\": \"a\"\n  }\n]\n" + list + "-- well\n");
  CHECK(sent("tts voices --format jsonl", R"({"voices":[{"voice_id":"a"},{"voice_id":"b"}]})") ==
        "{\"voice_id\":\"a\"}\n{\"voice_id\":\"b\"}\n" + list + "-- well\n");
  CHECK(sent("tts voices --format raw", one) == one + list + "-- well\n");
}

TEST_CASE("a job that was submitted is named, with the command that fetches it, or waited for") {
  const std::string begin = "-- |svc chat  1 s|";
  const std::string job = R"({"request_id":"j 1"})";
  CHECK(sent("chat hi --no-stdin --deferred", job) ==
        "j 1\n" + begin + "svc: note: fetch it with: svc chat deferred 'j 1' --wait\n-- well\n");
  CHECK(sent("chat hi --no-stdin --deferred --json", job) ==
        "{\n  \"request_id\": \"j 1\"\n}\n" + begin + "-- well\n");
  CHECK(
      sent(
          "chat hi --no-stdin --deferred --wait",
          {json_reply(200, job),
           json_reply(
               200,
               R"({"model":"m","choices":[{"index":0,"message":{"content":"Yes."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}})")}) ==
      "Yes.\n" + begin +
          "svc: note: if interrupted, resume with: svc chat deferred 'j 1' --wait\n|Waiting for j "
          "1  1 s|3 tokens in, 0 out\n-- well\n1 of m: 3 in (0 cached), 0 out (0 reasoning), 0 "
          "ticks, 1 unpriced\n");
  const std::string video = "videos generate hi --no-stdin --no-wait";
  CHECK(sent(video, R"({"request_id":"j"})") ==
        "j\n-- |svc videos  1 s|svc: note: fetch it with: svc videos wait j\n-- well\n");
  CHECK(
      sent(video, R"({"id":"j"})") ==
      "-- |svc videos  1 s|-- network: expected text for \"request_id\" in the response, got none" +
          k_changed);
  CHECK(sent(video, {failure(Fault::Network)}) ==
        "-- |svc videos  1 s|-- unknown_outcome: request sent, but the response was lost: the line "
        "went dead / It may have been executed and billed; it was not retried.\n1 of "
        "svc-imagine-video: 0 in (0 cached), 0 out (0 reasoning), 0 ticks, 1 unpriced\n");
}

TEST_CASE("a look at a job prints its state, or what it has failed with") {
  const std::string get = "-- |svc videos get  1 s|-- ";
  const auto pending = json_reply(202, R"({"status":"pending","progress":40})");
  CHECK(sent("videos get x", {pending}) == "status: pending\nprogress: 40\n" + get + "well\n");
  CHECK(sent("videos get x --json", {json_reply(202, "")}) ==
        "{\n  \"status\": \"pending\"\n}\n" + get + "well\n");
  CHECK(sent("videos get x", R"({"status":"failed"})") ==
        get + "remote_job: the job failed; no reason was given / \n");
  CHECK(sent("videos get x --json", R"({"status":"failed"})") ==
        "{\n  \"status\": \"failed\"\n}\n" + get +
            "remote_job: the job failed; no reason was given / \n");
  CHECK(sent("videos get x -o a", {pending}) ==
        get + "timeout: x is not ready yet / Wait for it with: svc videos wait x -o a\n");
  CHECK(sent("images get x", {pending}) ==
        "-- |svc images get  1 s|-- timeout: x is not ready yet / Wait for it with: svc images "
        "wait x\n");
  CHECK(sent("images get x --json", {pending}) ==
        "{\n  \"status\": \"pending\",\n  \"progress\": 40\n}\n-- |svc images get  1 s|-- well\n");
  CHECK(
      sent(
          "videos get x",
          R"({"status":"done","video":{"url":"https://x/a.mp4","duration":3},"model":"m","usage":{"cost_in_usd_ticks":500000000}})") ==
      "status: done\nvideo.url: https://x/a.mp4\nvideo.duration: 3\nmodel: "
      "m\nusage.cost_in_usd_ticks: $0.05\n" +
          get +
          "well\n1 of m: 0 in (0 cached), 0 out (0 reasoning), 500000000 ticks, 0 unpriced\n");
}

TEST_CASE("a tool's text is printed, and what is no text is counted") {
  CHECK(
      tool(
          "docs get x",
          R"({"content":[{"type":"text","text":"A"},{"type":"image","data":"QUJDRA==","mimeType":"image/png"}]})") ==
      "A\n-- |svc docs get  1 s|svc: note: 6 B of image/png is not shown; use --json to get it\n-- "
      "well\n");
  CHECK(tool("docs list", R"({"content":[]})") ==
        "-- |svc docs list  1 s|The list is empty.\n-- well\n");
  CHECK(tool("docs list --json", R"({"content":[]})") == "[]\n-- |svc docs list  1 s|-- well\n");
  CHECK(
      tool("docs list --json",
           R"j({"content":[{"type":"text","text":"- [a](b)\n\n* [c](d)"}]})j") ==
      "[\n  {\n    \"slug\": \"b\",\n    \"title\": \"a\"\n  },\n"
      "  {\n    \"slug\": \"d\",\n    \"title\": \"c\"\n  }\n]\n-- |svc docs list  1 s|-- well\n");
  const std::string failed = R"({"isError":true,"content":[{"type":"text","text":"Not found."}]})";
  CHECK(tool("docs list", failed) ==
        "-- |svc docs list  1 s|-- not_found: the tool failed: Not found. / `svc docs list` lists "
        "the pages.\n");
  CHECK(tool("docs list", R"({"isError":true,"content":[]})") ==
        "-- |svc docs list  1 s|-- service: the tool failed without a reason / \n");
  CHECK(tool("docs get x --format raw", R"({"content":[{"type":"text","text":"A"}]})") ==
        R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"A"}]}})"
        "-- |svc docs get  1 s|-- well\n");
}

}  // namespace svc::cli
