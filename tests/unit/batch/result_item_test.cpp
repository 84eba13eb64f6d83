// Results and states in the service's format.
#include "batch/result_item.h"

#include <doctest/doctest.h>

#include "base/money.h"
#include "batch/check.h"
#include "batch/clock.h"

using namespace svc;
using namespace svc::batch;
using std::chrono::milliseconds;

TEST_CASE("results in all formats") {
  const ResultItem chat = read_result_item(
      R"({"batch_request_id":"r1","batch_result":{"response":{"chat_get_completion":{"choices":[)"
      R"({"message":{"role":"assistant","content":"first"}},{"message":{"role":"tool","content":"x"}},)"
      R"({"message":{"role":"assistant","content":"last \u00e9"}}],"usage":{"cost_in_usd_ticks":"420000"}}}}})");
  CHECK(chat.id == "r1");
  CHECK(chat.outcome == Outcome::Succeeded);
  CHECK(chat.text == "last é");
  CHECK(chat.cost_ticks == 420000);
  const auto reason = [](const char* json) { return read_result_item(json).reason; };
  CHECK(reason(R"({"batch_request_id":"a","batch_result":"no such model"})") == "no such model");
  CHECK(reason(R"({"batch_request_id":"a","batch_result":{"error":"bad"}})") == "bad");
  CHECK(reason(R"({"batch_request_id":"a","batch_result":{"error":{"code":"x","message":"y"}}})") ==
        "x: y");
  CHECK(reason(R"({"batch_request_id":"a","batch_result":null,"error_message":"why"})") == "why");
  CHECK(reason(R"({"batch_request_id":"a"})") == "the service returned no result");
  CHECK(read_result_item(R"({"batch_request_id":"a","batch_result":{"response":"unknown"}})")
            .outcome == Outcome::Unknown);
  CHECK(read_result_item(R"({"batch_result":{"error":"cancelled"}})").outcome == Outcome::Canceled);
  CHECK(
      read_result_item(
          R"({"batch_result":{"response":{"image_generation":{"data":[{"url":"u1"},{"url":"u2"}]}}}})")
          .text == "u1 u2");
  CHECK(read_result_item(
            R"({"batch_result":{"response":{"video_generation":{"video":{"url":"v"}}}}})")
            .text == "v");
  CHECK(read_result_item(R"([])").outcome == Outcome::Unknown);
}

TEST_CASE("an incomplete answer is a failure, however the service counts it") {
  const auto read = [](const char* choice) {
    return read_result_item(
        std::string(
            R"({"batch_request_id":"r","batch_result":{"response":{"chat_get_completion":{"choices":[)") +
        choice + "]}}}}");
  };
  const ResultItem cut =
      read(R"({"message":{"role":"assistant","content":"half"},"finish_reason":"length"})");
  CHECK(cut.outcome == Outcome::Failed);
  CHECK(cut.counts_as_success);
  CHECK(cut.text == "half");
  CHECK(cut.reason == "the answer was truncated at the token limit (finish reason: length)");
  CHECK(read(R"({"message":{"role":"assistant","content":"a"}},{"message":{"role":"assistant"}})")
            .text == "a");
  CHECK(read(R"({"message":{"role":"assistant","refusal":"no"}})").reason ==
        "the model refused: no");
  CHECK(read(R"({"message":{"role":"assistant","content":"a"},"finish_reason":"stop"})").outcome ==
        Outcome::Succeeded);
}

constexpr std::int64_t k_batch_now = 1'776'000'000;  // 2026-04-12

TEST_CASE("when a batch is finished") {
  const auto state = [](const char* counters, const char* more = "",
                        std::optional<std::int64_t> now = k_batch_now) {
    auto read =
        *read_batch_state(std::string(R"({"batch_id":"b","state":)") + counters + more + "}");
    read.served_at = now;
    return read;
  };
  CHECK_FALSE(is_finished(state(R"({"num_requests":0,"num_pending":0})")));
  CHECK_FALSE(is_finished(state(R"({"num_requests":2,"num_pending":1})")));
  CHECK(is_finished(state(R"({"num_requests":"2","num_pending":"0"})")));
  CHECK(is_finished(state("{}", R"(,"cancel_time":"2026-04-01")")));
  CHECK_FALSE(is_finished(state(R"({"num_requests":1,"num_pending":1})", R"(,"cancel_time":"x")")));
  CHECK(is_finished(
      state(R"({"num_requests":1,"num_pending":1})", R"(,"expire_time":"2026-04-11")")));
  CHECK_FALSE(is_finished(
      state(R"({"num_requests":1,"num_pending":1})", R"(,"expire_time":"2026-04-11")", {})));
  CHECK_FALSE(is_finished(state("{}", R"(,"expire_time":"2026-04-12")")));
  CHECK_FALSE(is_finished(state("{}", R"(,"expire_time":"in a while")")));
  CHECK_FALSE(read_batch_state("null"));
}

TEST_CASE("identical failures are counted together") {
  CHECK(reason_class("no room for 17 of 20") == reason_class("no room for 3 of 400"));
  CHECK(reason_class("Model 'a' unknown") == reason_class("Model 'b' unknown"));
  CHECK(reason_class("can't") == "can't");
}

TEST_CASE("a rate limit over a sliding window") {
  RateLimit limit(2, milliseconds(1000));
  CHECK(limit.wait(milliseconds(0)).count() == 0);
  limit.note(milliseconds(0));
  limit.note(milliseconds(300));
  CHECK(limit.wait(milliseconds(400)) == milliseconds(600));
  limit.note(milliseconds(1000));
  CHECK(limit.wait(milliseconds(1000)) == milliseconds(300));
  CHECK(limit.wait(milliseconds(2000)).count() == 0);
}

TEST_CASE("shards and dollars are parsed strictly") {
  CHECK(parse_shard("3/8")->contains(11));
  CHECK_FALSE(parse_shard("3/8")->contains(12));
  for (const char* bad : {"", "3", "0/8", "9/8", "1/0", "a/b", "1/2/3", "-1/2"}) {
    CHECK_FALSE(parse_shard(bad));
  }
  CHECK(parse_ticks("5") == 50'000'000'000);
  CHECK(parse_ticks("$0.0000000001") == 1);
  CHECK(parse_ticks("12345678.5") == 123'456'785'000'000'000);
  for (const char* bad : {"", "-1", "1.", ".5", "1e3", "0.00000000001", "123456789", "1,5"}) {
    CHECK_FALSE(parse_ticks(bad));
  }
}
