// Functions shared by the commands for a collection's documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// A document's status on the service.
enum class DocumentState : std::uint8_t { Working, Ready, Failed };

struct DocumentFacts {
  std::string file_id{};
  std::string hash{};    ///< SHA-256 in hexadecimal
  std::string status{};  ///< DOCUMENT_STATUS_PROCESSED and the like
  std::string error{};
  DocumentState state = DocumentState::Working;
};

/// Parses an item of a list, or the response of `documents get`.
[[nodiscard]] DocumentFacts read_document(std::string_view json);

/// The first request of the list of all documents of a collection; the progress of one.
[[nodiscard]] Result<request::Request> list_request(Session& session,
                                                    const std::string& collection);
[[nodiscard]] Result<request::Request> look_request(Session& session, const std::string& collection,
                                                    const std::string& file_id);

/// All documents of the collection.
[[nodiscard]] Result<std::vector<DocumentFacts>> all_documents(Session& session, ApiClient& client,
                                                               const std::string& collection);

/// Waits until every given document is processed or has failed. Then RemoteJob with the service's
/// reason if one failed.
[[nodiscard]] Result<void> wait_for_documents(Session& session, ApiClient& client,
                                              const std::string& collection,
                                              std::vector<std::string> file_ids);

/// The SHA-256 of a file in lower-case hexadecimal. Usage or Local if it cannot be read.
[[nodiscard]] Result<std::string> hash_of_file(const std::string& path);

// A list of documents and their fields: CSV with a header, or JSON Lines.

/// One document of a manifest.
struct ManifestRow {
  std::string target{};  ///< a path or a file ID
  std::string fields{};  ///< a JSON object
  std::size_t line = 0;  ///< from 1
};

/// Parses a manifest: JSON Lines if the first line starts with a brace, else CSV (RFC 4180). `path`
/// or `file_id` identifies the document; every other column or JSON member is a field, and empty
/// cells are skipped. Usage, with the line number, for a missing column, a row with the wrong
/// number of cells, an unclosed quote or invalid JSON.
[[nodiscard]] Result<std::vector<ManifestRow>> read_manifest(std::string_view name,
                                                             std::string_view text);

}  // namespace svc::cli
