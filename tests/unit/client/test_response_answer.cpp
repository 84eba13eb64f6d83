// Responses assembled from events, read whole, and judged.
#include <initializer_list>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "stream_world.h"

using namespace svc;
using namespace svc::test;
using nlohmann::json;

namespace {

const std::string k_created =
    R"({"type":"response.created","response":{"id":"r1","object":"response",)"
    R"("status":"in_progress","output":[]}})";

std::string text_delta(const std::string& text, const std::string& more = "") {
  return R"({"type":"response.output_text.delta","item_id":"msg_r1","output_index":0,)"
         R"("content_index":0,"delta":")" +
         text + "\"" + more + "}";
}

std::string message(const std::string& text) {
  return R"({"type":"message","id":"msg_r1","role":"assistant","status":"completed","content":[)"
         R"({"type":"output_text","text":")" +
         text + R"(","logprobs":[],"annotations":[]}]})";
}

std::string response(const std::string& status, const std::string& output,
                     const std::string& more = "") {
  return R"({"id":"r1","object":"response","status":")" + status +
         R"(","model":"svc-4.5","output":[)" + output + "]" + more + "}";
}

std::string ended(const std::string& type, const std::string& what) {
  return R"({"type":"response.)" + type + R"(","response":)" + what + "}";
}

std::string completed(const std::string& output, const std::string& more = "") {
  return ended("completed", response("completed", output, more));
}

}  // namespace

TEST_CASE("the documented trace") {
  StreamWorld world(View::Response);
  world.feed(k_created);
  world.feed(R"({"type":"response.output_item.added","output_index":0,"item":{"type":"message",)"
             R"("id":"msg_r1","role":"assistant","status":"in_progress","content":[]}})");
  world.feed(text_delta("Hi"));
  world.feed(R"({"type":"response.output_text.done","item_id":"msg_r1","output_index":0,)"
             R"("content_index":0,"text":"Hi"})");
  world.feed(completed(message("Hi"),
                       R"(,"usage":{"input_tokens":8,"output_tokens":2,"total_tokens":10})"));
  world.feed("[DONE]");
  REQUIRE(world.finish());
  CHECK(world.shown == "(text 0: Hi)");
  CHECK(world.warnings().empty());
  const Answer& answer = world.answer();
  CHECK(answer.id == "r1");
  CHECK(answer.model == "svc-4.5");
  CHECK(answer.status == "completed");
  REQUIRE(answer.choices.size() == 1);
  CHECK(answer.choices[0].text == "Hi");
  REQUIRE(answer.usage);
  CHECK(answer.usage->input_tokens == 8);
  CHECK(answer.usage->output_tokens == 2);
  CHECK_FALSE(answer_error(answer).has_value());
  CHECK(world.document() == json::parse(response("completed", message("Hi"),
                                                 R"(,"usage":{"input_tokens":8,"output_tokens":2,)"
                                                 R"("total_tokens":10})")));
}

TEST_CASE("complete without its [DONE], but not without its end") {
  StreamWorld whole(View::Response);
  whole.feed(completed(message("Hi")));
  CHECK(whole.finish());

  StreamWorld cut(View::Response);
  CHECK(cut.ended_with() == Fault::Network);
  cut.feed(k_created);
  cut.feed(text_delta("Hel"));
  CHECK(cut.ended_with() == Fault::Network);
  cut.feed("[DONE]");
  CHECK(cut.ended_with() == Fault::Network);
  CHECK(cut.answer().id == "r1");
  CHECK(cut.answer().choices[0].text == "Hel");
  // The partial result is still a document.
  const json part = cut.document();
  CHECK(part["id"] == "r1");
  CHECK(part["status"] == "in_progress");
  CHECK(part["output"][0]["content"][0]["text"] == "Hel");
}

TEST_CASE("the document of a response that breaks has what was received") {
  StreamWorld cut(View::Response);
  CHECK(cut.document().is_discarded());
  cut.feed(text_delta("Hel"));
  const auto expected = [](const std::string& id) {
    return json::parse(
        R"({"id":")" + id +
        R"(","object":"response","status":"in_progress","output":[{"type":"message",)"
        R"("role":"assistant","status":"in_progress","content":[)"
        R"({"type":"output_text","text":"Hel"}]}]})");
  };
  CHECK(cut.document() == expected(""));
  cut.feed(k_created);
  CHECK(cut.document() == expected("r1"));
  // The first ID stays.
  cut.feed(R"({"type":"response.in_progress","response":{"id":"r2"}})");
  CHECK(cut.document() == expected("r1"));
  StreamWorld shown(View::Response, Retain::Nothing);
  shown.feed(text_delta("Hel"));
  CHECK(shown.shown == "(text 0: Hel)");
  CHECK(shown.answer().choices[0].text.empty());
}

TEST_CASE("an end event without a status has that of its name") {
  StreamWorld world(View::Response);
  world.feed(R"({"type":"response.incomplete","response":{"id":"r1","output":[]}})");
  REQUIRE(world.finish());
  CHECK(world.answer().status == "incomplete");
  StreamWorld whole(View::Response);
  whole.feed(R"({"type":"response.completed","response":{"id":"r1","output":[]}})");
  CHECK(whole.answer().status.empty());
}

TEST_CASE("the old name of the end event") {
  StreamWorld world(View::Response);
  world.feed(text_delta("Hi"));
  world.feed(ended("done", response("completed", message("Hi"))));
  CHECK(world.finish());
  CHECK(world.answer().choices[0].text == "Hi");
}

TEST_CASE("the end event counts, deltas are only for display") {
  StreamWorld world(View::Response);
  world.feed(text_delta("Hi, wor"));
  world.feed(completed(message("Hello, world")));
  CHECK(world.finish());
  CHECK(world.answer().choices[0].text == "Hello, world");
  // An end event without output does not discard the text.
  StreamWorld bare(View::Response);
  bare.feed(text_delta("Hi"));
  bare.feed(completed(""));
  CHECK(bare.answer().choices[0].text == "Hi");
}

TEST_CASE("reasoning, refusals and tools are distinguished") {
  StreamWorld world(View::Response);
  world.feed(R"({"type":"response.reasoning_summary_text.delta","delta":"because"})");
  world.feed(R"({"type":"response.reasoning_text.delta","delta":" so"})");
  world.feed(R"({"type":"response.output_item.done","item":{"type":"web_search_call",)"
             R"("action":{"type":"search","query":"weather"}}})");
  world.feed(R"({"type":"response.output_item.done","item":{"type":"function_call","name":"f"}})");
  world.feed(R"({"type":"response.output_item.done","item":{"type":"message"}})");
  world.feed(R"({"type":"response.refusal.delta","delta":"No."})");
  CHECK(world.shown ==
        "(reasoning 0: because)(reasoning 0:  so)(tool 0: web_search: weather)(refusal 0: No.)");
  CHECK(world.answer().choices[0].reasoning == "because so");
  CHECK(world.answer().choices[0].refusal == "No.");
}

TEST_CASE("a failed response") {
  StreamWorld world(View::Response);
  world.feed(k_created);
  world.feed(text_delta("Hal"));
  const Error error = world.refusal(
      ended("failed", response("failed", "", R"(,"error":{"code":"x","message":"No luck"})")));
  CHECK(error.fault == Fault::RemoteJob);
  CHECK(error.message.find("No luck") != std::string::npos);
  CHECK(error.code == "x");
  CHECK(world.answer().choices[0].text == "Hal");
  CHECK(world.document()["status"] == "failed");

  for (const char* more : {"", R"(,"error":null)"}) {
    CAPTURE(more);
    StreamWorld silent(View::Response);
    CHECK(silent.refusal(ended("failed", response("failed", "", more))).fault == Fault::RemoteJob);
  }
  // The failure may be only in the status.
  StreamWorld quiet(View::Response);
  CHECK(quiet.refusal(ended("completed", response("failed", "", R"(,"error":{"message":"No"})")))
            .fault == Fault::RemoteJob);
  StreamWorld mute(View::Response);
  mute.feed(ended("done", response("failed", "")));
  CHECK(mute.finish());
  CHECK(answer_error(mute.answer()).has_value());
}

TEST_CASE("an incomplete response") {
  for (const char* reason : {"max_output_tokens", "max_prompt_tokens", "max_time_limit"}) {
    CAPTURE(reason);
    StreamWorld world(View::Response);
    world.feed(text_delta("Half"));
    world.feed(ended("incomplete", response("incomplete", message("Half"),
                                            R"(,"incomplete_details":{"reason":")" +
                                                std::string(reason) + "\"}")));
    REQUIRE(world.finish());
    CHECK(world.answer().choices[0].text == "Half");
    const auto lacking = answer_error(world.answer());
    REQUIRE(lacking);
    CHECK(lacking->fault == Fault::RemoteJob);
    CHECK(lacking->message.find(reason) != std::string::npos);
  }
  // Only the event indicates it.
  StreamWorld bare(View::Response);
  bare.feed(R"({"type":"response.incomplete","response":{"id":"r1","output":[]}})");
  CHECK(bare.finish());
  CHECK(answer_error(bare.answer()).has_value());
}

TEST_CASE("error events of either format end the call") {
  for (const char* data : {R"({"type":"error","message":"Broken","code":"internal"})",
                           R"({"type":"error","error":{"message":"Broken","code":"internal"}})",
                           R"({"code":"internal","error":"Broken"})"}) {
    CAPTURE(data);
    StreamWorld world(View::Response);
    world.feed(k_created);
    const Error error = world.refusal(data);
    CHECK(error.fault == Fault::Service);
    CHECK(error.message.find("Broken") != std::string::npos);
  }
  StreamWorld world(View::Response);
  CHECK(world.refusal(R"({"type":"error","message":"Slow down","code":"rate_limit_exceeded"})")
            .fault == Fault::Limited);
}

TEST_CASE("unknown events are skipped") {
  StreamWorld world(View::Response);
  for (const char* data :
       {R"({"type":"ping"})", R"({"type":"response.queued","response":{"id":"r1"}})",
        R"({"type":"response.doom_loop_check","doom_loop_check":{"triggers":[]}})",
        R"({"type":"response.something_new","delta":"x"})", R"({"type":7})", "{}",
        R"({"type":"response.output_text.delta"})",
        R"({"type":"response.output_text.delta","delta":7})",
        R"({"type":"response.output_item.done","item":null})", "[]", "null"}) {
    CAPTURE(data);
    world.feed(data);
  }
  CHECK(world.shown.empty());
  CHECK(world.answer().choices[0].text.empty());
}

TEST_CASE("gaps in event numbers are reported once") {
  const auto numbered = [](std::initializer_list<const char*> numbers) {
    StreamWorld world(View::Response);
    for (const char* number : numbers) {
      world.feed(text_delta("x", R"(,"sequence_number":)" + std::string(number)));
    }
    return world.warnings();
  };
  CHECK(numbered({"0", "1", "2"}).empty());
  CHECK(numbered({"5", "6"}).empty());
  CHECK(numbered({"0", "null", "1"}).empty());
  REQUIRE(numbered({"0", "1", "3", "7"}).size() == 1);
  CHECK(numbered({"0", "1", "3"})[0].find("number 3 came after 1") != std::string::npos);
  CHECK(numbered({"1", "1"}).size() == 1);
  CHECK(numbered({"2", "1"}).size() == 1);
  CHECK(numbered({"9223372036854775807", "0"}).size() == 1);
  CHECK(numbered({"9223372036854775807", "-9223372036854775808", "18446744073709551615"}).size() ==
        1);
}

TEST_CASE("a function call with truncated arguments") {
  const std::string call =
      R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":"})";
  StreamWorld world(View::Response);
  world.feed(k_created);
  world.feed(completed(call));
  CHECK(world.finish());
  const auto bad = bad_arguments(world.answer());
  REQUIRE(bad);
  CHECK(bad->fault == Fault::Network);
}

TEST_CASE("an end without a response") {
  for (const char* data :
       {R"({"type":"response.completed"})", R"({"type":"response.completed","response":null})",
        R"({"type":"response.completed","response":{"id":"r1"}})",
        R"({"type":"response.completed","response":[]})"}) {
    CAPTURE(data);
    StreamWorld world(View::Response);
    CHECK(world.refusal(data).fault == Fault::Network);
    CHECK(world.ended_with() == Fault::Network);
  }
}

TEST_CASE("an event that is not JSON is reported by its number") {
  StreamWorld world(View::Response);
  world.feed(k_created);
  world.feed(text_delta("kept"));
  const Error error = world.refusal(R"({"type":"response.outp)");
  CHECK(error.fault == Fault::Network);
  CHECK(error.message ==
        "event 3 of the stream is not JSON: line 1, column 23: unterminated string");
  CHECK(error.hint == "The partial answer is preserved; try again.");
  CHECK(world.answer().choices[0].text == "kept");
}

TEST_CASE("a whole response with every type of item") {
  const auto answer = read_response(json::parse(
      response("completed",
               R"({"type":"reasoning","summary":[{"type":"summary_text","text":"First. "},
          {"type":"summary_text","text":"Second."}]},
         {"type":"web_search_call","id":"w1","action":{"type":"open_page","url":"https://p.example"}},
         {"type":"custom_tool_call","id":"x1","name":"x_keyword_search","input":"cats"},
         {"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},
         {"type":"shell_call","id":"s1","call_id":"c2","action":{"commands":["ls"]}},
         {"type":"something_new","id":"n"},
         {"type":"message","content":[{"type":"output_text","text":"See ",
          "annotations":[{"type":"url_citation","url":"https://a.example","title":"A"}]},
          {"type":"output_text","text":"this."},{"type":"refusal","refusal":""}]})",
               R"(,"usage":{"input_tokens":1,"output_tokens":2,
          "input_tokens_details":{"cached_tokens":3},
          "output_tokens_details":{"reasoning_tokens":4},"cost_in_usd_ticks":5})")));
  REQUIRE(answer);
  const Choice& choice = answer->choices.at(0);
  CHECK(choice.text == "See this.");
  CHECK(choice.reasoning == "First. Second.");
  REQUIRE(choice.tool_calls.size() == 4);
  CHECK(choice.tool_calls[0].name == "web_search: https://p.example");
  CHECK(choice.tool_calls[0].runs_on_service);
  CHECK(choice.tool_calls[1].name == "custom_tool: x_keyword_search cats");
  CHECK(choice.tool_calls[2].name == "f");
  CHECK(choice.tool_calls[2].id == "c1");
  CHECK_FALSE(choice.tool_calls[2].runs_on_service);
  CHECK(choice.tool_calls[3].name == "shell");
  CHECK(choice.tool_calls[3].id == "c2");
  CHECK(choice.tool_calls[3].arguments == R"({"commands":["ls"]})");
  CHECK_FALSE(choice.tool_calls[3].runs_on_service);
  CHECK(answer->citations == std::vector<std::string>{"https://a.example"});
  CHECK(answer->usage->cached_tokens == 3);
  CHECK(answer->usage->reasoning_tokens == 4);
  CHECK(answer->usage->cost_ticks == 5);
  CHECK_FALSE(answer_error(*answer).has_value());

  for (const char* other : {"null", "[]", "{}", "7", R"({"output":7})", R"({"id":"r1"})"}) {
    CAPTURE(other);
    const auto failed = read_response(json::parse(other));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().fault == Fault::Network);
  }
  // A running or unstored response has no output.
  CHECK(read_response(json::parse(R"({"id":"r1","status":"queued"})")));
}

TEST_CASE("complete responses that are not successful") {
  const auto verdict = [](Choice choice, const std::string& status = "") {
    Answer answer;
    answer.status = status;
    answer.choices = {Choice{.finish_reason = "stop"}, std::move(choice)};
    return answer_error(answer);
  };
  CHECK_FALSE(verdict({}).has_value());
  for (const char* reason : {"stop", "tool_calls", "", "something_new"}) {
    CHECK_FALSE(verdict({.finish_reason = reason}).has_value());
  }
  const auto told = [](const std::optional<Error>& error) {
    REQUIRE(error);
    CHECK(error->fault == Fault::RemoteJob);
    return error->message + " / " + error->hint;
  };
  const std::string raise = " / Raise --max-completion-tokens to let it finish.";
  for (const std::string reason : {"length", "max_tokens"}) {
    CHECK(told(verdict({.finish_reason = reason})) ==
          "the answer was truncated at the token limit (finish reason: " + reason + ")" + raise);
  }
  CHECK(told(verdict({.finish_reason = "refusal"})) ==
        "the model refused to continue (finish reason: refusal) / ");
  CHECK(told(verdict({.finish_reason = "content_filter"})) ==
        "the answer was blocked by the service's content filter / ");
  CHECK(told(verdict({.refusal = "I will\x1b[2J not", .finish_reason = "stop"})) ==
        "the model refused: I will^[[2J not / ");
  CHECK(verdict({.refusal = std::string(10'000, 'x')})->message.size() < 1000);
  CHECK(told(verdict({}, "failed")) == "the response failed / ");
  CHECK(told(verdict({}, "expired")) == "the response expired / ");
  CHECK(told(verdict({}, "cancelled")) == "the response was canceled / ");
  CHECK(told(verdict({}, "incomplete")) == "the response is incomplete / ");
  Answer incomplete;
  incomplete.incomplete_reason = "content_\nfilter";
  CHECK(told(answer_error(incomplete)) == "the response is incomplete: content_^Jfilter / ");
  incomplete.incomplete_reason = "max_output_tokens";
  CHECK(told(answer_error(incomplete)) ==
        "the response is incomplete: max_output_tokens / Raise --max-output-tokens to let it "
        "finish.");
  for (const char* status : {"completed", "in_progress", "queued"}) {
    CHECK_FALSE(verdict({}, status).has_value());
  }
}

TEST_CASE("a response of another form says what is wrong with it") {
  const std::pair<const char*, const char*> rows[] = {
      {"7", "expected objects in \"output\" in the response, got a number"},
      {R"({"type":"message","content":7})",
       "expected an array for \"content\" in the response, got a number"},
      {R"({"type":"message","content":[7]})",
       "expected objects in \"content\" in the response, got a number"},
      {R"({"type":"message","content":[{"type":"output_text","text":7}]})",
       "expected text for \"text\" in the response, got a number"},
      {R"({"type":"function_call","arguments":{}})",
       "expected text for \"arguments\" in the response, got an object"},
      {R"({"type":"message","content":null})", ""},
      {R"({"type":"reasoning","summary":[],"content":[{"text":"why"}]})", ""},
  };
  for (const auto& [item, message] : rows) {
    CAPTURE(item);
    const auto answer = read_response(json::parse(response("completed", item)));
    CHECK((answer ? "" : answer.error().message) == message);
    if (sv(item).find("why") != sv::npos) CHECK(answer->choices[0].reasoning == "why");
  }
}

TEST_CASE("a line for each tool that ran on the service, and what it found") {
  const auto told = [](const std::string& item) {
    StreamWorld world(View::Response);
    world.feed(R"({"type":"response.output_item.done","item":)" + item + "}");
    const auto answer = read_response(json::parse(response("completed", item)));
    REQUIRE(answer);
    REQUIRE(answer->choices.front().tool_calls.size() == 1);
    const ToolCall& call = answer->choices.front().tool_calls.front();
    CHECK(call.runs_on_service);
    CHECK(call.arguments.empty());
    const std::string output =
        call.output.empty() ? std::string() : "(tool output 0: " + call.output + ")";
    CHECK(world.shown == "(tool 0: " + call.name + ")" + output);
    return call.name + "|" + call.output;
  };
  const std::pair<const char*, const char*> rows[] = {
      {R"({"type":"web_search_call"})", "web_search|"},
      {R"({"type":"web_search_call","action":{"query":"q","url":"u"}})", "web_search: q|"},
      {R"({"type":"web_search_call","action":{"url":"u","sources":[{"url":"a"},{"url":"b"}]}})",
       "web_search: u|a\nb"},
      {R"({"type":"mcp_call","server_label":"docs"})", "mcp: docs|"},
      {R"({"type":"mcp_call","server_label":"docs","arguments":"{}"})", "mcp: docs {}|"},
      {R"({"type":"mcp_call","name":"f","input":"i","prompt":"p","code":"c"})", "mcp: f c i p|"},
      {R"({"type":"file_search_call","queries":["a",7,"b"],"action":{"queries":["c"]}})",
       "file_search: a, b, c|"},
      {R"({"type":"file_search_call","results":[{"file_id":"f1","filename":"n","text":"t\n"},)"
       R"({"file_id":"f2","filename":"m","text":"u","score":0.123456}]})",
       "file_search|  f1  n: t\n0.1235  f2  m: u"},
      {R"({"type":"code_interpreter_call","outputs":[{"logs":"a\n"},{"logs":"\n"},{"logs":"b\n\n"},)"
       R"({"url":"u"}]})",
       "code_interpreter|a\nb\n\nu"},
      {R"({"type":"mcp_call","name":"f","error":"no"})", "mcp: f|error: no"},
      {R"({"type":"mcp_call","name":"f","error":{"code":5}})", "mcp: f|error: {\"code\":5}"},
      {R"({"type":"mcp_call","name":"f","error":null})", "mcp: f|"},
  };
  for (const auto& [item, words] : rows) {
    CAPTURE(item);
    CHECK(told(item) == words);
  }
}

TEST_CASE("an image in a data URL is without its head, which is short") {
  const auto images = [](const std::string& result) {
    return read_response(json::parse(response("completed", R"({"type":"image_generation_call",)"
                                                           R"("result":")" +
                                                               result + "\"}")))
        ->images;
  };
  using Images = std::vector<std::string>;
  CHECK(images("AAEC") == Images{"AAEC"});
  CHECK(images("").empty());
  CHECK(images("data:image/png;base64,AAEC") == Images{"AAEC"});
  CHECK(images("x;base64,AAEC") == Images{"x;base64,AAEC"});
  CHECK(images("data:AAEC") == Images{"data:AAEC"});
  const std::string most = "data:" + std::string(115, 'x');
  CHECK(images(most + ";base64,AAEC") == Images{"AAEC"});
  CHECK(images(most + "x;base64,AAEC") == Images{most + "x;base64,AAEC"});
}

TEST_CASE("a server-side tool's result is shown with its input") {
  const std::string items =
      R"({"type":"code_interpreter_call","id":"c1","code":"print 1","outputs":[)"
      R"({"type":"logs","logs":"1\n"},{"type":"image","url":"https://x.example/p.png"}]},)"
      R"({"type":"file_search_call","id":"f1","queries":["cats","dogs"],"results":[)"
      R"({"file_id":"file_1","filename":"a.txt","text":"A cat.","score":0.8125}]},)"
      R"({"type":"mcp_call","id":"m1","server_label":"docs","name":"find","arguments":"{}",)"
      R"("output":"Found.","error":{"code":5,"message":"but late"}},)"
      R"({"type":"web_search_call","id":"w1","action":{"type":"search","query":"q","sources":[)"
      R"({"type":"url","url":"https://x.example"}]}})";
  const Result<Answer> answer = read_response(json::parse(response("completed", items)));
  REQUIRE(answer);
  const auto& calls = answer->choices.front().tool_calls;
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].name == "code_interpreter: print 1");
  CHECK(calls[0].output == "1\nhttps://x.example/p.png");
  CHECK(calls[1].name == "file_search: cats, dogs");
  CHECK(calls[1].output == "0.8125  file_1  a.txt: A cat.");
  CHECK(calls[2].name == "mcp: docs.find {}");
  CHECK(calls[2].output == "Found.\nerror: but late");
  CHECK(calls[3].output == "https://x.example");

  StreamWorld world(View::Response);
  world.feed(R"({"type":"response.output_item.done","item":{"type":"mcp_call","name":"find",)"
             R"("output":"Found."}})");
  CHECK(world.shown == "(tool 0: mcp: find)(tool output 0: Found.)");
}

TEST_CASE("a generated image is included: whole, streamed, or in a stream that breaks") {
  const std::string item =
      R"({"type":"image_generation_call","id":"i1","status":"completed","prompt":"a cat",)"
      R"("result":"AAEC"})";
  const Result<Answer> answer = read_response(json::parse(response("completed", item)));
  REQUIRE(answer);
  CHECK(answer->images == std::vector<std::string>{"AAEC"});
  CHECK(answer->choices.front().tool_calls.front().name == "image_generation: a cat");

  StreamWorld broken(View::Response, Retain::Nothing);
  broken.feed(R"({"type":"response.output_item.done","item":)" + item + "}");
  CHECK(broken.ended_with() == Fault::Network);
  CHECK(broken.answer().images.size() == 1);

  StreamWorld world(View::Response, Retain::Nothing);
  world.feed(R"({"type":"response.output_item.done","item":)" + item + "}");
  world.feed(completed(item));
  REQUIRE(world.finish());
  CHECK(world.answer().images.size() == 1);

  // The last event may omit earlier items.
  StreamWorld brief(View::Response, Retain::Nothing);
  brief.feed(R"({"type":"response.output_item.done","item":{"type":"image_generation_call",)"
             R"("result":"data:image/png;base64,AAEC"}})");
  brief.feed(completed(""));
  REQUIRE(brief.finish());
  CHECK(brief.answer().images == std::vector<std::string>{"AAEC"});
}
