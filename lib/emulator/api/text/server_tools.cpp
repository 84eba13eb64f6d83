#include "emulator/api/text/server_tools.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/search.h"
#include "emulator/api/text/chat.h"
#include "emulator/model/search.h"
#include "emulator/model/tokenizer.h"

namespace svc::emulator::text {
namespace {

constexpr std::size_t k_max_question = 200;
constexpr std::size_t k_pages = 2;
constexpr std::int64_t k_usual_results = 10;
constexpr std::int64_t k_max_tool_results = 50;
// One white pixel as PNG.
constexpr sv k_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAGyqmZQAAAABJRU5ErkJggg==";

struct Refused {
  sv tool;
  sv name;
};
// Fields that the service rejects instead of ignoring them.
constexpr std::array k_refused = {Refused{"web_search", "external_web_access"},
                                  Refused{"web_search", "search_context_size"},
                                  Refused{"web_search", "user_location"},
                                  Refused{"code_interpreter", "container"},
                                  Refused{"file_search", "filters"},
                                  Refused{"file_search", "ranking_options"}};

struct Limited {
  sv tool;
  sv name;
  std::size_t most;
};
constexpr std::array k_limited = {
    Limited{"web_search", "allowed_domains", 5}, Limited{"web_search", "excluded_domains", 5},
    Limited{"x_search", "allowed_x_handles", 20}, Limited{"x_search", "excluded_x_handles", 20},
    Limited{"file_search", "vector_store_ids", 10}};

struct Excluding {
  sv tool;
  sv one;
  sv other;
};
constexpr std::array k_excluding = {
    Excluding{"web_search", "allowed_domains", "excluded_domains"},
    Excluding{"x_search", "allowed_x_handles", "excluded_x_handles"}};

constexpr std::array<sv, 7> k_server_tools = {"web_search",      "web_search_preview", "x_search",
                                              "file_search",     "code_interpreter",   "mcp",
                                              "image_generation"};

bool is_supported(sv type) {
  return std::ranges::find(k_server_tools, type) != k_server_tools.end();
}

std::optional<std::string> check_field(const Json& tool, const std::string& type) {
  for (const auto& [name, member_name] : k_refused) {
    if (name == type && member(tool, member_name)) {
      return fmt::format("Argument not supported on tool {}: {}", type, member_name);
    }
  }
  for (const auto& [name, member_name, most] : k_limited) {
    const Json* list = name == type ? member(tool, member_name) : nullptr;
    if (list != nullptr && list->size() > most) {
      return fmt::format("{} of tool {} has {} entries; at most {} are allowed.", member_name, type,
                         list->size(), most);
    }
  }
  for (const auto& [name, one, other] : k_excluding) {
    if (name == type && member(tool, one) && member(tool, other)) {
      return fmt::format("Tool {} cannot have both {} and {}.", type, one, other);
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
  const Json* stores = member(tool, "vector_store_ids");
  if (type == "file_search" && stores->empty()) {
    return "vector_store_ids of tool file_search cannot be empty.";
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
