// A list of documents with their values: CSV with a header, or JSON lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

/// One document of a manifest.
struct ManifestRow {
  std::string target{};  ///< a path or a file id
  std::string fields{};  ///< a JSON object
  std::size_t line = 0;  ///< from 1
};

/// Reads a manifest: JSON lines when its first line begins with a brace, else CSV (RFC 4180;
/// commas, quotes doubled inside quotes). `path` or `file_id` names the document; every other
/// column or member is a field, an empty cell none. Usage, with the line, for what cannot be read:
/// no such column, a row with another number of cells, a quote that does not close, bad JSON.
[[nodiscard]] Result<std::vector<ManifestRow>> read_manifest(std::string_view name,
                                                             std::string_view text);

}  // namespace svc::cli
