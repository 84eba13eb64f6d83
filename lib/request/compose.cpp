#include "request/compose.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "catalogue/chat_fields.h"
#include "catalogue/responses_fields.h"
#include "request/body.h"
#include "request/convert.h"
#include "request/flags.h"

namespace svc::request {
namespace {

using ChatFlags = Flags<catalogue::chat::k_create_fields>;
using ResponseFlags = Flags<catalogue::responses::k_create_fields>;

/// The user's messages and attachments, before conversion to an API's format.
struct MessageParts {
  std::vector<std::string> earlier_prompts{};  ///< for operations that accept several
  std::optional<std::string> prompt{};
  std::optional<std::string> system{};
  std::vector<std::pair<std::string, std::string>> messages{};  ///< role, text
  std::vector<Media> images{};
  std::vector<Media> files{};
  std::vector<OrderedJson> items{};  ///< of a response's input
};

constexpr std::array<sv, 4> k_roles = {"system", "developer", "user", "assistant"};
constexpr std::array<sv, 2> k_message_roles = {"user", "assistant"};

std::span<const sv> roles_of(const Operation& operation) {
  if (operation.composer == Composer::Messages) return k_message_roles;
  return k_roles;
}

constexpr std::array<sv, 4> k_image_types = {"image/png", "image/jpeg", "image/webp", "image/gif"};

Result<std::pair<std::string, std::string>> read_message(const Given& given,
                                                         std::span<const sv> roles) {
  const std::string_view text = given.text;
  const std::size_t colon = text.find(':');
  const std::string_view role = text.substr(0, colon);
  if (colon == sv::npos || std::ranges::find(roles, role) == roles.end()) {
    const sv near = nearest(role, roles);
    return usage_error(fmt::format("--message must be ROLE:TEXT with ROLE one of {}, not '{}'",
                                   join(roles, ", "), shown(text)),
                       near.empty() ? std::string() : fmt::format("Did you mean '{}:'?", near));
  }
  SVC_TRY(content, resolve_text("--message", text.substr(colon + 1), given.literal));
  if (trim(content).empty()) {
    return usage_error(fmt::format("the message of --message {}: is empty", role));
  }
  return std::pair(std::string(role), std::move(content));
}

class InputCollector {
 public:
  InputCollector(const Operation& operation, const Inputs& inputs,
                 const std::optional<std::string>& stdin_text)
      : m_operation(operation), m_inputs(inputs), m_stdin(stdin_text) {}

  Result<MessageParts> collect() {
    for (const Given& given : m_inputs.given) {
      if (given.field->in == In::Compose) SVC_CHECK(take(given));
    }
    if (!m_stdin_used && m_stdin && !body_takes_stdin()) SVC_CHECK(append_stdin());
    return std::move(m_conversation);
  }

 private:
  [[nodiscard]] bool body_takes_stdin() const { return m_inputs.body && *m_inputs.body == "-"; }

  Result<void> take(const Given& given) {
    const std::string name = flag_name(*given.field);
    const sv flag = given.field->flag;
    if (flag == ChatFlags::k_name<"prompt"> || flag == ResponseFlags::k_name<"input">) {
      if (given.is_stdin()) return {};  // standard input is appended below
      SVC_TRY(text, resolve_text(name, given));
      if (trim(text).empty()) return {};  // an unset shell variable
      if (m_conversation.prompt)
        m_conversation.earlier_prompts.push_back(*std::move(m_conversation.prompt));
      m_conversation.prompt = std::move(text);
    } else if (flag == ChatFlags::k_name<"system">) {
      SVC_TRY(text, resolve_text(name, given));
      SVC_CHECK(check_not_blank(*given.field, text));
      m_conversation.system = std::move(text);
    } else if (flag == ChatFlags::k_name<"message">) {
      SVC_TRY(message, read_message(given, roles_of(m_operation)));
      m_conversation.messages.push_back(std::move(message));
    } else if (flag == ResponseFlags::k_name<"input-items">) {
      SVC_TRY(items, resolve_json(name, given.text));
      if (!items.is_array()) items = OrderedJson::array({items});
      for (OrderedJson& item : items) m_conversation.items.push_back(std::move(item));
    } else {
      return take_media(given);
    }
    return {};
  }

  Result<void> take_media(const Given& given) {
    const bool from_stdin = given.is_stdin();
    SVC_TRY(media, resolve_media(flag_name(*given.field), given.text,
                                 from_stdin && m_stdin ? &*m_stdin : nullptr));
    m_stdin_used = m_stdin_used || from_stdin;
    if (!given.file_name.empty()) media.file_name = given.file_name;
    if (media.type == "text/plain") SVC_CHECK(take_text(flag_name(*given.field), media));
    if (given.field->flag == ChatFlags::k_name<"image">) {
      SVC_CHECK(check_image(media));
      m_conversation.images.push_back(std::move(media));
    } else {
      m_conversation.files.push_back(std::move(media));
    }
    return {};
  }

  /// Text becomes part of the message, so it is read now.
  static Result<void> take_text(const std::string& name, Media& media) {
    SVC_TRY(text, media_bytes(name, media));
    if (const auto at = first_invalid_utf8(text)) {
      return usage_error(fmt::format("{} {} is not valid UTF-8 (at byte {})", name,
                                     visible(media.file_name, Lines::Escape), *at + 1));
    }
    media.form = MediaForm::Bytes;
    media.bytes = std::move(text);
    return {};
  }

  Result<void> append_stdin() {
    std::string_view text = *m_stdin;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (trim(text).empty()) return {};
    const bool zero = text.find('\0') != sv::npos;
    if (zero || first_invalid_utf8(text)) {
      return usage_error(
          fmt::format("standard input {}, so it cannot be part of the prompt",
                      zero ? "contains a NUL byte" : "is not valid UTF-8"),
          "Send other data with --image - or --file -, or ignore it with --no-stdin.");
    }
    m_conversation.prompt = m_conversation.prompt
                                ? fmt::format("{}\n\n{}", *m_conversation.prompt, text)
                                : std::string(text);
    return {};
  }

  const Operation& m_operation;
  const Inputs& m_inputs;
  const std::optional<std::string>& m_stdin;
  bool m_stdin_used = false;
  MessageParts m_conversation{};
};

OrderedJson text_attachment(const Media& file, std::string_view part_type) {
  return OrderedJson{{"type", part_type},
                     {"text", fmt::format("File {}:\n\n{}", file.file_name, file.bytes)}};
}

bool is_local_content(const Media& media) {
  return media.form == MediaForm::Bytes || media.form == MediaForm::File;
}

/// The URL or ID, or the data: URL of embedded content.
std::string url_or_id(const Media& media, InlineFiles& files) {
  return is_local_content(media) ? data_url(media, files) : media.text;
}

/// A content part of POST /v1/chat/completions.
OrderedJson chat_part(const Media& media, bool image, InlineFiles& files) {
  if (image && media.form != MediaForm::FileId) {
    return OrderedJson{{"type", "image_url"}, {"image_url", {{"url", url_or_id(media, files)}}}};
  }
  if (media.form == MediaForm::Bytes && media.type == "text/plain") {
    return text_attachment(media, "text");
  }
  std::string url = url_or_id(media, files);
  const char* member = media.form == MediaForm::FileId ? "file_id" : "url";
  return OrderedJson{{"type", "file"}, {"file", {{member, std::move(url)}}}};
}

/// A content part of POST /v1/responses.
OrderedJson responses_part(const Media& media, bool image, InlineFiles& files) {
  if (image && media.form != MediaForm::FileId) {
    return OrderedJson{{"type", "input_image"}, {"image_url", url_or_id(media, files)}};
  }
  if (media.form == MediaForm::FileId) {
    return OrderedJson{{"type", "input_file"}, {"file_id", media.text}};
  }
  if (is_local_content(media)) {
    if (media.type == "text/plain") return text_attachment(media, "input_text");
    return OrderedJson{{"type", "input_file"},
                       {"file_data", media_base64(media, files)},
                       {"filename", media.file_name},
                       {"mime_type", media.type}};
  }
  return OrderedJson{{"type", "input_file"}, {"file_url", media.text}};
}

/// The user message with prompt and attachments; null if both are empty.
OrderedJson user_message(const MessageParts& conversation,
                         OrderedJson (*part)(const Media&, bool, InlineFiles&),
                         std::string_view text_type, InlineFiles& inline_files) {
  if (conversation.images.empty() && conversation.files.empty()) {
    if (!conversation.prompt) return {};
    return OrderedJson{{"role", "user"}, {"content", *conversation.prompt}};
  }
  OrderedJson parts = OrderedJson::array();
  if (conversation.prompt)
    parts.push_back(OrderedJson{{"type", text_type}, {"text", *conversation.prompt}});
  for (const Media& image : conversation.images) parts.push_back(part(image, true, inline_files));
  for (const Media& file : conversation.files) parts.push_back(part(file, false, inline_files));
  return OrderedJson{{"role", "user"}, {"content", std::move(parts)}};
}

/// The array `messages` of the body, created if it is missing.
Result<OrderedJson*> messages_of(OrderedJson& body) {
  OrderedJson& messages = body["messages"];
  if (messages.is_null()) messages = OrderedJson::array();
  if (messages.is_array()) return &messages;
  return usage_error("'messages' of the body is not an array and cannot be appended to");
}

/// Appends the texts of --message.
void add_messages(OrderedJson& list, const MessageParts& conversation) {
  for (const auto& [role, text] : conversation.messages) {
    list.push_back(OrderedJson{{"role", role}, {"content", text}});
  }
}

Result<void> compose_chat(const Operation& operation, const MessageParts& conversation,
                          InlineFiles& files, OrderedJson& body) {
  SVC_TRY(messages, messages_of(body));
  if (conversation.system) {
    messages->insert(messages->begin(),
                     OrderedJson{{"role", "system"}, {"content", *conversation.system}});
  }
  add_messages(*messages, conversation);
  if (OrderedJson message = user_message(conversation, chat_part, "text", files);
      !message.is_null()) {
    messages->push_back(std::move(message));
  }
  if (messages->empty() || (messages->size() == 1 && conversation.system))
    return no_prompt_error(operation);
  return {};
}

Result<void> compose_responses(const Operation& operation, const MessageParts& conversation,
                               InlineFiles& files, OrderedJson& body) {
  const bool plain = conversation.prompt && conversation.items.empty() &&
                     conversation.messages.empty() && conversation.images.empty() &&
                     conversation.files.empty();
  OrderedJson& input = body["input"];
  if (plain && !input.is_array()) {
    input = *conversation.prompt;
    return {};
  }
  if (input.is_string() && trim(input.get_ref<const std::string&>()).empty()) input = nullptr;
  if (input.is_string()) {
    input =
        OrderedJson::array({OrderedJson{{"role", "user"}, {"content", input.get<std::string>()}}});
  }
  if (input.is_null()) input = OrderedJson::array();
  if (!input.is_array()) {
    return usage_error("'input' of the body is neither a string nor an array");
  }
  for (const OrderedJson& item : conversation.items) input.push_back(item);
  add_messages(input, conversation);
  if (OrderedJson message = user_message(conversation, responses_part, "input_text", files);
      !message.is_null()) {
    input.push_back(std::move(message));
  }
  if (input.empty()) return no_prompt_error(operation);
  return {};
}

OrderedJson base64_source(std::string_view type, std::string data) {
  return OrderedJson{{"type", "base64"}, {"media_type", type}, {"data", std::move(data)}};
}

/// Parses `data:image/png;base64,AAAA`; empty if it is not base64.
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
      return usage_error("--image must be a base64 data: URL, such as data:image/png;base64,…");
    case MediaForm::FileId:
      return usage_error(
          "--image cannot take a file ID: this operation does not support stored files",
          "Use a path or a URL, or use `svc responses` or `svc chat`.");
  }
  return OrderedJson{{"type", "image"}, {"source", std::move(source)}};
}

/// The new user message: a plain text, or parts; null if empty.
Result<OrderedJson> user_content(const MessageParts& conversation, InlineFiles& files) {
  if (conversation.images.empty())
    return conversation.prompt ? OrderedJson(*conversation.prompt) : OrderedJson();
  OrderedJson parts = OrderedJson::array();
  for (const Media& image : conversation.images) {
    SVC_TRY(part, image_part(image, files));
    parts.push_back(std::move(part));
  }
  if (conversation.prompt)
    parts.push_back(OrderedJson{{"type", "text"}, {"text", *conversation.prompt}});
  return parts;
}

/// `prompt` of the legacy completions: a string, or an array of several.
Result<void> compose_prompt(const Operation& operation, const MessageParts& conversation,
                            OrderedJson& body) {
  if (conversation.earlier_prompts.empty()) {
    if (conversation.prompt) body["prompt"] = *conversation.prompt;
  } else {
    OrderedJson all = conversation.earlier_prompts;
    all.push_back(*conversation.prompt);
    body["prompt"] = std::move(all);
  }
  const auto prompt = body.find("prompt");
  if (prompt == body.end() || prompt->empty()) return no_prompt_error(operation);
  return {};
}

/// `messages` of the deprecated messages operation, and a `tool_choice` given as a word.
Result<void> compose_messages(const Operation& operation, const MessageParts& conversation,
                              InlineFiles& files, OrderedJson& body) {
  SVC_TRY(messages, messages_of(body));
  add_messages(*messages, conversation);
  SVC_TRY(content, user_content(conversation, files));
  if (!content.is_null()) {
    messages->push_back(OrderedJson{{"role", "user"}, {"content", std::move(content)}});
  }
  if (messages->empty()) return no_prompt_error(operation);
  // The API only accepts objects; users write a word.
  if (const auto choice = body.find("tool_choice"); choice != body.end() && choice->is_string()) {
    *choice = OrderedJson{{"type", *choice}};
  }
  return {};
}

}  // namespace

Result<void> check_image(const Media& image, sv prefix) {
  if (image.form != MediaForm::Bytes && image.form != MediaForm::File) return {};
  if (std::ranges::find(k_image_types, image.type) != k_image_types.end()) return {};
  return usage_error(
      fmt::format("{}image {} is {}, which is not a supported image format", prefix,
                  visible(image.file_name, Lines::Escape), image.type),
      fmt::format("Use PNG, JPEG, WebP or GIF; attach other files with {}file.", prefix));
}

Error no_prompt_error(const Operation& operation) {
  const bool chats = operation.name == "create";
  std::string hint = fmt::format(
      "Pass it as an argument (svc {} 'Hello'){}, or on standard input.",
      chats ? std::string(operation.group) : fmt::format("{} {}", operation.group, operation.name),
      operation.composer == Composer::Prompt ? "" : ", with --message");
  if (chats && operation.composer != Composer::Prompt) {
    hint += fmt::format(" On a terminal, `svc {}` without --json or -o starts a conversation.",
                        operation.group);
  }
  return usage_error(
      fmt::format("no {} to send", operation.composer == Composer::Responses ? "input" : "prompt"),
      std::move(hint));
}

Result<void> compose(const Operation& operation, const Inputs& inputs,
                     const std::optional<std::string>& stdin_text, InlineFiles& files,
                     OrderedJson& body) {
  if (operation.composer == Composer::None || operation.composer == Composer::Collection) return {};
  SVC_TRY(conversation, InputCollector(operation, inputs, stdin_text).collect());
  switch (operation.composer) {
    case Composer::Chat:
      return compose_chat(operation, conversation, files, body);
    case Composer::Responses:
      return compose_responses(operation, conversation, files, body);
    case Composer::Prompt:
      return compose_prompt(operation, conversation, body);
    case Composer::Messages:
      return compose_messages(operation, conversation, files, body);
    default:
      return {};
  }
}

}  // namespace svc::request
