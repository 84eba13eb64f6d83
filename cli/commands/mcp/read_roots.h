// The files that a tool of `svc mcp` may read.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// The directories below which tools read files: the roots that the client grants, else --root,
/// else the working directory. Files of svc itself are never read. Safe to use from any thread.
class ReadRoots {
 public:
  /// `roots` are the values of --root. Without any, the working directory is the root unless it is
  /// / or the home directory. Usage if one is not a directory.
  [[nodiscard]] static Result<std::unique_ptr<ReadRoots>> create(
      const std::vector<std::string>& roots, const Session& session);

  /// The client will name its roots: files wait for grant().
  void expect();
  /// Replaces the roots by the client's, which are file: URIs; others are ignored.
  void grant(const std::vector<std::string>& uris);
  /// The client names no roots after all.
  void give_up();

  /// The real path of a regular file: `path` may be relative to a root, or a file: URI. `argument`
  /// is for errors. Usage if it is outside the roots, one of svc's own files, or no file.
  [[nodiscard]] Result<std::string> resolve(std::string_view argument, const std::string& path,
                                            const CancelToken& cancel) const;

 private:
  ReadRoots() = default;
  void add_files_of(const Settings& settings);
  [[nodiscard]] Result<void> wait_for_client(const CancelToken& cancel) const;
  [[nodiscard]] bool is_own(const std::filesystem::path& file) const;

  std::vector<std::filesystem::path> m_own{};  ///< real paths of files and directories of svc
  mutable std::mutex m_mutex{};                ///< guards what follows
  mutable std::condition_variable m_named{};
  bool m_expected = false;
  std::vector<std::filesystem::path> m_roots{};  ///< real paths
};

}  // namespace svc::cli
