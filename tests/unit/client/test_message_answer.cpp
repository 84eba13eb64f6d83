// Messages assembled from events, the older completion, and text completions.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "stream_world.h"

using namespace svc;
using namespace svc::test;
using nlohmann::json;

namespace {

constexpr const char* k_start =
    R"({"type":"message_start","message":{"id":"m1","model":"svc-4.5","content":[],"stop_reason":null,)"
    R"("usage":{"input_tokens":9,"output_tokens":1}}})";
constexpr const char* k_end =
    R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}})";
constexpr const char* k_stop = R"({"type":"message_stop"})";

std::string block(int index, const std::string& content) {
  return R"({"type":"content_block_start","index":)" + std::to_string(index) +
         R"(,"content_block":)" + content + "}";
}

std::string delta(int index, const std::string& content) {
  return R"({"type":"content_block_delta","index":)" + std::to_string(index) + R"(,"delta":)" +
         content + "}";
}

std::string text(int index, const std::string& words) {
  return delta(index, R"({"type":"text_delta","text":")" + words + "\"}");
}

std::string input(int index, const std::string& piece) {
  return delta(index, json{{"type", "input_json_delta"}, {"partial_json", piece}}.dump());
}

}  // namespace

TEST_CASE("a message from its events") {
  for (const Retain retain : {Retain::Text, Retain::Nothing}) {
    StreamWorld world(View::Message, retain);
    world.feed(k_start);
    world.feed(block(0, R"({"type":"thinking","thinking":"H"})"));
    world.feed(delta(0, R"({"type":"thinking_delta","thinking":"m."})"));
    world.feed(R"({"type":"ping"})");
    world.feed(block(1, R"({"type":"text","text":"A"})"));
    world.feed(text(1, "B"));
    world.feed(k_end);
    world.feed(k_stop);
    REQUIRE(world.finish());
    CHECK(world.shown == "(reasoning 0: H)(reasoning 0: m.)(text 0: A)(text 0: B)");
    const Answer& answer = world.answer();
    CHECK(answer.id == "m1");
    CHECK(answer.model == "svc-4.5");
    REQUIRE(answer.choices.size() == 1);
    CHECK(answer.choices[0].text == (retain == Retain::Text ? "AB" : ""));
    CHECK(answer.choices[0].finish_reason == "end_turn");
    REQUIRE(answer.usage);
    CHECK(answer.usage->input_tokens == 9);
    CHECK(answer.usage->output_tokens == 5);
    CHECK_FALSE(answer_error(answer).has_value());
  }
}

TEST_CASE("the document of a message has all of its events, in the blocks that they name") {
  for (const Retain retain : {Retain::Text, Retain::Document, Retain::Nothing}) {
    StreamWorld world(View::Message, retain);
    CHECK(world.document().is_discarded());
    world.feed(k_start);
    CHECK(world.answer().id == "m1");
    CHECK(world.answer().model == "svc-4.5");
    CHECK(world.answer().choices.size() == 1);
    CHECK(world.document()["content"] == json::array());
    world.feed(block(0, R"({"type":"thinking","thinking":"H"})"));
    world.feed(block(1, R"({"type":"text","text":"A"})"));
    world.feed(delta(0, R"({"type":"thinking_delta","thinking":"m."})"));
    world.feed(delta(0, R"({"type":"signature_delta","signature":"s1"})"));
    world.feed(text(1, "B"));
    world.feed(block(2, R"({"type":"tool_use","id":"t1","name":"f","input":{}})"));
    world.feed(input(2, "{\"x\":"));
    world.feed(delta(2, R"({"type":"input_json_delta","partial_json":"1}","own":[1],"more":"2"})"));
    CHECK(world.document()["content"][2]["input"] == json::object());
    CHECK(world.document()["content"][2]["partial_json"] == "{\"x\":1}");
    world.feed(R"({"type":"content_block_stop","index":2})");
    world.feed(block(3, R"({"type":"tool_use","id":"t2","name":"g","input":{}})"));
    world.feed(input(3, "{\"y\":"));
    world.feed(k_end);
    world.feed(R"({"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null}})");
    world.feed(k_stop);
    json expected = json::parse(
        R"({"id":"m1","model":"svc-4.5","stop_reason":"end_turn","stop_sequence":null,)"
        R"("usage":{"input_tokens":9,"output_tokens":5},"content":[)"
        R"({"type":"thinking","thinking":"Hm.","signature":"s1"},{"type":"text","text":"AB"},)"
        R"({"type":"tool_use","id":"t1","name":"f","input":{"x":1},"own":[1],"more":"2"},)"
        R"({"type":"tool_use","id":"t2","name":"g","input":{},"partial_json":"{\"y\":"}]})");
    if (retain == Retain::Nothing) expected["content"][1]["text"] = "";
    CHECK(world.document() == expected);
    REQUIRE(world.finish());
    CHECK(world.answer().choices[0].reasoning == "Hm.");
    const auto& calls = world.answer().choices[0].tool_calls;
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].id == "t1");
    CHECK(calls[0].arguments == R"({"x":1})");
    CHECK(calls[1].id == "t2");
    CHECK(calls[1].arguments == "{\"y\":");
  }
}

TEST_CASE("events of a message without a number belong to its last block") {
  StreamWorld world(View::Message);
  world.feed(R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}})");
  CHECK(world.answer().choices.size() == 1);
  CHECK(world.document() == json::parse(R"({"content":[{"text":"a"}]})"));
  world.feed(R"({"type":"content_block_start","content_block":{"type":"text","text":"b"}})");
  world.feed(R"({"type":"content_block_delta","delta":{"text":"c"}})");
  world.feed(R"({"type":"content_block_start","content_block":{"type":"text","text":"d"}})");
  world.feed(R"({"type":"content_block_delta","delta":{"text":"e"}})");
  CHECK(world.document()["content"] ==
        json::parse(R"([{"text":"a"},{"type":"text","text":"bc"},{"type":"text","text":"de"}])"));
  // No event makes more than 1,024 blocks.
  world.feed(text(1'023, "x"));
  CHECK(world.document()["content"].size() == 1'024);
  world.feed(text(1'024, "y"));
  CHECK(world.document()["content"].size() == 1'024);
  CHECK(world.document()["content"][1'023]["text"] == "xy");
  StreamWorld end(View::Message);
  end.feed(k_end);
  CHECK(end.answer().choices.size() == 1);
}

TEST_CASE("a message ends with its stop event, or with a stop reason") {
  StreamWorld nothing(View::Message);
  CHECK(nothing.ended_with() == Fault::Network);
  StreamWorld cut(View::Message);
  cut.feed(k_start);
  cut.feed(text(0, "A"));
  CHECK(cut.ended_with() == Fault::Network);
  CHECK(cut.document()["content"][0]["text"] == "A");
  StreamWorld reason(View::Message);
  reason.feed(k_start);
  reason.feed(k_end);
  CHECK(reason.finish());
  StreamWorld stop(View::Message);
  stop.feed(k_start);
  stop.feed(k_stop);
  CHECK(stop.finish());
  StreamWorld farewell(View::Message);
  farewell.feed(k_start);
  farewell.feed("[DONE]");
  CHECK(farewell.ended_with() == Fault::Network);
}

TEST_CASE("a tool's input is joined, and never used incomplete") {
  StreamWorld world(View::Message);
  world.feed(k_start);
  world.feed(block(0, R"({"type":"tool_use","id":"t1","name":"f","input":{}})"));
  world.feed(input(0, "{\"b\":1,"));
  world.feed(input(0, "\"a\":2}"));
  world.feed(R"({"type":"content_block_stop","index":0})");
  world.feed(block(1, R"({"type":"server_tool_use","id":"t2","name":"web_search","input":{}})"));
  world.feed(k_end);
  REQUIRE(world.finish());
  const auto& calls = world.answer().choices[0].tool_calls;
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].name == "f");
  CHECK(json::parse(calls[0].arguments) == json{{"a", 2}, {"b", 1}});
  CHECK_FALSE(calls[0].runs_on_service);
  CHECK(calls[1].runs_on_service);

  StreamWorld half(View::Message);
  half.feed(k_start);
  half.feed(block(0, R"({"type":"tool_use","id":"t1","name":"f","input":{}})"));
  half.feed(input(0, "{\"b\":"));
  half.feed(R"({"type":"content_block_stop","index":0})");
  half.feed(k_end);
  half.feed(k_stop);
  CHECK(half.finish());
  CHECK(bad_arguments(half.answer()));
  CHECK(half.document()["content"][0]["partial_json"] == "{\"b\":");
}

TEST_CASE("message events in unexpected shapes") {
  StreamWorld world(View::Message);
  for (const char* odd :
       {R"({"type":"message_start"})", R"({"type":"message_start","message":7})",
        R"({"type":"content_block_start","index":-1,"content_block":null})",
        R"({"type":"content_block_delta","index":99999999,"delta":{"text":"x"}})",
        R"({"type":"content_block_delta","index":0,"delta":[1]})",
        R"({"type":"content_block_delta","index":0,"delta":{"n":1}})",
        R"({"type":"content_block_delta","index":0,"delta":{"n":"text"}})",
        R"({"type":"content_block_stop","index":{}})", R"({"type":"message_delta","delta":3})",
        R"({"type":"message_delta","usage":"none"})", R"({"type":7})", "{}"}) {
    CAPTURE(odd);
    world.feed(odd);
  }
  CHECK(world.refusal("[1]").fault == Fault::Network);
  CHECK(world.refusal("{").fault == Fault::Network);
  CHECK(world.refusal(R"({"type":"error","error":{"type":"overloaded_error","message":"no"}})")
            .http_status == 200);
  world.feed(k_stop);
  CHECK(world.finish());
}

TEST_CASE("whole messages and completions") {
  const auto message = read_message(json::parse(
      R"({"id":"m1","content":[{"type":"text","text":"A"},{"type":"tool_use","id":"t","name":"f",)"
      R"("input":{"x":1}},{"type":"text","text":"B"}],"stop_reason":"max_tokens",)"
      R"("usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":2}})"));
  REQUIRE(message);
  CHECK(message->choices[0].text == "AB");
  CHECK(message->choices[0].tool_calls[0].arguments == R"({"x":1})");
  CHECK(message->usage->cached_tokens == 2);
  const auto lacking = answer_error(*message, "max-tokens");
  REQUIRE(lacking);
  CHECK(lacking->fault == Fault::RemoteJob);
  CHECK(lacking->hint.find("--max-tokens ") != std::string::npos);

  const auto completion = read_answer(
      View::Message, json::parse(R"({"type":"completion","completion":"C","stop_reason":null})"));
  REQUIRE(completion);
  CHECK(completion->choices[0].text == "C");
  CHECK_FALSE(answer_error(*completion).has_value());

  for (const char* other : {"null", "[]", "{}", R"({"content":"text"})", R"({"completion":1})"}) {
    CAPTURE(other);
    CHECK_FALSE(read_message(json::parse(other)).has_value());
  }
}

TEST_CASE("text completions have text where chat has a message") {
  StreamWorld world(View::Chat);
  world.feed(R"({"id":"c1","object":"text_completion","choices":[{"index":0,"text":"A"}]})");
  world.feed(R"({"id":"c1","object":"text_completion","choices":[{"index":1,"text":"C"}]})");
  world.feed(
      R"({"id":"c1","object":"text_completion","choices":[{"index":0,"text":"B","finish_reason":"stop"}]})");
  world.feed("[DONE]");
  REQUIRE(world.finish());
  CHECK(world.shown == "(text 0: A)(text 1: C)(text 0: B)");
  CHECK(world.document()["object"] == "text_completion");
  CHECK(world.document()["choices"][0]["text"] == "AB");
  CHECK(world.document()["choices"][1]["text"] == "C");
  const auto whole = read_chat(json::parse(R"({"choices":[{"index":0,"text":"A"}]})"));
  REQUIRE(whole);
  CHECK(whole->choices[0].text == "A");
}
