#include <algorithm>
#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <sys/file.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/wait.h"

namespace svc {

Result<FileLock> FileLock::take(const std::string& path, std::chrono::milliseconds patience,
                                const CancelToken& cancel) {
  using std::chrono::steady_clock;
  // Longer with time: hundreds that wait would keep the one from its work that holds the lock.
  constexpr int longest_pause = 25;
  int pause = 1;
  const std::string what = "cannot lock " + shown_path(path);
  if (path.empty() || has_nul(path)) return Error{Fault::Local, what + ": no path of a file"};
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) {
    const int error_number = errno;
    Error error = system_error(what, error_number);
    error.hint = error_number == ELOOP ? "Remove it: a lock may not be a symbolic link."
                                       : "Check who may write in the folder of that file.";
    return error;
  }
  // Polled, because a blocking flock could not give up in time.
  const auto deadline = steady_clock::now() + patience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    if (error_number != EWOULDBLOCK && error_number != EINTR) {
      return system_error(what, error_number);
    }
    if (steady_clock::now() >= deadline) {
      return Error{Fault::Local,
                   what + ": another process held it for " + format_duration(patience),
                   "Try again when the other svc process has ended."};
    }
    SVC_CHECK(wait_readable(-1, after(std::chrono::milliseconds(pause)), cancel));
    pause = std::min(pause * 3 / 2 + 1, longest_pause);
  }
  return FileLock(file.release());
}

FileLock::FileLock(FileLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this != &other) {
    if (m_fd >= 0) ::close(m_fd);
    m_fd = std::exchange(other.m_fd, -1);
  }
  return *this;
}

// Closing gives the lock up. The file stays: removing it would let two processes lock two files of
// one name.
FileLock::~FileLock() {
  if (m_fd >= 0) ::close(m_fd);
}

}  // namespace svc
