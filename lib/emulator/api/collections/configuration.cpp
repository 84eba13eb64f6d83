#include "emulator/api/collections/configuration.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/json/check.h"

namespace svc::emulator::collections {

namespace {

struct StrategyRow {
  sv name;
  sv size, overlap;  ///< names of the fields; overlap may be empty
  Strategy strategy;
  Measure measure;
};
constexpr std::array k_strategies = {
    StrategyRow{"chars_configuration", "max_chunk_size_chars", "chunk_overlap_chars",
                Strategy::Plain, Measure::Chars},
    StrategyRow{"tokens_configuration", "max_chunk_size_tokens", "chunk_overlap_tokens",
                Strategy::Plain, Measure::Tokens},
    StrategyRow{"ast_configuration", "max_chunk_size_tokens", "", Strategy::Lines, Measure::Tokens},
    StrategyRow{"table_configuration", "max_chunk_size_tokens", "", Strategy::Lines,
                Measure::Tokens},
    StrategyRow{"markdown_tokens_configuration", "max_chunk_size_tokens", "chunk_overlap_tokens",
                Strategy::Markdown, Measure::Tokens},
    StrategyRow{"markdown_chars_configuration", "max_chunk_size_chars", "chunk_overlap_chars",
                Strategy::Markdown, Measure::Chars},
    StrategyRow{"code_tokens_configuration", "max_chunk_size_tokens", "chunk_overlap_tokens",
                Strategy::Lines, Measure::Tokens},
    StrategyRow{"code_chars_configuration", "max_chunk_size_chars", "chunk_overlap_chars",
                Strategy::Lines, Measure::Chars},
    StrategyRow{"bytes_configuration", "max_chunk_size_bytes", "chunk_overlap_bytes",
                Strategy::Plain, Measure::Bytes}};

Response chunking_error(const std::string& reason) {
  return management::invalid_field_error("chunk_configuration", reason, "invalid");
}

std::optional<Response> check_sizes(const Json& sizes, const StrategyRow& row) {
  const auto size = management::get_int64(sizes, row.size);
  constexpr std::int64_t k_max = 1'000'000;
  if (!size || *size < 1 || *size > k_max) {
    return chunking_error(fmt::format("{} must be a whole number from 1 to {}.", row.size, k_max));
  }
  if (row.overlap.empty() || text::member(sizes, row.overlap) == nullptr) return std::nullopt;
  const auto overlap = management::get_int64(sizes, row.overlap);
  if (!overlap || *overlap < 0 || *overlap >= *size) {
    return chunking_error(
        fmt::format("{} must be a whole number from 0 to less than {}.", row.overlap, row.size));
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
          "field_definitions", fmt::format("The key {} comes twice.", excerpt(field.key, 60)),
          "duplicate-key");
    }
  }
  return std::nullopt;
}

}  // namespace

const text::Types& collection_types() {
  static const text::Types k_types(R"(
chunking = {
  chars_configuration: map, tokens_configuration: map, ast_configuration: map,
  table_configuration: map, markdown_tokens_configuration: map, markdown_chars_configuration: map,
  code_tokens_configuration: map, code_chars_configuration: map, bytes_configuration: map,
  strip_whitespace: boolean, inject_name_into_chunks: boolean}
field = {key!, required: boolean, inject_into_chunk: boolean, unique: boolean, description}
create = {
  collection_name, collection_description, team_id, index_configuration: {model_name},
  chunk_configuration: chunking,
  metric_space: <HNSW_METRIC_UNKNOWN HNSW_METRIC_COSINE HNSW_METRIC_EUCLIDEAN
                 HNSW_METRIC_INNER_PRODUCT>,
  field_definitions: [field]}
update = {
  collection_name, collection_description, team_id, chunk_configuration: chunking,
  field_definition_updates: [{field_definition!: field, operation!}]}
add = {team_id, fields: map}
)");
  return k_types;
}

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
                    excerpt(collection.model_name, 60), k_embedding_model),
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
    chunking.options.strategy = row.strategy;
    chunking.options.measure = row.measure;
    chunking.options.max_size =
        static_cast<std::size_t>(management::get_int64(*sizes, row.size).value_or(1));
    chunking.options.overlap =
        row.overlap.empty()
            ? 0
            : static_cast<std::size_t>(management::get_int64(*sizes, row.overlap).value_or(0));
  }
  return chunking;
}

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

namespace {

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
  return management::invalid_field_error("field_definition_updates",
                                         fmt::format(why, excerpt(key, 60)), rule);
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

std::optional<Response> check_values(const Json& values, const Collection& collection,
                                     const std::vector<Document>& others) {
  for (const FieldDefinition& field : collection.fields) {
    const Json* value = text::member(values, field.key);
    if (value == nullptr) {
      if (!field.required) continue;
      return management::invalid_field_error(
          "fields", fmt::format("The collection requires the field {}.", excerpt(field.key, 60)),
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
                      excerpt(field.key, 60), other.file_id),
          "unique-field");
    }
  }
  return std::nullopt;
}

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
  if (value == nullptr) return std::monostate{};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (value->is_number()) return value->get<double>();
  return text::dump(*value);
}

}  // namespace svc::emulator::collections
