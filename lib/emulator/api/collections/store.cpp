#include "emulator/api/collections/store.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "database/rows.h"
#include "emulator/api/collections/configuration.h"

namespace svc::emulator::collections {
namespace {

// Words that occur in every text carry no information.
constexpr std::array<sv, 24> k_common = {"a",  "an",  "and", "are", "as",   "at",  "be",   "by",
                                         "do", "for", "how", "in",  "is",   "it",  "of",   "on",
                                         "or", "the", "to",  "was", "what", "who", "with", "which"};

std::uint64_t hash_of(sv text, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ seed;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3U;
  }
  return hash ^ (hash >> 29);
}

void add(Vector& vector, sv piece, std::uint64_t seed, float weight) {
  const std::uint64_t hash = hash_of(piece, seed);
  vector[hash % k_dimensions] += (hash >> 63) != 0 ? weight : -weight;
}

void normalise(Vector& vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * static_cast<double>(value);
  if (sum == 0) return;
  const auto scale = static_cast<float>(1.0 / std::sqrt(sum));
  for (float& value : vector) value *= scale;
}

constexpr sv k_collection_columns =
    "seq, id, team_id, name, description, model_name, metric_space, chunking, fields, created_ms,"
    " (SELECT count(*) FROM documents WHERE collection_seq = collections.seq),"
    " (SELECT coalesce(sum(bytes), 0) FROM documents WHERE collection_seq = collections.seq)";
constexpr sv k_document_columns =
    "seq, collection_seq, file_id, name, content_type, bytes, file_created_s, metadata, fields,"
    " begun_ms, chunks, error";

Collection read_collection(const Statement& row) {
  return {row.integer(0), row.text(1),     row.text(2),
          row.text(3),    row.text(4),     row.text(5),
          row.text(6),    row.text(7),     definitions_from(text::parse_json(row.text(8))),
          row.integer(9), row.integer(10), row.integer(11)};
}

Document read_document(const Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2),     row.text(3),
          row.text(4),    row.integer(5), row.integer(6),  row.text(7),
          row.text(8),    row.integer(9), row.integer(10), row.text(11)};
}

Result<void> delete_chunks(Database& database, std::int64_t document_seq) {
  SVC_CHECK(run_sql(database,
                    "DELETE FROM chunk_words WHERE rowid IN (SELECT seq FROM chunks WHERE"
                    " document_seq = ?)",
                    document_seq));
  return run_sql(database, "DELETE FROM chunks WHERE document_seq = ?", document_seq);
}

Result<void> insert_chunks(Database& database, std::int64_t document_seq,
                           const std::vector<Chunk>& chunks) {
  for (const Chunk& chunk : chunks) {
    SVC_CHECK(run_sql(database,
                      "INSERT INTO chunks (document_seq, id, page, vector) VALUES (?,?,?,?)",
                      document_seq, chunk.id, chunk.page, Blob{pack(chunk.vector)}));
    SVC_CHECK(run_sql(database, "INSERT INTO chunk_words (rowid, text) VALUES (?,?)",
                      database.last_row_id(), chunk.text));
  }
  return {};
}

}  // namespace

std::string plain_words(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      out += c;
    } else if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

Vector embed(std::string_view text) {
  constexpr std::size_t k_piece = 4;
  Vector vector{};
  const std::string words = plain_words(text);
  if (words.empty()) return vector;
  for (const sv word : split(words, ' ')) {
    if (std::ranges::find(k_common, word) != k_common.end()) continue;
    add(vector, word, 1, 1.0F);
    const std::string edged = "^" + std::string(word) + "$";
    for (std::size_t i = 0; i + k_piece <= edged.size(); ++i) {
      add(vector, sv(edged).substr(i, k_piece), 2, 0.5F);
    }
  }
  normalise(vector);
  return vector;
}

Vector blend(const Vector& a, const Vector& b, float weight) {
  Vector sum = a;
  for (std::size_t i = 0; i < k_dimensions; ++i) sum[i] += weight * b[i];
  normalise(sum);
  return sum;
}

double cosine(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < k_dimensions; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

std::string pack(const Vector& vector) {
  std::string bytes(sizeof(Vector), '\0');
  std::memcpy(bytes.data(), vector.data(), sizeof(Vector));
  return bytes;
}

Vector unpack(std::string_view bytes) {
  Vector vector{};
  if (bytes.size() == sizeof(Vector)) std::memcpy(vector.data(), bytes.data(), sizeof(Vector));
  return vector;
}

Result<void> insert_collection(Database& database, Collection& collection) {
  SVC_CHECK(
      run_sql(database,
              "INSERT INTO collections (id, team_id, name, description, model_name, metric_space,"
              " chunking, fields, created_ms) VALUES (?,?,?,?,?,?,?,?,?)",
              collection.id, collection.team_id, collection.name, collection.description,
              collection.model_name, collection.metric_space, collection.chunking,
              text::dump(definitions_json(collection.fields)), collection.created_ms));
  collection.seq = database.last_row_id();
  return {};
}

Result<void> update_collection(Database& database, const Collection& collection) {
  return run_sql(database,
                 "UPDATE collections SET name = ?, description = ?, chunking = ?, fields = ?"
                 " WHERE seq = ?",
                 collection.name, collection.description, collection.chunking,
                 text::dump(definitions_json(collection.fields)), collection.seq);
}

Result<void> delete_collection(Database& database, const Collection& collection) {
  SVC_TRY(documents, all_documents(database, collection));
  for (const Document& document : documents) SVC_CHECK(delete_document(database, document));
  return run_sql(database, "DELETE FROM collections WHERE seq = ?", collection.seq);
}

Result<std::optional<Collection>> find_collection(Database& database, std::string_view team_id,
                                                  std::string_view id) {
  return first_row(
      database, read_collection,
      fmt::format("SELECT {} FROM collections WHERE id = ? AND team_id = ?", k_collection_columns),
      id, team_id);
}

Result<std::vector<Collection>> all_collections(Database& database, std::string_view team_id) {
  return all_rows(database, read_collection,
                  fmt::format("SELECT {} FROM collections WHERE team_id = ?"
                              " ORDER BY seq",
                              k_collection_columns),
                  team_id);
}

Progress Document::progress(std::int64_t now_ms) const {
  const std::int64_t quarter = (now_ms - started_ms) / (k_processing_ms / 4);
  if (quarter < 1) return Progress::Processing;
  if (!error.empty()) return Progress::Failed;
  if (quarter < 2) return Progress::Chunked;
  if (quarter < 3) return Progress::Embedding;
  return quarter < 4 ? Progress::Writing : Progress::Processed;
}

Result<void> insert_document(Database& database, Document& document,
                             const std::vector<Chunk>& chunks) {
  SVC_CHECK(run_sql(database,
                    "INSERT INTO documents (collection_seq, file_id, name, content_type, bytes,"
                    " file_created_s, metadata, fields, begun_ms, chunks, error)"
                    " VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                    document.collection_seq, document.file_id, document.name, document.content_type,
                    document.bytes, document.file_created_s, document.metadata, document.fields,
                    document.started_ms, document.chunks, document.error));
  document.seq = database.last_row_id();
  return insert_chunks(database, document.seq, chunks);
}

Result<void> replace_chunks(Database& database, const Document& document,
                            const std::vector<Chunk>& chunks) {
  SVC_CHECK(run_sql(database,
                    "UPDATE documents SET fields = ?, begun_ms = ?, chunks = ?, error = ?"
                    " WHERE seq = ?",
                    document.fields, document.started_ms, document.chunks, document.error,
                    document.seq));
  SVC_CHECK(delete_chunks(database, document.seq));
  return insert_chunks(database, document.seq, chunks);
}

Result<void> set_fields(Database& database, const Document& document) {
  return run_sql(database, "UPDATE documents SET fields = ? WHERE seq = ?", document.fields,
                 document.seq);
}

Result<void> delete_document(Database& database, const Document& document) {
  SVC_CHECK(delete_chunks(database, document.seq));
  return run_sql(database, "DELETE FROM documents WHERE seq = ?", document.seq);
}

Result<std::optional<Document>> find_document(Database& database, const Collection& collection,
                                              std::string_view file_id) {
  return first_row(database, read_document,
                   fmt::format("SELECT {} FROM documents WHERE collection_seq = ? AND file_id = ?",
                               k_document_columns),
                   collection.seq, file_id);
}

Result<std::vector<Document>> all_documents(Database& database, const Collection& collection) {
  return all_rows(database, read_document,
                  fmt::format("SELECT {} FROM documents WHERE collection_seq = ?"
                              " ORDER BY seq",
                              k_document_columns),
                  collection.seq);
}

Result<std::vector<Chunk>> chunks_of(Database& database, const Document& document) {
  return all_rows(
      database,
      [](const Statement& rows) {
        return Chunk{rows.integer(0), rows.text(1), {}, rows.integer(2), unpack(rows.bytes(3))};
      },
      "SELECT seq, id, page, vector FROM chunks WHERE document_seq = ?"
      " ORDER BY seq",
      document.seq);
}

Result<std::string> text_of_chunk(Database& database, std::int64_t seq) {
  return first_value<std::string>(database, "SELECT text FROM chunk_words WHERE rowid = ?", seq);
}

Result<std::vector<std::pair<std::int64_t, double>>> search_words(Database& database,
                                                                  std::string_view query) {
  using Hit = std::pair<std::int64_t, double>;
  const std::string words = plain_words(query);
  if (words.empty()) return std::vector<Hit>{};
  std::string match;
  for (const sv word : split(words, ' ')) {
    match += fmt::format("{}\"{}\"", match.empty() ? "" : " OR ", word);
  }
  return all_rows(
      database,
      [](const Statement& row) {
        return Hit{row.integer(0), -row.number(1)};
      },
      "SELECT rowid, bm25(chunk_words) FROM chunk_words WHERE chunk_words MATCH ? ORDER BY 2",
      match);
}

}  // namespace svc::emulator::collections
