// Rules of answers and faults, and the log of requests: every part of a rule, and every limit.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/control/control.h"
#include "support/mentions.h"

namespace svc::emulator::rules_test {

using svc::test::mentions;
using namespace std::chrono_literals;
using text::Json;

namespace {

// The rule, or an empty one with the error as its text.
AnswerRule one_rule(const std::string& json) {
  auto rules = parse_answers(json);
  if (!rules) return {.text = rules.error().message};
  REQUIRE(rules->size() == 1);
  return std::move(rules->front());
}

CannedAnswer answer_of(const std::string& answer) {
  const AnswerRule rule = one_rule(fmt::format(R"({{"answer": {}}})", answer));
  CHECK_MESSAGE(rule.text.starts_with('{'), rule.text);
  return rule.answer;
}

// Why there is no such rule; "" if there is.
std::string refusal_of(const std::string& rule) {
  const auto rules = parse_answers(rule);
  return rules ? "" : rules.error().message;
}

std::shared_ptr<const Json> json(const std::string& text) {
  return std::make_shared<const Json>(Json::parse(text));
}

void add(AnswerRuleSet& rules, const std::string& text,
         AnswerRuleSet::Place place = AnswerRuleSet::Place::First) {
  auto parsed = parse_answers(text);
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
  const auto added = rules.add(std::move(*parsed), place);
  REQUIRE_MESSAGE(added.has_value(), (added ? "" : added.error().message));
}

// Whether a request matches.
bool matches(const std::string& match, AnswerTarget target) {
  AnswerRuleSet rules;
  add(rules, fmt::format(R"({{"match": {}, "answer": {{"status": 200}}}})", match));
  return rules.take(std::move(target)).answer.has_value();
}

// What a strict emulator says of the difference.
std::string difference(const std::string& match, AnswerTarget target) {
  AnswerRuleSet rules;
  rules.set_strict(AnswerRuleSet::Strict::Models);
  add(rules, fmt::format(R"({{"match": {}, "answer": {{"status": 200}}}})", match));
  const std::string refusal = rules.take(std::move(target)).refusal;
  const std::string_view before = "The nearest is rule 1: ";
  const std::size_t begin = refusal.find(before);
  const std::size_t end = refusal.rfind(". That rule is ");
  REQUIRE_MESSAGE((begin != std::string::npos && end != std::string::npos), refusal);
  return refusal.substr(begin + before.size(), end - begin - before.size());
}

AnswerTarget with_body(const std::string& body) {
  return {.operation = "chat", .body = json(body)};
}

FaultRule fault(std::string_view text) {
  auto parsed = parse_fault(text);
  REQUIRE_MESSAGE(parsed.has_value(), (parsed ? "" : parsed.error().message));
  return std::move(*parsed);
}

HttpRequest request(std::string body, std::vector<Header> headers = {}) {
  HttpRequest made;
  made.method = "POST";
  made.target = "/x?a=b";
  made.headers = std::move(headers);
  made.body = std::move(body);
  return made;
}

}  // namespace

TEST_CASE("what an answer may change without a text, and what it may not") {
  for (const char* answer :
       {R"({"citations": []})", R"({"usage": {}})", R"({"members": {}})", R"({"delay": 1})",
        R"({"rate": 1})", R"({"finish_reason": "stop"})", R"({"headers": {"a": "b"}})",
        R"({"reasoning_content": "x"})", R"({"refusal": "x"})", R"({"text": ""})",
        R"({"tool_calls": [{"name": "f"}]})", R"({"pieces": ["x"]})", R"({"events": ["x"]})",
        R"({"status": 200})", R"({"status": 599, "delay": 1})",
        R"({"text": "a", "refusal": "b", "usage": {}})"}) {
    CHECK(refusal_of(fmt::format(R"({{"answer": {}}})", answer)) == "");
  }
  for (const char* answer :
       {"{}", R"({"jitter": 0.5})", R"({"rate": 0})", R"({"delay": 0})", R"({"headers": {}})",
        R"({"finish_reason": ""})", R"({"refusal": ""})", R"({"status": 200, "events": ["x"]})",
        R"({"status": 200, "refusal": "x"})", R"({"reasoning_content": "x", "events": ["x"]})"}) {
    CHECK(mentions(refusal_of(fmt::format(R"({{"answer": {}}})", answer)), "exactly one of"));
  }
  const CannedAnswer given =
      answer_of(R"({"text": "t", "rate": 2.5, "jitter": 0.25, "delay": "2s"})");
  CHECK(given.rate == 2.5);
  CHECK(given.jitter == 0.25);
  CHECK(given.delay == 2s);
  CHECK(answer_of(R"({"text": "t"})").jitter == 0);
  CHECK(answer_of(R"({"pieces": [{"text": "a", "delay": 7}, "b"]})").pieces[0].delay == 7ms);
  CHECK(one_rule(R"({"answer": {"text": "x"}, "times": 3})").times == 3);
  CHECK(answer_of(R"({"tool_calls": [{"name": "f"}]})").calls[0].arguments == "{}");
}

TEST_CASE("each operation by its name, its path and both; which of them say text") {
  const std::vector<std::pair<std::string, std::string>> operations = {
      {"chat", "POST /v1/chat/completions"},
      {"responses", "POST /v1/responses"},
      {"completions", "POST /v1/completions"},
      {"messages", "POST /v1/messages"},
      {"complete", "POST /v1/complete"},
      {"realtime", "GET /v1/realtime"},
      {"images", "POST /v1/images/generations"},
      {"videos", "POST /v1/videos/generations"},
      {"speech", "POST /v1/tts"},
      {"transcription", "POST /v1/stt"},
      {"transcription", "GET /v1/stt"},
      {"search", "POST /v1/documents/search"}};
  for (const auto& [name, operation] : operations) {
    CAPTURE(operation);
    CHECK(operation_name(operation) == name);
    for (const std::string& given : {name, operation, operation.substr(operation.find('/'))}) {
      CHECK(one_rule(fmt::format(R"({{"match": {{"operation": "{}"}}, "answer": {{"delay": 1}}}})",
                                 given))
                .match.operation == name);
    }
    const auto refusal = [&, rule = operation](const char* answer) {
      return refusal_of(
          fmt::format(R"({{"match": {{"operation": "{}"}}, "answer": {}}})", rule, answer));
    };
    const bool silent = name == "images" || name == "videos" || name == "search";
    const bool spoken = name == "speech" || name == "transcription";
    CHECK((refusal(R"({"text": "x"})") == "") == !silent);
    CHECK((refusal(R"({"events": ["x"]})") == "") == !(silent || spoken));
    CHECK(refusal(R"({"status": 404})") == "");
  }
  CHECK(operation_name("GET /v1/files") == "GET /v1/files");
}

TEST_CASE("events are sent as they are, or as data") {
  const auto event = [](const std::string& given) {
    return answer_of(fmt::format(R"({{"events": [{}]}})", given)).events.at(0);
  };
  for (const char* field : {"data:", "event:", "id:", "retry:", ":"}) {
    CHECK(event(fmt::format("\"{} 1\"", field)) == fmt::format("{} 1\n\n", field));
  }
  CHECK(event(R"("idea: 1")") == "data: idea: 1\n\n");
  CHECK(event(R"("")") == "data: \n\n");
  CHECK(event(R"("data: x\n")") == "data: x\n\n");
  CHECK(event(R"("data: x\n\n")") == "data: x\n\n");
  CHECK(event("5") == "data: 5\n\n");
  CHECK(event(R"({"event": "a", "data": "b"})") == "event: a\ndata: b\n\n");
  CHECK(event(R"({"event": "a", "data": {"b": 1}})") == "event: a\ndata: {\"b\":1}\n\n");
  for (const char* whole : {R"({"event":"a","data":"b","id":1})", R"({"event":"a","id":1})",
                            R"({"id":1,"data":"b"})", R"({"event":"a"})"}) {
    CHECK(event(whole) == fmt::format("data: {}\n\n", whole));
  }
}

TEST_CASE("a response's body is text, JSON or bytes, and its type that of its headers") {
  const auto response = [](const std::string& members) {
    const CannedAnswer answer = answer_of(fmt::format(R"({{"status": 201, {}}})", members));
    CHECK(answer.status == 201);
    std::string out = answer.body;
    for (const Header& header : answer.headers) out += "|" + header.name + ":" + header.value;
    return out;
  };
  CHECK(response(R"("body": {"a": 1})") == R"({"a":1}|Content-Type:application/json)");
  CHECK(response(R"("body": 5)") == "5|Content-Type:application/json");
  CHECK(response(R"("body": [], "headers": {"content-type": "x/y"})") == "[]|content-type:x/y");
  CHECK(response(R"("body": "text")") == "text");
  CHECK(response(R"("body_base64": "AGE=", "headers": {"Retry-After": 3})") ==
        std::string("\0a|Retry-After:3", 16));
  CHECK(mentions(refusal_of(R"({"answer": {"status": 200, "headers": {"a": true}}})"),
                 "the header a must be a string"));
}

TEST_CASE("the parts of a match are put into every part of an answer") {
  AnswerRuleSet rules;
  add(rules, R"js([
      {"match": {"prompt": "(\\w+) in (.*)"},
       "answer": {"pieces": ["It is $1", " in $2"], "reasoning_content": "r $1", "refusal": "n $2",
                  "finish_reason": "f $1", "citations": ["https://$1.example", "$2"],
                  "tool_calls": [{"name": "do_$1", "arguments": {"at": "$2"}}],
                  "headers": {"a": "$1", "b": "$2"}}, "times": 1},
      {"match": {"prompt": "(\\w+) in (.*)"},
       "answer": {"events": ["retry: $1", "event: $1\ndata: {\"at\": \"$2\"}", "$2", "data: $0"]},
       "times": 1},
      {"match": {"prompt": "(\\w+) in (.*)"}, "answer": {"status": 200, "body": "<$1|$2|$3>"}}])js");
  const std::string place = "\"Bergen\"";
  const auto ask = [&](bool streamed) {
    auto taken =
        rules.take({.operation = "chat", .prompt = "rain in " + place, .streamed = streamed});
    REQUIRE(taken.answer.has_value());
    return *taken.answer;
  };
  const CannedAnswer said = ask(false);
  REQUIRE(said.pieces.size() == 2);
  CHECK(said.pieces[0].text == "It is rain");
  CHECK(said.pieces[1].text == " in " + place);
  CHECK(said.reasoning == "r rain");
  CHECK(said.refusal == "n " + place);
  CHECK(said.finish_reason == "f rain");
  CHECK(*said.citations == std::vector<std::string>{"https://rain.example", place});
  CHECK(said.calls[0].name == "do_rain");
  CHECK(said.calls[0].arguments == R"({"at":"\"Bergen\""})");
  CHECK(said.headers[0].value == "rain");
  CHECK(said.headers[1].value == place);
  CHECK(ask(true).events ==
        std::vector<std::string>{"retry: rain\n\n",
                                 "event: rain\ndata: {\"at\":\"\\\"Bergen\\\"\"}\n\n",
                                 "data: \"Bergen\"\n\n", "data: rain in \"Bergen\"\n\n"});
  CHECK(ask(false).body == "<rain|\"Bergen\"|$3>");
}

TEST_CASE("the parts are those of the prompt, else of the tool result, else of the system prompt") {
  const auto taken = [](const std::string& match) {
    AnswerRuleSet rules;
    add(rules, fmt::format(R"({{"match": {{{}}}, "answer": {{"text": "$0"}}}})", match));
    return *rules.take({.operation = "chat", .prompt = "p", .system = "s", .tool_result = "t"})
                .answer->text;
  };
  CHECK(taken(R"("system": "s", "tool_result": "t", "prompt": "p")") == "p");
  CHECK(taken(R"("system": "s", "tool_result": "t")") == "t");
  CHECK(taken(R"("system": "s")") == "s");
  CHECK(taken(R"("operation": "chat")") == "$0");

  const std::vector<std::string> ten = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "nine"};
  std::vector<std::string> twelve = ten;
  twelve.insert(twelve.end(), {"ten", "eleven"});
  CHECK(expand_groups("$9$8", ten) == "nine8");
  CHECK(expand_groups("$9", {"a"}) == "$9");
  for (const char* plain : {"$", "a$", "$x", "$/", "$:", "$;"}) {
    CHECK(expand_groups(plain, twelve) == plain);
  }
  CHECK(expand_groups("$$", twelve) == "$");
  CHECK(expand_groups("$10", twelve) == "10");
  CHECK(expand_json(Json::parse(R"(["$0", {"$1": ["$2", 5, null, true]}])"), ten) ==
        Json::parse(R"(["0", {"1": ["2", 5, null, true]}])"));
}

TEST_CASE("a value in a document is found by its path") {
  const Json document = Json::parse(R"({"a": [10, {"b": null}, 30], "c": "text", "": {"d": 4}})");
  const auto at = [&](std::string_view path) {
    const Json* found = find_path(document, path);
    return found == nullptr ? "nothing" : found->dump();
  };
  CHECK(at("") == document.dump());
  CHECK(at("a.0") == "10");
  CHECK(at("a.2") == "30");
  CHECK(at("a.-1") == "30");
  CHECK(at("a.-3") == "10");
  CHECK(at("a.1.b") == "null");
  CHECK(at(".d") == "4");
  for (const char* none : {"x", "a.3", "a.-4", "a.x", "a.0.0", "c.0", "a.1.b.c", "a."}) {
    CHECK(at(none) == "nothing");
  }
}

TEST_CASE("secrets are replaced by their names, in any depth; other values stay") {
  Json value = Json::parse(R"({"list": [{"value": "x", "expires_at": 1}, {"value": "kept"}],
      "headers": "kept", "deep": {"headers": {"A": "x", "B": 5}}, "value": "kept",
      "secret": 5, "token": "kept"})");
  redact(value);
  CHECK(value ==
        Json::parse(R"({"list": [{"value": "REDACTED", "expires_at": 1}, {"value": "kept"}],
      "headers": "kept", "deep": {"headers": {"A": "REDACTED", "B": "REDACTED"}}, "value": "kept",
      "secret": 5, "token": "kept"})"));
  for (const char* name : {"apiKey", "api_key", "secret", "client_secret", "auth_token",
                           "auth_password", "authorization", "dispatch_signing_secret"}) {
    Json one = {{name, "x"}};
    redact(one);
    CHECK(one == Json{{name, "REDACTED"}});
  }
  Json inside = Json::parse(R"({"secret": {"api_key": "x", "id": "kept"}})");
  redact(inside);
  CHECK(inside == Json::parse(R"({"secret": {"api_key": "REDACTED", "id": "kept"}})"));
}

TEST_CASE("values of a body match whatever the order of members") {
  CHECK(matches(R"({"body": {"a": {"x": 1, "y": [1, 2]}}})",
                with_body(R"({"a":{"y":[1,2],"x":1}})")));
  CHECK_FALSE(matches(R"({"body": {"a": [1, 2]}})", with_body(R"({"a":[2,1]})")));
  CHECK_FALSE(matches(R"({"body": {"a": {"x": 1}}})", with_body(R"({"a":{"x":1,"y":2}})")));
  CHECK(matches(R"({"body": {"a": null}})", with_body("{}")));
  CHECK(matches(R"({"body": {"a": null}})", with_body(R"({"a":null})")));
  CHECK_FALSE(matches(R"({"body": {"a": null}})", with_body(R"({"a":0})")));
  CHECK_FALSE(matches(R"({"body": {"a": 1}})", {.operation = "chat"}));
  CHECK(matches(R"({"key": "k"})", {.is_key = [](auto key) { return key == "k"; }}));
  CHECK_FALSE(matches(R"({"key": "k"})", {}));
  CHECK(matches(R"({"operation": "/v1/files"})", {.operation = "GET /v1/files"}));
  CHECK_FALSE(matches(R"({"operation": "/v1/files"})", {.operation = "/v1/files"}));
  CHECK_FALSE(matches(R"({"operation": "GET /v1/files"})", {.operation = "POST /v1/files"}));
}

TEST_CASE("each difference is told, the first eight of them") {
  CHECK(difference(R"({"body": {"": {"a": 1, "gone": 2}}})", with_body(R"({"a":3,"new":"x"})")) ==
        R"(body.a is 3, not 1; body.gone is missing, not 2; body.new is "x", not missing)");
  CHECK(difference(R"({"body": {"m.0": {"role": "user"}}})",
                   with_body(R"({"m":[{"role":"system"}]})")) ==
        R"(body.m.0.role is "system", not "user")");
  CHECK(difference(R"({"body": {"a": 1, "b": 2, "c": 3, "d": 4}})",
                   with_body(R"({"a":5,"b":6,"d":7})")) ==
        "body.a is 5, not 1; body.b is 6, not 2; body.c is missing, not 3; body.d is 7, not 4");
  CHECK(difference(R"({"body": {"m": 1}})", {.operation = "chat"}) == "body.m is missing, not 1");
  CHECK(difference(R"({"model": "m"})", {.operation = "chat"}) == "model is , not m");

  // A long text is shown from its first difference on, in whole characters.
  const auto texts = [](std::size_t same, const char* is, const char* should) {
    const std::string begin(same, 's');
    return difference(fmt::format(R"({{"body": {{"t": "{}{}"}}}})", begin, should),
                      with_body(fmt::format(R"({{"t":"{}{}"}})", begin, is)));
  };
  CHECK(texts(29, "x", "y") ==
        fmt::format(R"(body.t is "{0}x", not "{0}y")", std::string(29, 's')));
  CHECK(texts(30, "x", "y") == R"(body.t is …x", not …y")");
  CHECK(texts(30, "\xc3\xa9", "\xc3\xa8") == "body.t is …\xc3\xa9\", not …\xc3\xa8\"");

  const auto many = [](int count) {
    std::string wanted;
    for (int i = 0; i < count; ++i) wanted += fmt::format("{}\"m{}\": 1", i == 0 ? "" : ", ", i);
    return difference(fmt::format(R"({{"body": {{{}}}}})", wanted), with_body("{}"));
  };
  CHECK(many(8).ends_with("; body.m7 is missing, not 1"));
  CHECK(many(9).ends_with("; body.m7 is missing, not 1; and 1 more"));
  CHECK(many(11).ends_with("; and 3 more"));
}

TEST_CASE("the nearest rule has the fewest differences, then the most in common, then is first") {
  AnswerRuleSet rules;
  rules.set_strict(AnswerRuleSet::Strict::All);
  const auto nearest = [&](const char* text) {
    rules.clear();
    add(rules, text);
    const std::string refusal = rules.take({.operation = "chat", .prompt = "p"}).refusal;
    return refusal.substr(refusal.find("nearest is rule ") + 16, 1);
  };
  CHECK(nearest(R"([{"match": {"prompt": "x"}, "answer": {"status": 200}},
                    {"match": {"prompt": "x", "operation": "chat"}, "answer": {"status": 200}},
                    {"match": {"prompt": "y", "operation": "chat"}, "answer": {"status": 200}}])") ==
        "2");
  CHECK(nearest(R"([{"match": {"prompt": "x", "operation": "chat", "model": "m"},
                     "answer": {"status": 200}},
                    {"match": {"prompt": "x"}, "answer": {"status": 200}}])") == "2");
  CHECK(mentions(rules.add(*parse_answers(R"({"answer": {"text": "x"}})")).error().message,
                 R"(must have status or events, not {"answer":{"text":"x"}}.)"));
  CHECK(rules.add(*parse_answers(R"({"answer": {"events": ["x"]}})")).has_value());
}

TEST_CASE("strict refuses requests to a model, or all") {
  const auto refuses = [](AnswerRuleSet::Strict strict, bool modelled) {
    AnswerRuleSet rules;
    rules.set_strict(strict);
    return !rules.take({.operation = "chat", .modelled = modelled}).refusal.empty();
  };
  CHECK_FALSE(refuses(AnswerRuleSet::Strict::No, true));
  CHECK(refuses(AnswerRuleSet::Strict::Models, true));
  CHECK_FALSE(refuses(AnswerRuleSet::Strict::Models, false));
  CHECK(refuses(AnswerRuleSet::Strict::All, false));
}

TEST_CASE("calls and then a text; the text is not the first answer to a result") {
  AnswerRuleSet rules;
  const auto ask = [&](bool after_tools) -> std::string {
    const auto taken = rules.take(
        {.operation = "chat", .tool_result = after_tools ? "21" : "", .after_tools = after_tools});
    if (!taken.answer) return "none";
    return taken.answer->calls.empty()
               ? taken.answer->text.value_or("")
               : taken.answer->calls[0].name + taken.answer->text.value_or("");
  };
  add(rules, R"({"answer": {"tool_calls": [{"name": "f"}], "text": "done"}, "times": 1})");
  CHECK(ask(true) == "none");  // the result of another's call
  CHECK(ask(false) == "f");
  CHECK(ask(true) == "done");
  CHECK(ask(false) == "none");
  rules.clear();
  add(rules, R"({"match": {"tool_result": "21"},
                 "answer": {"tool_calls": [{"name": "g"}], "text": "done"}})");
  CHECK(ask(true) == "g");
  CHECK(ask(true) == "done");
  CHECK(ask(false) == "none");
}

TEST_CASE("a rule's text is for models; for speech only if the rule names its operation or path") {
  const auto says = [](const char* match, AnswerText text) {
    AnswerRuleSet rules;
    add(rules, fmt::format(R"({{"match": {}, "answer": {{"text": "x"}}}})", match));
    return rules.take({.operation = "speech", .path = "/v1/tts", .text = text}).answer.has_value();
  };
  CHECK(says("{}", AnswerText::Model));
  CHECK_FALSE(says("{}", AnswerText::Named));
  CHECK(says(R"({"operation": "speech"})", AnswerText::Named));
  CHECK(says(R"({"path": "/v1/*"})", AnswerText::Named));
  CHECK_FALSE(says(R"({"operation": "speech"})", AnswerText::None));
}

TEST_CASE("rules are numbered, in order, and at most 10,000") {
  AnswerRuleSet rules;
  add(rules, R"([{"answer": {"text": "c"}}, {"answer": {"text": "d"}}])",
      AnswerRuleSet::Place::Last);
  add(rules, R"([{"answer": {"text": "a"}}, {"answer": {"text": "b"}}])");
  std::string order;
  for (const auto& entry : rules.entries())
    order += fmt::format("{}{} ", *entry.rule.answer.text, entry.id);
  CHECK(order == "a3 b4 c1 d2 ");
  rules.clear();
  add(rules, R"({"answer": {"text": "x"}})");
  CHECK(rules.entries().at(0).id == 1);
  const AnswerRule one = one_rule(R"({"answer": {"text": "x"}})");
  CHECK(rules.add(std::vector<AnswerRule>(9'999, one)).has_value());
  CHECK(rules.add({one}).error().message == "There can be at most 10000 answer rules.");
  CHECK(rules.entries().size() == 10'000);
  CHECK(rules.add({}).has_value());
}

TEST_CASE("a rule for an operation that does not exist") {
  AnswerRuleSet rules;
  const auto add_for = [&](const char* operation) {
    const auto added = rules.add(*parse_answers(
        fmt::format(R"({{"match": {{"operation": "{}"}}, "answer": {{"delay": 1}}}})", operation)));
    return added ? "" : added.error().message + " " + added.error().hint;
  };
  CHECK(add_for("GET /v1/zzz") == "");  // before it knows any
  rules.set_operations({"GET /v1/files", "POST /v1/chat/completions"});
  CHECK(add_for("chat") == "");
  CHECK(add_for("GET /v1/files") == "");
  CHECK(add_for("GET /v1/file") == "Unknown operation GET /v1/file. Did you mean GET /v1/files?");
  CHECK(add_for("POST /elsewhere/entirely") ==
        "Unknown operation POST /elsewhere/entirely. `svc operations` lists them.");
}

TEST_CASE("the last 1,000 requests are counted, of at most 64 MB") {
  AnswerRuleSet rules;
  const auto ask = [&](std::size_t bytes, std::uint64_t number = 0) {
    (void)rules.take({.operation = "chat", .prompt = "p", .body_bytes = bytes, .number = number});
  };
  const auto count = [&] {
    const auto counted = rules.verify(*parse_check("{}"));
    return counted ? *counted : -1;
  };
  constexpr std::size_t k_mb = 1U << 20U;
  for (int i = 0; i < 1'001; ++i) {
    ask(1);
    if (i == 999) CHECK(count() == 1'000);
  }
  CHECK(count() == 1'000);
  rules.forget();
  CHECK(count() == -1);
  ask(100 * k_mb);
  CHECK(count() == 1);
  ask(32 * k_mb);
  CHECK(count() == 1);
  ask(32 * k_mb);
  CHECK(count() == 2);
  ask(1);
  CHECK(count() == 2);
  rules.forget();
  ask(32 * k_mb);
  ask(32 * k_mb);
  CHECK(count() == 2);
  rules.forget();

  ask(1, 5);
  rules.note(5, []() -> AnswerTarget {
    FAIL("it is there already");
    return {};
  });
  rules.note(6, [] { return AnswerTarget{.operation = "chat", .number = 6}; });
  CHECK(count() == 2);
}

TEST_CASE("verify: the n-th request, and what came instead") {
  AnswerRuleSet rules;
  const auto verify = [&](const char* check) {
    const auto result = rules.verify(*parse_check(check));
    return result ? std::to_string(*result) : result.error().message;
  };
  for (const char* prompt : {"a1", "a2", "b"}) {
    (void)rules.take({.operation = "chat", .prompt = prompt});
  }
  CHECK(verify(R"({"match": {"prompt": "a"}})") == "2");
  CHECK(verify(R"({"match": {"prompt": "a", "call": 2}})") == "1");
  CHECK(verify(R"({"match": {"prompt": "a", "call": 2}, "count": 1})") == "1");
  CHECK(verify(R"({"match": {"prompt": "a", "call": 3}, "count": 0})") == "0");
  CHECK(verify(R"({"match": {"prompt": "[ab]"}, "count": 4})") == "3 requests match, not 4.");
  CHECK(verify(R"({"match": {"prompt": "a"}, "count": 1})") ==
        R"(2 requests match, not 1. Others: chat "b": prompt is not found in "b".)");
  for (int i = 0; i < 1'000; ++i) (void)rules.take({.operation = "chat", .prompt = "other"});
  CHECK(verify(R"({"match": {"prompt": "a"}})").size() < 2'200);
  CHECK(verify(R"({"match": {"prompt": "a"}})").size() > 2'000);
}

TEST_CASE("faults: durations, quotes, and limits of their numbers") {
  CHECK(fault("GET /x: latency 5").duration == 5ms);
  CHECK(fault("GET /x: latency 1h").duration == 1h);
  CHECK(fault("GET /x: latency 0").duration == 0ms);
  CHECK(fault(" \tGET   /x: reset ").text == "GET   /x: reset");
  CHECK(fault("GET   /x: reset").path == "/x");
  CHECK(fault("GET /x: close-after 0 1000").status == 1000);
  CHECK(fault("GET /x: close-after 0 4999").status == 4999);
  CHECK(fault("GET /x: close-after 3").amount == 3);
  CHECK(fault("GET /x: status 200").status == 200);
  CHECK(fault("GET /x: status 599").status == 599);
  const FaultRule quoted =
      fault(R"(GET /x: status 500 message 'a "b", c' header "X-Y:" body "", key 'my key')");
  CHECK(quoted.message == R"(a "b", c)");
  CHECK(quoted.headers.at(0).name == "X-Y");
  CHECK(quoted.headers.at(0).value == "");
  CHECK(quoted.body == "");
  CHECK(quoted.key == "my key");
  CHECK(fault("GET /x: reset,times 2,model m,rate 0").model == "m");
  const FaultRule plain = fault("GET /x: reset");
  CHECK_FALSE(plain.times.has_value());
  CHECK(plain.after == 0);
  CHECK(plain.every == 1);
  CHECK(plain.rate == 1);
}

TEST_CASE("faults add up: pauses do, of others the last one counts") {
  FaultRuleSet rules;
  REQUIRE(
      rules
          .add({fault("* *: slow 1ms"), fault("* *: slow 20ms per byte"), fault("* *: cut-after 2"),
                fault("* *: cut-after 5"), fault("* *: drop-after 0")})
          .has_value());
  const FaultPlan plan = rules.plan({"GET", "/x"});
  CHECK(plan.slow == 21ms);
  CHECK(plan.latency == 0ms);
  CHECK_FALSE(plan.replacement.has_value());
  CHECK(plan.due(FaultAction::CutAfter, 4) == nullptr);
  REQUIRE(plan.due(FaultAction::CutAfter, 5) != nullptr);
  CHECK(plan.due(FaultAction::CutAfter, 5)->amount == 5);
  CHECK(plan.due(FaultAction::CutAfter, 6) != nullptr);
  CHECK(plan.due(FaultAction::DropAfter, 0) != nullptr);
  CHECK(plan.due(FaultAction::StallAfter, 9) == nullptr);
}

TEST_CASE("the same requests get the same faults after the rules were cleared") {
  FaultRuleSet rules;
  const auto hits = [&] {
    REQUIRE(rules.add({fault("* *: reset, rate 0.5")}).has_value());
    std::string out;
    for (int i = 0; i < 60; ++i) out += rules.plan({"GET", "/x"}).replacement ? '1' : '0';
    rules.clear();
    return out;
  };
  const std::string first = hits();
  CHECK(first == hits());
}

TEST_CASE("HEAD is faulted where there is GET, and only there") {
  FaultRuleSet rules;
  rules.set_operations({{"POST", "/v1/chat"}, {"GET", "/v1/files/{id}/content"}});
  CHECK(rules.add({fault("HEAD /v1/files/a/content: reset")}).has_value());
  for (const char* none : {"HEAD /v1/chat: reset", "POST /v1/files/a/content: reset"}) {
    const auto added = rules.add({fault(none)});
    REQUIRE_FALSE(added.has_value());
    CHECK(mentions(added.error().message, "the methods of"));
  }
  CHECK_FALSE(rules.add({fault("GET /v1/files/a/contents: reset")}).has_value());
  CHECK_FALSE(rules.add({fault("GET /v1/files/: reset")}).has_value());
  CHECK(rules.add({fault("GET /v1/*t: reset"), fault("* *: reset")}).has_value());
}

TEST_CASE("the log keeps the last 1,000 requests, without their secrets") {
  RequestLog log;
  CHECK(log.last() == 0);
  CHECK(log.add(request("a", {{"Authorization", "x"},
                              {"PROXY-authorization", "x"},
                              {"Cookie", "x"},
                              {"Sec-WebSocket-Protocol", "x"},
                              {"x-api-key", "x"},
                              {"X-Control-Token", "x"},
                              {"X-Other", "kept"}}),
                7) == 1);
  const auto first = log.since(0);
  REQUIRE(first.size() == 1);
  CHECK(first[0].time_ms == 7);
  CHECK(first[0].target == "/x?a=b");
  REQUIRE(first[0].headers.size() == 1);
  CHECK(first[0].headers[0].value == "kept");
  for (int i = 1; i < 1'000; ++i)
    CHECK(log.add(request(""), 0) == static_cast<std::uint64_t>(i) + 1);
  CHECK(log.since(0).size() == 1'000);
  CHECK(log.add(request(""), 0) == 1'001);
  const auto all = log.since(0);
  CHECK(all.size() == 1'000);
  CHECK(all.front().number == 2);
  CHECK(log.since(1'000).size() == 1);
  CHECK(log.since(1'001).empty());
  log.set_status(1, 200);  // which is gone
  log.set_status(2, 201);
  log.set_status(1'001, 202);
  log.set_status(1'002, 203);  // which never came
  CHECK(log.since(1).front().status == 201);
  CHECK(log.since(1'000).front().status == 202);
  log.clear();
  log.set_status(1'001, 204);
  CHECK(log.since(0).empty());
  CHECK(log.last() == 1'001);
  CHECK(log.add(request(""), 0) == 1'002);
}

TEST_CASE("the log keeps 64,000 bytes of each body, and how many there were") {
  RequestLog log;
  const auto entry = [&] { return log.since(log.last() - 1).at(0); };
  (void)log.add(request(std::string(64'001, 'x')), 0);
  CHECK(entry().body.size() == 64'000);
  CHECK(entry().body_bytes == 64'001);
  log.add_response(log.last(), std::string(63'999, 'r'));
  log.add_response(log.last(), "ab");
  log.add_response(log.last(), "c");
  CHECK(entry().response == std::string(63'999, 'r') + "a");
  CHECK(entry().response_bytes == 64'002);
  HttpRequest in_file = request("");
  in_file.body_file = std::make_shared<FileBackedBuffer>();
  REQUIRE(in_file.body_file->append(std::string(64'001, 'f')).has_value());
  (void)log.add(in_file, 0);
  CHECK(entry().body == std::string(64'000, 'f'));
  CHECK(entry().body_bytes == 64'001);

  (void)log.add(request(""), 0);
  log.add_message(log.last(), "one", true);
  log.add_message(log.last(), "\1\2", false);
  log.add_message(log.last(), "two", true);
  CHECK(entry().body == "one\ntwo\n");
  CHECK(entry().body_bytes == 8);
  CHECK(entry().messages == 3);
  CHECK(entry().binary_bytes == 2);
  log.add_message(log.last(), std::string(63'991, 'm'), true);
  CHECK(entry().body.size() == 64'000);
  CHECK(entry().body.back() == '\n');
  log.add_message(log.last(), "more", true);
  CHECK(entry().body.size() == 64'000);
  CHECK(entry().body_bytes == 64'005);
  (void)log.add(request(""), 0);
  log.add_message(log.last(), std::string(64'000, 'm'), true);
  CHECK(entry().body == std::string(64'000, 'm'));
}

}  // namespace svc::emulator::rules_test
