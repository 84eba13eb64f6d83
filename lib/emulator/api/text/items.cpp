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
std::optional<Answer> file_fault(const Json& part) {
  int sources = 0;
  for (const sv name : {sv("file_id"), sv("file_url"), sv("file_data")}) {
    if (member(part, name) != nullptr) ++sources;
  }
  if (sources != 1) {
    return refuse_argument(
        "An input_file part needs exactly one of file_id, file_url and file_data.");
  }
  if (member(part, "file_data") && !member(part, "filename")) {
    return refuse_argument("An input_file part with file_data needs a filename.");
  }
  return std::nullopt;
}

// A stored file is read later; an attached one at once.
std::optional<Answer> add_file(const Json& part, Turn& turn) {
  if (auto fault = file_fault(part)) return fault;
  const std::string id = text_of(part, "file_id");
  if (!id.empty()) turn.file_ids.push_back(id);
  if (member(part, "file_data") == nullptr) return std::nullopt;
  const std::string encoded = text_of(part, "file_data");
  // Also accepts a data URL, like other services.
  const auto comma = encoded.starts_with("data:") ? encoded.find(',') : std::string::npos;
  const auto data =
      base64_decode(comma == std::string::npos ? sv(encoded) : sv(encoded).substr(comma + 1));
  if (!data || data->empty())
    return refuse_argument("The file_data of an input_file part is not base64.");
  const std::string name = text_of(part, "filename");
  turn.attachments.push_back(
      attachment_of(name, text_of(part, "mime_type", guess_content_type(name)), *data));
  return std::nullopt;
}

std::optional<Answer> add_content(const Json& content, Turn& turn) {
  if (content.is_string()) turn.text = content.get<std::string>();
  if (!content.is_array()) return std::nullopt;
  for (const Json& part : content) {
    const std::string type = text_of(part, "type");
    std::optional<Answer> fault;
    if (type == "input_image") {
      ++turn.images;
      fault = image_fault(text_of(part, "image_url"));
    } else if (type == "input_file") {
      ++turn.files;
      fault = add_file(part, turn);
    } else {
      add_text(turn, text_of(part, type == "refusal" ? "refusal" : "text"));
    }
    if (fault) return fault;
  }
  return std::nullopt;
}

std::string shell_text(const Json& outputs) {
  std::string text;
  for (const Json& output : outputs) {
    text += text_of(output, "stdout") + text_of(output, "stderr");
    const Json* outcome = member(output, "outcome");
    if (outcome == nullptr) continue;
    if (text_of(*outcome, "type") == "timeout") text += " (timed out)";
    const auto code = integer_of(*outcome, "exit_code");
    if (code && *code != 0) text += fmt::format(" (exit code {})", *code);
  }
  return text;
}

void add_call(const Json& item, std::string name, const std::string& arguments,
              Conversation& into) {
  into.turns.push_back({.role = "assistant", .text = name + " " + arguments});
  into.called[text_of(item, "call_id")] = std::move(name);
}

std::optional<Answer> add_item(const Json& item, Conversation& into) {
  const std::string type = text_of(item, "type", "message");
  if (type == "message") {
    Turn turn{.role = text_of(item, "role", "assistant")};
    auto fault = add_content(item["content"], turn);
    into.turns.push_back(std::move(turn));
    return fault;
  }
  if (type == "function_call") {
    add_call(item, text_of(item, "name"), text_of(item, "arguments"), into);
  } else if (type == "shell_call") {
    const Json* action = member(item, "action");
    add_call(item, "shell", action == nullptr ? "" : dump(*action), into);
  } else if (type == "function_call_output" || type == "shell_call_output") {
    Turn turn{.role = "tool"};
    const auto called = into.called.find(text_of(item, "call_id"));
    if (called != into.called.end()) turn.name = called->second;
    if (type == "shell_call_output") {
      turn.text = shell_text(item["output"]);
    } else if (auto fault = add_content(item["output"], turn)) {
      return fault;
    }
    into.turns.push_back(std::move(turn));
  } else if (type == "compaction") {
    const auto content = unseal(k_compaction_kind, text_of(item, "encrypted_content"));
    if (!content || !read_turns(*content, into.turns)) {
      return refuse_argument("The encrypted_content of the compaction item cannot be read.");
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

std::optional<Answer> add_items(const Json& items, Conversation& conversation) {
  for (const Json& item : items) {
    if (auto fault = add_item(item, conversation)) return fault;
  }
  return std::nullopt;
}

std::string write_turns(const std::vector<Turn>& turns) {
  return dump(json_list(turns, [](const Turn& turn) -> Json {
    return {{"role", turn.role}, {"text", turn.text}, {"name", turn.name}};
  }));
}

bool read_turns(sv document, std::vector<Turn>& turns) {
  const Json list = parse_json(document);
  if (!list.is_array()) return false;
  for (const Json& turn : list) {
    turns.push_back({.role = text_of(turn, "role"),
                     .text = text_of(turn, "text"),
                     .name = text_of(turn, "name")});
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

std::optional<Answer> attach_files(const Call& call, std::vector<Turn>& turns) {
  for (Turn& turn : turns) {
    for (const std::string& id : turn.file_ids) {
      SVC_TRY(file, found_or(find_file(*call.state, call.key.team_id, id),
                             refuse_missing(fmt::format("File with id={} not found", id))));
      if (!file.complete()) {
        return refuse_argument(fmt::format("The file {} is not fully uploaded.", id));
      }
      SVC_TRY(found, found_or(read_file(*call.state, call.key.team_id, id),
                              refuse_missing(fmt::format("File with id={} not found", id))));
      turn.attachments.push_back(
          attachment_of(found.file.filename, found.file.content_type, found.data));
    }
  }
  return std::nullopt;
}

}  // namespace svc::emulator::text
