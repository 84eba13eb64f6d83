#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "client/job.h"

using namespace svc;

namespace {

JobStatus look(int status, std::string_view body) {
  return read_job_status(Judge::Status, status, body, {});
}

}  // namespace

TEST_CASE("pending: 202 with and without a body, and a pending status") {
  CHECK(look(202, "").state == JobState::Pending);
  CHECK(look(202, "null").state == JobState::Pending);
  CHECK(look(202, R"({"status":"pending","progress":40})").percent == 40);
  CHECK(look(200, R"({"status":"pending","progress":7})").percent == 7);
  CHECK(look(200, R"({"status":"queued"})").state == JobState::Pending);
  CHECK(look(200, "").state == JobState::Pending);
  CHECK(look(200, "{}").state == JobState::Pending);
  CHECK(look(200, R"({"status":"pending","progress":-5})").percent == 0);
  CHECK(look(200, R"({"status":"pending","progress":1e9})").percent == 100);
  CHECK_FALSE(look(200, R"({"status":"pending","progress":"x"})").percent.has_value());
}

TEST_CASE("done: by its status, or by its result if the status is unknown") {
  CHECK(look(200, R"({"status":"done","video":{"url":""}})").state == JobState::Done);
  for (const char* status : {"DONE", "done", "completed", "succeeded"}) {
    CHECK(look(200, std::string(R"({"status":")") + status + "\"}").state == JobState::Done);
  }
  CHECK(look(200, R"({"data":[]})").state == JobState::Pending);
  CHECK(look(202, R"({"data":[1]})").state == JobState::Pending);
  CHECK(look(200, R"({"status":"published","video":{"url":"https://a.test/"}})").state ==
        JobState::Done);
  CHECK(look(200, R"({"data":[{"url":"https://a.test/"}]})").state == JobState::Done);
  CHECK(look(200, R"({"status":"pending","video":{"url":"https://a.test/"}})").state ==
        JobState::Pending);
}

TEST_CASE("failed and expired, with the service's reason") {
  const JobStatus failed =
      look(200, R"({"status":"failed","video":{"url":"https://a.test/"},"progress":100,
                    "error":{"code":"invalid_argument","message":"No such source."}})");
  REQUIRE(failed.state == JobState::Failed);
  CHECK(failed.failure->fault == Fault::RemoteJob);
  CHECK(failed.failure->code == "invalid_argument");
  CHECK(failed.failure->message.find("No such source.") != std::string::npos);
  const JobStatus silent = look(200, R"({"status":"failed"})");
  REQUIRE(silent.failure.has_value());
  CHECK(silent.state == JobState::Failed);
  CHECK(silent.failure->message == "the job failed; no reason was given");
  CHECK(silent.failure->fault == Fault::RemoteJob);
  const JobStatus expired = look(200, R"({"status":"expired"})");
  REQUIRE(expired.failure.has_value());
  CHECK(expired.failure->message == "the job expired: its result is no longer available");
  CHECK(expired.failure->fault == Fault::RemoteJob);
  CHECK(expired.failure->hint == "Submit it again.");
}

TEST_CASE("if the response is the result, its content does not affect the state") {
  CHECK(read_job_status(Judge::Answered, 202, "", {}).state == JobState::Pending);
  CHECK(read_job_status(Judge::Answered, 200, R"({"status":"failed"})", {}).state ==
        JobState::Done);
}

TEST_CASE("pauses between polls grow to the longest, and the limit ends the wait") {
  using std::chrono::milliseconds;
  std::vector<milliseconds> slept;
  int polls = 0;
  const auto after = [&](int most) {
    return [&polls, most]() -> Result<bool> { return ++polls == most; };
  };
  const auto sleep = [&](milliseconds time) {
    slept.push_back(time);
    return Result<void>();
  };
  const PollTimes times{milliseconds(100), milliseconds(200)};
  REQUIRE(poll_until(times, "it was not ready", after(4), sleep));
  CHECK(slept == std::vector{milliseconds(100), milliseconds(150), milliseconds(200)});

  slept.clear();
  polls = 0;
  REQUIRE(poll_until(times.with(milliseconds(70), {}), "it was not ready", after(3), sleep));
  CHECK(slept == std::vector{milliseconds(70), milliseconds(70)});

  polls = 0;
  const auto late =
      poll_until(times.with({}, milliseconds(0)), "it was not ready", after(9), sleep);
  REQUIRE_FALSE(late);
  CHECK(late.error().fault == Fault::Timeout);
  CHECK(late.error().message == "it was not ready within 0 ms");
  CHECK(polls == 1);

  // The last pause ends with the limit.
  slept.clear();
  polls = 0;
  REQUIRE(poll_until(times.with(milliseconds(70'000), milliseconds(60'000)), "", after(2), sleep));
  REQUIRE(slept.size() == 1);
  CHECK(slept.front() <= milliseconds(60'000));
  CHECK(slept.front() > milliseconds(30'000));
  const auto stopped = poll_until(times, "", after(9), [](milliseconds) {
    return Result<void>(Error{Fault::Interrupted, "stopped"});
  });
  CHECK(stopped.error().fault == Fault::Interrupted);
}

TEST_CASE("an operation's polls have a limit, or none") {
  Poll poll{"get", "id", 2, 3, 4};
  const PollTimes limited = times_of(poll);
  CHECK(limited.first == std::chrono::seconds(2));
  CHECK(limited.most == std::chrono::seconds(3));
  CHECK(limited.limit == std::chrono::seconds(4));
  poll.limit_seconds = 0;
  CHECK_FALSE(times_of(poll).limit);
}
