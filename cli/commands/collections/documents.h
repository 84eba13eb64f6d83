// What the commands on a collection's documents share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// What the service says about a document.
enum class DocumentState : std::uint8_t { Working, Ready, Failed };

struct DocumentFacts {
  std::string file_id{};
  std::string name{};
  std::string hash{};    ///< SHA-256 in hexadecimal
  std::string status{};  ///< DOCUMENT_STATUS_PROCESSED and the like
  std::string error{};
  DocumentState state = DocumentState::Working;
};

/// Reads one element of a list, or the answer of `documents get`.
[[nodiscard]] DocumentFacts read_document(std::string_view json);

/// The inputs of an operation on the document `file_id` ("" for one on all of them).
[[nodiscard]] request::Inputs document_inputs(const Session& session, const Operation& operation,
                                              const std::string& collection,
                                              const std::string& file_id);

/// All documents of the collection.
[[nodiscard]] Result<std::vector<DocumentFacts>> all_documents(Session& session, ApiClient& client,
                                                               const std::string& collection);

/// Waits until each of these documents is processed or has failed. RemoteJob with the service's
/// reason when one failed, after all have ended.
[[nodiscard]] Result<void> wait_for_documents(Session& session, ApiClient& client,
                                              const std::string& collection,
                                              std::vector<std::string> file_ids);

/// The SHA-256 of a file's bytes, in lower-case hexadecimal. Usage or Local when it cannot be read.
[[nodiscard]] Result<std::string> hash_of_file(const std::string& path);

// A list of documents with their values: CSV with a header, or JSON lines.

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
