// What a request says of a collection: the types of its members, and their checks.
#pragma once

#include <optional>
#include <string>

#include "emulator/account/management.h"
#include "emulator/api/collections/store.h"

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

}  // namespace svc::emulator::collections
