#include "emulator/api/docs/docs.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/platform.h"
#include "base/program.h"

namespace svc::emulator::docs {
namespace {

// Replaces the escapes that the manual pages contain, the backslash last.
std::string plain(sv line) {
  constexpr std::array<sv, 26> k_escapes_and_meanings = {
      "\\fB",  "",      "\\fI",      "",      "\\fR",      "",      "\\&", "",      "\\-",
      "-",     "\\(aq", "'",         "\\(dq", "\"",        "\\(ga", "`",   "\\(ti", "~",
      "\\(ha", "^",     "\\[u2020]", "†",     "\\[u2026]", "…",     "\\e", "\\"};
  std::string text(line);
  for (std::size_t i = 0; i < k_escapes_and_meanings.size(); i += 2) {
    text = replace_all(text, k_escapes_and_meanings[i], k_escapes_and_meanings[i + 1]);
  }
  return text;
}

// The line below NAME: "svc-chat - ask a model and print its answer".
std::string title_of(const std::string& markdown, sv slug) {
  constexpr sv k_heading = "## NAME\n\n";
  const auto at = markdown.find(k_heading);
  if (at == std::string::npos) return std::string(slug);
  const auto begin = at + k_heading.size();
  return replace_all(markdown.substr(begin, markdown.find('\n', begin) - begin), " - ", ": ");
}

std::vector<Page> make_pages() {
  std::vector<Page> made;
  constexpr sv k_suffix = ".1";
  for (const auto& [name, content] : text::embedded_files()) {
    if (!name.ends_with(k_suffix)) continue;
    Page page{.slug = std::string(name.substr(0, name.size() - k_suffix.size()))};
    const std::string text = to_markdown(content);
    page.title = title_of(text, page.slug);
    page.markdown = "# " + page.title + "\n\n" + text;
    made.push_back(std::move(page));
  }
  return made;
}

constexpr const char* k_table =
    "CREATE VIRTUAL TABLE sections USING fts5("
    "slug UNINDEXED, title, heading, text, tokenize = 'porter unicode61')";
// A match in a heading counts three times. A better section has a lower rank.
constexpr const char* k_search =
    "SELECT slug, title, heading, snippet(sections, 3, '', '', '…', 40),"
    " bm25(sections, 0, 1, 3, 1) AS rank"
    " FROM sections WHERE sections MATCH ? ORDER BY rank LIMIT ?";

Result<void> add_page(Database& database, const Page& page) {
  std::string heading;
  std::string text;
  const auto add = [&]() -> Result<void> {
    return run_sql(database, "INSERT INTO sections VALUES (?,?,?,?)", page.slug, page.title,
                   heading, text);
  };
  for (const sv line : split(page.markdown, '\n')) {
    if (line.starts_with("## ") || line.starts_with("### ")) {
      SVC_CHECK(add());
      heading = line.substr(line.find(' ') + 1);
      text.clear();
    } else if (line != "```") {
      text.append(line).append("\n");
    }
  }
  return add();
}

Result<Database> make_index() {
  SVC_TRY(database, Database::open(":memory:", "the index of the documentation"));
  SVC_CHECK(database.run(k_table));
  for (const Page& page : pages()) SVC_CHECK(add_page(database, page));
  return std::move(database);
}

// Matches any of the words; each is quoted, so that it contains no operator.
std::string any_of(sv query) {
  std::string wanted;
  for (const sv word : split(query, ' ')) {
    if (word.empty()) continue;
    if (!wanted.empty()) wanted += " OR ";
    wanted += '"' + replace_all(std::string(word), "\"", "\"\"") + '"';
  }
  return wanted;
}

// JSON-RPC 2.0 over Streamable HTTP, one message per request.

using text::Json;

constexpr std::int64_t k_default_results = 5;
constexpr std::int64_t k_max_results = 50;

Json text_result(std::string text, bool is_error = false) {
  Json result = {{"content", Json::array({{{"type", "text"}, {"text", std::move(text)}}})}};
  if (is_error) result["isError"] = true;
  return result;
}

Json list_pages() {
  std::string text;
  Json list = Json::array();
  for (const Page& page : pages()) {
    text += fmt::format("- [{}]({})\n", page.title, page.slug);
    list.push_back({{"slug", page.slug}, {"title", page.title}});
  }
  Json result = text_result(std::move(text));
  result["structuredContent"] = {{"pages", std::move(list)}};
  return result;
}

Json get_page(const std::string& slug) {
  const Page* page = find_page(slug);
  if (page != nullptr) return text_result(page->markdown);
  std::vector<sv> slugs;
  for (const Page& one : pages()) slugs.emplace_back(one.slug);
  const sv near = nearest(slug, slugs);
  return text_result(fmt::format("There is no page {}.{}", excerpt(slug),
                                 near.empty() ? std::string(" list_doc_pages names them.")
                                              : fmt::format(" Did you mean {}?", near)),
                     true);
}

Json search(const std::string& query, std::int64_t most) {
  const auto hits = search_pages(query, static_cast<std::size_t>(most));
  std::string text;
  Json list = Json::array();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Hit& hit = hits[i];
    const std::string where =
        hit.section.empty() ? hit.title : fmt::format("{} › {}", hit.title, hit.section);
    text += fmt::format("{}. **{}** (`{}`)\n   {}\n", i + 1, where, hit.slug, hit.excerpt);
    list.push_back({{"slug", hit.slug},
                    {"title", hit.title},
                    {"section", hit.section},
                    {"snippet", hit.excerpt},
                    {"score", hit.score}});
  }
  if (hits.empty()) text = fmt::format("Nothing was found for “{}”.", excerpt(query));
  Json result = text_result(std::move(text));
  result["structuredContent"] = {{"results", std::move(list)}};
  return result;
}

// Returns the text argument with that name.
Result<std::string> require_string(const Json& arguments, const char* name) {
  const Json* value = text::member(arguments, name);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  return usage_error(fmt::format("Invalid arguments: {} must be a string", name));
}

Result<Json> call_search(const Json& arguments) {
  SVC_TRY(query, require_string(arguments, "query"));
  std::int64_t most = k_default_results;
  if (const Json* requested = text::member(arguments, "max_results")) {
    if (!requested->is_number_integer() || *requested < 1) {
      return usage_error("Invalid arguments: max_results must be an integer above 0");
    }
    most = std::min(text::get_integer(arguments, "max_results").value_or(k_max_results),
                    k_max_results);
  }
  return search(query, most);
}

// The list of tools/list: name, description, inputSchema.
Json tool_list() {
  return text::parse_json(text::embedded_file("docs_tools.json"));
}

// Usage if the call itself is invalid; a missing page is a result with isError.
Result<Json> call_tool(const Json& params) {
  const std::string name = text::get_string(params, "name");
  const Json arguments = text::value_or(params, "arguments", Json::object());
  if (!arguments.is_object()) return usage_error("Invalid arguments: expected an object");
  if (name == "list_doc_pages") return list_pages();
  if (name == "search_docs") return call_search(arguments);
  if (name != "get_doc_page") {
    return usage_error(fmt::format("Unknown tool: {}", excerpt(name)));
  }
  SVC_TRY(slug, require_string(arguments, "slug"));
  return get_page(slug);
}

constexpr sv k_name = "svc-docs-mcp";
constexpr sv k_version = "1.0.0";
constexpr std::array<sv, 3> k_protocols = {"2025-06-18", "2025-03-26", "2024-11-05"};

// JSON-RPC 2.0, section 5.1
constexpr int k_parse_error = -32700;
constexpr int k_invalid_request = -32600;
constexpr int k_unknown_method = -32601;
constexpr int k_invalid_params = -32602;

enum class Form : std::uint8_t { Document, Events, Neither };

// Returns the format that the client accepts; of both, the first one in its list.
Form response_form(const Request& call) {
  const std::string accept = to_lower(call.header("Accept").value_or("*/*"));
  const auto json =
      std::min({accept.find("application/json"), accept.find("application/*"), accept.find("*/*")});
  const auto events = std::min(accept.find("text/event-stream"), accept.find("text/*"));
  if (json == std::string::npos && events == std::string::npos) return Form::Neither;
  return json < events ? Form::Document : Form::Events;
}

Response message_response(const Json& message, Form form, int status = 200) {
  if (form == Form::Document) return Response{.status = status, .body = text::dump(message)};
  return Response{.status = status,
                  .headers = {{"Cache-Control", "no-cache"}},
                  .content_type = "text/event-stream",
                  .body = "event: message\ndata: " + text::dump(message) + "\n\n"};
}

Json error_message(const Json& id, int code, sv sentence) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", sentence}}}};
}

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json initialize_result(const Json& params) {
  const std::string requested = text::get_string(params, "protocolVersion");
  return {{"protocolVersion",
           has_element(k_protocols, requested) ? sv(requested) : k_protocols.front()},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", k_name}, {"version", k_version}}}};
}

Json handle_request(const Json& request) {
  const Json& id = request["id"];
  const std::string method = text::get_string(request, "method");
  const Json params = text::value_or(request, "params", Json::object());
  if (!params.is_object()) return error_message(id, k_invalid_params, "params must be an object");
  if (method == "initialize") return result_message(id, initialize_result(params));
  if (method == "ping") return result_message(id, Json::object());
  if (method == "tools/list") return result_message(id, Json{{"tools", tool_list()}});
  if (method == "tools/call") {
    auto result = call_tool(params);
    return result ? result_message(id, *std::move(result))
                  : error_message(id, k_invalid_params, result.error().message);
  }
  return error_message(id, k_unknown_method, fmt::format("Method not found: {}", excerpt(method)));
}

// Refuses a message before parsing what it requests.
Response rpc_error(int status, int code, sv sentence) {
  return message_response(error_message(nullptr, code, sentence), Form::Document, status);
}

Response take_message(const Request& call) {
  const Form form = response_form(call);
  if (form == Form::Neither) {
    return rpc_error(406, k_invalid_request,
                     "Accept must name application/json or text/event-stream");
  }
  const auto version = call.header("MCP-Protocol-Version");
  if (version && !has_element(k_protocols, *version)) {
    return rpc_error(400, k_invalid_request, "Unsupported protocol version");
  }
  if (check_json(call.body)) return rpc_error(400, k_parse_error, "Parse error");
  const Json message = text::parse_json(call.body);
  if (!message.is_object() || text::get_string(message, "jsonrpc") != "2.0") {
    return rpc_error(400, k_invalid_request, "Invalid Request");
  }
  // Notifications have no ID; replies to requests that were never made have no method.
  if (!message.contains("id") || !message.contains("method")) {
    return Response{.status = 202, .content_type = ""};
  }
  const Json& id = message["id"];
  if (!(id.is_string() || id.is_number()) || !message["method"].is_string()) {
    return rpc_error(400, k_invalid_request, "Invalid Request");
  }
  return message_response(handle_request(message), form);
}

Response server_card(const Request& call) {
  return json_response(
      Json{{"name", k_name},
           {"version", k_version},
           {"description", "The manual pages of svc, served by its emulator."},
           {"protocolVersions", k_protocols},
           {"transport", {{"type", "streamable-http"}, {"url", base_url(call) + "/api/mcp"}}},
           {"capabilities", {{"tools", Json::object()}}},
           {"tools", tool_list()}});
}

// The tool, which describes the service's operations, is installed next to the emulator or in PATH.
Response show_openapi(const Request&) {
  std::error_code error;
  const auto beside = own_path().replace_filename("svc");
  const std::string tool = std::filesystem::exists(beside, error) ? beside.string() : "svc";
  Response response;
  const auto ended = run_program({.arguments = {tool, "operations", "--openapi"},
                                  .limit = std::chrono::seconds(30),
                                  .output = ProgramOutput::Captured,
                                  .take = [&](sv bytes) { response.body += bytes; },
                                  .take_error = [](sv) {}},
                                 NeverCanceled());
  if (ended && ended->code == 0 && ended->signal == 0) return response;
  return error_response(503, "emulator_no_tool",
                        "svc, which describes its operations, was not found next to svc-emulator "
                        "or in PATH: install it.");
}

}  // namespace

std::string to_markdown(sv roff) {
  std::string out;
  bool code = false;
  bool tag = false;  // the next line is the tag of a list item
  const auto start_block = [&] {
    if (std::exchange(code, false)) out += "```\n";
    while (out.ends_with(' ')) out.pop_back();
    while (!out.empty() && !out.ends_with("\n\n")) out += '\n';
  };
  for (const sv line : split(roff, '\n')) {
    const sv macro = line.substr(0, line.find(' '));
    if (macro == ".SH" || macro == ".SS") {
      start_block();
      out += macro == ".SH" ? "## " : "### ";
      out += plain(replace_all(std::string(trim(line.substr(3))), "\"", "")) + "\n\n";
    } else if (macro == ".TP" || macro == ".nf" || macro == ".fi" || (macro == ".PP" && !code)) {
      start_block();
      tag = macro == ".TP";
      code = macro == ".nf";
      if (code) out += "```\n";
    } else if (line.starts_with('.') || (line.empty() && !code)) {
      continue;
    } else if (code) {
      out += plain(line) + "\n";
    } else if (std::exchange(tag, false)) {
      out += "- `" + plain(line) + "`: ";
    } else {
      if (!out.empty() && !out.ends_with('\n') && !out.ends_with(' ')) out += ' ';
      out += plain(line);
    }
  }
  return out;
}

const std::vector<Page>& pages() {
  static const std::vector<Page> k_pages = make_pages();
  return k_pages;
}

const Page* find_page(sv slug) {
  const auto is_it = [&](const Page& page) {
    return page.slug == slug || (page.slug.starts_with("svc-") && sv(page.slug).substr(4) == slug);
  };
  const auto found = std::ranges::find_if(pages(), is_it);
  return found == pages().end() ? nullptr : &*found;
}

std::vector<Hit> search_pages(sv query, std::size_t limit) {
  static std::mutex mutex;
  static Result<Database> database = make_index();
  const std::string wanted = any_of(query);
  const std::lock_guard lock(mutex);
  if (wanted.empty() || !database) return {};
  auto hits = all_rows(
      *database,
      [](const Statement& row) {
        return Hit{row.text(0), row.text(1), row.text(2),
                   std::string(trim(replace_all(row.text(3), "\n", " "))), -row.number(4)};
      },
      k_search, wanted, static_cast<std::int64_t>(limit));
  return hits ? std::move(*hits) : std::vector<Hit>{};
}

}  // namespace svc::emulator::docs

auto svc::emulator::docs_routes() -> std::vector<Route> {
  return {
      {"POST", "/api/mcp", docs::take_message, "", Input::Free, KeyRequirement::None},
      {"GET", "/.well-known/mcp/server-card.json", docs::server_card, "", Input::Free,
       KeyRequirement::None},
      {.method = "GET",
       .path = "/_emulator/openapi.json",
       .handler = docs::show_openapi,
       .key = KeyRequirement::None,
       .run = RunOn::Worker},
  };
}
