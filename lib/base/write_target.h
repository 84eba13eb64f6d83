// Resolves the actual target of a file to write, before anything is created.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/atomic_file.h"

namespace svc {

struct WriteTarget {
  std::string path{};       ///< the user's path with symbolic links followed
  std::string directory{};  ///< directory of `path`; "." if it has none
  std::string name{};       ///< last component of `path`
  bool direct = false;      ///< a pipe, a device or an inherited descriptor: no rename
  std::optional<struct stat> existing{};  ///< the regular file that will be replaced
};

/// Checks `path` by the rules of AtomicFile::create.
[[nodiscard]] Result<WriteTarget> find_write_target(const std::string& path, Replace replace,
                                                    Links links = Links::Follow);

/// What AtomicFile::create would refuse, without creating anything.
[[nodiscard]] Result<void> check_write_target(const std::string& path, Replace replace);

/// Opens a target with `direct` set for writing.
[[nodiscard]] Result<int> open_direct(const std::string& path);

/// "cannot write 'x': No space left on device", with a hint.
[[nodiscard]] Error write_error(const std::string& path, int error_number);

/// As write_error(), for a file that could not be created in `directory`.
[[nodiscard]] Error create_error(const std::string& path, const std::string& directory,
                                 int error_number);

/// Writes all of `bytes`, waiting if the descriptor is non-blocking; returns write_error() for
/// `path` on failure.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes, const std::string& path);

/// "'x' already exists".
[[nodiscard]] Error exists_error(const std::string& path);

}  // namespace svc
