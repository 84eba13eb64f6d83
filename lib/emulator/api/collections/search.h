// Searching collections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/api/collections/store.h"
#include "emulator/handler/handler.h"

namespace svc::emulator::collections {

struct FoundChunk {
  std::string file_id{}, file_name{};
  std::string collection_id{};
  std::string chunk_id{};
  std::string text{};
  std::string fields{};  ///< a JSON object as text
  std::int64_t page = 0;
  double score = 0;  ///< higher is better
};

/// Returns the results of the tool file_search in the collections of the caller's team; unknown
/// collections are skipped.
[[nodiscard]] std::vector<FoundChunk> search_for_tool(const Request& request,
                                                      std::vector<std::string> collection_ids,
                                                      std::string_view question, std::size_t most);

/// POST /v1/documents/search.
[[nodiscard]] Response search_documents(const Request& request);

}  // namespace svc::emulator::collections
