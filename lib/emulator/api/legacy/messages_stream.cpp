// A message as named events.
#include <nlohmann/json.hpp>

#include "emulator/api/legacy/messages.h"
#include "emulator/handler/feed.h"

namespace svc::emulator::legacy {
namespace {

using namespace svc::emulator::text;

Run named(Json event) {
  std::string name = text_of(event, "type");
  return single(dump(event), std::move(name));
}

Json delta_event(std::size_t index, const char* type, const char* member_name, sv piece) {
  return {{"type", "content_block_delta"},
          {"index", index},
          {"delta", {{"type", type}, {member_name, piece}}}};
}

// One event for each piece of `text`.
Run deltas(std::size_t index, const char* type, const char* member_name, std::string text) {
  return {[=](sv piece, bool) { return dump(delta_event(index, type, member_name, piece)); },
          std::move(text), false, "content_block_delta"};
}

void add_block(std::vector<Run>& runs, std::size_t index, const Json& block) {
  const std::string type = text_of(block, "type");
  Json start = block;
  if (type == "text") start["text"] = "";
  if (type == "thinking") start = {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  if (type == "tool_use") start["input"] = Json::object();
  runs.push_back(
      named({{"type", "content_block_start"}, {"index", index}, {"content_block", start}}));
  if (type == "text") runs.push_back(deltas(index, "text_delta", "text", text_of(block, "text")));
  if (type == "thinking") {
    runs.push_back(deltas(index, "thinking_delta", "thinking", text_of(block, "thinking")));
    runs.push_back(
        named(delta_event(index, "signature_delta", "signature", text_of(block, "signature"))));
  }
  if (type == "tool_use") {
    runs.push_back(deltas(index, "input_json_delta", "partial_json", dump(block["input"])));
  }
  runs.push_back(named({{"type", "content_block_stop"}, {"index", index}}));
}

}  // namespace

Answer stream_message(const Json& whole, const std::string& failure,
                      std::chrono::milliseconds delay) {
  Feed feed;
  feed.delay = delay;
  feed.done_mark = false;
  std::vector<Run> runs;
  Json begun = whole;
  begun["content"] = Json::array();
  begun["stop_reason"] = nullptr;
  begun["stop_sequence"] = nullptr;
  begun["usage"]["output_tokens"] = 0;
  runs.push_back(named({{"type", "message_start"}, {"message", begun}}));
  runs.push_back(named({{"type", "ping"}}));
  for (std::size_t i = 0; i < whole["content"].size(); ++i) add_block(runs, i, whole["content"][i]);
  if (!failure.empty()) {
    runs.push_back(
        named({{"type", "error"}, {"error", {{"type", "api_error"}, {"message", failure}}}}));
  } else {
    runs.push_back(
        named({{"type", "message_delta"},
               {"delta",
                {{"stop_reason", whole["stop_reason"]}, {"stop_sequence", whole["stop_sequence"]}}},
               {"usage", {{"output_tokens", whole["usage"]["output_tokens"]}}}}));
    runs.push_back(named({{"type", "message_stop"}}));
  }
  feed.lanes.push_back(std::move(runs));
  return stream(std::move(feed));
}

}  // namespace svc::emulator::legacy
