// What a session says to messages that it refuses, word for word; its whole configuration.
#include <doctest/doctest.h>

#include "unit/emulator/realtime_support.h"

namespace svc::test {

using namespace svc::emulator;
using namespace svc::emulator::realtime;

namespace {

/// A session of which each message is refused.
class RefusingClient : public RealtimeClient {
 public:
  using RealtimeClient::RealtimeClient;

  void expect(const Json& message, const char* code, const char* text, const Json& param = nullptr,
              const char* type = "invalid_request_error") {
    (void)take();
    Json sent = message;
    sent["event_id"] = "e1";
    send(sent);
    const auto events = take();
    CAPTURE(message.dump());
    REQUIRE(events.size() == 1);
    CHECK(events[0]["error"] == Json{{"type", type},
                                     {"code", code},
                                     {"message", text},
                                     {"param", param},
                                     {"event_id", "e1"}});
  }
  void expect_session(const char* session, const char* code, const char* text, const char* param) {
    expect({{"type", "session.update"}, {"session", Json::parse(session)}}, code, text, param);
  }
  void expect_item(const char* item, const char* code, const char* text, const Json& param) {
    expect({{"type", "conversation.item.create"}, {"item", Json::parse(item)}}, code, text, param);
  }
};

}  // namespace

TEST_CASE("a session says what is wrong with its configuration") {
  RefusingClient client;
  client.expect({{"type", "session.update"}}, "missing_parameter", "session is required.",
                "session");
  client.expect_session("5", "invalid_type", "session: invalid type: integer `5`, expected a map",
                        "session");
  client.expect_session(R"({"audio":{"input":{"format":{"type":"audio/opus"}}}})",
                        "unsupported_format",
                        "This emulator has no Opus codec: use audio/pcm, audio/pcmu or audio/pcma.",
                        "session.audio.input.format.type");
  client.expect_session(
      R"({"audio":{"input":{"format":{"rate":11025}}}})", "invalid_value",
      "session.audio.input.format.rate of audio/pcm must be 8000, 16000, 22050, 24000, 32000, "
      "44100 or 48000, not 11025.",
      "session.audio.input.format.rate");
  for (const char* type : {"audio/pcmu", "audio/pcma"}) {
    const std::string rate =
        std::string("session.audio.output.format.rate of ") + type + " must be 8000, not 24000.";
    const Json format = {{"type", type}, {"rate", 24'000}};
    const Json session = {{"audio", {{"output", {{"format", format}}}}}};
    client.expect_session(session.dump().c_str(), "invalid_value", rate.c_str(),
                          "session.audio.output.format.rate");
  }
  for (const char* replace : {R"({"replace":{"a":1}})", R"({"replace":{"":"b"}})"}) {
    client.expect_session(replace, "invalid_type",
                          "session.replace maps written phrases to their spoken forms.",
                          "session.replace");
  }
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("é"), std::string(65, 'x')}) {
    const Json tool = {{"type", "function"}, {"name", name}};
    const Json session = {{"tools", Json::array({{{"type", "web_search"}}, tool})}};
    client.expect_session(session.dump().c_str(), "invalid_value",
                          "session.tools[1].name must be 1 to 64 letters, digits, _ or -.",
                          "session.tools[1].name");
  }
  client.expect_session(
      R"({"tools":[{"type":"function","name":"f"},{"type":"function","function":{"name":"f"}}]})",
      "invalid_value", "There are two functions f.", "session.tools[1]");
  client.expect_session(R"({"tools":[{"type":"mcp","server_label":"l"}]})", "missing_parameter",
                        "session.tools[0].server_url: missing field `server_url`",
                        "session.tools[0].server_url");
  client.expect_session(R"({"voice":""})", "invalid_value", "session.voice: voice cannot be empty.",
                        "session.voice");
}

TEST_CASE("a session says what is wrong with a message") {
  RefusingClient client;
  const char* event = "invalid_event";
  client.expect({{"type", "session.destroy"}}, "unknown_type",
                "There is no message of the type session.destroy.", nullptr, event);
  client.expect(Json::object(), "missing_type", "A message has a type.", nullptr, event);
  for (const Json& audio : {Json(nullptr), Json(5), Json("?")}) {
    const char* code = audio.is_string() ? "invalid_value" : "missing_parameter";
    client.expect({{"type", "input_audio_buffer.append"}, {"audio", audio}}, code,
                  "audio must be base64.", "audio");
  }
  client.expect({{"type", "input_audio_buffer.commit"}}, "commit_not_allowed",
                "With server_vad the service commits by itself: set turn_detection to null to "
                "commit.");
  client.update({{"turn_detection", nullptr}});
  client.expect({{"type", "input_audio_buffer.commit"}}, "input_audio_buffer_commit_empty",
                "The input audio buffer is empty.");
  client.expect({{"type", "response.cancel"}}, "response_cancel_not_active",
                "No response is in progress.");
  client.expect({{"type", "response.create"}, {"response", {{"metadata", {{"a", 1}}}}}},
                "invalid_value", "response.metadata holds texts.", "response.metadata");
  client.binary("x");
  CHECK(client.last("error")["error"] ==
        Json{{"type", event},
             {"code", "unexpected_binary"},
             {"message", "Binary frames carry audio when session.audio.input.transport is binary."},
             {"param", nullptr},
             {"event_id", nullptr}});
}

TEST_CASE("a session says what is wrong with an item") {
  RefusingClient client;
  client.expect({{"type", "conversation.item.create"}}, "missing_parameter", "item is required.",
                "item");
  client.expect_item(R"({"role":"assistant","content":[{"text":"x"}]})", "invalid_value",
                     "A message of the role assistant has no content of type input_text.",
                     "item.content[0].type");
  client.expect_item(
      R"({"role":"user","content":[{"text":"x"},{"type":"output_text"}]})", "invalid_value",
      "A message of the role user has no content of type output_text.", "item.content[1].type");
  for (const char* audio : {"?", ""}) {
    const Json part = {{"type", "input_audio"}, {"audio", audio}};
    const Json item = {{"role", "user"}, {"content", Json::array({part})}};
    client.expect_item(item.dump().c_str(), "invalid_value",
                       "item.content[0].audio must be base64.", "item.content[0].audio");
  }
  client.expect_item(
      R"({"type":"force_message","role":"assistant","content":[{"type":"text","text":" "}]})",
      "invalid_value", "A force_message must have a text to say.", "item.content");
  client.expect_item(R"({"type":"function_call_output","call_id":"c1","output":"x"})",
                     "call_not_found", "There is no function call c1.", "item.call_id");
  client.expect({{"type", "conversation.item.delete"}, {"item_id", "none"}}, "item_not_found",
                "There is no item none.", "item_id");
  client.expect({{"type", "conversation.item.truncate"}, {"item_id", "none"}}, "item_not_found",
                "There is no item none.", "item_id");

  const Json item = {{"id", "i1"},
                     {"role", "user"},
                     {"content", Json::array({{{"type", "input_text"}, {"text", "hello"}}})}};
  client.send({{"type", "conversation.item.create"}, {"item", item}});
  CHECK(client.last("conversation.item.added")["item"] ==
        Json{{"id", "i1"},
             {"object", "realtime.item"},
             {"type", "message"},
             {"status", "completed"},
             {"role", "user"},
             {"content", Json::array({{{"type", "input_text"}, {"text", "hello"}}})}});
  client.expect({{"type", "conversation.item.create"}, {"item", item}}, "item_exists",
                "There is an item i1 already.", "item.id");
  client.expect({{"type", "conversation.item.truncate"}, {"item_id", "i1"}}, "item_has_no_audio",
                "Only the assistant's audio can be truncated.", "item_id");
  Json other = item;
  other["id"] = "i2";
  client.expect(
      {{"type", "conversation.item.create"}, {"item", other}, {"previous_item_id", "none"}},
      "item_not_found", "There is no item none.", "previous_item_id");
}

TEST_CASE("a session says what is wrong with the end of an answer's audio") {
  RefusingClient client;
  client.write("Say exactly: one");
  client.respond();
  const Json id = client.last("response.output_item.done")["item"]["id"];
  const auto truncate = [&](const Json& members) {
    Json message = {{"type", "conversation.item.truncate"}, {"item_id", id}};
    message.update(members);
    return message;
  };
  client.expect(truncate({{"content_index", 1}, {"audio_end_ms", 0}}), "invalid_value",
                "The audio of an item is its content 0.", "content_index");
  for (const Json& end : {Json(nullptr), Json(-1), Json("1")}) {
    client.expect(truncate({{"audio_end_ms", end}}), "invalid_value",
                  "audio_end_ms must be a whole number from 0 on.", "audio_end_ms");
  }
  const std::string beyond =
      "audio_end_ms 151 is beyond the 150 ms of audio that item " + id.get<std::string>() + " has.";
  client.expect(truncate({{"audio_end_ms", 151}}), "audio_end_beyond_audio", beyond.c_str(),
                "audio_end_ms");
}

TEST_CASE("one answer at a time") {
  RefusingClient client;
  client.write("Write 40 words");
  client.send({{"type", "response.create"}});
  const std::string id = client.last("response.created")["response"]["id"];
  const char* busy = "conversation_already_has_active_response";
  const char* wait = "A response is in progress: wait for its response.done, or cancel it.";
  client.expect({{"type", "response.create"}}, busy, wait);
  client.expect_item(
      R"({"type":"force_message","role":"assistant","content":[{"type":"text","text":"x"}]})", busy,
      wait, nullptr);
  const std::string other = "The response in progress is " + id + ", not resp_none.";
  client.expect({{"type", "response.cancel"}, {"response_id", "resp_none"}}, "response_not_found",
                other.c_str(), "response_id");
  const Json made = client.last("response.output_item.added")["item"]["id"];
  client.expect({{"type", "conversation.item.delete"}, {"item_id", made}}, "item_in_progress",
                "That item is being made: cancel the response first.", "item_id");
}

TEST_CASE("a session shows its whole configuration") {
  RealtimeClient client;
  Json session = client.last("session.created")["session"];
  CHECK(session["id"].get<std::string>().starts_with("sess_"));
  session.erase("id");
  CHECK(session == Json::parse(R"({"object":"realtime.session","model":"svc-voice-latest",
      "voice":"eve","instructions":"","modalities":["text","audio"],"reasoning":{"effort":"high"},
      "turn_detection":{"type":"server_vad","threshold":0.85,"silence_duration_ms":500,
      "prefix_padding_ms":333,"idle_timeout_ms":null},
      "audio":{"input":{"format":{"type":"audio/pcm","rate":24000},"transport":"json"},
      "output":{"format":{"type":"audio/pcm","rate":24000},"transport":"json","speed":1.0}},
      "tools":[],"resumption":{"enabled":false},"replace":{}})"));
  const Json given = Json::parse(R"({"voice":"ara","instructions":"Be.","modalities":["text"],
      "reasoning":{"effort":"none"},"turn_detection":{"threshold":0.5,"silence_duration_ms":300,
      "prefix_padding_ms":20,"idle_timeout_ms":4000},
      "audio":{"input":{"format":{"type":"audio/pcmu","rate":8000},"transport":"binary",
      "transcription":{"model":"svc-transcribe"}},
      "output":{"format":{"type":"audio/pcma","rate":8000},"transport":"binary","speed":1.5}},
      "tools":[{"type":"mcp","server_url":"https://m.example","server_label":"m",
      "authorization":"secret","headers":{"a":"b"}}],"resumption":{"enabled":true},
      "replace":{"Dr":"Doctor"}})");
  client.update(given);
  session = client.last("session.updated")["session"];
  session.erase("id");
  Json shown = given;
  shown["object"] = "realtime.session";
  shown["model"] = "svc-voice-latest";
  shown["turn_detection"]["type"] = "server_vad";
  for (const char* hidden : {"authorization", "headers"}) shown["tools"][0].erase(hidden);
  CHECK(session == shown);
  // What is not given stays; tools are replaced, null ends the wait for the user.
  client.update({{"turn_detection", {{"threshold", 0.6}}},
                 {"tools", {{{"type", "function"}, {"name", "f"}}}}});
  shown["turn_detection"]["threshold"] = 0.6;
  shown["tools"] = {{{"type", "function"}, {"name", "f"}}};
  session = client.last("session.updated")["session"];
  session.erase("id");
  CHECK(session == shown);
  client.update({{"turn_detection", {{"idle_timeout_ms", nullptr}}}});
  shown["turn_detection"]["idle_timeout_ms"] = nullptr;
  CHECK(client.last("session.updated")["session"]["turn_detection"] == shown["turn_detection"]);
  client.update({{"turn_detection", {{"type", nullptr}}}});
  CHECK(client.last("session.updated")["session"]["turn_detection"].is_null());
}

TEST_CASE("a session that ends says why") {
  SessionParts parts;
  parts.timing.limit = std::chrono::seconds(2);
  RealtimeClient client(parts);
  client.advance(2'000);
  const std::string limit = "The session has reached its limit of 2 s.";
  CHECK(client.last("error")["error"] == Json{{"type", "max_duration"},
                                              {"code", "max_duration"},
                                              {"message", limit},
                                              {"param", nullptr},
                                              {"event_id", nullptr}});
  CHECK(client.peer->close_reason == limit);
  parts.timing.limit = std::chrono::minutes(10);
  parts.timing.ping = std::chrono::seconds(1);
  parts.timing.idle = std::chrono::seconds(3);
  RealtimeClient idle(parts);
  idle.advance(3'000);
  const std::string silent = "The session was idle for 3 s.";
  CHECK(idle.last("error")["error"] == Json{{"type", "timeout"},
                                            {"code", "timeout"},
                                            {"message", silent},
                                            {"param", nullptr},
                                            {"event_id", nullptr}});
  CHECK(idle.peer->close_reason == silent);
}

}  // namespace svc::test
