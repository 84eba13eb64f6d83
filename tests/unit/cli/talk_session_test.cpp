// The session of `realtime talk`, as the service gets it.
#include "commands/realtime/talk_session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using audio::Encoding;
using nlohmann::json;

/// The `session` of a message whose only other member is its type.
json session_in(const std::string& update) {
  json message = json::parse(update);
  CHECK(message["type"] == "session.update");
  CHECK(message.size() == 2);
  return message["session"];
}

TalkSession made_session_of(const std::string& session, const TalkOptions& options = {},
                            const std::vector<ToolProgram>& tools = {}) {
  auto result = make_talk_session(R"({"session":)" + session + "}", options, tools);
  REQUIRE(result);
  return *std::move(result);
}

json session_of(const std::string& session, const TalkOptions& options) {
  return session_in(made_session_of(session, options).update);
}

std::string detecting(const std::string& detection) {
  return R"({"session":{"turn_detection":)" + detection + "}}";
}

ToolProgram tool_named(const std::string& name) {
  return {.name = name, .tool = R"({"type":"function","name":")" + name + "\"}"};
}

}  // namespace

TEST_CASE("a session without audio has neither formats nor a voice, and its turns are manual") {
  const auto none = json::parse(R"({"turn_detection":null,"resumption":{"enabled":true}})");
  auto text = make_talk_session("", {.text = true, .voice = "ara"}, {});
  REQUIRE(text);
  CHECK(session_in(text->update) == none);
  CHECK(text->manual);
  CHECK(text->resume);
  CHECK(session_of("7", {.text = true}) == none);
  CHECK(session_of("{}", {.text = true, .live_transcript = true}) == none);
  const TalkSession own =
      made_session_of(R"({"turn_detection":{"type":"server_vad"}})", {.text = true});
  CHECK_FALSE(own.manual);
  CHECK(session_in(own.update)["turn_detection"] == json::parse(R"({"type":"server_vad"})"));
  CHECK(session_of("{}", {.call = true, .voice = "ara"}) ==
        json::parse(R"({"voice":"ara","resumption":{"enabled":true}})"));
}

TEST_CASE("a session with audio: what the user set stays, the rest is filled in") {
  CHECK(session_of("{}", {.manual = true, .live_transcript = true, .voice = "ara"}) ==
        json::parse(R"({"voice":"ara","turn_detection":null,"resumption":{"enabled":true},"audio":{
          "input":{"format":{"type":"audio/pcm","rate":24000},"transcription":{"model":"svc-transcribe"}},
          "output":{"format":{"type":"audio/pcm","rate":24000}}}})"));
  const TalkSession own = made_session_of(
      R"({"voice":"eve","turn_detection":{"threshold":0.5},"resumption":{"enabled":false},"audio":{
        "input":{"format":{"type":"audio/pcm","rate":16000},"transcription":{"model":"m"}},
        "output":{"format":{"type":"audio/pcma"},"transport":"binary"}}})",
      {.manual = true, .live_transcript = true, .voice = "ara"});
  CHECK(
      session_in(own.update) ==
      json::parse(
          R"({"voice":"eve","turn_detection":{"threshold":0.5},"resumption":{"enabled":false},"audio":{
          "input":{"format":{"type":"audio/pcm","rate":16000},"transcription":{"model":"m"}},
          "output":{"format":{"type":"audio/pcma","rate":8000},"transport":"binary"}}})"));
  CHECK_FALSE(own.manual);
  CHECK_FALSE(own.resume);
  CHECK(own.input.encoding == Encoding::Pcm);
  CHECK(own.input.rate == 16'000);
  CHECK_FALSE(own.input.binary);
  CHECK(own.output.encoding == Encoding::ALaw);
  CHECK(own.output.rate == 8'000);
  CHECK(own.output.binary);
}

TEST_CASE("formats of audio that cannot be read are as usual, and one is refused") {
  const TalkSession odd = made_session_of(
      R"({"resumption":true,"audio":{"input":{"format":{"type":7,"rate":"fast"},"transport":"json"},"output":7}})");
  CHECK(session_in(odd.update) == json::parse(R"({"resumption":true,"audio":{
          "input":{"format":{"type":7,"rate":"fast"},"transport":"json"},"output":7}})"));
  CHECK_FALSE(odd.resume);
  for (const TalkSound& sound : {odd.input, odd.output}) {
    CHECK(sound.encoding == Encoding::Pcm);
    CHECK(sound.rate == 24'000);
    CHECK_FALSE(sound.binary);
  }
  for (const char* direction : {"input", "output"}) {
    const auto refused = make_talk_session(std::string(R"({"session":{"audio":{")") + direction +
                                               R"(":{"format":{"type":"audio/opus"}}}}})",
                                           {}, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Usage);
    CHECK(refused.error().message ==
          std::string("--audio-") + direction + "-format-type audio/opus is not supported");
    CHECK(refused.error().hint ==
          "Use audio/pcm, or send your own audio with `svc realtime connect`.");
  }
}

TEST_CASE("who ends turns") {
  CHECK_FALSE(made_session_of("{}").manual);
  CHECK(made_session_of(R"({"turn_detection":null})").manual);
  CHECK(made_session_of(R"({"turn_detection":{"type":null}})").manual);
  CHECK_FALSE(made_session_of(R"({"turn_detection":{"type":"server_vad"}})").manual);
  CHECK_FALSE(made_session_of(R"({"turn_detection":{"threshold":0.5}})").manual);
  CHECK_FALSE(made_session_of(R"({"turn_detection":"none"})").manual);
}

TEST_CASE("tools are added to a session, and replaced in one") {
  const TalkSession both = made_session_of(R"({"tools":[{"type":"web_search"}]})", {.text = true},
                                           {tool_named("a"), tool_named("b")});
  CHECK(
      session_in(both.update)["tools"] ==
      json::parse(
          R"([{"type":"web_search"},{"type":"function","name":"a"},{"type":"function","name":"b"}])"));
  CHECK(session_in(made_session_of(R"({"tools":7})", {}, {tool_named("a")}).update)["tools"] ==
        json::parse(R"([{"type":"function","name":"a"}])"));
  const std::string after =
      with_session_tools(both.update, {tool_named("a"), tool_named("c")}, {tool_named("d")});
  const json tools = json::parse(
      R"([{"type":"web_search"},{"type":"function","name":"b"},{"type":"function","name":"d"}])");
  CHECK(session_in(after) ==
        json({{"tools", tools}, {"turn_detection", nullptr}, {"resumption", {{"enabled", true}}}}));
  CHECK(session_in(tools_update(after)) == json({{"tools", tools}}));
}

TEST_CASE(
    "keys change the threshold and the silence of turn detection, from what is set or usual") {
  const auto change = [](const std::string& detection, char key) {
    const auto changed = adjust_turn_detection(detecting(detection), key);
    REQUIRE(changed);
    const json kept = json::parse(changed->update)["session"]["turn_detection"];
    CHECK(session_in(changed->message) == json({{"turn_detection", kept}}));
    return std::pair(changed->note, kept.dump());
  };
  using Change = std::pair<std::string, std::string>;
  const auto threshold = [](const char* value, const char* shown) {
    return Change(std::string("VAD threshold ") + shown,
                  std::string(R"({"threshold":)") + value + "}");
  };
  CHECK(change("{}", '+') == threshold("0.9", "0.90"));
  CHECK(change("{}", '-') == threshold("0.8", "0.80"));
  CHECK(change(R"({"threshold":0.87})", '+') == threshold("0.9", "0.90"));
  CHECK(change(R"({"threshold":0.3})", '+') == threshold("0.35", "0.35"));
  CHECK(change(R"({"threshold":0.12})", '-') == threshold("0.1", "0.10"));
  CHECK(change(R"({"threshold":"high"})", '-') == threshold("0.8", "0.80"));
  const auto silence = [](const std::string& ms) {
    return Change("a turn ends after " + ms + " ms of silence",
                  R"({"silence_duration_ms":)" + ms + "}");
  };
  CHECK(change("{}", ']') == silence("600"));
  CHECK(change("{}", '[') == silence("400"));
  CHECK(change(R"({"silence_duration_ms":99})", '[') == silence("0"));
  CHECK(change(R"({"silence_duration_ms":9950})", ']') == silence("10000"));
  CHECK(change("7", ']') == Change("a turn ends after 600 ms of silence",
                                   R"({"silence_duration_ms":600,"type":"server_vad"})"));
  CHECK_FALSE(adjust_turn_detection(detecting("{}"), 'x'));
  CHECK_FALSE(adjust_turn_detection(detecting("null"), ']'));
  CHECK_FALSE(adjust_turn_detection(detecting(R"({"type":null})"), ']'));
  CHECK(adjust_turn_detection(R"({"type":"session.update"})", ']'));
}

TEST_CASE("turn detection alone, and its silence") {
  const auto sent = [](const std::string& update, bool manual) {
    const json session = session_in(turn_detection_update(update, manual));
    CHECK(session.size() == 1);
    return session["turn_detection"];
  };
  CHECK(sent(detecting(R"({"threshold":0.7})"), true) == json());
  CHECK(sent(detecting(R"({"threshold":0.7})"), false) ==
        json::parse(R"({"threshold":0.7,"type":"server_vad"})"));
  CHECK(sent(detecting(R"({"type":"semantic"})"), false) == json::parse(R"({"type":"semantic"})"));
  CHECK(sent(detecting("null"), false) == json());
  CHECK(sent("{}", false) == json::parse(R"({"type":"server_vad"})"));
  CHECK(silence_of("{}") == 500ms);
  CHECK(silence_of(detecting("{}")) == 500ms);
  CHECK(silence_of(detecting("null")) == 500ms);
  for (const auto& [given, used] :
       {std::pair("99", 100ms), {"101", 101ms}, {"9999", 9'999ms}, {"20000", 10'000ms}}) {
    CAPTURE(given);
    CHECK(silence_of(detecting(std::string(R"({"silence_duration_ms":)") + given + "}")) == used);
  }
}

TEST_CASE("the profile's voice, where a session has none") {
  const std::string bare = R"({ "session": {} })";
  CHECK(with_session_voice(bare, "ara") == R"({"session":{"voice":"ara"}})");
  CHECK(with_session_voice(bare, "") == bare);
  for (const std::string same : {R"({ "session": {"voice": "eve"} })", R"({ "session": 7 })",
                                 R"({ "other": 1 })", "[ 1 ]"}) {
    CAPTURE(same);
    CHECK(with_session_voice(same, "ara") == same);
  }
}

}  // namespace svc::cli
