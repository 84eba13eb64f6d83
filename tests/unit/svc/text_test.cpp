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
