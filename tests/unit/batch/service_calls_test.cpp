// What the batch operations send, and what they read of the answers.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "batch/service.h"
#include "unit/client/call_world.h"

using namespace svc;
using namespace svc::test;

namespace {

using Texts = std::vector<std::string>;

/// The service behind a transport without a network.
struct CallsWorld {
  explicit CallsWorld(std::deque<FakeReply> replies)
      : world(std::move(replies)),
        client(world.client()),
        service(batch::make_service(client, "https://h", {{"X-A", "1"}})) {}

  /// "METHOD PATH BODY" of each request so far.
  [[nodiscard]] Texts sent() const {
    Texts all;
    for (const http::HttpRequest& request : world.transport.requests) {
      CHECK(request.url.starts_with("https://h/v1"));
      CHECK(header(request, "x-a") == "1");
      const std::string* body = std::get_if<std::string>(&request.body);
      CHECK((header(request, "content-type") == "application/json") == (body != nullptr));
      all.push_back(request.method + " " + request.url.substr(12) +
                    (body != nullptr ? " " + *body : ""));
    }
    return all;
  }

  World world;
  ApiClient client;
  std::unique_ptr<batch::Service> service;
};

Texts items_of(const batch::Page& page) {
  return {page.items.begin(), page.items.end()};
}

}  // namespace

TEST_CASE("a batch is created, from a file or not, looked at and canceled") {
  FakeReply state = json_reply(200, R"({"batch_id":"b 1","state":{"num_requests":3}})");
  state.headers.push_back({"Date", "Tue, 14 Nov 2023 22:13:20 GMT"});
  CallsWorld calls({json_reply(200, R"({"batch_id":"b 1"})"),
                    json_reply(200, R"({"batch_id":"c"})"), state, json_reply(200, "{}"),
                    json_reply(200, R"({"id":"b"})")});
  CHECK(*calls.service->create("a \"b\"", "") == "b 1");
  CHECK(*calls.service->create("c", "f\\1") == "c");
  const auto got = calls.service->get("b 1");
  REQUIRE(got);
  CHECK(got->requests == 3);
  CHECK(got->served_at == 1'700'000'000);
  CHECK(calls.service->cancel("b 1"));
  CHECK(calls.service->create("d", "").error().message ==
        "response is not a batch: it has no batch_id");
  CHECK(calls.sent() == Texts{R"(POST /batches {"name":"a \"b\""})",
                              R"(POST /batches {"name":"c","input_file_id":"f\\1"})",
                              "GET /batches/b%201", "POST /batches/b%201:cancel {}",
                              R"(POST /batches {"name":"d"})"});
  for (const http::HttpRequest& request : calls.world.transport.requests) {
    CHECK(request.bearer == k_key);
  }
}

TEST_CASE("pages of batches, requests and results") {
  CallsWorld calls(
      {json_reply(200,
                  R"({"batches":[{"batch_id":"a"},{"batch_id":"b"}],"pagination_token":"t1"})"),
       json_reply(200, R"({"batches":[],"pagination_token":null})"),
       json_reply(200, R"({"batch_request_metadata":[{"batch_request_id":"r"}]})"),
       json_reply(200, R"({"results":[{"batch_request_id":"r"}],"pagination_token":"t 2"})"),
       json_reply(200, R"({"results":7})"), refusal(400)});
  const auto first = calls.service->list("");
  REQUIRE(first);
  CHECK(items_of(*first) == Texts{R"({"batch_id":"a"})", R"({"batch_id":"b"})"});
  CHECK(first->next == "t1");
  const auto second = calls.service->list("t1");
  REQUIRE(second);
  CHECK(second->items.empty());
  CHECK(second->next.empty());
  const auto requests = calls.service->requests("b", "");
  REQUIRE_MESSAGE(requests, requests.error().message);
  CHECK(items_of(*requests) == Texts{R"({"batch_request_id":"r"})"});
  const auto results = calls.service->results("b", "t&1");
  REQUIRE(results);
  CHECK(items_of(*results) == Texts{R"({"batch_request_id":"r"})"});
  CHECK(results->next == "t 2");
  CHECK(calls.service->results("b", "").error().message == "no list 'results' in response");
  CHECK(calls.service->results("b", "").error().http_status == 400);
  CHECK(calls.sent() ==
        Texts{"GET /batches?limit=100", "GET /batches?limit=100&pagination_token=t1",
              "GET /batches/b/requests?limit=1000",
              "GET /batches/b/results?limit=1000&pagination_token=t%261",
              "GET /batches/b/results?limit=1000", "GET /batches/b/results?limit=1000"});
}

TEST_CASE("a page that is too large is asked for with fewer results, down to one") {
  FakeReply large;
  large.error = Error{.fault = Fault::Network, .message = "large", .cause = Cause::TooLarge};
  large.permanent = true;
  CallsWorld calls({large, large, json_reply(200, R"({"results":[]})"),
                    json_reply(200, R"({"results":[]})"), large, large, large, large});
  REQUIRE(calls.service->results("b", ""));
  REQUIRE(calls.service->results("b", "t"));
  CHECK(calls.service->results("b", "").error().message == "large");
  CHECK(calls.sent() == Texts{"GET /batches/b/results?limit=1000",
                              "GET /batches/b/results?limit=250", "GET /batches/b/results?limit=62",
                              "GET /batches/b/results?limit=62&pagination_token=t",
                              "GET /batches/b/results?limit=62", "GET /batches/b/results?limit=15",
                              "GET /batches/b/results?limit=3", "GET /batches/b/results?limit=1"});
}

TEST_CASE("requests are added, and a call that the service delayed is known") {
  CallsWorld calls({refusal(429), json_reply(200, "{}"), json_reply(200, "{}"), refusal(400)});
  int next = 0;
  Texts ends;
  REQUIRE(calls.service->add_many(
      [&]() -> std::optional<batch::Addition> {
        if (next == 3) return std::nullopt;
        ++next;
        return batch::Addition{
            .batch = "b",
            .body = "[" + std::to_string(next) + "]",
            .done = [&, number = next](const Result<void>& added, bool throttled) {
              ends.push_back(std::to_string(number) +
                             (added ? "" : " " + std::to_string(added.error().http_status)) +
                             (throttled ? " again" : ""));
            }};
      },
      nullptr));
  Texts sent = calls.sent();
  std::ranges::sort(sent);
  CHECK(sent == Texts{"POST /batches/b/requests [1]", "POST /batches/b/requests [1]",
                      "POST /batches/b/requests [2]", "POST /batches/b/requests [3]"});
  std::ranges::sort(ends);
  REQUIRE(ends.size() == 3);
  CHECK(ends[0].starts_with("1"));
  CHECK(ends[0].ends_with(" again"));
  CHECK_FALSE(ends[1].ends_with(" again"));
  CHECK_FALSE(ends[2].ends_with(" again"));
  // One of them was refused.
  CHECK(std::ranges::count_if(ends, [](const std::string& end) { return mentions(end, " 400"); }) ==
        1);
}

TEST_CASE("a file of requests is uploaded, and its ID is either member") {
  CallsWorld calls({json_reply(200, R"({"id":"f1","file_id":"x"})"),
                    json_reply(200, R"({"file_id":"f2"})"), json_reply(200, "{}")});
  CHECK(*calls.service->upload("/in", 7) == "f1");
  CHECK(*calls.service->upload("/in", 7) == "f2");
  const auto none = calls.service->upload("/in", 7);
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Network);
  CHECK(none.error().message == "the upload response has no file ID");
  CHECK(calls.sent() == Texts{"POST /files", "POST /files", "POST /files"});
  const auto& parts = std::get<std::vector<svc::Part>>(calls.world.transport.requests.front().body);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].name == "file");
  CHECK(parts[0].file_name == "batch.jsonl");
  CHECK(parts[0].content_type == "application/jsonl");
  const auto* file = std::get_if<FileSource>(&parts[0].content);
  REQUIRE(file != nullptr);
  CHECK(file->path == "/in");
  CHECK(file->size == 7);
}

TEST_CASE("which errors leave open whether a call ran") {
  const auto open = [](Fault fault, int status = 0) {
    return batch::is_outcome_unknown(Error{.fault = fault, .message = "x", .http_status = status});
  };
  CHECK(open(Fault::UnknownOutcome));
  CHECK(open(Fault::Timeout));
  CHECK(open(Fault::Network));
  CHECK(open(Fault::Service, 500));
  CHECK(open(Fault::Service, 529));
  CHECK_FALSE(open(Fault::Service, 499));
  CHECK_FALSE(open(Fault::Auth));
  CHECK_FALSE(open(Fault::Limited, 429));
}
