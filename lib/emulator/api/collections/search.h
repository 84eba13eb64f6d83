// Searching collections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/api/collections/store.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::collections {

enum class Mode : std::uint8_t { Hybrid, Semantic, Keyword };
enum class Reranker : std::uint8_t { None, Fusion, Model };

/// Keeps the `k` chunks of each group with the least (or greatest) values of `keys`. `#score` is
/// treated as a distance: the best match has the least.
struct GroupWish {
  std::vector<std::string> keys{};  ///< metadata fields that define a group; empty: no groups
  bool greatest = false;
  std::vector<std::string> by{"#score"};
  std::size_t k = 1;
};

struct SearchWish {
  std::string query{};
  std::string instructions{};
  std::vector<std::string> collection_ids{};
  std::string filter{};
  GroupWish group{};
  std::size_t limit = 10;
  Mode mode = Mode::Hybrid;
  Reranker reranker = Reranker::Fusion;
  std::size_t multiplier = 10;  ///< candidates of each kind per requested chunk
  double fusion_k = 60, embedding_weight = 0.5, text_weight = 0.5;
};

struct FoundChunk {
  std::string file_id{}, file_name{};
  std::string collection_id{};
  std::string chunk_id{};
  std::string text{};
  std::string fields{};  ///< a JSON object as text
  std::int64_t page = 0;
  double score = 0;  ///< higher is better
};

/// Returns the best chunks of the processed documents, best first, at least one if there is any.
/// Returns NotFound if a collection does not exist and Usage if the filter is invalid, both with a
/// message.
[[nodiscard]] Result<std::vector<FoundChunk>> search(Database& database, std::string_view team_id,
                                                     const SearchWish& wish, std::int64_t now_ms);

/// Returns the results of the tool file_search in the collections of the caller's team; unknown
/// collections are skipped.
[[nodiscard]] std::vector<FoundChunk> search_for_tool(const Call& call,
                                                      std::vector<std::string> collection_ids,
                                                      std::string_view question, std::size_t most);

/// POST /v1/documents/search.
[[nodiscard]] Answer search_documents(const Call& call);

}  // namespace svc::emulator::collections
