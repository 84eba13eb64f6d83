#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "unit/emulator/text_support.h"

namespace svc::test {
namespace {

using emulator::Response;

Response stored_response(TextApi& api, const std::string& id) {
  return api.call("GET", "/v1/responses/{response_id}", "", {{"response_id", id}});
}

Response inputs(TextApi& api, const std::string& id, const std::vector<Header>& query = {}) {
  return api.call("GET", "/v1/responses/{response_id}/input_items", "", {{"response_id", id}},
                  query);
}

}  // namespace

TEST_CASE("a response has every documented field, with the recorded defaults") {
  TextApi api;
  const Json answer = ok(api.respond("Say exactly: Hello"));
  const std::string id = response_id(answer);
  CHECK(id.size() == 36);
  const Json part = {{"type", "output_text"},
                     {"text", "Hello"},
                     {"logprobs", Json::array()},
                     {"annotations", Json::array()}};
  const Json message = {{"id", "msg_" + id},
                        {"type", "message"},
                        {"role", "assistant"},
                        {"status", "completed"},
                        {"content", Json::array({part})}};
  CHECK(answer["output"] == Json::array({message}));
  Json rest = answer;
  rest.erase("usage");
  rest.erase("output");
  CHECK(rest == Json{{"id", id},
                     {"object", "response"},
                     {"created_at", 1'800'000'000},
                     {"completed_at", 1'800'000'000},
                     {"status", "completed"},
                     {"error", nullptr},
                     {"incomplete_details", nullptr},
                     {"model", "svc-4.5"},
                     {"previous_response_id", nullptr},
                     {"instructions", nullptr},
                     {"background", false},
                     {"frequency_penalty", 0.0},
                     {"max_output_tokens", nullptr},
                     {"max_tool_calls", nullptr},
                     {"metadata", Json::object()},
                     {"parallel_tool_calls", true},
                     {"presence_penalty", 0.0},
                     {"prompt_cache_key", nullptr},
                     {"reasoning", {{"effort", "medium"}, {"summary", "detailed"}}},
                     {"safety_identifier", nullptr},
                     {"service_tier", "default"},
                     {"store", true},
                     {"temperature", 0.7},
                     {"text", {{"format", {{"type", "text"}}}}},
                     {"tool_choice", "auto"},
                     {"tools", Json::array()},
                     {"top_logprobs", 0},
                     {"top_p", 0.95},
                     {"truncation", "disabled"},
                     {"user", nullptr}});
  const Json& usage = answer["usage"];
  CHECK(usage["output_tokens"] == 1);
  CHECK(usage["output_tokens_details"]["reasoning_tokens"] == 0);
  CHECK(usage["input_tokens_details"]["cached_tokens"] == 0);
  CHECK(usage["total_tokens"].get<int>() == usage["input_tokens"].get<int>() + 1);
  CHECK(usage["context_details"] ==
        Json{{"input_tokens", usage["input_tokens"]}, {"output_tokens", 1}});
  CHECK(usage["cost_in_nano_usd"].get<std::int64_t>() ==
        usage["cost_in_usd_ticks"].get<std::int64_t>() / 10);
  CHECK(usage["num_sources_used"] == 0);
  CHECK(usage["num_server_side_tools_used"] == 0);
  CHECK(usage["server_side_tool_usage_details"].size() == 7);
}

TEST_CASE("request parameters are echoed") {
  TextApi api;
  const Json answer = ok(api.respond("x", R"("instructions":"Be brief","temperature":1.5,
      "top_p":0.5,"max_output_tokens":900,"metadata":{"a":"b"},"user":"me","truncation":"auto",
      "prompt_cache_key":"k","service_tier":"priority","parallel_tool_calls":false,
      "reasoning":{"summary":"concise"},"store":false,"tool_choice":"none",
      "text":{"format":{"type":"json_object"}},"top_k":5,"min_p":0.1,"context_management":[],
      "include":["message.output_text.logprobs"])"));
  CHECK(answer["instructions"] == "Be brief");
  CHECK(answer["temperature"] == 1.5);
  CHECK(answer["top_p"] == 0.5);
  CHECK(answer["max_output_tokens"] == 900);
  CHECK(answer["metadata"] == Json{{"a", "b"}});
  CHECK(answer["user"] == "me");
  CHECK(answer["truncation"] == "auto");
  CHECK(answer["prompt_cache_key"] == "k");
  CHECK(answer["service_tier"] == "priority");
  CHECK(answer["parallel_tool_calls"] == false);
  CHECK(answer["store"] == false);
  CHECK(answer["tool_choice"] == "none");
  CHECK(answer["text"]["format"]["type"] == "json_object");
  CHECK(Json::parse(response_text(answer))["you_said"] == "x");
  expect_error(stored_response(api, response_id(answer)), 404);
}

TEST_CASE("invalid Responses requests") {
  TextApi api;
  const auto refusal = [&](const std::string& members, int status = 400) {
    return expect_error(api.respond("x", members), status);
  };
  CHECK(refusal(R"("model":"svc-9")") == "Model not found: svc-9");
  CHECK(mentions(refusal(R"("background":true)"), "background"));
  CHECK(
      mentions(refusal(R"("instructions":"a","previous_response_id":"r1")"), "cannot be combined"));
  CHECK(refusal(R"("previous_response_id":"r1")", 404) == "Response with id=r1 not found");
  CHECK(mentions(refusal(R"("input":[])"), "input cannot be empty"));
  CHECK(mentions(refusal(R"("input":"")"), "input cannot be empty"));
  CHECK(mentions(refusal(R"("input":[{"type":"reasoning","summary":[]}])"), "no message"));
  CHECK(mentions(refusal(R"("max_output_tokens":0)"), "max_output_tokens"));
  CHECK(mentions(refusal(R"("temperature":3)"), "temperature"));
  CHECK(mentions(refusal(R"("min_p":2)"), "min_p"));
  CHECK(mentions(refusal(R"("top_logprobs":1)"), "requires logprobs"));
  CHECK(mentions(refusal(R"("reasoning":{"effort":"low"})"), "reasoning.effort"));
  CHECK(
      mentions(refusal(R"("model":"svc-4.3","reasoning":{"effort":"huge"})"), "reasoning.effort"));
  CHECK(mentions(refusal(R"("reasoning_effort":"low")"), "reasoning_effort"));
  CHECK(mentions(refusal(R"("tool_choice":"required")"), "no tools"));
  CHECK(mentions(refusal(R"("tool_choice":{"type":"function","name":"f"})"), "the function f"));
  CHECK(mentions(refusal(R"("input":[{"role":"user","content":[{"type":"input_file"}]}])"),
                 "exactly"));
  CHECK(mentions(
      refusal(R"("input":[{"role":"user","content":[{"type":"input_file","file_data":"QQ=="}
      ]}])"),
      "filename"));
  const auto image = [](const std::string& url) {
    return fmt::format(
        R"("input":[{{"role":"user","content":[{{"type":"input_image","image_url":"{}"}}]}}])",
        url);
  };
  CHECK(refusal(image("x")) == "An image must be an https address or a data:image/…;base64, URL.");
  refusal(image("data:image/png;base64,AAAA"));
  CHECK(api.respond("x", image(k_tiny_png)).status == 200);
  CHECK(mentions(refusal(R"("input":[{"type":"compaction","encrypted_content":"AAAA"}])"),
                 "cannot be read"));
  api.key.acls = {"api-key:endpoint:*"};
  CHECK(mentions(refusal("\"store\":true", 403), "svc-4.5"));
}

TEST_CASE("rejected tools") {
  TextApi api;
  const auto refusal = [&](const std::string& tools) {
    return expect_error(api.respond("x", R"("tools":[)" + tools + "]"), 400);
  };
  CHECK(mentions(refusal(R"({"type":"web_search","external_web_access":true})"),
                 "external_web_access"));
  CHECK(mentions(refusal(R"({"type":"web_search","search_context_size":"low"})"),
                 "search_context_size"));
  CHECK(mentions(refusal(R"({"type":"web_search","user_location":{}})"), "user_location"));
  CHECK(mentions(refusal(R"({"type":"code_interpreter","container":"auto"})"), "container"));
  CHECK(mentions(refusal(R"({"type":"file_search","vector_store_ids":["a"],"filters":{}})"),
                 "filters"));
  CHECK(mentions(refusal(R"({"type":"file_search","vector_store_ids":["a"],"ranking_options":{}})"),
                 "ranking_options"));
  CHECK(mentions(refusal(R"({"type":"file_search","vector_store_ids":[]})"), "cannot be empty"));
  CHECK(mentions(refusal(R"({"type":"web_search"},{"type":"web_search"})"), "twice"));
  CHECK(mentions(refusal(R"({"type":"mcp","server_url":"u","server_label":"a"},
                       {"type":"mcp","server_url":"v","server_label":"a"})"),
                 "twice"));
  CHECK(
      mentions(refusal(R"({"type":"web_search","allowed_domains":["a"],"excluded_domains":["b"]})"),
               "both"));
  CHECK(mentions(refusal(R"({"type":"web_search","allowed_domains":["1","2","3","4","5","6"]})"),
                 "at most 5"));
  CHECK(mentions(refusal(R"({"type":"x_search","from_date":"yesterday"})"), "from_date"));
  ok(api.respond("x", R"("tools":[{"type":"mcp","server_url":"u","server_label":"a"},
                          {"type":"mcp","server_url":"v","server_label":"b"},
                          {"type":"tool_search","execution":"server"}])"));
}

TEST_CASE("a conversation continues from a stored response") {
  TextApi api;
  const Json first = ok(api.respond("My name is Ada", R"("instructions":"Be kind")"));
  const Json second =
      ok(api.respond("Who am I?", R"("previous_response_id":")" + response_id(first) + "\""));
  CHECK(second["previous_response_id"] == response_id(first));
  CHECK(second["instructions"] == "Be kind");
  CHECK(mentions(response_text(second), "Before that: “My name is Ada”."));
  CHECK(mentions(response_text(second), "The system prompt is “Be kind”."));
  CHECK(mentions(response_text(second), "The conversation has 4 messages."));
  CHECK(second["usage"]["input_tokens"].get<int>() > first["usage"]["input_tokens"].get<int>());
  CHECK(second["usage"]["input_tokens_details"]["cached_tokens"].get<int>() > 0);
  const Json third =
      ok(api.respond("And now?", R"("previous_response_id":")" + response_id(second) + "\""));
  CHECK(mentions(response_text(third), "The conversation has 6 messages."));
  CHECK(mentions(response_text(third), "“Be kind”"));
}

TEST_CASE("a conversation with a missing part cannot continue") {
  TextApi api;
  const Json first = ok(api.respond("one"));
  const Json second =
      ok(api.respond("two", R"("previous_response_id":")" + response_id(first) + "\""));
  const Json deleted = ok(
      api.call("DELETE", "/v1/responses/{response_id}", "", {{"response_id", response_id(first)}}));
  CHECK(deleted == Json{{"id", response_id(first)}, {"object", "response"}, {"deleted", true}});
  expect_error(stored_response(api, response_id(first)), 404);
  expect_error(
      api.call("DELETE", "/v1/responses/{response_id}", "", {{"response_id", response_id(first)}}),
      404);
  CHECK(
      expect_error(api.respond("three", R"("previous_response_id":")" + response_id(second) + "\""),
                   404) == "Response with id=" + response_id(first) + " not found");
  ok(stored_response(api, response_id(second)));
}

TEST_CASE("a stored response is returned unchanged, to its team, for 30 days") {
  TextApi api;
  const Response created = api.respond("hello");
  const std::string id = response_id(ok(created));
  CHECK(stored_response(api, id).body == created.body);
  const std::string team = api.key.team_id;
  api.key.team_id = "another";
  CHECK(expect_error(stored_response(api, id), 404) == "Response with id=" + id + " not found");
  api.key.team_id = team;
  api.now_ms += 29LL * 86'400'000;
  ok(stored_response(api, id));
  api.now_ms += 2LL * 86'400'000;
  expect_error(stored_response(api, id), 404);
}

TEST_CASE("input items are listed in pages") {
  TextApi api;
  const std::string id = response_id(ok(api.responses(R"({"model":"svc-4.5","input":[
      {"role":"user","content":"a"},{"role":"assistant","content":"b","id":"mine"},
      {"role":"user","content":[{"type":"input_text","text":"c"}]}]})")));
  const Json all = ok(inputs(api, id));
  CHECK(all["object"] == "list");
  REQUIRE(all["data"].size() == 3);
  CHECK(all["data"][2]["content"] == "a");
  CHECK(all["data"][2]["type"] == "message");
  CHECK(all["first_id"] == all["data"][0]["id"]);
  CHECK(all["last_id"] == all["data"][2]["id"]);
  CHECK(all["has_more"] == false);
  const Json page = ok(inputs(api, id, {{"order", "asc"}, {"limit", "1"}}));
  CHECK(page["data"][0]["content"] == "a");
  CHECK(page["has_more"] == true);
  const Json next =
      ok(inputs(api, id, {{"order", "asc"}, {"limit", "2"}, {"after", page["last_id"]}}));
  CHECK(next["data"][0]["id"] == "mine");
  CHECK(next["data"].size() == 2);
  CHECK(next["has_more"] == false);
  const Json end = ok(inputs(api, id, {{"after", all["last_id"]}}));
  CHECK(end["data"] == Json::array());
  CHECK(end["first_id"].is_null());
  expect_error(inputs(api, id, {{"limit", "0"}}), 400);
  expect_error(inputs(api, id, {{"limit", "101"}}), 400);
  expect_error(inputs(api, id, {{"limit", "many"}}), 400);
  expect_error(inputs(api, id, {{"order", "random"}}), 400);
  expect_error(inputs(api, id, {{"after", "nothing"}}), 400);
  expect_error(inputs(api, "r1"), 404);
  const Json plain = ok(inputs(api, response_id(ok(api.respond("hi")))));
  CHECK(plain["data"][0]["content"] == Json::parse(R"([{"type":"input_text","text":"hi"}])"));
}

}  // namespace svc::test
