// Responses chosen by a test, in each text operation.
#include <doctest/doctest.h>
#include <fmt/format.h>
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
  const auto entries = api.state().answers().entries();
  CHECK(entries[0].used == 1);
  CHECK(entries[1].used == 1);
  CHECK(entries[2].seen == 3);  // a rule counts the requests that others answered, too
  CHECK(entries[2].used == 0);
}

TEST_CASE("a rule for each call") {
  TextApi api;
  give(api, R"([{"match": {"call": 1}, "answer": {"text": "one"}},
                 {"match": {"call": 2}, "answer": {"text": "two"}},
                 {"match": {"call": 3}, "answer": {"text": "three"}}])");
  for (const char* text : {"one", "two", "three"}) CHECK(answer_text(api.ask("Hi")) == text);
  CHECK(mentions(answer_text(api.ask("Hi")), "emulator"));
}

TEST_CASE("a single rule is a list of one") {
  TextApi api;
  give(api, R"({"answer": {"text": "alone"}})");
  CHECK(answer_text(api.ask("Hi")) == "alone");
}

TEST_CASE("a rule sets any member of the answer") {
  TextApi api;
  api.held = false;
  give(
      api,
      R"({"answer": {"text": "Paris", "reasoning_content": "Hm.", "finish_reason": "content_filter",
                  "citations": ["https://a.example"], "usage": {"prompt_tokens": 7},
                  "members": {"choices.0.logprobs": {"content": []}, "system_fingerprint": "fp"}}})");
  const nlohmann::json whole = ok(api.ask("Hi"));
  const nlohmann::json& choice = whole["choices"][0];
  CHECK(choice["message"]["content"] == "Paris");
  CHECK(choice["message"]["reasoning_content"] == "Hm.");
  CHECK(choice["finish_reason"] == "content_filter");
  CHECK(choice["logprobs"] == nlohmann::json::parse(R"({"content": []})"));
  CHECK(whole["citations"] == nlohmann::json::parse(R"(["https://a.example"])"));
  CHECK(whole["usage"]["prompt_tokens"] == 7);
  CHECK(whole["usage"]["total_tokens"].get<int>() > 0);
  CHECK(whole["system_fingerprint"] == "fp");

  std::string reasoning;
  std::string reason;
  int prompt_tokens = 0;
  for (const nlohmann::json& event : svc::test::json_events(
           api.ask("Hi", R"("stream":true,"stream_options":{"include_usage":true})"))) {
    CHECK(event["system_fingerprint"] == "fp");
    if (event["choices"].empty()) {
      prompt_tokens = event["usage"]["prompt_tokens"];
      continue;
    }
    const nlohmann::json& part = event["choices"][0];
    reasoning += part["delta"].value("reasoning_content", "");
    if (part.contains("finish_reason")) reason = part["finish_reason"];
  }
  CHECK(reasoning == "Hm.");
  CHECK(reason == "content_filter");
  CHECK(prompt_tokens == 7);

  const nlohmann::json response = ok(api.respond("Hi"));
  CHECK(response["output"][0]["summary"][0]["text"] == "Hm.");
  CHECK(response["output"][1]["content"][0]["annotations"][0]["url"] == "https://a.example");
}

TEST_CASE("a rule without text changes the emulator's own answer") {
  TextApi api;
  give(api, R"({"answer": {"usage": {"completion_tokens": 3}, "finish_reason": "length"}})");
  const nlohmann::json whole = ok(api.ask("Hi"));
  CHECK(mentions(whole["choices"][0]["message"]["content"].get<std::string>(), "emulator"));
  CHECK(whole["choices"][0]["finish_reason"] == "length");
  CHECK(whole["usage"]["completion_tokens"] == 3);
}

TEST_CASE("a refusal, in chat and Responses") {
  TextApi api;
  give(api, R"({"answer": {"refusal": "No."}})");
  CHECK(ok(api.ask("Hi"))["choices"][0]["message"]["refusal"] == "No.");
  CHECK(ok(api.respond("Hi"))["output"][0]["content"][0]["refusal"] == "No.");
}

TEST_CASE("pieces, their delays, and a rate") {
  TextApi api;
  give(api, R"([{"match": {"prompt": "pieces"},
                  "answer": {"pieces": ["Hel", {"text": "lo wor", "delay": "1s"}, "ld"]}},
                 {"match": {"prompt": "rate"}, "answer": {"text": "a b c d", "rate": 4}},
                 {"answer": {"text": "late", "delay": 250}}])");
  for (const bool as_response : {false, true}) {
    const Response sent = as_response ? api.respond("pieces", R"("stream":true)")
                                      : api.ask("pieces", R"("stream":true)");
    std::vector<std::int64_t> delays;
    while (const auto chunk = sent.next()) {
      if (chunk->delay.count() > 0) delays.push_back(chunk->delay.count());
    }
    CHECK(delays == std::vector<std::int64_t>{10, 1000, 10});
  }
  CHECK(answer_text(api.ask("pieces")) == "Hello world");
  const Response slow = api.ask("rate", R"("stream":true)");
  int words = 0;
  while (const auto chunk = slow.next()) {
    if (chunk->delay.count() == 250) ++words;
  }
  CHECK(words == 4);
  CHECK(api.ask("Hi").delay.count() == 250);
}

TEST_CASE("a rate counts words, and leaves the delays of pieces") {
  TextApi api;
  const auto delays = [&](std::string_view answer, const std::vector<Header>& headers = {}) {
    api.state().answers().clear();
    give(api, fmt::format(R"({{"answer": {}}})", answer));
    api.headers = headers;
    const Response sent = api.ask("Hi", R"("stream":true)");
    std::vector<std::int64_t> found;
    while (const auto chunk = sent.next()) {
      if (chunk->delay.count() > 0) found.push_back(chunk->delay.count());
    }
    return found;
  };
  using Delays = std::vector<std::int64_t>;
  CHECK(delays(R"({"pieces": ["one two three", " four"], "rate": 10})") == Delays{300, 100});
  CHECK(delays(R"({"pieces": [{"text": "a", "delay": "300ms"}, "b"], "rate": 10})") ==
        Delays{300, 100});
  CHECK(delays(R"({"text": "one two", "rate": 10})", {{"x-emulator-delay-ms", "0"}}) ==
        Delays{100, 100});
  // Fractions of a millisecond add up: 600 words take one second.
  std::string words = "w";
  for (int i = 1; i < 600; ++i) words += " w";
  std::int64_t sum = 0;
  for (const auto one : delays(fmt::format(R"({{"text": "{}", "rate": 600}})", words))) sum += one;
  CHECK(sum >= 999);
  CHECK(sum <= 1000);
}

TEST_CASE("parts of the match in the answer") {
  TextApi api;
  give(api, R"json([{"match": {"prompt": "weather in (\\w+)"},
                  "answer": {"text": "$1 is sunny; $$1, $5 stay. ($0)"}},
                 {"answer": {"text": "It costs $1."}}])json");
  CHECK(answer_text(api.ask("The weather in Oslo?")) ==
        "Oslo is sunny; $1, $5 stay. (weather in Oslo)");
  CHECK(answer_text(api.ask("Price?")) == "It costs $1.");
}

TEST_CASE("parts of the match inside JSON, which stays JSON") {
  TextApi api;
  api.held = false;
  give(api, R"json([{"match": {"prompt": "call (.*)"},
                  "answer": {"tool_calls": [{"name": "f", "arguments": {"q": "$1", "n": [1, "$$1"]}},
                                            {"name": "g", "arguments": "{broken $1"}]}},
                 {"match": {"prompt": "fail (.*)"}, "answer": {"status": 400, "body": {"$1": "$1"}}},
                 {"match": {"prompt": "send (.*)"},
                  "answer": {"events": [{"t": "$1"}, {"event": "$1", "data": "plain $1"}]}}])json");
  const std::string given = "\"hi\" \\ there";
  const auto calls = ok(api.ask("call " + given))["choices"][0]["message"]["tool_calls"];
  CHECK(nlohmann::json::parse(calls[0]["function"]["arguments"].get<std::string>()) ==
        nlohmann::json{{"q", given}, {"n", {1, "$1"}}});
  CHECK(calls[1]["function"]["arguments"] == "{broken " + given);
  CHECK(nlohmann::json::parse(api.ask("fail " + given).body) == nlohmann::json{{given, given}});
  const Response streamed = api.ask("send a\"b", R"("stream":true)");
  CHECK(streamed.next()->bytes == "data: {\"t\":\"a\\\"b\"}\n\n");
  CHECK(streamed.next()->bytes == "event: a\"b\ndata: plain a\"b\n\n");
}

TEST_CASE("a rule may require the system prompt, a tool result, and members by path") {
  TextApi api;
  const auto answers = [&](std::string_view match, std::string_view body) {
    api.state().answers().clear();
    give(api, "{\"match\": " + std::string(match) + R"(, "answer": {"text": "given"}})");
    return answer_text(api.chat(std::string(body))) == "given";
  };
  constexpr auto k_body = R"({"model":"svc-4.5","temperature":0.5,"messages":[
    {"role":"system","content":"Be brief."},{"role":"user","content":"Look it up"},
    {"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
     "function":{"name":"f","arguments":"{}"}}]},
    {"role":"tool","tool_call_id":"1","content":"rain in Oslo"}]})";
  CHECK(answers(R"({"system": "brief"})", k_body));
  CHECK_FALSE(answers(R"({"system": "verbose"})", k_body));
  CHECK(answers(R"({"tool_result": "rain"})", k_body));
  CHECK_FALSE(answers(R"({"tool_result": "snow"})", k_body));
  CHECK(answers(R"({"body": {"temperature": 0.5, "messages.0.role": "system"}})", k_body));
  CHECK(answers(R"({"body": {"messages.-1.tool_call_id": "1", "stream": null}})", k_body));
  CHECK_FALSE(answers(R"({"body": {"temperature": 1}})", k_body));
  CHECK_FALSE(answers(R"({"body": {"messages.9.role": "user"}})", k_body));
}

TEST_CASE("strict: a request without a rule names the nearest one") {
  TextApi api;
  api.state().answers().set_strict(AnswerRuleSet::Strict::Models);
  give(api, R"([{"match": {"model": "svc-3", "prompt": "weather"}, "answer": {"text": "x"}},
                 {"match": {"operation": "chat", "prompt": "weather"}, "answer": {"text": "Sunny."}}])");
  CHECK(answer_text(api.ask("weather?")) == "Sunny.");
  const Response refused = api.ask("Time?");
  CHECK(refused.status == 404);
  const nlohmann::json error = nlohmann::json::parse(refused.body);
  CHECK(error["code"] == "emulator_no_rule");
  CHECK(mentions(error["error"].get<std::string>(), "nearest is rule 2"));
  CHECK(mentions(error["error"].get<std::string>(), "\"Time?\""));
}

TEST_CASE("strict: the nearest rule is the one with the fewest values that differ") {
  AnswerRuleSet rules;
  rules.set_strict(AnswerRuleSet::Strict::Models);
  const std::string system(80, 's');
  const auto rule = [&](const char* prompt) {
    return fmt::format(R"({{"match": {{"body": {{"": {{"system": "{}", "prompt": "{}"}}}}}},
                        "answer": {{"text": "x"}}}})",
                       system, prompt);
  };
  REQUIRE(rules.add(*parse_answers(rule("one"))));
  REQUIRE(rules.add(*parse_answers(rule("two"))));
  const auto refusal = [&](const char* body) {
    return rules
        .take({.operation = "chat",
               .body = std::make_shared<const text::Json>(text::Json::parse(body))})
        .refusal;
  };
  CHECK(mentions(
      refusal(fmt::format(R"({{"system": "{}", "prompt": "two", "temperature": 0.5}})", system)
                  .c_str()),
      "nearest is rule 2: body.temperature is 0.5, not missing. "));
  CHECK(mentions(refusal(fmt::format(R"({{"system": "{}t", "prompt": "two"}})", system).c_str()),
                 "body.system is …t\", not …\". "));
}

TEST_CASE("a path with a question mark stands for its query") {
  AnswerRuleSet rules;
  REQUIRE(rules.add(*parse_answers(
      R"([{"match": {"path": "/v1/files?"}, "answer": {"status": 201}},
          {"match": {"path": "/v1/files?limit=1"}, "answer": {"status": 202}},
          {"match": {"path": "/v1/files"}, "answer": {"status": 203}}])")));
  const auto status = [&](const char* path) {
    return rules.take({.operation = "GET /v1/files", .path = path}).answer->status;
  };
  CHECK(status("/v1/files") == 201);
  CHECK(status("/v1/files?limit=1") == 202);
  CHECK(status("/v1/files?limit=2") == 203);
}

TEST_CASE("rules that a test adds come first, and one can be removed") {
  AnswerRuleSet rules;
  const auto add = [&](const char* text, AnswerRuleSet::Place place) {
    REQUIRE(
        rules.add(*parse_answers(fmt::format(R"({{"answer": {{"text": "{}"}}}})", text)), place));
  };
  add("of the command line", AnswerRuleSet::Place::Last);
  add("first", AnswerRuleSet::Place::First);
  add("second", AnswerRuleSet::Place::First);
  const auto says = [&] { return *rules.take({.operation = "chat"}).answer->text; };
  CHECK(says() == "first");
  CHECK(rules.remove(2));
  CHECK(says() == "second");
  CHECK(rules.remove(3));
  CHECK_FALSE(rules.remove(3));
  CHECK(says() == "of the command line");
}

TEST_CASE("secrets are removed, and what only looks like one is kept") {
  text::Json value = text::Json::parse(R"({"value": "s", "expires_at": 5, "apiKey": "s",
      "tools": [{"authorization": "s", "headers": {"X-Key": "s"}}],
      "logprobs": [{"token": "kept"}], "acls": [{"key": "kept", "value": "kept"}]})");
  redact(value);
  CHECK(value == text::Json::parse(R"({"value": "REDACTED", "expires_at": 5, "apiKey": "REDACTED",
      "tools": [{"authorization": "REDACTED", "headers": {"X-Key": "REDACTED"}}],
      "logprobs": [{"token": "kept"}], "acls": [{"key": "kept", "value": "kept"}]})"));
}

TEST_CASE("verify counts the requests that match") {
  TextApi api;
  (void)api.ask("weather in Oslo");
  (void)api.respond("weather in Bonn");
  const auto verify = [&](std::string_view check) {
    const auto parsed = parse_check(check);
    REQUIRE(parsed.has_value());
    return api.state().answers().verify(*parsed);
  };
  CHECK(*verify(R"({"match": {"prompt": "weather"}, "count": 2})") == 2);
  CHECK(*verify(R"({"match": {"operation": "chat"}})") == 1);
  CHECK(*verify(R"({"match": {"prompt": "time"}, "count": 0})") == 0);
  const auto failed = verify(R"({"match": {"prompt": "Oslo"}, "count": 2})");
  REQUIRE_FALSE(failed.has_value());
  CHECK(mentions(failed.error().message, "1 requests match, not 2"));
  CHECK(mentions(failed.error().message, "weather in Bonn"));
  (void)api.ask(std::string(70'000, 'y'));
  CHECK(*verify(R"({"match": {"prompt": "^yy", "body": {"model": "svc-4.5"}}, "count": 1})") == 1);
  CHECK_FALSE(parse_check(R"({"count": -1})").has_value());
  CHECK_FALSE(parse_check(R"({"matches": {}})").has_value());
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

TEST_CASE("tool calls that follow the results of others") {
  TextApi api;
  const auto asks = [&](int results) {
    std::string turns = R"({"role":"user","content":"go"})";
    for (int i = 0; i < results; ++i) {
      turns += R"(,{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
        "function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"21"})";
    }
    const auto message =
        ok(api.chat(R"({"model":"svc-4.5","messages":[)" + turns + "]}"))["choices"][0]["message"];
    return message.contains("tool_calls")
               ? message["tool_calls"][0]["function"]["name"].get<std::string>()
               : message["content"].get<std::string>();
  };
  for (const char* rules :
       {R"([{"match": {"call": 1}, "answer": {"tool_calls": [{"name": "a"}]}},
            {"match": {"call": 2}, "answer": {"tool_calls": [{"name": "b"}]}},
            {"match": {"call": 3}, "answer": {"text": "done"}}])",
        R"([{"answer": {"tool_calls": [{"name": "a"}]}, "times": 1},
            {"answer": {"tool_calls": [{"name": "b"}]}, "times": 1},
            {"answer": {"text": "done"}}])",
        R"([{"match": {"tool_result": "21"}, "answer": {"tool_calls": [{"name": "b"}]}, "times": 1},
            {"match": {"tool_result": "21"}, "answer": {"text": "done"}},
            {"answer": {"tool_calls": [{"name": "a"}]}}])"}) {
    CAPTURE(rules);
    api.state().answers().clear();
    give(api, rules);
    CHECK(asks(0) == "a");
    CHECK(asks(1) == "b");
    CHECK(asks(2) == "done");
  }
}

TEST_CASE("a finish_reason holds for every choice, and a filtered response is incomplete") {
  TextApi api;
  api.held = false;
  give(api, R"({"answer": {"text": "a", "finish_reason": "content_filter",
                "members": {"choices.0.logprobs.content": [], "x.y": 3}}})");
  const nlohmann::json chat = ok(api.ask("Hi", R"("n":2)"));
  CHECK(chat["choices"][1]["finish_reason"] == "content_filter");
  CHECK(chat["choices"][0]["logprobs"]["content"].empty());
  CHECK(chat["x"]["y"] == 3);
  const nlohmann::json response = ok(api.respond("Hi"));
  CHECK(response["status"] == "incomplete");
  CHECK(response["incomplete_details"]["reason"] == "content_filter");
  CHECK(svc::test::json_events(api.respond("Hi", R"("stream":true)")).back()["type"] ==
        "response.incomplete");
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
  CHECK(mentions(parse_error("7"), "JSON array"));
  CHECK(mentions(parse_error("{}"), "field answer is missing"));
  CHECK(mentions(parse_error(R"([{"answer": {"text": "x"}}, 7])"), "Answer rule 2"));
  CHECK(mentions(parse_error(R"([{"match": {"promt": "x"}, "answer": {"text": ""}}])"),
                 "no field promt (did you mean prompt?)"));
  CHECK(mentions(parse_error(R"([{"match": {"operation": "chats"}, "answer": {"text": ""}}])"),
                 "did you mean chat?"));
  AnswerRuleSet rules;
  rules.set_operations({"POST /v1/chat/completions", "GET /v1/files"});
  const auto unknown = rules.add(*parse_answers(
      R"({"match": {"operation": "POST /v1/chat/completion"}, "answer": {"delay": 1}})"));
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().hint == "Did you mean POST /v1/chat/completions?");
  CHECK(
      rules.add(*parse_answers(R"({"match": {"operation": "/v1/files"}, "answer": {"delay": 1}})"))
          .has_value());
  CHECK(mentions(parse_error(R"([{"match": {"prompt": "("}, "answer": {"text": ""}}])"),
                 "not a valid regular expression"));
  CHECK(mentions(parse_error(R"([{"match": {"call": 0}, "answer": {"text": ""}}])"), "at least 1"));
  CHECK(mentions(parse_error(R"([{"match": {}}])"), "field answer is missing"));
  CHECK(mentions(parse_error(R"([{"answer": {}}])"), "answer must have exactly one of"));
  CHECK(mentions(parse_error(R"([{"answer": {"text": "x", "status": 500}}])"),
                 "answer must have exactly one of"));
  CHECK(mentions(parse_error(R"([{"answer": {"status": 99}}])"), "between 200 and 599"));
  CHECK(mentions(parse_error(R"([{"answer": {"body": "x"}}])"), "body requires status"));
  for (const char* operation : {"images", "GET /v1/files", "/v1/images/edits"}) {
    CHECK(mentions(
        parse_error(fmt::format(R"({{"match": {{"operation": "{}"}}, "answer": {{"text": "x"}}}})",
                                operation)),
        "does not answer with text"));
  }
  CHECK(mentions(parse_error(R"({"match": {"operation": "images"}, "answer": {"events": ["x"]}})"),
                 "images does not answer with events"));
  CHECK(parse_answers(R"({"answer": {"headers": {"x-only": "1"}}})").has_value());
  for (const char* delay : {"99999999999", "18446744073709551615", R"("25h")"}) {
    CHECK(mentions(parse_error(fmt::format(R"({{"answer": {{"delay": {}}}}})", delay)), "24h"));
  }
}

TEST_CASE("parts of the match in citations, headers and names of tools") {
  TextApi api;
  give(api, R"js([{"match": {"prompt": "call (\\w+)"}, "answer": {"tool_calls": [{"name": "$1"}]}},
                 {"match": {"prompt": "at (\\w+)"},
                  "answer": {"text": "x", "citations": ["https://a.example/$1"],
                             "finish_reason": "$1", "headers": {"x-place": "$1"}}}])js");
  CHECK(ok(api.ask("call look"))["choices"][0]["message"]["tool_calls"][0]["function"]["name"] ==
        "look");
  const Response response = api.ask("Snow at Oslo?");
  CHECK(header_of(response, "x-place") == "Oslo");
  CHECK(ok(response)["citations"][0] == "https://a.example/Oslo");
  CHECK(ok(response)["choices"][0]["finish_reason"] == "Oslo");
}

TEST_CASE("a model's text is not for an operation without one") {
  AnswerRuleSet rules;
  REQUIRE(rules.add(*parse_answers(R"([{"answer": {"text": "for the model"}, "times": 1},
        {"match": {"operation": "speech"}, "answer": {"text": "to be spoken"}, "times": 1},
        {"match": {"operation": "speech"}, "answer": {"status": 500}}])")));
  CHECK_FALSE(rules.take({.operation = "GET /v1/models", .text = AnswerText::None}).answer);
  const auto spoken = rules.take({.operation = "speech", .text = AnswerText::Named}).answer;
  REQUIRE(spoken);
  CHECK(spoken->text == "to be spoken");
  const auto said = rules.take({.operation = "chat"}).answer;
  REQUIRE(said);
  CHECK(said->text == "for the model");
}
