// The files that a tool of `svc mcp` may read.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"
#include "session/session.h"

namespace svc::cli {

/// A regular file that may be read. It stays this file, whatever happens to its path.
struct ReadableFile {
  FileDescriptor open{};
  std::filesystem::path path{};  ///< when it was opened, without symbolic links
};

/// The template of a name for mkdtemp(), for the files of one call.
[[nodiscard]] std::string temporary_call_path();

/// Opened files below names of their own in a private directory: what opens such a name gets the
/// file that was checked, even if another one has its path by now. Until the end of the object.
class HeldFiles {
 public:
  HeldFiles() = default;
  HeldFiles(const HeldFiles&) = delete;
  HeldFiles& operator=(const HeldFiles&) = delete;
  ~HeldFiles();

  /// Returns the path to use instead; its last component is that of the file. Local on failure.
  [[nodiscard]] Result<std::string> add(ReadableFile file);

  /// `json`, in whose texts each directory of add() is the file's own again, unless its name would
  /// have to be escaped.
  [[nodiscard]] std::string with_real_paths(std::string json) const;

 private:
  struct Held {
    FileDescriptor open{};
    std::string place{};  ///< its directory here
    std::string real{};   ///< its own directory
  };
  std::string m_directory{};
  std::vector<Held> m_held{};
};

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

  /// Opens a regular file: `path` may be relative to a root, or a file: URI. `argument` is for
  /// errors. Usage if it is outside the roots, one of svc's own files, or not a file.
  [[nodiscard]] Result<ReadableFile> open(std::string_view argument, const std::string& path,
                                          const CancelToken& cancel) const;

 private:
  ReadRoots() = default;
  void add_files_of(const Settings& settings);
  [[nodiscard]] Result<void> wait_for_client(const CancelToken& cancel) const;
  /// Whether `file`, the real path of what `open` opened, is a file of svc.
  [[nodiscard]] bool is_own(const std::filesystem::path& file, const FileDescriptor& open) const;

  std::vector<std::filesystem::path> m_own{};  ///< real paths of files and directories of svc
  mutable std::mutex m_mutex{};                ///< guards what follows
  mutable std::condition_variable m_named{};
  bool m_expected = false;
  std::vector<std::filesystem::path> m_roots{};  ///< real paths
};

}  // namespace svc::cli
