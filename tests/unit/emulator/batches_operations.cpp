#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"
#include "unit/emulator/batches_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Batches;
using svc::test::counts;
using svc::test::expect_error;
using svc::test::item;

TEST_CASE("a batch is created with a name, and shown with counters and a masked key") {
  Batches api;
  api.key.id = "11111111-2222-3333-4444-555555555555";
  const std::string id = api.create();
  CHECK(id.starts_with("batch_"));
  json batch = api.json("GET", "/v1/batches/" + id);
  batch["cost_breakdown"].erase("calculation_time");
  CHECK(batch == json{{"batch_id", id},
                      {"name", "night"},
                      {"create_time", "2027-01-15T08:00:01Z"},
                      {"expire_time", "2027-02-14T08:00:01Z"},
                      {"create_api_key_id", "11***55"},
                      {"cancel_time", nullptr},
                      {"cancel_by_xai_message", nullptr},
                      {"state", counts(0, 0, 0, 0, 0)},
                      {"cost_breakdown", {{"total_cost_usd_ticks", 0}}}});
  CHECK(api.call("POST", "/v1/batches", "{}").body.find("missing field `name`") !=
        std::string::npos);
  CHECK(api.call("POST", "/v1/batches", "{}").status == 422);
  expect_error(api.call("GET", "/v1/batches/batch_x"), 404);
  api.key.team_id = "another";
  expect_error(api.call("GET", "/v1/batches/" + id), 404);
}

TEST_CASE("one creation per second, a hundred additions in thirty") {
  Batches api;
  const std::string id = api.create();
  const Response soon = api.call("POST", "/v1/batches", R"({"name":"b"})");
  expect_error(soon, 429);
  REQUIRE(!soon.headers.empty());
  CHECK(soon.headers.front().value == "1");
  api.now_ms += 1'000;
  CHECK(api.call("POST", "/v1/batches", R"({"name":"b"})").status == 200);
  for (int i = 0; i < 100; ++i) CHECK(api.add(id, json::array()).status == 200);
  const Response late = api.add(id, json::array());
  expect_error(late, 429);
  CHECK(late.headers.front().value == "30");
  api.now_ms += 30'000;
  CHECK(api.add(id, json::array()).status == 200);
}

TEST_CASE("requests are pending, then done after some time; results and costs appear") {
  Batches api;
  const std::string id = api.create();
  CHECK(api.add(id, json::array({item("a", "Say exactly: one"), item("b", "Fail with: no luck"),
                                 item("c", "Refuse: never")}))
            .body == "null");
  api.work();
  CHECK(api.counters(id) == counts(3, 3, 0, 0, 0));
  CHECK(api.json("GET", "/v1/batches/" + id + "/results")["results"].empty());
  api.now_ms += 200;  // the first one is due
  api.work();
  CHECK(api.counters(id) == counts(3, 2, 1, 0, 0));
  api.work_all();
  CHECK(api.counters(id) == counts(3, 0, 2, 1, 0));

  const json results = api.json("GET", "/v1/batches/" + id + "/results");
  CHECK(results["pagination_token"].is_null());
  REQUIRE(results["results"].size() == 3);
  const json& first = results["results"][0]["batch_result"]["response"]["chat_get_completion"];
  CHECK(first["choices"][0]["message"]["content"] == "one");
  CHECK(first["debug_output"]["attempts"] == 1);
  CHECK(results["results"][1] ==
        json{{"batch_request_id", "b"}, {"batch_result", {{"error", "no luck"}}}});
  CHECK(results["results"][2]["batch_result"]["response"]["chat_get_completion"]["choices"][0]
               ["message"]["refusal"] == "never");

  // Half the cost of the call itself.
  const json called = test::ok(
      api.call("POST", "/v1/chat/completions",
               R"({"model":"svc-4.3","messages":[{"role":"user","content":"Say exactly: one"}]})"));
  CHECK(first["usage"]["cost_in_usd_ticks"].get<int>() * 2 ==
        called["usage"]["cost_in_usd_ticks"].get<int>());
  const json& third =
      results["results"][2]["batch_result"]["response"]["chat_get_completion"]["usage"];
  CHECK(api.json("GET", "/v1/batches/" + id)["cost_breakdown"]["total_cost_usd_ticks"] ==
        first["usage"]["cost_in_usd_ticks"].get<int>() + third["cost_in_usd_ticks"].get<int>());
}

TEST_CASE("a responses request is returned in chat format, with the server-side tools first") {
  Batches api;
  const std::string id = api.create();
  const json body = {{"model", "svc-4.3"}, {"input", "hi"}, {"tools", {{{"type", "web_search"}}}}};
  const json bad = {{"model", "svc-4.3"}, {"input", "Fail with: tired"}};
  CHECK(api.add(id, {{{"batch_request_id", "r"}, {"batch_request", {{"responses", body}}}},
                     {{"batch_request_id", "f"}, {"batch_request", {{"responses", bad}}}}})
            .status == 200);
  api.work_all();
  const json results = api.json("GET", "/v1/batches/" + id + "/results")["results"];
  const json& chat = results[0]["batch_result"]["response"]["chat_get_completion"];
  CHECK(chat["object"] == "chat.completion");
  REQUIRE(chat["choices"].size() == 2);
  CHECK(chat["choices"][0]["message"]["role"] == "tool");
  CHECK(chat["choices"][1]["message"]["role"] == "assistant");
  CHECK(chat["choices"][1]["finish_reason"] == "stop");
  CHECK(chat["usage"]["prompt_tokens"].get<int>() > 0);
  CHECK(results[1]["batch_result"]["error"] == "tired");
}

TEST_CASE("a request rerun because its worker was killed gives the same result") {
  std::vector<std::string> seen;
  const std::vector<emulator::Route> routes = {
      {"POST", "/v1/chat/completions", [&](const emulator::Request& call) {
         seen.push_back(call.request_id);
         return Response{};
       }}};
  Batches api;
  const emulator::batches::BatchProcessor shift(api.state(), routes, {});
  emulator::batches::DueRequest request{
      .seq = 7, .batch = 3, .team_id = "t", .kind = "chat_get_completion", .body = "{}"};
  (void)shift.execute(request);
  (void)shift.execute(request);
  request.seq = 8;
  (void)shift.execute(request);
  REQUIRE(seen.size() == 3);
  CHECK(emulator::text::is_uuid(seen[0]));
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] != seen[2]);
}

TEST_CASE("valid and invalid add calls") {
  Batches api;
  const std::string id = api.create();
  const auto status = [&](const json& items) { return api.add(id, items).status; };
  CHECK(api.call("POST", "/v1/batches/" + id + "/requests", "{}").status == 422);
  CHECK(api.call("POST", "/v1/batches/" + id + "/requests", R"({"batch_requests":1})").status ==
        422);
  CHECK(status(json::array({{{"batch_request", json::object()}}})) == 422);
  CHECK(status(json::array({json::object()})) == 422);
  json two = item("a", "x");
  two["batch_request"]["responses"] = {{"input", "x"}};
  CHECK(status(json::array({two})) == 422);
  const Response wrong = api.add(
      id, {item("a", "x"), {{"batch_request", {{"chat_get_completion", {{"messages", 1}}}}}}});
  CHECK(wrong.status == 422);
  CHECK(wrong.body.find("batch_requests[1].batch_request.chat_get_completion.messages") !=
        std::string::npos);
  CHECK(expect_error(api.add(id, json::array({item("a", "x", "svc-4.5")})), 400)
            .find("does not support batches") != std::string::npos);
  expect_error(api.add(id, json::array({item("a", "x", "svc-9")})), 400);
  expect_error(api.add(id, json::array({item("", "x")})), 400);
  CHECK(expect_error(api.add(id, json::array({item("a", "x"), item("a", "y")})), 400)
            .find("Duplicate") != std::string::npos);
  CHECK(api.counters(id) == counts(0, 0, 0, 0, 0));  // a call is added completely or not at all

  json anonymous = item("", "x");
  anonymous.erase("batch_request_id");
  CHECK(api.add(id, {item("a", "x"), anonymous}).status == 200);
  expect_error(api.add(id, json::array({item("b", "x"), item("a", "y")})), 400);
  CHECK(api.counters(id) == counts(2, 2, 0, 0, 0));
  expect_error(api.add("batch_x", json::array({item("a", "x")})), 404);
  api.key.acls = {"api-key:endpoint:*", "api-key:model:svc-3"};
  expect_error(api.add(id, json::array({item("c", "x")})), 403);
}

TEST_CASE("asynchronous requests fail, as do requests rejected by their operation") {
  Batches api;
  const std::string id = api.create();
  json streamed = item("s", "x");
  streamed["batch_request"]["chat_get_completion"]["stream"] = true;
  json hot = item("t", "x");
  hot["batch_request"]["chat_get_completion"]["temperature"] = 9;
  const json picture = {{"batch_request_id", "p"},
                        {"batch_request", {{"image_generation", {{"prompt", "a cat"}}}}}};
  CHECK(api.add(id, {streamed, hot, picture}).status == 200);
  api.work_all();
  CHECK(api.counters(id) == counts(3, 0, 0, 3, 0));
  const json results = api.json("GET", "/v1/batches/" + id + "/results")["results"];
  CHECK(results[0]["batch_result"]["error"] == "stream is not supported in batch requests.");
  CHECK(results[1]["batch_result"]["error"].get<std::string>().find("temperature") !=
        std::string::npos);
}

TEST_CASE("canceling ends pending requests and keeps results") {
  Batches api;
  const std::string id = api.create();
  api.add(id, json::array({item("a", "x"), item("b", "x"), item("c", "x")}));
  api.now_ms += 200;
  api.work();
  const json canceled = api.json("POST", "/v1/batches/" + id + ":cancel", "{}");
  CHECK(canceled["state"] == counts(3, 0, 1, 0, 2));
  CHECK(canceled["cancel_time"] == "2027-01-15T08:00:01Z");
  api.work_all();
  CHECK(api.counters(id) == counts(3, 0, 1, 0, 2));
  CHECK(api.json("POST", "/v1/batches/" + id + ":cancel")["state"] == counts(3, 0, 1, 0, 2));
  CHECK(expect_error(api.add(id, json::array({item("d", "x")})), 400).find("canceled") !=
        std::string::npos);
  CHECK(api.json("GET", "/v1/batches/" + id + "/results")["results"].size() == 1);
  const json list = api.json("GET", "/v1/batches/" + id + "/requests")["batch_request_metadata"];
  CHECK(list[0]["state"] == "succeeded");
  CHECK(list[2]["state"] == "cancelled");
  expect_error(api.call("POST", "/v1/batches/batch_x:cancel"), 404);
}

TEST_CASE("results expire after thirty days") {
  Batches api;
  const std::string id = api.create();
  api.add(id, json::array({item("a", "x")}));
  api.work_all();
  api.now_ms += std::int64_t{30} * 86'400'000;
  CHECK(api.counters(id) == counts(1, 0, 1, 0, 0));
  CHECK(expect_error(api.call("GET", "/v1/batches/" + id + "/results"), 404).find("expired") !=
        std::string::npos);
  expect_error(api.add(id, json::array({item("b", "x")})), 400);
}
