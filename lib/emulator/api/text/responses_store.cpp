// Stored responses: reading, deleting, and the list of their input.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/text/handlers.h"
#include "emulator/json/json.h"
#include "emulator/json/json_answer.h"
#include "emulator/model/rules.h"
#include "emulator/state/state.h"

namespace svc::emulator::text {
namespace {

constexpr std::int64_t k_default_limit = 20;
constexpr std::int64_t k_most_items = 100;

Answer refuse_unknown(const std::string& id) {
  return refuse_missing(fmt::format("Response with id={} not found", id));
}

// The response, or the refusal in `refusal`.
StoredResponse find(const Call& call, std::optional<Answer>& refusal) {
  const std::string& id = call.params.at("response_id");
  auto found = call.state->find_response(call.key.team_id, id);
  if (!found) {
    refusal = refuse_internal(found.error());
  } else if (!*found) {
    refusal = refuse_unknown(id);
  } else {
    return std::move(**found);
  }
  return {};
}

struct Page {
  std::int64_t limit = k_default_limit;
  bool ascending = false;
  std::string after{};
};

// The query of the list, or what is wrong with it.
std::optional<std::string> read_page(const Call& call, Page& page) {
  if (const auto limit = call.query_value("limit")) {
    const auto number = parse_integer(*limit);
    if (!number || *number < 1 || *number > k_most_items) {
      return fmt::format("limit must be an integer between 1 and {}.", k_most_items);
    }
    page.limit = *number;
  }
  const std::string order = call.query_value("order").value_or("desc");
  if (order != "asc" && order != "desc") return "order must be asc or desc.";
  page.ascending = order == "asc";
  page.after = call.query_value("after").value_or("");
  return std::nullopt;
}

// The items of one page, which `items` becomes; more of them?
std::optional<std::string> cut_page(const Page& page, Json& items, bool& more) {
  if (!page.ascending) std::ranges::reverse(items);
  auto first = items.begin();
  if (!page.after.empty()) {
    first = std::find_if(items.begin(), items.end(),
                         [&](const Json& item) { return text_of(item, "id") == page.after; });
    if (first == items.end()) {
      return fmt::format("after names no input item of this response: {}", excerpt(page.after, 80));
    }
    ++first;
  }
  Json cut = Json::array();
  for (; first != items.end() && static_cast<std::int64_t>(cut.size()) < page.limit; ++first) {
    cut.push_back(*first);
  }
  more = first != items.end();
  items = std::move(cut);
  return std::nullopt;
}

}  // namespace

Answer get_response(const Call& call) {
  std::optional<Answer> refusal;
  StoredResponse stored = find(call, refusal);
  if (refusal) return *refusal;
  Answer answer;
  answer.body = std::move(stored.body);
  return answer;
}

Answer delete_response(const Call& call) {
  const std::string& id = call.params.at("response_id");
  const auto deleted = call.state->delete_response(call.key.team_id, id);
  if (!deleted) return refuse_internal(deleted.error());
  if (!*deleted) return refuse_unknown(id);
  return json_answer(Json{{"id", id}, {"object", "response"}, {"deleted", true}});
}

Answer list_input_items(const Call& call) {
  Page page;
  if (const auto fault = read_page(call, page)) return refuse_argument(*fault);
  std::optional<Answer> refusal;
  const StoredResponse stored = find(call, refusal);
  if (refusal) return *refusal;
  Json items = parse_json(stored.input_items);
  bool more = false;
  if (const auto fault = cut_page(page, items, more)) return refuse_argument(*fault);
  const Json first = items.empty() ? Json(nullptr) : items.front()["id"];
  const Json last = items.empty() ? Json(nullptr) : items.back()["id"];
  return json_answer(Json{{"object", "list"},
                          {"data", std::move(items)},
                          {"first_id", first},
                          {"last_id", last},
                          {"has_more", more}});
}

}  // namespace svc::emulator::text
