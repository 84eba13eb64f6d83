// Files on the service, and searching collections of documents. Part of <svc/svc.h>.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/options.h"

namespace svc::v0 {

struct File {
  std::string id{};
  std::string filename{};
  std::int64_t bytes = 0;
  std::int64_t created_at = 0;  ///< Unix seconds
  std::int64_t expires_at = 0;  ///< Unix seconds; 0: never
  std::string json{};
};

struct UploadOptions {
  std::string name{};          ///< on the service; default: the last part of the path
  std::string content_type{};  ///< default: by the content and the name
  Flags flags{};               ///< any other flag of `svc files upload`, see svc-files(1)
};

struct DownloadOptions {
  bool replace = false;  ///< an existing file
};

struct SearchRequest {
  std::string query{};
  std::vector<std::string> collections{};  ///< IDs
  std::optional<int> limit{};              ///< number of passages
  Flags flags{};                           ///< any other flag of `svc collections search`
};

/// A passage that matches.
struct Match {
  std::string text{};
  double score = 0;
  std::string file_id{};
  std::string chunk_id{};
  std::vector<std::string> collection_ids{};
  std::int64_t page = 0;  ///< from 1; 0: not a paged document
  std::string json{};
};

}  // namespace svc::v0
