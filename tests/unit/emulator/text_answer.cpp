#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/handler/handler.h"
#include "emulator/model/answer.h"
#include "emulator/state/state.h"
#include "support/mentions.h"
#include "unit/emulator/text_support.h"

namespace svc::emulator::text {

using test::mentions;
namespace {

ModelRequest question(std::string prompt, std::string_view model = "svc-4.5") {
  ModelRequest ask{.model = find_model(model)};
  REQUIRE(ask.model != nullptr);
  ask.turns.push_back({.role = "user", .text = std::move(prompt)});
  return ask;
}

ModelOutput said(const ModelRequest& ask, std::size_t choice = 0, std::size_t choices = 1) {
  auto answer = generate(ask, choice, choices);
  REQUIRE_MESSAGE(answer.has_value(), (answer ? "" : answer.error().message));
  return *answer;
}

std::size_t words_in(const std::string& text) {
  return text.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(text, ' '));
}

}  // namespace

TEST_CASE("control words in prompts") {
  CHECK(parse_directive("hello").kind == DirectiveKind::None);
  CHECK(parse_directive(" SAY EXACTLY:  two words \n").text == "two words");
  CHECK(parse_directive("Please say exactly: x").kind == DirectiveKind::None);
  CHECK(parse_directive("Translate to English, please repeat: bonjour").kind ==
        DirectiveKind::None);
  CHECK(parse_directive("say exactly:").text == "");
  CHECK(parse_directive("write 12 words about cats").words == 12);
  CHECK(parse_directive("Write 1 word.").words == 1);
  CHECK(parse_directive("write a poem, then write 3 words").kind == DirectiveKind::None);
  CHECK(parse_directive("write 0 words").kind == DirectiveKind::None);
  CHECK(parse_directive("write -4 words").kind == DirectiveKind::None);
  CHECK(parse_directive("write 99999999999999999999 words").kind == DirectiveKind::None);
  CHECK(parse_directive(" Refuse: no\n").text == "no");
  CHECK(parse_directive("I refuse: no").kind == DirectiveKind::None);
  CHECK(parse_directive("fail with: out of order").kind == DirectiveKind::Fail);
}

TEST_CASE("words are counted") {
  for (const std::int64_t count : {1, 2, 12, 13, 100}) {
    CHECK(words_in(generate_words(count)) == static_cast<std::size_t>(count));
  }
  CHECK(generate_words(0) == "");
}

TEST_CASE("a word must stand alone") {
  CHECK(find_word("call get_time now", "get_time") == 5U);
  CHECK(!find_word("call get_times", "get_time"));
  CHECK(!find_word("xget_time", "get_time"));
  CHECK(find_word("xget_time get_time", "get_time") == 10U);
  CHECK(!find_word("anything", ""));
}

TEST_CASE("the answer describes itself, and repeats its input") {
  ModelRequest ask = question("What is a tick?");
  ask.turns.insert(ask.turns.begin(), Turn{.role = "system", .text = "Be brief."});
  ask.turns.back().images = 1;
  ask.turns.back().files = 2;
  const std::string text = said(ask).text;
  CHECK(mentions(text, "This is the svc emulator (model svc-4.5)."));
  CHECK(mentions(text, "You said: “What is a tick?”."));
  CHECK(mentions(text, "The system prompt is “Be brief.”."));
  CHECK(mentions(text, "It came with 1 image and 2 files."));
  CHECK(mentions(text, "The conversation has 2 messages."));
  CHECK(said(ask).text == text);
}

TEST_CASE("a conversation is remembered, and long messages are truncated") {
  ModelRequest ask = question("first");
  ask.turns.push_back({.role = "assistant", .text = "answer"});
  ask.turns.push_back({.role = "user", .text = std::string(1'000'000, 'x')});
  const std::string text = said(ask).text;
  CHECK(mentions(text, "Before that: “first”."));
  CHECK(text.size() < 3'000);
}

TEST_CASE("choices differ and contain their number") {
  const ModelRequest ask = question("hi");
  CHECK(mentions(said(ask, 0, 3).text, "Choice 1 of 3: "));
  CHECK(mentions(said(ask, 2, 3).text, "Choice 3 of 3: "));
  const ModelRequest exact = question("Say exactly: hi");
  CHECK(said(exact, 0, 2).text == "hi");
  CHECK(said(exact, 1, 2).text == "hi (choice 2)");
}

TEST_CASE("stop sequences and the token limit truncate") {
  ModelRequest ask = question("Say exactly: one two three four");
  ask.stop = {"four", " three", ""};
  CHECK(said(ask).text == "one two");
  CHECK(said(ask).finish == FinishReason::Stop);
  ask.stop.clear();
  ask.max_tokens = 2;
  CHECK(said(ask).text == "one two");
  CHECK(said(ask).finish == FinishReason::Length);
  CHECK(said(ask).text_tokens == 2);
  ask.max_tokens = 4;
  CHECK(said(ask).finish == FinishReason::Stop);
}

TEST_CASE("words beyond the service's limit are not generated") {
  const ModelOutput long_answer = said(question("write 900000000000 words"));
  CHECK(long_answer.finish == FinishReason::Length);
  CHECK(long_answer.text_tokens == k_default_max_tokens);
}

TEST_CASE("only reasoning models think, and more with higher effort") {
  ModelRequest ask = question("hi", "svc-4.3");
  std::size_t last = 0;
  for (const char* effort : {"low", "medium", "high"}) {
    ask.effort = effort;
    CHECK(said(ask).reasoning.size() > last);
    last = said(ask).reasoning.size();
    CHECK(said(ask).reasoning_tokens > 0);
  }
  ask.effort = "none";
  CHECK(said(ask).reasoning == "");
  CHECK(said(question("hi", "svc-4.5")).reasoning == "");
}

TEST_CASE("a limit that includes reasoning may leave no answer") {
  ModelRequest ask = question("hi", "svc-4.3");
  ask.max_counts_reasoning = true;
  ask.max_tokens = 3;
  CHECK(said(ask).text == "");
  CHECK(said(ask).reasoning_tokens == 3);
  CHECK(said(ask).finish == FinishReason::Length);
  ask.max_tokens = 12;
  CHECK(said(ask).text != "");
  CHECK(said(ask).reasoning_tokens + said(ask).text_tokens == 12);
}

TEST_CASE("functions are called if required or named") {
  const Json parameters = Json::parse(
      R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})");
  ModelRequest ask = question("hello");
  ask.functions = {{"get_time", &parameters}, {"get_place", nullptr}};
  CHECK(said(ask).calls.empty());
  ask.tool_choice = ToolChoice::Required;
  REQUIRE(said(ask).calls.size() == 1);
  CHECK(said(ask).calls[0].name == "get_time");
  CHECK(said(ask).calls[0].arguments == R"({"city":"emulated city"})");
  CHECK(said(ask).finish == FinishReason::ToolCalls);
  CHECK(said(ask).text == "");
  ask.tool_choice = ToolChoice::Named;
  ask.chosen = "get_place";
  REQUIRE(said(ask).calls.size() == 1);
  CHECK(said(ask).calls[0].arguments == "{}");
  ask.tool_choice = ToolChoice::Auto;
  ask.turns.back().text = "use get_place and get_time";
  CHECK(said(ask).calls.size() == 2);
  ask.parallel = false;
  CHECK(said(ask).calls.size() == 1);
  ask.tool_choice = ToolChoice::None;
  CHECK(said(ask).calls.empty());
  ask.tool_choice = ToolChoice::Auto;
  ask.turns.back().text = "Say exactly: get_time";
  CHECK(said(ask).text == "get_time");
}

TEST_CASE("a tool's result is followed by the answer, even if a call is required") {
  ModelRequest ask = question("what time is it?");
  ask.functions = {{"get_time", nullptr}};
  ask.tool_choice = ToolChoice::Required;
  ask.turns.push_back({.role = "assistant"});
  ask.turns.push_back({.role = "tool", .text = "12:00", .name = "get_time"});
  ask.turns.push_back({.role = "tool", .text = "Oslo"});
  CHECK(said(ask).calls.empty());
  CHECK(
      mentions(said(ask).text, "The tool get_time answered: “12:00”. The tool answered: “Oslo”."));
}

TEST_CASE("JSON forms") {
  ModelRequest ask = question("hi");
  ask.response_format = ResponseFormat::JsonObject;
  const Json object = Json::parse(said(ask).text);
  CHECK(object["you_said"] == "hi");
  CHECK(object["emulator"] == true);
  const Json schema = Json::parse(R"({"type":"object","properties":{"n":{"type":"integer"}}})");
  ask.response_format = ResponseFormat::JsonSchema;
  ask.schema = &schema;
  CHECK(said(ask).text == R"({"n":1})");
  CHECK(said(ask, 1, 2).text == R"({"n":2})");
  const Json impossible = Json::parse("false");
  ask.schema = &impossible;
  CHECK(!generate(ask, 0, 1));
  ask.turns.back().text = "Say exactly: {}";
  CHECK(said(ask).text == "{}");
}

TEST_CASE("sources are cited where the text contains them") {
  ModelRequest ask = question("Größe?");
  ask.sources = {{"https://a.example/1", "A"}, {"https://b.example/2", "B"}};
  ModelOutput answer = said(ask);
  REQUIRE(answer.citations.size() == 2);
  CHECK(mentions(answer.text, " [[1]](https://a.example/1)[[2]](https://b.example/2)"));
  // The offsets count characters, not bytes.
  CHECK(answer.citations[1].end == count_code_points(answer.text));
  CHECK(answer.citations[1].end - answer.citations[1].begin == 26);
  CHECK(answer.citations[0].end == answer.citations[1].begin);
  ask.inline_citations = false;
  answer = said(ask);
  CHECK(!mentions(answer.text, "[[1]]"));
  REQUIRE(answer.citations.size() == 2);
  CHECK(answer.citations[0].begin == answer.citations[0].end);
  // A truncated citation mark is not referenced.
  ask.inline_citations = true;
  ask.max_tokens = 5;
  answer = said(ask);
  CHECK(answer.citations[1].begin == answer.citations[1].end);
  CHECK(answer.citations[1].end <= count_code_points(answer.text));
}

TEST_CASE("prompt tokens") {
  ModelRequest ask = question("one two");
  const auto plain = count_prompt(ask);
  CHECK(plain.text > static_cast<std::int64_t>(count_tokens("one two")));
  CHECK(plain.images == 0);
  ask.turns.back().images = 2;
  CHECK(count_prompt(ask).images > 0);
  CHECK(count_prompt(ask).text == plain.text);
}

TEST_CASE("chunks of a stream are words, with complete characters") {
  const std::string text =
      "Hello  wörld,\n\nこれはとても長い一つの文であり、空白がありませんので分けられます end ";
  std::string joined;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t end = chunk_end(text, at);
    REQUIRE(end > at);
    const std::string piece = text.substr(at, end - at);
    CHECK(!first_invalid_utf8(piece).has_value());
    CHECK(count_code_points(piece) <= 24);
    joined += piece;
    at = end;
  }
  CHECK(joined == text);
  CHECK(count >= 6);
}

TEST_CASE("lanes alternate, and empty ones are skipped") {
  const auto run = [](const char* name, std::string text) {
    return Run{[name](sv piece, bool last) {
                 return std::string(name) + std::string(piece) + (last ? "!" : "");
               },
               std::move(text), false};
  };
  Feed feed;
  feed.lanes = {{run("a", "1 2 3")}, {run("b", ""), run("b", "x")}, {}};
  feed.tail = {single("end")};
  feed.delay = std::chrono::milliseconds(7);
  const Response answer = stream(std::move(feed));
  std::string all;
  std::chrono::milliseconds waited{0};
  while (const auto piece = answer.next()) {
    all += piece->bytes;
    waited += piece->delay;
  }
  CHECK(all == "data: a1\n\ndata: bx!\n\ndata: a 2\n\ndata: a 3!\n\ndata: end\n\ndata: [DONE]\n\n");
  CHECK(waited == std::chrono::milliseconds(28));
  CHECK(!answer.next());
}

TEST_CASE("encrypted texts are decrypted, others are not") {
  const std::vector<std::string> contents = {"", "a", "ab", std::string("abc\0\xff", 5),
                                             std::string(7'000'000, 'x')};
  for (const std::string& content : contents) {
    const std::string sealed = seal("note", content);
    CHECK((unseal("note", sealed) == content));
    CHECK(!unseal("other", sealed));
  }
  for (const char* text : {"", "=", "====", "abc", "!!!!", "AAAA", "\xff\xff\xff\xff", "    "}) {
    CHECK(!unseal("note", text));
  }
  CHECK(base64_encode("svc") == "c3Zj");
  CHECK(base64_encode("sv") == "c3Y=");
}

TEST_CASE("searches") {
  const auto run = [](const char* parameters, sv asked) {
    return run_search(Json::parse(parameters), asked);
  };
  CHECK(run("{}", "hi").sources.size() == 3);  // web and X, by default on
  CHECK(run(R"({"mode":"off"})", "hi?").sources.empty());
  CHECK(run(R"({"mode":"auto"})", "hi").sources.empty());
  CHECK(!run(R"({"mode":"auto"})", "hi?").sources.empty());
  CHECK(run(R"({"max_search_results":1})", "hi").sources.size() == 1);
  CHECK(!run(R"({"return_citations":false})", "hi").citations);
  CHECK(
      run(R"({"sources":[{"type":"rss","links":["https://f.example/x"]}]})", "hi").sources[0].url ==
      "https://f.example/x");
  CHECK(run(R"({"sources":[{"type":"web","allowed_websites":["docs.example"]}]})", "a (b)")
            .sources[0]
            .url == "https://docs.example/1?q=a%20%28b%29");
}

TEST_CASE("rejected searches") {
  const auto fault = [](const char* parameters) {
    return check_search(Json::parse(parameters)).value_or("");
  };
  CHECK(fault(R"({"from_date":"2026-01-01","to_date":"2026-01-01","max_search_results":30})") ==
        "");
  CHECK(mentions(fault(R"({"from_date":"01.02.2026"})"), "from_date"));
  CHECK(mentions(fault(R"({"to_date":"2026-02-30"})"), "to_date"));
  CHECK(mentions(fault(R"({"from_date":"2026-03-01","to_date":"2026-02-01"})"), "after"));
  CHECK(mentions(
      fault(R"({"sources":[{"type":"web","allowed_websites":["a"],"excluded_websites":["b"]}]})"),
      "both"));
}

TEST_CASE("small rules") {
  CHECK(is_uuid("00000000-0000-4000-8000-0000000000aA"));
  CHECK(!is_uuid("00000000-0000-4000-8000-0000000000a"));
  CHECK(!is_uuid("00000000x0000-4000-8000-0000000000aa"));
  CHECK(!is_uuid("g0000000-0000-4000-8000-0000000000aa"));
  CHECK(!check_image("https://x.example/a.png"));
  CHECK(!check_image(svc::test::k_tiny_png));
  const std::string cut = std::string(svc::test::k_tiny_png).substr(0, 70);
  CHECK(check_image(cut)->body.find("Invalid PNG image.") != std::string::npos);
  CHECK(check_image("data:image/png;base64,AAAA").has_value());
  CHECK(!check_image("data:image/gif;base64,R0lGODlhQUJD"));
  CHECK(check_image("data:image/png;base64,AA*A").has_value());
  CHECK(check_image("data:image/png;base64,").has_value());
  CHECK(check_image("data:text/plain;base64,AAAA").has_value());
  CHECK(check_image("file:///etc/passwd").has_value());
}

}  // namespace svc::emulator::text
