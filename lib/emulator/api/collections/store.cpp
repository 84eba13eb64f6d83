#include "emulator/api/collections/store.h"

#include <cstring>

#include <nlohmann/json.hpp>

#include "emulator/model/answer.h"
#include "emulator/picture/picture.h"

namespace svc::emulator::collections {
namespace {

/// Where the characters or tokens of a text begin, with the end of the text: chunks are cut there.
class Edges {
 public:
  Edges(sv text, Measure measure) : m_bytes(measure == Measure::Bytes) {
    const auto tokens = measure == Measure::Tokens ? tokenize(text) : std::vector<Token>();
    for (std::size_t at = 0; at < text.size();) {
      m_starts.push_back(static_cast<std::uint32_t>(at));
      if (measure == Measure::Tokens) {
        at += tokens[m_starts.size() - 1].text.size();
      } else {
        (void)decode_utf8(text, at);
      }
    }
    m_starts.push_back(static_cast<std::uint32_t>(text.size()));
  }

  [[nodiscard]] std::size_t last() const { return m_starts.size() - 1; }
  [[nodiscard]] std::size_t byte(std::size_t edge) const { return m_starts[edge]; }
  /// Returns how much text is before an edge.
  [[nodiscard]] std::size_t amount(std::size_t edge) const { return m_bytes ? byte(edge) : edge; }

  /// Returns the last edge with at most `most` before it, and the first with at least `least`.
  [[nodiscard]] std::size_t before(std::size_t most) const {
    if (!m_bytes) return std::min(most, last());
    return static_cast<std::size_t>(std::ranges::upper_bound(m_starts, most) - m_starts.begin()) -
           1;
  }
  [[nodiscard]] std::size_t after(std::size_t least) const {
    if (!m_bytes) return least;
    return static_cast<std::size_t>(std::ranges::lower_bound(m_starts, least) - m_starts.begin());
  }

 private:
  bool m_bytes;
  std::vector<std::uint32_t> m_starts{};
};

// Words that occur in every text carry no information.
constexpr std::array<sv, 24> k_common = {"a",  "an",  "and", "are", "as",   "at",  "be",   "by",
                                         "do", "for", "how", "in",  "is",   "it",  "of",   "on",
                                         "or", "the", "to",  "was", "what", "who", "with", "which"};

void add(Vector& vector, sv piece, std::uint64_t seed, float weight) {
  std::uint64_t hash = media::stable_hash(piece, media::k_hash_seed ^ seed);
  hash ^= hash >> 29;
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
constexpr Table k_documents(
    "documents",
    "seq, collection_seq, file_id, name, content_type, bytes, file_created_s, metadata, fields,"
    " begun_ms, chunks, error",
    &Document::seq, &Document::collection_seq, &Document::file_id, &Document::name,
    &Document::content_type, &Document::bytes, &Document::file_created_s, &Document::metadata,
    &Document::fields, &Document::started_ms, &Document::chunks, &Document::error);

Collection read_collection(const Statement& row) {
  return {row.integer(0), row.text(1),     row.text(2),
          row.text(3),    row.text(4),     row.text(5),
          row.text(6),    row.text(7),     definitions_from(text::parse_json(row.text(8))),
          row.integer(9), row.integer(10), row.integer(11)};
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

std::vector<TextChunk> split_text(sv text, const ChunkOptions& options) {
  const Edges edges(text, options.measure);
  // Both overlaps belong to the chunk.
  const std::size_t overlap = std::min(options.overlap, (options.max_size - 1) / 2);
  const std::size_t core = options.max_size - 2 * overlap;
  std::int64_t page = has_element(text, '\f') ? 1 : 0;
  std::size_t counted = 0;  // of the text, for `page`
  std::vector<TextChunk> chunks;
  for (std::size_t begin = 0, end = 0; begin < edges.last(); begin = end) {
    const std::size_t from = edges.amount(begin);
    end = std::max(edges.before(from + core), begin + 1);
    // A core that is one long token or character leaves less room for its overlaps.
    const std::size_t to = edges.amount(end);
    const std::size_t room = options.max_size > to - from ? options.max_size - (to - from) : 0;
    const std::size_t around = std::min(overlap, room / 2);
    const std::size_t first = edges.byte(edges.after(from - std::min(around, from)));
    const std::size_t middle = (edges.byte(begin) + edges.byte(end)) / 2;
    page += std::ranges::count(text.substr(counted, middle - counted), '\f');
    counted = middle;
    sv content = text.substr(first, edges.byte(edges.before(to + around)) - first);
    if (trim(content).empty()) continue;
    if (options.strip_whitespace) content = trim(content);
    chunks.push_back({std::string(content), page});
  }
  return chunks;
}

std::string plain_words(sv text) {
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

Vector embed(sv text) {
  constexpr std::size_t k_piece = 4;
  Vector vector{};
  const std::string words = plain_words(text);
  if (words.empty()) return vector;
  for (const sv word : split(words, ' ')) {
    if (has_element(k_common, word)) continue;
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

Vector unpack(sv bytes) {
  Vector vector{};
  if (bytes.size() == sizeof(Vector)) std::memcpy(vector.data(), bytes.data(), sizeof(Vector));
  return vector;
}

Result<void> insert_collection(Database& database, const Collection& collection) {
  return run_sql(
      database,
      "INSERT INTO collections (id, team_id, name, description, model_name, metric_space,"
      " chunking, fields, created_ms) VALUES (?,?,?,?,?,?,?,?,?)",
      collection.id, collection.team_id, collection.name, collection.description,
      collection.model_name, collection.metric_space, collection.chunking,
      text::dump(definitions_json(collection.fields)), collection.created_ms);
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

Result<std::optional<Collection>> find_collection(Database& database, sv team_id, sv id) {
  return first_row(
      database, read_collection,
      fmt::format("SELECT {} FROM collections WHERE id = ? AND team_id = ?", k_collection_columns),
      id, team_id);
}

Result<std::vector<Collection>> all_collections(Database& database, sv team_id) {
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
  SVC_CHECK(k_documents.insert(database, document));
  document.seq = database.last_row_id();
  return insert_chunks(database, document.seq, chunks);
}

Result<void> replace_chunks(Database& database, const Document& document,
                            const std::vector<Chunk>& chunks) {
  SVC_CHECK(k_documents.replace(database, document));
  SVC_CHECK(delete_chunks(database, document.seq));
  return insert_chunks(database, document.seq, chunks);
}

Result<void> update_document(Database& database, const Document& document) {
  return k_documents.replace(database, document);
}

Result<void> delete_document(Database& database, const Document& document) {
  SVC_CHECK(delete_chunks(database, document.seq));
  return run_sql(database, "DELETE FROM documents WHERE seq = ?", document.seq);
}

Result<std::optional<Document>> find_document(Database& database, const Collection& collection,
                                              sv file_id) {
  return k_documents.first(database, "WHERE collection_seq = ? AND file_id = ?", collection.seq,
                           file_id);
}

Result<std::vector<Document>> all_documents(Database& database, const Collection& collection) {
  return k_documents.all(database, "WHERE collection_seq = ? ORDER BY seq", collection.seq);
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

Result<std::vector<std::pair<std::int64_t, double>>> search_words(Database& database, sv query) {
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
