#include "emulator/api/realtime/items.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "emulator/api/realtime/events.h"

namespace svc::emulator::realtime {
namespace {

constexpr std::array<sv, 3> k_roles = {"user", "assistant", "system"};
constexpr std::array<sv, 4> k_item_types = {"message", "function_call", "function_call_output",
                                            "force_message"};
constexpr std::array<sv, 4> k_part_types = {"input_text", "input_audio", "output_text", "text"};

Json content_json(const Item& item) {
  if (item.role == "assistant") {
    return item.text.empty() && item.status == "in_progress" ? Json::array()
                                                             : Json::array({part_json(item)});
  }
  if (!item.spoken) return Json::array({{{"type", "input_text"}, {"text", item.text}}});
  return Json::array({{{"type", "input_audio"}, {"transcript", text::or_null(item.text)}}});
}

void read_part(const Json& part, const std::string& path, ParsedItem& read,
               std::optional<ErrorDetails>& error) {
  FieldReader fields(part, path, error);
  std::string type;
  fields.word("type", k_part_types, type);
  const bool assistant = read.item.role == "assistant";
  const bool output = type == "output_text" || type == "text";
  if (!error && assistant != output) {
    return fields.fail("type", "invalid_value",
                       fmt::format("A message of the role {} has no content of type {}.",
                                   read.item.role, type.empty() ? "null" : type));
  }
  if (type == "input_audio") {
    std::string audio;
    fields.text("audio", audio);
    read.audio = base64_decode(audio);
    read.item.spoken = true;
    if (!read.audio || read.audio->empty()) {
      fields.fail("audio", "invalid_value", fields.path_of("audio") + " must be base64.");
    }
    return;
  }
  std::string text;
  fields.text("text", text);
  if (!read.item.text.empty()) read.item.text += "\n";
  read.item.text += text;
}

void read_message(const Json& given, ParsedItem& read, std::optional<ErrorDetails>& error) {
  FieldReader fields(given, "item", error);
  if (read.forced) read.item.role = "assistant";
  fields.word("role", k_roles, read.item.role);
  fields.require("role", !read.item.role.empty());
  const Json* content = fields.list("content");
  if (content == nullptr || content->empty()) {
    return fields.fail("content", "missing_parameter", "item.content must hold a part.");
  }
  for (std::size_t i = 0; i < content->size() && !error; ++i) {
    read_part((*content)[i], fmt::format("item.content[{}]", i), read, error);
  }
  if (!read.forced) return;
  fields.flag("interruptible", read.interruptible);
  fields.text("voice", read.voice);
  if (trim(read.item.text).empty()) {
    fields.fail("content", "invalid_value", "A force_message must have a text to say.");
  }
}

void read_function_item(const Json& given, Item& item, std::optional<ErrorDetails>& error) {
  FieldReader fields(given, "item", error);
  fields.text("call_id", item.call_id);
  fields.require("call_id", !item.call_id.empty());
  if (item.type == "function_call_output") return fields.text("output", item.output);
  fields.text("name", item.name);
  fields.text("arguments", item.arguments);
  fields.require("name", !item.name.empty());
}

// The stored fields of an item, except its words.
template <typename AnyItem, typename Visitor>
void for_each_field(AnyItem& item, const Visitor& visit) {
  visit("id", item.id);
  visit("type", item.type);
  visit("role", item.role);
  visit("status", item.status);
  visit("text", item.text);
  visit("spoken", item.spoken);
  visit("call_id", item.call_id);
  visit("name", item.name);
  visit("arguments", item.arguments);
  visit("output", item.output);
  visit("label", item.label);
  visit("audio_ms", item.audio_ms);
  visit("cut", item.truncated);
}

}  // namespace

Json part_json(const Item& item) {
  if (item.spoken) return {{"type", "audio"}, {"transcript", item.text}};
  return {{"type", "text"}, {"text", item.text}};
}

Json item_json(const Item& item) {
  Json json = {
      {"id", item.id}, {"object", "realtime.item"}, {"type", item.type}, {"status", item.status}};
  if (item.type == "message") {
    json["role"] = item.role;
    json["content"] = content_json(item);
  } else if (item.type == "function_call_output") {
    json["call_id"] = item.call_id;
    json["output"] = item.output;
  } else {
    if (item.type == "function_call") json["call_id"] = item.call_id;
    if (item.type == "mcp_call") json["server_label"] = item.label;
    json["name"] = item.name;
    json["arguments"] = item.arguments;
    if (item.type == "mcp_call") json["output"] = text::or_null(item.output);
  }
  return json;
}

std::optional<ErrorDetails> read_item(const Json& given, ParsedItem& read) {
  std::optional<ErrorDetails> error;
  FieldReader fields(given, "item", error);
  fields.text("id", read.item.id);
  fields.word("type", k_item_types, read.item.type);
  read.forced = read.item.type == "force_message";
  if (read.forced) read.item.type = "message";
  if (error) return error;
  if (read.item.type == "message") {
    read_message(given, read, error);
  } else {
    read_function_item(given, read.item, error);
  }
  return error;
}

void truncate_item(Item& item, std::int64_t end_ms) {
  std::erase_if(item.words, [&](const TimedWord& word) { return word.end_ms > end_ms; });
  item.text.clear();
  for (const TimedWord& word : item.words) item.text += word.text;
  item.audio_ms = end_ms;
  item.truncated = true;
}

Item* Items::add(Item item, const std::string& previous) {
  auto position = m_items.end();
  if (previous == "root") {
    position = m_items.begin();
  } else if (!previous.empty()) {
    position = std::ranges::find(m_items, previous, &Item::id);
    if (position == m_items.end()) return nullptr;
    ++position;
  }
  return &*m_items.insert(position, std::move(item));
}

Item* Items::find(const std::string& id) {
  const auto found = std::ranges::find(m_items, id, &Item::id);
  return found == m_items.end() ? nullptr : &*found;
}

void Items::erase(const std::string& id) {
  std::erase_if(m_items, [&](const Item& item) { return item.id == id; });
}

std::string Items::before(const std::string& id) const {
  std::string previous;
  for (const Item& item : m_items) {
    if (item.id == id) return previous;
    previous = item.id;
  }
  return {};
}

std::string Items::last_id() const {
  return m_items.empty() ? "" : m_items.back().id;
}

std::string Items::save() const {
  Json list = Json::array();
  for (const Item& item : m_items) {
    if (item.status == "in_progress") continue;
    Json saved = Json::object();
    for_each_field(item, [&](const char* name, const auto& value) { saved[name] = value; });
    saved["words"] = text::json_list(item.words, [](const TimedWord& word) {
      return Json::array({word.text, word.end_ms});
    });
    list.push_back(std::move(saved));
  }
  return text::dump(list);
}

void Items::load(sv saved) {
  m_items.clear();
  for (const Json& given : text::parse_json(saved)) {
    Item& item = m_items.emplace_back();
    for_each_field(item, [&](const char* name, auto& value) { value = given.value(name, value); });
    for (const Json& word : given.value("words", Json::array())) {
      item.words.push_back({word.at(0), word.at(1)});
    }
  }
}

}  // namespace svc::emulator::realtime
