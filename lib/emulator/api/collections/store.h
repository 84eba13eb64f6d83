// Collections, their documents and chunks, as rows: the state's mutex is held by whoever calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "database/database.h"
#include "emulator/api/collections/chunk.h"

namespace svc::emulator::collections {

// A stand-in for an embedding model: counts of words and of pieces of words, hashed into a vector.
// It finds texts that share words or forms of words; meaning it does not know.
inline constexpr std::size_t k_dimensions = 256;
using Vector = std::array<float, k_dimensions>;

/// Of length 1; all zeros for a text without letters and digits. The same text gives the same
/// vector.
[[nodiscard]] Vector embed(std::string_view text);

/// `a + weight * b`, of length 1.
[[nodiscard]] Vector blend(const Vector& a, const Vector& b, float weight);

/// -1 to 1.
[[nodiscard]] double cosine(const Vector& a, const Vector& b);

/// For a BLOB, and back; a BLOB of another size gives zeros.
[[nodiscard]] std::string pack(const Vector& vector);
[[nodiscard]] Vector unpack(std::string_view bytes);

/// The words of a text in lower case: letters, digits and all that is not ASCII.
[[nodiscard]] std::string plain_words(std::string_view text);

/// A metadata field.
struct FieldDefinition {
  std::string key{};
  bool required = false;
  bool inject_into_chunk = false;
  bool unique = false;
  std::string description{};
};

struct Collection {
  std::int64_t seq = 0;
  std::string id{};  ///< "collection_<uuid>"
  std::string team_id{};
  std::string name{};
  std::string description{};
  std::string model_name{};
  std::string metric_space{};  ///< empty: none was named
  std::string chunking{};      ///< the chunk configuration, JSON as text
  std::vector<FieldDefinition> fields{};
  std::int64_t created_ms = 0;
  std::int64_t documents = 0;  ///< how many it has
  std::int64_t bytes = 0;      ///< of all files
};

[[nodiscard]] Result<void> insert_collection(Database& database, Collection& collection);
[[nodiscard]] Result<void> update_collection(Database& database, const Collection& collection);
[[nodiscard]] Result<void> delete_collection(Database& database, const Collection& collection);
[[nodiscard]] Result<std::optional<Collection>> find_collection(Database& database,
                                                                std::string_view team_id,
                                                                std::string_view id);
/// In the order of creation.
[[nodiscard]] Result<std::vector<Collection>> all_collections(Database& database,
                                                              std::string_view team_id);

/// How far a document is. It takes a while, though the work is done at once.
enum class Progress : std::uint8_t { Processing, Chunked, Embedding, Writing, Processed, Failed };

struct Document {
  std::int64_t seq = 0;
  std::int64_t collection_seq = 0;
  std::string file_id{};
  std::string name{};
  std::string content_type{};
  std::int64_t bytes = 0;
  std::int64_t file_created_s = 0;
  std::string metadata{};  ///< the file's, JSON as text
  std::string fields{};    ///< the user's, a JSON object as text
  std::int64_t begun_ms = 0;
  std::int64_t chunks = 0;
  std::string error{};  ///< why it could not be processed

  [[nodiscard]] Progress progress(std::int64_t now_ms) const;
};

/// When a document is processed, after it was begun.
inline constexpr std::int64_t k_processing_ms = 600;

struct Chunk {
  std::int64_t seq = 0;
  std::string id{};
  std::string text{};
  std::int64_t page = 0;
  Vector vector{};
};

[[nodiscard]] Result<void> insert_document(Database& database, Document& document,
                                           const std::vector<Chunk>& chunks);
/// Writes the fields, the state and the chunks of a document that is there.
[[nodiscard]] Result<void> replace_chunks(Database& database, const Document& document,
                                          const std::vector<Chunk>& chunks);
[[nodiscard]] Result<void> set_fields(Database& database, const Document& document);
[[nodiscard]] Result<void> delete_document(Database& database, const Document& document);
[[nodiscard]] Result<std::optional<Document>> find_document(Database& database,
                                                            const Collection& collection,
                                                            std::string_view file_id);
/// In the order in which they were added.
[[nodiscard]] Result<std::vector<Document>> all_documents(Database& database,
                                                          const Collection& collection);

/// The chunks of a document, without their text.
[[nodiscard]] Result<std::vector<Chunk>> chunks_of(Database& database, const Document& document);
[[nodiscard]] Result<std::string> text_of_chunk(Database& database, std::int64_t seq);

/// Calls `see` with each chunk that has one of the words of `query`, best first, and its BM25 score
/// (the higher the better), until it says false.
[[nodiscard]] Result<void> find_words(
    Database& database, std::string_view query,
    const std::function<bool(std::int64_t seq, double score)>& see);

}  // namespace svc::emulator::collections
