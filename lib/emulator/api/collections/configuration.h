// What a request says of a collection: the types of its members, and their checks.
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
/// What a collection gets without a chunk configuration.
inline constexpr sv k_default_chunking =
    R"({"bytes_configuration":{"max_chunk_size_bytes":4000,"chunk_overlap_bytes":800},)"
    R"("strip_whitespace":true,"inject_name_into_chunks":false})";

/// Of the requests to "create" and "update" a collection, and to "add" a document.
[[nodiscard]] const text::Types& collection_types();

/// Takes name, description, model, metric space, chunking and field definitions over from the body
/// of a creation. The refusal, when they cannot be.
[[nodiscard]] std::optional<Answer> read_creation(const Json& body, Collection& collection);

/// The same for an update, without its field definitions.
[[nodiscard]] std::optional<Answer> read_update(const Json& body, Collection& collection);

/// What a collection's chunking says.
struct Chunking {
  ChunkPlan plan{};
  bool inject_name = false;
};
[[nodiscard]] Chunking chunking_of(const Collection& collection);

/// As the wire writes them.
[[nodiscard]] Json collection_json(const Collection& collection);
[[nodiscard]] Json document_json(const Document& document, std::int64_t now_ms);

// --- metadata fields: their definitions, and the values that a document must have ---

[[nodiscard]] Json definitions_json(const std::vector<FieldDefinition>& fields);
/// What definitions_json() gave, or a request's list that fits its type.
[[nodiscard]] std::vector<FieldDefinition> definitions_from(const Json& list);

/// Applies `field_definition_updates`. Documents lose the values of deleted fields; those that
/// change are in `documents` and their numbers in `changed`.
[[nodiscard]] std::optional<Answer> update_definitions(const Json& updates, Collection& collection,
                                                       std::vector<Document>& documents,
                                                       std::vector<std::size_t>& changed);

/// May a document with these values be in the collection beside `others`?
[[nodiscard]] std::optional<Answer> values_fault(const Json& values, const Collection& collection,
                                                 const std::vector<Document>& others);

/// "key: value" lines of the fields that are put at the start of every chunk.
[[nodiscard]] std::string injected_values(const Json& values, const Collection& collection);

/// The value of a field of a document, for filters and groups: the file's metadata by `name`,
/// `file_id`, `content_type`, `size_bytes`, `created_at`, `status`, the user's by `fields.<key>` or
/// by the key alone.
[[nodiscard]] filter::Value value_of(const Document& document, const Json& values, sv field,
                                     std::int64_t now_ms);

[[nodiscard]] sv status_word(Progress progress);

}  // namespace svc::emulator::collections
