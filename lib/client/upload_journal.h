// What an upload in pieces remembers between runs. Internal to lib/client.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

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
