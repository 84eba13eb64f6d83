// Answers of models: what they lack, calls of tools, and results as values.
#include <stdexcept>

#include "fixture.h"
#include "support/mentions.h"
#include "svc/impl/boundary.h"

using namespace svc;
using namespace svc::test;

namespace {

std::string reply(const std::string& json) {
  return "reply 200 application/json " + json + "\n";
}

std::string choice(const std::string& message, const std::string& finish) {
  return R"({"id":"a","choices":[{"index":0,"message":{"role":"assistant",)" + message +
         R"(},"finish_reason":")" + finish + R"("}]})";
}

std::string tool_call(const std::string& arguments) {
  return choice(
      R"("content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather",)"
      R"("arguments":")" +
          arguments + R"("}}])",
      "tool_calls");
}

}  // namespace

TEST_CASE("a tool is run only with the arguments that it was promised") {
  struct Row {
    const char* arguments;  ///< as in a script's JSON string
    const char* given;      ///< to the function; "": it does not run
  };
  const Row rows[] = {
      {R"({\\"city\\":\\"Oslo\\"})", R"({"city":"Oslo"})"},
      {"", "{}"},
      {" ", "{}"},
      {R"({\\"city\\":\\"Os)", ""},
      {"[1]", ""},
      {"{} {}", ""},
      {"rain", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.arguments);
    ClientWorld world(reply(tool_call(row.arguments)) + "next\n" + reply(answer_json("Done")));
    std::string given;
    api::ChatRequest request{.prompt = "Umbrella?"};
    request.tools.push_back({.name = "weather", .run = [&](const std::string& arguments) {
                               given = arguments;
                               return "rain";
                             }});
    const auto answer = world.client.chat(request);
    REQUIRE(answer);
    CHECK(given == row.given);
    const std::string said = given.empty() ? "Error: the arguments are not a JSON object" : "rain";
    CHECK(mentions(world.server->requests().back().body, R"("content":")" + said + '"'));
  }
}

TEST_CASE("an answer that is not what was asked for says so") {
  struct Row {
    std::string answer;
    std::optional<api::Fault> fault;
    const char* message;
  };
  const Row rows[] = {
      {answer_json("Oslo"), std::nullopt, ""},
      {choice(R"("content":"Os")", "length"), api::Fault::RemoteJob, "token limit"},
      {choice(R"("content":"Os")", "content_filter"), api::Fault::RemoteJob, "content filter"},
      {choice(R"("content":null,"refusal":"I will not")", "stop"), api::Fault::RemoteJob,
       "I will not"},
      {tool_call("{}"), std::nullopt, ""},
      {tool_call(R"({\\"city)"), api::Fault::Network, "weather are truncated"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.answer);
    ClientWorld world(reply(row.answer));
    const auto answer = world.client.chat({.prompt = "Hello"});
    REQUIRE(answer);
    REQUIRE(answer->lacking.has_value() == row.fault.has_value());
    if (!row.fault) continue;
    CHECK(answer->lacking->fault == *row.fault);
    CHECK(mentions(answer->lacking->message, row.message));
    CHECK(mentions(answer->lacking->hint, "--max-completion-tokens") ==
          mentions(row.answer, "length"));
  }
  ClientWorld world(reply(R"({"id":"r","status":"incomplete","incomplete_details":{"reason":)"
                          R"("max_output_tokens"},"output":[{"type":"message","role":"assistant",)"
                          R"("content":[{"type":"output_text","text":"Os"}]}]})"));
  const auto response = world.client.responses({.input = "Hello"});
  REQUIRE(response);
  CHECK(response->text == "Os");
  REQUIRE(response->lacking);
  CHECK(mentions(response->lacking->hint, "--max-output-tokens"));
}

TEST_CASE("what a chat sends: earlier messages, tools, a schema, numbers") {
  ClientWorld world(reply(answer_json("Done")));
  api::ChatRequest request{.prompt = "And then?", .model = "m", .system = "Be brief"};
  request.messages = {
      {.role = "user", .content = "Weather?"},
      {.role = "assistant", .tool_calls = {{.id = "c1", .name = "weather", .arguments = "{}"}}},
      {.role = "tool", .content = "rain", .tool_call_id = "c1"}};
  request.tools = {{.name = "weather", .description = "Tells it", .parameters = "{\"a\":1}"},
                   {.name = "time"}};
  request.schema = R"({"type":"string"})";
  request.temperature = 0.5;
  request.max_completion_tokens = 7;
  REQUIRE(world.client.chat(request));
  const std::string body = world.server->requests().front().body;
  for (const char* part :
       {R"({"role":"system","content":"Be brief"})",
        R"({"role":"user","content":"Weather?"},{"role":"assistant","content":null,)"
        R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"weather",)"
        R"("arguments":"{}"}}]},{"role":"tool","content":"rain","tool_call_id":"c1"})",
        R"({"role":"user","content":"And then?"}])", R"("model":"m")", R"("temperature":0.5)",
        R"("max_completion_tokens":7)",
        R"("tools":[{"type":"function","function":{"name":"weather","description":"Tells it",)"
        R"("parameters":{"a":1}}},{"type":"function","function":{"name":"time","parameters":)"
        R"({"type":"object","properties":{}}}}])",
        R"("response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":)"
        R"({"type":"string"},"strict":true}})"}) {
    CHECK_MESSAGE(mentions(body, part), body);
  }
}

TEST_CASE("what a response sends, and the members of its answer") {
  ClientWorld world(reply(
      R"({"id":"r1","model":"m2","status":"completed","output":[{"type":"reasoning","summary":[)"
      R"({"type":"summary_text","text":"Hm"}]},{"type":"message","role":"assistant","content":[)"
      R"({"type":"output_text","text":"Oslo","annotations":[{"type":"url_citation",)"
      R"("url":"https://a"}]}]}],"usage":{"input_tokens":3,"output_tokens":4,)"
      R"("input_tokens_details":{"cached_tokens":1},"output_tokens_details":{)"
      R"("reasoning_tokens":2},"cost_in_usd_ticks":5}})"));
  api::ResponseRequest request{.input = "Hello",
                               .model = "m",
                               .previous_response_id = "r0",
                               .schema = R"({"type":"string"})",
                               .max_output_tokens = 9};
  request.tools = {{.name = "time"}};
  const auto answer = world.client.responses(request);
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(answer->id == "r1");
  CHECK(answer->model == "m2");
  CHECK(answer->status == "completed");
  CHECK(answer->text == "Oslo");
  CHECK(answer->reasoning == "Hm");
  CHECK(answer->citations == std::vector<std::string>{"https://a"});
  CHECK(answer->usage.input_tokens == 3);
  CHECK(answer->usage.cached_tokens == 1);
  CHECK(answer->usage.output_tokens == 4);
  CHECK(answer->usage.reasoning_tokens == 2);
  CHECK(answer->usage.cost_in_usd_ticks == 5);
  CHECK_FALSE(answer->lacking);
  CHECK_FALSE(answer->stopped);
  const std::string body = world.server->requests().front().body;
  for (const char* part :
       {R"("model":"m")", R"("input":"Hello")", R"("previous_response_id":"r0")",
        R"("max_output_tokens":9)", R"("name":"time")",
        R"("parameters":{"type":"object","properties":{}})", R"("type":"function")",
        R"("name":"answer")", R"("schema":{"type":"string"})", R"("strict":true)",
        R"("type":"json_schema")"}) {
    CHECK_MESSAGE(mentions(body, part), body);
  }
}

TEST_CASE("instructions for a continued response are refused, as they would be ignored") {
  ClientWorld world(reply("{}"));
  const auto answer = world.client.responses(
      {.input = "Hello", .instructions = "Be brief", .previous_response_id = "r0"});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().fault == api::Fault::Usage);
  CHECK(answer.error().message == "instructions and previous_response_id exclude each other");
  CHECK(answer.error().hint ==
        "A continued conversation keeps the system prompt of the earlier response.");
  CHECK(world.server->requests().empty());
}

TEST_CASE("a response's tools are run, in the stored conversation or with all that was said") {
  const std::string call =
      R"({"id":"r1","status":"completed","output":[{"type":"function_call","call_id":"c1",)"
      R"("name":"weather","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":1}})";
  const std::string done =
      R"({"id":"r2","status":"completed","output":[{"type":"message","role":"assistant",)"
      R"("content":[{"type":"output_text","text":"Done"}]}],"usage":{"input_tokens":5,)"
      R"("output_tokens":2}})";
  for (const bool stored : {true, false}) {
    CAPTURE(stored);
    ClientWorld world(reply(call) + "next\n" + reply(done));
    api::ResponseRequest request{.input = "Umbrella?", .instructions = "Be brief"};
    if (!stored) request.flags = {{"store", "false"}};
    request.tools.push_back({.name = "weather", .run = [](const std::string&) {
                               return api::Result<std::string>(
                                   api::Error{.fault = api::Fault::Local, .message = "no sensor"});
                             }});
    const auto answer = world.client.responses(request);
    REQUIRE_MESSAGE(answer, answer.error().message);
    CHECK(answer->text == "Done");
    CHECK(answer->usage.input_tokens == 8);
    CHECK(answer->usage.output_tokens == 3);
    const auto requests = world.server->requests();
    REQUIRE(requests.size() == 2);
    CHECK(mentions(requests[0].body, R"("instructions":"Be brief")"));
    CHECK(mentions(requests[1].body, R"("instructions":"Be brief")") == !stored);
    CHECK(mentions(requests[1].body, R"({"type":"function_call_output","call_id":"c1",)"
                                     R"("output":"Error: no sensor"})"));
    CHECK(mentions(requests[1].body, R"("previous_response_id":"r1")") == stored);
    CHECK(mentions(requests[1].body, "Umbrella?") == !stored);
    CHECK(mentions(requests[1].body, R"("type":"function_call","call_id":"c1")") == !stored);
  }
}

TEST_CASE("a model that keeps calling tools is stopped; a call that cannot be run is told") {
  api::ChatRequest request{.prompt = "Umbrella?", .max_tool_rounds = 2};
  int runs = 0;
  request.tools.push_back({.name = "weather", .run = [&](const std::string&) {
                             ++runs;
                             return "rain";
                           }});
  {
    const std::string again = reply(tool_call("{}")) + "next\n";
    ClientWorld world(again + again + again + again);
    const auto endless = world.client.chat(request);
    REQUIRE_FALSE(endless);
    CHECK(endless.error().fault == api::Fault::RemoteJob);
    CHECK(endless.error().message == "the model keeps calling tools; max_tool_rounds is reached");
    CHECK(endless.error().hint == "Raise max_tool_rounds, or say in the prompt when to stop.");
    CHECK(runs == 2);
    CHECK(world.server->requests().size() == 3);
  }
  request.tools.front().run = {};
  ClientWorld world(reply(tool_call("{}")));
  const auto open = world.client.chat(request);
  REQUIRE(open);
  CHECK(open->finish_reason == "tool_calls");
  REQUIRE(open->tool_calls.size() == 1);
  CHECK(open->tool_calls[0].id == "c1");
  CHECK(open->tool_calls[0].name == "weather");
  CHECK(open->tool_calls[0].arguments == "{}");
}

TEST_CASE("each kind of a stream's pieces is told, and an answer at once, too") {
  const auto pieces_of = [](const std::string& steps, bool& stopped) {
    ClientWorld world(steps);
    std::string pieces;
    const auto answer = world.client.chat({.prompt = "Hello"}, [&](const api::Delta& delta) {
      pieces += std::to_string(static_cast<int>(delta.kind)) + std::string(delta.text) + ";";
      return !delta.text.ends_with('!');
    });
    REQUIRE_MESSAGE(answer, answer.error().message);
    stopped = answer->stopped;
    return pieces;
  };
  const auto event = [](const char* delta, int index = 0) {
    return R"(event {"id":"a","choices":[{"index":)" + std::to_string(index) + R"(,"delta":)" +
           delta + "}]}\n";
  };
  bool stopped = true;
  CHECK(pieces_of("events\n" + event(R"({"reasoning_content":"Hm"})") +
                      event(R"({"content":"Os"})") + event(R"({"content":"no"})", 1) +
                      event(R"({"refusal":"No"})") +
                      R"(event {"id":"a","choices":[{"index":0,"delta":{},)"
                      "\"finish_reason\":\"stop\"}]}\ndone\n",
                  stopped) == "1Hm;0Os;2No;");
  CHECK_FALSE(stopped);
  CHECK(pieces_of(reply(answer_json("Oslo")), stopped) == "0Oslo;");
  CHECK_FALSE(stopped);
  CHECK(pieces_of(reply(answer_json("Oslo!")), stopped) == "0Oslo!;");
  CHECK(stopped);
}

TEST_CASE("the members of a chat's answer") {
  ClientWorld world(reply(
      R"({"id":"a1","model":"m2","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"Oslo","reasoning_content":"Hm","refusal":"no more"},"finish_reason":"stop"}],)"
      R"("citations":["https://a","https://b"],"usage":{"prompt_tokens":3,"completion_tokens":4,)"
      R"("prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{)"
      R"("reasoning_tokens":2},"cost_in_usd_ticks":5}})"));
  const auto answer = world.client.chat({.prompt = "Hello"});
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(answer->id == "a1");
  CHECK(answer->model == "m2");
  CHECK(answer->text == "Oslo");
  CHECK(answer->reasoning == "Hm");
  CHECK(answer->refusal == "no more");
  CHECK(answer->finish_reason == "stop");
  CHECK(answer->tool_calls.empty());
  CHECK(answer->citations == std::vector<std::string>{"https://a", "https://b"});
  CHECK(answer->usage.input_tokens == 3);
  CHECK(answer->usage.cached_tokens == 1);
  CHECK(answer->usage.output_tokens == 4);
  CHECK(answer->usage.reasoning_tokens == 2);
  CHECK(answer->usage.cost_in_usd_ticks == 5);
  CHECK_FALSE(answer->stopped);
}

TEST_CASE("what was said before is sent once in each round") {
  const auto part_of = [](const std::string& body, const char* name) {
    const std::size_t begin = body.find("\"" + std::string(name) + "\":[");
    REQUIRE(begin != std::string::npos);
    return body.substr(begin, body.find("}]", body.rfind("Sun")) + 2 - begin);
  };
  const std::string again = reply(tool_call("{}")) + "next\n";
  std::vector<api::Tool> tools;
  int runs = 0;
  tools.push_back({.name = "weather", .run = [&](const std::string&) {
                     return std::string(++runs % 2 == 1 ? "Rain" : "Sun");
                   }});
  ClientWorld chat(again + again + reply(answer_json("Done")));
  REQUIRE(chat.client.chat({.prompt = "Umbrella?", .tools = tools}));
  const std::string call =
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
      R"("function":{"name":"weather","arguments":"{}"}}]},)";
  CHECK(part_of(chat.server->requests()[2].body, "messages") ==
        R"("messages":[{"role":"user","content":"Umbrella?"},)" + call +
            R"({"role":"tool","tool_call_id":"c1","content":"Rain"},)" + call +
            R"({"role":"tool","tool_call_id":"c1","content":"Sun"}])");

  const std::string output =
      R"({"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"})";
  const std::string calls =
      reply(R"({"id":"r1","status":"completed","output":[)" + output + "]}") + "next\n";
  ClientWorld response(calls + calls + reply(R"({"id":"r2","status":"completed","output":[]})"));
  REQUIRE(response.client.responses(
      {.input = "Umbrella?", .tools = tools, .flags = {{"store", "false"}}}));
  const std::string said = part_of(response.server->requests()[2].body, "input");
  CHECK(said.starts_with(R"("input":[{)"));
  CHECK(said.find("Umbrella?") == said.rfind("Umbrella?"));
  CHECK(said.ends_with(
      output + R"(,{"type":"function_call_output","call_id":"c1","output":"Rain"},)" + output +
      R"(,{"type":"function_call_output","call_id":"c1","output":"Sun"}])"));
}

TEST_CASE("pieces of a tool's call are not told") {
  const auto call = [](const char* arguments) {
    return R"(event {"id":"a","choices":[{"index":0,"delta":{"content":"x","tool_calls":[{)"
           R"("index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":")" +
           std::string(arguments) + "\"}}]}}]}\n";
  };
  ClientWorld world("events\n" + call("{") + call("}") +
                    R"(event {"id":"a","choices":[{"index":0,"delta":{},)"
                    "\"finish_reason\":\"tool_calls\"}]}\ndone\n");
  std::string pieces;
  const auto answer = world.client.chat({.prompt = "Hello"}, [&](const api::Delta& delta) {
    CHECK(delta.kind == api::Delta::Kind::Text);
    pieces += std::string(delta.text) + ";";
    return true;
  });
  REQUIRE_MESSAGE(answer, answer.error().message);
  CHECK(pieces == "x;x;");
  REQUIRE(answer->tool_calls.size() == 1);
  CHECK(answer->tool_calls[0].arguments == "{}");
}
TEST_CASE("an empty function is refused before anything is sent") {
  ClientWorld world("");
  const auto check = [](const api::Error& error) {
    CHECK(error.fault == api::Fault::Usage);
    CHECK(mentions(error.message, "is empty"));
  };
  check(world.client.chat({.prompt = "Hello"}, api::OnDelta()).error());
  check(world.client.responses({.input = "Hello"}, api::OnDelta()).error());
  check(world.client.speak({.text = "Hello"}, api::OnAudio()).error());
  check(world.client.list("files list", {}, api::OnItem()).error());
  CHECK(world.server->requests().empty());
}

TEST_CASE("what a temporary result has outlives it") {
  const auto make = [] { return api::Result<std::vector<int>>(std::vector<int>{1, 2, 3}); };
  int sum = 0;
  for (const int number : *make()) sum += number;
  CHECK(sum == 6);
  static_assert(std::is_same_v<decltype(*make()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(make().value()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(make().error()), api::Error>);
  const std::function<api::Result<std::string>()> literal = [] { return "rain"; };
  CHECK(*literal() == "rain");
}

TEST_CASE("nothing but a caller's own exception leaves the library") {
  const auto thrown = [](auto what) {
    return api::at_boundary<int>([&]() -> Result<int> { throw what; }).error();
  };
  CHECK(thrown(std::bad_alloc()).message == "out of memory");
  CHECK(thrown(std::runtime_error("a bug")).message == "unexpected condition in libsvc: a bug");
  CHECK(thrown(1).message == "unexpected condition in libsvc");
  CHECK(thrown(1).fault == api::Fault::Unexpected);
}
