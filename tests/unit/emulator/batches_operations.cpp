#include <chrono>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/batches/routes.h"
#include "emulator/batches/store.h"
#include "emulator/batches/worker.h"
#include "emulator/files/routes.h"
#include "emulator/files/store.h"
#include "emulator/text/routes.h"
#include "unit/emulator/area_support.h"
#include "unit/emulator/core_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Area;
using svc::test::refused;

namespace {

std::vector<Route> routes() {
  std::vector<Route> all = batch_routes();
  for (auto&& group : {file_routes(), text_routes()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

/// The operations, and the worker's steps by hand.
class Batches : public Area {
 public:
  explicit Batches(const std::string& path = ":memory:")
      : Area(routes(), path), m_shift(state(), routes(), {}) {}

  std::string create() {
    now_ms += 1'000;
    return json("POST", "/v1/batches", R"({"name":"night"})")["batch_id"];
  }
  Answer add(const std::string& id, const nlohmann::json& items, std::vector<Header> headers = {}) {
    return call("POST", "/v1/batches/" + id + "/requests",
                nlohmann::json{{"batch_requests", items}}.dump(), std::move(headers));
  }
  nlohmann::json counters(const std::string& id) {
    return json("GET", "/v1/batches/" + id)["state"];
  }
  void work() {
    for (;;) {
      const auto busy = m_shift.step();
      REQUIRE(busy.has_value());
      if (!*busy) return;
    }
  }
  void work_all() {
    now_ms += 10'000;
    work();
  }

 private:
  batches::Shift m_shift;
};

json item(const std::string& id, const std::string& prompt, const std::string& model = "svc-4.3") {
  return {{"batch_request_id", id},
          {"batch_request",
           {{"chat_get_completion",
             {{"model", model}, {"messages", {{{"role", "user"}, {"content", prompt}}}}}}}}};
}

json counts(int requests, int pending, int success, int error, int cancelled) {
  return {{"num_requests", requests},
          {"num_pending", pending},
          {"num_success", success},
          {"num_error", error},
          {"num_cancelled", cancelled}};
}

}  // namespace

TEST_CASE("a batch is made with a name, and shown with counters and a masked key") {
  Batches desk;
  desk.key.id = "11111111-2222-3333-4444-555555555555";
  const std::string id = desk.create();
  CHECK(id.starts_with("batch_"));
  json batch = desk.json("GET", "/v1/batches/" + id);
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
  CHECK(desk.call("POST", "/v1/batches", "{}").body.find("missing field `name`") !=
        std::string::npos);
  CHECK(desk.call("POST", "/v1/batches", "{}").status == 422);
  refused(desk.call("GET", "/v1/batches/batch_x"), 404);
  desk.key.team_id = "another";
  refused(desk.call("GET", "/v1/batches/" + id), 404);
}

TEST_CASE("one creation per second, a hundred additions in thirty") {
  Batches desk;
  const std::string id = desk.create();
  const Answer soon = desk.call("POST", "/v1/batches", R"({"name":"b"})");
  refused(soon, 429);
  REQUIRE(!soon.headers.empty());
  CHECK(soon.headers.front().value == "1");
  desk.now_ms += 1'000;
  CHECK(desk.call("POST", "/v1/batches", R"({"name":"b"})").status == 200);
  for (int i = 0; i < 100; ++i) CHECK(desk.add(id, json::array()).status == 200);
  const Answer late = desk.add(id, json::array());
  refused(late, 429);
  CHECK(late.headers.front().value == "30");
  desk.now_ms += 30'000;
  CHECK(desk.add(id, json::array()).status == 200);
}

TEST_CASE("requests are pending, then done over time; results and costs appear") {
  Batches desk;
  const std::string id = desk.create();
  CHECK(desk.add(id, json::array({item("a", "Say exactly: one"), item("b", "Fail with: no luck"),
                                  item("c", "Refuse: never")}))
            .body == "null");
  desk.work();
  CHECK(desk.counters(id) == counts(3, 3, 0, 0, 0));
  CHECK(desk.json("GET", "/v1/batches/" + id + "/results")["results"].empty());
  desk.now_ms += 200;  // the first is due
  desk.work();
  CHECK(desk.counters(id) == counts(3, 2, 1, 0, 0));
  desk.work_all();
  CHECK(desk.counters(id) == counts(3, 0, 2, 1, 0));

  const json results = desk.json("GET", "/v1/batches/" + id + "/results");
  CHECK(results["pagination_token"].is_null());
  REQUIRE(results["results"].size() == 3);
  const json& first = results["results"][0]["batch_result"]["response"]["chat_get_completion"];
  CHECK(first["choices"][0]["message"]["content"] == "one");
  CHECK(first["debug_output"]["attempts"] == 1);
  CHECK(results["results"][1] ==
        json{{"batch_request_id", "b"}, {"batch_result", {{"error", "no luck"}}}});
  CHECK(results["results"][2]["batch_result"]["response"]["chat_get_completion"]["choices"][0]
               ["message"]["refusal"] == "never");

  // Half of what the call itself costs.
  const json called = test::ok(desk.call(
      "POST", "/v1/chat/completions",
      R"({"model":"svc-4.3","messages":[{"role":"user","content":"Say exactly: one"}]})"));
  CHECK(first["usage"]["cost_in_usd_ticks"].get<int>() * 2 ==
        called["usage"]["cost_in_usd_ticks"].get<int>());
  const json& third =
      results["results"][2]["batch_result"]["response"]["chat_get_completion"]["usage"];
  CHECK(desk.json("GET", "/v1/batches/" + id)["cost_breakdown"]["total_cost_usd_ticks"] ==
        first["usage"]["cost_in_usd_ticks"].get<int>() + third["cost_in_usd_ticks"].get<int>());
}

TEST_CASE("a responses request comes back in chat shape, with the server tools first") {
  Batches desk;
  const std::string id = desk.create();
  const json body = {{"model", "svc-4.3"}, {"input", "hi"}, {"tools", {{{"type", "web_search"}}}}};
  const json bad = {{"model", "svc-4.3"}, {"input", "Fail with: tired"}};
  CHECK(desk.add(id, {{{"batch_request_id", "r"}, {"batch_request", {{"responses", body}}}},
                      {{"batch_request_id", "f"}, {"batch_request", {{"responses", bad}}}}})
            .status == 200);
  desk.work_all();
  const json results = desk.json("GET", "/v1/batches/" + id + "/results")["results"];
  const json& chat = results[0]["batch_result"]["response"]["chat_get_completion"];
  CHECK(chat["object"] == "chat.completion");
  REQUIRE(chat["choices"].size() == 2);
  CHECK(chat["choices"][0]["message"]["role"] == "tool");
  CHECK(chat["choices"][1]["message"]["role"] == "assistant");
  CHECK(chat["choices"][1]["finish_reason"] == "stop");
  CHECK(chat["usage"]["prompt_tokens"].get<int>() > 0);
  CHECK(results[1]["batch_result"]["error"] == "tired");
}

TEST_CASE("what an add call may hold") {
  Batches desk;
  const std::string id = desk.create();
  const auto status = [&](const json& items) { return desk.add(id, items).status; };
  CHECK(desk.call("POST", "/v1/batches/" + id + "/requests", "{}").status == 422);
  CHECK(desk.call("POST", "/v1/batches/" + id + "/requests", R"({"batch_requests":1})").status ==
        422);
  CHECK(status(json::array({{{"batch_request", json::object()}}})) == 422);
  CHECK(status(json::array({json::object()})) == 422);
  json two = item("a", "x");
  two["batch_request"]["responses"] = {{"input", "x"}};
  CHECK(status(json::array({two})) == 422);
  const Answer wrong = desk.add(
      id, {item("a", "x"), {{"batch_request", {{"chat_get_completion", {{"messages", 1}}}}}}});
  CHECK(wrong.status == 422);
  CHECK(wrong.body.find("batch_requests[1].batch_request.chat_get_completion.messages") !=
        std::string::npos);
  CHECK(refused(desk.add(id, json::array({item("a", "x", "svc-4.5")})), 400)
            .find("does not support batches") != std::string::npos);
  refused(desk.add(id, json::array({item("a", "x", "svc-9")})), 400);
  refused(desk.add(id, json::array({item("", "x")})), 400);
  CHECK(
      refused(desk.add(id, json::array({item("a", "x"), item("a", "y")})), 400).find("Duplicate") !=
      std::string::npos);
  CHECK(desk.counters(id) == counts(0, 0, 0, 0, 0));  // all of a call or nothing

  json anonymous = item("", "x");
  anonymous.erase("batch_request_id");
  CHECK(desk.add(id, {item("a", "x"), anonymous}).status == 200);
  refused(desk.add(id, json::array({item("b", "x"), item("a", "y")})), 400);
  CHECK(desk.counters(id) == counts(2, 2, 0, 0, 0));
  refused(desk.add("batch_x", json::array({item("a", "x")})), 404);
  desk.key.acls = {"api-key:endpoint:*", "api-key:model:svc-3"};
  refused(desk.add(id, json::array({item("c", "x")})), 403);
}

TEST_CASE("what cannot be waited for fails, and so does what its operation refuses") {
  Batches desk;
  const std::string id = desk.create();
  json streamed = item("s", "x");
  streamed["batch_request"]["chat_get_completion"]["stream"] = true;
  json hot = item("t", "x");
  hot["batch_request"]["chat_get_completion"]["temperature"] = 9;
  const json picture = {{"batch_request_id", "p"},
                        {"batch_request", {{"image_generation", {{"prompt", "a cat"}}}}}};
  CHECK(desk.add(id, {streamed, hot, picture}).status == 200);
  desk.work_all();
  CHECK(desk.counters(id) == counts(3, 0, 0, 3, 0));
  const json results = desk.json("GET", "/v1/batches/" + id + "/results")["results"];
  CHECK(results[0]["batch_result"]["error"] == "stream is not supported in batch requests.");
  CHECK(results[1]["batch_result"]["error"].get<std::string>().find("temperature") !=
        std::string::npos);
}

TEST_CASE("cancelling ends what is pending and keeps what is done") {
  Batches desk;
  const std::string id = desk.create();
  desk.add(id, json::array({item("a", "x"), item("b", "x"), item("c", "x")}));
  desk.now_ms += 200;
  desk.work();
  const json cancelled = desk.json("POST", "/v1/batches/" + id + ":cancel", "{}");
  CHECK(cancelled["state"] == counts(3, 0, 1, 0, 2));
  CHECK(cancelled["cancel_time"] == "2027-01-15T08:00:01Z");
  desk.work_all();
  CHECK(desk.counters(id) == counts(3, 0, 1, 0, 2));
  CHECK(desk.json("POST", "/v1/batches/" + id + ":cancel")["state"] == counts(3, 0, 1, 0, 2));
  CHECK(refused(desk.add(id, json::array({item("d", "x")})), 400).find("cancelled") !=
        std::string::npos);
  CHECK(desk.json("GET", "/v1/batches/" + id + "/results")["results"].size() == 1);
  const json list = desk.json("GET", "/v1/batches/" + id + "/requests")["batch_request_metadata"];
  CHECK(list[0]["state"] == "succeeded");
  CHECK(list[2]["state"] == "cancelled");
  refused(desk.call("POST", "/v1/batches/batch_x:cancel"), 404);
}

TEST_CASE("after thirty days the results are gone") {
  Batches desk;
  const std::string id = desk.create();
  desk.add(id, json::array({item("a", "x")}));
  desk.work_all();
  desk.now_ms += std::int64_t{30} * 86'400'000;
  CHECK(desk.counters(id) == counts(1, 0, 1, 0, 0));
  CHECK(refused(desk.call("GET", "/v1/batches/" + id + "/results"), 404).find("expired") !=
        std::string::npos);
  refused(desk.add(id, json::array({item("b", "x")})), 400);
}

TEST_CASE("lists come in pages that neither repeat nor miss anything") {
  Batches desk;
  const std::string id = desk.create();
  json items = json::array();
  for (int i = 0; i < 250; ++i) items.push_back(item("r" + std::to_string(i), "x"));
  desk.add(id, items);
  desk.work_all();
  for (const char* what : {"requests", "results"}) {
    std::set<std::string> seen;
    std::string token;
    int pages = 0;
    do {
      const json page = desk.json(
          "GET", fmt::format("/v1/batches/{}/{}?limit=100&pagination_token={}", id, what, token));
      const json& rows =
          page.contains("results") ? page["results"] : page["batch_request_metadata"];
      for (const auto& row : rows) CHECK(seen.insert(row["batch_request_id"]).second);
      token = page["pagination_token"].is_null() ? "" : page["pagination_token"];
      ++pages;
    } while (!token.empty());
    CHECK(seen.size() == 250);
    CHECK(pages == 3);
  }
  const std::string path = "/v1/batches/" + id;
  for (const char* bad : {"/results?limit=1001", "/requests?limit=0", "/results?limit=x",
                          "/requests?pagination_token=x"}) {
    refused(desk.call("GET", path + bad), 400);
  }
  const std::string newer = desk.create();
  const json list = desk.json("GET", "/v1/batches?limit=1");
  CHECK(list["batches"][0]["batch_id"] == newer);
  const std::string next = list["pagination_token"];
  CHECK(desk.json("GET", "/v1/batches?pagination_token=" + next)["batches"][0]["batch_id"] == id);
}

TEST_CASE("a batch is loaded from a file, and takes no further requests") {
  Batches desk;
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    lines +=
        json{{"custom_id", "r" + std::to_string(i)},
             {"method", "POST"},
             {"url", i == 0 ? "/v1/chat/completions" : "/v1/responses"},
             {"body", i == 0 ? item("", "Say exactly: x")["batch_request"]["chat_get_completion"]
                             : json{{"model", "svc-4.3"}, {"input", "hi"}}}}
            .dump() +
        "\n\n";
  }
  const auto create = [&](const std::string& data) {
    desk.now_ms += 1'000;
    const auto file = store_file(desk.state(), desk.key.team_id, {.filename = "b", .data = data});
    REQUIRE(file.has_value());
    return desk.json("POST", "/v1/batches",
                     json{{"name", "f"}, {"input_file_id", file->id}}.dump());
  };
  const json batch = create(lines);
  const std::string id = batch["batch_id"];
  CHECK(batch["state"] == counts(0, 0, 0, 0, 0));
  CHECK(batch["input_file_id"].get<std::string>().starts_with("file_"));
  CHECK(refused(desk.add(id, json::array({item("d", "x")})), 400).find("from a file") !=
        std::string::npos);
  desk.work();
  CHECK(desk.counters(id) == counts(3, 3, 0, 0, 0));
  desk.work_all();
  CHECK(desk.counters(id) == counts(3, 0, 3, 0, 0));

  const auto failed = [&](const std::string& data) {
    const std::string bad = create(data)["batch_id"];
    desk.work();
    const json ended = desk.json("GET", "/v1/batches/" + bad);
    CHECK(ended["state"] == counts(0, 0, 0, 0, 0));
    CHECK(ended["cancel_time"].is_string());
    return ended["cancel_by_xai_message"].get<std::string>();
  };
  CHECK(failed(lines + "{oops").find("line 7: ") != std::string::npos);
  CHECK(failed(lines + lines).find("line 7: the custom_id r0 comes twice") != std::string::npos);
  CHECK(failed("").find("no requests") != std::string::npos);
  CHECK(failed(R"({"custom_id":"a","url":"/v1/tts","body":{}})").find("/v1/tts") !=
        std::string::npos);
  refused(desk.call("POST", "/v1/batches", R"({"name":"f","input_file_id":"file_x"})"), 404);
}

TEST_CASE("a hundred thousand requests in one batch") {
  Batches desk;
  const std::string id = desk.create();
  constexpr int k_all = 100'000;
  constexpr int k_part = 20'000;
  for (int at = 0; at < k_all; at += k_part) {
    std::vector<batches::NewRequest> requests(k_part);
    for (int i = 0; i < k_part; ++i) {
      auto& request = requests[static_cast<std::size_t>(i)];
      request.id = std::to_string(at + i);
      request.kind = "chat_get_completion";
      request.body = "{}";
      request.due_ms = desk.now_ms + 1'000'000;
    }
    const auto added = batches::add_requests(desk.state(), desk.key.team_id, id, requests);
    REQUIRE(added.has_value());
    CHECK(added->fault == batches::AddFault::None);
  }
  CHECK(desk.counters(id) == counts(k_all, k_all, 0, 0, 0));
  CHECK(refused(desk.add(id, json::array({item("99999", "x")})), 400).find("Duplicate") !=
        std::string::npos);
  CHECK(desk.json("POST", "/v1/batches/" + id + ":cancel")["state"] ==
        counts(k_all, 0, 0, 0, k_all));
}

TEST_CASE("of two workers on one state file, one works; what it leaves is taken over") {
  const test::TemporaryFolder folder;
  Batches desk(folder.file("state.db"));
  Batches other(folder.file("state.db"));
  other.now_ms += 60'000;
  const std::string id = desk.create();
  json items = json::array();
  for (int i = 0; i < 200; ++i) items.push_back(item("r" + std::to_string(i), "Say exactly: x"));
  desk.add(id, items, {{"x-emulator-delay-ms", "0"}});
  const auto wait_for = [&](int pending) {
    for (int i = 0; i < 2'000 && desk.counters(id)["num_pending"] > pending; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  const std::string lock = folder.file("state.db.worker");
  {
    const batches::Worker first(desk.state(), routes(), {}, lock);
    const batches::Worker second(other.state(), routes(), {}, lock);
    wait_for(100);
  }
  const batches::Worker third(other.state(), routes(), {}, lock);
  wait_for(0);
  CHECK(desk.counters(id) == counts(200, 0, 200, 0, 0));
  std::set<std::string> seen;
  const json results = desk.json("GET", "/v1/batches/" + id + "/results?limit=1000");
  for (const auto& row : results["results"]) {
    CHECK(seen.insert(row["batch_request_id"]).second);
  }
  CHECK(seen.size() == 200);
}
