#include "request/prior_turns.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/flags.h"

namespace svc::request {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;
using ResponseFlags = Flags<catalogue::responses::k_create_fields>;

/// Whether the field's content remains part of the conversation.
bool already_sent(const Field& field, const PriorTurns& thread) {
  if (field.path == "messages" || field.flag == ChatFlags::k_name<"message"> ||
      field.flag == ResponseFlags::k_name<"input-items">) {
    return true;
  }
  return thread.answers_tools && field.in == In::Compose &&
         field.flag != ChatFlags::k_name<"system">;
}

}  // namespace

Inputs new_inputs(const Inputs& inputs, const PriorTurns& thread) {
  Inputs left = inputs;
  std::erase_if(left.given, [&](const Given& given) { return already_sent(*given.field, thread); });
  return left;
}

Result<void> place_prior_turns(const Operation& operation, const PriorTurns& thread,
                               OrderedJson& body) {
  if (!thread.is_continued()) return {};
  const char* name = operation.composer == Composer::Responses ? "input" : "messages";
  body.erase(name);
  if (thread.messages.empty()) return {};
  OrderedJson earlier = OrderedJson::array();
  for (const std::string& text : thread.messages) {
    SVC_TRY(message, parse_user_json("an earlier message", text));
    earlier.push_back(std::move(message));
  }
  body[name] = std::move(earlier);
  return {};
}

Result<void> place_tools(const std::vector<std::string>& tools, OrderedJson& body) {
  for (const std::string& text : tools) {
    SVC_TRY(tool, parse_user_json("a tool", text));
    SVC_CHECK(append(body, "tools", OrderedJson::array({std::move(tool)})));
  }
  return {};
}

Result<void> place_format(const Operation& operation, const std::string& format,
                          OrderedJson& body) {
  if (format.empty()) return {};
  SVC_TRY(form, parse_user_json("the answer format", format));
  return put(body, operation.composer == Composer::Responses ? "text.format" : "response_format",
             std::move(form));
}

void continue_response(const PriorTurns& thread, OrderedJson& body) {
  if (!thread.response_id.empty()) {
    body["previous_response_id"] = thread.response_id;
    body.erase("instructions");
  }
  const auto choice = body.find("tool_choice");
  if (!thread.answers_tools || choice == body.end()) return;
  if (choice->is_object() || *choice == OrderedJson("required")) body.erase("tool_choice");
}

}  // namespace svc::request
