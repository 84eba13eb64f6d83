#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/handler/handler.h"
#include "unit/emulator/area_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Area;
using svc::test::expect_error;

namespace {

struct Named {
  std::string name;
  json data;
};

// The named events of a stream.
std::vector<Named> named_events(const Response& answer) {
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.content_type == "text/event-stream");
  REQUIRE(answer.next);
  std::vector<Named> list;
  while (const auto piece = answer.next()) {
    const auto lines = split(piece->bytes, '\n');
    REQUIRE(lines.size() == 4);
    REQUIRE(lines[0].starts_with("event: "));
    REQUIRE(lines[1].starts_with("data: "));
    Named event{std::string(lines[0].substr(7)), json::parse(lines[1].substr(6))};
    CHECK(event.data["type"] == event.name);
    list.push_back(std::move(event));
  }
  return list;
}

class Legacy : public Area {
 public:
  Legacy() : Area(legacy_routes()) {}

  Response completions(const std::string& prompt,
                       nlohmann::json members = nlohmann::json::object()) {
    members["prompt"] = prompt;
    return send("/v1/completions", std::move(members), "svc-3");
  }
  Response messages(const std::string& content, nlohmann::json members = nlohmann::json::object()) {
    if (!members.contains("messages")) {
      members["messages"] = {{{"role", "user"}, {"content", content}}};
    }
    if (!members.contains("max_tokens")) members["max_tokens"] = 1'000;
    return send("/v1/messages", std::move(members), "svc-4.5");
  }
  Response complete(const std::string& prompt, nlohmann::json members = nlohmann::json::object()) {
    members["prompt"] = prompt;
    if (!members.contains("max_tokens_to_sample")) members["max_tokens_to_sample"] = 100;
    return send("/v1/complete", std::move(members), "svc-3");
  }

 private:
  Response send(const std::string& path, nlohmann::json members, const char* model) {
    if (!members.contains("model")) members["model"] = model;
    return call("POST", path, members.dump());
  }
};

json choice(const Response& answer, std::size_t index = 0) {
  return test::ok(answer)["choices"][index];
}

}  // namespace

TEST_CASE("a completion is a text with its finish reason and its price") {
  Legacy api;
  const json answer = test::ok(api.completions("Say exactly: one two"));
  CHECK(answer["object"] == "text_completion");
  CHECK(answer["model"] == "svc-3");
  CHECK(answer["choices"] ==
        json::array({{{"index", 0}, {"text", "one two"}, {"finish_reason", "stop"}}}));
  CHECK(answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"].get<int>() +
                                               answer["usage"]["completion_tokens"].get<int>());
  CHECK(answer["usage"]["cost_in_usd_ticks"].get<int>() > 0);
}

TEST_CASE("several prompts, several choices, and echoing the prompt") {
  Legacy api;
  const json answer = test::ok(api.call("POST", "/v1/completions", R"({"model":"svc-3","n":2,
      "echo":true,"prompt":["Say exactly: a","Say exactly: b"]})"));
  REQUIRE(answer["choices"].size() == 4);
  CHECK(answer["choices"][0]["text"] == "Say exactly: aa");
  CHECK(answer["choices"][1]["text"] == "Say exactly: aa (choice 2)");
  CHECK(answer["choices"][2]["text"] == "Say exactly: bb");
  CHECK(answer["choices"][3]["index"] == 3);
  const json one = test::ok(api.completions("Say exactly: a", {{"n", 2}}));
  CHECK(answer["usage"]["prompt_tokens"].get<int>() ==
        2 * one["usage"]["prompt_tokens"].get<int>());
}

TEST_CASE("a completion stops at a word or at its limit") {
  Legacy api;
  const json stopped = choice(api.completions("Say exactly: one two three", {{"stop", {"two"}}}));
  CHECK(stopped["text"] == "one ");
  CHECK(stopped["finish_reason"] == "stop");
  const json cut = choice(api.completions("Write 50 words", {{"max_tokens", 3}}));
  CHECK(cut["finish_reason"] == "length");
  CHECK(choice(api.completions("Say exactly: a|b", {{"stop", "|"}}))["text"] == "a");
}

TEST_CASE("log probabilities contain the sampled token and its alternatives") {
  Legacy api;
  const json logprobs =
      choice(api.completions("Say exactly: one two", {{"logprobs", 3}}))["logprobs"];
  CHECK(logprobs["tokens"].size() == logprobs["token_logprobs"].size());
  CHECK(logprobs["text_offset"][0] == 0);
  CHECK(logprobs["top_logprobs"][0].contains(logprobs["tokens"][0].get<std::string>()));
  CHECK(logprobs["top_logprobs"][0].size() == 3);
  const json ignored =
      choice(api.completions("Say exactly: x", {{"logprobs", 3}, {"model", "svc-4.20"}}));
  CHECK(!ignored.contains("logprobs"));
}

TEST_CASE("a streamed completion is the same text in pieces") {
  Legacy api;
  const auto events = test::json_events(api.completions(
      "Say exactly: one two three",
      {{"stream", true}, {"echo", true}, {"stream_options", {{"include_usage", true}}}}));
  std::string text;
  for (const json& event : events) {
    CHECK(event["object"] == "text_completion");
    for (const json& one : event["choices"]) text += one["text"].get<std::string>();
  }
  CHECK(text == "Say exactly: one two threeone two three");
  CHECK(events[events.size() - 2]["choices"][0]["finish_reason"] == "stop");
  CHECK(events.front()["choices"][0]["finish_reason"].is_null());
  CHECK(events.front()["usage"].is_null());
  CHECK(events.back()["choices"].empty());
  CHECK(events.back()["usage"]["total_tokens"].get<int>() > 0);
  const auto failed = test::events(api.completions("Fail with: tired", {{"stream", true}}));
  CHECK(json::parse(failed.back())["error"] == "tired");
  expect_error(api.completions("Fail with: tired"), 503);
}

TEST_CASE("invalid completion requests") {
  Legacy api;
  CHECK(expect_error(api.completions("x", {{"model", "svc-4.3"}}), 400) ==
        "Model svc-4.3 does not support completions. Use chat completions.");
  expect_error(api.completions("x", {{"model", "svc-9"}}), 400);
  expect_error(api.completions(""), 400);
  expect_error(api.completions("x", {{"suffix", "y"}}), 400);
  expect_error(api.completions("x", {{"best_of", 2}}), 400);
  expect_error(api.completions("x", {{"n", 0}}), 400);
  expect_error(api.completions("x", {{"temperature", 3}}), 400);
  expect_error(api.completions("x", {{"stop", {"a", "b", "c", "d", "e"}}}), 400);
  CHECK(api.call("POST", "/v1/completions", R"({"model":"svc-3"})").status == 422);
  CHECK(api.completions("x", {{"logprobs", true}}).status == 422);
}

TEST_CASE("a message consists of blocks") {
  Legacy api;
  const json answer = test::ok(api.messages("Say exactly: hi", {{"system", "Be brief"}}));
  CHECK(answer["type"] == "message");
  CHECK(answer["role"] == "assistant");
  CHECK(answer["content"] == json::array({{{"type", "text"}, {"text", "hi"}}}));
  CHECK(answer["stop_reason"] == "end_turn");
  CHECK(answer["stop_sequence"].is_null());
  CHECK(answer["usage"]["input_tokens"].get<int>() > 0);
  CHECK(answer["usage"]["output_tokens"] == 1);
  const json thought = test::ok(api.messages("Say exactly: hi", {{"model", "svc-4.3"}}));
  CHECK(thought["content"][0]["type"] == "thinking");
  CHECK(!thought["content"][0]["signature"].get<std::string>().empty());
  CHECK(thought["content"][1]["text"] == "hi");
  const json stopped =
      test::ok(api.messages("Say exactly: a b c", {{"stop_sequences", {"c", "b"}}}));
  CHECK(stopped["stop_reason"] == "stop_sequence");
  CHECK(stopped["stop_sequence"] == "b");
  CHECK(stopped["content"][0]["text"] == "a ");
  CHECK(test::ok(api.messages("Write 50 words", {{"max_tokens", 3}}))["stop_reason"] ==
        "max_tokens");
}

TEST_CASE("a message accepts all parts, and both formats of the system prompt") {
  Legacy api;
  const json content = {
      {{"type", "text"}, {"text", "what is this?"}},
      {{"type", "image"},
       {"source", {{"type", "base64"}, {"media_type", "image/gif"}, {"data", "AAAA"}}}},
      {{"type", "image"}, {"source", {{"type", "url"}, {"url", "https://a/b.png"}}}}};
  const json answer =
      test::ok(api.messages("", {{"system", {{{"type", "text"}, {"text", "Be kind"}}}},
                                 {"messages", {{{"role", "user"}, {"content", content}}}}}));
  const std::string text = answer["content"][0]["text"];
  CHECK(text.find("what is this?") != std::string::npos);
  CHECK(text.find("2 images") != std::string::npos);
  CHECK(text.find("Be kind") != std::string::npos);
}

TEST_CASE("a function is called, and its result is used") {
  Legacy api;
  const json tools = {{{"name", "get_time"},
                       {"input_schema",
                        {{"type", "object"},
                         {"properties", {{"city", {{"type", "string"}}}}},
                         {"required", {"city"}}}}}};
  const json called =
      test::ok(api.messages("x", {{"tools", tools}, {"tool_choice", {{"type", "any"}}}}));
  CHECK(called["stop_reason"] == "tool_use");
  const json use = called["content"].back();
  CHECK(use["type"] == "tool_use");
  CHECK(use["name"] == "get_time");
  CHECK(use["input"]["city"].is_string());
  const json answer = test::ok(api.messages(
      "",
      {{"tools", tools},
       {"messages",
        {{{"role", "user"}, {"content", "x"}},
         {{"role", "assistant"}, {"content", {{{"type", "thinking"}, {"thinking", "hm"}}, use}}},
         {{"role", "user"},
          {"content",
           {{{"type", "tool_result"}, {"tool_use_id", use["id"]}, {"content", "12:30"}}}}}}}}));
  CHECK(answer["content"][0]["text"].get<std::string>().find("get_time answered: “12:30”") !=
        std::string::npos);
  expect_error(api.messages("x", {{"tool_choice", {{"type", "any"}}}}), 400);
  expect_error(
      api.messages("x", {{"tools", tools}, {"tool_choice", {{"type", "tool"}, {"name", "y"}}}}),
      400);
}

TEST_CASE("a streamed message consists of named events") {
  Legacy api;
  const auto events =
      named_events(api.messages("Say exactly: one two", {{"stream", true}, {"model", "svc-4.3"}}));
  CHECK(events.front().name == "message_start");
  CHECK(events.front().data["message"]["content"].empty());
  CHECK(events.back().name == "message_stop");
  CHECK(events[events.size() - 2].data["delta"]["stop_reason"] == "end_turn");
  std::string text, thinking, signature;
  for (const auto& event : events) {
    if (event.name != "content_block_delta") continue;
    const json& delta = event.data["delta"];
    if (delta["type"] == "text_delta") text += delta["text"];
    if (delta["type"] == "thinking_delta") thinking += delta["thinking"];
    if (delta["type"] == "signature_delta") signature += delta["signature"];
  }
  CHECK(text == "one two");
  CHECK(!thinking.empty());
  CHECK(!signature.empty());

  const json tools = {{{"name", "f"}, {"input_schema", {{"type", "object"}}}}};
  const auto called = named_events(api.messages("use f", {{"stream", true}, {"tools", tools}}));
  std::string arguments;
  for (const auto& event : called) {
    if (event.name == "content_block_delta") arguments += event.data["delta"]["partial_json"];
  }
  CHECK(json::parse(arguments).is_object());
  const auto failed = named_events(api.messages("Fail with: tired", {{"stream", true}}));
  CHECK(failed.back().name == "error");
  CHECK(failed.back().data["error"]["message"] == "tired");
}

TEST_CASE("invalid message requests") {
  Legacy api;
  expect_error(api.messages("x", {{"messages", json::array()}}), 400);
  expect_error(api.messages("x", {{"max_tokens", 0}}), 400);
  const std::string no_stop = "Model svc-4.3 does not support parameter stop_sequences.";
  const json stop = {{"model", "svc-4.3"}, {"stop_sequences", {"a"}}};
  CHECK(expect_error(api.messages("x", stop), 400) == no_stop);
  CHECK(expect_error(api.complete("x", stop), 400) == no_stop);
  expect_error(api.messages("Fail with: tired"), 503);
  CHECK(api.call("POST", "/v1/messages", R"({"model":"svc-4.5","messages":[]})").status == 422);
  CHECK(api.messages("x", {{"messages", {{{"role", "system"}, {"content", "x"}}}}}).status == 422);
  const json odd = {{{"role", "user"}, {"content", {{{"type", "video"}}}}}};
  CHECK(api.messages("x", {{"messages", odd}}).status == 422);
  const json broken = {
      {{"role", "user"},
       {"content",
        {{{"type", "image"},
          {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", "&"}}}}}}}};
  expect_error(api.messages("x", {{"messages", broken}}), 400);
}

TEST_CASE("the oldest operation responds with a completion") {
  Legacy api;
  const json answer = test::ok(api.complete("Say exactly: one two", {{"stop_sequences", {"two"}}}));
  CHECK(answer["type"] == "completion");
  CHECK(answer["completion"] == "one ");
  CHECK(answer["stop_reason"] == "stop_sequence");
  CHECK(answer["model"] == "svc-3");
  CHECK(test::ok(api.complete("Write 50 words", {{"max_tokens_to_sample", 2}}))["stop_reason"] ==
        "max_tokens");
  expect_error(api.complete("x", {{"stream", true}}), 400);
  expect_error(api.complete(""), 400);
  CHECK(api.call("POST", "/v1/complete", R"({"prompt":"x"})").status == 422);
}
