#include <nlohmann/json.hpp>

#include "emulator/api/collections/store.h"
#include "emulator/api/files/store.h"

namespace svc::emulator::collections {
namespace {

struct StrategyRow {
  sv name;
  sv unit;  ///< of "max_chunk_size_<unit>" and "chunk_overlap_<unit>"
  Measure measure;
  bool overlaps = true;

  [[nodiscard]] std::string size() const { return fmt::format("max_chunk_size_{}", unit); }
  [[nodiscard]] std::string overlap() const { return fmt::format("chunk_overlap_{}", unit); }
};
constexpr std::array k_strategies = {
    StrategyRow{"chars_configuration", "chars", Measure::Chars},
    StrategyRow{"tokens_configuration", "tokens", Measure::Tokens},
    StrategyRow{"ast_configuration", "tokens", Measure::Tokens, false},
    StrategyRow{"table_configuration", "tokens", Measure::Tokens, false},
    StrategyRow{"markdown_tokens_configuration", "tokens", Measure::Tokens},
    StrategyRow{"markdown_chars_configuration", "chars", Measure::Chars},
    StrategyRow{"code_tokens_configuration", "tokens", Measure::Tokens},
    StrategyRow{"code_chars_configuration", "chars", Measure::Chars},
    StrategyRow{"bytes_configuration", "bytes", Measure::Bytes}};

Response chunking_error(const std::string& reason) {
  return management::invalid_field_error("chunk_configuration", reason, "invalid");
}

std::optional<Response> check_sizes(const Json& sizes, const StrategyRow& row) {
  const auto size = management::get_int64(sizes, row.size());
  constexpr std::int64_t k_max = 1'000'000;
  if (!size || *size < 1 || *size > k_max) {
    return chunking_error(
        fmt::format("{} must be a whole number from 1 to {}.", row.size(), k_max));
  }
  if (!row.overlaps || text::member(sizes, row.overlap()) == nullptr) return std::nullopt;
  const auto overlap = management::get_int64(sizes, row.overlap());
  if (!overlap || *overlap < 0 || *overlap >= *size) {
    return chunking_error(fmt::format("{} must be a whole number from 0 to less than {}.",
                                      row.overlap(), row.size()));
  }
  return std::nullopt;
}

// Exactly one strategy, with valid sizes.
std::optional<Response> read_chunking(const Json& given, std::string& chunking) {
  const StrategyRow* chosen = nullptr;
  for (const StrategyRow& row : k_strategies) {
    if (text::member(given, row.name) == nullptr) continue;
    if (chosen != nullptr) {
      return chunking_error(
          fmt::format("Only one strategy may be set, not both {} and {}.", chosen->name, row.name));
    }
    chosen = &row;
  }
  Json configuration = Json::object();
  if (chosen == nullptr) {
    configuration["bytes_configuration"] =
        text::parse_json(k_default_chunking)["bytes_configuration"];
  } else {
    const Json& sizes = *text::member(given, chosen->name);
    if (auto refusal = check_sizes(sizes, *chosen)) return refusal;
    configuration[std::string(chosen->name)] = sizes;
  }
  configuration["strip_whitespace"] = text::get_bool(given, "strip_whitespace", chosen == nullptr);
  configuration["inject_name_into_chunks"] =
      text::get_bool(given, "inject_name_into_chunks", false);
  chunking = text::dump(configuration);
  return std::nullopt;
}

sv status_name(Progress progress) {
  constexpr std::array<sv, 6> k_words = {"DOCUMENT_STATUS_PROCESSING", "DOCUMENT_STATUS_CHUNKED",
                                         "DOCUMENT_STATUS_EMBEDDING",  "DOCUMENT_STATUS_WRITING",
                                         "DOCUMENT_STATUS_PROCESSED",  "DOCUMENT_STATUS_FAILED"};
  return k_words[static_cast<std::size_t>(progress)];
}

std::string time_text(std::int64_t ms) {
  std::string time = format_rfc3339(ms / 1000);
  time.pop_back();
  return fmt::format("{}.{:03}000Z", time, ms % 1000);
}

// A new collection's definitions: each must have a key, and keys must be unique.
std::optional<Response> check_definitions(const std::vector<FieldDefinition>& fields) {
  std::set<std::string> keys;
  for (const FieldDefinition& field : fields) {
    if (field.key.empty()) return management::empty_field_error("field_definitions.key");
    if (!keys.insert(field.key).second) {
      return management::invalid_field_error(
          "field_definitions", fmt::format("The key {} comes twice.", excerpt(field.key)),
          "duplicate-key");
    }
  }
  return std::nullopt;
}

// Reads the body of a creation; returns the refusal if it is invalid.
std::optional<Response> read_creation(const Json& body, Collection& collection) {
  collection.name = text::get_string(body, "collection_name");
  if (trim(collection.name).empty()) return management::empty_field_error("collection_name");
  collection.description = text::get_string(body, "collection_description");
  collection.metric_space = text::get_string(body, "metric_space");
  const Json index = text::copy_of(body, "index_configuration");
  collection.model_name = text::get_string(index, "model_name", k_embedding_model);
  if (collection.model_name != k_embedding_model) {
    return management::invalid_field_error(
        "index_configuration",
        fmt::format("{} is not an embedding model of this team; {} is.",
                    excerpt(collection.model_name), k_embedding_model),
        "unknown-model");
  }
  collection.chunking = k_default_chunking;
  if (const Json* chunking = text::member(body, "chunk_configuration")) {
    if (auto refusal = read_chunking(*chunking, collection.chunking)) return refusal;
  }
  if (const Json* fields = text::member(body, "field_definitions")) {
    collection.fields = definitions_from(*fields);
  }
  return check_definitions(collection.fields);
}

// The same for an update, except its field definitions.
std::optional<Response> read_update(const Json& body, Collection& collection) {
  if (text::member(body, "collection_name") != nullptr) {
    collection.name = text::get_string(body, "collection_name");
    if (trim(collection.name).empty()) return management::empty_field_error("collection_name");
  }
  if (text::member(body, "collection_description") != nullptr) {
    collection.description = text::get_string(body, "collection_description");
  }
  const Json* chunking = text::member(body, "chunk_configuration");
  return chunking == nullptr ? std::nullopt : read_chunking(*chunking, collection.chunking);
}

Chunking chunking_of(const Collection& collection) {
  const Json given = text::parse_json(collection.chunking);
  Chunking chunking;
  chunking.inject_name = text::get_bool(given, "inject_name_into_chunks", false);
  chunking.options.strip_whitespace = text::get_bool(given, "strip_whitespace", false);
  for (const StrategyRow& row : k_strategies) {
    const Json* sizes = text::member(given, row.name);
    if (sizes == nullptr) continue;
    chunking.options.measure = row.measure;
    chunking.options.max_size =
        static_cast<std::size_t>(management::get_int64(*sizes, row.size()).value_or(1));
    const auto overlap = row.overlaps ? management::get_int64(*sizes, row.overlap()) : std::nullopt;
    chunking.options.overlap = static_cast<std::size_t>(overlap.value_or(0));
  }
  return chunking;
}

// As shown in responses.
Json collection_json(const Collection& collection) {
  Json json = {{"collection_id", collection.id},
               {"collection_name", collection.name},
               {"created_at", time_text(collection.created_ms)},
               {"index_configuration", {{"model_name", collection.model_name}}},
               {"chunk_configuration", text::parse_json(collection.chunking)},
               {"documents_count", collection.documents},
               {"field_definitions", definitions_json(collection.fields)},
               {"total_file_size", std::to_string(collection.bytes)},
               {"disable_rag_lookup", false}};
  if (!collection.description.empty()) json["collection_description"] = collection.description;
  if (!collection.metric_space.empty()) json["metric_space"] = collection.metric_space;
  return json;
}

Json document_json(const Document& document, std::int64_t now_ms) {
  const Progress progress = document.progress(now_ms);
  const bool cut = progress != Progress::Processing;
  const bool written = progress == Progress::Writing || progress == Progress::Processed;
  const bool ready = progress == Progress::Processed;
  Json json = {{"file_metadata", text::parse_json(document.metadata)},
               {"fields", text::parse_json(document.fields)},
               {"status", status_name(progress)},
               {"last_indexed_at",
                ready ? Json(time_text(document.started_ms + k_processing_ms)) : Json(nullptr)},
               {"chunk_count", cut ? document.chunks : 0},
               {"chunks_processed_count", std::to_string(written ? document.chunks : 0)}};
  if (progress == Progress::Failed) json["error_message"] = document.error;
  return json;
}

FieldDefinition definition_from(const Json& item) {
  return {.key = text::get_string(item, "key"),
          .required = text::get_bool(item, "required", false),
          .inject_into_chunk = text::get_bool(item, "inject_into_chunk", false),
          .unique = text::get_bool(item, "unique", false),
          .description = text::get_string(item, "description")};
}

bool has_duplicates(const std::vector<Document>& documents, const std::string& key) {
  std::set<std::string> seen;
  for (const Document& document : documents) {
    const Json values = text::parse_json(document.fields);
    const Json* value = text::member(values, key);
    if (value != nullptr && !seen.insert(text::dump(*value)).second) return true;
  }
  return false;
}

// `why` says what is wrong with the field {}.
Response definition_update_error(const std::string& key, fmt::format_string<std::string> why,
                                 sv rule) {
  return management::invalid_field_error("field_definition_updates", fmt::format(why, excerpt(key)),
                                         rule);
}

std::optional<Response> add_definition(const FieldDefinition& definition, Collection& collection,
                                       const std::vector<Document>& documents) {
  const auto old = std::ranges::find(collection.fields, definition.key, &FieldDefinition::key);
  const bool known = old != collection.fields.end();
  if (definition.required && !(known && old->required)) {
    return definition_update_error(
        definition.key, "The field {} cannot be required: documents that are there would lack it.",
        "required-field");
  }
  if (definition.unique && has_duplicates(documents, definition.key)) {
    return definition_update_error(
        definition.key, "The field {} cannot be unique: documents share a value.", "unique-field");
  }
  if (known) {
    *old = definition;
  } else {
    collection.fields.push_back(definition);
  }
  return std::nullopt;
}

std::optional<Response> delete_definition(const std::string& key, Collection& collection,
                                          std::vector<Document>& documents) {
  const auto old = std::ranges::find(collection.fields, key, &FieldDefinition::key);
  if (old == collection.fields.end()) {
    return definition_update_error(key, "The collection has no field {}.", "unknown-field");
  }
  collection.fields.erase(old);
  for (Document& document : documents) {
    Json values = text::parse_json(document.fields);
    if (text::member(values, key) == nullptr) continue;
    values.erase(key);
    document.fields = text::dump(values);
  }
  return std::nullopt;
}

// Applies `field_definition_updates`. Documents lose the values of deleted fields.
std::optional<Response> update_definitions(const Json& updates, Collection& collection,
                                           std::vector<Document>& documents) {
  for (const Json& update : updates) {
    const FieldDefinition definition = definition_from(update["field_definition"]);
    const std::string operation = text::get_string(update, "operation");
    if (definition.key.empty()) {
      return management::empty_field_error("field_definition_updates.field_definition.key");
    }
    std::optional<Response> refusal;
    if (operation == "FIELD_DEFINITION_ADD") {
      refusal = add_definition(definition, collection, documents);
    } else if (operation == "FIELD_DEFINITION_DELETE") {
      refusal = delete_definition(definition.key, collection, documents);
    } else {
      refusal = management::invalid_field_error(
          "field_definition_updates.operation",
          "The operation must be FIELD_DEFINITION_ADD or FIELD_DEFINITION_DELETE.", "enum");
    }
    if (refusal) return refusal;
  }
  return std::nullopt;
}

// Returns why a document with these values cannot be in the collection beside `others`.
std::optional<Response> check_values(const Json& values, const Collection& collection,
                                     const std::vector<Document>& others) {
  for (const FieldDefinition& field : collection.fields) {
    const Json* value = text::member(values, field.key);
    if (value == nullptr) {
      if (!field.required) continue;
      return management::invalid_field_error(
          "fields", fmt::format("The collection requires the field {}.", excerpt(field.key)),
          "required-field");
    }
    if (!field.unique) continue;
    for (const Document& other : others) {
      const Json theirs = text::parse_json(other.fields);
      const Json* taken = text::member(theirs, field.key);
      if (taken == nullptr || *taken != *value) continue;
      return management::invalid_field_error(
          "fields",
          fmt::format("The field {} must be unique, and {} has that value already.",
                      excerpt(field.key), other.file_id),
          "unique-field");
    }
  }
  return std::nullopt;
}

// Returns "key: value" lines of the fields that are inserted at the start of every chunk.
std::string injected_values(const Json& values, const Collection& collection) {
  std::string lines;
  for (const FieldDefinition& field : collection.fields) {
    const Json* value = field.inject_into_chunk ? text::member(values, field.key) : nullptr;
    if (value == nullptr) continue;
    lines += fmt::format("{}: {}\n", field.key,
                         value->is_string() ? value->get<std::string>() : text::dump(*value));
  }
  return lines;
}

// Creating, listing, reading, changing and deleting collections.

using filter::Field;
using management::Code;

// Returns 403 if a `team_id`, in the query or in `body`, is not the caller's.
std::optional<Response> check_team(const Request& request, const Json* body = nullptr) {
  std::string team = request.query_value("team_id").value_or("");
  if (body != nullptr && team.empty()) team = text::get_string(*body, "team_id");
  if (team.empty() || team == request.key.team_id) return std::nullopt;
  return management::team_access_error(team);
}

/// Runs `work(database, collection)` in one transaction on a collection of the caller's team.
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
  if (!has_element(k_orders, order)) {
    return management::invalid_field_error(
        "order", "The order is ORDERING_ASCENDING or _DESCENDING.", "enum");
  }
  options.sort_by = request.query_value("sort_by").value_or("");
  if (!options.sort_by.empty() && !has_element(sort_words, sv(options.sort_by))) {
    return management::invalid_field_error(
        "sort_by", fmt::format("Known are {}.", join(sort_words, ", ")), "enum");
  }
  const std::string token = request.query_value("pagination_token").value_or("");
  const auto start =
      token.empty() ? std::optional(std::int64_t{0}) : read_page_number(seal_kind(options), token);
  if (!start) {
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

/// Sorts `list` by `key` and reduces it to the page; returns the next page's token, or "".
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
  return nullptr;
}

struct Indexed {
  Document document{};
  std::vector<Chunk> chunks{};
};

// Splits the file's text. An unreadable file becomes a document with an error.
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
  SVC_TRY(body, management::read_body(request, "collection_create"));
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
  SVC_TRY(body, management::read_body(request, "collection_update"));
  if (auto refusal = check_team(request, &body)) return *refusal;
  return with_collection(
      request, [&](Database& database, Collection& collection) -> Result<Response> {
        if (auto fault = read_update(body, collection)) return *fault;
        if (const Json* updates = text::member(body, "field_definition_updates")) {
          SVC_TRY(documents, all_documents(database, collection));
          if (auto fault = update_definitions(*updates, collection, documents)) return *fault;
          for (const Document& document : documents) SVC_CHECK(update_document(database, document));
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
  SVC_TRY(body, management::read_body(request, "document_add"));
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

Json definitions_json(const std::vector<FieldDefinition>& fields) {
  Json list = Json::array();
  for (const FieldDefinition& field : fields) {
    Json item = {{"key", field.key},
                 {"required", field.required},
                 {"inject_into_chunk", field.inject_into_chunk},
                 {"unique", field.unique}};
    if (!field.description.empty()) item["description"] = field.description;
    list.push_back(std::move(item));
  }
  return list;
}

std::vector<FieldDefinition> definitions_from(const Json& list) {
  std::vector<FieldDefinition> fields;
  for (const Json& item : list) fields.push_back(definition_from(item));
  return fields;
}

filter::Value value_of(const Document& document, const Json& values, sv field,
                       std::int64_t now_ms) {
  if (field == "name") return document.name;
  if (field == "file_id") return document.file_id;
  if (field == "content_type") return document.content_type;
  if (field == "size_bytes") return document.bytes;
  if (field == "created_at") return document.file_created_s;
  if (field == "status") return std::string(status_name(document.progress(now_ms)));
  constexpr sv k_prefix = "fields.";
  const Json* value =
      text::member(values, field.starts_with(k_prefix) ? field.substr(k_prefix.size()) : field);
  return value == nullptr ? Json() : *value;
}

}  // namespace svc::emulator::collections

auto svc::emulator::collection_routes() -> std::vector<Route> {
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
