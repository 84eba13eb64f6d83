// Responses chosen by a test, in each text operation.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "unit/emulator/management_support.h"
#include "unit/emulator/text_support.h"

using namespace svc;
using namespace svc::emulator;
using svc::test::expect_error;
using svc::test::header_of;
using svc::test::mentions;
using svc::test::ok;
using svc::test::TextApi;

namespace {

void give(TextApi& api, std::string_view rules) {
  auto parsed = parse_answers(rules);
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
  REQUIRE(api.state().answers().add(std::move(*parsed)).has_value());
}

std::string parse_error(std::string_view rules) {
  const auto parsed = parse_answers(rules);
  REQUIRE_FALSE(parsed.has_value());
  CHECK(parsed.error().fault == Fault::Usage);
  return parsed.error().message;
}

std::string answer_text(const Response& response) {
  return ok(response)["choices"][0]["message"]["content"].get<std::string>();
}

}  // namespace

TEST_CASE("the first matching rule that is not used up answers") {
  TextApi api;
  give(api, R"([{"match": {"prompt": "(?i)weather"}, "answer": {"text": "Sunny."}, "times": 1},
                 {"match": {"prompt": "Weather"}, "answer": {"text": "Rain."}},
                 {"match": {"call": 2}, "answer": {"text": "The second of the others."}}])");
  CHECK(answer_text(api.ask("Weather?")) == "Sunny.");
  CHECK(answer_text(api.ask("Weather?")) == "Rain.");
  CHECK(answer_text(api.ask("weather?")) != "Rain.");
  CHECK(answer_text(api.ask("Anything")) == "The second of the others.");
  CHECK(answer_text(api.ask("Anything")) != "The second of the others.");
  const auto entries = api.state().answers().entries();
  CHECK(entries[0].used == 1);
  CHECK(entries[1].used == 1);
  CHECK(entries[2].seen == 3);
}

TEST_CASE("a rule may require operation, model, header and key") {
  TextApi api;
  api.key.id = "key-1";
  api.key.name = "ci";
  api.headers = {{"X-Test", "seven"}};
  const auto answers = [&](std::string_view match) {
    api.state().answers().clear();
    give(api,
         std::string(R"([{"match": )") + std::string(match) + R"(, "answer": {"text": "given"}}])");
    return answer_text(api.ask("Hi")) == "given";
  };
  CHECK(answers(R"({"operation": "chat"})"));
  CHECK(answers(R"({"operation": "POST /v1/chat/completions"})"));
  CHECK_FALSE(answers(R"({"operation": "responses"})"));
  CHECK(answers(R"({"model": "svc-4.5"})"));
  CHECK_FALSE(answers(R"({"model": "svc-3"})"));
  CHECK(answers(R"({"header": {"x-test": "seven"}})"));
  CHECK_FALSE(answers(R"({"header": {"x-test": "eight"}})"));
  CHECK(answers(R"({"key": "key-1"})"));
  CHECK(answers(R"({"key": "ci"})"));
  CHECK_FALSE(answers(R"({"key": "svc-demo-key"})"));
  api.key.id = "00000000-0000-4000-8000-000000000001";
  CHECK(answers(R"({"key": "svc-demo-key"})"));
}

TEST_CASE("tool calls with given arguments, and the text after their results") {
  TextApi api;
  give(api, R"([{"answer": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}},
                                            {"name": "other", "arguments": "{broken"}],
                             "text": "It rains in Oslo."}, "times": 1}])");
  const nlohmann::json asked = ok(api.ask("Weather?"));
  CHECK(asked["choices"][0]["finish_reason"] == "tool_calls");
  const nlohmann::json calls = asked["choices"][0]["message"]["tool_calls"];
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]["function"]["arguments"] == R"({"city":"Oslo"})");
  CHECK(calls[1]["function"]["arguments"] == "{broken");
  const std::string after = R"({"model":"svc-4.5","messages":[{"role":"user","content":"Weather?"},
      {"role":"assistant","tool_calls":[{"id":"c","type":"function","function":
      {"name":"get_weather","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c","content":"rain"}]})";
  CHECK(answer_text(api.chat(after)) == "It rains in Oslo.");
  CHECK(mentions(answer_text(api.ask("Weather?")), "emulator"));  // used up

  // Without a text, the result is answered as if there were no rule.
  api.state().answers().clear();
  give(api, R"([{"answer": {"tool_calls": [{"name": "get_weather"}]}}])");
  CHECK(mentions(answer_text(api.chat(after)), "rain"));
}

TEST_CASE("a status with a body and headers, and words with headers") {
  TextApi api;
  give(api,
       R"([{"answer": {"status": 529, "body": {"error": "busy"}, "headers": {"Retry-After": 3}},
                  "times": 1},
                 {"answer": {"status": 404}, "times": 1},
                 {"answer": {"text": "ok", "headers": {"X-Seen": "yes"}}}])");
  const Response busy = api.ask("Hi");
  CHECK(busy.status == 529);
  CHECK(busy.body == R"({"error":"busy"})");
  CHECK(busy.content_type == "application/json");
  CHECK(header_of(busy, "Retry-After") == "3");
  CHECK(busy.charges.empty());
  CHECK_FALSE(expect_error(api.ask("Hi"), 404).empty());
  CHECK(header_of(api.ask("Hi"), "X-Seen") == "yes");
}

TEST_CASE("words are streamed, and raw events are sent unchanged") {
  TextApi api;
  give(api, R"([{"answer": {"events": [{"choices": []}, "data: {\"error\":\"gone\"}",
                                        {"event": "x", "data": "y"}, "plain"]}},
                 {"answer": {"text": "one two"}}])");
  const Response streamed = api.ask("Hi", R"("stream":true)");
  std::string sent;
  while (const auto piece = streamed.next()) sent += piece->bytes;
  CHECK(sent ==
        "data: {\"choices\":[]}\n\n"
        "data: {\"error\":\"gone\"}\n\n"
        "event: x\ndata: y\n\n"
        "data: plain\n\n");
  CHECK(answer_text(api.ask("Hi")) == "one two");  // events apply only to streams
  api.state().answers().clear();
  give(api, R"([{"answer": {"text": "one two"}}])");
  std::string text;
  for (const nlohmann::json& event : svc::test::json_events(api.ask("Hi", R"("stream":true)"))) {
    if (event["choices"].empty()) continue;
    text += event["choices"][0]["delta"].value("content", "");
  }
  CHECK(text == "one two");
}

TEST_CASE("responses: text and calls, even of undeclared tools") {
  TextApi api;
  give(api, R"([{"answer": {"tool_calls": [{"name": "look", "arguments": {}}]}, "times": 1},
                 {"match": {"operation": "/v1/responses"}, "answer": {"text": "given"}}])");
  const nlohmann::json called = ok(api.respond("Hi"))["output"];
  REQUIRE(called.size() == 1);
  CHECK(called[0]["type"] == "function_call");
  CHECK(called[0]["name"] == "look");
  const nlohmann::json said = ok(api.respond("Hi"))["output"];
  REQUIRE(said.size() == 1);
  CHECK(said[0]["content"][0]["text"] == "given");
}

TEST_CASE("a request's limit truncates a rule's text") {
  TextApi api;
  give(api, R"([{"answer": {"text": "one two three four five six"}}])");
  const nlohmann::json cut = ok(api.ask("Hi", R"("max_completion_tokens":2)"));
  CHECK(cut["choices"][0]["finish_reason"] == "length");
  CHECK(mentions("one two three", cut["choices"][0]["message"]["content"].get<std::string>()));
}

TEST_CASE("an invalid rule is rejected with the reason") {
  CHECK(mentions(parse_error("{}"), "JSON array"));
  CHECK(mentions(parse_error(R"([{"answer": {"text": "x"}}, 7])"), "Answer rule 2"));
  CHECK(mentions(parse_error(R"([{"match": {"promt": "x"}, "answer": {"text": ""}}])"),
                 "no field promt (did you mean prompt?)"));
  CHECK(mentions(parse_error(R"([{"match": {"operation": "chats"}, "answer": {"text": ""}}])"),
                 "did you mean chat?"));
  CHECK(mentions(
      parse_error(R"([{"match": {"operation": "/v1/chat/completion"}, "answer": {"text": ""}}])"),
      "did you mean /v1/chat/completions?"));
  CHECK(mentions(parse_error(R"([{"match": {"prompt": "("}, "answer": {"text": ""}}])"),
                 "not a valid regular expression"));
  CHECK(mentions(parse_error(R"([{"match": {"call": 0}, "answer": {"text": ""}}])"), "at least 1"));
  CHECK(mentions(parse_error(R"([{"match": {}}])"), "field answer is missing"));
  CHECK(mentions(parse_error(R"([{"answer": {}}])"), "answer must have exactly one of"));
  CHECK(mentions(parse_error(R"([{"answer": {"text": "x", "status": 500}}])"),
                 "answer must have exactly one of"));
  CHECK(mentions(parse_error(R"([{"answer": {"status": 99}}])"), "200 to 599"));
  CHECK(mentions(parse_error(R"([{"answer": {"body": "x"}}])"), "body requires status"));
}
