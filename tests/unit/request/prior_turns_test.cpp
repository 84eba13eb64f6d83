// Continued conversations, flags that set the same array element, and the format of an answer.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "json/document.h"
#include "request/build.h"

namespace svc::request {
namespace {

struct Ask {
  explicit Ask(const char* group) : operation(find_operation(group, "create")) {
    context.base_url = "https://api.example";
  }
  Ask& give(const char* flag, const char* text) {
    inputs.given.push_back({find_field(*operation, flag), text});
    REQUIRE(inputs.given.back().field != nullptr);
    return *this;
  }
  Result<OrderedJson> body() const {
    SVC_TRY(request, build_request(*operation, inputs, context));
    return OrderedJson::parse(std::get<std::string>(request.body));
  }
  const Operation* operation;
  Inputs inputs{};
  BuildContext context{};
};

}  // namespace

TEST_CASE("earlier messages come between the system prompt and the new prompt") {
  Ask ask("chat");
  ask.give("system", "S").give("message", "user:old").give("prompt", "new");
  ask.inputs.body = R"({"messages":[{"role":"user","content":"of the body"}],"seed":7})";
  ask.context.thread.messages = {R"({"role":"user","content":"1"})",
                                 R"({"role":"assistant","content":"2"})"};
  auto body = ask.body();
  REQUIRE(body);
  CHECK((*body)["messages"].dump() ==
        R"([{"role":"system","content":"S"},{"role":"user","content":"1"},)"
        R"({"role":"assistant","content":"2"},{"role":"user","content":"new"}])");
  CHECK((*body)["seed"] == 7);
}

TEST_CASE("nothing follows tool results, and a forced tool choice is not repeated") {
  Ask ask("chat");
  ask.give("prompt", "said").give("tool-choice", "required");
  ask.context.read_stdin = [] { return std::optional<std::string>("piped"); };
  ask.context.thread = {{R"({"role":"user","content":"said"})",
                         R"({"role":"tool","tool_call_id":"1","content":"x"})"},
                        "",
                        true};
  ask.context.tools = {R"({"type":"function","function":{"name":"t"}})"};
  auto body = ask.body();
  REQUIRE(body);
  CHECK((*body)["messages"].size() == 2);
  CHECK_FALSE(body->contains("tool_choice"));
  CHECK((*body)["tools"].size() == 1);
  ask.give("tool-choice", "none");
  ask.inputs.given.erase(ask.inputs.given.begin() + 1);
  CHECK(ask.body()->at("tool_choice") == "none");
}

TEST_CASE("a response continues the previous one, which keeps its instructions") {
  Ask ask("responses");
  ask.give("instructions", "Short.").give("input", "new");
  ask.context.thread.response_id = "r1";
  auto body = ask.body();
  REQUIRE(body);
  CHECK((*body)["previous_response_id"] == "r1");
  CHECK((*body)["input"] == "new");
  CHECK_FALSE(body->contains("instructions"));
  ask.context.thread = {{R"({"role":"user","content":"1"})"}, ""};
  body = ask.body();
  REQUIRE(body);
  CHECK((*body)["input"].size() == 2);
  CHECK((*body)["instructions"] == "Short.");
}

TEST_CASE("flags of one tool are merged in one object, wherever it came from") {
  Ask ask("responses");
  ask.give("input", "x")
      .give("tools", R"({"type":"x_search","from_date":"2026-01-01"})")
      .give("web-search", "true")
      .give("allowed-domain", "a.example")
      .give("allowed-domain", "b.example")
      .give("x-handle", "nasa")
      .give("collection", "c1")
      .give("collection", "c2")
      .give("mcp", "https://docs.example.com/sse")
      .give("mcp-tool", "find")
      .give("code", "true");
  auto body = ask.body();
  REQUIRE(body);
  CHECK(
      (*body)["tools"].dump() ==
      R"([{"type":"x_search","from_date":"2026-01-01","allowed_x_handles":["nasa"]},)"
      R"({"type":"web_search","allowed_domains":["a.example","b.example"]},)"
      R"({"type":"file_search","vector_store_ids":["c1","c2"]},)"
      R"({"type":"mcp","server_url":"https://docs.example.com/sse","server_label":"docs.example.com","allowed_tools":["find"]},)"
      R"({"type":"code_interpreter"}])");
  ask.give("mcp", "https://other.example").give("mcp-label", "other");
  const auto two = ask.body();
  REQUIRE_FALSE(two);
  CHECK(two.error().fault == Fault::Usage);
  CHECK(two.error().message.find("several elements have type") != std::string::npos);
}

TEST_CASE("sources of a chat search are added to those in the body") {
  Ask ask("chat");
  ask.give("prompt", "x")
      .give("web-search", "true")
      .give("country", "NO")
      .give("from-date", "2026-01-01");
  ask.inputs.body = R"({"search_parameters":{"sources":[{"type":"rss","links":["l"]}]}})";
  auto body = ask.body();
  REQUIRE(body);
  CHECK((*body)["search_parameters"].dump() ==
        R"({"sources":[{"type":"rss","links":["l"]},{"type":"web","country":"NO"}],)"
        R"("from_date":"2026-01-01"})");
}

TEST_CASE("the answer's format keeps the order of its fields") {
  Ask ask("responses");
  ask.give("input", "x");
  ask.context.format = R"({"type":"json_schema","schema":{"z":1,"a":2}})";
  CHECK(ask.body()->at("text").dump() ==
        R"({"format":{"type":"json_schema","schema":{"z":1,"a":2}}})");
  Ask chat("chat");
  chat.give("prompt", "x");
  chat.context.format = ask.context.format;
  CHECK(chat.body()->at("response_format").dump() == ask.context.format);
}

}  // namespace svc::request
