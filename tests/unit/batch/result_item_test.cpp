// Results and states in the service's format.
#include "batch/result_item.h"

#include <tuple>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/money.h"
#include "batch/check.h"
#include "batch/clock.h"
#include "client/usage.h"

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

TEST_CASE("each form of a failure has its reason and its kind") {
  const std::tuple<const char*, Outcome, const char*> rows[] = {
      {R"("no room")", Outcome::Failed, "no room"},
      {R"("")", Outcome::Failed, "failed without a stated reason"},
      {R"("Cancelled")", Outcome::Canceled, "Cancelled"},
      {R"("CANCELED")", Outcome::Canceled, "CANCELED"},
      {R"("Batch was cancelled by you")", Outcome::Canceled, "Batch was cancelled by you"},
      {R"("it was cancelled")", Outcome::Failed, "it was cancelled"},
      {R"({"error":{"error":"inner"}})", Outcome::Failed, "inner"},
      {R"({"error":{"error":"inner","message":"outer"}})", Outcome::Failed, "outer"},
      {R"({"error":{"code":"c"}})", Outcome::Failed, "c"},
      {R"({"error":{"x":1}})", Outcome::Failed, R"({"x":1})"},
      {R"({"error":""})", Outcome::Failed, "failed without a stated reason"},
      {R"({"response":7})", Outcome::Unknown, "the service reported no outcome"},
      {R"({"response":null})", Outcome::Unknown, "the service returned no result"},
      {R"({"error":null,"response":{"responses":{}}})", Outcome::Succeeded, ""},
  };
  for (const auto& [result, outcome, reason] : rows) {
    CAPTURE(result);
    const ResultItem item =
        read_result_item(std::string(R"({"error_message":"","batch_result":)") + result + "}");
    CHECK(item.outcome == outcome);
    CHECK(item.reason == reason);
    CHECK(item.counts_as_success == (outcome == Outcome::Succeeded));
  }
  CHECK(outcome_name(Outcome::Succeeded) == "succeeded");
  CHECK(outcome_name(Outcome::Failed) == "failed");
  CHECK(outcome_name(Outcome::Canceled) == "cancelled");
  CHECK(outcome_name(Outcome::Unknown) == "unknown");
}

TEST_CASE("the text and the cost of each kind of answer") {
  const auto read = [](const std::string& response) {
    return read_result_item(R"({"batch_result":{"response":{)" + response + "}}}");
  };
  const auto said = [&](const std::string& messages) {
    return read(R"("chat_get_completion":{"choices":[)" + messages + "]}");
  };
  CHECK(said(R"({"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}})").text == "ab");
  CHECK(said(R"({"message":{"refusal":"no"}})").text == "no");
  CHECK(said(R"({"message":{"role":"tool","content":7}},{"message":{"content":null}})").outcome ==
        Outcome::Succeeded);
  for (const char* content : {"7", R"({"text":"a"})"}) {
    const ResultItem odd = said(
        fmt::format(R"({{"message":{{"content":{}}}}},{{"message":{{"content":"a"}}}})", content));
    CHECK(odd.outcome == Outcome::Failed);
    CHECK(odd.reason == R"(expected text for "content" in the response)");
  }
  const ResultItem images =
      read(R"("video_generation":null,"image_generation":{"data":[{"b64_json":"x"},)"
           R"({"file_output":{"file_id":"f"}},{"url":"u","file_output":{"file_id":"g"}}],)"
           R"("usage":{"cost_in_usd_ticks":5}})");
  CHECK(images.text == "f u");
  CHECK(images.cost_ticks == 5);
  const ResultItem video =
      read(R"("image_generation":null,"chat_get_completion":null,)"
           R"("video_generation":{"video":{"url":"v"},"usage":{"cost_in_usd_ticks":"6"}})");
  CHECK(video.text == "v");
  CHECK(video.cost_ticks == 6);
  CHECK(read(R"("usage":{"cost_in_usd_ticks":7},"id":"resp_1")").cost_ticks == 7);
  CHECK_FALSE(read(R"("id":"resp_1")").cost_ticks);
}

TEST_CASE("the usage of a result is its last field of this name") {
  const auto input = [](const char* json) { return result_usage(json).input_tokens; };
  CHECK(input(R"({"a":{"usage":{"input_tokens":1}},"b":{"usage":{"input_tokens":2}}})") == 2);
  CHECK(input(R"({"a":{"usage" : {"input_tokens":3}},"b":"usage"})") == 3);
  CHECK(input(R"({"usage":{"input_tokens":4},"said":"\"usage\":{\"input_tokens\":5}"})") == 4);
  CHECK(input(R"("usage")") == 0);
  CHECK(input("{}") == 0);
  const Usage all = result_usage(
      R"({"usage":{"input_tokens":4,"output_tokens":5,"cost_in_usd_ticks":6},"after":[]})");
  CHECK(all.output_tokens == 5);
  CHECK(all.cost_ticks == 6);
}

TEST_CASE("the counts of a batch, and why it was canceled") {
  const auto batch = read_batch_state(
      R"({"batch_id":"b","name":"n","state":{"num_requests":15,"num_pending":"1","num_success":2,)"
      R"("num_error":3,"num_cancelled":4},"cost_breakdown":{"total_cost_usd_ticks":"50"},)"
      R"("cancel_time":"2026-04-01","expire_time":"2026-04-02","cancel_by_xai_message":"abuse"})");
  REQUIRE(batch);
  CHECK(batch->id == "b");
  CHECK(batch->name == "n");
  CHECK(batch->requests == 15);
  CHECK(batch->pending == 1);
  CHECK(batch->succeeded == 2);
  CHECK(batch->failed == 3);
  CHECK(batch->canceled == 4);
  CHECK(batch->done() == 9);
  CHECK(batch->cost_ticks == 50);
  CHECK(batch->was_canceled);
  CHECK(batch->expire_time == "2026-04-02");
  CHECK(batch->cancel_message == "abuse");
  const auto bare = read_batch_state(R"({"batch_id":"b"})");
  CHECK_FALSE(bare->was_canceled);
  CHECK_FALSE(bare->cost_ticks);
  const auto none = read_batch_state(R"({"name":"n"})");
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Network);
  CHECK(none.error().message == "response is not a batch: it has no batch_id");
  CHECK(none.error().hint == "--format raw prints it.");
}

TEST_CASE("a batch expires after its time, or at the end of its day") {
  const auto expired = [](const char* time, std::int64_t now) {
    BatchState batch;
    batch.expire_time = time;
    batch.served_at = now;
    return has_expired(batch);
  };
  const std::int64_t noon = 1'775'995'200;  // 2026-04-12T12:00:00Z
  CHECK_FALSE(expired("2026-04-12T12:00:00Z", noon));
  CHECK(expired("2026-04-12T12:00:00Z", noon + 1));
  CHECK_FALSE(expired("2026-04-12", noon + 12 * 3600 - 1));
  CHECK(expired("2026-04-12", noon + 12 * 3600));
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
  const std::pair<std::string, std::string> rows[] = {
      {"can't", "can't"},
      {"a\nb\tc", "a b c"},
      {"it's 5 o'clock", "it's N o'clock"},
      {"say \"x y\" and '7'", "say \"…\" and '…'"},
      {"'a1' 2", "'…' N"},
      {"don't 'open", "don't 'open"},
      {"x='a'", "x='a'"},
      {"12 34 5a6", "N N NaN"},
      {"refused (HTTP 400): 400 of 12", "refused (HTTP 400): N of N"},
      {"HTTP 5", "HTTP 5"},
      {std::string(160, 'x'), std::string(160, 'x')},
      {std::string(161, 'x'), std::string(160, 'x') + "…"},
  };
  for (const auto& [reason, kind] : rows) CHECK(reason_class(reason) == kind);
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
  CHECK(parse_shard("8/8")->contains(16));
  CHECK(parse_shard("1/1000000"));
  for (const char* bad :
       {"", "3", "0/8", "9/8", "1/0", "a/b", "1/2/3", "-1/2", "1/1000001", "a/2", "1/b"}) {
    CHECK_FALSE(parse_shard(bad));
  }
  CHECK(parse_ticks("5") == 50'000'000'000);
  CHECK(parse_ticks("$0.0000000001") == 1);
  CHECK(parse_ticks("12345678.5") == 123'456'785'000'000'000);
  for (const char* bad : {"", "-1", "1.", ".5", "1e3", "0.00000000001", "123456789", "1,5"}) {
    CHECK_FALSE(parse_ticks(bad));
  }
}
