#include "conversation/turn_messages.h"

#include <nlohmann/json.hpp>

#include "json/document.h"
#include "json/slices.h"
#include "request/media.h"

namespace svc::cli {
namespace {

/// An assistant's message of chat. What was thought belongs to the calls that it led
/// to; calls that the service ran itself are its own affair.
std::string chat_message(const Choice& choice) {
  OrderedJson message = {{"role", "assistant"}};
  OrderedJson calls = OrderedJson::array();
  for (const ToolCall& call : choice.tool_calls) {
    if (call.runs_on_service) continue;
    calls.push_back({{"id", call.id},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  const std::string& said = choice.text.empty() ? choice.refusal : choice.text;
  message["content"] = said.empty() && !calls.empty() ? OrderedJson() : OrderedJson(said);
  if (!calls.empty()) {
    if (!choice.reasoning.empty()) message["reasoning_content"] = choice.reasoning;
    message["tool_calls"] = std::move(calls);
  }
  return compact_json(message);
}

}  // namespace

Result<std::vector<std::string>> said_messages(const request::Request& request,
                                               const request::Inputs& inputs,
                                               const request::Thread& thread) {
  SVC_TRY(body, request::whole_body(request.body));
  const bool chat = request.operation->composer == Composer::Chat;
  const auto list = json_member(body, chat ? "messages" : "input");
  std::vector<std::string> said;
  if (!list) return said;
  if (list->starts_with('"')) {
    said.push_back(
        compact_json(OrderedJson{{"role", "user"}, {"content", parse_reply_in_order(*list)}}));
    return said;
  }
  std::size_t earlier = thread.messages.size();
  for (const request::Given& given : inputs.given) {
    if (chat && given.field->flag == "system") ++earlier;  // it stands first
  }
  for (const std::string_view element : json_elements(*list)) {
    if (earlier > 0) {
      --earlier;
    } else {
      said.emplace_back(element);
    }
  }
  return said;
}

std::vector<std::string> answer_messages(View view, const ModelReply& got) {
  std::vector<std::string> said;
  if (got.answer.choices.empty()) return said;
  const Choice& choice = got.answer.choices.front();
  if (view != View::Response) {
    // Calls of an answer that broke off were never run: they are not part of the conversation.
    Choice whole = choice;
    const bool broke_off = got.error || (!choice.tool_calls.empty() && shortcoming(got.answer));
    if (broke_off) whole.tool_calls.clear();
    if (broke_off && whole.text.empty()) return said;
    said.push_back(chat_message(whole));
    return said;
  }
  if (got.error) {
    if (choice.text.empty()) return said;
    OrderedJson part = {{"type", "output_text"}, {"text", choice.text}};
    OrderedJson item = {{"type", "message"}, {"role", "assistant"}};
    item["content"] = OrderedJson::array({std::move(part)});
    said.push_back(compact_json(item));
    return said;
  }
  if (const auto output = json_member(got.document, "output")) {
    for (const std::string_view item : json_elements(*output)) said.emplace_back(item);
  }
  return said;
}

std::string tool_message(View view, const std::string& call, const std::string& output,
                         const std::vector<std::string>& images) {
  const bool response = view == View::Response;
  OrderedJson content = output;
  if (!images.empty()) {
    content = OrderedJson::array();
    if (!output.empty()) {
      content.push_back({{"type", response ? "input_text" : "text"}, {"text", output}});
    }
    for (const std::string& image : images) {
      content.push_back(response
                            ? OrderedJson{{"type", "input_image"}, {"image_url", image}}
                            : OrderedJson{{"type", "image_url"}, {"image_url", {{"url", image}}}});
    }
  }
  if (response) {
    return compact_json(OrderedJson{
        {"type", "function_call_output"}, {"call_id", call}, {"output", std::move(content)}});
  }
  return compact_json(
      OrderedJson{{"role", "tool"}, {"tool_call_id", call}, {"content", std::move(content)}});
}

bool is_stored(const request::Request& request, const ModelReply& got) {
  if (request.operation->view != View::Response || got.answer.id.empty() || got.error) return false;
  if (json_member(got.document, "store") == "false") return false;
  const auto body = request::whole_body(request.body);
  return !body || json_member(*body, "store") != "false";
}

}  // namespace svc::cli
