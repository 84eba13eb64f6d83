// Waiting for jobs, and what is said of those that are not done.
#include "operation/waiter.h"

#include <doctest/doctest.h>

#include "unit/cli/call_stage.h"
#include "unit/cli/state_here.h"
#include "unit/client/call_world.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using test::json_reply;
using Words = std::vector<std::string>;

/// The class, message and hint of an error.
std::string told(const Result<void>& done) {
  if (done) return "well";
  const Error& error = done.error();
  return fault_name(error.fault) + std::string(": ") + error.message + " / " + error.hint;
}

/// What was sent, printed and said while waiting for a job, and its error.
std::string waited(const Words& words, std::deque<test::FakeReply> replies) {
  const StateHere state;
  CallStage stage(words, std::move(replies));
  const auto done = run_wait(stage.session(), stage.client(), stage.operation(), "j 1");
  return join(stage.sent(), "\n") + "\n" + stage.out() + "-- " + stage.err() + "-- " + told(done);
}

}  // namespace

TEST_CASE("an error while waiting says how to go on, if the job may go on") {
  for (const Fault fault : {Fault::Network, Fault::Timeout, Fault::Interrupted, Fault::Terminated,
                            Fault::Service, Fault::NotFound, Fault::RemoteJob, Fault::Auth}) {
    CAPTURE(fault_name(fault));
    const bool goes_on = fault == Fault::Network || fault == Fault::Timeout ||
                         fault == Fault::Interrupted || fault == Fault::Terminated;
    CallStage stage({"videos", "wait", "id"}, {});
    stage.session().progress().start("Waiting");
    const auto over = wait_until(stage.session(), {.timed_out = "a was not", .resume = "Go on."},
                                 [&]() -> Result<bool> {
                                   stage.session().progress().tick();
                                   return Error{fault, "no", "Own hint."};
                                 });
    CHECK(told(over) ==
          fault_name(fault) + std::string(": no / ") + (goes_on ? "Go on." : "Own hint."));
    CHECK(stage.err() == "|Waiting  1 s|");
  }
  CallStage stage({"videos", "wait", "id"}, {});
  int looks = 0;
  const PollTimes times{.first = 1ms, .most = 1ms, .limit = 0ms};
  CHECK(told(wait_until(stage.session(), {"a was not ready", "Go on.", times}, [&] {
          return Result<bool>(++looks > 1);
        })) == "timeout: a was not ready within 0 ms / Go on.");
  CHECK(told(wait_until(stage.session(), {"a was not ready", "Go on.", {1ms, 1ms, {}}},
                        [&] { return Result<bool>(++looks > 3); })) == "well");
  CHECK(looks == 4);
}

TEST_CASE("the flags replace the pauses between looks, and the limit") {
  const auto times = [](const Words& flags) {
    Words words = {"videos", "wait", "id"};
    words.insert(words.end(), flags.begin(), flags.end());
    CallStage stage(words, {});
    const PollTimes found = poll_times(stage.session(), {2s, 3s, 4s});
    return std::vector{found.first, found.most, found.limit.value_or(-1ms)};
  };
  CHECK(times({}) == std::vector<std::chrono::milliseconds>{2s, 3s, 4s});
  CHECK(times({"--poll-interval", "7s"}) == std::vector<std::chrono::milliseconds>{7s, 7s, 4s});
  CHECK(times({"--wait-timeout", "9s"}) == std::vector<std::chrono::milliseconds>{2s, 3s, 9s});
}

TEST_CASE("a pause is one look at a short time, and none at no time") {
  CallStage stage({"videos", "wait", "id"}, {});
  stage.session().progress().start("Waiting");
  REQUIRE(pause_with_progress(stage.session(), 0ms));
  CHECK(stage.err().empty());
  REQUIRE(pause_with_progress(stage.session(), 1ms));
  CHECK(stage.err() == "|Waiting  1 s");
}

TEST_CASE("a job is looked at until it is over, and its result or failure is printed") {
  const std::string look = "GET /v1/videos/j%201\n";
  const Words json = {"videos", "wait", "x", "--json", "--poll-interval", "1ms"};
  CHECK(waited(json, {json_reply(200, R"({"video":{"url":"https://x/a.mp4"}})")}) ==
        look +
            "{\n  \"video\": {\n    \"url\": \"https://x/a.mp4\"\n  }\n}\n"
            "-- |Waiting for j 1  0 %  1 s|-- well");
  const auto failed = json_reply(200, R"({"status":"failed","error":{"code":"c","message":"m"}})");
  CHECK(waited(json, {json_reply(202, R"({"status":"pending","progress":40})"), failed}) ==
        look + look +
            "{\n  \"status\": \"failed\",\n  \"error\": {\n    \"code\": \"c\",\n"
            "    \"message\": \"m\"\n  }\n}\n"
            "-- |Waiting for j 1  0 %  1 s|Waiting for j 1  40 %  5 s left  3 s"
            "|Waiting for j 1  40 %  7 s left  4 s|Waiting for j 1  40 %  8 s left  5 s|"
            "-- remote_job: the job failed: m / ");
  CHECK(waited({"videos", "wait", "x"}, {failed}) ==
        look + "-- |Waiting for j 1  0 %  1 s|-- remote_job: the job failed: m / ");
  CHECK(waited({"videos", "wait", "x"}, {json_reply(404, R"({"error":"m"})")}) ==
        look +
            "-- |Waiting for j 1  0 %  1 s|-- not_found: not found on the service (HTTP 404): m / "
            "Check the ID or model name, and the URL with `svc doctor`.");
}

TEST_CASE("an answer that can be fetched once is fetched, or not ready, or gone") {
  const std::string look = "GET /v1/chat/deferred-completion/j%201\n";
  const std::string progress = "-- |Waiting for j 1  1 s|";
  const Words words = {"chat", "deferred", "x"};
  CHECK(waited(words, {json_reply(404, R"({"error":"m"})")}) ==
        look + progress +
            "-- not_found: not found on the service (HTTP 404): m / An answer can be fetched only "
            "once, within 24 hours.");
  CHECK(waited(words, {json_reply(202, "")}) ==
        look + progress +
            "-- timeout: j 1 is not ready yet / Wait for it with: svc chat deferred 'j 1' --wait");
  // It was shown, though it is no success: nothing has to be kept.
  CHECK(waited(words, {json_reply(200, R"({"choices":[{"index":0,"message":{"content":"Yes."},)"
                                       R"("finish_reason":"length"}]})")}) ==
        look + "Yes.\n" + progress +
            "-- remote_job: the answer was truncated at the token limit (finish reason: length) / "
            "Raise --max-completion-tokens to let it finish.");
}

}  // namespace svc::cli
