// What is said to the service in a conversation.
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "voice/conversation.h"
#include "voice/event_json.h"

namespace svc::voice {
namespace {

using MessageJson = nlohmann::ordered_json;

}  // namespace

std::string append_message(std::string_view bytes) {
  std::string message = R"({"type":"input_audio_buffer.append","audio":")";
  message.reserve(message.size() + base64_length(bytes.size()) + 2);
  append_base64(message, bytes);
  return message + R"("})";
}

std::string plain_message(std::string_view type) {
  return message_line({{"type", type}});
}

std::string say_message(std::string_view text) {
  const MessageJson part = {{"type", "input_text"}, {"text", text}};
  return message_line(
      {{"type", "conversation.item.create"},
       {"item", {{"type", "message"}, {"role", "user"}, {"content", MessageJson::array({part})}}}});
}

std::string truncate_message(const std::string& item, int content, std::int64_t ms) {
  return message_line({{"type", "conversation.item.truncate"},
                       {"item_id", item},
                       {"content_index", content},
                       {"audio_end_ms", ms}});
}

std::string output_message(const std::string& call, std::string_view output) {
  return message_line(
      {{"type", "conversation.item.create"},
       {"item", {{"type", "function_call_output"}, {"call_id", call}, {"output", output}}}});
}

}  // namespace svc::voice
