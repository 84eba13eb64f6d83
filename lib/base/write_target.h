// Where a file that is to be written really goes, found before anything is created.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "base/files.h"

namespace svc {

struct WriteTarget {
  std::string path{};     ///< the user's path with symbolic links followed
  std::string folder{};   ///< of `path`; "." when it names none
  std::string name{};     ///< last component of `path`
  bool straight = false;  ///< a pipe, a device or an inherited descriptor: nothing to rename
  std::optional<struct stat> existing{};  ///< the regular file that will be replaced
};

/// Judges `path` by the rules of AtomicFile::create.
[[nodiscard]] Result<WriteTarget> find_write_target(const std::string& path, Replace replace,
                                                    Links links = Links::Follow);

/// Opens what `straight` says, for writing.
[[nodiscard]] Result<int> open_straight(const std::string& path);

/// "cannot write 'x': No space left on device", with what to do about it.
[[nodiscard]] Error write_error(const std::string& path, int error_number);

/// The same when no file could be created in `folder`.
[[nodiscard]] Error create_error(const std::string& path, const std::string& folder,
                                 int error_number);

/// Writes all of `bytes`, waiting where the descriptor does not block; write_error() of `path` when
/// that fails.
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes, const std::string& path);

/// "'x' exists already and is not replaced".
[[nodiscard]] Error exists_error(const std::string& path);

}  // namespace svc
