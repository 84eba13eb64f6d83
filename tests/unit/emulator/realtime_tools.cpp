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
  CHECK(client.speech->spoken == "This is the emulator. clock answered: noon.");
  // So can an output whose call is deleted then.
  client.send({{"type", "conversation.item.create"},
               {"item",
                {{"id", "call"},
                 {"type", "function_call"},
                 {"call_id", "gone"},
                 {"name", "clock"},
                 {"arguments", "{}"}}}});
  client.send(
      {{"type", "conversation.item.create"},
       {"item", {{"type", "function_call_output"}, {"call_id", "gone"}, {"output", "one"}}}});
  client.send({{"type", "conversation.item.delete"}, {"item_id", "call"}});
  client.respond();
  CHECK(client.speech->spoken == "This is the emulator. the function answered: one.");
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

TEST_CASE("which MCP servers are listed and called, and what is said of it") {
  RealtimeClient client;
  const auto server = [](const char* url, const char* label, const Json& allowed = nullptr) {
    Json tool = {{"type", "mcp"}, {"server_url", url}, {"server_label", label}};
    if (!allowed.is_null()) tool["allowed_tools"] = allowed;
    return tool;
  };
  const auto listed = [&] { return client.all("mcp_list_tools.in_progress").size(); };
  const Json shop = server("https://mcp.example/sse", "shop", {"price", "stock"});
  client.update({{"tools", {shop, server("https://invalid.example/.invalid", "desk")}}});
  CHECK(listed() == 2);
  CHECK(client.last("mcp_list_tools.completed")["item_id"].get<std::string>().starts_with("mcpl_"));
  client.update({{"tools", {shop}}});
  CHECK(listed() == 2);
  for (const char* url : {"mcp.example/sse", "https://a.invalid", "https://a.invalid:1/x",
                          "https://a.invalid?b", "https://a.invalid#b"}) {
    const std::size_t failed = client.all("mcp_list_tools.failed").size();
    client.update({{"tools", {server(url, "lost")}}});
    CHECK_MESSAGE(client.all("mcp_list_tools.failed").size() == failed + 1, url);
  }
  client.update(
      {{"tools",
        {server("https://a.invalid", "lost"), shop, server("https://b.example", "desk")}}});
  const auto said = [&](const char* question) {
    client.write(question);
    client.respond({{"modalities", {"text"}}});
    std::vector<std::string> called;
    const Json done = client.last("response.done");
    for (const Json& item : done["response"]["output"]) {
      if (item["type"] == "mcp_call") called.push_back(item["name"]);
    }
    return called;
  };
  using Names = std::vector<std::string>;
  CHECK(said("Ask the shop") == Names{"price"});  // its first tool
  CHECK(client.last("response.text.done")["text"] ==
        "This is the emulator. You said: Ask the shop. That was 3 words in turn 1. "
        "price of shop got: Ask the shop");
  const Json item = client.last("response.done")["response"]["output"][0];
  CHECK(item["id"].get<std::string>().starts_with("mcp_"));
  CHECK(item == Json{{"id", item["id"]},
                     {"object", "realtime.item"},
                     {"type", "mcp_call"},
                     {"status", "completed"},
                     {"server_label", "shop"},
                     {"name", "price"},
                     {"arguments", R"({"question":"Ask the shop"})"},
                     {"output", "price of shop got: Ask the shop"}});
  Json event = client.last("response.mcp_call_arguments.done");
  event.erase("event_id");
  CHECK(event == Json{{"type", "response.mcp_call_arguments.done"},
                      {"response_id", client.last("response.done")["response"]["id"]},
                      {"item_id", item["id"]},
                      {"output_index", 0},
                      {"arguments", R"({"question":"Ask the shop"})"}});
  CHECK(said("The stock and the price") == Names{"price", "stock"});
  CHECK(client.last("response.mcp_call.completed")["output_index"] == 1);
  CHECK(client.last("response.text.delta")["output_index"] == 2);
  CHECK(said("Ask the desk") == Names{"echo"});  // of a server that names none
  CHECK(said("Ask lost") == Names{});
  CHECK(said("Let stock fail") == Names{"stock"});
  const Json broken = client.last("response.done")["response"]["output"][0];
  CHECK(broken["status"] == "failed");
  CHECK(broken["output"].is_null());
  CHECK(client.last("response.mcp_call.failed")["error"] ==
        "The tool stock failed, as it was told to.");
}

TEST_CASE("what the emulator says to a turn, and how much it quotes") {
  RealtimeClient client;
  const auto said = [&](const Json& more = Json::object()) {
    Json response = {{"modalities", {"text"}}};
    response.update(more);
    client.respond(response);
    return client.last("response.text.done")["text"].get<std::string>();
  };
  CHECK(said() == "This is the emulator. Hello.");
  const std::string most(400, 'x');
  CHECK(said({{"instructions", most}}) == "This is the emulator. I was told: " + most + ".");
  CHECK(said({{"instructions", most + "x"}}) == "This is the emulator. I was told: " + most + "….");
  client.write(most);
  CHECK(said({{"instructions", "Say exactly: no"}}) ==
        "This is the emulator. You said: " + most + ". That was 1 word in turn 1.");
  client.write(most);
  client.write("y");
  CHECK(said() == "This is the emulator. You said: " + most + "…. That was 2 words in turn 3.");
  const auto call = [&](const char* name, const char* id, const std::string& output) {
    client.send(
        {{"type", "conversation.item.create"},
         {"item",
          {{"type", "function_call"}, {"call_id", id}, {"name", name}, {"arguments", "{}"}}}});
    client.send(
        {{"type", "conversation.item.create"},
         {"item", {{"type", "function_call_output"}, {"call_id", id}, {"output", output}}}});
  };
  call("f", "c1", most);
  call("g", "c2", most + "x");
  CHECK(said() == "This is the emulator. f answered: " + most + ". g answered: " + most + "….");
  // What the user says after the results is what counts.
  call("f", "c3", "7");
  client.write("Never mind");
  CHECK(said() == "This is the emulator. You said: Never mind. That was 2 words in turn 4.");
  // A message in parts, and an empty one.
  client.send({{"type", "conversation.item.create"},
               {"item", {{"role", "user"}, {"content", {{{"text", "one"}}, {{"text", "two"}}}}}}});
  CHECK(client.last("conversation.item.added")["item"]["content"][0]["text"] == "one\ntwo");
  client.write("");
  client.write("three");
  CHECK(said() == "This is the emulator. You said: one\ntwo three. That was 3 words in turn 7.");
  client.update({{"tools", {{{"type", "x_search"}}, {{"type", "web_search"}}}}});
  client.write("Search the posts");
  CHECK(said() ==
        "This is the emulator. You said: Search the posts. That was 3 words in turn 8. I searched "
        "and found Emulated page 1 of x.example. I searched and found Emulated page 1 of "
        "web.example.");
}

TEST_CASE("the arguments of a call arrive in pieces, of whole characters") {
  RealtimeClient client;
  auto rules = parse_answers(R"([{"answer": {"tool_calls":
      [{"name": "f", "arguments": {"ab": "éü"}}, {"name": "g", "arguments": {"city": "Oslo"}}]}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  client.write("Go");
  (void)client.take();
  client.respond();
  std::vector<Json> pieces;
  std::vector<Json> added;
  for (Json& event : client.take()) {
    event.erase("event_id");
    if (event["type"] == "response.output_item.added") added.push_back(event);
    if (event["type"] == "response.function_call_arguments.delta") pieces.push_back(event);
  }
  REQUIRE(added.size() == 2);
  CHECK(added[1]["output_index"] == 1);
  const Json& item = added[1]["item"];
  CHECK(item["call_id"].get<std::string>().starts_with("call_"));
  CHECK(item == Json{{"id", item["id"]},
                     {"object", "realtime.item"},
                     {"type", "function_call"},
                     {"status", "in_progress"},
                     {"call_id", item["call_id"]},
                     {"name", "g"},
                     {"arguments", ""}});
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0]["delta"] == R"({"ab":"é)");
  CHECK(pieces[1]["delta"] == R"(ü"})");
  CHECK(pieces[2] == Json{{"type", "response.function_call_arguments.delta"},
                          {"response_id", added[1]["response_id"]},
                          {"item_id", item["id"]},
                          {"call_id", item["call_id"]},
                          {"delta", R"({"city":)"}});
  CHECK(pieces[3]["delta"] == R"("Oslo"})");
  const Json done = client.last("response.done")["response"]["output"][1];
  CHECK(done["status"] == "completed");
  CHECK(done["arguments"] == R"({"city":"Oslo"})");
}

TEST_CASE("a rule may answer later; a nested definition has its own parameters") {
  RealtimeClient client;
  auto rules = parse_answers(R"([
      {"match": {"prompt": "late"}, "answer": {"text": "at last", "delay": "500ms"}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  client.write("late");
  client.send({{"type", "response.create"}, {"response", {{"modalities", {"text"}}}}});
  client.advance(499);
  CHECK(client.all("response.output_item.added").empty());
  client.advance(1);
  CHECK(client.all("response.output_item.added").size() == 1);
  client.advance(100);
  const Json city = {
      {"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}, {"required", {"city"}}};
  client.update(
      {{"tools",
        {{{"type", "function"}, {"function", {{"name", "find-city"}, {"parameters", city}}}}}}});
  client.write("Please find city");
  client.respond();
  CHECK(client.last("response.function_call_arguments.done")["arguments"] ==
        R"({"city":"emulated city"})");
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
  for (const auto& [question, asks] :
       {std::pair("Do the files say it?", true), std::pair("Is it in a document?", true),
        std::pair("Find documents", true), std::pair("Is it in the filed papers?", false)}) {
    CAPTURE(question);
    client.write(question);
    client.respond({{"modalities", {"text"}}});
    const std::string text = client.last("response.text.done")["text"];
    CHECK((text.find("no such file") != std::string::npos) == asks);
  }
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

TEST_CASE("a rule matches what all functions answered") {
  RealtimeClient client;
  auto rules = parse_answers(R"([
      {"match": {"tool_result": "^7\\n8$"}, "answer": {"text": "Fifteen."}}])");
  REQUIRE(rules.has_value());
  REQUIRE(client.state().answers().add(std::move(*rules)).has_value());
  for (const char* id : {"7", "8"}) {
    client.send(
        {{"type", "conversation.item.create"},
         {"item",
          {{"type", "function_call"}, {"call_id", id}, {"name", "f"}, {"arguments", "{}"}}}});
    client.send({{"type", "conversation.item.create"},
                 {"item", {{"type", "function_call_output"}, {"call_id", id}, {"output", id}}}});
  }
  client.respond();
  CHECK(client.speech->spoken == "Fifteen.");
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
