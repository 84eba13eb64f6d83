#include "emulator/api/batches/chat_shape.h"

#include <nlohmann/json.hpp>

#include "emulator/account/models.h"

namespace svc::emulator::batches {
namespace {

using text::Json;
using text::text_of;

std::string joined(const Json& parts, const char* name) {
  std::string text;
  for (const Json& part : parts) text += text_of(part, name);
  return text;
}

Json tool_call(const Json& item, std::size_t index) {
  return {
      {"id", text_of(item, "call_id")},
      {"type", "function"},
      {"index", index},
      {"function", {{"name", text_of(item, "name")}, {"arguments", text_of(item, "arguments")}}}};
}

Json choice_of(std::size_t index, Json message, const Json& finish_reason) {
  return {{"index", index}, {"message", std::move(message)}, {"finish_reason", finish_reason}};
}

/// Collects what the output items say.
struct Reader {
  Json message = {{"role", "assistant"}, {"content", nullptr}, {"refusal", nullptr}};
  Json calls = Json::array();
  Json choices = Json::array();

  void read(const Json& item) {
    const std::string type = text_of(item, "type");
    if (type == "message") {
      for (const Json& part : item["content"]) {
        const bool refusal = text_of(part, "type") == "refusal";
        message[refusal ? "refusal" : "content"] = text_of(part, refusal ? "refusal" : "text");
      }
    } else if (type == "reasoning") {
      message["reasoning_content"] = joined(item["summary"], "text");
    } else if (type == "function_call") {
      calls.push_back(tool_call(item, calls.size()));
    } else {
      choices.push_back(choice_of(choices.size(),
                                  Json{{"role", "tool"}, {"content", text::dump(item)}}, nullptr));
    }
  }
};

Json usage_of(const Json& usage) {
  const auto count = [&](const char* name) { return text::integer_of(usage, name).value_or(0); };
  const auto inner = [&](const char* object, const char* name) {
    const Json* details = text::member(usage, object);
    return details == nullptr ? 0 : text::integer_of(*details, name).value_or(0);
  };
  return {{"prompt_tokens", count("input_tokens")},
          {"completion_tokens", count("output_tokens")},
          {"total_tokens", count("total_tokens")},
          {"prompt_tokens_details",
           {{"text_tokens", count("input_tokens")},  // images are not told apart in a response
            {"audio_tokens", 0},
            {"image_tokens", 0},
            {"cached_tokens", inner("input_tokens_details", "cached_tokens")}}},
          {"completion_tokens_details",
           {{"reasoning_tokens", inner("output_tokens_details", "reasoning_tokens")},
            {"audio_tokens", 0},
            {"accepted_prediction_tokens", 0},
            {"rejected_prediction_tokens", 0}}},
          {"num_sources_used", count("num_sources_used")},
          {"cost_in_usd_ticks", count("cost_in_usd_ticks")}};
}

}  // namespace

Json chat_shape(const Json& response) {
  Reader reader;
  for (const Json& item : response["output"]) reader.read(item);
  const bool called = !reader.calls.empty();
  if (called) reader.message["tool_calls"] = std::move(reader.calls);
  const bool cut = text_of(response, "status") == "incomplete";
  const char* reason = called ? "tool_calls" : cut ? "length" : "stop";
  reader.choices.push_back(choice_of(reader.choices.size(), std::move(reader.message), reason));
  return {{"id", text_of(response, "id")},
          {"object", "chat.completion"},
          {"created", text::copy_of(response, "created_at")},
          {"model", text_of(response, "model")},
          {"choices", std::move(reader.choices)},
          {"usage", usage_of(response["usage"])},
          {"service_tier", text_of(response, "service_tier")},
          {"system_fingerprint", k_system_fingerprint}};
}

Json debug_output() {
  return {{"attempts", 1},
          {"cache_read_count", 0},
          {"cache_read_input_bytes", 0},
          {"cache_write_count", 0},
          {"cache_write_input_bytes", 0},
          {"chunks", Json::array()},
          {"engine_request", ""},
          {"lb_address", ""},
          {"prompt", ""},
          {"request", ""},
          {"responses", Json::array()},
          {"sampler_checkpoint_mount", ""},
          {"sampler_tag", "svc-emulator"}};
}

}  // namespace svc::emulator::batches
