#include "emulator/api/collections/fields.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace svc::emulator::collections {
namespace {

FieldDefinition definition_from(const Json& item) {
  return {.key = text::text_of(item, "key"),
          .required = text::flag_of(item, "required", false),
          .inject_into_chunk = text::flag_of(item, "inject_into_chunk", false),
          .unique = text::flag_of(item, "unique", false),
          .description = text::text_of(item, "description")};
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

std::optional<Answer> add_definition(const FieldDefinition& definition, Collection& collection,
                                     const std::vector<Document>& documents) {
  const auto old = std::ranges::find(collection.fields, definition.key, &FieldDefinition::key);
  const bool known = old != collection.fields.end();
  if (definition.required && !(known && old->required)) {
    return management::refuse_field(
        "field_definition_updates",
        fmt::format("The field {} cannot be required: documents that are there would lack it.",
                    excerpt(definition.key, 60)),
        "required-field");
  }
  if (definition.unique && has_duplicates(documents, definition.key)) {
    return management::refuse_field(
        "field_definition_updates",
        fmt::format("The field {} cannot be unique: documents share a value.",
                    excerpt(definition.key, 60)),
        "unique-field");
  }
  if (known) {
    *old = definition;
  } else {
    collection.fields.push_back(definition);
  }
  return std::nullopt;
}

std::optional<Answer> delete_definition(const std::string& key, Collection& collection,
                                        std::vector<Document>& documents,
                                        std::vector<std::size_t>& changed) {
  const auto old = std::ranges::find(collection.fields, key, &FieldDefinition::key);
  if (old == collection.fields.end()) {
    return management::refuse_field(
        "field_definition_updates",
        fmt::format("The collection has no field {}.", excerpt(key, 60)), "unknown-field");
  }
  collection.fields.erase(old);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    Json values = text::parse_json(documents[i].fields);
    if (text::member(values, key) == nullptr) continue;
    values.erase(key);
    documents[i].fields = text::dump(values);
    changed.push_back(i);
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

std::optional<Answer> definitions_fault(const std::vector<FieldDefinition>& fields) {
  std::set<std::string> keys;
  for (const FieldDefinition& field : fields) {
    if (field.key.empty()) return management::refuse_empty("field_definitions.key");
    if (!keys.insert(field.key).second) {
      return management::refuse_field(
          "field_definitions", fmt::format("The key {} comes twice.", excerpt(field.key, 60)),
          "duplicate-key");
    }
  }
  return std::nullopt;
}

std::optional<Answer> update_definitions(const Json& updates, Collection& collection,
                                         std::vector<Document>& documents,
                                         std::vector<std::size_t>& changed) {
  for (const Json& update : updates) {
    const FieldDefinition definition = definition_from(update["field_definition"]);
    const std::string operation = text::text_of(update, "operation");
    if (definition.key.empty()) {
      return management::refuse_empty("field_definition_updates.field_definition.key");
    }
    std::optional<Answer> refusal;
    if (operation == "FIELD_DEFINITION_ADD") {
      refusal = add_definition(definition, collection, documents);
    } else if (operation == "FIELD_DEFINITION_DELETE") {
      refusal = delete_definition(definition.key, collection, documents, changed);
    } else {
      refusal = management::refuse_field(
          "field_definition_updates.operation",
          "The operation must be FIELD_DEFINITION_ADD or FIELD_DEFINITION_DELETE.", "enum");
    }
    if (refusal) return refusal;
  }
  return std::nullopt;
}

std::optional<Answer> values_fault(const Json& values, const Collection& collection,
                                   const std::vector<Document>& others) {
  for (const FieldDefinition& field : collection.fields) {
    const Json* value = text::member(values, field.key);
    if (value == nullptr) {
      if (!field.required) continue;
      return management::refuse_field(
          "fields", fmt::format("The collection requires the field {}.", excerpt(field.key, 60)),
          "required-field");
    }
    if (!field.unique) continue;
    for (const Document& other : others) {
      const Json theirs = text::parse_json(other.fields);
      const Json* taken = text::member(theirs, field.key);
      if (taken == nullptr || *taken != *value) continue;
      return management::refuse_field(
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
  if (field == "status") return std::string(status_word(document.progress(now_ms)));
  constexpr sv k_prefix = "fields.";
  const Json* value =
      text::member(values, field.starts_with(k_prefix) ? field.substr(k_prefix.size()) : field);
  if (value == nullptr) return std::monostate{};
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number_integer()) return value->get<std::int64_t>();
  if (value->is_number()) return value->get<double>();
  return text::dump(*value);
}

sv status_word(Progress progress) {
  constexpr std::array<sv, 6> k_words = {"DOCUMENT_STATUS_PROCESSING", "DOCUMENT_STATUS_CHUNKED",
                                         "DOCUMENT_STATUS_EMBEDDING",  "DOCUMENT_STATUS_WRITING",
                                         "DOCUMENT_STATUS_PROCESSED",  "DOCUMENT_STATUS_FAILED"};
  return k_words[static_cast<std::size_t>(progress)];
}

}  // namespace svc::emulator::collections
