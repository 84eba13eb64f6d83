#include "emulator/model/search.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"

namespace svc::emulator::text {
namespace {

constexpr std::int64_t k_default_results = 15;
constexpr std::int64_t k_max_search_results = 30;
constexpr std::size_t k_max_websites = 5;
constexpr std::size_t k_pages_per_source = 2;
constexpr std::size_t k_max_shown_length = 80;

std::size_t length_of(const Json& object, sv name) {
  const Json* list = member(object, name);
  return list == nullptr ? 0 : list->size();
}

// Returns the first string of an array, or the fallback.
std::string first_of(const Json& object, sv name, sv fallback) {
  const Json* list = member(object, name);
  if (list == nullptr || list->empty()) return std::string(fallback);
  return list->front().get<std::string>();
}

std::optional<std::string> check_source(const Json& source, std::size_t index) {
  const std::string path = fmt::format("search_parameters.sources[{}]", index);
  for (const sv name : {sv("allowed_websites"), sv("excluded_websites")}) {
    if (length_of(source, name) > k_max_websites) {
      return fmt::format("{}.{} has more than {} entries.", path, name, k_max_websites);
    }
  }
  if (member(source, "allowed_websites") && member(source, "excluded_websites")) {
    return path + " cannot have both allowed_websites and excluded_websites.";
  }
  if (member(source, "included_x_handles") && member(source, "excluded_x_handles")) {
    return path + " cannot have both included_x_handles and excluded_x_handles.";
  }
  if (get_string(source, "type") == "rss" && length_of(source, "links") != 1) {
    return path + ".links must have exactly one entry.";
  }
  return std::nullopt;
}

std::vector<Source> pages_of(const Json& source, sv question) {
  const std::string type = get_string(source, "type");
  if (type == "rss") {
    const std::string link = first_of(source, "links", "https://feed.example/rss");
    return {{link, "Emulated feed"}};
  }
  if (type == "x") {
    const std::string handle =
        first_of(source, "included_x_handles", first_of(source, "x_handles", "emulator"));
    return find_pages("x.example/" + handle, question, 1);
  }
  if (type == "news") return find_pages("news.example", question, k_pages_per_source);
  return find_pages(first_of(source, "allowed_websites", "web.example"), question,
                    k_pages_per_source);
}

// Encodes a value for a URL's query: letters and digits unchanged, spaces as `+`, other bytes
// escaped.
std::string encode_query(sv text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      encoded += c;
    } else if (c == ' ') {
      encoded += '+';
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

bool is_date(sv text) {
  return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

std::optional<std::string> check_search(const Json& parameters) {
  for (const sv name : {sv("from_date"), sv("to_date")}) {
    if (member(parameters, name) && !is_date(get_string(parameters, name))) {
      return fmt::format("search_parameters.{} must be a date of the form YYYY-MM-DD.", name);
    }
  }
  const std::string from = get_string(parameters, "from_date");
  const std::string to = get_string(parameters, "to_date");
  if (!from.empty() && !to.empty() && from > to) {
    return "search_parameters.from_date must not be after to_date.";
  }
  const auto most = get_integer(parameters, "max_search_results");
  if (most && (*most < 1 || *most > k_max_search_results)) {
    return fmt::format("search_parameters.max_search_results must be between 1 and {}.",
                       k_max_search_results);
  }
  if (const Json* sources = member(parameters, "sources")) {
    for (std::size_t i = 0; i < sources->size(); ++i) {
      if (auto error = check_source((*sources)[i], i)) return error;
    }
  }
  return std::nullopt;
}

std::vector<Source> find_pages(sv site, sv question, std::size_t count) {
  std::vector<Source> pages;
  const std::string query = excerpt(question, k_max_shown_length);
  for (std::size_t i = 1; i <= count; ++i) {
    pages.push_back({fmt::format("https://{}/{}?q={}", site, i, encode_query(query)),
                     fmt::format("Emulated page {} of {}", i, site)});
  }
  return pages;
}

Search run_search(const Json& parameters, sv question) {
  Search search{.citations = get_bool(parameters, "return_citations", true)};
  const std::string mode = get_string(parameters, "mode", "on");
  if (mode == "off") return search;
  if (mode == "auto" && question.find('?') == sv::npos) return search;
  const Json* sources = member(parameters, "sources");
  const Json both = Json::array({Json{{"type", "web"}}, Json{{"type", "x"}}});
  for (const Json& source : sources != nullptr ? *sources : both) {
    for (Source& page : pages_of(source, question)) search.sources.push_back(std::move(page));
  }
  const auto most = static_cast<std::size_t>(
      get_integer(parameters, "max_search_results").value_or(k_default_results));
  if (search.sources.size() > most) search.sources.resize(most);
  return search;
}

}  // namespace svc::emulator::text
