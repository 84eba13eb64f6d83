// A file sent in pieces: initialize, one call per piece, then a look at what arrived.
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
#include "request/inputs.h"

namespace svc {

/// At most this much in one piece, and in all.
inline constexpr std::uint64_t k_upload_piece = 5'000'000;
inline constexpr std::uint64_t k_most_in_pieces = 512'000'000;

struct ChunkedFile {
  std::string path{};
  std::string name{};
  std::string content_type{};
  std::string base_url{};              ///< of the service
  std::vector<std::string> headers{};  ///< that go with every request, as --header takes them
  std::string service{};  ///< the name of the address that it goes to: another is another upload
  bool remember = true;   ///< false for a file that no later run will find
};

using UploadProgress = std::function<void(std::uint64_t sent, std::uint64_t total)>;

/// Sends the file and gives the service's description of it. A piece whose answer was lost is sent
/// again only when the file's size on the service shows that it did not arrive. An upload that was
/// cut goes on in a later call for the same file (path, size, time of change, name, type and
/// service); when it cannot be told how much arrived, it begins again. The service documents no
/// call that ends an upload: the description is read in the end, and its size must be right.
[[nodiscard]] Result<std::string> upload_in_pieces(
    ApiClient& client, const ChunkedFile& file, const UploadProgress& on_progress,
    const std::function<void(const std::string&)>& note);

// What an upload in pieces remembers between runs. Internal to lib/client.

/// How far an upload has come.
struct UploadState {
  std::string file_id{};
  std::uint64_t sent = 0;  ///< answered by the service
  bool sending = false;    ///< a further piece was under way: it may have arrived
};

/// One small file in the state folder per upload, held with a lock while the upload runs. Without a
/// state folder that can be written nothing is remembered.
class UploadJournal {
 public:
  /// The journal of the upload that `identity` names; one that remembers nothing for "". Local when
  /// another process is at it.
  [[nodiscard]] static Result<UploadJournal> open(const std::string& identity);

  /// What an earlier run left.
  [[nodiscard]] const std::optional<UploadState>& state() const noexcept { return m_state; }
  /// How long ago it was written last, by this machine's clock; zero for a time in the future.
  [[nodiscard]] std::chrono::milliseconds age() const noexcept;
  [[nodiscard]] bool remembers() const noexcept { return m_file.is_open(); }

  /// On disk when it returns.
  [[nodiscard]] Result<void> save(const UploadState& state);
  /// The upload is over.
  void remove();

 private:
  FileDescriptor m_file{};
  std::string m_path{};
  std::string m_identity{};
  std::optional<UploadState> m_state{};
};

}  // namespace svc
