#include "emulator/api/text/items.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/store.h"
#include "emulator/api/text/chat.h"
#include "emulator/model/rules.h"
#include "emulator/state/seal.h"

namespace svc::emulator::text {

namespace {

// Requires exactly one source; data requires a name.
std::optional<Response> check_file_part(const Json& part) {
  int sources = 0;
  for (const sv name : {sv("file_id"), sv("file_url"), sv("file_data")}) {
    if (member(part, name) != nullptr) ++sources;
  }
  if (sources != 1) {
    return invalid_argument_error(
        "An input_file part needs exactly one of file_id, file_url and file_data.");
  }
  if (member(part, "file_data") && !member(part, "filename")) {
    return invalid_argument_error("An input_file part with file_data needs a filename.");
  }
  return std::nullopt;
}

// A stored file is read later; an attached one at once.
std::optional<Response> add_file(const Json& part, Turn& turn) {
  if (auto error = check_file_part(part)) return error;
  const std::string id = get_string(part, "file_id");
  if (!id.empty()) turn.file_ids.push_back(id);
  if (member(part, "file_data") == nullptr) return std::nullopt;
  const std::string encoded = get_string(part, "file_data");
  // Also accepts a data URL, like other services.
  const auto comma = encoded.starts_with("data:") ? encoded.find(',') : std::string::npos;
  const auto data =
      base64_decode(comma == std::string::npos ? sv(encoded) : sv(encoded).substr(comma + 1));
  if (!data || data->empty())
    return invalid_argument_error("The file_data of an input_file part is not base64.");
  const std::string name = get_string(part, "filename");
  turn.attachments.push_back(
      attachment_of(name, get_string(part, "mime_type", guess_content_type(name)), *data));
  return std::nullopt;
}

std::optional<Response> add_content(const Json& content, Turn& turn) {
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return std::nullopt;
  for (const Json& part : content) {
    const std::string type = get_string(part, "type");
    std::optional<Response> error;
    if (type == "input_image") {
      ++turn.images;
      error = check_image(get_string(part, "image_url"));
    } else if (type == "input_file") {
      ++turn.files;
      error = add_file(part, turn);
    } else {
      add_text(turn, get_string(part, type == "refusal" ? "refusal" : "text"));
    }
    if (error) return error;
  }
  return std::nullopt;
}

std::string shell_text(const Json& outputs) {
  std::string text;
  for (const Json& output : outputs) {
    text += get_string(output, "stdout") + get_string(output, "stderr");
    const Json* outcome = member(output, "outcome");
    if (outcome == nullptr) continue;
    if (get_string(*outcome, "type") == "timeout") text += " (timed out)";
    const auto code = get_integer(*outcome, "exit_code");
    if (code && *code != 0) text += fmt::format(" (exit code {})", *code);
  }
  return text;
}

void add_call(const Json& item, std::string name, const std::string& arguments,
              Conversation& into) {
  into.turns.push_back({.role = "assistant", .text = name + " " + arguments});
  into.called[get_string(item, "call_id")] = std::move(name);
}

std::optional<Response> add_item(const Json& item, Conversation& into) {
  const std::string type = get_string(item, "type", "message");
  if (type == "message") {
    Turn turn{.role = get_string(item, "role", "assistant")};
    auto error = add_content(item["content"], turn);
    into.turns.push_back(std::move(turn));
    return error;
  }
  if (type == "function_call") {
    add_call(item, get_string(item, "name"), get_string(item, "arguments"), into);
  } else if (type == "shell_call") {
    const Json* action = member(item, "action");
    add_call(item, "shell", action == nullptr ? "" : dump(*action), into);
  } else if (type == "function_call_output" || type == "shell_call_output") {
    Turn turn{.role = "tool"};
    const auto called = into.called.find(get_string(item, "call_id"));
    if (called != into.called.end()) turn.name = called->second;
    if (type == "shell_call_output") {
      turn.text = shell_text(item["output"]);
    } else if (auto error = add_content(item["output"], turn)) {
      return error;
    }
    into.turns.push_back(std::move(turn));
  } else if (type == "compaction") {
    const auto content = unseal(k_compaction_kind, get_string(item, "encrypted_content"));
    if (!content || !parse_turns(*content, into.turns)) {
      return invalid_argument_error("The encrypted_content of the compaction item cannot be read.");
    }
  }
  // Reasoning and server tool calls are part of the history, but add nothing to the prompt.
  return std::nullopt;
}

}  // namespace

Json normal_items(const Json& input, sv id_prefix) {
  Json items = Json::array();
  if (input.is_string()) {
    const Json part = {{"type", "input_text"}, {"text", input}};
    items.push_back({{"type", "message"}, {"role", "user"}, {"content", Json::array({part})}});
  } else {
    items = input;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    Json& item = items[i];
    if (member(item, "type") == nullptr) item["type"] = "message";
    if (member(item, "id") == nullptr) item["id"] = fmt::format("{}_{}", id_prefix, i);
  }
  return items;
}

std::optional<Response> add_items(const Json& items, Conversation& conversation) {
  for (const Json& item : items) {
    if (auto error = add_item(item, conversation)) return error;
  }
  return std::nullopt;
}

std::string serialize_turns(const std::vector<Turn>& turns) {
  return dump(json_list(turns, [](const Turn& turn) -> Json {
    return {{"role", turn.role}, {"text", turn.text}, {"name", turn.name}};
  }));
}

bool parse_turns(sv document, std::vector<Turn>& turns) {
  const Json list = parse_json(document);
  if (!list.is_array()) return false;
  for (const Json& turn : list) {
    turns.push_back({.role = get_string(turn, "role"),
                     .text = get_string(turn, "text"),
                     .name = get_string(turn, "name")});
  }
  return true;
}

Attachment attachment_of(sv name, sv content_type, sv data) {
  Attachment attachment{.name = std::string(name), .bytes = data.size()};
  if (auto text = extract_text(content_type, data)) {
    attachment.text = *std::move(text);
    attachment.readable = true;
  }
  return attachment;
}

std::optional<Response> attach_files(const Request& request, std::vector<Turn>& turns) {
  for (Turn& turn : turns) {
    for (const std::string& id : turn.file_ids) {
      SVC_TRY(file, found_or(find_file(*request.state, request.key.team_id, id),
                             not_found_error(fmt::format("File with id={} not found", id))));
      if (!file.complete()) {
        return invalid_argument_error(fmt::format("The file {} is not fully uploaded.", id));
      }
      SVC_TRY(found, found_or(read_file(*request.state, request.key.team_id, id),
                              not_found_error(fmt::format("File with id={} not found", id))));
      turn.attachments.push_back(
          attachment_of(found.file.filename, found.file.content_type, found.data));
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
