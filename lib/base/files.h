// Local files: written atomically, private if they contain secrets, locked, and safely named.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel_token.h"
#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

/// Whether this process can hardly open another file: fewer than three descriptors are left.
[[nodiscard]] bool lacks_descriptors() noexcept;

/// Reads a regular file or pipe of at most `max_bytes`. Usage if it is missing, a directory,
/// unreadable or too large; the message includes the path.
[[nodiscard]] Result<std::string> read_file(const std::string& path,
                                            std::uint64_t max_bytes = 64ULL << 20U);

/// Reads up to `bytes` bytes from the start of a file. Usage if it cannot be read.
[[nodiscard]] Result<std::string> read_prefix(const std::string& path, std::size_t bytes);

/// Reads a file that contains a secret. Fails with Local (and the chmod command that fixes it) if
/// the file is a symbolic link, not a regular file, owned by another user, or readable by group or
/// others. A secret mounted by root is accepted with any mode, also through links made by root or
/// this user: it is in memory on a read-only mount, and access is up to whoever mounted it
/// (Kubernetes links `key` to `..data/key`, mode 0644).
[[nodiscard]] Result<std::string> read_private_file(const std::string& path);

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

/// Creates the directory and its missing parents with mode 0700.
[[nodiscard]] Result<void> make_private_directory(const std::filesystem::path& directory);

/// If root created an empty file in another user's directory, changes its owner to that user, who
/// could not write to it otherwise. Does nothing for other users and non-empty files.
void give_to_directory_owner(int fd, const std::string& path) noexcept;

/// An exclusive advisory lock on `path` (created with mode 0600 if missing), held until destroyed.
class FileLock {
 public:
  /// Waits at most `timeout`, then fails with Local. Returns the fault of `cancel` once it is
  /// canceled.
  [[nodiscard]] static Result<FileLock> acquire(
      const std::string& path, std::chrono::milliseconds timeout = std::chrono::seconds(5),
      const CancelToken& cancel = NeverCanceled());

  /// The locked file, open for reading and writing.
  [[nodiscard]] int descriptor() const noexcept { return m_file.get(); }

 private:
  explicit FileLock(FileDescriptor file) noexcept : m_file(std::move(file)) {}

  // Closing it releases the lock. The file is not removed: two processes could then lock two files
  // of the same name.
  FileDescriptor m_file;
};

/// Makes a file name chosen by the server safe to create locally: last component only; control
/// characters, invisible characters and reserved names replaced; never hidden, option-like or
/// empty; at most 200 bytes.
[[nodiscard]] std::string safe_file_name(std::string_view name, std::string_view fallback);

/// The base directories of the XDG specification with "svc" appended; empty when neither the
/// variable nor HOME is set.
[[nodiscard]] std::filesystem::path config_directory();
[[nodiscard]] std::filesystem::path state_directory();

}  // namespace svc
