#include "emulator/api/docs/tools.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/docs/pages.h"
#include "emulator/api/docs/search.h"

namespace svc::emulator::docs {
namespace {

using text::Json;

constexpr std::int64_t k_default_results = 5;
constexpr std::int64_t k_most_results = 50;

Json tool(const char* name, const char* description, Json properties, Json required) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return {{"name", name}, {"description", description}, {"inputSchema", std::move(schema)}};
}

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
  return text_result(fmt::format("There is no page {}.{}", excerpt(slug, 80),
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
  if (hits.empty()) text = fmt::format("Nothing was found for “{}”.", excerpt(query, 120));
  Json result = text_result(std::move(text));
  result["structuredContent"] = {{"results", std::move(list)}};
  return result;
}

// The text argument of that name; a sentence when it is missing or none.
std::optional<std::string> need_text(const Json& arguments, const char* name, std::string& fault) {
  const Json* value = text::member(arguments, name);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  fault = fmt::format("Invalid arguments: {} must be a string", name);
  return std::nullopt;
}

std::optional<Json> call_search(const Json& arguments, std::string& fault) {
  const auto query = need_text(arguments, "query", fault);
  if (!query) return std::nullopt;
  std::int64_t most = k_default_results;
  if (const Json* wish = text::member(arguments, "max_results")) {
    if (!wish->is_number_integer() || *wish < 1) {
      fault = "Invalid arguments: max_results must be an integer above 0";
      return std::nullopt;
    }
    most = std::min(text::integer_of(arguments, "max_results").value_or(k_most_results),
                    k_most_results);
  }
  return search(*query, most);
}

}  // namespace

Json tool_list() {
  const Json words = {{"type", "string"}};
  return Json::array(
      {tool("list_doc_pages", "Lists all pages of the documentation with their slugs.",
            Json::object(), Json::array()),
       tool("get_doc_page", "Gives a page of the documentation as Markdown.", {{"slug", words}},
            Json::array({"slug"})),
       tool("search_docs", "Searches the documentation; the best sections come first.",
            {{"query", words}, {"max_results", {{"type", "integer"}, {"minimum", 1}}}},
            Json::array({"query"}))});
}

std::optional<Json> call_tool(const Json& params, std::string& fault) {
  const std::string name = text::text_of(params, "name");
  const Json* given = text::member(params, "arguments");
  const Json arguments = given == nullptr ? Json::object() : *given;
  if (!arguments.is_object()) {
    fault = "Invalid arguments: expected an object";
    return std::nullopt;
  }
  if (name == "list_doc_pages") return list_pages();
  if (name == "search_docs") return call_search(arguments, fault);
  if (name == "get_doc_page") {
    const auto slug = need_text(arguments, "slug", fault);
    return slug ? std::optional(get_page(*slug)) : std::nullopt;
  }
  fault = fmt::format("Unknown tool: {}", excerpt(name, 80));
  return std::nullopt;
}

}  // namespace svc::emulator::docs
