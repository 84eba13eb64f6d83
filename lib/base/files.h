// Local files: read, private if they contain secrets, locked, and safely named.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
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
