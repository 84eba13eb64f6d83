// Adds documents to a collection; local files are uploaded first, several at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

/// A document to add: a local file, or one already uploaded.
struct Document {
  std::string file_id{};
  std::string path{};              ///< "" for an ID
  std::string fields{};            ///< a JSON object, or ""
  std::uint64_t size = 0;          ///< of a local file
  std::string hash{};              ///< of a local file, once computed
  std::string outcome{};           ///< "added", "failed", …; "" if not done yet
  const Document* same = nullptr;  ///< an earlier document with the same bytes
  bool remembered = false;         ///< an earlier run uploaded it as `file_id`

  [[nodiscard]] const std::string& name() const noexcept { return path.empty() ? file_id : path; }
};

/// Files uploaded for a collection but not added yet, recorded in the state directory so that an
/// interrupted run does not upload them again. Without a state directory, nothing is recorded.
class UploadedFiles {
 public:
  UploadedFiles(const std::string& service, const std::string& collection);

  /// The ID of the uploaded file with this hash; "" if there is none.
  [[nodiscard]] std::string find(const std::string& hash) const;
  void add(const std::string& hash, const std::string& file_id);
  /// Deletes the record, once everything is in the collection.
  void forget();

 private:
  std::string m_path{};
  std::map<std::string, std::string> m_ids{};
};

/// Makes the request that adds a document.
using MakeAdd = std::function<Result<request::Request>(const Document&)>;

/// Uploads and adds all documents without an outcome, at most `jobs` at a time; `adder` sends the
/// requests to the collection. A failed document does not stop the others. After an interrupt,
/// documents already added stay in the collection, and rerunning the command resumes.
[[nodiscard]] Result<void> send_documents(Session& session, ApiClient& adder,
                                          UploadedFiles& uploaded, const MakeAdd& make_add,
                                          std::vector<Document>& documents, std::size_t jobs);

/// Files above this size are uploaded in chunks.
[[nodiscard]] std::uint64_t largest_form_upload();

/// The request that uploads a local file as a form.
[[nodiscard]] Result<request::Request> document_upload(Session& session, const std::string& path);

}  // namespace svc::cli
