#include <nlohmann/json.hpp>

#include "emulator/api/collections/store.h"
#include "emulator/api/files/store.h"
#include "emulator/api/text/text.h"

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

void add_call(const Json& item, std::string name, const std::string& arguments, InputTurns& into) {
  into.turns.push_back({.role = "assistant", .text = name + " " + arguments});
  into.called[get_string(item, "call_id")] = std::move(name);
}

std::optional<Response> add_item(const Json& item, InputTurns& into) {
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

constexpr std::size_t k_max_question = 200;
constexpr std::size_t k_pages = 2;
constexpr std::int64_t k_usual_results = 10;
constexpr std::int64_t k_max_tool_results = 50;
// One white pixel as PNG.
constexpr sv k_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAGyqmZQAAAABJRU5ErkJggg==";

/// A field that excludes another one of its tool; without another, the service rejects it.
struct FieldRule {
  sv tool;
  sv name;
  sv other{};
};
constexpr std::array k_field_rules = {
    FieldRule{"web_search", "external_web_access"},
    FieldRule{"web_search", "search_context_size"},
    FieldRule{"web_search", "user_location"},
    FieldRule{"code_interpreter", "container"},
    FieldRule{"file_search", "filters"},
    FieldRule{"file_search", "ranking_options"},
    FieldRule{"web_search", "allowed_domains", "excluded_domains"},
    FieldRule{"x_search", "allowed_x_handles", "excluded_x_handles"}};

constexpr std::array<sv, 7> k_server_tools = {"web_search",      "web_search_preview", "x_search",
                                              "file_search",     "code_interpreter",   "mcp",
                                              "image_generation"};

bool is_supported(sv type) {
  return has_element(k_server_tools, type);
}

std::optional<std::string> check_field(const Json& tool, const std::string& type) {
  for (const auto& [name, field, other] : k_field_rules) {
    if (name != type || member(tool, field) == nullptr) continue;
    if (other.empty()) return fmt::format("Argument not supported on tool {}: {}", type, field);
    if (member(tool, other)) {
      return fmt::format("Tool {} cannot have both {} and {}.", type, field, other);
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_values(const Json& tool, const std::string& type) {
  for (const sv name : {sv("from_date"), sv("to_date")}) {
    if (type == "x_search" && member(tool, name) && !is_date(get_string(tool, name))) {
      return fmt::format("{} of tool x_search must be a date of the form YYYY-MM-DD.", name);
    }
  }
  return std::nullopt;
}

class ToolRunner {
 public:
  ToolRunner(const Request& request, const Json& body, sv question, sv response_id)
      : m_request(request),
        m_body(body),
        m_question(excerpt(question, k_max_question)),
        m_response_id(response_id) {}

  void run(const Json& tool, const std::string& type, ToolResults& work) {
    Json item = Json::object();
    if (type == "web_search" || type == "web_search_preview") item = search_web(tool, work);
    if (type == "x_search") item = search_x(tool, work);
    if (type == "file_search") item = search_files(tool, work);
    if (type == "code_interpreter") item = run_code(work);
    if (type == "mcp") item = call_mcp(tool, work);
    if (type == "image_generation") {
      item = {{"type", "image_generation_call"}, {"prompt", m_question}, {"result", k_pixel}};
    }
    item["id"] = fmt::format("{}_{}_{}", type, m_response_id, work.items.size());
    item["status"] = "completed";
    if (type == "x_search") item["call_id"] = "call_" + item["id"].get<std::string>();
    work.items.push_back(std::move(item));
  }

 private:
  static void add_tokens(ToolResults& work, sv text) {
    work.tokens += static_cast<std::int64_t>(count_tokens(text));
  }

  Json search_web(const Json& tool, ToolResults& work) const {
    const Json* filters = member(tool, "filters");
    const Json* domains = member(filters != nullptr ? *filters : tool, "allowed_domains");
    const bool limited = domains != nullptr && !domains->empty();
    const std::string site = limited ? domains->front().get<std::string>() : "web.example";
    Json action = {{"type", "search"}, {"query", m_question}};
    Json urls = Json::array();
    for (Source& page : find_pages(site, m_question, k_pages)) {
      urls.push_back({{"type", "url"}, {"url", page.url}});
      add_tokens(work, page.url + page.title);
      work.sources.push_back(std::move(page));
    }
    if (includes(m_body, "web_search_call.action.sources")) action["sources"] = std::move(urls);
    return {{"type", "web_search_call"}, {"action", std::move(action)}};
  }

  // Searches of X arrive as custom tool calls.
  Json search_x(const Json& tool, ToolResults& work) const {
    const Json* handles = member(tool, "allowed_x_handles");
    const bool limited = handles != nullptr && !handles->empty();
    const std::string handle = limited ? handles->front().get<std::string>() : "emulator";
    for (Source& page : find_pages("x.example/" + handle, m_question, 1)) {
      add_tokens(work, page.url + page.title);
      work.sources.push_back(std::move(page));
    }
    return {{"type", "custom_tool_call"},
            {"name", "x_keyword_search"},
            {"input", dump(Json{{"query", m_question}})}};
  }

  Json search_files(const Json& tool, ToolResults& work) const {
    Json results = Json::array();
    auto collections = tool["vector_store_ids"].get<std::vector<std::string>>();
    const auto most = std::clamp<std::int64_t>(
        get_integer(tool, "max_num_results").value_or(k_usual_results), 1, k_max_tool_results);
    for (const auto& match : collections::search_for_tool(
             m_request, std::move(collections), m_question, static_cast<std::size_t>(most))) {
      add_tokens(work, match.text);
      results.push_back({{"file_id", match.file_id},
                         {"filename", match.file_name},
                         {"text", match.text},
                         {"score", match.score}});
    }
    Json item = {{"type", "file_search_call"}, {"queries", Json::array({m_question})}};
    if (includes(m_body, "file_search_call.results")) item["results"] = std::move(results);
    return item;
  }

  // A program whose output is known without running it.
  Json run_code(ToolResults& work) const {
    const std::string logs = fmt::format("{}\n", count_code_points(m_question));
    add_tokens(work, logs);
    Json item = {{"type", "code_interpreter_call"},
                 {"code", fmt::format("print(len({}))", dump(Json(m_question)))}};
    if (includes(m_body, "code_interpreter_call.outputs")) {
      item["outputs"] = Json::array({Json{{"type", "logs"}, {"logs", logs}}});
    }
    return item;
  }

  Json call_mcp(const Json& tool, ToolResults& work) const {
    const Json* allowed = member(tool, "allowed_tools");
    const bool named = allowed != nullptr && allowed->is_array() && !allowed->empty() &&
                       allowed->front().is_string();
    const std::string output =
        fmt::format("The svc emulator does not call {}.", get_string(tool, "server_url"));
    add_tokens(work, output);
    return {{"type", "mcp_call"},
            {"server_label", get_string(tool, "server_label")},
            {"name", named ? allowed->front().get<std::string>() : "emulated_tool"},
            {"arguments", dump(Json{{"query", m_question}})},
            {"output", output}};
  }

  const Request& m_request;
  const Json& m_body;
  std::string m_question;
  sv m_response_id;
};

std::int64_t count_type(const ToolResults& work, sv type) {
  return std::ranges::count_if(work.items,
                               [&](const Json& item) { return get_string(item, "type") == type; });
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

std::optional<Response> add_items(const Json& items, InputTurns& conversation) {
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
  auto text = extract_text(content_type, data);
  if (text)
    attachment.text = *std::move(text);
  else
    attachment.unreadable = text.error().message;
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

std::optional<std::string> check_tools(const Json& tools) {
  std::set<std::string> seen;
  for (const Json& tool : tools) {
    std::string type = get_string(tool, "type");
    if (auto error = check_field(tool, type)) return error;
    if (auto error = check_values(tool, type)) return error;
    if (!is_supported(type)) continue;
    // Several MCP servers are allowed, each with its own label.
    if (type == "mcp") type += " with server_label " + get_string(tool, "server_label");
    if (!seen.insert(type).second) return fmt::format("Duplicate tool: {} is given twice.", type);
  }
  return std::nullopt;
}

bool has_server_tool(const Json& tools) {
  return std::ranges::any_of(
      tools, [](const Json& tool) { return is_supported(get_string(tool, "type")); });
}

ToolResults run_server_tools(const Request& request, const Json& body, sv question,
                             sv response_id) {
  ToolResults work;
  const Json* tools = member(body, "tools");
  if (tools == nullptr) return work;
  const bool overridden = member(body, "search_parameters") != nullptr;
  ToolRunner workshop(request, body, question, response_id);
  for (const Json& tool : *tools) {
    const std::string type = get_string(tool, "type");
    const auto most = get_integer(body, "max_turns");
    if (most && static_cast<std::int64_t>(work.items.size()) >= *most) break;
    if (!is_supported(type) || (overridden && type == "web_search_preview")) continue;
    workshop.run(tool, type, work);
  }
  return work;
}

Json tool_usage(const ToolResults& work) {
  return {{"web_search_calls", count_type(work, "web_search_call")},
          {"x_search_calls", count_type(work, "custom_tool_call")},
          {"code_interpreter_calls", count_type(work, "code_interpreter_call")},
          {"file_search_calls", count_type(work, "file_search_call")},
          {"mcp_calls", count_type(work, "mcp_call")},
          {"document_search_calls", 0},
          {"image_generation_calls", count_type(work, "image_generation_call")}};
}

Json shell_action(sv question) {
  constexpr sv k_mark = "run:";
  const std::size_t at = to_lower(question).find(k_mark);
  const std::string command = at == std::string::npos
                                  ? "echo svc emulator"
                                  : std::string(trim(question.substr(at + k_mark.size())));
  return {{"type", "exec"}, {"commands", Json::array({command})}};
}

}  // namespace svc::emulator::text
