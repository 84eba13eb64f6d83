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
std::optional<Response> check_team(const Request& request, const Json* body = nullptr) {
  std::string team = request.query_value("team_id").value_or("");
  if (body != nullptr && team.empty()) team = text::get_string(*body, "team_id");
  if (team.empty() || team == request.key.team_id) return std::nullopt;
  return management::team_access_error(team);
}

/// Runs `work(database, collection)` in one transaction, if the collection belongs to the caller's
/// team.
template <typename Work>
Response with_collection(const Request& request, Work&& work) {
  if (auto refusal = check_team(request)) return *refusal;
  const std::string& id = request.params.at("collection_id");
  return response_or_error(request.state->change([&](Database& database) -> Result<Response> {
    SVC_TRY(collection, find_collection(database, request.key.team_id, id));
    if (!collection) return management::not_found_error("Collection", id);
    return work(database, *collection);
  }));
}

/// The query of a listing.
struct PageOptions {
  std::size_t limit = 100;
  bool ascending = false;
  std::string sort_by{};  ///< empty: by name
  std::size_t start = 0;
  std::optional<filter::Filter> filter{};
};

// A token is valid only with the same order.
std::string seal_kind(const PageOptions& options) {
  return fmt::format("collections page {} {}", options.sort_by, options.ascending);
}

// `sort_words` are the allowed values of sort_by, `fields` those that the filter may use.
Checked<PageOptions> read_page_options(const Request& request, std::span<const sv> sort_words,
                                       std::span<const Field> fields) {
  PageOptions options;
  SVC_TRY(limit, management::query_number(request, "limit", 1, 1'000'000'000));
  if (limit) options.limit = static_cast<std::size_t>(std::min<std::int64_t>(*limit, 100));
  const std::string order = request.query_value("order").value_or("");
  options.ascending = order == "ORDERING_ASCENDING";
  constexpr std::array<sv, 4> k_orders = {"", "ORDERING_UNKNOWN", "ORDERING_ASCENDING",
                                          "ORDERING_DESCENDING"};
  if (std::ranges::find(k_orders, order) == k_orders.end()) {
    return management::invalid_field_error(
        "order", "The order is ORDERING_ASCENDING or _DESCENDING.", "enum");
  }
  options.sort_by = request.query_value("sort_by").value_or("");
  if (!options.sort_by.empty() &&
      std::ranges::find(sort_words, sv(options.sort_by)) == sort_words.end()) {
    return management::invalid_field_error(
        "sort_by", fmt::format("Known are {}.", join(sort_words, ", ")), "enum");
  }
  const std::string token = request.query_value("pagination_token").value_or("");
  const auto start =
      token.empty() ? std::optional(std::int64_t{0}) : read_page_number(seal_kind(options), token);
  if (!start || *start < 0) {
    return management::invalid_field_error(
        "pagination_token", "The token comes from no page of this listing in this order.",
        "invalid-token");
  }
  options.start = static_cast<std::size_t>(*start);
  auto filter = filter::Filter::parse(request.query_value("filter").value_or(""), fields);
  if (!filter) return management::invalid_field_error("filter", filter.error().message, "filter");
  options.filter = *std::move(filter);
  return options;
}

/// Sorts `list`, given in the order of creation, by `key`, and reduces it to the page; returns the
/// next page's token, "" on the last page.
template <typename Item, typename Key>
[[nodiscard]] std::string take_page(std::vector<Item>& list, const PageOptions& options, Key key) {
  std::ranges::stable_sort(list, std::ranges::less{}, key);
  if (!options.ascending) std::ranges::reverse(list);
  const std::size_t start = std::min(options.start, list.size());
  const std::size_t end = std::min(start + options.limit, list.size());
  const std::string token = end < list.size()
                                ? make_page_token(seal_kind(options), {std::to_string(end)})
                                : std::string{};
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
Indexed index_file(State& state, const FileContent& file, const Collection& collection,
                   const text::Json& values, std::int64_t now_ms) {
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
  document.started_ms = now_ms;
  const auto content = extract_text(file.file.content_type, file.data);
  if (!content) {
    document.error = content.error().message;
    return indexed;
  }
  const Chunking chunking = chunking_of(collection);
  std::string head = injected_values(values, collection);
  if (chunking.inject_name) head = document.name + "\n" + head;
  for (TextChunk& piece : split_text(*content, chunking.options)) {
    Chunk chunk{.id = "chunk_" + state.new_uuid(), .text = head + piece.text, .page = piece.page};
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
Response with_document(const Request& request, Work&& work) {
  return with_collection(
      request, [&](Database& database, Collection& collection) -> Result<Response> {
        const std::string& id = request.params.at("file_id");
        SVC_TRY(document, find_document(database, collection, id));
        if (!document) return management::not_found_error("Document", id, " in this collection");
        return work(database, collection, *document);
      });
}

// Returns why a document with these values cannot be added; nothing if it can.
Result<std::optional<Response>> check_addition(Database& database, const Collection& collection,
                                               const Json& values) {
  SVC_TRY(others, all_documents(database, collection));
  return check_values(values, collection, others);
}

// Stores the file's document. In two steps, because reading a file locks the state's mutex.
Response add_file(const Request& request, const FileContent& file, const Json& values, bool show) {
  return with_collection(
      request, [&](Database& database, Collection& collection) -> Result<Response> {
        SVC_TRY(taken, find_document(database, collection, file.file.id));
        if (taken) {
          return management::error_response(
              Code::AlreadyExists,
              fmt::format("File {} is in collection {} already.", file.file.id, collection.id),
              "already-exists:document");
        }
        SVC_TRY(fault, check_addition(database, collection, values));
        if (fault) return *fault;
        const std::int64_t now = request.state->now_ms();
        Indexed indexed = index_file(*request.state, file, collection, values, now);
        SVC_CHECK(insert_document(database, indexed.document, indexed.chunks));
        return json_response(show ? document_json(indexed.document, now) : Json::object());
      });
}

struct Upload {
  std::string name{}, content_type{}, data{};
  Json fields = Json::object();
};

Checked<Upload> read_upload(const Request& request) {
  Upload upload;
  const auto form_error = [](sv reason) {
    return management::invalid_field_error("body", reason, "multipart");
  };
  const auto boundary = form_boundary(request.header("Content-Type").value_or(""));
  if (!boundary) return form_error("The body must be multipart/form-data.");
  const auto parts = parse_form(request.body, *boundary);
  if (!parts) return form_error(parts.error().message);
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
  if (upload.name.empty()) return management::empty_field_error("name");
  if (!has_data) return management::empty_field_error("data");
  if (!upload.fields.is_object()) {
    return management::invalid_field_error("fields", "This is not a JSON object.", "json");
  }
  return upload;
}

Response create_collection(const Request& request) {
  SVC_TRY(body, management::read_body(request, collection_types()["create"]));
  if (auto refusal = check_team(request, &body)) return *refusal;
  Collection collection;
  if (auto refusal = read_creation(body, collection)) return *refusal;
  collection.id = "collection_" + request.state->new_uuid();
  collection.team_id = request.key.team_id;
  collection.created_ms = request.state->now_ms();
  SVC_CHECK(checked(request.state->change(
      [&](Database& database) { return insert_collection(database, collection); })));
  return json_response(collection_json(collection));
}

Response list_collections(const Request& request) {
  if (auto refusal = check_team(request)) return *refusal;
  SVC_TRY(options, read_page_options(request, k_collection_sort_words, k_collection_filter_fields));
  SVC_TRY(list, checked(request.state->with([&](Database& database) {
            return all_collections(database, request.key.team_id);
          })));
  std::erase_if(list, [&](const Collection& collection) {
    return !options.filter->matches([&](sv name) { return field_of(collection, name); });
  });
  const bool by_age = options.sort_by == k_collection_sort_words[1];
  const std::string token = take_page(list, options, [&](const Collection& collection) {
    return by_age ? std::string{} : to_lower(collection.name);
  });
  Json body = {{"collections", text::json_list(list, collection_json)}};
  if (!token.empty()) body["pagination_token"] = token;
  return json_response(body);
}

Response get_collection(const Request& request) {
  return with_collection(request, [](Database&, Collection& collection) -> Result<Response> {
    return json_response(collection_json(collection));
  });
}

Response change_collection(const Request& request) {
  SVC_TRY(body, management::read_body(request, collection_types()["update"]));
  if (auto refusal = check_team(request, &body)) return *refusal;
  return with_collection(
      request, [&](Database& database, Collection& collection) -> Result<Response> {
        if (auto fault = read_update(body, collection)) return *fault;
        if (const Json* updates = text::member(body, "field_definition_updates")) {
          SVC_TRY(documents, all_documents(database, collection));
          if (auto fault = update_definitions(*updates, collection, documents)) return *fault;
          for (const Document& document : documents) SVC_CHECK(set_fields(database, document));
        }
        SVC_CHECK(update_collection(database, collection));
        return json_response(collection_json(collection));
      });
}

Response remove_collection(const Request& request) {
  return with_collection(request,
                         [](Database& database, Collection& collection) -> Result<Response> {
                           SVC_CHECK(delete_collection(database, collection));
                           return json_response(Json::object());
                         });
}

Response add_document(const Request& request) {
  SVC_TRY(body, management::read_body(request, collection_types()["add"]));
  if (auto refusal = check_team(request, &body)) return *refusal;
  const std::string& id = request.params.at("file_id");
  SVC_TRY(file, found_or(read_file(*request.state, request.key.team_id, id),
                         management::not_found_error("File", id)));
  return add_file(request, file, text::value_or(body, "fields", Json::object()), false);
}

Response upload_document(const Request& request) {
  SVC_TRY(upload, read_upload(request));
  // Check first: a refused document must not leave a file.
  const Response allowed =
      with_collection(request, [&](Database& database, Collection& collection) -> Result<Response> {
        SVC_TRY(fault, check_addition(database, collection, upload.fields));
        return fault ? *fault : Response{};
      });
  if (allowed.status != 200) return allowed;
  SVC_TRY(
      file,
      checked(store_file(
          *request.state, request.key.team_id,
          {.filename = upload.name, .content_type = upload.content_type, .data = upload.data})));
  return add_file(request, {file, upload.data}, upload.fields, true);
}

Response list_documents(const Request& request) {
  SVC_TRY(options, read_page_options(request, k_document_sort_words, k_document_filter_fields));
  const std::string name = request.query_value("name").value_or("");
  const std::int64_t now = request.state->now_ms();
  return with_collection(
      request, [&](Database& database, Collection& collection) -> Result<Response> {
        SVC_TRY(list, all_documents(database, collection));
        std::erase_if(list, [&](const Document& document) {
          if (!contains_ignore_case(document.name, name)) return true;
          const Json values = text::parse_json(document.fields);
          return !options.filter->matches(
              [&](sv field) { return value_of(document, values, field, now); });
        });
        const bool by_name = options.sort_by.empty() || options.sort_by == k_document_sort_words[0];
        const bool by_size = options.sort_by == k_document_sort_words[1];
        const std::string token = take_page(list, options, [&](const Document& document) {
          return std::pair(by_name ? to_lower(document.name) : std::string{},
                           by_size ? document.bytes : 0);
        });
        Json body = {{"documents", text::json_list(list, [&](const Document& document) {
                        return document_json(document, now);
                      })}};
        if (!token.empty()) body["pagination_token"] = token;
        return json_response(body);
      });
}

Response get_document(const Request& request) {
  return with_document(request,
                       [&](Database&, Collection&, Document& document) -> Result<Response> {
                         return json_response(document_json(document, request.state->now_ms()));
                       });
}

Response get_documents(const Request& request) {
  return with_collection(request,
                         [&](Database& database, Collection& collection) -> Result<Response> {
                           Json items = Json::array();
                           for (const Header& pair : request.query) {
                             if (pair.name != "file_ids") continue;
                             SVC_TRY(document, find_document(database, collection, pair.value));
                             if (document)
                               items.push_back(document_json(*document, request.state->now_ms()));
                           }
                           return json_response({{"documents", std::move(items)}});
                         });
}

Response reindex_document(const Request& request) {
  const std::string& id = request.params.at("file_id");
  SVC_TRY(file, checked(read_file(*request.state, request.key.team_id, id)));
  return with_document(
      request,
      [&](Database& database, Collection& collection, Document& document) -> Result<Response> {
        if (!file) return management::not_found_error("File", id);
        Indexed indexed = index_file(*request.state, *file, collection,
                                     text::parse_json(document.fields), request.state->now_ms());
        indexed.document.seq = document.seq;
        SVC_CHECK(replace_chunks(database, indexed.document, indexed.chunks));
        return json_response(Json::object());
      });
}

Response remove_document(const Request& request) {
  return with_document(request,
                       [](Database& database, Collection&, Document& document) -> Result<Response> {
                         SVC_CHECK(delete_document(database, document));
                         return json_response(Json::object());
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
  for (Route& route : routes) route.key = KeyRequirement::Management;
  routes.push_back({"POST", "/v1/documents/search", search_documents, "documents"});
  return routes;
}

}  // namespace svc::emulator
