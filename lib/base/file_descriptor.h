// An open file, closed when it goes out of scope.
#pragma once

#include <string>
#include <utility>

#include <unistd.h>

#include "base/text.h"

namespace svc {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) noexcept : m_fd(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : m_fd(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return m_fd; }
  [[nodiscard]] bool is_open() const noexcept { return m_fd >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(m_fd, -1); }
  void reset(int fd = -1) noexcept {
    // Not retried after EINTR: Linux has closed the descriptor by then.
    if (m_fd >= 0) ::close(m_fd);
    m_fd = fd;
  }

 private:
  int m_fd;
};

/// `path` for use in messages: quoted and safe for a terminal.
[[nodiscard]] inline std::string quote_path(std::string_view path) {
  return "'" + visible(path, Lines::Escape) + "'";
}

/// The directory of `path`, with the slash at its end; "." if it has none.
[[nodiscard]] inline std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash + 1));
}

/// Whether `path` contains a NUL, where the system would silently truncate it.
[[nodiscard]] inline bool has_nul(std::string_view path) noexcept {
  return path.find('\0') != std::string_view::npos;
}

}  // namespace svc
