// The bodies of the legacy text operations: completions, messages and complete.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "request/compose.h"

namespace svc::request {
namespace {

OrderedJson base64_source(std::string_view type, std::string data) {
  return OrderedJson{{"type", "base64"}, {"media_type", type}, {"data", std::move(data)}};
}

/// `data:image/png;base64,AAAA`; nothing when it is not base64.
std::optional<OrderedJson> source_of_data_url(std::string_view url) {
  constexpr std::string_view scheme = "data:";
  constexpr std::string_view marker = ";base64,";
  const std::size_t at = url.find(marker);
  if (at == std::string_view::npos || at <= scheme.size()) return std::nullopt;
  return base64_source(url.substr(scheme.size(), at - scheme.size()),
                       std::string(url.substr(at + marker.size())));
}

Result<OrderedJson> image_part(const Media& image, InlineFiles& files) {
  OrderedJson source;
  switch (image.form) {
    case MediaForm::Url:
      source = OrderedJson{{"type", "url"}, {"url", image.text}};
      break;
    case MediaForm::File:
    case MediaForm::Bytes:
      source = base64_source(image.type, media_base64(image, files));
      break;
    case MediaForm::DataUrl:
      if (auto given = source_of_data_url(image.text)) {
        source = *std::move(given);
        break;
      }
      return usage_error("--image takes a data: URL with base64 only, as data:image/png;base64,…");
    case MediaForm::FileId:
      return usage_error("--image takes no file id here: this operation knows no stored files",
                         "Give a path or a URL, or use `svc responses` or `svc chat`.");
  }
  return OrderedJson{{"type", "image"}, {"source", std::move(source)}};
}

/// What the user says now: a text alone, or parts; null when it is nothing.
Result<OrderedJson> user_content(const Conversation& said, InlineFiles& files) {
  if (said.images.empty()) return said.prompt ? OrderedJson(*said.prompt) : OrderedJson();
  OrderedJson parts = OrderedJson::array();
  for (const Media& image : said.images) {
    SVC_TRY(part, image_part(image, files));
    parts.push_back(std::move(part));
  }
  if (said.prompt) parts.push_back(OrderedJson{{"type", "text"}, {"text", *said.prompt}});
  return parts;
}

}  // namespace

Result<void> compose_prompt(const Operation& operation, const Conversation& said,
                            OrderedJson& body) {
  if (said.earlier_prompts.empty()) {
    if (said.prompt) body["prompt"] = *said.prompt;
  } else {
    OrderedJson all = said.earlier_prompts;
    all.push_back(*said.prompt);
    body["prompt"] = std::move(all);
  }
  const auto prompt = body.find("prompt");
  if (prompt == body.end() || prompt->empty()) return nothing_said(operation);
  return {};
}

Result<void> compose_messages(const Operation& operation, const Conversation& said,
                              InlineFiles& files, OrderedJson& body) {
  OrderedJson& messages = body["messages"];
  if (messages.is_null()) messages = OrderedJson::array();
  if (!messages.is_array()) {
    return usage_error("'messages' of the body is not an array, so nothing can be added to it");
  }
  for (const auto& [role, text] : said.messages) {
    messages.push_back(OrderedJson{{"role", role}, {"content", text}});
  }
  SVC_TRY(content, user_content(said, files));
  if (!content.is_null()) {
    messages.push_back(OrderedJson{{"role", "user"}, {"content", std::move(content)}});
  }
  if (messages.empty()) return nothing_said(operation);
  // The wire knows objects only; a word is what people write.
  if (const auto choice = body.find("tool_choice"); choice != body.end() && choice->is_string()) {
    *choice = OrderedJson{{"type", *choice}};
  }
  return {};
}

}  // namespace svc::request
