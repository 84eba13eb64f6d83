#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "unit/emulator/text_support.h"

namespace svc::test {
namespace {

using emulator::Response;

const Json* item_of(const Json& response, const std::string& type) {
  const Json& output = response["output"];
  const auto found =
      std::ranges::find_if(output, [&](const Json& item) { return item["type"] == type; });
  return found == output.end() ? nullptr : &*found;
}

constexpr const char* k_function = R"("tools":[{"type":"function","name":"get_time","parameters":
    {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}])";

constexpr const char* k_server_tools = R"("tools":[{"type":"web_search"},{"type":"x_search"},
    {"type":"code_interpreter"},{"type":"file_search","vector_store_ids":["c1","c2"]},
    {"type":"mcp","server_url":"https://m.example","server_label":"m","allowed_tools":["look"]},
    {"type":"image_generation"}])";

}  // namespace

TEST_CASE("function calls are items, and their results are used") {
  TextApi api;
  const Json called =
      ok(api.respond("x", std::string(k_function) + R"(,"tool_choice":"required")"));
  REQUIRE(called["output"].size() == 1);
  const Json& item = called["output"][0];
  CHECK(item["type"] == "function_call");
  CHECK(item["name"] == "get_time");
  CHECK(item["status"] == "completed");
  CHECK(Json::parse(item["arguments"].get<std::string>())["city"].is_string());
  const Json result = {
      {"type", "function_call_output"}, {"call_id", item["call_id"]}, {"output", "noon"}};
  // Through the store, and with the earlier items replayed.
  const Json stored = ok(api.responses(Json{
      {"model", "svc-4.5"},
      {"previous_response_id", response_id(called)},
      {"input", Json::array({result})}}.dump()));
  CHECK(mentions(response_text(stored), "The tool get_time answered: “noon”."));
  const Json replayed = ok(api.responses(Json{
      {"model", "svc-4.5"},
      {"input", Json::array({Json{{"role", "user"}, {"content", "x"}}, item,
                             result})}}.dump()));
  CHECK(mentions(response_text(replayed), "The tool get_time answered: “noon”."));
}

TEST_CASE("a shell is called, and its result is used") {
  TextApi api;
  const Json called = ok(api.respond("use the shell, run: ls -l", R"("tools":[{"type":"shell"}])"));
  const Json* call = item_of(called, "shell_call");
  REQUIRE(call != nullptr);
  CHECK((*call)["action"] == Json{{"type", "exec"}, {"commands", {"ls -l"}}});
  const Json output = {
      {"stdout", "a.txt"}, {"stderr", ""}, {"outcome", {{"type", "exit"}, {"exit_code", 2}}}};
  const Json result = {{"type", "shell_call_output"},
                       {"call_id", (*call)["call_id"]},
                       {"output", Json::array({output})}};
  const Json answer = ok(api.responses(Json{
      {"model", "svc-4.5"},
      {"previous_response_id", response_id(called)},
      {"input", Json::array({result})}}.dump()));
  CHECK(mentions(response_text(answer), "The tool shell answered: “a.txt (exit code 2)”."));
}

TEST_CASE("server-side tools create items, citations and counts") {
  TextApi api;
  const Json answer = ok(api.respond("who?", k_server_tools));
  const Json& usage = answer["usage"];
  CHECK(usage["num_server_side_tools_used"] == 6);
  CHECK(usage["server_side_tool_usage_details"] == Json{{"web_search_calls", 1},
                                                        {"x_search_calls", 1},
                                                        {"code_interpreter_calls", 1},
                                                        {"file_search_calls", 1},
                                                        {"mcp_calls", 1},
                                                        {"document_search_calls", 0},
                                                        {"image_generation_calls", 1}});
  CHECK(usage["num_sources_used"] == 3);
  // Two turns: together they exceed the remaining context.
  CHECK(usage["input_tokens"].get<int>() > usage["context_details"]["input_tokens"].get<int>());
  REQUIRE(answer["output"].size() == 7);
  for (const Json& item : answer["output"]) {
    CHECK(item["status"] == "completed");
    CHECK(item["id"].is_string());
  }
  CHECK((*item_of(answer, "web_search_call"))["action"] ==
        Json{{"type", "search"}, {"query", "who?"}});
  CHECK((*item_of(answer, "custom_tool_call"))["name"] == "x_keyword_search");
  CHECK((*item_of(answer, "code_interpreter_call"))["code"] == R"(print(len("who?")))");
  CHECK(!item_of(answer, "code_interpreter_call")->contains("outputs"));
  CHECK(!item_of(answer, "file_search_call")->contains("results"));
  CHECK((*item_of(answer, "mcp_call"))["name"] == "look");
  CHECK((*item_of(answer, "image_generation_call"))["result"].get<std::string>().starts_with(
      "iVBOR"));
  const Json& annotations = answer["output"].back()["content"][0]["annotations"];
  REQUIRE(annotations.size() == 3);
  CHECK(annotations[0]["type"] == "url_citation");
  CHECK(mentions(response_text(answer), annotations[0]["url"].get<std::string>()));
  CHECK(annotations[0]["end_index"].get<int>() > annotations[0]["start_index"].get<int>());
}

TEST_CASE("include adds the tools' results") {
  TextApi api;
  const Json answer = ok(api.respond("who?", std::string(k_server_tools) + R"(,"include":[
      "web_search_call.action.sources","code_interpreter_call.outputs","file_search_call.results",
      "no_inline_citations"])"));
  CHECK((*item_of(answer, "web_search_call"))["action"]["sources"].size() == 2);
  CHECK((*item_of(answer, "code_interpreter_call"))["outputs"][0] ==
        Json{{"type", "logs"}, {"logs", "4\n"}});
  CHECK((*item_of(answer, "file_search_call"))["results"] == Json::array());  // no such collection
  CHECK(!mentions(response_text(answer), "[[1]]"));
  CHECK(!answer["output"].back()["content"][0]["annotations"][0].contains("start_index"));
}

TEST_CASE("when server-side tools do not run") {
  TextApi api;
  const std::string tools = k_server_tools;
  const auto used = [](const Json& answer) {
    return answer["usage"]["num_server_side_tools_used"].get<int>();
  };
  CHECK(used(ok(api.respond("x", tools + R"(,"tool_choice":"none")"))) == 0);
  CHECK(used(ok(api.respond("x", tools + R"(,"max_turns":2)"))) == 2);
  CHECK(used(ok(api.respond("x", tools + R"(,"tool_choice":"required")"))) == 6);
  // search_parameters override the preview tool, and have their own sources.
  const Json overridden = ok(api.respond(
      "x",
      R"("tools":[{"type":"web_search_preview"}],"search_parameters":{"max_search_results":1})"));
  CHECK(used(overridden) == 0);
  CHECK(overridden["usage"]["num_sources_used"] == 1);
}

TEST_CASE("reasoning items") {
  TextApi api;
  const Json plain = ok(api.respond("x", R"("model":"svc-4.3")"));
  CHECK(plain["output"][0]["type"] == "reasoning");
  CHECK(plain["output"][0]["summary"][0]["type"] == "summary_text");
  CHECK(!plain["output"][0].contains("encrypted_content"));
  CHECK(plain["usage"]["output_tokens_details"]["reasoning_tokens"].get<int>() > 0);
  const Json sealed =
      ok(api.respond("x", R"("model":"svc-4.3","include":["reasoning.encrypted_content"])"));
  CHECK(sealed["output"][0]["encrypted_content"].is_string());
  const Json high = ok(api.respond("x", R"("model":"svc-4.3","reasoning":{"effort":"high"},
      "reasoning_effort":"none")"));
  CHECK(high["reasoning"]["effort"] == "high");
  const Json none = ok(api.respond("x", R"("model":"svc-4.3","reasoning_effort":"none")"));
  CHECK(none["output"][0]["type"] == "message");
}

TEST_CASE("truncated, refused and failed answers") {
  TextApi api;
  const Json cut = ok(api.respond("Write 50 words", R"("max_output_tokens":5)"));
  CHECK(cut["status"] == "incomplete");
  CHECK(cut["incomplete_details"] == Json{{"reason", "max_output_tokens"}});
  CHECK(cut["completed_at"].is_null());
  CHECK(cut["output"][0]["status"] == "incomplete");
  CHECK(cut["usage"]["output_tokens"] == 5);
  const Json thought = ok(api.respond("x", R"("model":"svc-4.3","max_output_tokens":3)"));
  CHECK(thought["status"] == "incomplete");
  REQUIRE(thought["output"].size() == 1);
  CHECK(thought["output"][0]["type"] == "reasoning");
  CHECK(thought["output"][0]["status"] == "incomplete");
  const Json refusal = ok(api.respond("Refuse: not this"));
  CHECK(refusal["output"][0]["content"][0] == Json{{"type", "refusal"}, {"refusal", "not this"}});
  const Json failed = ok(api.respond("Fail with: out of order"));
  CHECK(failed["status"] == "failed");
  CHECK(failed["error"] == Json{{"code", "server_error"}, {"message", "out of order"}});
  CHECK(failed["completed_at"].is_null());
  CHECK(failed["output"] == Json::array());
}

TEST_CASE("structured output and log probabilities") {
  TextApi api;
  const Json answer = ok(api.respond("x", R"("text":{"format":{"type":"json_schema","name":"n",
      "schema":{"type":"object","properties":{"n":{"const":3}},"required":["n"]}}})"));
  CHECK(response_text(answer) == R"({"n":3})");
  const Json likely =
      ok(api.respond("Say exactly: hi", R"("model":"svc-3","logprobs":true,"top_logprobs":2)"));
  CHECK(likely["output"][0]["content"][0]["logprobs"][0]["top_logprobs"].size() == 2);
  CHECK(likely["top_logprobs"] == 2);
}

TEST_CASE("a compaction replaces the conversation") {
  TextApi api;
  const auto compact = [&](const std::string& body) {
    return api.call("POST", "/v1/responses/compact", body);
  };
  const Json result = ok(compact(R"({"model":"svc-4.5","input":[
      {"role":"user","content":"My name is Ada"},{"role":"assistant","content":"Hello Ada"}]})"));
  CHECK(result["object"] == "response.compaction");
  CHECK(result["id"].get<std::string>().starts_with("cmp_"));
  CHECK(result["created_at"] == 1'800'000'000);
  CHECK(result["model"] == "svc-4.5");
  REQUIRE(result["output"].size() == 1);
  const Json& item = result["output"][0];
  CHECK(item["type"] == "compaction");
  CHECK(item["id"] == result["id"]);
  CHECK(!mentions(item["encrypted_content"].get<std::string>(), "Ada"));
  const Json& usage = result["usage"];
  CHECK(usage["dropped_message_count"] == 2);
  CHECK(usage["total_tokens"].get<int>() ==
        usage["input_tokens"].get<int>() + usage["output_tokens"].get<int>());
  const Json more = Json{{"role", "user"}, {"content", "Who am I?"}};
  const Json next =
      ok(api.responses(Json{{"model", "svc-4.5"}, {"input", Json::array({item, more})}}.dump()));
  CHECK(mentions(response_text(next), "Before that: “My name is Ada”."));
  CHECK(mentions(response_text(next), "The conversation has 3 messages."));
  CHECK(usage["input_tokens_details"] == Json{{"cached_tokens", 0}});
  CHECK(usage["output_tokens_details"] == Json{{"reasoning_tokens", 0}});
  // Compacting again loses nothing.
  const Json again =
      ok(compact(Json{{"model", "svc-4.5"}, {"input", Json::array({item, more})}}.dump()));
  CHECK(again["usage"]["dropped_message_count"] == 3);
  CHECK(compact(R"({"input":"x"})").status == 422);
  CHECK(expect_error(compact(R"({"model":"svc-4.5","input":[{"role":"user","content":"x"},
      {"type":"function_call_output","call_id":"c",
       "output":[{"type":"input_image","image_url":"x"}]}]})"),
                     400) == "An image must be an https address or a data:image/…;base64, URL.");
  expect_error(compact(R"({"input":"x","model":"svc-9"})"), 400);
  expect_error(compact(R"({"input":[],"model":"svc-4.5"})"), 400);
}

}  // namespace svc::test
