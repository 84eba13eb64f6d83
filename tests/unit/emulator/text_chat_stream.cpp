#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "unit/emulator/text_support.h"

namespace svc::test {
namespace {

using emulator::Response;

// The streamed text of one choice, joined.
std::string joined(const std::vector<Json>& chunks, const char* name, int choice = 0) {
  std::string text;
  for (const Json& chunk : chunks) {
    for (const Json& one : chunk["choices"]) {
      if (one["index"] == choice) text += one["delta"].value(name, "");
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a stream has the documented format") {
  TextApi api;
  const auto chunks = json_events(api.ask("Say exactly: one two  three", R"("stream":true)"));
  REQUIRE(chunks.size() == 5);
  for (const Json& chunk : chunks) {
    CHECK(chunk["object"] == "chat.completion.chunk");
    CHECK(chunk["id"] == chunks[0]["id"]);
    CHECK(chunk["created"] == 1'800'000'000);
    CHECK(chunk["model"] == "svc-4.5");
    CHECK(chunk["system_fingerprint"] == emulator::k_system_fingerprint);
    CHECK(!chunk.contains("usage"));
  }
  CHECK(chunks[0]["choices"][0]["delta"]["role"] == "assistant");
  CHECK(joined(chunks, "content") == "one two  three");
  CHECK(chunks[4]["choices"][0]["finish_reason"] == "stop");
  CHECK(chunks[4]["choices"][0]["delta"] == Json::object());
  CHECK(chunks[4]["service_tier"] == "default");
  CHECK(!chunks[3]["choices"][0].contains("finish_reason"));
}

TEST_CASE("files of code execution come with the final chunk") {
  TextApi api;
  const auto chunks = json_events(api.ask(
      "Say exactly: one", R"("stream":true,"n":2,"include":["code_execution_files_output"])"));
  std::size_t told = 0;
  for (const Json& chunk : chunks) told += chunk.contains("output_files") ? 1U : 0U;
  CHECK(told == 1);
  CHECK(chunks.back()["output_files"][0]["name"] == "output.txt");
}

TEST_CASE("the usage chunk comes last, and the others have null") {
  TextApi api;
  const auto chunks = json_events(
      api.ask("Say exactly: one", R"("stream":true,"stream_options":{"include_usage":true})"));
  REQUIRE(chunks.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(chunks[i].at("usage").is_null());
  CHECK(chunks[3]["choices"] == Json::array());
  CHECK(chunks[3]["usage"]["completion_tokens"] == 1);
  CHECK(json_events(api.ask("Say exactly: one",
                            R"("stream":true,"stream_options":{"include_usage":false})"))
            .size() == 3);
}

TEST_CASE("a stream has the same content as the whole response") {
  TextApi api;
  for (const char* members :
       {R"("model":"svc-4.3")", R"("n":3)", R"("search_parameters":{})", R"("max_tokens":4)"}) {
    const std::string asked = members;
    const Json whole = ok(api.ask("What is this?", asked));
    const auto chunks = json_events(api.ask("What is this?", asked + R"(,"stream":true)"));
    for (std::size_t i = 0; i < whole["choices"].size(); ++i) {
      const Json& message = whole["choices"][i]["message"];
      CHECK(message["content"] == joined(chunks, "content", static_cast<int>(i)));
      CHECK(joined(chunks, "reasoning_content", static_cast<int>(i)) ==
            message.value("reasoning_content", ""));
    }
    std::size_t with_citations = 0;
    for (const Json& chunk : chunks) with_citations += chunk.contains("citations") ? 1 : 0;
    CHECK(with_citations == (whole.contains("citations") ? 1 : 0));
  }
}

TEST_CASE("choices interleave, and citations come with the last content") {
  TextApi api;
  const auto chunks = json_events(api.ask("Write 4 words", R"("stream":true,"n":2)"));
  CHECK(chunks[0]["choices"][0]["index"] == 0);
  CHECK(chunks[1]["choices"][0]["index"] == 1);
  CHECK(chunks[2]["choices"][0]["index"] == 0);
  const auto found = json_events(api.ask("hi", R"("stream":true,"search_parameters":{})"));
  CHECK(found[found.size() - 2].contains("citations"));
  CHECK(!found.back().contains("citations"));
  // Where there is none, with the last chunk.
  const auto called = json_events(
      api.ask("get_time", std::string(k_chat_tools) + R"(,"stream":true,"search_parameters":{})"));
  CHECK(called.back()["citations"] == Json{"https://web.example/1?q=get_time",
                                           "https://web.example/2?q=get_time",
                                           "https://x.example/emulator/1?q=get_time"});
  CHECK(called.back()["choices"][0]["finish_reason"] == "tool_calls");
  const auto uncited =
      json_events(api.ask("get_time", std::string(k_chat_tools) + R"(,"stream":true)"));
  CHECK(!uncited.back().contains("citations"));
}

TEST_CASE("a function call arrives whole in one chunk") {
  TextApi api;
  const auto chunks =
      json_events(api.ask("get_time get_date", std::string(k_chat_tools) + R"(,"stream":true)"));
  REQUIRE(chunks.size() == 4);
  const Json& call = chunks[1]["choices"][0]["delta"]["tool_calls"][0];
  CHECK(call["function"]["name"] == "get_time");
  CHECK(Json::parse(call["function"]["arguments"].get<std::string>()).is_object());
  CHECK(chunks[2]["choices"][0]["delta"]["tool_calls"][0]["index"] == 1);
  CHECK(chunks[3]["choices"][0]["finish_reason"] == "tool_calls");
}

TEST_CASE("log probabilities, refusal and failure in a stream") {
  TextApi api;
  const auto chunks =
      json_events(api.ask("Say exactly: a b", R"("model":"svc-3","stream":true,"logprobs":true)"));
  CHECK(chunks[1]["choices"][0]["logprobs"]["content"][0]["token"] == "a");
  const auto refusal = json_events(api.ask("Refuse: not this", R"("stream":true)"));
  CHECK(joined(refusal, "refusal") == "not this");
  const auto failed = events(api.ask("Fail with: out of order", R"("stream":true)"));
  REQUIRE(failed.size() == 2);
  CHECK(Json::parse(failed[1])["error"] == "out of order");
}

TEST_CASE("chunks are delayed as the options or the request specify") {
  TextApi api;
  const auto waited = [&] {
    const Response response = api.ask("Say exactly: one two", R"("stream":true)");
    std::chrono::milliseconds sum{0};
    while (const auto piece = response.next()) sum += piece->delay;
    return sum.count();
  };
  CHECK(waited() == 20);
  api.headers = {{"X-Emulator-Delay-Ms", "0"}};
  CHECK(waited() == 0);
  api.headers = {{"x-emulator-delay-ms", "250"}};
  CHECK(waited() == 500);
  api.headers = {{"x-emulator-delay-ms", "soon"}};
  CHECK(waited() == 20);
}

TEST_CASE("a deferred answer can be read once, when it is ready") {
  TextApi api;
  const Json submitted = ok(api.ask("Say exactly: later", R"("deferred":true)"));
  const std::string id = submitted["request_id"];
  CHECK(submitted.size() == 1);
  const auto fetch = [&](const std::string& request_id) {
    return api.call("GET", "/v1/chat/deferred-completion/{request_id}", "",
                    {{"request_id", request_id}});
  };
  const Response pending = fetch(id);
  CHECK(pending.status == 202);
  CHECK(pending.body == "");
  api.now_ms += 999;
  CHECK(fetch(id).status == 202);
  api.now_ms += 1;
  CHECK(content_of(ok(fetch(id))) == "later");
  expect_error(fetch(id), 404);
  expect_error(fetch("00000000-0000-4000-8000-000000000000"), 404);
  expect_error(fetch("not-a-uuid"), 400);
}

TEST_CASE("HEAD of a deferred answer does not consume it") {
  TextApi api;
  const std::string id = ok(api.ask("x", R"("deferred":true)"))["request_id"];
  api.now_ms += 5'000;
  const std::string path = "/v1/chat/deferred-completion/{request_id}";
  CHECK(api.call("GET", path, "", {{"request_id", id}}, {}, "HEAD").status == 405);
  CHECK(api.call("GET", path, "", {{"request_id", id}}).status == 200);
}

TEST_CASE("a deferred answer belongs to its team, for a day") {
  TextApi api;
  const std::string id = ok(api.ask("x", R"("deferred":true)"))["request_id"];
  const auto fetch = [&] {
    return api.call("GET", "/v1/chat/deferred-completion/{request_id}", "", {{"request_id", id}});
  };
  api.now_ms += 5'000;
  const std::string team = api.key.team_id;
  api.key.team_id = "another";
  expect_error(fetch(), 404);
  api.key.team_id = team;
  api.now_ms += 25LL * 3600 * 1000;
  expect_error(fetch(), 404);
}

TEST_CASE("a call's usage counts toward its key's limits") {
  TextApi api;
  const Response whole = api.ask("hello");
  CHECK(whole.tokens == ok(whole)["usage"]["total_tokens"].get<std::int64_t>());
  CHECK(api.ask("hello", R"("stream":true)").tokens == whole.tokens);
  CHECK(api.ask("hello", R"("deferred":true)").tokens == whole.tokens);
}

}  // namespace svc::test
