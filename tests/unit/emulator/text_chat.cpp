#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/account/ledger.h"
#include "unit/emulator/text_support.h"

namespace svc::test {
namespace {

using emulator::Response;

}  // namespace

TEST_CASE("a chat response has every documented field") {
  TextApi api;
  const Json answer = ok(api.ask("Say exactly: Hello there"));
  CHECK(answer["object"] == "chat.completion");
  CHECK(answer["id"].get<std::string>().size() == 36);
  CHECK(answer["created"] == 1'800'000'000);
  CHECK(answer["model"] == "svc-4.5");
  CHECK(answer["service_tier"] == "default");
  CHECK(answer["system_fingerprint"] == emulator::k_system_fingerprint);
  REQUIRE(answer["choices"].size() == 1);
  const Json& choice = answer["choices"][0];
  CHECK(choice["index"] == 0);
  CHECK(choice["finish_reason"] == "stop");
  CHECK(choice["message"] ==
        Json{{"role", "assistant"}, {"content", "Hello there"}, {"refusal", nullptr}});
  CHECK(!answer.contains("citations"));
  const Json& usage = answer["usage"];
  CHECK(usage["completion_tokens"] == 2);
  CHECK(usage["total_tokens"].get<int>() ==
        usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
  CHECK(usage["prompt_tokens_details"]["text_tokens"] == usage["prompt_tokens"]);
  for (const char* name : {"audio_tokens", "image_tokens", "cached_tokens"}) {
    CHECK(usage["prompt_tokens_details"][name] == 0);
  }
  for (const char* name : {"reasoning_tokens", "audio_tokens", "accepted_prediction_tokens",
                           "rejected_prediction_tokens"}) {
    CHECK(usage["completion_tokens_details"][name] == 0);
  }
  CHECK(usage["num_sources_used"] == 0);
  const auto* model = emulator::find_model("svc-4.5");
  REQUIRE(model != nullptr);
  CHECK(usage["cost_in_usd_ticks"].get<std::int64_t>() ==
        usage["prompt_tokens"].get<std::int64_t>() * model->prompt_price +
            2 * model->completion_price);
}

TEST_CASE("an alias is answered by its model, which the key must allow") {
  TextApi api;
  CHECK(ok(api.chat(R"({"model":"svc-4","messages":[{"role":"user","content":"x"}]})"))["model"] ==
        emulator::find_model("svc-4")->name);
  api.key.acls = {"api-key:endpoint:*", "api-key:model:svc-3"};
  CHECK(mentions(expect_error(api.ask("x"), 403), "svc-4.5"));
  ok(api.ask("x", R"("model":"svc-3")"));
}

TEST_CASE("invalid chat requests") {
  TextApi api;
  const auto refusal = [&](const std::string& members, int status = 400) {
    return expect_error(api.ask("x", members), status);
  };
  CHECK(api.chat(R"({"model":"svc-4.5","messages":[]})").body ==
        R"({"code":"400","error":"Bad data: Messages cannot be empty"})");
  CHECK(api.ask("x", R"("model":"svc-9")").body ==
        R"({"code":"Client specified an invalid argument","error":"Model not found: svc-9"})");
  CHECK(refusal(R"("model":null)") == "Model not found: ");
  CHECK(mentions(refusal(R"("stop":["1","2","3","4","5"])"), "at most 4"));
  CHECK(mentions(refusal(R"("temperature":2.1)"), "temperature: 2.1 is not between 0 and 2"));
  CHECK(mentions(refusal(R"("temperature":-1)"), "temperature"));
  CHECK(mentions(refusal(R"("top_p":1.1)"), "top_p"));
  CHECK(mentions(refusal(R"("n":0)"), "n: 0"));
  CHECK(mentions(refusal(R"("n":129)"), "n: 129"));
  CHECK(mentions(refusal(R"("top_logprobs":2)"), "requires logprobs"));
  CHECK(mentions(refusal(R"("logprobs":true,"top_logprobs":9)"), "between 0 and 8"));
  CHECK(mentions(refusal(R"("frequency_penalty":2.5)"), "frequency_penalty"));
  CHECK(mentions(refusal(R"("presence_penalty":-2.5)"), "presence_penalty"));
  CHECK(mentions(refusal(R"("max_completion_tokens":0)"), "at least 1"));
  CHECK(mentions(refusal(R"("max_tokens":0)"), "at least 1"));
  CHECK(mentions(refusal(R"("reasoning_effort":"extreme")"), "none, low, medium, high"));
  CHECK(mentions(refusal(R"("reasoning_effort":"low")"), "does not support"));
  CHECK(mentions(refusal(R"("tool_choice":"required")"), "no tools"));
  CHECK(mentions(refusal(std::string(k_chat_tools) +
                         R"(,"tool_choice":{"type":"function","function":{"name":"fly"}})"),
                 "fly"));
  CHECK(mentions(refusal(R"("search_parameters":{"max_search_results":31})"), "between 1 and 30"));
  CHECK(mentions(refusal(R"("response_format":{"type":"json_schema","json_schema":{"schema":
      {"type":"nothing"}}})"),
                 "no value that satisfies the schema"));
  const Response both = api.ask("x", R"("stream":true,"deferred":true)");
  CHECK(both.status == 400);
  CHECK(both.body == R"("A request may either be streaming or deferred, but not both.")");
}

TEST_CASE("at most 350 tools") {
  TextApi api;
  const auto tools = [](int count) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i) {
      list.push_back(
          {{"type", "function"},
           {"function", {{"name", "f" + std::to_string(i)}, {"parameters", Json::object()}}}});
    }
    return "\"tools\":" + list.dump();
  };
  ok(api.ask("x", tools(350)));
  CHECK(mentions(expect_error(api.ask("x", tools(351)), 400), "351 given, at most 350"));
}

TEST_CASE("parameters that reasoning models reject") {
  TextApi api;
  const std::string model = R"("model":"svc-4.3",)";
  CHECK(mentions(expect_error(api.ask("x", model + R"("stop":["a"])"), 400), "stop"));
  CHECK(mentions(expect_error(api.ask("x", model + R"("presence_penalty":1)"), 400),
                 "presence_penalty"));
  CHECK(mentions(expect_error(api.ask("x", model + R"("frequency_penalty":1)"), 400),
                 "frequency_penalty"));
  ok(api.ask("x", model + R"("stop":[],"presence_penalty":0)"));
  CHECK(mentions(expect_error(api.ask("x", R"("model":"svc-3","presence_penalty":1)"), 400),
                 "svc-3"));
  ok(api.ask("x", R"("model":"svc-3","frequency_penalty":1,"stop":["q"])"));
}

TEST_CASE("reasoning is returned, counted and billed") {
  TextApi api;
  const Json low = ok(api.ask("x", R"("model":"svc-4.3")"));
  const Json high = ok(api.ask("x", R"("model":"svc-4.3","reasoning_effort":"high")"));
  const Json none = ok(api.ask("x", R"("model":"svc-4.3","reasoning_effort":"none")"));
  const auto thoughts = [](const Json& answer) {
    return answer["usage"]["completion_tokens_details"]["reasoning_tokens"].get<int>();
  };
  CHECK(low["choices"][0]["message"]["reasoning_content"].is_string());
  CHECK(thoughts(high) > thoughts(low));
  CHECK(thoughts(low) > 0);
  CHECK(thoughts(none) == 0);
  CHECK(!none["choices"][0]["message"].contains("reasoning_content"));
  CHECK(high["usage"]["completion_tokens"].get<int>() >
        low["usage"]["completion_tokens"].get<int>());
  CHECK(high["usage"]["cost_in_usd_ticks"].get<int>() >
        low["usage"]["cost_in_usd_ticks"].get<int>());
}

TEST_CASE("choices, stop sequences and limits") {
  TextApi api;
  const Json answer = ok(api.ask("hello", R"("n":3)"));
  REQUIRE(answer["choices"].size() == 3);
  CHECK(answer["choices"][2]["index"] == 2);
  CHECK(mentions(content_of(answer, 1), "Choice 2 of 3"));
  CHECK(content_of(answer, 0) != content_of(answer, 1));
  CHECK(content_of(ok(api.ask("Say exactly: a b c", R"("stop":["b"])"))) == "a ");
  const Json cut = ok(api.ask("Write 50 words", R"("max_completion_tokens":5)"));
  CHECK(cut["choices"][0]["finish_reason"] == "length");
  CHECK(cut["usage"]["completion_tokens"] == 5);
  CHECK(ok(api.ask("Write 50 words", R"("max_tokens":7)"))["usage"]["completion_tokens"] == 7);
  CHECK(ok(api.ask("Write 50 words",
                   R"("max_tokens":7,"max_completion_tokens":5)"))["usage"]["completion_tokens"] ==
        5);
}

TEST_CASE(
    "a prompt with the same start as the last one under its key is partly cached, and cheaper") {
  TextApi api;
  const auto chat = [&](const std::string& more, const std::string& key,
                        const std::string& model = "svc-4.5") {
    return ok(api.chat(R"({"model":")" + model + R"(",)" + key +
                       R"("messages":[{"role":"system","content":"You are a careful clerk."})" +
                       more + "]}"))["usage"];
  };
  const std::string key = R"("prompt_cache_key":"k",)";
  const std::string one = R"(,{"role":"user","content":"Say exactly: yes"})";
  const std::string two =
      one + R"(,{"role":"assistant","content":"yes"},{"role":"user","content":"Say exactly: no"})";
  const auto cached = [](const Json& usage) {
    return usage["prompt_tokens_details"]["cached_tokens"].get<int>();
  };
  const Json first = chat(one, key);
  CHECK(cached(first) == 0);
  const Json second = chat(two, key);
  CHECK(cached(second) > 0);
  CHECK(cached(second) < second["prompt_tokens"].get<int>());
  CHECK(cached(second) <= first["prompt_tokens"].get<int>());
  const Json again = chat(two, key);
  CHECK(cached(again) == again["prompt_tokens"].get<int>() - 1);
  CHECK(again["cost_in_usd_ticks"].get<int>() < second["cost_in_usd_ticks"].get<int>());
  CHECK(cached(chat(two, "")) == 0);
  CHECK(cached(chat(two, R"("prompt_cache_key":"other",)")) == 0);
  CHECK(cached(chat(two, key, "svc-4.3")) == 0);  // another model has read nothing yet
  CHECK(cached(chat(two, key)) == 0);
  CHECK(cached(chat(two, key)) > 0);
  api.headers = {{"x-svc-conv-id", "k"}};
  CHECK(cached(chat(two, "")) > 0);
  api.now_ms += 3'601'000;
  CHECK(cached(chat(two, "")) == 0);
}

TEST_CASE("a prompt cached for one model or team is not cached for another") {
  TextApi api;
  const auto cached = [&](const std::string& model) {
    return ok(api.chat(R"({"model":")" + model + R"(","prompt_cache_key":"k","messages":[
                       {"role":"user","content":"Say exactly: yes"}]})"))["usage"]
                                                                         ["prompt_tokens_details"]
                                                                         ["cached_tokens"]
                                                                             .get<int>();
  };
  CHECK(cached("svc-4.5") == 0);
  CHECK(cached("svc-4.3") == 0);
  CHECK(cached("svc-4.3") > 0);
  CHECK(cached("svc-4.3-latest") > 0);  // the same model by its other name
  api.key.team_id = "another";
  CHECK(cached("svc-4.3") == 0);
}

TEST_CASE("log probabilities, where the model supports them") {
  TextApi api;
  const Json answer =
      ok(api.ask("Say exactly: hi you", R"("model":"svc-3","logprobs":true,"top_logprobs":3)"));
  const Json& content = answer["choices"][0]["logprobs"]["content"];
  REQUIRE(content.size() == 2);
  CHECK(content[0]["token"] == "hi");
  CHECK(content[0]["bytes"] == Json{104, 105});
  CHECK(content[0]["logprob"].get<double>() < 0);
  REQUIRE(content[0]["top_logprobs"].size() == 3);
  CHECK(content[0]["top_logprobs"][0]["token"] == "hi");
  CHECK(content[0]["top_logprobs"][1]["logprob"].get<double>() <
        content[0]["logprob"].get<double>());
  const Json plain = ok(api.ask("Say exactly: hi", R"("model":"svc-3","logprobs":true)"));
  CHECK(plain["choices"][0]["logprobs"]["content"][0]["top_logprobs"] == Json::array());
  // Newer models silently ignore the request.
  CHECK(
      !ok(api.ask("hi", R"("logprobs":true,"top_logprobs":3)"))["choices"][0].contains("logprobs"));
}

TEST_CASE("files of code execution, if included") {
  TextApi api;
  constexpr const char* k_include = R"("include":["code_execution_files_output"])";
  const Json answer = ok(api.ask("Draw a chart", k_include));
  REQUIRE(answer["output_files"].size() == 1);
  CHECK(answer["output_files"][0]["name"] == "output.txt");
  CHECK(answer["output_files"][0]["file_id"].get<std::string>().starts_with("file_"));
  CHECK_FALSE(ok(api.ask("Draw a chart")).contains("output_files"));
  CHECK_FALSE(ok(api.ask("Draw a chart", R"("include":["x"])")).contains("output_files"));
}

TEST_CASE("tool calls") {
  TextApi api;
  const std::string tools = k_chat_tools;
  const Json called = ok(api.ask("x", tools + R"(,"tool_choice":"required")"));
  const Json& choice = called["choices"][0];
  CHECK(choice["finish_reason"] == "tool_calls");
  CHECK(choice["message"]["content"].is_null());
  REQUIRE(choice["message"]["tool_calls"].size() == 1);
  const Json& call = choice["message"]["tool_calls"][0];
  CHECK(call["type"] == "function");
  CHECK(call["index"] == 0);
  CHECK(call["id"].get<std::string>().starts_with("call_"));
  CHECK(call["function"]["name"] == "get_time");
  CHECK(Json::parse(call["function"]["arguments"].get<std::string>())["city"].is_string());

  const Json named = ok(
      api.ask("x", tools + R"(,"tool_choice":{"type":"function","function":{"name":"get_date"}})"));
  CHECK(named["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "get_date");
  const Json two = ok(api.ask("get_time and get_date please", tools));
  REQUIRE(two["choices"][0]["message"]["tool_calls"].size() == 2);
  CHECK(two["choices"][0]["message"]["tool_calls"][0]["id"] !=
        two["choices"][0]["message"]["tool_calls"][1]["id"]);
  const Json one =
      ok(api.ask("get_time and get_date please", tools + R"(,"parallel_tool_calls":false)"));
  CHECK(one["choices"][0]["message"]["tool_calls"].size() == 1);
  CHECK(ok(api.ask("x", tools))["choices"][0]["finish_reason"] == "stop");
  CHECK(ok(api.ask("get_time",
                   tools + R"(,"tool_choice":"none")"))["choices"][0]["finish_reason"] == "stop");
}

TEST_CASE("a tool's result is used") {
  TextApi api;
  const Json answer = ok(api.chat(std::string(R"({"model":"svc-4.5","messages":[
      {"role":"user","content":"time?"},
      {"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"get_time","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c1","content":"noon"}],"tool_choice":"required",)") +
                                  k_chat_tools + "}"));
  CHECK(mentions(content_of(answer), "The tool get_time answered: “noon”."));
}

TEST_CASE("structured output") {
  TextApi api;
  CHECK(Json::parse(content_of(
            ok(api.ask("hi", R"("response_format":{"type":"json_object"})"))))["you_said"] == "hi");
  const Json answer = ok(api.ask("hi", R"("response_format":{"type":"json_schema","json_schema":
      {"name":"a","strict":true,"schema":{"type":"object","properties":{"n":{"type":"integer",
      "minimum":4}},"required":["n"],"additionalProperties":false}}})"));
  CHECK(content_of(answer) == R"({"n":4})");
}

TEST_CASE("images and files") {
  TextApi api;
  const auto with_part = [&](const std::string& part, const std::string& model = "svc-4.5") {
    return api.chat(R"({"model":")" + model + R"(","messages":[{"role":"user","content":[
        {"type":"text","text":"look"},)" +
                    part + "]}]}");
  };
  const Json seen = ok(with_part(R"({"type":"image_url","image_url":{"url":")" +
                                 std::string(svc::test::k_tiny_png) + R"("}})"));
  CHECK(mentions(content_of(seen), "1 image"));
  const Json& details = seen["usage"]["prompt_tokens_details"];
  CHECK(details["image_tokens"].get<int>() > 0);
  CHECK(seen["usage"]["prompt_tokens"].get<int>() ==
        details["text_tokens"].get<int>() + details["image_tokens"].get<int>());
  CHECK(mentions(content_of(ok(with_part(R"({"type":"file","file":{"url":"https://a/b"}})"))),
                 "1 file"));
  expect_error(with_part(R"({"type":"image_url","image_url":{"url":"picture.png"}})"), 400);
  expect_error(with_part(R"({"type":"file","file":{}})"), 400);
  expect_error(with_part(R"({"type":"file","file":{"file_id":"a","url":"https://b"}})"), 400);
  CHECK(mentions(
      expect_error(
          with_part(R"({"type":"image_url","image_url":{"url":"https://x.example/a.png"}})",
                    "svc-3"),
          400),
      "does not support image input"));
}

TEST_CASE("a prompt longer than the model's context") {
  TextApi api;
  CHECK(mentions(expect_error(api.ask(std::string(1'000'000, '1'), R"("model":"svc-3")"), 400),
                 "maximum prompt length is 131072"));
}

TEST_CASE("search gives citations") {
  TextApi api;
  const Json found = ok(api.ask("who?", R"("search_parameters":{"max_search_results":2})"));
  REQUIRE(found["citations"].size() == 2);
  CHECK(found["usage"]["num_sources_used"] == 2);
  CHECK(mentions(content_of(found), found["citations"][0].get<std::string>()));
  const Json quiet = ok(api.ask("who?", R"("search_parameters":{"return_citations":false})"));
  CHECK(!quiet.contains("citations"));
  CHECK(quiet["usage"]["num_sources_used"] == 3);
  CHECK(!mentions(content_of(quiet), "[[1]]"));
  const Json off = ok(api.ask("who?", R"("search_parameters":{"mode":"off"})"));
  CHECK(off["usage"]["num_sources_used"] == 0);
  CHECK(found["usage"]["cost_in_usd_ticks"].get<std::int64_t>() >
        off["usage"]["cost_in_usd_ticks"].get<std::int64_t>());
  const Json live = ok(api.ask(
      "who?", R"("tools":[{"type":"live_search","sources":[{"type":"x","x_handles":["me"]}]}])"));
  CHECK(mentions(live["citations"][0].get<std::string>(), "/me/"));
}

TEST_CASE("tier, refusal, failure, and ignored fields") {
  TextApi api;
  CHECK(ok(api.ask("x", R"("service_tier":"priority")"))["service_tier"] == "priority");
  CHECK(ok(api.ask("x", R"("service_tier":"auto")"))["service_tier"] == "default");
  const Json refusal = ok(api.ask("Refuse: not this"));
  CHECK(refusal["choices"][0]["message"]["refusal"] == "not this");
  CHECK(refusal["choices"][0]["message"]["content"].is_null());
  CHECK(expect_error(api.ask("Fail with: out of order"), 503) == "out of order");
  ok(api.ask("x", R"("web_search_options":{"search_context_size":"low"},"logit_bias":{"1":5},
      "user":"me","prompt_cache_key":"k","seed":7,"something_new":[1])"));
  CHECK(content_of(ok(api.ask("x", R"("seed":7)"))) == content_of(ok(api.ask("x", R"("seed":7)"))));
}

}  // namespace svc::test
