#include <algorithm>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "unit/emulator/text_support.h"

namespace svc::test {
namespace {

std::vector<std::string> types_of(const std::vector<Json>& list) {
  std::vector<std::string> types;
  for (const Json& event : list) types.push_back(event["type"]);
  return types;
}

// Reconstructs the output items from the events alone.
Json rebuild(const std::vector<Json>& list) {
  Json output = Json::array();
  std::map<std::string, std::string> texts;
  for (const Json& event : list) {
    const std::string type = event["type"];
    if (type.ends_with(".delta")) {
      texts[event["item_id"].get<std::string>() + type.substr(0, type.size() - 6)] +=
          event["delta"].get<std::string>();
    }
    for (const char* name : {"text", "arguments", "refusal", "code", "input", "output"}) {
      if (!type.ends_with(".done") || !event.contains(name) || !event[name].is_string()) continue;
      const std::string place =
          event["item_id"].get<std::string>() + type.substr(0, type.size() - 5);
      CHECK_MESSAGE(event[name] == texts[place], type);
    }
    if (type == "response.output_item.added") {
      CHECK(event["item"]["status"] == "in_progress");
      CHECK(event["output_index"] == output.size());
    }
    if (type == "response.output_item.done") output.push_back(event["item"]);
  }
  return output;
}

}  // namespace

TEST_CASE("the events of a plain answer") {
  TextApi api;
  const auto list = json_events(api.respond("Say exactly: Hi you", R"("stream":true)"));
  CHECK(types_of(list) ==
        std::vector<std::string>{"response.created", "response.in_progress",
                                 "response.output_item.added", "response.content_part.added",
                                 "response.output_text.delta", "response.output_text.delta",
                                 "response.output_text.done", "response.content_part.done",
                                 "response.output_item.done", "response.completed"});
  for (std::size_t i = 0; i < list.size(); ++i) CHECK(list[i]["sequence_number"] == i);
  const Json& created = list[0]["response"];
  CHECK(created["status"] == "in_progress");
  CHECK(created["output"] == Json::array());
  CHECK(created["usage"].is_null());
  const std::string id = created["id"];
  CHECK(list[2]["item"]["id"] == "msg_" + id);
  CHECK(list[2]["item"]["content"] == Json::array());
  CHECK(list[3]["part"]["text"] == "");
  CHECK(list[4]["item_id"] == "msg_" + id);
  CHECK(list[4]["output_index"] == 0);
  CHECK(list[4]["content_index"] == 0);
  CHECK(list[4]["delta"] == "Hi");
  CHECK(list[6]["text"] == "Hi you");
  const Json& done = list.back()["response"];
  CHECK(done["status"] == "completed");
  CHECK(done["usage"]["output_tokens"] == 2);
  CHECK(done["output"] == rebuild(list));
  // The stored response equals the streamed one.
  CHECK(ok(api.call("GET", "/v1/responses/{response_id}", "", {{"response_id", id}})) == done);
}

TEST_CASE("every type of item has its events") {
  TextApi api;
  const auto list = json_events(api.respond("who?", R"("stream":true,"model":"svc-4.3",
      "include":["code_interpreter_call.outputs","file_search_call.results"],
      "tools":[{"type":"web_search"},{"type":"x_search"},{"type":"code_interpreter"},
      {"type":"file_search","vector_store_ids":["c"]},{"type":"image_generation"},
      {"type":"mcp","server_url":"https://m.example","server_label":"m"}])"));
  const auto types = types_of(list);
  for (const char* type : {"response.reasoning_summary_part.added",
                           "response.reasoning_summary_text.delta",
                           "response.reasoning_summary_text.done",
                           "response.reasoning_summary_part.done",
                           "response.web_search_call.in_progress",
                           "response.web_search_call.searching",
                           "response.web_search_call.completed",
                           "response.custom_tool_call_input.delta",
                           "response.custom_tool_call_input.done",
                           "response.code_interpreter_call.in_progress",
                           "response.code_interpreter_call_code.delta",
                           "response.code_interpreter_call_code.done",
                           "response.code_interpreter_call.interpreting",
                           "response.code_interpreter_call.completed",
                           "response.file_search_call.searching",
                           "response.image_generation_call.generating",
                           "response.mcp_call_arguments.done",
                           "response.mcp_call.executing",
                           "response.mcp_call_output.done",
                           "response.mcp_call.completed",
                           "response.output_text.annotation.added"}) {
    CHECK_MESSAGE(std::ranges::find(types, type) != types.end(), type);
  }
  CHECK(list.back()["type"] == "response.completed");
  CHECK(rebuild(list) == list.back()["response"]["output"]);
  CHECK(rebuild(list).size() == 8);
}

TEST_CASE("a function call in a stream") {
  TextApi api;
  const auto list = json_events(api.respond("get_time", R"("stream":true,"tools":[
      {"type":"function","name":"get_time","parameters":{"type":"object"}}])"));
  CHECK(types_of(list) ==
        std::vector<std::string>{
            "response.created", "response.in_progress", "response.output_item.added",
            "response.function_call_arguments.delta", "response.function_call_arguments.done",
            "response.output_item.done", "response.completed"});
  CHECK(list[2]["item"]["arguments"] == "");
  CHECK(list[2]["item"]["name"] == "get_time");
  CHECK(list[4]["arguments"] == "{}");
  CHECK(list[4]["name"] == "get_time");
  CHECK(rebuild(list) == list.back()["response"]["output"]);
}

TEST_CASE("streams with other ends") {
  TextApi api;
  const auto cut =
      json_events(api.respond("Write 50 words", R"("stream":true,"max_output_tokens":5)"));
  CHECK(cut.back()["type"] == "response.incomplete");
  CHECK(cut.back()["response"]["incomplete_details"]["reason"] == "max_output_tokens");
  const auto failed = json_events(api.respond("Fail with: out of order", R"("stream":true)"));
  CHECK(failed.back()["type"] == "response.failed");
  CHECK(failed.back()["response"]["error"]["message"] == "out of order");
  const auto refusal = json_events(api.respond("Refuse: not this", R"("stream":true)"));
  const auto types = types_of(refusal);
  CHECK(std::ranges::find(types, "response.refusal.delta") != types.end());
  CHECK(std::ranges::find(types, "response.refusal.done") != types.end());
  CHECK(rebuild(refusal) == refusal.back()["response"]["output"]);
}

}  // namespace svc::test
