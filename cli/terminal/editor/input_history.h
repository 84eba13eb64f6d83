// History of the input lines, across conversations.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

/// Entered lines, the newest last. Stored in a file (mode 0600) of JSON strings, one per line;
/// several programs may add to it concurrently.
class InputHistory {
 public:
  static constexpr std::size_t k_most = 1000;

  /// Without a path, nothing is saved. An unreadable file is treated as empty.
  explicit InputHistory(std::filesystem::path path);

  /// Adds an entry. Not added: entries that are empty, start with a space, repeat the last one, are
  /// longer than 64 kB, or contain one of `secrets`. Returns Fault::Local if the file cannot be
  /// written; the entry is still in memory.
  [[nodiscard]] Result<void> add(const std::string& entry, const std::vector<std::string>& secrets);

  /// Returns the entry before (older) or after the current one; nothing at either end. The first
  /// call saves `current` as the newest entry.
  [[nodiscard]] std::optional<std::string> older(const std::string& current);
  [[nodiscard]] std::optional<std::string> newer();
  /// Returns the index of the newest entry that contains `part`, starting `from` entries ago.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view part, std::size_t from) const;
  [[nodiscard]] const std::string& ago(std::size_t count) const;
  /// Ends the browsing.
  void rest() noexcept { m_ago = 0; }

 private:
  std::filesystem::path m_path;
  std::vector<std::string> m_entries{};
  std::size_t m_ago = 0;  ///< 0: the line being edited
  std::string m_current{};
};

}  // namespace svc::cli
