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

std::string joined_deltas(const RealtimeClient& client, std::string_view call_id) {
  std::string text;
  for (const Json& delta : client.all("response.function_call_arguments.delta")) {
    if (delta["call_id"] == call_id) text += delta["delta"].get<std::string>();
  }
  return text;
}

}  // namespace

TEST_CASE("a configuration is applied completely or not at all, and the error is reported") {
  RealtimeClient client;
  const auto expect_error = [&](const Json& session, const std::string& param) {
    client.update(session);
    CHECK_MESSAGE(client.last("error")["error"]["param"] == param, session.dump());
  };
  expect_error({{"voice", "ara"}, {"instructions", 5}}, "session.instructions");
  expect_error({{"turn_detection", {{"type", "semantic_vad"}}}}, "session.turn_detection.type");
  expect_error({{"turn_detection", {{"threshold", 0.95}}}}, "session.turn_detection.threshold");
  expect_error({{"turn_detection", {{"silence_duration_ms", 10'001}}}},
               "session.turn_detection.silence_duration_ms");
  expect_error({{"turn_detection", {{"prefix_padding_ms", -1}}}},
               "session.turn_detection.prefix_padding_ms");
  expect_error({{"turn_detection", {{"idle_timeout_ms", "x"}}}},
               "session.turn_detection.idle_timeout_ms");
  expect_error({{"audio", {{"input", {{"format", {{"type", "audio/opus"}, {"rate", 24'000}}}}}}}},
               "session.audio.input.format.type");
  CHECK(client.error_code() == "unsupported_format");
  expect_error({{"audio", {{"input", {{"format", {{"type", "audio/pcm"}, {"rate", 11'025}}}}}}}},
               "session.audio.input.format.rate");
  expect_error({{"audio", {{"output", {{"format", {{"type", "audio/pcmu"}, {"rate", 16'000}}}}}}}},
               "session.audio.output.format.rate");
  expect_error({{"audio", {{"output", {{"speed", 1.6}}}}}}, "session.audio.output.speed");
  expect_error({{"audio", {{"input", {{"transport", "raw"}}}}}}, "session.audio.input.transport");
  expect_error(
      {{"audio", {{"input", {{"transcription", {{"keyterms", {std::string(51, 'x')}}}}}}}}},
      "session.audio.input.transcription.keyterms[0]");
  expect_error({{"reasoning", {{"effort", "low"}}}}, "session.reasoning.effort");
  expect_error({{"replace", {{"a", 1}}}}, "session.replace");
  expect_error({{"tools", {function("a"), function("a")}}}, "session.tools[1]");
  expect_error({{"tools", {function("no blanks")}}}, "session.tools[0].name");
  expect_error({{"tools", {{{"type", "shell"}}}}}, "session.tools[0].type");
  expect_error({{"tools", {{{"type", "file_search"}}}}}, "session.tools[0].vector_store_ids");
  expect_error({{"tools", {{{"type", "mcp"}, {"server_label", "l"}}}}},
               "session.tools[0].server_url");
  CHECK(client.all("session.updated").empty());
  client.update({{"type", "realtime"}, {"unknown", 1}});
  const Json session = client.last("session.updated")["session"];
  CHECK(session["voice"] == "eve");
  CHECK(session["turn_detection"]["threshold"] == 0.85);
  CHECK(session["turn_detection"]["prefix_padding_ms"] == 333);
}

TEST_CASE("every PCM rate is accepted") {
  RealtimeClient client;
  for (const int rate : {8'000, 16'000, 22'050, 24'000, 32'000, 44'100, 48'000}) {
    client.update({{"audio",
                    {{"input", {{"format", {{"type", "audio/pcm"}, {"rate", rate}}}}},
                     {"output", {{"format", {{"type", "audio/pcm"}, {"rate", rate}}}}}}}});
    CHECK(client.last("session.updated")["session"]["audio"]["output"]["format"]["rate"] == rate);
  }
  CHECK(client.error_code() == "");
}

TEST_CASE("replacements change the spoken text, but not the transcript") {
  RealtimeClient client;
  client.update({{"replace", {{"svc", "ess vee see"}}}});
  client.write("Say exactly: I am svc");
  client.respond();
  CHECK(client.speech->spoken == "I am ess vee see");
  CHECK(client.last("response.output_audio_transcript.done")["transcript"] == "I am svc");
  // The next ones take their place.
  client.update({{"replace", {{"am", "was"}}}});
  CHECK(client.last("session.updated")["session"]["replace"] == Json{{"am", "was"}});
  client.write("Say exactly: I am svc");
  client.respond();
  CHECK(client.speech->spoken == "I was svc");
  client.update({{"replace", Json::object()}});
  client.write("Say exactly: I am svc");
  client.respond();
  CHECK(client.speech->spoken == "I am svc");
}

TEST_CASE("functions named in the prompt are called at once, and their outputs are quoted") {
  RealtimeClient client;
  const Json place = {
      {"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}, {"required", {"city"}}};
  client.update(
      {{"tools", {function("get_weather", place), function("clock"), function("other")}}});
  client.write("Please get weather and look at the clock");
  client.respond();
  const auto calls = client.all("response.function_call_arguments.done");
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]["name"] == "get_weather");
  CHECK(Json::parse(calls[0]["arguments"].get<std::string>())["city"].is_string());
  CHECK(calls[0]["arguments"] == joined_deltas(client, calls[0]["call_id"].get<std::string>()));
  CHECK(calls[1]["arguments"] == "{}");
  const Json done = client.last("response.done")["response"];
  CHECK(done["output"].size() == 2);
  CHECK(done["output"][1]["type"] == "function_call");
  CHECK(client.all("response.output_audio.delta").empty());
  for (const Json& call : calls) {
    client.send({{"type", "conversation.item.create"},
                 {"item",
                  {{"type", "function_call_output"},
                   {"call_id", call["call_id"]},
                   {"output", call["name"].get<std::string>() + " says 7"}}}});
  }
  client.respond();
  CHECK(client.speech->spoken ==
        "This is the emulator. get_weather answered: get_weather says 7. clock answered: clock "
        "says 7.");
  client.send({{"type", "conversation.item.create"},
               {"item", {{"type", "function_call_output"}, {"call_id", "none"}, {"output", ""}}}});
  CHECK(client.error_code() == "call_not_found");
  // A history with a call can be seeded.
  client.send(
      {{"type", "conversation.item.create"},
       {"item",
        {{"type", "function_call"}, {"call_id", "seed"}, {"name", "clock"}, {"arguments", "{}"}}}});
  client.send(
      {{"type", "conversation.item.create"},
       {"item", {{"type", "function_call_output"}, {"call_id", "seed"}, {"output", "noon"}}}});
  client.respond();
  CHECK(client.speech->spoken.find("clock answered: noon") != std::string::npos);
}

TEST_CASE("MCP tools are listed and called") {
  RealtimeClient client;
  client.update({{"tools",
                  {{{"type", "mcp"},
                    {"server_url", "https://mcp.example/sse"},
                    {"server_label", "shop"},
                    {"allowed_tools", {"price"}},
                    {"authorization", "Bearer secret"}},
                   {{"type", "mcp"},
                    {"server_url", "https://nowhere.invalid/"},
                    {"server_label", "lost"}}}}});
  CHECK(client.all("mcp_list_tools.in_progress").size() == 2);
  CHECK(client.all("mcp_list_tools.completed").size() == 1);
  CHECK(client.all("mcp_list_tools.failed").size() == 1);
  CHECK(client.last("session.updated").dump().find("secret") == std::string::npos);
  client.write("What is the price of tea?");
  client.types();
  client.respond({{"modalities", {"text"}}});
  auto seen = client.types();
  seen.resize(9);
  CHECK(seen == std::vector<std::string>{
                    "response.created", "response.output_item.added",
                    "response.mcp_call.in_progress", "response.mcp_call_arguments.delta",
                    "response.mcp_call_arguments.done", "response.mcp_call.completed",
                    "response.output_item.done", "response.output_item.added",
                    "response.content_part.added"});
  const Json done = client.last("response.done")["response"];
  CHECK(done["output"][0]["type"] == "mcp_call");
  CHECK(done["output"][0]["server_label"] == "shop");
  CHECK(done["output"][1]["type"] == "message");
  client.write("Make the price fail");
  client.respond({{"modalities", {"text"}}});
  CHECK(client.last("response.mcp_call.failed")["error"].is_string());
}

TEST_CASE("searches find matching results") {
  RealtimeClient client;
  client.update(
      {{"tools",
        {{{"type", "web_search"}}, {{"type", "file_search"}, {"vector_store_ids", {"c"}}}}}});
  client.write("Search for tea");
  client.respond({{"modalities", {"text"}}});
  CHECK(client.last("response.text.done")["text"].get<std::string>().find("I searched and found") !=
        std::string::npos);
  client.write("What does the file say?");
  client.respond({{"modalities", {"text"}}});
  CHECK(client.last("response.text.done")["text"].get<std::string>().find("no such file") !=
        std::string::npos);
}

TEST_CASE("the parameters of a response are checked") {
  RealtimeClient client;
  Json metadata = Json::object();
  for (int i = 0; i < 17; ++i) metadata[std::to_string(i)] = "x";
  client.send({{"type", "response.create"}, {"response", {{"metadata", metadata}}}});
  CHECK(client.last("error")["error"]["param"] == "response.metadata");
  client.send({{"type", "response.create"}, {"response", {{"modalities", {"video"}}}}});
  CHECK(client.last("error")["error"]["param"] == "response.modalities[0]");
  client.send({{"type", "response.create"}, {"response", {{"instructions", 1}}}});
  CHECK(client.last("error")["error"]["param"] == "response.instructions");
  client.respond({{"instructions", "Say exactly: welcome"}});
  CHECK(client.speech->spoken == "welcome");
}

TEST_CASE("a test's rule sets the speech, tool calls and errors") {
  RealtimeClient client;
  auto rules = parse_answers(R"([
      {"match": {"prompt": "weather"}, "answer": {"tool_calls":
          [{"name": "get_weather", "arguments": {"city": "Oslo"}}], "text": "It rains."}},
      {"match": {"prompt": "broken", "operation": "realtime"},
       "answer": {"status": 503, "body": {"error": {"message": "out of order"}}}},
      {"match": {"operation": "chat"}, "answer": {"text": "not here"}},
      {"answer": {"text": "Good day."}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  client.write("Anything");
  client.respond();
  CHECK(client.speech->spoken == "Good day.");
  client.write("broken");
  client.respond();
  CHECK(client.last("response.done")["response"]["status"] == "failed");
  CHECK(client.last("response.done").dump().find("out of order") != std::string::npos);
  client.write("The weather?");
  client.respond();
  const Json call = client.last("response.function_call_arguments.done");
  CHECK(call["arguments"] == R"({"city":"Oslo"})");
  client.send(
      {{"type", "conversation.item.create"},
       {"item",
        {{"type", "function_call_output"}, {"call_id", call["call_id"]}, {"output", "rain"}}}});
  client.respond();
  CHECK(client.speech->spoken == "It rains.");
}

TEST_CASE("a rule in a conversation: members, pieces with pauses, a rate, path and body") {
  RealtimeClient client;
  auto rules = parse_answers(R"([
      {"match": {"path": "/v1/chat/completions"}, "answer": {"text": "not here"}},
      {"match": {"body": {"metadata.kind": "pieces"}},
       "answer": {"pieces": ["alpha beta", {"text": " gamma", "delay": "300ms"}],
                  "members": {"response.status_details": {"reason": "rule"}}}},
      {"match": {"prompt": "slow"}, "answer": {"text": "one two", "rate": 4}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  const auto deltas = [&] {
    std::vector<std::string> out;
    for (const Json& event : client.take()) {
      if (event["type"] == "response.output_text.delta") out.push_back(event["delta"]);
    }
    return out;
  };
  client.write("Hi");
  client.take();
  client.send({{"type", "response.create"},
               {"response", {{"modalities", {"text"}}, {"metadata", {{"kind", "pieces"}}}}}});
  CHECK(deltas() == std::vector<std::string>{"alpha beta"});
  client.advance(299);
  CHECK(deltas().empty());
  client.advance(2);
  CHECK(deltas() == std::vector<std::string>{" gamma"});
  const Json done = client.last("response.done")["response"];
  CHECK(done["status_details"]["reason"] == "rule");
  CHECK(done["metadata"]["kind"] == "pieces");
  client.write("slow");
  client.take();
  client.send({{"type", "response.create"}, {"response", {{"modalities", {"text"}}}}});
  CHECK(deltas() == std::vector<std::string>{"one"});
  client.advance(249);
  CHECK(deltas().empty());
  client.advance(2);
  CHECK(deltas() == std::vector<std::string>{" two"});
}

TEST_CASE("a rule for what is heard: its text as it is, or a failure") {
  RealtimeClient client;
  auto rules = parse_answers(R"([
      {"match": {"operation": "transcription", "call": 1}, "answer": {"text": "Where is Oslo?"}},
      {"match": {"operation": "transcription"},
       "answer": {"status": 500, "body": {"error": "deaf"}}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  client.update({{"turn_detection", {{"type", nullptr}}}});
  const auto hear = [&] {
    client.play(tone(200));
    client.send({{"type", "input_audio_buffer.commit"}});
    client.advance(1);
    return client.last("conversation.item.input_audio_transcription.completed");
  };
  CHECK(hear()["transcript"] == "Where is Oslo?");
  const Json failed = hear();
  CHECK(failed["status"] == "failed");
  CHECK(failed["transcript"] == "");
  CHECK(client.error_code() == "transcription_failed");
  CHECK(client.last("error")["error"]["message"] == "deaf");
}

}  // namespace svc::test
