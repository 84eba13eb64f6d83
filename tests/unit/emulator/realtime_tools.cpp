// A session's configuration and its tools.
#include <doctest/doctest.h>

#include "unit/emulator/realtime_support.h"

namespace svc::test {

using namespace svc::emulator;
using namespace svc::emulator::realtime;

namespace {

Json function(const char* name, Json parameters = Json::object()) {
  return {{"type", "function"}, {"name", name}, {"parameters", std::move(parameters)}};
}

std::string joined_deltas(const Talk& talk, std::string_view call_id) {
  std::string text;
  for (const Json& delta : talk.all("response.function_call_arguments.delta")) {
    if (delta["call_id"] == call_id) text += delta["delta"].get<std::string>();
  }
  return text;
}

}  // namespace

TEST_CASE("a configuration is applied completely or not at all, and the error is reported") {
  Talk talk;
  const auto refused = [&](const Json& session, const std::string& param) {
    talk.update(session);
    CHECK_MESSAGE(talk.last("error")["error"]["param"] == param, session.dump());
  };
  refused({{"voice", "ara"}, {"instructions", 5}}, "session.instructions");
  refused({{"turn_detection", {{"type", "semantic_vad"}}}}, "session.turn_detection.type");
  refused({{"turn_detection", {{"threshold", 0.95}}}}, "session.turn_detection.threshold");
  refused({{"turn_detection", {{"silence_duration_ms", 10'001}}}},
          "session.turn_detection.silence_duration_ms");
  refused({{"turn_detection", {{"prefix_padding_ms", -1}}}},
          "session.turn_detection.prefix_padding_ms");
  refused({{"turn_detection", {{"idle_timeout_ms", "x"}}}},
          "session.turn_detection.idle_timeout_ms");
  refused({{"audio", {{"input", {{"format", {{"type", "audio/opus"}, {"rate", 24'000}}}}}}}},
          "session.audio.input.format.type");
  CHECK(talk.complaint() == "unsupported_format");
  refused({{"audio", {{"input", {{"format", {{"type", "audio/pcm"}, {"rate", 11'025}}}}}}}},
          "session.audio.input.format.rate");
  refused({{"audio", {{"output", {{"format", {{"type", "audio/pcmu"}, {"rate", 16'000}}}}}}}},
          "session.audio.output.format.rate");
  refused({{"audio", {{"output", {{"speed", 1.6}}}}}}, "session.audio.output.speed");
  refused({{"audio", {{"input", {{"transport", "raw"}}}}}}, "session.audio.input.transport");
  refused({{"audio", {{"input", {{"transcription", {{"keyterms", {std::string(51, 'x')}}}}}}}}},
          "session.audio.input.transcription.keyterms");
  refused({{"reasoning", {{"effort", "low"}}}}, "session.reasoning.effort");
  refused({{"replace", {{"a", 1}}}}, "session.replace");
  refused({{"tools", {function("a"), function("a")}}}, "session.tools[1]");
  refused({{"tools", {function("no blanks")}}}, "session.tools[0].name");
  refused({{"tools", {{{"type", "shell"}}}}}, "session.tools[0].type");
  refused({{"tools", {{{"type", "file_search"}}}}}, "session.tools[0].vector_store_ids");
  refused({{"tools", {{{"type", "mcp"}, {"server_label", "l"}}}}}, "session.tools[0].server_url");
  CHECK(talk.all("session.updated").empty());
  talk.update({{"type", "realtime"}, {"unknown", 1}});
  const Json session = talk.last("session.updated")["session"];
  CHECK(session["voice"] == "eve");
  CHECK(session["turn_detection"]["threshold"] == 0.85);
  CHECK(session["turn_detection"]["prefix_padding_ms"] == 333);
}

TEST_CASE("every PCM rate is accepted") {
  Talk talk;
  for (const int rate : {8'000, 16'000, 22'050, 24'000, 32'000, 44'100, 48'000}) {
    talk.update({{"audio",
                  {{"input", {{"format", {{"type", "audio/pcm"}, {"rate", rate}}}}},
                   {"output", {{"format", {{"type", "audio/pcm"}, {"rate", rate}}}}}}}});
    CHECK(talk.last("session.updated")["session"]["audio"]["output"]["format"]["rate"] == rate);
  }
  CHECK(talk.complaint() == "");
}

TEST_CASE("replacements change the spoken text, but not the transcript") {
  Talk talk;
  talk.update({{"replace", {{"svc", "ess vee see"}}}});
  talk.write("Say exactly: I am svc");
  talk.respond();
  CHECK(talk.speech->spoken == "I am ess vee see");
  CHECK(talk.last("response.output_audio_transcript.done")["transcript"] == "I am svc");
}

TEST_CASE("functions named in the prompt are called at once, and their outputs are quoted") {
  Talk talk;
  const Json place = {
      {"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}, {"required", {"city"}}};
  talk.update({{"tools", {function("get_weather", place), function("clock"), function("other")}}});
  talk.write("Please get weather and look at the clock");
  talk.respond();
  const auto calls = talk.all("response.function_call_arguments.done");
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]["name"] == "get_weather");
  CHECK(Json::parse(calls[0]["arguments"].get<std::string>())["city"].is_string());
  CHECK(calls[0]["arguments"] == joined_deltas(talk, calls[0]["call_id"].get<std::string>()));
  CHECK(calls[1]["arguments"] == "{}");
  const Json done = talk.last("response.done")["response"];
  CHECK(done["output"].size() == 2);
  CHECK(done["output"][1]["type"] == "function_call");
  CHECK(talk.all("response.output_audio.delta").empty());
  for (const Json& call : calls) {
    talk.say({{"type", "conversation.item.create"},
              {"item",
               {{"type", "function_call_output"},
                {"call_id", call["call_id"]},
                {"output", call["name"].get<std::string>() + " says 7"}}}});
  }
  talk.respond();
  CHECK(talk.speech->spoken ==
        "This is the emulator. get_weather answered: get_weather says 7. clock answered: clock "
        "says 7.");
  talk.say({{"type", "conversation.item.create"},
            {"item", {{"type", "function_call_output"}, {"call_id", "none"}, {"output", ""}}}});
  CHECK(talk.complaint() == "call_not_found");
  // A history with a call can be seeded.
  talk.say(
      {{"type", "conversation.item.create"},
       {"item",
        {{"type", "function_call"}, {"call_id", "seed"}, {"name", "clock"}, {"arguments", "{}"}}}});
  talk.say({{"type", "conversation.item.create"},
            {"item", {{"type", "function_call_output"}, {"call_id", "seed"}, {"output", "noon"}}}});
  talk.respond();
  CHECK(talk.speech->spoken.find("clock answered: noon") != std::string::npos);
}

TEST_CASE("MCP tools are listed and called") {
  Talk talk;
  talk.update({{"tools",
                {{{"type", "mcp"},
                  {"server_url", "https://mcp.example/sse"},
                  {"server_label", "shop"},
                  {"allowed_tools", {"price"}},
                  {"authorization", "Bearer secret"}},
                 {{"type", "mcp"},
                  {"server_url", "https://nowhere.invalid/"},
                  {"server_label", "lost"}}}}});
  CHECK(talk.all("mcp_list_tools.in_progress").size() == 2);
  CHECK(talk.all("mcp_list_tools.completed").size() == 1);
  CHECK(talk.all("mcp_list_tools.failed").size() == 1);
  CHECK(talk.last("session.updated").dump().find("secret") == std::string::npos);
  talk.write("What is the price of tea?");
  talk.types();
  talk.respond({{"modalities", {"text"}}});
  auto seen = talk.types();
  seen.resize(9);
  CHECK(seen == std::vector<std::string>{
                    "response.created", "response.output_item.added",
                    "response.mcp_call.in_progress", "response.mcp_call_arguments.delta",
                    "response.mcp_call_arguments.done", "response.mcp_call.completed",
                    "response.output_item.done", "response.output_item.added",
                    "response.content_part.added"});
  const Json done = talk.last("response.done")["response"];
  CHECK(done["output"][0]["type"] == "mcp_call");
  CHECK(done["output"][0]["server_label"] == "shop");
  CHECK(done["output"][1]["type"] == "message");
  talk.write("Make the price fail");
  talk.respond({{"modalities", {"text"}}});
  CHECK(talk.last("response.mcp_call.failed")["error"].is_string());
}

TEST_CASE("searches find matching results") {
  Talk talk;
  talk.update(
      {{"tools",
        {{{"type", "web_search"}}, {{"type", "file_search"}, {"vector_store_ids", {"c"}}}}}});
  talk.write("Search for tea");
  talk.respond({{"modalities", {"text"}}});
  CHECK(talk.last("response.text.done")["text"].get<std::string>().find("I searched and found") !=
        std::string::npos);
  talk.write("What does the file say?");
  talk.respond({{"modalities", {"text"}}});
  CHECK(talk.last("response.text.done")["text"].get<std::string>().find("no such file") !=
        std::string::npos);
}

TEST_CASE("the parameters of a response are checked") {
  Talk talk;
  Json metadata = Json::object();
  for (int i = 0; i < 17; ++i) metadata[std::to_string(i)] = "x";
  talk.say({{"type", "response.create"}, {"response", {{"metadata", metadata}}}});
  CHECK(talk.last("error")["error"]["param"] == "response.metadata");
  talk.say({{"type", "response.create"}, {"response", {{"modalities", {"video"}}}}});
  CHECK(talk.last("error")["error"]["param"] == "response.modalities");
  talk.say({{"type", "response.create"}, {"response", {{"instructions", 1}}}});
  CHECK(talk.last("error")["error"]["param"] == "response.instructions");
  talk.respond({{"instructions", "Say exactly: welcome"}});
  CHECK(talk.speech->spoken == "welcome");
}

TEST_CASE("a test's rule sets the speech, tool calls and errors") {
  Talk talk;
  auto rules = parse_answers(R"([
      {"match": {"prompt": "weather"}, "answer": {"tool_calls":
          [{"name": "get_weather", "arguments": {"city": "Oslo"}}], "text": "It rains."}},
      {"match": {"prompt": "broken", "operation": "realtime"},
       "answer": {"status": 503, "body": {"error": {"message": "out of order"}}}},
      {"match": {"operation": "chat"}, "answer": {"text": "not here"}},
      {"answer": {"text": "Good day."}}])");
  REQUIRE(rules.has_value());
  REQUIRE(talk.state().answers().add(std::move(*rules)).has_value());
  talk.write("Anything");
  talk.respond();
  CHECK(talk.speech->spoken == "Good day.");
  talk.write("broken");
  talk.respond();
  CHECK(talk.last("response.done")["response"]["status"] == "failed");
  CHECK(talk.last("response.done").dump().find("out of order") != std::string::npos);
  talk.write("The weather?");
  talk.respond();
  const Json call = talk.last("response.function_call_arguments.done");
  CHECK(call["arguments"] == R"({"city":"Oslo"})");
  talk.say(
      {{"type", "conversation.item.create"},
       {"item",
        {{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "rain"}}}});
  talk.respond();
  CHECK(talk.speech->spoken == "It rains.");
}

}  // namespace svc::test
