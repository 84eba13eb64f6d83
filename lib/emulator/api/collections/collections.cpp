// Creating, listing, reading, changing and deleting collections.
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/collections/configuration.h"
#include "emulator/api/collections/fields.h"
#include "emulator/api/collections/handlers.h"
#include "emulator/api/collections/paging.h"
#include "emulator/api/collections/with_collection.h"
#include "emulator/handler/ids.h"
#include "emulator/json/json_answer.h"

namespace svc::emulator::collections {
namespace {

using filter::Field;
using management::Code;

constexpr std::array<sv, 2> k_collection_sort_words = {"COLLECTIONS_SORT_BY_NAME",
                                                       "COLLECTIONS_SORT_BY_AGE"};
constexpr std::array k_collection_filter_fields = {
    Field{"collection_id", filter::Match::Exact}, Field{"collection_name", filter::Match::Part},
    Field{"created_at", filter::Match::Time}, Field{"documents_count", filter::Match::Integer}};

filter::Value field_of(const Collection& collection, sv name) {
  if (name == "collection_id") return collection.id;
  if (name == "collection_name") return collection.name;
  if (name == "created_at") return collection.created_ms / 1000;
  if (name == "documents_count") return collection.documents;
  return std::monostate{};
}

}  // namespace

Answer refuse_collection(std::string_view id) {
  return management::refuse(Code::NotFound,
                            fmt::format("Collection {} not found.", excerpt(id, 60)),
                            "not-found:collection");
}

std::optional<Answer> team_fault(const Call& call, const Json* body) {
  std::string team = call.query_value("team_id").value_or("");
  if (body != nullptr && team.empty()) team = text::text_of(*body, "team_id");
  if (team.empty() || team == call.key.team_id) return std::nullopt;
  return management::refuse(
      Code::PermissionDenied,
      fmt::format("The management key has no access to team {}.", excerpt(team, 60)),
      "unauthorized:wrong-team");
}

Answer create_collection(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = management::read_body(call, create_type(), refusal);
  if (refusal || (refusal = team_fault(call, &body))) return *refusal;
  Collection collection;
  if ((refusal = read_creation(body, collection))) return *refusal;
  collection.id = "collection_" + new_uuid();
  collection.team_id = call.key.team_id;
  collection.created_ms = call.state->now_ms();
  const auto inserted = call.state->change(
      [&](Database& database) { return insert_collection(database, collection); });
  if (!inserted) return management::refuse_internal(inserted.error());
  return json_answer(collection_json(collection));
}

Answer list_collections(const Call& call) {
  std::optional<Answer> refusal = team_fault(call);
  if (refusal) return *refusal;
  const PageWish wish = read_page_wish(call, k_collection_sort_words, refusal);
  if (refusal) return *refusal;
  const auto filter =
      filter::Filter::parse(call.query_value("filter").value_or(""), k_collection_filter_fields);
  if (!filter) return management::refuse_field("filter", filter.error().message, "filter");
  auto list = call.state->with(
      [&](Database& database) { return all_collections(database, call.key.team_id); });
  if (!list) return management::refuse_internal(list.error());
  std::erase_if(*list, [&](const Collection& collection) {
    return !filter->matches([&](sv name) { return field_of(collection, name); });
  });
  const bool by_age = wish.sort_by == k_collection_sort_words[1];
  const std::string token = take_page(*list, wish, [&](const Collection& collection) {
    return by_age ? std::string{} : to_lower(collection.name);
  });
  Json items = Json::array();
  for (const Collection& collection : *list) items.push_back(collection_json(collection));
  Json body = {{"collections", std::move(items)}};
  if (!token.empty()) body["pagination_token"] = token;
  return json_answer(body);
}

Answer get_collection(const Call& call) {
  return with_collection(call, [](Database&, Collection& collection) -> Result<Answer> {
    return json_answer(collection_json(collection));
  });
}

Answer change_collection(const Call& call) {
  std::optional<Answer> refusal;
  const Json body = management::read_body(call, update_type(), refusal);
  if (refusal || (refusal = team_fault(call, &body))) return *refusal;
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    if (auto fault = read_update(body, collection)) return *fault;
    if (const Json* updates = text::member(body, "field_definition_updates")) {
      SVC_TRY(documents, all_documents(database, collection));
      std::vector<std::size_t> changed;
      if (auto fault = update_definitions(*updates, collection, documents, changed)) return *fault;
      for (const std::size_t index : changed) SVC_CHECK(set_fields(database, documents[index]));
    }
    SVC_CHECK(update_collection(database, collection));
    return json_answer(collection_json(collection));
  });
}

Answer remove_collection(const Call& call) {
  return with_collection(call, [](Database& database, Collection& collection) -> Result<Answer> {
    SVC_CHECK(delete_collection(database, collection));
    return json_answer(Json::object());
  });
}

}  // namespace svc::emulator::collections
