#include <chrono>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/api/batches/batches.h"
#include "emulator/api/files/store.h"
#include "unit/emulator/batches_support.h"
#include "unit/emulator/core_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Batches;
using svc::test::counts;
using svc::test::expect_error;
using svc::test::item;

TEST_CASE("pages of a list neither repeat nor miss anything") {
  Batches api;
  const std::string id = api.create();
  json items = json::array();
  for (int i = 0; i < 250; ++i) items.push_back(item("r" + std::to_string(i), "x"));
  api.add(id, items);
  api.work_all();
  for (const char* what : {"requests", "results"}) {
    std::set<std::string> seen;
    std::string token;
    int pages = 0;
    do {
      const json page = api.json(
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
  for (const char* usual : {"/requests", "/requests?limit="}) {
    CHECK(api.json("GET", path + usual)["batch_request_metadata"].size() == 100);
  }
  CHECK(api.json("GET", path + "/requests?limit=249")["pagination_token"].is_string());
  CHECK(api.json("GET", path + "/requests?limit=250")["pagination_token"].is_null());
  for (const char* bad : {"/results?limit=1001", "/requests?limit=0", "/results?limit=x",
                          "/requests?pagination_token=x"}) {
    expect_error(api.call("GET", path + bad), 400);
  }
  // A token belongs to its list, of its batch.
  const auto token_of = [&](const std::string& target) {
    return api.json("GET", target)["pagination_token"].get<std::string>();
  };
  const std::string token = token_of(path + "/requests?limit=1");
  CHECK(api.call("GET", path + "/requests?pagination_token=" + token).status == 200);
  const std::string newer = api.create();
  for (const std::string& other :
       {path + "/results", "/v1/batches/" + newer + "/requests", std::string("/v1/batches")}) {
    expect_error(api.call("GET", other + "?pagination_token=" + token), 400);
  }
  const json list = api.json("GET", "/v1/batches?limit=1");
  CHECK(list["batches"][0]["batch_id"] == newer);
  const std::string next = list["pagination_token"];
  CHECK(api.json("GET", "/v1/batches?pagination_token=" + next)["batches"][0]["batch_id"] == id);
}

TEST_CASE("a batch is loaded from a file, and accepts no more requests") {
  Batches api;
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
    api.now_ms += 1'000;
    const auto file = store_file(api.state(), api.key.team_id, {.filename = "b", .data = data});
    REQUIRE(file.has_value());
    return api.json("POST", "/v1/batches", json{{"name", "f"}, {"input_file_id", file->id}}.dump());
  };
  const json batch = create(lines);
  const std::string id = batch["batch_id"];
  CHECK(batch["state"] == counts(0, 0, 0, 0, 0));
  CHECK(batch["input_file_id"].get<std::string>().starts_with("file_"));
  CHECK(expect_error(api.add(id, json::array({item("d", "x")})), 400).find("from a file") !=
        std::string::npos);
  api.work();
  CHECK(api.counters(id) == counts(3, 3, 0, 0, 0));
  api.work_all();
  CHECK(api.counters(id) == counts(3, 0, 3, 0, 0));

  const auto failed = [&](const std::string& data) {
    const std::string bad = create(data)["batch_id"];
    api.work();
    const json ended = api.json("GET", "/v1/batches/" + bad);
    CHECK(ended["state"] == counts(0, 0, 0, 0, 0));
    CHECK(ended["cancel_time"].is_string());
    return ended["cancel_by_xai_message"].get<std::string>();
  };
  CHECK(failed(lines + "{oops").find("line 7: ") != std::string::npos);
  CHECK(failed(lines + lines).find("line 7: the custom_id r0 comes twice") != std::string::npos);
  CHECK(failed("").find("no requests") != std::string::npos);
  CHECK(failed(R"({"custom_id":"a","url":"/v1/tts","body":{}})").find("/v1/tts") !=
        std::string::npos);
  const std::string name(81, 'n');
  const std::string line = R"({"custom_id":")" + name + R"(","url":"/v1/images/edits","body":{}})";
  CHECK(failed(line + "\n" + line).find("custom_id " + name.substr(1) + "… comes twice") !=
        std::string::npos);
  CHECK(failed(R"({"custom_id":"a","url":")" + name + R"(","body":{}})")
            .find(": " + name.substr(1) + "… is not a url") != std::string::npos);
  expect_error(api.call("POST", "/v1/batches", R"({"name":"f","input_file_id":"file_x"})"), 404);
}

TEST_CASE("a file of thousands of lines is loaded in parts, unless its batch ended or it is gone") {
  Batches api;
  std::string lines;
  for (int i = 0; i < 2'001; ++i) {
    lines += fmt::format(R"({{"custom_id":"{}","url":"/v1/images/generations","body":{{}}}})", i);
    lines += '\n';
  }
  const auto file = store_file(api.state(), api.key.team_id, {.filename = "b", .data = lines});
  REQUIRE(file.has_value());
  const auto create = [&] {
    api.now_ms += 1'000;
    return api
        .json("POST", "/v1/batches",
              json{{"name", "f"}, {"input_file_id", file->id}}.dump())["batch_id"]
        .get<std::string>();
  };
  const std::string whole = create();
  api.work();
  CHECK(api.counters(whole) == counts(2'001, 2'001, 0, 0, 0));

  const std::string canceled = create();
  const auto loading = batches::next_loading(api.state());
  REQUIRE(loading.has_value());
  REQUIRE(loading->has_value());
  CHECK((*loading)->id == canceled);
  (void)api.json("POST", "/v1/batches/" + canceled + ":cancel");
  const std::vector<batches::NewRequest> rest(1);
  CHECK(*batches::load_requests(api.state(), **loading, rest) == false);
  CHECK(batches::finish_loading(api.state(), **loading).has_value());
  CHECK(api.counters(canceled) == counts(0, 0, 0, 0, 0));

  const std::string lost = create();
  REQUIRE(delete_file(api.state(), api.key.team_id, file->id).has_value());
  api.work();
  CHECK(api.json("GET", "/v1/batches/" + lost)["cancel_by_xai_message"] ==
        "The input file could not be loaded: it is gone.");
}

TEST_CASE("a hundred thousand requests in one batch") {
  Batches api;
  const std::string id = api.create();
  constexpr int k_all = 100'000;
  constexpr int k_part = 20'000;
  for (int at = 0; at < k_all; at += k_part) {
    std::vector<batches::NewRequest> requests(k_part);
    for (int i = 0; i < k_part; ++i) {
      auto& request = requests[static_cast<std::size_t>(i)];
      request.id = std::to_string(at + i);
      request.kind = "chat_get_completion";
      request.body = "{}";
      request.due_ms = api.now_ms + 1'000'000;
    }
    const auto added = batches::add_requests(api.state(), api.key.team_id, id, requests);
    REQUIRE(added.has_value());
    CHECK(*added == "");
  }
  CHECK(api.counters(id) == counts(k_all, k_all, 0, 0, 0));
  CHECK(expect_error(api.add(id, json::array({item("99999", "x")})), 400).find("Duplicate") !=
        std::string::npos);
  CHECK(api.json("POST", "/v1/batches/" + id + ":cancel")["state"] ==
        counts(k_all, 0, 0, 0, k_all));
}

TEST_CASE("only one of two workers on one state file runs; its work is taken over") {
  const test::TemporaryDirectory directory;
  Batches api(directory.file("state.db"));
  Batches other(directory.file("state.db"));
  other.now_ms += 60'000;
  const std::string id = api.create();
  json items = json::array();
  for (int i = 0; i < 200; ++i) items.push_back(item("r" + std::to_string(i), "Say exactly: x"));
  api.add(id, items, {{"x-emulator-delay-ms", "0"}});
  const auto wait_for = [&](int pending) {
    for (int i = 0; i < 2'000 && api.counters(id)["num_pending"] > pending; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  const std::string lock = directory.file("state.db.worker");
  {
    const batches::Worker first(api.state(), test::batch_test_routes(), {}, lock);
    const batches::Worker second(other.state(), test::batch_test_routes(), {}, lock);
    wait_for(100);
  }
  const batches::Worker third(other.state(), test::batch_test_routes(), {}, lock);
  wait_for(0);
  CHECK(api.counters(id) == counts(200, 0, 200, 0, 0));
  std::set<std::string> seen;
  const json results = api.json("GET", "/v1/batches/" + id + "/results?limit=1000");
  for (const auto& row : results["results"]) {
    CHECK(seen.insert(row["batch_request_id"]).second);
  }
  CHECK(seen.size() == 200);
}
