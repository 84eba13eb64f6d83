// What was typed in earlier conversations.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::cli {

/// Lines that were entered, the newest last. Kept in a file of JSON texts, one per line, 0600;
/// several programs may add to it at once.
class InputHistory {
 public:
  static constexpr std::size_t k_most = 1000;

  /// Without a path nothing is kept beyond this program's run. A file that cannot be read is as
  /// one that is empty.
  explicit InputHistory(std::filesystem::path path);

  /// Not kept: what is empty, begins with a blank, repeats the last entry, is longer than 64 kB, or
  /// holds one of `secrets`. Local when the file cannot be written; the entry is there all the
  /// same.
  [[nodiscard]] Result<void> add(const std::string& entry, const std::vector<std::string>& secrets);

  /// The entry before (older) or after the one that is shown, which begins the browsing with
  /// `current` as the newest; nothing at the ends.
  [[nodiscard]] std::optional<std::string> older(const std::string& current);
  [[nodiscard]] std::optional<std::string> newer();
  /// The newest entry that holds `part`, from `from` entries ago on; its place.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view part, std::size_t from) const;
  [[nodiscard]] const std::string& ago(std::size_t count) const;
  /// The browsing is over.
  void rest() noexcept { m_ago = 0; }

 private:
  void trim_file() const;

  std::filesystem::path m_path;
  std::vector<std::string> m_entries{};
  std::size_t m_ago = 0;  ///< 0: what is being written
  std::string m_current{};
};

}  // namespace svc::cli
