// What a rule changes in an answer, and the pretended model's texts, calls and samples.
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"
#include "unit/emulator/text_support.h"

namespace svc::emulator::model_test {
namespace {

using text::Json;

CannedAnswer canned_of(const std::string& answer) {
  auto rules = parse_answers(fmt::format(R"({{"answer": {}}})", answer));
  REQUIRE_MESSAGE(rules.has_value(), (rules ? "" : rules.error().message));
  return rules->front().answer;
}

// An event as the rule changes it.
std::string event_of(const std::string& answer, const std::string& event) {
  Response response;
  response.content_type = "text/event-stream";
  response.next = [event, sent = false]() mutable -> std::optional<StreamChunk> {
    if (std::exchange(sent, true)) return std::nullopt;
    return StreamChunk{event};
  };
  text::finish_canned(canned_of(answer), response);
  const auto chunk = response.next();
  CHECK_FALSE(response.next().has_value());
  return chunk ? chunk->bytes : "none";
}

// The same for the data of an event.
std::string data_of(const std::string& answer, const std::string& data) {
  const std::string event = event_of(answer, "data: " + data + "\n\n");
  return event.substr(6, event.size() - 8);
}

std::string body_of(const std::optional<CannedAnswer>& canned, const std::string& body) {
  Response response{.body = body};
  text::finish_canned(canned, response);
  return response.body;
}

std::vector<std::int64_t> delays_of(const Response& response) {
  std::vector<std::int64_t> delays;
  while (const auto chunk = response.next()) {
    if (chunk->delay.count() > 0) delays.push_back(chunk->delay.count());
  }
  return delays;
}

text::ModelRequest question(std::string prompt, std::string_view model = "svc-4.5") {
  text::ModelRequest made{.model = find_model(model)};
  made.turns.push_back({.role = "user", .text = std::move(prompt)});
  return made;
}

text::ModelOutput said(const text::ModelRequest& request, std::size_t choice = 0,
                       std::size_t choices = 1) {
  auto output = text::generate(request, choice, choices);
  REQUIRE_MESSAGE(output.has_value(), (output ? "" : output.error().message));
  return *std::move(output);
}

std::string sample(const std::string& schema, std::size_t variation = 0) {
  const auto value = text::sample_schema(text::parse_json(schema), variation);
  return value ? text::dump(*value) : "nothing";
}

std::string pieces_of(std::string_view text) {
  std::string out;
  for (const Token& token : tokenize(text)) out += std::string(token.text) + "|";
  CHECK(count_tokens(text) == tokenize(text).size());
  return out;
}

}  // namespace

TEST_CASE("a rule changes the members that an event has, wherever the operation puts them") {
  const std::string usage = R"({"usage": {"a": 5}})";
  for (const char* place :
       {R"({{"usage":{{"a":{},"b":2}}}})", R"({{"response":{{"usage":{{"a":{},"b":2}}}}}})",
        R"({{"message":{{"usage":{{"a":{},"b":2}}}}}})"}) {
    CHECK(data_of(usage, fmt::format(fmt::runtime(place), 1)) ==
          fmt::format(fmt::runtime(place), 5));
  }
  for (const char* other :
       {R"({"usage":null})", R"({"usage":7})", R"({"other":{"usage":{"a":1}}})"}) {
    CHECK(data_of(usage, other) == other);
  }

  const std::string reason = R"({"finish_reason": "given"})";
  CHECK(data_of(reason, R"({"stop_reason":"x"})") == R"({"stop_reason":"given"})");
  CHECK(data_of(reason, R"({"delta":{"stop_reason":"x"}})") ==
        R"({"delta":{"stop_reason":"given"}})");
  CHECK(data_of(reason, R"({"choices":[{"finish_reason":"x"},{},{"finish_reason":"y"}]})") ==
        R"({"choices":[{"finish_reason":"given"},{},{"finish_reason":"given"}]})");
  for (const char* other : {R"({"stop_reason":null})", R"({"choices":[{"finish_reason":null}]})",
                            R"({"object":"response"})", "[1]"}) {
    CHECK(data_of(reason, other) == other);
  }
  CHECK(data_of(R"({"finish_reason": "content_filter"})", R"({"object":"response"})") ==
        R"({"object":"response"})");

  const std::string members = R"({"members": {"a.b": 9, "list.1": {"c": 8}, "new": 7}})";
  CHECK(data_of(members, R"({"a":{"b":1},"list":[0,1]})") == R"({"a":{"b":9},"list":[0,{"c":8}]})");
  CHECK(data_of(members, R"({"a":{},"list":[0]})") == R"({"a":{},"list":[0]})");
  CHECK(event_of(members, "event: x\ndata: {\"a\":{\"b\":1}}\n\n") ==
        "event: x\ndata: {\"a\":{\"b\":9}}\n\n");
  CHECK(event_of(members, "data: [DONE]\n\n") == "data: [DONE]\n\n");
  CHECK(event_of(members, "") == "");
}

TEST_CASE("a rule adds members to a whole answer, and fills a transcript") {
  const auto with = [](const std::string& members, const std::string& body) {
    return body_of(canned_of(fmt::format(R"({{"members": {}}})", members)), body);
  };
  CHECK(with(R"({"x.y": 3})", "{}") == R"({"x":{"y":3}})");
  CHECK(with(R"({"n.y": 3})", R"({"n":null})") == R"({"n":{"y":3}})");
  CHECK(with(R"({"list.1": 3})", R"({"list":[1]})") == R"({"list":[1,3]})");
  CHECK(with(R"({"list.0": 3})", R"({"list":[1]})") == R"({"list":[3]})");
  CHECK(with(R"({"list.2": 3})", R"({"list":[1]})") == R"({"list":[1]})");
  CHECK(with(R"({"s.x": 3})", R"({"s":"text"})") == R"({"s":"text"})");
  CHECK(with(R"({"x": 3})", "no document") == "no document");
  CHECK(body_of(canned_of(R"({"finish_reason": "content_filter"})"),
                R"({"object":"response","status":"completed","completed_at":5})") ==
        R"({"object":"response","status":"incomplete","completed_at":null,)"
        R"("incomplete_details":{"reason":"content_filter"}})");
  for (const char* reason : {"stop", "length"}) {
    CHECK(body_of(canned_of(fmt::format(R"({{"finish_reason": "{}"}})", reason)),
                  R"({"object":"response","status":"completed"})") ==
          R"({"object":"response","status":"completed"})");
  }
  CHECK(body_of(canned_of(R"({"finish_reason": "content_filter"})"), R"({"object":"chat"})") ==
        R"({"object":"chat"})");

  const CannedAnswer heard = canned_of(R"({"text": "given"})");
  CHECK(body_of(heard, R"({"text":"x","words":[1]})") == R"({"text":"given","words":[]})");
  CHECK(body_of(heard, R"({"text":"x"})") == R"({"text":"given"})");
  CHECK(body_of(heard, R"({"text":5,"words":[1]})") == R"({"text":5,"words":[1]})");
  CHECK(body_of(heard, R"({"words":[1]})") == R"({"words":[1]})");
  // What a rule does not change stays as it was, to the byte.
  CHECK(body_of(std::nullopt, R"({ "text": "x" })") == R"({ "text": "x" })");
  CHECK(body_of(canned_of(R"({"delay": 5})"), R"({ "text": "x" })") == R"({ "text": "x" })");

  Response response;
  response.headers = {{"A", "1"}};
  text::finish_canned(canned_of(R"({"delay": 5, "headers": {"a": "2", "B": "3"}})"), response);
  CHECK(response.delay.count() == 5);
  REQUIRE(response.headers.size() == 2);
  CHECK(response.headers[0].value == "2");

  // A document sent in parts is changed as a whole.
  Response parts;
  parts.next = [list = std::vector<std::string>{R"({"a":)", "1}"},
                at = std::size_t{0}]() mutable -> std::optional<StreamChunk> {
    if (at == list.size()) return std::nullopt;
    return StreamChunk{list[at++]};
  };
  text::finish_canned(canned_of(R"({"members": {"a": 2}})"), parts);
  CHECK_FALSE(parts.next);
  CHECK(parts.body == R"({"a":2})");
}

TEST_CASE("the message of a rule's response where it cannot be sent as HTTP") {
  const auto message = [](int status, const std::string& body) {
    return text::canned_text({.status = status, .body = body});
  };
  CHECK(message(404, "") == "Status 404 (given answer).");
  CHECK(message(404, "plain") == "plain");
  CHECK(message(404, R"({"error":"why"})") == "why");
  CHECK(message(404, R"({"error":{"message":"why"}})") == "why");
  for (const char* other : {R"({"error":{"message":""}})", R"({"error":""})", R"({"error":5})",
                            R"({"message":"m"})", R"(["error"])"}) {
    CHECK(message(404, other) == other);
  }
}

TEST_CASE("the pace of a stream: as asked, as the rule says, and with jitter around it") {
  svc::test::TextApi api;
  const auto pace = [&](const std::string& answer, const char* asked = nullptr) {
    api.state().answers().clear();
    REQUIRE(api.state().answers().add(*parse_answers(fmt::format(R"({{"answer": {}}})", answer))));
    api.headers.clear();
    if (asked != nullptr) api.headers = {{"x-emulator-delay-ms", asked}};
    return delays_of(api.ask("Hi", R"("stream":true)"));
  };
  using Delays = std::vector<std::int64_t>;
  const std::string text = R"({"text": "a b"})";
  CHECK(pace(text) == Delays{10, 10});
  CHECK(pace(text, "7") == Delays{7, 7});
  CHECK(pace(text, "60000") == Delays{60'000, 60'000});
  CHECK(pace(text, "60001") == Delays{60'000, 60'000});
  CHECK(pace(text, "0").empty());
  CHECK(pace(text, "-1") == Delays{10, 10});
  CHECK(pace(text, "soon") == Delays{10, 10});
  const std::string events = R"({"events": ["a", "b", "c"])";
  CHECK(pace(events + "}").empty());
  CHECK(pace(events + "}", "30") == Delays{30, 30, 30});
  CHECK(pace(events + R"(, "rate": 2})") == Delays{500, 500, 500});

  std::string words = "w";
  for (int i = 1; i < 100; ++i) words += " w";
  const std::string jittered = fmt::format(R"({{"text": "{}", "rate": 10, "jitter": 0.2}})", words);
  const Delays some = pace(jittered);
  REQUIRE(some.size() == 100);
  std::int64_t sum = 0;
  for (const auto one : some) {
    CHECK(one >= 79);
    CHECK(one <= 121);
    sum += one;
  }
  CHECK(std::ranges::min(some) < 86);
  CHECK(std::ranges::max(some) > 114);
  CHECK(sum > 9'500);
  CHECK(sum < 10'500);
  CHECK(pace(jittered) == some);
  const Delays usual = pace(fmt::format(R"({{"text": "{}", "jitter": 1}})", words));
  CHECK(std::ranges::max(usual) > 14);
  CHECK(std::ranges::max(usual) <= 20);
}

TEST_CASE("rules see the instructions, the tool results since the question, and the prompt") {
  svc::test::TextApi api;
  const auto matches = [&](const std::string& match, const std::string& messages) {
    api.state().answers().clear();
    REQUIRE(api.state().answers().add(*parse_answers(
        fmt::format(R"({{"match": {{{}}}, "answer": {{"text": "given"}}}})", match))));
    const auto whole =
        svc::test::ok(api.chat(fmt::format(R"({{"model":"svc-4.5","messages":[{}]}})", messages)));
    return svc::test::content_of(whole) == "given";
  };
  const auto turn = [](const char* role, const char* content) {
    return fmt::format(R"({{"role":"{}","content":"{}","tool_call_id":"c"}})", role, content);
  };
  const std::string both =
      turn("system", "Be kind.") + "," + turn("developer", "Be brief.") + "," + turn("user", "Hi");
  CHECK(matches(R"("system": "^Be kind\\.\nBe brief\\.$")", both));
  CHECK_FALSE(matches(R"("system": "Hi")", both));
  const std::string call =
      R"({"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},)";
  const std::string results = both + "," + call + turn("tool", "one") + "," + turn("tool", "two");
  CHECK(matches(R"("tool_result": "^one\ntwo$")", results));
  CHECK_FALSE(matches(R"("tool_result": "one")", results + "," + turn("user", "More")));
  CHECK(matches(R"("tool_result": "^three$")",
                results + "," + turn("user", "More") + "," + call + turn("tool", "three")));
  CHECK_FALSE(matches(R"("tool_result": "one")", results + "," + turn("assistant", "So.")));
}

TEST_CASE("what a request's body alone tells rules") {
  svc::test::TextApi api;
  const auto target = [&](const std::string& body) {
    Request call;
    call.state = &api.state();
    call.body = body;
    return text::unread_target(call, "chat");
  };
  AnswerTarget all =
      target(R"({"model":"m","system":"S","instructions":[{"text":"I"}],"stream":true,
      "messages":[{"role":"developer","content":"D"},{"role":"user","content":[{"type":"text","text":"one"},
      {"type":"text","text":"two"}]}]})");
  CHECK(all.system == "S\nI\nD");
  CHECK(all.prompt == "one\ntwo");
  CHECK(all.models == std::vector<std::string>{"m"});
  CHECK(all.streamed);
  CHECK_FALSE(all.after_tools);
  all = target(R"({"input":[{"role":"user","content":"Q"},
      {"type":"function_call_output","output":"R"}]})");
  CHECK(all.prompt == "Q");
  CHECK(all.tool_result == "R");
  CHECK(all.after_tools);
  CHECK_FALSE(all.streamed);
  CHECK(all.models.empty());
  CHECK(target(R"({"input":"Q"})").prompt == "Q");
  CHECK(target(R"({"prompt":"","text":"T","query":"q"})").prompt == "T");
  CHECK(target(R"({"query":"q"})").prompt == "q");
  CHECK(target(R"({"prompt":"P","messages":[]})").prompt == "P");
  CHECK(text::dump(*target(R"({"tools":[{"authorization":"secret"}]})").body) ==
        R"({"tools":[{"authorization":"REDACTED"}]})");
}

TEST_CASE("a key is known by its ID, name and secret; that of a batch by its creator's") {
  svc::test::TextApi api;
  Request call;
  call.state = &api.state();
  call.key.id = "an ID";
  call.key.name = "a name";
  const auto is_key = text::key_test(call);
  for (const char* key : {"an ID", "a name"}) CHECK(is_key(key));
  for (const char* key : {"svc-demo-key", "other", ""}) CHECK_FALSE(is_key(key));
  call.batch_key_id = "00000000-0000-4000-8000-000000000001";
  const auto of_batch = text::key_test(call);
  for (const char* key : {"00000000-0000-4000-8000-000000000001", "svc-demo-key", "a name"}) {
    CHECK(of_batch(key));
  }
  for (const char* key : {"an ID", "svc-demo-management-key"}) CHECK_FALSE(of_batch(key));
}

TEST_CASE("rules for an operation without a model: what is strict, spoken, read and changed") {
  svc::test::TextApi api;
  auto& rules = api.state().answers();
  Json seen;
  int status = 200;
  const auto ask = [&](const std::string& operation, const std::string& body) {
    const Handler handler = text::answered_by_rules(
        operation,
        [&](const Request& call) {
          seen = text::parse_json(call.body);
          return Response{.status = status, .body = R"({"a":1})"};
        },
        [](const Request&) {
          return Json{{"language", "en"}};
        });
    Request call;
    call.state = &api.state();
    call.body = body;
    return handler(call);
  };
  rules.set_strict(AnswerRuleSet::Strict::Models);
  for (const char* operation : {"images", "videos", "search", "speech", "transcription",
                                "POST /v1/images/edits", "POST /v1/videos/edits"}) {
    const Response refused = ask(operation, "{}");
    CHECK(refused.status == 404);
    CHECK(refused.body.starts_with(R"({"code":"emulator_no_rule","error":"No rule matches )"));
  }
  for (const char* operation : {"GET /v1/files", "POST /v1/files", "GET /v1/images/x"}) {
    CHECK(ask(operation, "{}").status == 200);
  }
  rules.set_strict(AnswerRuleSet::Strict::No);

  const auto rule = [&](const char* text) {
    rules.clear();
    REQUIRE(rules.add(*parse_answers(text)).has_value());
  };
  rule(R"({"match": {"operation": "speech"}, "answer": {"text": "given", "headers": {"X": "y"}}})");
  Response response = ask("speech", R"({"text":"asked","language":"en"})");
  CHECK(seen == Json::parse(R"({"text":"given","language":"en"})"));
  CHECK(response.headers.size() == 1);
  (void)ask("speech", R"(["text"])");
  CHECK(seen == Json::parse(R"(["text"])"));
  rule(R"({"match": {"operation": "transcription", "body": {"language": "en"}},
           "answer": {"members": {"a": 2}, "headers": {"X": "y"}}})");
  CHECK(ask("transcription", "no JSON").body == R"({"a":2})");
  CHECK(ask("transcription", R"({"language":"de"})").body == R"({"a":1})");
  status = 299;
  CHECK(ask("transcription", "no JSON").headers.size() == 1);
  status = 300;
  response = ask("transcription", "no JSON");
  CHECK(response.body == R"({"a":1})");
  CHECK(response.headers.empty());
  rule(
      R"({"match": {"operation": "images"}, "answer": {"status": 418, "body": "tea", "delay": 7}})");
  response = ask("images", "{}");
  CHECK(response.status == 418);
  CHECK(response.body == "tea");
  CHECK(response.delay.count() == 7);
}

TEST_CASE("tokens: which characters belong together, and how many at most") {
  CHECK(pieces_of("abcdefgh") == "abcdefgh|");
  CHECK(pieces_of("abcdefghi") == "abcde|fghi|");
  CHECK(pieces_of("az_AZ") == "az_AZ|");
  CHECK(pieces_of("a`{@[a") == "a|`|{|@|[|a|");
  CHECK(pieces_of("/09:") == "/|09|:|");
  CHECK(pieces_of("1234567") == "123|456|7|");
  CHECK(pieces_of(" a") == " a|");
  CHECK(pieces_of("\ta") == "\t|a|");
  CHECK(pieces_of("  a") == "  |a|");
  CHECK(pieces_of(" 1") == " |1|");
  CHECK(pieces_of(std::string(17, ' ')) == std::string(16, ' ') + "| |");
  CHECK(pieces_of("\r\n\n") == "\r\n|\n|");
  CHECK(pieces_of(" abcdefghi") == " abcde|fghi|");
  // U+00BF and U+2000 are no letters, U+00C0 and U+1FFF are.
  CHECK(pieces_of("a\xc2\xbf") == "a|\xc2\xbf|");
  CHECK(pieces_of("a\xc3\x80") == "a\xc3\x80|");
  CHECK(pieces_of("a\xe1\xbf\xbf") == "a\xe1\xbf\xbf|");
  CHECK(pieces_of("a\xe2\x80\x80") == "a|\xe2\x80\x80|");
}

TEST_CASE("a function's name is a word of its own") {
  for (const char* inside : {"af", "zf", "Af", "Zf", "0f", "9f", "_f",
                             "\xc3\xa9"
                             "f",
                             "fa", "fz", "fA", "fZ", "f0", "f9", "f_", "f\xc3\xa9"}) {
    CHECK_FALSE(text::find_word(inside, "f").has_value());
  }
  for (const char* beside : {"-f", "`f", "{f", "@f", "[f", "/f", ":f", ".f"}) {
    CHECK(text::find_word(beside, "f") == 1U);
  }
  for (const char* before : {"f-", "f`", "f{", "f@", "f[", "f/", "f:", "f"}) {
    CHECK(text::find_word(before, "f") == 0U);
  }
  CHECK(text::generate_words(25) ==
        "The emulator writes plain words one after another so that a long. Answer can be tried out "
        "without any network or key at all. The.");
  CHECK(text::counted(0, "word") == "0 words");
  CHECK(text::counted(1, "word") == "1 word");
}

TEST_CASE(
    "stop sequences: the first in the text ends it, and is told unless the limit came first") {
  text::ModelRequest request = question("Say exactly: one two three");
  request.stop = {"three", " two"};
  CHECK(said(request).text == "one");
  CHECK(said(request).stop == " two");
  request.stop = {"one"};
  CHECK(said(request).text.empty());
  request.stop = {"four"};
  CHECK_FALSE(said(request).stop.has_value());
  request.stop = {" three"};
  request.max_tokens = 1;
  CHECK(said(request).text == "one");
  CHECK_FALSE(said(request).stop.has_value());
  CHECK(said(request).finish == text::FinishReason::Length);
  request.max_tokens = 2;
  CHECK(said(request).stop == " three");
  CHECK(said(request).finish == text::FinishReason::Stop);

  text::ModelRequest thinks = question("Say exactly: a b", "svc-4.3");
  thinks.max_counts_reasoning = true;
  const std::int64_t thoughts = said(thinks).reasoning_tokens;
  thinks.max_tokens = thoughts;
  CHECK(said(thinks).text.empty());
  CHECK(said(thinks).reasoning_tokens == thoughts);
  CHECK(said(thinks).finish == text::FinishReason::Length);
  thinks.max_tokens = thoughts + 1;
  CHECK(said(thinks).text == "a");
  thinks.max_tokens = thoughts + 2;
  CHECK(said(thinks).text == "a b");
  CHECK(said(thinks).finish == text::FinishReason::Stop);
  thinks.max_counts_reasoning = false;
  thinks.max_tokens = 2;
  CHECK(said(thinks).text == "a b");
}

TEST_CASE("tokens of a prompt and of an answer, to the last one") {
  text::ModelRequest request = question("one two three");
  request.turns.push_back({.role = "assistant", .text = "four", .images = 3});
  request.turns[0].attachments = {{.name = "a", .text = "five six"}};
  request.extra_prompt_tokens = 100;
  CHECK(text::count_prompt(request).text == 3 + 4 + 2 + 1 + 4 + 100);
  CHECK(text::count_prompt(request).images == 768);

  const Json parameters = Json::parse(R"({"type":"object","properties":{"a":{"type":"integer"}}})");
  text::ModelRequest calls = question("call f");
  calls.functions = {{"f", &parameters}};
  CHECK(said(calls).text_tokens ==
        static_cast<std::int64_t>(count_tokens("f") + count_tokens(R"({"a":1})")));
  CHECK(said(question("Refuse: no way")).text_tokens == 2);
  CHECK(said(question("Fail with: that")).failure == "that");
  CHECK(said(question("Fail with:")).failure == "The prompt asked for a failure.");
}

TEST_CASE("which functions are called") {
  text::ModelRequest request = question("f and g");
  request.functions = {{"f", nullptr}, {"g", nullptr}, {"f", nullptr}};
  const auto called = [&] {
    std::string names;
    for (const FunctionCall& call : said(request).calls) names += call.name;
    return names;
  };
  CHECK(called() == "fgf");
  request.parallel = false;
  CHECK(called() == "f");
  request.parallel = true;
  request.tool_choice = text::ToolChoice::Named;
  request.chosen = "f";
  CHECK(called() == "f");
  request.tool_choice = text::ToolChoice::Required;
  request.turns.back().text = "Say exactly: g";
  CHECK(called() == "g");
  request.turns.back().text = "Say exactly: nothing";
  CHECK(called() == "f");
  request.tool_choice = text::ToolChoice::Auto;
  request.turns.back().text = "Say exactly: g";
  CHECK(called() == "");
  const Json number = Json::parse(R"({"const": 5})");
  request.functions = {{"h", &number}};
  request.turns.back().text = "h";
  CHECK(said(request).calls.at(0).arguments == "{}");
  const Json none = Json::parse("false");
  request.functions = {{"h", &none}};
  CHECK(text::generate(request, 0, 1).error().message ==
        "Invalid parameters of the function h: no arguments satisfy this schema.");
}

TEST_CASE("sources are shown only in the emulator's own text, and cited in all but refusals") {
  text::ModelRequest request = question("Hi");
  request.sources = {{"https://a.example", "A"}};
  const auto cites = [&](const char* prompt) {
    request.turns.back().text = prompt;
    const text::ModelOutput output = said(request);
    const bool shown = output.text.find("[[1]](https://a.example)") != std::string::npos;
    return fmt::format("{} {}", shown, output.citations.size());
  };
  CHECK(cites("Hi") == "true 1");
  CHECK(cites("Say exactly: x") == "false 1");
  CHECK(cites("Write 2 words") == "false 1");
  CHECK(cites("Refuse: x") == "false 0");
  CHECK(cites("Fail with: x") == "false 0");
  request.response_format = text::ResponseFormat::JsonObject;
  CHECK(cites("Hi") == "false 1");
  CHECK(said(question("Write 2 words"), 1, 2).text == "Choice 2: The emulator.");
  CHECK(said(question("Write 2 words"), 0, 2).text == "The emulator.");
}

TEST_CASE("a rule's text is cut as its pieces, unless the request's limit cut it") {
  text::ModelRequest request = question("Hi");
  request.sources = {{"https://a.example", "A"}};
  request.canned = canned_of(R"({"pieces": ["one", {"text": " two", "delay": 9}]})");
  text::ModelOutput output = said(request);
  CHECK(output.text == "one two");
  REQUIRE(output.cuts.size() == 2);
  CHECK(output.cuts[0].end == 3);
  CHECK(output.cuts[1].end == 7);
  CHECK(output.cuts[1].delay.count() == 9);
  CHECK(output.finish == text::FinishReason::Stop);
  CHECK(output.citations.size() == 1);
  CHECK(output.text_tokens == 2);
  request.max_tokens = 1;
  output = said(request);
  CHECK(output.text == "one");
  CHECK(output.cuts.empty());
  CHECK(output.finish == text::FinishReason::Length);
  request.canned = canned_of(R"({"text": "a", "finish_reason": "length"})");
  CHECK(said(request).finish == text::FinishReason::Length);
  request.canned = canned_of(R"({"tool_calls": [{"name": "f"}]})");
  CHECK(said(request).finish == text::FinishReason::ToolCalls);
  CHECK(said(request).calls.size() == 1);
}

TEST_CASE("searches: sources by their type, at most fifteen pages, dates of ten characters") {
  const auto first = [](const char* source) {
    const auto found =
        text::run_search(Json::parse(fmt::format(R"({{"sources":[{}]}})", source)), "q");
    REQUIRE_FALSE(found.sources.empty());
    return fmt::format("{} {} {}", found.sources.size(), found.sources[0].url,
                       found.sources[0].title);
  };
  CHECK(first(R"({"type":"web"})") == "2 https://web.example/1?q=q Emulated page 1 of web.example");
  CHECK(first(R"({"type":"web","allowed_websites":[]})").starts_with("2 https://web.example/1"));
  CHECK(first(R"({"type":"news"})").starts_with("2 https://news.example/1"));
  CHECK(first(R"({"type":"x"})").starts_with("1 https://x.example/emulator/1"));
  CHECK(first(R"({"type":"x","x_handles":["b"]})").starts_with("1 https://x.example/b/1"));
  CHECK(first(R"({"type":"x","x_handles":["b"],"included_x_handles":["c"]})")
            .starts_with("1 https://x.example/c/1"));
  CHECK(first(R"({"type":"rss"})") == "1 https://feed.example/rss Emulated feed");
  std::string eight = R"({"type":"web"})";
  for (int i = 1; i < 8; ++i) eight += R"(,{"type":"web"})";
  const auto many = [&](const char* more) {
    return text::run_search(Json::parse(fmt::format(R"({{"sources":[{}]{}}})", eight, more)), "q")
        .sources.size();
  };
  CHECK(many("") == 15);
  CHECK(many(R"(,"max_search_results":16)") == 16);
  CHECK(many(R"(,"max_search_results":30)") == 16);
  CHECK(text::run_search(Json::object(), "q").citations);
  CHECK(text::is_date("2026-02-28"));
  CHECK_FALSE(text::is_date("2026-02-29"));
  CHECK_FALSE(text::is_date("2026-2-28"));
  CHECK_FALSE(text::is_date("2026-02-28T"));
  const auto fault = [](const char* parameters) {
    return text::check_search(Json::parse(parameters)).value_or("");
  };
  CHECK(fault(R"({"sources":[{},{"allowed_websites":["a"],"excluded_websites":["b"]}]})") ==
        "search_parameters.sources[1] cannot have both allowed_websites and excluded_websites.");
  CHECK(fault(R"({"sources":[{"included_x_handles":["a"],"excluded_x_handles":["b"]}]})") ==
        "search_parameters.sources[0] cannot have both included_x_handles and excluded_x_handles.");
  CHECK(fault(R"({"sources":[{"included_x_handles":["a"],"excluded_websites":["b"]}]})") == "");
  CHECK(fault(R"({"from_date":"2026-01-02"})") == "");
  CHECK(fault(R"({"to_date":"2026-01-02"})") == "");
}

TEST_CASE("samples: what schemas combine, limits of both sides, and values that run out") {
  CHECK(sample(R"({"enum":"x","type":"integer"})") == "1");
  CHECK(sample(R"({"enum":[],"type":"integer"})") == "1");
  CHECK(sample(R"({"enum":["a","b"]})", 2) == R"("a")");
  CHECK(sample(R"({"examples":["a","b"],"default":"d"})", 1) == R"("b")");
  CHECK(sample(R"({"examples":["a"],"default":"d"})", 1) == R"("emulated text 2")");
  CHECK(sample(R"({"allOf":[{"type":"integer"},{"type":"number","multipleOf":0.5}]})") == "1");
  for (const char* both : {R"({"allOf":[{"minLength":3},{"minLength":20}]})",
                           R"({"allOf":[{"minLength":20},{"minLength":3}]})"}) {
    CHECK(sample(both).size() == 22);
  }
  for (const char* both : {R"({"allOf":[{"maxLength":3},{"maxLength":20}]})",
                           R"({"allOf":[{"maxLength":20},{"maxLength":3}]})"}) {
    CHECK(sample(both) == R"("aaa")");
  }
  for (const char* both :
       {R"({"type":"integer","allOf":[{"exclusiveMaximum":-3},{"exclusiveMaximum":-8}]})",
        R"({"type":"integer","allOf":[{"exclusiveMaximum":-8},{"exclusiveMaximum":-3}]})"}) {
    CHECK(sample(both) == "-9");
  }
  CHECK(
      sample(
          R"({"allOf":[{"properties":{"a":true}},{"properties":{"a":{"const":1},"b":{"const":2}}}]})") ==
      R"({"a":1,"b":2})");
  CHECK(sample(R"({"maxLength":2})", 26) == R"("aa")");
  CHECK(sample(R"({"format":"date"})", 27) == R"("2026-01-28")");
  CHECK(sample(R"({"format":"date"})", 28) == R"("2026-01-01")");
  CHECK(sample(R"({"format":"date-time"})", 28) == R"("2026-01-01T12:00:00Z")");
  CHECK(sample(R"({"format":"time"})", 59) == R"("12:00:59Z")");
  CHECK(sample(R"({"format":"time"})", 60) == R"("12:00:00Z")");
  CHECK(sample(R"({"format":"ipv4"})", 253) == R"("192.0.2.254")");
  CHECK(sample(R"({"format":"ipv4"})", 254) == R"("192.0.2.1")");
  CHECK(sample(R"({"format":"ipv6"})", 65'534) == R"("2001:db8::ffff")");
  CHECK(sample(R"({"format":"ipv6"})", 65'535) == R"("2001:db8::1")");

  const auto numbers = [](const char* schema) {
    std::string out;
    for (std::size_t i = 0; i < 4; ++i) out += sample(schema, i) + " ";
    return out;
  };
  CHECK(numbers(R"({"type":"integer","minimum":1,"maximum":3})") == "1 2 3 1 ");
  CHECK(numbers(R"({"type":"integer","minimum":-1,"maximum":1})") == "1 0 -1 -1 ");
  CHECK(numbers(R"({"type":"integer","minimum":7,"maximum":7})") == "7 7 7 7 ");
  CHECK(sample(R"({"type":"integer","exclusiveMinimum":6,"multipleOf":3})") == "9");
  CHECK(sample(R"({"type":"integer","exclusiveMaximum":-6,"multipleOf":3})") == "-9");

  // Beyond these, doubles skip integers.
  CHECK(numbers(R"({"type":"integer","minimum":9007199254740991})") ==
        "9007199254740991 9007199254740991 9007199254740991 9007199254740991 ");
  CHECK(numbers(R"({"type":"integer","maximum":-9007199254740991})") ==
        "-9007199254740991 -9007199254740991 -9007199254740991 -9007199254740991 ");
  // A tenth is no exact number, but three of them are 0.3.
  CHECK(sample(R"({"multipleOf":0.1,"minimum":0.3,"maximum":0.3})") != "nothing");

  CHECK(sample(R"({"prefixItems":[{"const":1},{"const":2}],"maxItems":1})") == "[1]");
  CHECK(sample(R"({"type":"array","minItems":1001,"items":{"const":1}})") == "nothing");
  CHECK(sample(R"({"type":"array","minItems":1000,"items":{"const":1}})") != "nothing");
  CHECK(sample(R"({"items":{"type":"integer"},"minItems":2})", 1) == "[2,3]");

  const auto nested = [](int levels) {
    std::string schema = R"({"const":5})";
    for (int i = 0; i < levels; ++i) schema = fmt::format(R"({{"allOf":[{}]}})", schema);
    return sample(schema);
  };
  CHECK(nested(64) == "5");
  CHECK(nested(65) == "nothing");
  CHECK(
      sample(
          R"({"properties":{"a":{"properties":{"b":{"properties":{"c":{"properties":{"d":{"const":1}}}}}}}}})") ==
      R"({"a":{"b":{"c":{}}}})");
  CHECK(sample(R"({"required":["a",5],"additionalProperties":{"const":1}})") == R"({"a":1})");
}

TEST_CASE("small rules at their limits") {
  CHECK(text::served_tier(Json::parse(R"({"service_tier":"priority"})")) == "priority");
  CHECK(text::served_tier(Json::parse(R"({"service_tier":"fast"})")) == "priority");
  CHECK(text::served_tier(Json::parse(R"({"service_tier":"auto"})")) == "default");
  CHECK(text::served_tier(Json::object()) == "default");
  CHECK_FALSE(text::check_image("http://a"));
  CHECK(text::check_image("ftp://a")->body.find("must be an https address") != std::string::npos);
  CHECK(text::check_image("data:image/png,AAAA").has_value());
  // What looks like a PNG is read, whatever its type says; other formats are not.
  CHECK(text::check_image("data:image/gif;base64,iVBORw0KGgo=").has_value());
  CHECK(text::check_image("data:image/webp;base64,R0lGODlhQUJD").has_value());
  CHECK_FALSE(text::check_image("data:image/gif;base64,R0lGODlhQUJD"));

  const auto common = [](const char* body) {
    return text::check_common_fields(Json::parse(body)).value_or("");
  };
  CHECK(common(R"({"top_logprobs":0})") == "");
  CHECK(common(R"({"top_logprobs":1})") == "top_logprobs requires logprobs to be true.");
  CHECK(common(R"({"top_logprobs":1,"logprobs":true})") == "");
  CHECK(common(R"({"search_parameters":{"to_date":"x"}})") ==
        "search_parameters.to_date must be a date of the form YYYY-MM-DD.");

  text::ModelRequest request = question("x", "svc-3");
  const std::int64_t room = request.model->context_length - text::count_prompt(request).text;
  request.extra_prompt_tokens = room;
  CHECK_FALSE(text::check_prompt(request));
  request.extra_prompt_tokens = room + 1;
  CHECK(text::check_prompt(request) ==
        "This model's maximum prompt length is 131072 but the request contains 131073 tokens.");
  request.extra_prompt_tokens = 0;
  request.turns[0].images = 1;
  CHECK(text::check_prompt(request) == "Model svc-3 does not support image input.");

  text::ModelRequest tools = question("x");
  tools.tool_choice = text::ToolChoice::Required;
  CHECK(text::check_tool_choice(tools, false) ==
        "tool_choice is required, but the request has no tools.");
  CHECK_FALSE(text::check_tool_choice(tools, true));
  tools.functions = {{"f", nullptr}};
  CHECK_FALSE(text::check_tool_choice(tools, false));
  tools.tool_choice = text::ToolChoice::Named;
  tools.chosen = "g";
  CHECK(text::check_tool_choice(tools, false) ==
        "tool_choice names the function g, which is not among the tools.");
  tools.chosen = "f";
  CHECK_FALSE(text::check_tool_choice(tools, false));
}

TEST_CASE("a prompt is cached by its turns: their roles, texts, names and images") {
  svc::test::TextApi api;
  const auto cached = [&](const std::string& messages, const char* key = "k") {
    return svc::test::ok(api.chat(
        fmt::format(R"({{"model":"svc-4.5","prompt_cache_key":"{}","messages":[{}]}})", key,
                    messages)))["usage"]["prompt_tokens_details"]["cached_tokens"]
        .get<int>();
  };
  const std::string user = R"({"role":"user","content":"Say exactly: a"})";
  const auto system = [&](const char* role) {
    return fmt::format(R"({{"role":"{}","content":"Be brief."}},)", role) + user;
  };
  CHECK(cached(system("system")) == 0);
  CHECK(cached(system("system")) > 0);
  CHECK(cached(system("developer")) == 0);
  CHECK(cached(system("system")) == 0);
  api.now_ms += 3'599'000;
  CHECK(cached(system("system")) > 0);
  api.now_ms += 3'600'000;
  CHECK(cached(system("system")) == 0);
  const std::string image = fmt::format(
      R"({{"role":"user","content":[{{"type":"text","text":"Say exactly: a"}},{{"type":"image_url","image_url":{{"url":"{}"}}}}]}})",
      svc::test::k_tiny_png);
  CHECK(cached(user, "i") == 0);
  CHECK(cached(image, "i") == 0);
  CHECK(cached(image, "i") > 0);
}

TEST_CASE("the emulator's own text, to the letter") {
  text::ModelRequest request = question("Hi");
  CHECK(said(request).text ==
        "This is the svc emulator (model svc-4.5). You said: “Hi”. The conversation has 1 message. "
        "Ask it to `say exactly: …` and it will.");
  CHECK(said(request, 1, 2).text ==
        "Choice 2 of 2: This is the svc emulator (model svc-4.5). You said: “Hi”. The conversation "
        "has 1 message. No model was asked for this.");
  request.turns.insert(request.turns.begin(),
                       {{.role = "developer", .text = "D"}, {.role = "user", .text = "Before"}});
  request.turns.back().files = 2;
  request.turns.back().attachments = {
      {.name = "a.txt", .bytes = 9, .text = "ä\nsecond"},
      {.name = "b.bin", .bytes = 1, .unreadable = "It is no text."}};
  const std::string begin =
      "This is the svc emulator (model svc-4.5). You said: “Hi”. Before that: “Before”. The system "
      "prompt is “D”. It came with ";
  const std::string end =
      "2 files. The file a.txt has 8 characters and begins “ä”. The file b.bin has 1 byte. It is "
      "no text. The conversation has 3 messages. Ask it to `say exactly: …` and it will.";
  CHECK(said(request).text == begin + end);
  request.turns.back().images = 1;
  request.turns[0].role = "system";
  CHECK(said(request).text == begin + "1 image and " + end);
  request.turns.push_back({.role = "tool", .text = "12", .name = "f"});
  request.turns.push_back({.role = "tool", .text = "34"});
  CHECK(
      said(request).text.starts_with("This is the svc emulator (model svc-4.5). The tool f "
                                     "answered: “12”. The tool answered: “34”. Before that: "));

  // Of a message it repeats 1,000 bytes, of what is around it 120.
  const auto repeated = [](std::size_t more, const std::string& mark) {
    text::ModelRequest made = question(std::string(120 + more, 'u'));
    made.turns.push_back({.role = "system", .text = std::string(120 + more, 's')});
    made.turns.push_back({.role = "user", .text = std::string(1'000 + more, 'm')});
    made.turns.back().files = 1;
    made.turns.back().attachments = {{.name = "f", .text = std::string(120 + more, 'l')}};
    CHECK(said(made).text.starts_with(fmt::format(
        "This is the svc emulator (model svc-4.5). You said: “{0}{1}”. Before that: “{2}{1}”. The "
        "system prompt is “{3}{1}”. It came with 1 file. The file f has {4} characters and begins "
        "“{5}{1}”. The conversation has 3 messages. ",
        std::string(1'000, 'm'), mark, std::string(120, 'u'), std::string(120, 's'), 120 + more,
        std::string(120, 'l'))));
    made.turns.push_back({.role = "tool", .text = std::string(1'000 + more, 't')});
    CHECK(said(made).text.find(fmt::format("The tool answered: “{}{}”.", std::string(1'000, 't'),
                                           mark)) != std::string::npos);
  };
  repeated(0, "");
  repeated(1, "…");
}

TEST_CASE("the last sentence depends on the question, the seed and the choice") {
  const std::vector<std::string> endings = {
      "Ask it to `say exactly: …` and it will.", "`Write 50 words` makes it talk longer.",
      "The same question gets the same answer.", "No model was asked for this."};
  const auto ending_of = [&](const text::ModelRequest& request, std::size_t choice) {
    const std::string text = said(request, choice, choice + 1).text;
    for (std::size_t i = 0; i < endings.size(); ++i) {
      if (text.ends_with(". " + endings[i])) return std::to_string(i);
    }
    return text;
  };
  for (const auto& [prompt, expected] : {std::pair("Hi", "032132031"),
                                         {"What?", "123030232"},
                                         {"Grüße", "001210210"},
                                         {"a", "023020202"},
                                         {"", "001213311"}}) {
    text::ModelRequest request = question(prompt);
    std::string found;
    for (const std::int64_t seed :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{255},
          std::int64_t{256}, std::int64_t{257}, std::int64_t{65'536},
          std::numeric_limits<std::int64_t>::min()}) {
      request.seed = seed;
      found += ending_of(request, 0);
      if (seed == 0) CHECK(ending_of(request, 3) == std::string(1, expected[3]));
      if (seed == 255) CHECK(ending_of(request, 2) == std::string(1, expected[6]));
    }
    CHECK(found == expected);
  }
}

TEST_CASE("an object instead of a text, and what a reasoning model thinks") {
  text::ModelRequest request = question("Hi " + std::string(997, 'x'));
  request.response_format = text::ResponseFormat::JsonObject;
  const std::string said_to = "Hi " + std::string(997, 'x');
  CHECK(said(request).text ==
        fmt::format(R"({{"emulator":true,"model":"svc-4.5","you_said":"{}","messages":1}})",
                    said_to));
  request.turns[0].text += "x";
  CHECK(said(request, 1, 2).text ==
        fmt::format(
            R"({{"emulator":true,"model":"svc-4.5","choice":2,"you_said":"{}…","messages":1}})",
            said_to));
  request = question("Hi");
  request.response_format = text::ResponseFormat::JsonObject;
  request.turns.push_back({.role = "tool", .text = "12"});
  CHECK(said(request).text == R"({"emulator":true,"model":"svc-4.5","you_said":"Hi",)"
                              R"("tools_said":"The tool answered: “12”.","messages":2})");

  text::ModelRequest thinks = question("one two", "svc-4.3");
  thinks.functions = {{"f", nullptr}, {"g", nullptr}};
  thinks.tool_choice = text::ToolChoice::None;
  const auto thoughts = [&](const char* effort) {
    thinks.effort = effort;
    return said(thinks).reasoning;
  };
  const std::string low = "The last message has 2 tokens.";
  const std::string medium =
      low + " The conversation has 1 message, and 2 functions may be called.";
  CHECK(thoughts("none") == "");
  CHECK(thoughts("low") == low);
  CHECK(thoughts("medium") == medium);
  CHECK(thoughts("high") ==
        medium +
            " An emulator cannot know more than that, so it will repeat what it was told and say "
            "plainly that it is an emulator.");
  thinks.effort = "low";
  thinks.max_counts_reasoning = true;
  thinks.max_tokens = 4;
  CHECK(said(thinks).reasoning == "The last message has");
  CHECK(said(thinks).text_tokens == 0);
}

TEST_CASE("citations: where each begins and ends, in characters, also of a text that was cut") {
  text::ModelRequest request = question("Ä");
  request.sources = {{"https://a.example", "A"}, {"https://b.example", "B"}};
  const auto places = [](const text::ModelOutput& output) {
    std::string out = fmt::format("{}", count_code_points(output.text));
    for (const text::Citation& one : output.citations) {
      out += fmt::format(" {}:{}-{}", one.source, one.begin, one.end);
    }
    return out;
  };
  // "… (model svc-4.5). You said: “Ä”. The conversation has 1 message. " and one of the sentences.
  request.inline_citations = false;
  const std::size_t length = count_code_points(said(request).text);
  CHECK(places(said(request)) == fmt::format("{0} 0:{0}-{0} 1:{0}-{0}", length));
  request.inline_citations = true;
  const std::string whole = said(request).text;
  CHECK(whole.ends_with(" [[1]](https://a.example)[[2]](https://b.example)"));
  CHECK(places(said(request)) == fmt::format("{} 0:{}-{} 1:{}-{}", length + 49, length + 1,
                                             length + 25, length + 25, length + 49));
  request.stop = {"[[2]]"};
  CHECK(places(said(request)) == fmt::format("{0} 0:{1}-{0} 1:{0}-{0}", length + 25, length + 1));
  request.stop = {")[[2]]"};
  CHECK(places(said(request)) == fmt::format("{0} 0:{0}-{0} 1:{0}-{0}", length + 24));
  request.response_format = text::ResponseFormat::JsonObject;
  request.stop.clear();
  CHECK(said(request).citations.at(0).begin == count_code_points(said(request).text));
}

TEST_CASE("the pages of a search: their addresses and titles") {
  const auto pages = text::find_pages("w.example", "a b", 2);
  REQUIRE(pages.size() == 2);
  CHECK(pages[0].url == "https://w.example/1?q=a%20b");
  CHECK(pages[0].title == "Emulated page 1 of w.example");
  CHECK(pages[1].url == "https://w.example/2?q=a%20b");
  CHECK(pages[1].title == "Emulated page 2 of w.example");
  CHECK(text::find_pages("w", std::string(80, 'q'), 1)[0].url ==
        "https://w/1?q=" + std::string(80, 'q'));
  CHECK(text::find_pages("w", std::string(81, 'q'), 1)[0].url ==
        "https://w/1?q=" + std::string(80, 'q') + "%E2%80%A6");
  const auto found = [](const char* parameters) {
    std::string out;
    for (const text::Source& one : text::run_search(Json::parse(parameters), "q?").sources) {
      out += one.url + " ";
    }
    return out;
  };
  const std::string both =
      "https://web.example/1?q=q%3F https://web.example/2?q=q%3F "
      "https://x.example/emulator/1?q=q%3F ";
  for (const char* any : {"{}", R"({"mode":"on"})", R"({"mode":"auto"})"})
    CHECK(found(any) == both);
  CHECK(found(R"({"sources":[]})") == "");
  CHECK(found(R"({"sources":[{"type":"news","allowed_websites":["a"]}]})") ==
        "https://news.example/1?q=q%3F https://news.example/2?q=q%3F ");
  CHECK(found(R"({"sources":[{"type":"rss","links":[]}]})") == "https://feed.example/rss ");
}

TEST_CASE("the pauses of a rule's jitter are the same in every run") {
  Response response;
  response.content_type = "text/event-stream";
  response.next = [left = 6]() mutable -> std::optional<StreamChunk> {
    if (left-- == 0) return std::nullopt;
    return StreamChunk{"data: x\n\n", std::chrono::milliseconds(50), left == 0 ? 0U : 1U};
  };
  text::finish_canned(canned_of(R"({"text": "x", "rate": 10, "jitter": 0.2})"), response);
  // 100 ms, or 50 ms where there is no token, with fractions that add up.
  CHECK(delays_of(response) == std::vector<std::int64_t>{104, 88, 112, 97, 80, 53});
}

TEST_CASE("how many tokens of a prompt are cached, and by which key") {
  svc::test::TextApi api;
  const auto cached = [&](const std::string& turns, const std::string& members = "") {
    return svc::test::ok(
               api.chat(fmt::format(R"({{"model":"svc-4.5",{}"messages":[{}]}})", members,
                                    turns)))["usage"]["prompt_tokens_details"]["cached_tokens"]
        .get<int>();
  };
  const std::string key = R"("prompt_cache_key":"k",)";
  const std::string system = R"({"role":"system","content":"Be brief."})";
  const auto user = [](const char* text) {
    return fmt::format(R"(,{{"role":"user","content":"Say exactly: {}"}})", text);
  };
  // "Be", " brief", "." and four for the message; "Say", " exactly", ":", " a" and four.
  CHECK(cached(system + user("a"), key) == 0);
  CHECK(cached(system + user("a"), key) == 14);  // at least one is new
  CHECK(cached(system + user("b"), key) == 7);
  CHECK(cached(system + user("b") + user("c"), key) == 15);
  CHECK(cached(system + user("b"), key) == 14);
  CHECK(cached(system + user("b")) == 0);
  api.headers = {{"x-svc-conv-id", "k"}};
  CHECK(cached(system + user("b")) == 14);
  CHECK(cached(system + user("b"), R"("prompt_cache_key":"other",)") == 0);
  // What comes with the turns, such as tools, is never cached.
  const std::string tools = key + svc::test::k_chat_tools + ",";
  CHECK(cached(system + user("b"), tools) == 15);
  CHECK(cached(system + user("b"), tools) == 15);
}

TEST_CASE("samples: the type that keywords imply, each format, and variations") {
  for (const auto& [schema, value] :
       {std::pair(R"({"properties":{}})", "{}"),
        {R"({"required":["a"]})", R"({"a":"emulated a"})"},
        {R"({"additionalProperties":false})", "{}"},
        {R"({"items":{"const":1}})", "[1]"},
        {R"({"prefixItems":[{"const":1}]})", "[1]"},
        {R"({"minItems":1})", R"(["emulated text"])"},
        {R"({"minimum":3})", "3"},
        {R"({"maximum":-2})", "-2"},
        {R"({"multipleOf":3})", "3.0"},
        {R"({"type":["null"]})", "null"},
        {R"({"type":["null","boolean","integer"]})", "true"},
        {R"({"const":1,"enum":[2]})", "1"},
        {R"({"enum":[2],"examples":[3]})", "2"},
        {R"({"examples":[3],"default":4})", "3"},
        {R"({"examples":"x"})", R"("emulated text")"},
        {R"({"examples":[],"default":4})", "4"},
        {R"({"default":null})", R"("emulated text")"},
        {R"({"oneOf":[]})", R"("emulated text")"},
        {R"({"oneOf":[{"type":"integer"}],"anyOf":[{"minimum":5}]})", "5"},
        {R"({"anyOf":[false]})", "nothing"},
        {R"({"allOf":[{"required":["a"]},{"required":["b"]}]})",
         R"({"a":"emulated a","b":"emulated b"})"},
        {R"({"properties":{"tags":{"items":{}}}})", R"({"tags":["emulated tags"]})"},
        {R"({"items":{"items":{"items":{"items":{"items":{}}}}}})", "[[[[]]]]"},
        {R"({"$defs":{"a":{"const":1}},"$ref":"#/$defs/a"})", "1"},
        {R"({"$defs":{"a":{"const":1}},"$ref":"#/$defs/b"})", "nothing"},
        {R"({"$defs":{"a":{"const":1}},"$ref":"#$defs/a"})", "nothing"},
        {R"({"$defs":{"a":{"const":1}},"$ref":"/$defs/a"})", "nothing"}}) {
    CAPTURE(schema);
    CHECK(sample(schema) == value);
  }
  for (const auto& [format, first, second] :
       {std::tuple("date", "2026-01-01", "2026-01-02"),
        {"time", "12:00:00Z", "12:00:01Z"},
        {"date-time", "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z"},
        {"duration", "PT1M", "PT2M"},
        {"email", "user1@example.com", "user2@example.com"},
        {"hostname", "host1.example.com", "host2.example.com"},
        {"ipv4", "192.0.2.1", "192.0.2.2"},
        {"ipv6", "2001:db8::1", "2001:db8::2"},
        {"uri", "https://example.com/1", "https://example.com/2"},
        {"url", "https://example.com/1", "https://example.com/2"},
        {"uuid", "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"},
        {"other", "emulated text", "emulated text 2"}}) {
    const std::string schema = fmt::format(R"({{"format":"{}"}})", format);
    CHECK(sample(schema, 0) == fmt::format("\"{}\"", first));
    CHECK(sample(schema, 1) == fmt::format("\"{}\"", second));
  }
  CHECK(sample(R"({"type":"boolean"})", 1) == "false");
  CHECK(sample(R"({"type":"boolean"})", 2) == "true");
  CHECK(sample("{}", 2) == R"("emulated text 3")");
}

TEST_CASE("samples: texts and numbers at the limits of their schemas") {
  CHECK(sample(R"({"maxLength":13})") == R"("emulated text")");
  CHECK(sample(R"({"maxLength":12})") == R"("aaaaaaaaaaaa")");
  CHECK(sample(R"({"maxLength":12,"minLength":12})", 1) == R"("bbbbbbbbbbbb")");
  CHECK(sample(R"({"minLength":13})") == R"("emulated text")");
  CHECK(sample(R"({"minLength":15})") == R"("emulated text..")");
  CHECK(sample(R"({"minLength":100000})").size() == 100'002);
  CHECK(sample(R"({"minLength":100001})") == "nothing");
  CHECK(sample(R"({"maxLength":100001,"minLength":100000})").size() == 100'002);

  const auto numbers = [](const char* schema) {
    std::string out;
    for (std::size_t i = 0; i < 4; ++i) out += sample(schema, i) + " ";
    return out;
  };
  CHECK(numbers(R"({"type":"number"})") == "1 2 3 4 ");
  CHECK(numbers(R"({"multipleOf":0.5})") == "0.5 1.0 1.5 2.0 ");
  CHECK(numbers(R"({"multipleOf":2})") == "2.0 4.0 6.0 8.0 ");
  CHECK(numbers(R"({"minimum":0,"maximum":0})") == "0 0 0 0 ");
  CHECK(sample(R"({"minimum":0.25,"maximum":0.75})") == "0.5");
  CHECK(sample(R"({"minimum":0.25,"maximum":0.75})", 2) == "0.375");
  CHECK(sample(R"({"minimum":2,"exclusiveMinimum":2})") == "3");
  CHECK(sample(R"({"minimum":3,"exclusiveMinimum":2})") == "3");
  CHECK(sample(R"({"maximum":-2,"exclusiveMaximum":-2})") == "-3");
  CHECK(sample(R"({"maximum":-3,"exclusiveMaximum":-2})") == "-3");
  CHECK(sample(R"({"type":"number","minimum":0.5})") == "1");
}

TEST_CASE("samples: how deep, how many values and how many attempts") {
  std::string nested = R"({"const":1})";
  std::string value = "1";
  for (int i = 0; i < 40; ++i) {
    nested = fmt::format(R"({{"required":["a"],"properties":{{"a":{}}}}})", nested);
    value = fmt::format(R"({{"a":{}}})", value);
  }
  CHECK(sample(nested) == value);
  CHECK(sample(fmt::format(R"({{"required":["a"],"properties":{{"a":{}}}}})", nested)) ==
        "nothing");

  // 4,000 steps: one for each value, and one for each schema that is an object.
  const auto steps = [](int count, const char* required, const char* more) {
    return sample(fmt::format(
               R"({{"required":[{}],"properties":{{"a":{{"minItems":{},"items":{{"minItems":2,)"
               R"("items":true}}}}{}}}}})",
               required, count, more)) != "nothing";
  };
  CHECK(steps(999, R"("a")", ""));  // 4 for the two outer ones, 999 times 4
  CHECK_FALSE(steps(999, R"("a","b")", R"(,"b":true)"));
  CHECK(steps(998, R"("a","b")", R"(,"b":true)"));
  CHECK(steps(998, R"("b","c","d","e")", R"(,"b":true,"c":true,"d":true,"e":true)"));
  CHECK_FALSE(steps(998, R"("b","c","d","e")", R"(,"b":true,"c":true,"d":true,"e":{})"));

  // Eight of the options are tried, and four variations; the first value stands for the others.
  const auto options = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += fmt::format(R"({}{{"const":{}}})", i ? "," : "", i);
    return sample(fmt::format(R"({{"anyOf":[{}],"not":{{"maximum":{}}}}})", list, count - 2));
  };
  CHECK(options(8) == "7");
  CHECK(options(9) == "0");
  CHECK(sample(R"({"enum":[0,1,2,3],"not":{"maximum":2}})") == "3");
  CHECK(sample(R"({"enum":[0,1,2,3,4],"not":{"maximum":3}})") == "0");
}

}  // namespace svc::emulator::model_test
