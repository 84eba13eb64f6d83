// Local files: whole or absent, private where they hold secrets.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {

/// All bytes of a regular file or a pipe, at most `max_bytes`; else Usage (missing, a directory,
/// unreadable, too large), each with its own sentence that names the path.
[[nodiscard]] Result<std::string> read_file(const std::string& path,
                                            std::uint64_t max_bytes = 64ULL << 20U);

/// The first bytes of a file, at most the number given. Usage when it cannot be read.
[[nodiscard]] Result<std::string> read_start(const std::string& path, std::size_t bytes);

/// Reads a file that holds a secret: refused (Local, with the chmod that mends it) when it is a
/// symbolic link, not a regular file, owned by somebody else, or readable by group or others.
/// A secret that root has mounted is taken as it is, through links that root or this user made: it
/// lies in memory, on a mount that nobody can write, and who mounted it decided who can read it
/// (Kubernetes links `key` to `..data/key`, mode 0644).
[[nodiscard]] Result<std::string> read_private_file(const std::string& path);

enum class Replace : std::uint8_t { No, Yes };

/// Refuse: for names that somebody else chose. A symbolic link, pipe or device that has the name is
/// never written through or into, whatever Replace says.
enum class Links : std::uint8_t { Follow, Refuse };

/// A file that appears whole at its path or not at all: written beside its target under a
/// temporary name, flushed to disk, then renamed. Without a commit the temporary file is removed.
class AtomicFile {
 public:
  /// Creates the temporary file. Local when the folder is missing, is a file or cannot be written,
  /// or when `path` exists and `replace` is No, or when `path` is a directory.
  /// A symbolic link as target is followed only with Replace::Yes, or below /dev. `mode` holds for
  /// the final file; a file that is replaced is never opened wider than it was.
  /// A pipe or character device (a FIFO, /dev/null, /dev/stdout) is written straight into: there is
  /// nothing to rename.
  [[nodiscard]] static Result<AtomicFile> create(const std::string& path, Replace replace,
                                                 unsigned mode = 0666, Links links = Links::Follow);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends `bytes`. Local when the disk is full or fails; ReaderGone for a pipe without reader.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Writes over what stands at `offset`; the next write() appends as before. Local as there, and
  /// for a pipe or device, which cannot take anything back.
  [[nodiscard]] Result<void> overwrite(std::uint64_t offset, std::string_view bytes);

  /// Flushes, closes and renames. With Replace::No a file that appeared meanwhile is kept, and the
  /// commit fails (race-free: link or renameat2).
  [[nodiscard]] Result<void> commit();

  /// commit() in two steps, for writers that take turns: after the first the file is in its place,
  /// whole, for everybody who looks; after the second its name survives a power cut too.
  [[nodiscard]] Result<void> put_in_place();
  [[nodiscard]] Result<void> flush_place();
  /// A commit under the first free one of the names `path_of(1)`, `path_of(2)`, …, in the folder of
  /// `path`; never replaces. Gives that name.
  [[nodiscard]] Result<std::string> commit_first_free(
      const std::function<std::string(std::size_t)>& path_of);

  /// Instead of a commit: what was written stays beside the target as "PATH.partial" (with a number
  /// when that exists), which is given; "" when nothing was written or there is nothing to rename.
  [[nodiscard]] Result<std::string> keep_partial();

  /// Forgets what was written. Local for a pipe or device, which cannot take anything back.
  [[nodiscard]] Result<void> rewind();

  /// Takes over the content of `partial`, a regular file of this user on the same file system,
  /// which is gone from its place then; later writes come behind it. Its size; Local when it cannot
  /// be had. Of two that try, one gets it.
  [[nodiscard]] Result<std::uint64_t> adopt(const std::string& partial);

  /// Written straight into a pipe or device: what was given cannot be taken back.
  [[nodiscard]] bool is_straight() const noexcept { return m_temporary.empty(); }

  [[nodiscard]] const std::string& path() const noexcept { return m_path; }

 private:
  AtomicFile() = default;
  void discard() noexcept;
  [[nodiscard]] Result<void> close_whole();

  std::string m_path{};
  std::string m_target{};     // m_path without symbolic links
  std::string m_temporary{};  // empty when written straight into a pipe or device
  Replace m_replace = Replace::No;
  bool m_placed = false;
  int m_fd = -1;
};

/// Writes `bytes` to `path` as one AtomicFile.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view bytes,
                                      Replace replace, unsigned mode = 0666);

/// Creates the folder and its parents, 0700 for the ones it makes.
[[nodiscard]] Result<void> make_private_folder(const std::filesystem::path& folder);

/// An empty file that root made in somebody's folder becomes that user's, who could not write it
/// any more otherwise. Does nothing for anybody else, and for files that hold something.
void give_to_folders_owner(int fd, const std::string& path) noexcept;

/// An exclusive advisory lock on `path` (created 0600 when missing), held until destroyed.
class FileLock {
 public:
  /// Waits at most `patience`; then Local. The stop's fault once it asks.
  [[nodiscard]] static Result<FileLock> take(
      const std::string& path, std::chrono::milliseconds patience = std::chrono::seconds(5),
      const CancelToken& cancel = NeverCancelled());
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// The locked file, open for reading and writing.
  [[nodiscard]] int descriptor() const noexcept { return m_fd; }

 private:
  explicit FileLock(int fd) noexcept : m_fd(fd) {}
  int m_fd = -1;
};

/// A name that the server chose, made safe for this folder: last component only, control and
/// invisible characters and reserved ones replaced, never hidden, never option-like, never empty,
/// at most 200 bytes.
[[nodiscard]] std::string safe_file_name(std::string_view name, std::string_view fallback);

/// The base folders of the XDG specification, with "svc" appended; empty when neither the variable
/// nor HOME is set.
[[nodiscard]] std::filesystem::path config_folder();
[[nodiscard]] std::filesystem::path state_folder();

}  // namespace svc
