// Collections: their configuration, their chunks and documents in the state, and the search.
#pragma once

#include "emulator/account/auth.h"
#include "emulator/api/filter/filter.h"

namespace svc::emulator::collections {

enum class Measure : std::uint8_t { Chars, Tokens, Bytes };

struct ChunkOptions {
  Measure measure = Measure::Bytes;
  std::size_t max_size = 4000;  ///< of a chunk with overlaps, without injected text; at least 1
  std::size_t overlap = 800;    ///< on both sides; together at most max_size - 1
  bool strip_whitespace = true;
};

struct TextChunk {
  std::string text{};
  std::int64_t page = 0;  ///< the page of its middle, from 1; 0 if there is only one
};

/// Splits at the maximum size, whatever the strategy. UTF-8 characters are never split. Form feeds
/// separate pages. Chunks without text are left out.
[[nodiscard]] std::vector<TextChunk> split_text(sv text, const ChunkOptions& options);

// Collections as database rows. The caller must hold the state's mutex.

// Replaces an embedding model: counts of words and parts of words, hashed into a vector. Finds
// texts that share words or word forms, but does not know their meaning.
inline constexpr std::size_t k_dimensions = 256;
using Vector = std::array<float, k_dimensions>;

/// Returns a vector of length 1; all zeros for a text without letters and digits. Deterministic.
[[nodiscard]] Vector embed(sv text);

/// Returns `a + weight * b`, normalized to length 1.
[[nodiscard]] Vector blend(const Vector& a, const Vector& b, float weight);

/// -1 to 1.
[[nodiscard]] double cosine(const Vector& a, const Vector& b);

/// Converts to a BLOB and back; a BLOB of another size becomes zeros.
[[nodiscard]] std::string pack(const Vector& vector);
[[nodiscard]] Vector unpack(sv bytes);

/// Returns the words of a text in lower case: letters, digits and everything that is not ASCII.
[[nodiscard]] std::string plain_words(sv text);

/// A metadata field.
struct FieldDefinition {
  std::string key{};
  bool required = false, inject_into_chunk = false, unique = false;
  std::string description{};
};

struct Collection {
  std::int64_t seq = 0;
  std::string id{};  ///< "collection_<uuid>"
  std::string team_id{}, name{}, description{}, model_name{};
  std::string metric_space{};  ///< empty: not specified
  std::string chunking{};      ///< the chunk configuration, JSON as text
  std::vector<FieldDefinition> fields{};
  std::int64_t created_ms = 0;
  std::int64_t documents = 0;  ///< number of documents
  std::int64_t bytes = 0;      ///< of all files
};

[[nodiscard]] Result<void> insert_collection(Database& database, const Collection& collection);
[[nodiscard]] Result<void> update_collection(Database& database, const Collection& collection);
[[nodiscard]] Result<void> delete_collection(Database& database, const Collection& collection);
[[nodiscard]] Result<std::optional<Collection>> find_collection(Database& database, sv team_id,
                                                                sv id);
/// Lists keys in the order of creation.
[[nodiscard]] Result<std::vector<Collection>> all_collections(Database& database, sv team_id);

/// A document's processing state. It advances over time, although the work is done at once.
enum class Progress : std::uint8_t { Processing, Chunked, Embedding, Writing, Processed, Failed };

struct Document {
  std::int64_t seq = 0, collection_seq = 0;
  std::string file_id{}, name{}, content_type{};
  std::int64_t bytes = 0, file_created_s = 0;
  std::string metadata{};  ///< the file's, JSON as text
  std::string fields{};    ///< the user's, a JSON object as text
  std::int64_t started_ms = 0, chunks = 0;
  std::string error{};  ///< why processing failed

  [[nodiscard]] Progress progress(std::int64_t now_ms) const;
};

/// Time from a document's creation until it is processed.
inline constexpr std::int64_t k_processing_ms = 600;

struct Chunk {
  std::int64_t seq = 0;
  std::string id{}, text{};
  std::int64_t page = 0;
  Vector vector{};
};

[[nodiscard]] Result<void> insert_document(Database& database, Document& document,
                                           const std::vector<Chunk>& chunks);
/// Writes an existing document and its chunks.
[[nodiscard]] Result<void> replace_chunks(Database& database, const Document& document,
                                          const std::vector<Chunk>& chunks);
[[nodiscard]] Result<void> update_document(Database& database, const Document& document);
[[nodiscard]] Result<void> delete_document(Database& database, const Document& document);
[[nodiscard]] Result<std::optional<Document>> find_document(Database& database,
                                                            const Collection& collection,
                                                            sv file_id);
/// In the order they were added.
[[nodiscard]] Result<std::vector<Document>> all_documents(Database& database,
                                                          const Collection& collection);

/// Returns a document's chunks, without their text.
[[nodiscard]] Result<std::vector<Chunk>> chunks_of(Database& database, const Document& document);
[[nodiscard]] Result<std::string> text_of_chunk(Database& database, std::int64_t seq);

/// Returns the chunks that contain a word of `query`, best first, with their BM25 scores.
[[nodiscard]] Result<std::vector<std::pair<std::int64_t, double>>> search_words(Database& database,
                                                                                sv query);

// Requests for collections: the types of their fields, and their validation.

using management::Json;

inline constexpr sv k_embedding_model = "svc-embedding-small";
/// The default chunk configuration.
inline constexpr sv k_default_chunking =
    R"({"bytes_configuration":{"max_chunk_size_bytes":4000,"chunk_overlap_bytes":800},)"
    R"("strip_whitespace":true,"inject_name_into_chunks":false})";

/// A collection's parsed chunk configuration.
struct Chunking {
  ChunkOptions options{};
  bool inject_name = false;
};
// --- metadata fields: their definitions, and the values required in a document ---

[[nodiscard]] Json definitions_json(const std::vector<FieldDefinition>& fields);
/// Parses the output of definitions_json(), or a request's list that matches its type.
[[nodiscard]] std::vector<FieldDefinition> definitions_from(const Json& list);

/// A document's value for filters and groups: the file's metadata, or `fields.<key>`, or the key.
[[nodiscard]] filter::Value value_of(const Document& document, const Json& values, sv field,
                                     std::int64_t now_ms);

// Searching collections.

struct FoundChunk {
  std::string file_id{}, file_name{}, collection_id{}, chunk_id{};
  std::string text{};
  std::string fields{};  ///< a JSON object as text
  std::int64_t page = 0;
  double score = 0;  ///< higher is better
};

/// Returns what the tool file_search finds in the caller's collections; skips unknown ones.
[[nodiscard]] std::vector<FoundChunk> search_for_tool(const Request& request,
                                                      std::vector<std::string> collection_ids,
                                                      sv question, std::size_t most);

/// POST /v1/documents/search.
[[nodiscard]] Response search_documents(const Request& request);

}  // namespace svc::emulator::collections
