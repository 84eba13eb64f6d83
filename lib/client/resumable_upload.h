// Uploads a file in chunks: initialize, one request per chunk, then a check of the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/result.h"
#include "client/api_client.h"
#include "request/plan.h"

namespace svc {

/// Maximum size of a chunk, and of the whole file.
inline constexpr std::uint64_t k_upload_chunk_size = 5'000'000;
inline constexpr std::uint64_t k_max_chunked_upload = 512'000'000;

struct ChunkedFile {
  std::string path{};
  std::string name{};
  std::string content_type{};
  std::string base_url{};              ///< of the service
  std::vector<std::string> headers{};  ///< sent with every request, in the format of --header
  std::string service{};  ///< identifies the destination: uploads to another service are separate
  bool resumable = true;  ///< false for a file that no later run can find
};

using UploadProgress = std::function<void(std::uint64_t sent, std::uint64_t total)>;

/// Uploads the file and returns the service's description of it. If the response to a chunk is
/// lost, the chunk is only resent when the file's size on the service shows that it did not arrive.
/// A later call for the same file (path, size, modification time, name, type and service) resumes
/// an interrupted upload; if the position is unknown, it starts again. The service documents no
/// request that completes an upload, so the description is fetched at the end and its size must
/// match.
[[nodiscard]] Result<std::string> upload_in_chunks(
    ApiClient& client, const ChunkedFile& file, const UploadProgress& on_progress,
    const std::function<void(const std::string&)>& note);

/// The requests of an upload, in order: `add` receives each, and may keep it. The file's ID, which
/// the first answer has, is "$NAME" in the others, unless an earlier run was interrupted: then they
/// are those that resume its upload.
[[nodiscard]] Result<void> plan_upload(const ChunkedFile& file, const std::string& name,
                                       const std::function<Result<void>(request::Step step)>& add);

/// The progress of an upload, saved between runs. Internal to lib/client.
struct UploadState {
  std::string file_id{};
  std::uint64_t sent = 0;  ///< confirmed by the service
  bool sending = false;    ///< another chunk was in flight and may have arrived
};

/// One small file per upload in the state directory, locked while the upload runs. Saves nothing if
/// the state directory is not writable.
class UploadJournal {
 public:
  /// Opens the journal of the upload identified by `identity`; with "" it saves nothing. Local if
  /// another process is using it.
  [[nodiscard]] static Result<UploadJournal> open(const std::string& identity);

  /// The state saved by an earlier run, without opening the journal.
  [[nodiscard]] static std::optional<UploadState> look(const std::string& identity);

  /// The state saved by an earlier run.
  [[nodiscard]] const std::optional<UploadState>& state() const noexcept { return m_state; }
  /// The time since the last save, by this machine's clock; zero for a time in the future.
  [[nodiscard]] std::chrono::milliseconds age() const noexcept;
  [[nodiscard]] bool is_persistent() const noexcept { return m_file.is_open(); }

  /// Saves to disk before it returns.
  [[nodiscard]] Result<void> save(const UploadState& state);
  /// Removes the journal of a finished upload.
  void remove();

 private:
  FileDescriptor m_file{};
  std::string m_path{};
  std::string m_identity{};
  std::optional<UploadState> m_state{};
};

}  // namespace svc
