#include "commands/realtime/talk_session.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "json/document.h"

namespace svc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double k_usual_silence = 500;

/// Sets the field at a path unless it exists; a value in the way is not replaced.
void set_if_absent(Json& object, std::initializer_list<const char*> path, const Json& value) {
  Json* place = &object;
  for (const char* name : path) {
    if (place->is_null()) *place = Json::object();
    if (!place->is_object()) return;
    place = &(*place)[name];
  }
  if (place->is_null()) *place = value;
}

const Json* find_path(const Json& object, std::initializer_list<const char*> path) {
  const Json* place = &object;
  for (const char* name : path) {
    if (!place->is_object() || !place->contains(name)) return nullptr;
    place = &(*place)[name];
  }
  return place;
}

/// The audio format of one direction.
Result<TalkSound> read_sound(const Json& session, const char* direction) {
  TalkSound sound;
  const Json* type = find_path(session, {"audio", direction, "format", "type"});
  const Json* rate = find_path(session, {"audio", direction, "format", "rate"});
  const Json* transport = find_path(session, {"audio", direction, "transport"});
  const std::string name = type != nullptr && type->is_string() ? type->get<std::string>() : "";
  if (name == "audio/pcmu") sound.encoding = audio::Encoding::MuLaw;
  if (name == "audio/pcma") sound.encoding = audio::Encoding::ALaw;
  if (name == "audio/opus") {
    return usage_error(fmt::format("--audio-{}-format-type audio/opus is not supported", direction),
                       "Use audio/pcm, or send your own audio with `svc realtime connect`.");
  }
  if (sound.encoding != audio::Encoding::Pcm) sound.rate = 8'000;
  if (rate != nullptr && rate->is_number_integer()) sound.rate = rate->get<int>();
  sound.binary = transport != nullptr && *transport == "binary";
  return sound;
}

/// Whether the user ends turns: no turn detection, or one of type null.
bool is_manual(const Json& session) {
  if (!session.contains("turn_detection")) return false;
  const Json& detection = session["turn_detection"];
  if (detection.is_null()) return true;
  return detection.is_object() && detection.contains("type") && detection["type"].is_null();
}

double number_in(const Json& object, const char* name, double usual) {
  const Json* number = find_path(object, {name});
  return number != nullptr && number->is_number() ? number->get<double>() : usual;
}

}  // namespace

Result<TalkSession> make_talk_session(const std::string& opening, const TalkOptions& options,
                                      const std::vector<ToolProgram>& tools) {
  Json message = opening.empty() ? Json::object() : parse_reply_in_order(opening);
  message["type"] = "session.update";
  Json& session = message["session"];
  if (!session.is_object()) session = Json::object();
  if (!options.voice.empty() && !options.text) set_if_absent(session, {"voice"}, options.voice);
  if ((options.manual || options.text) && !session.contains("turn_detection")) {
    session["turn_detection"] = nullptr;
  }
  set_if_absent(session, {"resumption", "enabled"}, true);
  TalkSession made;
  if (!options.text && !options.call) {
    for (const char* direction : {"input", "output"}) {
      set_if_absent(session, {"audio", direction, "format", "type"}, "audio/pcm");
      SVC_TRY(sound, read_sound(session, direction));
      set_if_absent(session, {"audio", direction, "format", "rate"}, sound.rate);
      (std::string_view(direction) == "input" ? made.input : made.output) = sound;
    }
    if (options.live_transcript) {
      set_if_absent(session, {"audio", "input", "transcription", "model"}, "svc-transcribe");
    }
  }
  for (const ToolProgram& tool : tools) {
    if (!session["tools"].is_array()) session["tools"] = Json::array();
    session["tools"].push_back(parse_reply_in_order(tool.tool));
  }
  made.manual = is_manual(session);
  const Json* resume = find_path(session, {"resumption", "enabled"});
  made.resume = resume != nullptr && *resume == true;
  made.update = compact_json(message);
  return made;
}

std::string with_session_tools(const std::string& update, const std::vector<ToolProgram>& before,
                               const std::vector<ToolProgram>& after) {
  Json message = parse_reply_in_order(update);
  Json kept = Json::array();
  for (const Json& tool : message["session"]["tools"]) {
    const std::string name = text_member(tool, "name");
    const bool goes = std::any_of(before.begin(), before.end(),
                                  [&](const ToolProgram& one) { return one.name == name; });
    if (!goes) kept.push_back(tool);
  }
  for (const ToolProgram& tool : after) kept.push_back(parse_reply_in_order(tool.tool));
  message["session"]["tools"] = std::move(kept);
  return compact_json(message);
}

std::optional<TurnDetectionChange> adjust_turn_detection(const std::string& update, char key) {
  constexpr double k_usual_threshold = 0.85;
  if (std::string_view("+-[]").find(key) == std::string_view::npos) return std::nullopt;
  Json message = parse_reply_in_order(update);
  Json& session = message["session"];
  if (is_manual(session)) return std::nullopt;
  Json& detection = session["turn_detection"];
  if (!detection.is_object()) detection = Json{{"type", "server_vad"}};
  TurnDetectionChange change;
  if (key == '+' || key == '-') {
    const double before = number_in(detection, "threshold", k_usual_threshold);
    const double after = std::clamp(before + (key == '+' ? 0.05 : -0.05), 0.1, 0.9);
    detection["threshold"] = std::round(after * 100) / 100;
    change.note = fmt::format("VAD threshold {:.2f}", after);
  } else {
    const double before = number_in(detection, "silence_duration_ms", k_usual_silence);
    const auto after = static_cast<int>(std::clamp(before + (key == ']' ? 100 : -100), 0.0, 1e4));
    detection["silence_duration_ms"] = after;
    change.note = fmt::format("a turn ends after {} ms of silence", after);
  }
  change.message =
      compact_json(Json{{"type", "session.update"}, {"session", {{"turn_detection", detection}}}});
  change.update = compact_json(message);
  return change;
}

std::string turn_detection_update(const std::string& update, bool manual) {
  const Json message = parse_reply_in_order(update);
  const Json* given = find_path(message, {"session", "turn_detection"});
  Json detection = nullptr;
  if (!manual) detection = given != nullptr ? *given : Json{{"type", "server_vad"}};
  // Without a type, the service would keep what it has.
  if (detection.is_object() && !detection.contains("type")) detection["type"] = "server_vad";
  return compact_json(
      Json{{"type", "session.update"}, {"session", {{"turn_detection", std::move(detection)}}}});
}

std::chrono::milliseconds silence_of(const std::string& update) {
  const Json message = parse_reply_in_order(update);
  const Json* detection = find_path(message, {"session", "turn_detection"});
  const double silence = detection != nullptr
                             ? number_in(*detection, "silence_duration_ms", k_usual_silence)
                             : k_usual_silence;
  return std::chrono::milliseconds(static_cast<int>(std::clamp(silence, 100.0, 1e4)));
}

std::string tools_update(const std::string& update) {
  const Json message = parse_reply_in_order(update);
  return compact_json(
      Json{{"type", "session.update"}, {"session", {{"tools", message["session"]["tools"]}}}});
}

std::string with_session_voice(const std::string& json, const std::string& voice) {
  if (voice.empty()) return json;
  Json document = parse_reply_in_order(json);
  if (!document.is_object()) return json;
  Json& session = document["session"];
  if (!session.is_object() || session.contains("voice")) return json;
  session["voice"] = voice;
  return compact_json(document);
}

}  // namespace svc::cli
