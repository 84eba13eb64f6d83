// Files that appear at their path complete or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

enum class Replace : std::uint8_t { No, Yes };

/// Refuse is for names chosen by somebody else: an existing symbolic link, pipe or device of that
/// name is never written to, regardless of Replace.
enum class Links : std::uint8_t { Follow, Refuse };

/// A file that appears at its path complete or not at all: written to a temporary file in the same
/// directory, flushed to disk, then renamed. Without a commit the temporary file is removed.
class AtomicFile {
 public:
  /// Creates the temporary file. Fails with Local if the directory is missing, is not a directory
  /// or is not writable, if `path` exists and `replace` is No, or if `path` is a directory. A
  /// symbolic link as target is followed only with Replace::Yes or below /dev. `mode` applies to
  /// the final file; a replaced file never gets wider permissions than it had. A pipe or character
  /// device (a FIFO, /dev/null, /dev/stdout) is written directly, without a rename.
  [[nodiscard]] static Result<AtomicFile> create(const std::string& path, Replace replace,
                                                 unsigned mode = 0666, Links links = Links::Follow);
  AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { discard(); }

  /// Appends `bytes`. Local if the disk is full or fails; ReaderGone if a pipe has no reader.
  [[nodiscard]] Result<void> write(std::string_view bytes);

  /// Overwrites the bytes at `offset`; the next write() still appends. Local in the same cases as
  /// write(), and for a pipe or device, where output cannot be undone.
  [[nodiscard]] Result<void> overwrite(std::uint64_t offset, std::string_view bytes);

  /// Flushes, closes and renames. With Replace::No the commit fails if a file has appeared at the
  /// path in the meantime, and leaves that file alone (race-free: link or renameat2).
  [[nodiscard]] Result<void> commit();

  /// commit() in two steps, for concurrent writers: rename_into_place() makes the complete file
  /// visible at its path; flush_rename() makes its name survive a power failure.
  [[nodiscard]] Result<void> rename_into_place();
  [[nodiscard]] Result<void> flush_rename();
  /// Commits under the first unused name of `path_of(1)`, `path_of(2)`, … in the directory of
  /// `path`, and returns that name. Never replaces a file.
  [[nodiscard]] Result<std::string> commit_first_free(
      const std::function<std::string(std::size_t)>& path_of);

  /// Used instead of a commit: moves the partial file to "PATH.partial" (with a number if that
  /// exists) and returns that path; "" if nothing was written or the target is a pipe or device.
  [[nodiscard]] Result<std::string> save_partial();

  /// Discards all data written so far. Local for a pipe or device, where output cannot be undone.
  [[nodiscard]] Result<void> rewind();

  /// Moves the content of `partial`, a regular file of this user on the same file system, into this
  /// file, and removes `partial`; later writes are appended. Returns its size; Local if it cannot
  /// be moved. If two processes try, only one succeeds.
  [[nodiscard]] Result<std::uint64_t> adopt(const std::string& partial);

  /// Whether the target is a pipe or device, where output cannot be undone.
  [[nodiscard]] bool is_direct() const noexcept { return m_temporary.empty(); }

  [[nodiscard]] const std::string& path() const noexcept { return m_path; }

 private:
  AtomicFile() = default;
  void discard() noexcept;
  [[nodiscard]] Result<void> flush_and_close();

  std::string m_path{};
  std::string m_target{};     // m_path without symbolic links
  std::string m_temporary{};  // empty when writing directly to a pipe or device
  Replace m_replace = Replace::No;
  bool m_renamed = false;
  FileDescriptor m_fd{};
};

/// Atomically writes `bytes` to `path`.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view bytes,
                                      Replace replace, unsigned mode = 0666);

}  // namespace svc
