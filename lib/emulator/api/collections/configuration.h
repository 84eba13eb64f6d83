// Requests for collections: the types of their fields, and their validation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/account/management.h"
#include "emulator/api/collections/store.h"
#include "emulator/api/filter/filter.h"

namespace svc::emulator::collections {

using management::Json;
using management::sv;

inline constexpr sv k_embedding_model = "svc-embedding-small";
/// The default chunk configuration.
inline constexpr sv k_default_chunking =
    R"({"bytes_configuration":{"max_chunk_size_bytes":4000,"chunk_overlap_bytes":800},)"
    R"("strip_whitespace":true,"inject_name_into_chunks":false})";

/// Types of the requests to "create" and "update" a collection, and to "add" a document.
[[nodiscard]] const text::Types& collection_types();

/// Reads name, description, model, metric space, chunking and field definitions from the body of a
/// creation. Returns the refusal if they are invalid.
[[nodiscard]] std::optional<Response> read_creation(const Json& body, Collection& collection);

/// The same for an update, except its field definitions.
[[nodiscard]] std::optional<Response> read_update(const Json& body, Collection& collection);

/// A collection's parsed chunk configuration.
struct Chunking {
  ChunkOptions options{};
  bool inject_name = false;
};
[[nodiscard]] Chunking chunking_of(const Collection& collection);

/// As shown in responses.
[[nodiscard]] Json collection_json(const Collection& collection);
[[nodiscard]] Json document_json(const Document& document, std::int64_t now_ms);

// --- metadata fields: their definitions, and the values required in a document ---

[[nodiscard]] Json definitions_json(const std::vector<FieldDefinition>& fields);
/// Parses the output of definitions_json(), or a request's list that matches its type.
[[nodiscard]] std::vector<FieldDefinition> definitions_from(const Json& list);

/// Applies `field_definition_updates`. Documents lose the values of deleted fields.
[[nodiscard]] std::optional<Response> update_definitions(const Json& updates,
                                                         Collection& collection,
                                                         std::vector<Document>& documents);

/// Returns the refusal if a document with these values cannot be in the collection together with
/// `others`.
[[nodiscard]] std::optional<Response> check_values(const Json& values, const Collection& collection,
                                                   const std::vector<Document>& others);

/// Returns "key: value" lines of the fields that are inserted at the start of every chunk.
[[nodiscard]] std::string injected_values(const Json& values, const Collection& collection);

/// Returns a document's field value for filters and groups: the file's metadata by `name`,
/// `file_id`, `content_type`, `size_bytes`, `created_at`, `status`, the user's by `fields.<key>` or
/// only the key.
[[nodiscard]] filter::Value value_of(const Document& document, const Json& values, sv field,
                                     std::int64_t now_ms);

}  // namespace svc::emulator::collections
