// Changes of the configuration that wait for their turn: whoever has it makes all of them with one
// flush to disk. Internal to lib/client.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/files.h"
#include "client/config_edit.h"

namespace svc {

/// A change of one value, which is removed when there is none; without a name the table is added.
struct ConfigEdit {
  TablePath table{};
  std::optional<std::string> name{};
  std::optional<std::string> value{};
};

/// An edit that others can see, as a small file beside the configuration. It lives as long as this.
class PendingEdit final : public CancelToken {
 public:
  /// Where the file cannot be made nobody sees it: it is made by its owner then.
  PendingEdit(const std::filesystem::path& folder, const ConfigEdit& edit,
              const CancelToken& cancel);
  ~PendingEdit() override;

  /// Somebody else has made it, and it is on disk.
  [[nodiscard]] bool is_made() const;

  /// For the wait for the turn: it ends when the edit is made, and when the run is to end.
  [[nodiscard]] std::optional<Fault> requested() const noexcept override;
  [[nodiscard]] int wake_fd() const noexcept override { return m_cancel.wake_fd(); }

  /// What others wait for. Only for who has the turn. Edits of the dead are swept away.
  struct Other {
    std::filesystem::path file{};
    ConfigEdit edit{};
  };
  [[nodiscard]] std::vector<Other> others() const;

 private:
  const CancelToken& m_cancel;
  std::filesystem::path m_folder;
  std::filesystem::path m_file{};     // empty: nobody sees it
  std::optional<FileLock> m_alive{};  // held as long as the owner lives
};

}  // namespace svc
