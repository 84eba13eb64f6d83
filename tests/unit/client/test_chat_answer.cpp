// Chat completions assembled from chunks, and whole ones.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/text.h"
#include "stream_world.h"

using namespace svc;
using namespace svc::test;
using nlohmann::json;

namespace {

std::string chunk(const std::string& choices, const std::string& more = "") {
  return R"({"id":"u1","object":"chat.completion.chunk","created":1700000000,"model":"svc-4.5",)"
         R"("choices":[)" +
         choices + R"(],"system_fingerprint":"fp_x")" + more + "}";
}

std::string text(const std::string& content, int index = 0) {
  return chunk(R"({"index":)" + std::to_string(index) + R"(,"delta":{"content":")" + content +
               "\"}}");
}

std::string end(const std::string& reason = "stop", int index = 0) {
  return chunk(R"({"index":)" + std::to_string(index) + R"(,"delta":{},"finish_reason":")" +
               reason + "\"}");
}

std::string call_piece(const std::string& call) {
  return chunk(R"({"index":0,"delta":{"tool_calls":[)" + call + "]}}");
}

const std::string k_role = chunk(R"({"index":0,"delta":{"role":"assistant"}})");

}  // namespace

TEST_CASE("the documented trace") {
  StreamWorld world(View::Chat);
  world.feed(
      chunk(R"({"index":0,"delta":{"role":"assistant","reasoning_content":"Simple greeting."}})"));
  world.feed(text("Hello"));
  world.feed(end());
  world.feed(chunk("", R"(,"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12})"));
  world.feed("[DONE]");
  REQUIRE(world.finish());
  CHECK(world.shown == "(reasoning 0: Simple greeting.)(text 0: Hello)");
  const Answer& answer = world.answer();
  CHECK(answer.id == "u1");
  CHECK(answer.model == "svc-4.5");
  REQUIRE(answer.choices.size() == 1);
  CHECK(answer.choices[0].text == "Hello");
  CHECK(answer.choices[0].reasoning == "Simple greeting.");
  CHECK(answer.choices[0].finish_reason == "stop");
  REQUIRE(answer.usage);
  CHECK(answer.usage->input_tokens == 9);
  CHECK(answer.usage->output_tokens == 3);
  CHECK_FALSE(answer.usage->cost_ticks.has_value());
  CHECK_FALSE(answer_error(answer).has_value());

  const json document = world.document();
  CHECK(document["object"] == "chat.completion");
  CHECK(document["choices"][0]["message"]["content"] == "Hello");
  CHECK(document["choices"][0]["message"]["role"] == "assistant");
  CHECK(document["choices"][0]["finish_reason"] == "stop");
  CHECK(document["usage"]["total_tokens"] == 12);
  CHECK(document["system_fingerprint"] == "fp_x");
}

TEST_CASE("a connection that closes after the finish reason is complete") {
  StreamWorld world(View::Chat);
  world.feed(text("Hello"));
  world.feed(end());
  CHECK(world.finish());
}

TEST_CASE("an interrupted stream is not complete") {
  StreamWorld empty(View::Chat);
  CHECK(empty.ended_with() == Fault::Network);
  StreamWorld done_alone(View::Chat);
  done_alone.feed("[DONE]");
  CHECK(done_alone.ended_with() == Fault::Network);
  StreamWorld cut(View::Chat);
  cut.feed(k_role);
  cut.feed(text("Hel"));
  CHECK(cut.ended_with() == Fault::Network);
  CHECK(cut.answer().choices[0].text == "Hel");
  StreamWorld one_of_two(View::Chat);
  one_of_two.feed(text("a", 0));
  one_of_two.feed(text("b", 1));
  one_of_two.feed(end("stop", 0));
  CHECK(one_of_two.ended_with() == Fault::Network);
  one_of_two.feed(end("stop", 1));
  CHECK(one_of_two.finish());
}

TEST_CASE("several choices are kept separate") {
  StreamWorld world(View::Chat);
  for (const auto& [piece, index] : {std::pair("a", 0), std::pair("x", 1), std::pair("b", 0),
                                     std::pair("y", 1), std::pair("z", 2)}) {
    world.feed(text(piece, index));
  }
  world.feed(chunk(R"({"index":0,"delta":{},"finish_reason":"stop"},)"
                   R"({"index":1,"delta":{"content":"!"},"finish_reason":"length"})"));
  world.feed("[DONE]");
  CHECK(world.finish());
  REQUIRE(world.answer().choices.size() == 3);
  CHECK(world.answer().choices[0].text == "ab");
  CHECK(world.answer().choices[1].text == "xy!");
  CHECK(world.answer().choices[1].finish_reason == "length");
  CHECK(world.answer().choices[2].text == "z");
  const json document = world.document();
  REQUIRE(document["choices"].size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(document["choices"][i]["index"] == i);
  CHECK(document["choices"][1]["message"]["content"] == "xy!");
}

TEST_CASE("a caller that prints the text need not keep it") {
  StreamWorld world(View::Chat, Retain::Nothing);
  world.feed(k_role);
  world.feed(text("Hello"));
  world.feed(text("other", 1));
  world.feed(end());
  CHECK(world.shown == "(text 0: Hello)(text 1: other)");
  CHECK(world.answer().choices[0].text.empty());
  CHECK(world.answer().choices[1].text == "other");
}

TEST_CASE("a tool call arrives whole, or in fragments that are joined by index") {
  StreamWorld world(View::Chat);
  world.feed(call_piece(
      R"({"index":0,"id":"c0","type":"function","function":{"name":"f","arguments":"{\"a\""}})"));
  world.feed(call_piece(
      R"({"index":1,"id":"c1","type":"function","function":{"name":"g","arguments":""}})"));
  world.feed(call_piece(R"({"index":0,"function":{"arguments":":1}"}})"));
  world.feed(call_piece(R"({"index":1,"function":{"arguments":"{\"b\":"}})"));
  world.feed(call_piece(R"({"index":1,"function":{"arguments":"[2]}"}})"));
  // A call without an index stands alone.
  world.feed(
      call_piece(R"({"id":"c2","type":"function","function":{"name":"h","arguments":"{}"}})"));
  world.feed(end("tool_calls"));
  REQUIRE(world.finish());
  const std::vector<ToolCall>& calls = world.answer().choices[0].tool_calls;
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].id == "c0");
  CHECK(calls[0].name == "f");
  CHECK(calls[0].arguments == R"({"a":1})");
  CHECK(calls[1].name == "g");
  CHECK(calls[1].arguments == R"({"b":[2]})");
  CHECK(calls[2].arguments == "{}");
  CHECK_FALSE(calls[0].runs_on_service);
  CHECK_FALSE(answer_error(world.answer()).has_value());
  const json document = world.document();
  const json& told = document["choices"][0]["message"]["tool_calls"];
  REQUIRE(told.size() == 3);
  CHECK(told[1]["function"]["arguments"] == R"({"b":[2]})");
  CHECK(told[1]["id"] == "c1");
}

TEST_CASE("a server-side tool call is not the caller's") {
  StreamWorld world(View::Chat);
  world.feed(call_piece(
      R"({"index":0,"id":"s","type":"web_search","function":{"name":"web","arguments":"{\"q"}})"));
  world.feed(end());
  CHECK(world.finish());
  CHECK(world.answer().choices[0].tool_calls[0].runs_on_service);
}

TEST_CASE("a call with truncated arguments is never complete") {
  for (const char* arguments : {R"({\"a\":)", R"({\"a\":1)", R"(\"x)", "{}{}"}) {
    CAPTURE(arguments);
    StreamWorld world(View::Chat);
    world.feed(call_piece(R"({"index":0,"id":"c","function":{"name":"f","arguments":")" +
                          std::string(arguments) + "\"}}"));
    world.feed(end("tool_calls"));
    world.feed("[DONE]");
    CHECK(world.finish());
    CHECK(bad_arguments(world.answer()));
  }
}

TEST_CASE("an impossible index is an error and costs nothing") {
  for (const char* index : {"-1", "1024", "4000000000", "99999999999999999999", "1e9", "{}"}) {
    CAPTURE(index);
    StreamWorld world(View::Chat);
    world.feed(text("a", 0));
    for (const std::string& data :
         {chunk(R"({"index":)" + std::string(index) + R"(,"delta":{"content":"x"}})"),
          call_piece(R"({"index":)" + std::string(index) + R"(,"function":{"name":"f"}})")}) {
      const Error error = world.refusal(data);
      CHECK(error.fault == Fault::Network);
      CHECK(error.message.find("index from 0 to 1023") != std::string::npos);
    }
    CHECK(world.answer().choices.size() == 1);
    CHECK(world.answer().choices[0].tool_calls.empty());
    CHECK_FALSE(read_chat(json::parse(R"({"choices":[{"index":)" + std::string(index) + "}]}")));
  }
}

TEST_CASE("content that is not text is an error") {
  for (const char* content : {"{}", R"({"text":"x"})", "7", "true"}) {
    CAPTURE(content);
    const std::string member = R"({"content":)" + std::string(content) + "}";
    StreamWorld world(View::Chat);
    world.feed(text("kept"));
    const Error error = world.refusal(chunk(R"({"index":0,"delta":)" + member + "}"));
    CHECK(error.fault == Fault::Network);
    CHECK(error.may_have_run);
    CHECK(error.message.starts_with("expected text for \"content\" in the response, got a"));
    CHECK(world.document()["choices"][0]["message"]["content"] == "kept");
    CHECK_FALSE(read_chat(json::parse(R"({"choices":[{"message":)" + member + "}]}")));
  }
  const auto parts = read_chat(json::parse(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},1,{"text":"b"}]}}]})"));
  REQUIRE(parts.has_value());
  CHECK(parts->choices[0].text == "ab");
}

TEST_CASE("the last chunks contain usage, citations, files and tier") {
  StreamWorld world(View::Chat);
  world.feed(text("a"));
  world.feed(chunk(R"({"index":0,"delta":{},"finish_reason":"stop"})",
                   R"(,"citations":["https://a.example","https://b.example"],)"
                   R"("output_files":[{"file_id":"file_1","name":"plot.png"}],)"
                   R"("service_tier":"priority")"));
  world.feed(chunk("", R"(,"usage":{"prompt_tokens":100,"completion_tokens":20,)"
                       R"("prompt_tokens_details":{"cached_tokens":7},)"
                       R"("completion_tokens_details":{"reasoning_tokens":5},)"
                       R"("num_sources_used":3,"cost_in_usd_ticks":"158500"})"));
  world.feed("[DONE]");
  REQUIRE(world.finish());
  const Answer& answer = world.answer();
  CHECK(answer.citations == std::vector<std::string>{"https://a.example", "https://b.example"});
  CHECK(answer.output_files == std::vector<std::string>{"file_1 plot.png"});
  REQUIRE(answer.usage);
  CHECK(answer.usage->cached_tokens == 7);
  CHECK(answer.usage->reasoning_tokens == 5);
  CHECK(answer.usage->sources == 3);
  CHECK(answer.usage->cost_ticks == 158500);
  const json document = world.document();
  CHECK(document["service_tier"] == "priority");
  CHECK(document["citations"].size() == 2);
  CHECK(document["output_files"][0]["name"] == "plot.png");
}

TEST_CASE("usage with null fields, in either format") {
  const auto usage_of = [](const std::string& usage) {
    StreamWorld world(View::Chat);
    world.feed(text("a"));
    world.feed(chunk("", ",\"usage\":" + usage));
    return world.answer().usage;
  };
  CHECK_FALSE(usage_of("null").has_value());
  CHECK_FALSE(usage_of("{}").has_value());
  CHECK(usage_of(R"({"prompt_tokens":1,"prompt_tokens_details":null})")->input_tokens == 1);
  CHECK(usage_of(R"({"input_tokens":4,"output_tokens":5})")->output_tokens == 5);
  CHECK(usage_of(R"({"prompt_tokens":1,"cost_in_usd_ticks":null})")->cost_ticks == std::nullopt);
  CHECK(usage_of(R"({"prompt_tokens":1,"cost_in_usd_ticks":0})")->cost_ticks == 0);
}

TEST_CASE("an error event ends the call with the service's message") {
  struct Case {
    const char* data;
    Fault fault;
    const char* words;
  };
  for (const Case& one : {
           Case{R"({"code":"Some resource has been exhausted","error":"Slow down"})",
                Fault::Limited, "Slow down"},
           Case{R"({"code":"internal","error":"Broken"})", Fault::Service, "Broken"},
           Case{R"({"error":{"message":"Bad key","type":"invalid_request_error","code":401}})",
                Fault::Auth, "Bad key"},
           Case{R"({"error":{"message":"Gone","code":"not_found"}})", Fault::NotFound, "Gone"},
           Case{R"({"error":"Just words"})", Fault::Service, "Just words"},
           Case{R"({"type":"error","message":"Typed"})", Fault::Service, "Typed"},
           Case{R"({"type":"error","error":{"message":"Nested"}})", Fault::Service, "Nested"},
           Case{R"({"id":"u1","choices":[{"index":0,"delta":{"content":"x"}}],"error":"Within"})",
                Fault::Service, "Within"},
       }) {
    CAPTURE(one.data);
    StreamWorld world(View::Chat);
    world.feed(text("kept"));
    const Error error = world.refusal(one.data);
    CHECK(error.fault == one.fault);
    CHECK(error.message.find(one.words) != std::string::npos);
    CHECK(world.answer().choices[0].text == "kept");
    CHECK(world.shown == "(text 0: kept)");
  }
}

TEST_CASE("an empty error is not an error") {
  StreamWorld world(View::Chat);
  world.feed(chunk(R"({"index":0,"delta":{"content":"a"}})", R"(,"error":null)"));
  world.feed(chunk(R"({"index":0,"delta":{"content":"b"}})", R"(,"error":{})"));
  CHECK(world.answer().choices[0].text == "ab");
}

TEST_CASE("an event that is not JSON is reported by its number") {
  for (const char* data : {"", "{", "nonsense", "<html>", R"({"a":1}})", "[DONE", "[done]"}) {
    CAPTURE(data);
    StreamWorld world(View::Chat);
    world.feed(text("kept"));
    const Error error = world.refusal(data);
    CHECK(error.fault == Fault::Network);
    CHECK(error.message.starts_with("event 2 of the stream is not JSON: line 1, column "));
    CHECK(error.hint == "The partial answer is preserved; try again.");
    CHECK(world.answer().choices[0].text == "kept");
  }
  StreamWorld world(View::Chat);
  const Error list = world.refusal("[1,2]");
  CHECK(list.fault == Fault::Network);
  CHECK(list.message == "event 1 of the stream is not an object");
  StreamWorld message(View::Message);
  CHECK(message.refusal("7").message == "event 1 of the stream is not an object");
  CHECK(world.refusal("\"text\"").fault == Fault::Network);
  CHECK(world.refusal(std::string(100'000, '[')).fault == Fault::Network);
}

TEST_CASE("a stream that ends early says after how many events") {
  for (const View view : {View::Chat, View::Response, View::Message}) {
    StreamWorld world(view);
    const auto told = [&] {
      const auto ended = world.finish();
      REQUIRE_FALSE(ended);
      CHECK(ended.error().fault == Fault::Network);
      CHECK(ended.error().hint == "The answer shown is incomplete; try again.");
      return ended.error().message;
    };
    CHECK(told() == "the stream ended early, after 0 events");
    world.feed(R"({"type":"ping"})");
    CHECK(told() == "the stream ended early, after 1 event");
    world.feed(R"({"type":"ping"})");
    CHECK(told() == "the stream ended early, after 2 events");
  }
}

TEST_CASE("a document that is no answer says what it lacks") {
  const json object = json::object();
  CHECK(read_answer(View::Chat, object).error().message ==
        "not a chat completion: response has no choices");
  CHECK(read_answer(View::Response, object).error().message == "not a response: it has no output");
  CHECK(read_answer(View::Message, object).error().message ==
        "not a message: response has no content");
}

TEST_CASE("the arguments of a call that was cut are told") {
  Answer answer;
  answer.choices = {Choice{.tool_calls = {ToolCall{.name = "a", .arguments = "{}"},
                                          ToolCall{.name = "f\n", .arguments = "{\"a"}}}};
  const auto bad = bad_arguments(answer);
  REQUIRE(bad);
  CHECK(bad->fault == Fault::Network);
  CHECK(bad->message == "the arguments of the tool call f^J are truncated");
  CHECK(bad->hint == "The call was not run; try again.");
  answer.choices.front().finish_reason = "length";
  CHECK_FALSE(bad_arguments(answer));
  answer.choices.front().finish_reason = {};
  answer.choices.front().tool_calls.back().runs_on_service = true;
  CHECK_FALSE(bad_arguments(answer));
  answer.choices.front().tool_calls.back() = {.name = "f"};
  CHECK_FALSE(bad_arguments(answer));
}

TEST_CASE("unusual shapes are handled") {
  StreamWorld world(View::Chat);
  for (const char* data :
       {R"({"choices":null})", R"({"choices":{}})", R"({"choices":"x"})", R"({"choices":[null,1]})",
        R"({"choices":[{"delta":null}]})", R"({"choices":[{"delta":[]}]})",
        R"({"choices":[{"delta":{"content":[1]}}]})",
        R"({"choices":[{"delta":{"tool_calls":null}}]})",
        R"({"choices":[{"delta":{"tool_calls":[null,1,{"function":null}]}}]})",
        R"({"choices":[{"finish_reason":7}]})", R"({"usage":[]})", R"({"citations":"x"})",
        R"({"citations":[1,null,{"url":"u"}]})", R"({"output_files":[1]})", R"({"id":7})", "{}"}) {
    CAPTURE(data);
    world.feed(data);
  }
  CHECK(world.answer().choices.size() <= 2);
  CHECK_FALSE(world.document().is_discarded());
}

TEST_CASE("fields that change type midway are handled") {
  const auto choice = [](const std::string& members) {
    return chunk("{\"index\":0," + members + "}");
  };
  const std::string call =
      R"("delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]})";
  StreamWorld world(View::Chat);
  for (const std::string& data :
       {choice(R"("logprobs":true)"),
        choice(R"("logprobs":{"content":[1]})"),
        choice(R"("logprobs":{"content":7})"),
        choice(R"("logprobs":{"content":[2]})"),
        choice(R"("logprobs":[])"),
        choice(R"("logprobs":{"content":[3]})"),
        choice(R"("message":7)"),
        text("a"),
        choice(R"("delta":{"content":"b","role":"assistant"})"),
        choice(R"("delta":{"tool_calls":7})"),
        choice(call),
        choice(R"("delta":{"tool_calls":[{"index":0,"function":"x"}]})"),
        choice(call),
        choice(R"("delta":{"tool_calls":[{"index":0,"function":{"arguments":[]}}]})"),
        choice(call),
        text("c"),
        choice(R"("message":[])"),
        text("d"),
        chunk("7"),
        chunk("[]"),
        choice(R"("delta":7)"),
        text("e")}) {
    CAPTURE(data);
    world.feed(data);
  }
  const json document = world.document();
  REQUIRE_FALSE(document.is_discarded());
  CHECK(document["choices"].size() == 1);
  CHECK(world.answer().choices[0].text == "abcde");
}

TEST_CASE("each lone surrogate and ill-formed byte becomes one replacement character") {
  StreamWorld world(View::Chat);
  world.feed(k_role);
  world.feed(
      chunk("{\"index\":0,\"delta\":{\"content\":\"a\xff"
            "b\"}}"));
  world.feed(chunk(R"({"index":0,"delta":{"content":"\ud800c"}})"));
  CHECK(world.answer().choices[0].text ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd"
        "c");
  CHECK(world.document()["choices"][0]["message"]["content"] ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd"
        "c");
}

TEST_CASE("ill-formed bytes in a name or a value never reach a document") {
  const std::pair<View, std::vector<std::string>> streams[] = {
      {View::Chat,
       {k_role,
        chunk(R"({"index":0,"x?":"?","delta":{"y?":{"z?":["?"]},"content":"a?"}})", R"(,"?":1)"),
        chunk(R"({"index":0,"text":"b?","logprobs":{"l?":[{"t?":"?"}]},"delta":{"tool_calls":[)"
              R"({"index":0,"i?":"?","function":{"name":"f?","arguments":"{}","?":"?"}}]}})"),
        end("s?"), "[DONE]"}},
      {View::Response,
       {R"({"type":"response.output_text.delta","delta":"a?","?":1})",
        R"({"type":"response.completed","?":"?","response":{"id":"r?","status":"completed","?":[{"?":"?"}],)"
        R"("output":[{"type":"message","?":"?","content":[{"type":"output_text","text":"a?"}]}]}})"}},
      {View::Message,
       {R"({"type":"message_start","message":{"id":"m?","?":"?","content":[],"usage":{"?":1}}})",
        R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a?","?":"?"}})",
        R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b?","x?":"?"}})",
        R"({"type":"message_delta","delta":{"stop_reason":"e?","?":"?"},"usage":{"?":2}})",
        R"({"type":"message_stop"})"}}};
  for (const auto& [view, events] : streams) {
    // Alone, a lead without its end, too long, a surrogate, beyond the last code point.
    for (const char* bytes : {"\xff", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
      for (const Retain retain : {Retain::Text, Retain::Document}) {
        CAPTURE(bytes);
        const auto stream = make_answer_stream(view, retain, {});
        for (const std::string& event : events) {
          REQUIRE(stream->feed(replace_all(event, "?", bytes), [](const Delta& delta) {
            CHECK_FALSE(first_invalid_utf8(delta.text));
          }));
        }
        CHECK(stream->finish());
        CHECK_FALSE(check_json(stream->document()));
        CHECK(stream->document().find("\xef\xbf\xbd\":") != std::string::npos);
        CHECK_FALSE(first_invalid_utf8(stream->answer().id));
      }
    }
  }
}

TEST_CASE("a secret in an error event is masked") {
  StreamWorld world(View::Chat, Retain::Text, {"svc-secret-0123456789-wxyz"});
  const Error error = world.refusal(R"({"error":"wrong key svc-secret-0123456789-wxyz"})");
  CHECK(error.message.find("secret") == std::string::npos);
}

TEST_CASE("a whole chat completion of another form says what is wrong with it") {
  const auto wrong = [](const std::string& choice) {
    const auto answer = read_chat(json::parse("{\"choices\":[" + choice + "]}"));
    if (answer) return std::string("fine");
    CHECK(answer.error().fault == Fault::Network);
    CHECK(answer.error().may_have_run);
    CHECK(answer.error().hint ==
          "Something between here and the service may have changed it; check the URL with `svc "
          "doctor`.");
    return answer.error().message;
  };
  const std::pair<const char*, const char*> rows[] = {
      {"", "expected a choice in the response, got none"},
      {"7", "expected objects in \"choices\" in the response, got a number"},
      {"null", "expected objects in \"choices\" in the response, got null"},
      {"[]", "expected objects in \"choices\" in the response, got an array"},
      {"{}", "expected a message in each choice in the response, got none"},
      {R"({"message":null,"finish_reason":"stop"})",
       "expected a message in each choice in the response, got none"},
      {R"({"message":"x"})", "expected objects in \"message\" in the response, got a string"},
      {R"({"message":{},"index":-1})",
       "expected a choice index from 0 to 1023 in the response, got -1"},
      {R"({"message":{},"index":1024})",
       "expected a choice index from 0 to 1023 in the response, got 1024"},
      {R"({"message":{},"index":18446744073709551615})",
       "expected a choice index from 0 to 1023 in the response, got 18446744073709551615"},
      {R"({"message":{},"index":1.5})",
       "expected a choice index from 0 to 1023 in the response, got 1.5"},
      {R"({"message":{"content":7}})",
       "expected text for \"content\" in the response, got a number"},
      {R"({"message":{"content":{}}})",
       "expected text for \"content\" in the response, got an object"},
      {R"({"text":true})", "expected text for \"text\" in the response, got a boolean"},
      {R"({"message":{"tool_calls":7}})",
       "expected an array for \"tool_calls\" in the response, got a number"},
      {R"({"message":{"tool_calls":[7]}})",
       "expected objects in \"tool_calls\" in the response, got a number"},
      {R"({"message":{"tool_calls":[{"function":{"arguments":{}}}]}})",
       "expected text for \"arguments\" in the response, got an object"},
      {R"({"message":{},"index":0})", "fine"},
      {R"({"message":{},"index":1023})", "fine"},
      {R"({"message":{},"index":"1"})", "fine"},
      {R"({"message":{},"index":null})", "fine"},
      {R"({"message":{"content":[{"text":"a"},7]}})", "fine"},
      {R"({"message":{"tool_calls":null}})", "fine"},
      {R"({"text":""})", "fine"},
      {R"({"finish_reason":"content_filter"})", "fine"},
  };
  for (const auto& [choice, message] : rows) {
    CAPTURE(choice);
    CHECK(wrong(choice) == message);
  }
}

TEST_CASE("an index in a chunk that is none says of what") {
  StreamWorld world(View::Chat);
  CHECK(world.refusal(text("a", 1024)).message ==
        "expected a choice index from 0 to 1023 in the response, got 1024");
  CHECK(world.refusal(call_piece(R"({"index":1024})")).message ==
        "expected a tool call index from 0 to 1023 in the response, got 1024");
  world.feed(text("a", 1023));
  CHECK(world.answer().choices.size() == 1024);
}

TEST_CASE("a refusal is streamed as one") {
  StreamWorld world(View::Chat);
  world.feed(k_role);
  world.feed(chunk(R"({"index":0,"delta":{"refusal":"N"}})"));
  world.feed(chunk(R"({"index":0,"delta":{"refusal":"o."}})"));
  world.feed(end());
  REQUIRE(world.finish());
  CHECK(world.shown == "(refusal 0: N)(refusal 0: o.)");
  CHECK(world.answer().choices[0].refusal == "No.");
  CHECK(world.answer().choices[0].text.empty());
  CHECK(world.document()["choices"][0]["message"]["refusal"] == "No.");
}

TEST_CASE("a document has the fields of all chunks: joined, replaced, or the first that is null") {
  StreamWorld world(View::Chat);
  world.feed(chunk(
      R"({"index":0,"finish_reason":null,"delta":{"role":"assistant","reasoning_content":"svc content 0"}})",
      R"(,"usage":null)"));
  world.feed(text("Hi"));
  world.feed(chunk(R"({"index":0,"delta":{"role":"assistant","name":null},"own":1})"));
  world.feed(call_piece(
      R"({"index":0,"id":"c0","type":"function","function":{"name":"f","arguments":"{\"a\""}})"));
  world.feed(call_piece(
      R"({"index":0,"id":null,"more":1,"function":{"name":null,"strict":true,"arguments":":1}"}})"));
  world.feed(chunk(R"({"index":0,"logprobs":{"content":[1],"refusal":null}})"));
  world.feed(chunk(R"({"index":0,"logprobs":{"content":[2,3],"refusal":[4],"more":5}})"));
  world.feed(chunk(R"({"index":0,"delta":{},"finish_reason":"tool_calls"})"));
  world.feed(chunk(R"({"index":0,"delta":{"content":"!"},"finish_reason":null,"own":null})",
                   R"(,"usage":{"prompt_tokens":1})"));
  world.feed(chunk("", R"(,"usage":null)"));
  const json expected = json::parse(
      R"({"id":"u1","object":"chat.completion","created":1700000000,"model":"svc-4.5",)"
      R"("choices":[{"index":0,"finish_reason":"tool_calls","own":1,"message":{"role":"assistant",)"
      R"("reasoning_content":"svc content 0","content":"Hi!","name":null,"tool_calls":[{"index":0,)"
      R"("id":"c0","type":"function","more":1,"function":{"name":"f","arguments":"{\"a\":1}",)"
      R"("strict":true}}]},"logprobs":{"content":[1,2,3],"refusal":[4],"more":5}}],)"
      R"("system_fingerprint":"fp_x","usage":{"prompt_tokens":1}})");
  CHECK(world.document() == expected);
}

TEST_CASE("a whole chat completion") {
  const json document = json::parse(
      R"({"id":"u1","model":"svc-4.5","choices":[
          {"index":0,"message":{"role":"assistant","content":"Hi","reasoning_content":"why",
           "refusal":null,"tool_calls":[{"id":"c","type":"function",
           "function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"},
          {"index":1,"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}],
          "citations":["https://a.example"],"usage":{"prompt_tokens":1,"completion_tokens":2}})");
  const auto answer = read_chat(document);
  REQUIRE(answer);
  CHECK(answer->id == "u1");
  REQUIRE(answer->choices.size() == 2);
  CHECK(answer->choices[0].text == "Hi");
  CHECK(answer->choices[0].reasoning == "why");
  REQUIRE(answer->choices[0].tool_calls.size() == 1);
  CHECK(answer->choices[0].tool_calls[0].name == "f");
  CHECK(answer->choices[1].text.empty());
  CHECK(answer->choices[1].refusal == "No.");
  CHECK(answer->citations.size() == 1);
  CHECK(answer->usage->output_tokens == 2);
  const auto lacking = answer_error(*answer);
  REQUIRE(lacking);
  CHECK(lacking->message == "the model refused: No.");
  for (const char* other : {"null", "{}", "[]", "1", R"({"choices":{}})", R"({"choices":"x"})"}) {
    CAPTURE(other);
    const auto failed = read_chat(json::parse(other));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().fault == Fault::Network);
  }
}

TEST_CASE("an event is passed on unchanged only if reformatting would not change it") {
  const std::string plain = text("Hello \\n\\u00e4 \xC3\xA4");
  std::string spaced = plain;
  spaced.insert(plain.find(R"("choices")"), " ");
  std::string with_end = plain + "\n";
  for (const std::string& data :
       {plain, spaced, with_end, "\xEF\xBB\xBF" + plain, k_role, end(),
        chunk("", R"(,"usage":{"prompt_tokens":9})"), std::string("[DONE]")}) {
    CAPTURE(data);
    auto stream = make_answer_stream(View::Chat, Retain::Nothing, {});
    const auto ignore = [](const Delta&) {};
    REQUIRE(stream->feed(k_role, ignore));
    CHECK_FALSE(stream->is_compact_line());
    REQUIRE(stream->feed(data, ignore));
    CHECK(stream->is_compact_line() == (data == plain));
    // The second chunk has the same frame as the first.
    REQUIRE(stream->feed(data, ignore));
    CHECK(stream->is_compact_line() == (data == plain));
  }
}

TEST_CASE("a long answer is complete in the document, however its characters are split") {
  for (const Retain retain : {Retain::Document, Retain::Text}) {
    auto stream = make_answer_stream(View::Chat, retain, {});
    const auto ignore = [](const Delta&) {};
    REQUIRE(stream->feed(k_role, ignore));
    std::string whole;
    for (int i = 0; i < 60'000; ++i) {
      REQUIRE(stream->feed(text(i % 2 == 0 ? "a\xE2\x82\xAC\xF0\x9F\x98\x80" : "\\\"\\n\\u0001"),
                           ignore));
      whole += i % 2 == 0 ? "a\xE2\x82\xAC\xF0\x9F\x98\x80" : "\"\n\x01";
    }
    // A chunk that does not take the fast path, and one of another choice.
    REQUIRE(stream->feed(chunk(R"({"index":0,"delta":{"content":"!","x":1}})"), ignore));
    REQUIRE(stream->feed(chunk(R"({"index":1,"delta":{"role":"assistant","content":"second"}})"),
                         ignore));
    REQUIRE(stream->feed(end(), ignore));
    const json document = json::parse(stream->document());
    CHECK(document["choices"][0]["message"]["content"] == whole + "!");
    CHECK(document["choices"][0]["message"]["x"] == 1);
    CHECK(document["choices"][1]["message"]["content"] == "second");
    CHECK(document["choices"][0]["finish_reason"] == "stop");
    CHECK(stream->answer().choices[0].text == (retain == Retain::Text ? whole + "!" : ""));
  }
}
