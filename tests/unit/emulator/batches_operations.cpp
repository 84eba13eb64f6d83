#include <set>
#include <stdexcept>
#include <tuple>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
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

TEST_CASE("a list of requests that is given twice is refused if one of them is wrong") {
  Batches api;
  const std::string path = "/v1/batches/" + api.create() + "/requests";
  CHECK(expect_error(api.call("POST", path, R"({"batch_requests":[1],"batch_requests":[]})"),
                     400) == "batch_requests cannot be read.");
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
  api.now_ms += 999;
  CHECK(api.add(id, json::array()).headers.front().value == "30");
  api.now_ms += 1;
  CHECK(api.add(id, json::array()).headers.front().value == "29");
  api.now_ms += 29'000;
  CHECK(api.add(id, json::array()).status == 200);
  // A clock that was set back makes nobody wait.
  (void)api.create();
  api.now_ms -= 5'000;
  CHECK(api.call("POST", "/v1/batches", R"({"name":"b"})").status == 200);
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
  CHECK(seen[0] == "ba7c4000-0000-4000-8003-000000000007");
  CHECK(seen[2] == "ba7c4000-0000-4000-8003-000000000008");
  request.batch = 0x1234567;
  request.seq = 0x89ABCD;
  (void)shift.execute(request);
  CHECK(seen.back() == "ba7c4000-0001-4234-8567-00000089abcd");
}

TEST_CASE("a job is polled until its operation has an answer") {
  emulator::Response answer;
  emulator::Request asked;
  const std::vector<emulator::Route> routes = {
      {"GET", "/v1/videos/{request_id}", [&](const emulator::Request& call) {
         asked = call;
         return answer;
       }}};
  Batches api;
  const emulator::batches::BatchProcessor shift(api.state(), routes,
                                                {.host = "h:1", .tls = true, .scope = "one"});
  const emulator::batches::DueRequest request{.seq = 7,
                                              .batch = 3,
                                              .team_id = "t",
                                              .kind = "video_generation",
                                              .body = "{}",
                                              .job = "job-1",
                                              .key_id = "k"};
  const auto poll = [&](int status, std::string body) {
    answer = {.status = status, .body = std::move(body)};
    return shift.execute(request);
  };
  using emulator::batches::Outcome;
  const Outcome waits = poll(202, R"({"status":"pending"})");
  CHECK(waits.kind == Outcome::Kind::Pending);
  CHECK(waits.job == "job-1");
  CHECK(waits.due_ms == api.now_ms + 250);
  CHECK(asked.params.at("request_id") == "job-1");
  CHECK(asked.method == "GET");
  CHECK(asked.key.team_id == "t");
  CHECK(asked.key.id == "batch");
  CHECK(asked.batch_key_id == "k");
  CHECK(asked.header("Host") == "h:1");
  CHECK(asked.header("Content-Type") == "application/json");
  CHECK(asked.tls);
  CHECK(asked.scope == "one");
  answer.charges = {{"video", "second", 2, 10}};
  answer.status = 200;
  answer.body = R"({"status":"done","usage":{"cost_in_usd_ticks":20}})";
  const Outcome done = shift.execute(request);
  CHECK(done.kind == Outcome::Kind::Succeeded);
  CHECK(done.cost_ticks == 10);
  CHECK(json::parse(done.result) == json::parse(R"({"response":{"video_generation":
      {"status":"done","usage":{"cost_in_usd_ticks":10}}}})"));
  REQUIRE(done.charges.size() == 1);
  CHECK(done.charges[0].description == "video (batch)");
  CHECK(done.charges[0].unit_ticks == 5);
  struct Row {
    int status;
    std::string body;
    std::string error;
  };
  for (const auto& [status, body, error] :
       {Row{200, R"({"status":"failed","error":{"message":"no luck"}})", "no luck"},
        Row{200, R"({"status":"expired"})", "The video request is expired."},
        Row{404, R"({"error":"gone"})", "gone"}, Row{422, R"("a text")", "a text"},
        Row{500, "", "The request failed with status 500."}, Row{422, "plain", "plain"},
        Row{422, std::string(1'000, 'x'), std::string(1'000, 'x')},
        Row{422, std::string(1'001, 'x'), std::string(1'000, 'x') + "…"}}) {
    CAPTURE(body);
    const Outcome failed = poll(status, body);
    CHECK(failed.kind == Outcome::Kind::Failed);
    CHECK(json::parse(failed.result) == json{{"error", error}});
  }
}

TEST_CASE("a request whose operation is missing or throws fails") {
  const std::vector<emulator::Route> routes = {
      {"POST", "/v1/chat/completions",
       [](const emulator::Request&) -> Response { throw std::runtime_error("boom"); }},
      {"POST", "/v1/responses",
       [](const emulator::Request&) { return Response{.body = R"({"status":"failed"})"}; }}};
  Batches api;
  const emulator::batches::BatchProcessor shift(api.state(), routes, {});
  const auto error = [&](const char* kind) {
    return json::parse(shift.execute({.kind = kind, .body = "{}"}).result)["error"]
        .get<std::string>();
  };
  CHECK(error("chat_get_completion").find("The emulator has a fault: boom.") != std::string::npos);
  CHECK(error("responses") == "The response failed.");
  CHECK(error("image_edit") == "The emulator has no operation at /v1/images/edits.");
}

TEST_CASE("the due times of requests are spread over 400 ms") {
  std::vector<batches::NewRequest> requests(18);
  batches::stagger(requests, 1'000, 200);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CHECK(requests[i].due_ms == 1'200 + static_cast<std::int64_t>(i % 16) * 25);
  }
  batches::stagger(requests, 1'000, 0);
  for (const auto& request : requests) CHECK(request.due_ms == 1'000);
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
  const std::string most(400, 'n');
  CHECK(api.add(id, {item(most, "x"), item(most + "n", "x")}).status == 200);
  CHECK(expect_error(api.add(id, json::array({item(most, "x")})), 400).find(": " + most + " is") !=
        std::string::npos);
  CHECK(expect_error(api.add(id, json::array({item(most + "n", "x")})), 400)
            .find(": " + most + "… is") != std::string::npos);
  CHECK(api.counters(id) == counts(4, 4, 0, 0, 0));
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
  CHECK(list[2]["finish_time"] == canceled["cancel_time"]);
  expect_error(api.call("POST", "/v1/batches/batch_x:cancel"), 404);
}

TEST_CASE("a result that comes after its batch was canceled is not kept; charges are added up") {
  using batches::Outcome;
  Batches api;
  const std::string id = api.create();
  api.add(id, json::array({item("a", "x"), item("b", "x"), item("c", "x")}));
  api.now_ms += 10'000;
  const auto due = batches::due_requests(api.state(), 10);
  REQUIRE(due.has_value());
  REQUIRE(due->size() == 3);
  Outcome one{.result = "{}", .cost_ticks = 3};
  one.charges = {{"a", "unit", 1, 10}, {"a", "other", 2, 10}, {"b", "unit", 4, 10}};
  Outcome two = one;
  two.charges[0] = {"a", "unit", 8, 11};
  two.charges.push_back({"a", "unit", 16, 10});
  const Outcome failed{.kind = Outcome::Kind::Failed, .result = "{}"};
  REQUIRE(batches::record_outcomes(api.state(), *due, {one, two, failed}).has_value());
  CHECK(api.counters(id) == counts(3, 0, 2, 1, 0));
  CHECK(api.json("GET", "/v1/batches/" + id)["cost_breakdown"]["total_cost_usd_ticks"] == 6);
  const std::int64_t now_s = api.now_ms / 1000;
  const auto used = api.state().with([&](Database& database) {
    return billing::usage_of(database, api.key.team_id,
                             {.begin_s = now_s - 3'600, .end_s = now_s + 3'600});
  });
  REQUIRE(used.has_value());
  std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t>> lines;
  for (const auto& line : *used) {
    lines.emplace(line.charge.description, line.charge.unit, line.charge.units,
                  line.charge.unit_ticks);
  }
  CHECK(lines == decltype(lines){{"a", "unit", 17, 10},
                                 {"a", "other", 4, 10},
                                 {"a", "unit", 8, 11},
                                 {"b", "unit", 8, 10}});

  const std::string other = api.create();
  api.add(other, json::array({item("a", "x"), item("b", "x")}));
  api.now_ms += 10'000;
  const auto late = batches::due_requests(api.state(), 10);
  REQUIRE(late.has_value());
  REQUIRE(late->size() == 2);
  (void)api.json("POST", "/v1/batches/" + other + ":cancel");
  REQUIRE(batches::record_outcomes(api.state(), *late, {one, failed}).has_value());
  CHECK(api.counters(other) == counts(2, 0, 0, 0, 2));
  CHECK(api.json("GET", "/v1/batches/" + other + "/results")["results"].empty());
}

TEST_CASE("an answer that a rule delays comes that much later, and is charged once") {
  Batches api;
  auto rules = parse_answers(R"([
      {"match": {"prompt": "late"}, "answer": {"text": "One two.", "delay": "5m"}, "times": 1},
      {"match": {"prompt": "down"}, "answer": {"status": 503, "body": "No luck.", "delay": "1m"}}])");
  REQUIRE(rules.has_value());
  REQUIRE(api.state().answers().add(*std::move(rules)).has_value());
  const std::string id = api.create();
  api.add(id, json::array({item("a", "late"), item("b", "down"), item("c", "Say exactly: now")}));
  api.work_all();
  CHECK(api.counters(id) == counts(3, 2, 1, 0, 0));
  const auto wait = [&](std::int64_t ms) {
    api.now_ms += ms;
    api.work();
    return api.counters(id);
  };
  CHECK(wait(59'999) == counts(3, 2, 1, 0, 0));
  CHECK(wait(1) == counts(3, 1, 1, 1, 0));
  CHECK(wait(239'999) == counts(3, 1, 1, 1, 0));
  CHECK(wait(1) == counts(3, 0, 2, 1, 0));
  const json results = api.json("GET", "/v1/batches/" + id + "/results")["results"];
  CHECK(results[1]["batch_result"]["error"] == "No luck.");
  const json& late = results[2]["batch_result"]["response"]["chat_get_completion"];
  CHECK(late["choices"][0]["message"]["content"] == "One two.");
  const std::int64_t now_s = api.now_ms / 1000;
  const auto used = api.state().with([&](Database& database) {
    return billing::usage_of(database, api.key.team_id,
                             {.begin_s = now_s - 7'200, .end_s = now_s + 3'600});
  });
  REQUIRE(used.has_value());
  std::int64_t charged = 0;
  for (const auto& line : *used) charged += line.charge.units * line.charge.unit_ticks;
  CHECK(api.json("GET", "/v1/batches/" + id)["cost_breakdown"]["total_cost_usd_ticks"] == charged);
  CHECK(late["usage"]["cost_in_usd_ticks"] > 0);
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
  // To the second.
  const std::string other = api.create();
  api.now_ms += std::int64_t{30} * 86'400'000 - 1'000;
  CHECK(api.add(other, json::array({item("a", "x")})).status == 200);
  CHECK(api.call("GET", "/v1/batches/" + other + "/results").status == 200);
  api.now_ms += 1'000;
  expect_error(api.add(other, json::array({item("b", "x")})), 400);
  expect_error(api.call("GET", "/v1/batches/" + other + "/results"), 404);
}
