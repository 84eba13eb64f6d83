// Creating, listing, reading, changing and deleting collections.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/account/management.h"
#include "emulator/api/collections/configuration.h"
#include "emulator/api/collections/search.h"
#include "emulator/api/collections/store.h"
#include "emulator/api/files/extract.h"
#include "emulator/api/files/multipart.h"
#include "emulator/api/files/store.h"
#include "emulator/handler/handler.h"
#include "emulator/handler/routes.h"
#include "emulator/json/json.h"
#include "emulator/state/seal.h"
#include "emulator/state/state.h"

namespace svc::emulator::collections {
namespace {

using filter::Field;
using management::Code;
using management::sv;

// Returns 403 if a `team_id`, in the query or in `body`, is not the caller's.
std::optional<Answer> team_fault(const Call& call, const Json* body = nullptr) {
  std::string team = call.query_value("team_id").value_or("");
  if (body != nullptr && team.empty()) team = text::text_of(*body, "team_id");
  if (team.empty() || team == call.key.team_id) return std::nullopt;
  return management::refuse_team(team);
}

/// Runs `work(database, collection)` in one transaction, if the collection belongs to the caller's
/// team.
template <typename Work>
Answer with_collection(const Call& call, Work&& work) {
  if (auto refusal = team_fault(call)) return *refusal;
  const std::string& id = call.params.at("collection_id");
  return answer_of(call.state->change([&](Database& database) -> Result<Answer> {
    SVC_TRY(collection, find_collection(database, call.key.team_id, id));
    if (!collection) return management::refuse_missing("Collection", id);
    return work(database, *collection);
  }));
}

/// The query of a listing.
struct PageWish {
  std::size_t limit = 100;
  bool ascending = false;
  std::string sort_by{};  ///< empty: by name
  std::size_t start = 0;
  std::optional<filter::Filter> filter{};
};

// A token is valid only with the same order.
std::string seal_kind(const PageWish& wish) {
  return fmt::format("collections page {} {}", wish.sort_by, wish.ascending);
}

// `sort_words` are the allowed values of sort_by, `fields` those that the filter may use.
Checked<PageWish> read_page_wish(const Call& call, std::span<const sv> sort_words,
                                 std::span<const Field> fields) {
  PageWish wish;
  SVC_TRY(limit, management::query_number(call, "limit", 1, 1'000'000'000));
  if (limit) wish.limit = static_cast<std::size_t>(std::min<std::int64_t>(*limit, 100));
  const std::string order = call.query_value("order").value_or("");
  wish.ascending = order == "ORDERING_ASCENDING";
  constexpr std::array<sv, 4> k_orders = {"", "ORDERING_UNKNOWN", "ORDERING_ASCENDING",
                                          "ORDERING_DESCENDING"};
  if (std::ranges::find(k_orders, order) == k_orders.end()) {
    return management::refuse_field("order", "The order is ORDERING_ASCENDING or _DESCENDING.",
                                    "enum");
  }
  wish.sort_by = call.query_value("sort_by").value_or("");
  if (!wish.sort_by.empty() &&
      std::ranges::find(sort_words, sv(wish.sort_by)) == sort_words.end()) {
    return management::refuse_field("sort_by", fmt::format("Known are {}.", join(sort_words, ", ")),
                                    "enum");
  }
  const std::string token = call.query_value("pagination_token").value_or("");
  const auto start =
      token.empty() ? std::optional(std::int64_t{0}) : read_page_number(seal_kind(wish), token);
  if (!start || *start < 0) {
    return management::refuse_field("pagination_token",
                                    "The token comes from no page of this listing in this order.",
                                    "invalid-token");
  }
  wish.start = static_cast<std::size_t>(*start);
  auto filter = filter::Filter::parse(call.query_value("filter").value_or(""), fields);
  if (!filter) return management::refuse_field("filter", filter.error().message, "filter");
  wish.filter = *std::move(filter);
  return wish;
}

/// Sorts `list`, given in the order of creation, by `key`, and reduces it to the page; returns the
/// next page's token, "" on the last page.
template <typename Item, typename Key>
[[nodiscard]] std::string take_page(std::vector<Item>& list, const PageWish& wish, Key key) {
  std::ranges::stable_sort(list, std::ranges::less{}, key);
  if (!wish.ascending) std::ranges::reverse(list);
  const std::size_t start = std::min(wish.start, list.size());
  const std::size_t end = std::min(start + wish.limit, list.size());
  const std::string token =
      end < list.size() ? make_page_token(seal_kind(wish), {std::to_string(end)}) : std::string{};
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(end), list.end());
  list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(start));
  return token;
}

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

struct Indexed {
  Document document{};
  std::vector<Chunk> chunks{};
};

// Splits the file's text as configured for the collection. An unreadable file becomes a document
// with an error and without chunks.
Indexed index_file(const FileContent& file, const Collection& collection, const text::Json& values,
                   std::int64_t now_ms) {
  Indexed indexed;
  Document& document = indexed.document;
  document.collection_seq = collection.seq;
  document.file_id = file.file.id;
  document.name = file.file.filename;
  document.content_type = file.file.content_type;
  document.bytes = file.file.bytes;
  document.file_created_s = file.file.created_at;
  document.metadata = text::dump(file_metadata(file.file));
  document.fields = text::dump(values);
  document.begun_ms = now_ms;
  const auto content = extract_text(file.file.content_type, file.data);
  if (!content) {
    document.error = content.error().message;
    return indexed;
  }
  const Chunking chunking = chunking_of(collection);
  std::string head = injected_values(values, collection);
  if (chunking.inject_name) head = document.name + "\n" + head;
  for (TextChunk& piece : cut_text(*content, chunking.plan)) {
    Chunk chunk{.id = "chunk_" + new_uuid(), .text = head + piece.text, .page = piece.page};
    chunk.vector = embed(chunk.text);
    indexed.chunks.push_back(std::move(chunk));
  }
  document.chunks = static_cast<std::int64_t>(indexed.chunks.size());
  if (indexed.chunks.empty()) document.error = "The document holds no text.";
  return indexed;
}

constexpr std::array<sv, 3> k_document_sort_words = {
    "DOCUMENTS_SORT_BY_NAME", "DOCUMENTS_SORT_BY_SIZE", "DOCUMENTS_SORT_BY_AGE"};
constexpr std::array k_document_filter_fields = {
    Field{"name", filter::Match::Part},          Field{"content_type", filter::Match::Part},
    Field{"size_bytes", filter::Match::Integer}, Field{"created_at", filter::Match::Time},
    Field{"status", filter::Match::Exact},       Field{"file_id", filter::Match::Exact},
    Field{"fields.*", filter::Match::Any}};

template <typename Work>
Answer with_document(const Call& call, Work&& work) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    const std::string& id = call.params.at("file_id");
    SVC_TRY(document, find_document(database, collection, id));
    if (!document) return management::refuse_missing("Document", id, " in this collection");
    return work(database, collection, *document);
  });
}

// Returns why a document with these values cannot be added; nothing if it can.
Result<std::optional<Answer>> check_addition(Database& database, const Collection& collection,
                                             const Json& values) {
  SVC_TRY(others, all_documents(database, collection));
  return values_fault(values, collection, others);
}

// Stores the file's document. In two steps, because reading a file locks the state's mutex.
Answer add_file(const Call& call, const FileContent& file, const Json& values, bool show) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    SVC_TRY(taken, find_document(database, collection, file.file.id));
    if (taken) {
      return management::refuse(
          Code::AlreadyExists,
          fmt::format("File {} is in collection {} already.", file.file.id, collection.id),
          "already-exists:document");
    }
    SVC_TRY(fault, check_addition(database, collection, values));
    if (fault) return *fault;
    const std::int64_t now = call.state->now_ms();
    Indexed indexed = index_file(file, collection, values, now);
    SVC_CHECK(insert_document(database, indexed.document, indexed.chunks));
    return json_answer(show ? document_json(indexed.document, now) : Json::object());
  });
}

struct Upload {
  std::string name{}, content_type{}, data{};
  Json fields = Json::object();
};

Checked<Upload> read_upload(const Call& call) {
  Upload upload;
  const auto refuse_form = [](sv reason) {
    return management::refuse_field("body", reason, "multipart");
  };
  const auto boundary = form_boundary(call.header("Content-Type").value_or(""));
  if (!boundary) return refuse_form("The body must be multipart/form-data.");
  const auto parts = parse_form(call.body, *boundary);
  if (!parts) return refuse_form(parts.error().message);
  bool has_data = false;
  for (const FormPart& part : *parts) {
    if (part.name == "name") upload.name = part.data;
    if (part.name == "content_type") upload.content_type = part.data;
    if (part.name == "fields") upload.fields = text::parse_json(part.data);
    if (part.name != "data") continue;
    has_data = true;
    upload.data = part.data;
    if (upload.name.empty()) upload.name = part.filename.value_or("");
    if (upload.content_type.empty()) upload.content_type = part.content_type;
  }
  if (upload.name.empty()) return management::refuse_empty("name");
  if (!has_data) return management::refuse_empty("data");
  if (!upload.fields.is_object()) {
    return management::refuse_field("fields", "This is not a JSON object.", "json");
  }
  return upload;
}

Answer create_collection(const Call& call) {
  SVC_TRY(body, management::read_body(call, collection_types()["create"]));
  if (auto refusal = team_fault(call, &body)) return *refusal;
  Collection collection;
  if (auto refusal = read_creation(body, collection)) return *refusal;
  collection.id = "collection_" + new_uuid();
  collection.team_id = call.key.team_id;
  collection.created_ms = call.state->now_ms();
  SVC_CHECK(checked(call.state->change(
      [&](Database& database) { return insert_collection(database, collection); })));
  return json_answer(collection_json(collection));
}

Answer list_collections(const Call& call) {
  if (auto refusal = team_fault(call)) return *refusal;
  SVC_TRY(wish, read_page_wish(call, k_collection_sort_words, k_collection_filter_fields));
  SVC_TRY(list, checked(call.state->with([&](Database& database) {
            return all_collections(database, call.key.team_id);
          })));
  std::erase_if(list, [&](const Collection& collection) {
    return !wish.filter->matches([&](sv name) { return field_of(collection, name); });
  });
  const bool by_age = wish.sort_by == k_collection_sort_words[1];
  const std::string token = take_page(list, wish, [&](const Collection& collection) {
    return by_age ? std::string{} : to_lower(collection.name);
  });
  Json body = {{"collections", text::json_list(list, collection_json)}};
  if (!token.empty()) body["pagination_token"] = token;
  return json_answer(body);
}

Answer get_collection(const Call& call) {
  return with_collection(call, [](Database&, Collection& collection) -> Result<Answer> {
    return json_answer(collection_json(collection));
  });
}

Answer change_collection(const Call& call) {
  SVC_TRY(body, management::read_body(call, collection_types()["update"]));
  if (auto refusal = team_fault(call, &body)) return *refusal;
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    if (auto fault = read_update(body, collection)) return *fault;
    if (const Json* updates = text::member(body, "field_definition_updates")) {
      SVC_TRY(documents, all_documents(database, collection));
      if (auto fault = update_definitions(*updates, collection, documents)) return *fault;
      for (const Document& document : documents) SVC_CHECK(set_fields(database, document));
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

Answer add_document(const Call& call) {
  SVC_TRY(body, management::read_body(call, collection_types()["add"]));
  if (auto refusal = team_fault(call, &body)) return *refusal;
  const std::string& id = call.params.at("file_id");
  SVC_TRY(file, found_or(read_file(*call.state, call.key.team_id, id),
                         management::refuse_missing("File", id)));
  return add_file(call, file, text::value_or(body, "fields", Json::object()), false);
}

Answer upload_document(const Call& call) {
  SVC_TRY(upload, read_upload(call));
  // Check first: a refused document must not leave a file.
  const Answer allowed =
      with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
        SVC_TRY(fault, check_addition(database, collection, upload.fields));
        return fault ? *fault : Answer{};
      });
  if (allowed.status != 200) return allowed;
  SVC_TRY(
      file,
      checked(store_file(
          *call.state, call.key.team_id,
          {.filename = upload.name, .content_type = upload.content_type, .data = upload.data})));
  return add_file(call, {file, upload.data}, upload.fields, true);
}

Answer list_documents(const Call& call) {
  SVC_TRY(wish, read_page_wish(call, k_document_sort_words, k_document_filter_fields));
  const std::string name = call.query_value("name").value_or("");
  const std::int64_t now = call.state->now_ms();
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    SVC_TRY(list, all_documents(database, collection));
    std::erase_if(list, [&](const Document& document) {
      if (!contains_ignore_case(document.name, name)) return true;
      const Json values = text::parse_json(document.fields);
      return !wish.filter->matches(
          [&](sv field) { return value_of(document, values, field, now); });
    });
    const bool by_name = wish.sort_by.empty() || wish.sort_by == k_document_sort_words[0];
    const bool by_size = wish.sort_by == k_document_sort_words[1];
    const std::string token = take_page(list, wish, [&](const Document& document) {
      return std::pair(by_name ? to_lower(document.name) : std::string{},
                       by_size ? document.bytes : 0);
    });
    Json body = {{"documents", text::json_list(list, [&](const Document& document) {
                    return document_json(document, now);
                  })}};
    if (!token.empty()) body["pagination_token"] = token;
    return json_answer(body);
  });
}

Answer get_document(const Call& call) {
  return with_document(call, [&](Database&, Collection&, Document& document) -> Result<Answer> {
    return json_answer(document_json(document, call.state->now_ms()));
  });
}

Answer get_documents(const Call& call) {
  return with_collection(call, [&](Database& database, Collection& collection) -> Result<Answer> {
    Json items = Json::array();
    for (const Header& pair : call.query) {
      if (pair.name != "file_ids") continue;
      SVC_TRY(document, find_document(database, collection, pair.value));
      if (document) items.push_back(document_json(*document, call.state->now_ms()));
    }
    return json_answer({{"documents", std::move(items)}});
  });
}

Answer reindex_document(const Call& call) {
  const std::string& id = call.params.at("file_id");
  SVC_TRY(file, checked(read_file(*call.state, call.key.team_id, id)));
  return with_document(
      call, [&](Database& database, Collection& collection, Document& document) -> Result<Answer> {
        if (!file) return management::refuse_missing("File", id);
        Indexed indexed =
            index_file(*file, collection, text::parse_json(document.fields), call.state->now_ms());
        indexed.document.seq = document.seq;
        SVC_CHECK(replace_chunks(database, indexed.document, indexed.chunks));
        return json_answer(Json::object());
      });
}

Answer remove_document(const Call& call) {
  return with_document(call,
                       [](Database& database, Collection&, Document& document) -> Result<Answer> {
                         SVC_CHECK(delete_document(database, document));
                         return json_answer(Json::object());
                       });
}

}  // namespace
}  // namespace svc::emulator::collections

namespace svc::emulator {

std::vector<Route> collection_routes() {
  using namespace collections;
  const std::string one = "/v1/collections/{collection_id}";
  const std::string document = one + "/documents/{file_id}";
  std::vector<Route> routes = {
      {"POST", "/v1/collections", create_collection},
      {"GET", "/v1/collections", list_collections},
      {"GET", one, get_collection},
      {"PUT", one, change_collection},
      {"DELETE", one, remove_collection},
      {"POST", one + "/documents", upload_document, "", Input::Free},
      {"GET", one + "/documents", list_documents},
      {"GET", one + "/documents:batchGet", get_documents},
      {"POST", document, add_document},
      {"GET", document, get_document},
      {"PATCH", document, reindex_document, "", Input::Free},
      {"DELETE", document, remove_document},
  };
  for (Route& route : routes) route.key = KeyNeed::Management;
  routes.push_back({"POST", "/v1/documents/search", search_documents, "documents"});
  return routes;
}

}  // namespace svc::emulator
