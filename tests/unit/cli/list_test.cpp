// Lists across their pages.
#include "operation/list.h"

#include <doctest/doctest.h>

#include "unit/cli/call_stage.h"
#include "unit/client/call_world.h"

namespace svc::cli {
namespace {

using test::json_reply;

/// What was sent, printed and said for a list, and its error.
std::string listed(const std::vector<std::string>& words, std::deque<test::FakeReply> replies) {
  CallStage stage(words, std::move(replies));
  const auto done = run_list(stage.session(), stage.client(), stage.request());
  std::string all = join(stage.sent(), "\n") + "\n" + stage.out() + "-- " + stage.err();
  if (!done) all += "-- " + done.error().message + " / " + done.error().hint;
  return all;
}

/// A page of requests, of which each has its number in the batch.
test::FakeReply page(std::initializer_list<const char*> ids, const std::string& token) {
  std::string items;
  for (const char* id : ids) {
    items += std::string(items.empty() ? "" : ",") + R"({"batch_request_id":")" + id + "\"}";
  }
  return json_reply(
      200, R"({"batch_request_metadata":[)" + items + R"(],"pagination_token":)" + token + "}");
}

std::string requests(const std::string& flags, std::deque<test::FakeReply> replies) {
  std::vector<std::string> words = {"batches", "requests", "b"};
  for (const sv word : split(flags, ' ')) words.emplace_back(word);
  return listed(words, std::move(replies));
}

}  // namespace

TEST_CASE("a list goes on to its last page, and shows each item once") {
  CHECK(requests("--page-size 2 --all",
                 {page({"a", "b"}, "\"t1\""), page({"b", "c"}, "\"t 2\""), page({"d"}, "null")}) ==
        "GET /v1/batches/b/requests?limit=2\n"
        "GET /v1/batches/b/requests?limit=2&pagination_token=t1\n"
        "GET /v1/batches/b/requests?limit=2&pagination_token=t%202\n"
        "a\t\t\t\t\t\nb\t\t\t\t\t\nc\t\t\t\t\t\nd\t\t\t\t\t\n"
        "-- |Listing requests  0  1 s|Listing requests  2  3 s|Listing requests  2  4 s"
        "|Listing requests  3  5 s|Listing requests  3  6 s|Listing requests  4  7 s|");
  // An empty page is the last, whatever token it has.
  CHECK(requests("--all --format jsonl", {page({"a"}, "\"t1\""), page({}, "\"t2\"")}) ==
        "GET /v1/batches/b/requests?limit=1000\n"
        "GET /v1/batches/b/requests?limit=1000&pagination_token=t1\n"
        "{\"batch_request_id\":\"a\"}\n"
        "-- |Listing requests  0  1 s|Listing requests  1  3 s|Listing requests  1  4 s"
        "|Listing requests  1  5 s|");
  CHECK(requests("--all --jq length", {page({}, "null")}) ==
        "GET /v1/batches/b/requests?limit=1000\n0\n"
        "-- |Listing requests  0  1 s|Listing requests  0  3 s|");
  CHECK(requests("--all --jq map(.batch_request_id)|tojson", {page({"a", "b"}, "null")}) ==
        "GET /v1/batches/b/requests?limit=1000\n[\"a\",\"b\"]\n"
        "-- |Listing requests  0  1 s|Listing requests  2  3 s|");
}

TEST_CASE("a list that ends before its last item says how to go on") {
  const std::string begin = "GET /v1/batches/b/requests?limit=2\n";
  const std::string two = "{\"batch_request_id\":\"a\"}\n{\"batch_request_id\":\"b\"}\n";
  const std::string progress = "-- |Listing requests  0  1 s|Listing requests  2  3 s|";
  CHECK(requests("--limit 2 --format jsonl", {page({"a", "b"}, "null")}) == begin + two + progress);
  CHECK(requests("--limit 2 --format jsonl", {page({"a", "b"}, "\"t 1\"")}) ==
        begin + two + progress +
            "svc: note: there are more: --pagination-token 't 1' continues, --all lists\n"
            "everything\n");
  CHECK(requests("--limit 2 --format jsonl", {page({"a", "b", "c"}, "\"t\"")}) ==
        begin + two + progress + "svc: note: there are more; --all lists everything\n");
  CHECK(requests("--limit 2 --format raw", {page({"a", "b"}, "17")}) ==
        begin +
            R"({"batch_request_metadata":[{"batch_request_id":"a"},{"batch_request_id":"b"}],)"
            R"("pagination_token":17})" +
            progress +
            "svc: note: there are more: --pagination-token 17 continues, --all lists\n"
            "everything\n");
  CHECK(requests("--limit 3 --page-size 2 --format jsonl",
                 {page({"a", "b"}, "\"t\""), page({"c"}, "null")}) ==
        begin + "GET /v1/batches/b/requests?limit=1&pagination_token=t\n" + two +
            "{\"batch_request_id\":\"c\"}\n" + progress +
            "Listing requests  2  4 s|Listing requests  3  5 s|");
  // A page that is short is the last one, where the service always has a token.
  const std::string file = R"({"id":"a","filename":"x"})";
  const std::string more = R"(],"pagination_token":"t"})";
  CHECK(
      listed({"files", "list", "--limit", "2"}, {json_reply(200, R"({"data":[)" + file + more)}) ==
      "GET /v1/files?order=desc&limit=2\na\t\t\t\tx\n"
      "-- |Listing files  0  1 s|Listing files  1  3 s|");
  CHECK(
      listed({"files", "list", "--limit", "1"}, {json_reply(200, R"({"data":[)" + file + more)}) ==
      "GET /v1/files?order=desc&limit=1\na\t\t\t\tx\n"
      "-- |Listing files  0  1 s|Listing files  1  3 s|"
      "svc: note: there may be more: --pagination-token t continues, --all lists\n"
      "everything\n");
}

TEST_CASE("a list whose pages do not end stops, and one that is none is refused") {
  CHECK(requests("--all --format jsonl", {page({"a"}, "\"t\""), page({"b"}, "\"t\"")}) ==
        "GET /v1/batches/b/requests?limit=1000\n"
        "GET /v1/batches/b/requests?limit=1000&pagination_token=t\n"
        "{\"batch_request_id\":\"a\"}\n{\"batch_request_id\":\"b\"}\n"
        "-- |Listing requests  0  1 s|Listing requests  1  3 s|Listing requests  1  4 s"
        "|Listing requests  2  5 s"
        "-- the service returned the same page token twice; stopping"
        " / Everything before that page was printed.");
  const std::string begin =
      "GET /v1/responses/r/input_items?limit=100\n-- |Listing input items  0  1 s";
  const auto inputs = [](std::initializer_list<const char*> answers) {
    std::deque<test::FakeReply> replies;
    for (const char* answer : answers) replies.push_back(json_reply(200, answer));
    return listed({"responses", "inputs", "r", "--all"}, std::move(replies));
  };
  CHECK(inputs({R"({"data":[{"id":"a"},7]})"}) ==
        begin +
            "-- expected objects in the list of input items in the response, got 7 / "
            "Something between here and the service may have changed it; check the URL with "
            "`svc doctor`.");
  CHECK(inputs({R"({"data":7})"}) ==
        begin + "-- no list 'data' in response / Inspect it with --format raw.");
  CHECK(inputs({"{}"}) == begin + "|Listing input items  0  3 s|The list is empty.\n");
  // The member that says so tells whether there are more, not the last item's name.
  CHECK(inputs({R"({"data":[{"id":"a"}],"has_more":true,"last_id":"a"})",
                R"({"data":[{"id":"b"}],"has_more":false,"last_id":"b"})"}) ==
        "GET /v1/responses/r/input_items?limit=100\n"
        "GET /v1/responses/r/input_items?limit=100&after=a\n"
        "a\t\t\t\nb\t\t\t\n"
        "-- |Listing input items  0  1 s|Listing input items  1  3 s|Listing input items  1  4 s"
        "|Listing input items  2  5 s|");
}

TEST_CASE("the items of all pages are passed on, until a page is the last") {
  const auto items = [](const std::vector<std::string>& words,
                        std::initializer_list<const char*> answers) {
    std::deque<test::FakeReply> replies;
    for (const char* answer : answers) replies.push_back(json_reply(200, answer));
    CallStage stage(words, std::move(replies));
    std::string all;
    const auto done = each_item(stage.session(), stage.client(), stage.request(),
                                [&](sv item) { all += std::string(item) + "\n"; });
    all += join(stage.sent(), "\n");
    return done ? all
                : all + "\n" + std::string(fault_name(done.error().fault)) + ": " +
                      done.error().message;
  };
  const std::vector<std::string> batches = {"batches", "list"};
  CHECK(items(batches, {R"({"batches":[{"id":1},{"id":2}],"pagination_token":"t"})",
                        R"({"batches":[{"id":3}],"pagination_token":null})"}) ==
        "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n"
        "GET /v1/batches?limit=100\nGET /v1/batches?limit=100&pagination_token=t");
  CHECK(items(batches, {R"({"batches":[],"pagination_token":"t"})"}) ==
        "GET /v1/batches?limit=100");
  CHECK(items({"files", "list"}, {R"({"data":[{"id":1}],"pagination_token":"t"})"}) ==
        "{\"id\":1}\nGET /v1/files?order=desc&limit=100");
  CHECK(items(batches, {R"({"batches":[{"id":1}],"pagination_token":"t"})",
                        R"({"batches":[{"id":2}],"pagination_token":"t"})"}) ==
        "{\"id\":1}\n{\"id\":2}\n"
        "GET /v1/batches?limit=100\nGET /v1/batches?limit=100&pagination_token=t\n"
        "network: the service returned the same page token twice");
}

}  // namespace svc::cli
