// Documents on their way into a collection: local files are uploaded first, several at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "client/api_client.h"
#include "session/session.h"

namespace svc::cli {

/// A document to add: a local file, or one that is uploaded already.
struct Document {
  std::string file_id{};
  std::string path{};              ///< "" for an id
  std::string fields{};            ///< a JSON object, or ""
  std::uint64_t size = 0;          ///< of a local file
  std::string hash{};              ///< of a local file, once it is known
  std::string outcome{};           ///< "added", "failed", …; "" as long as it is due
  const Document* same = nullptr;  ///< one before it with the same bytes
  bool remembered = false;         ///< an earlier run uploaded it as `file_id`

  [[nodiscard]] const std::string& name() const noexcept { return path.empty() ? file_id : path; }
};

/// What was uploaded for a collection and is not in it yet, in a file of the state folder: whatever
/// ends a run, the next one uploads nothing twice. Works without a state folder, but forgets then.
class UploadedFiles {
 public:
  UploadedFiles(const std::string& service, const std::string& collection);

  /// The id of a file with these bytes; "" for none.
  [[nodiscard]] std::string find(const std::string& hash) const;
  void add(const std::string& hash, const std::string& file_id);
  /// Everything is in the collection.
  void forget();

 private:
  std::string m_path{};
  std::map<std::string, std::string> m_ids{};
};

class DocumentSender {
 public:
  using MakeAdd = std::function<Result<request::Request>(const Document&)>;

  /// `adder` makes the calls to the collection. References must outlive the sender.
  DocumentSender(Session& session, ApiClient& adder, UploadedFiles& uploaded, MakeAdd make_add);

  /// Uploads and adds all that have no outcome, at most `jobs` at a time. A failure of one does not
  /// keep the others from it. When the run is asked to end, what is in the collection stays there,
  /// and the same command goes on.
  [[nodiscard]] Result<void> run(std::vector<Document>& documents, std::size_t jobs);

 private:
  class Run;

  Session& m_session;
  ApiClient& m_adder;
  UploadedFiles& m_uploaded;
  MakeAdd m_make_add;
};

/// Files above this go in pieces.
[[nodiscard]] std::uint64_t largest_form_upload();

/// The upload of a local file as one form.
[[nodiscard]] Result<request::Request> document_upload(Session& session, const std::string& path);

}  // namespace svc::cli
