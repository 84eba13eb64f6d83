#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/file_descriptor.h"
#include "base/files.h"

namespace svc {
namespace {

constexpr sv k_exists_hint = "Use --force to replace it, or choose another name.";

struct Split {
  std::string folder;
  std::string name;
};

Split split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Error local(std::string message, std::string hint = {}) {
  return Error{Fault::Local, std::move(message), std::move(hint)};
}

Error exists_error(const std::string& path) {
  return local(shown_path(path) + " exists already and is not replaced",
               std::string(k_exists_hint));
}

Error write_error(const std::string& path, int error_number) {
  Error error = system_error("cannot write " + shown_path(path), error_number);
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      error.hint = "Free some space there, or choose another folder.";
      break;
    case EFBIG:
      error.hint = "Raise the limit on file sizes (ulimit -f).";
      break;
    case EIO:
      error.hint = "The disk reports a fault: choose another one.";
      break;
    case EPIPE:
      error.fault = Fault::ReaderGone;
      break;
    case EMFILE:
    case ENFILE:
      error.hint = "Too many files are open: raise the limit (ulimit -n).";
      break;
    default:
      break;
  }
  return error;
}

// What to do when no file can be created at `path`.
Error create_error(const std::string& path, const std::string& folder, int error_number) {
  Error error = write_error(path, error_number);
  const std::string shown = shown_path(folder);
  const std::string what = "cannot write " + shown_path(path) + ": ";
  switch (error_number) {
    case ENOENT:
      error.message = what + "the folder " + shown + " does not exist";
      error.hint = "Create it: mkdir -p " + shell_quote(folder);
      break;
    case ENOTDIR:
      error.message = what + shown + " is not a folder";
      error.hint = "Choose a path below a folder.";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      error.hint = "Choose a folder that you may write in, not " + shown + ".";
      break;
    default:
      break;
  }
  return error;
}

// /dev/stdout and the like name a descriptor that is open already. Opening such a path again would
// start at offset 0 of a redirected file, and fails for sockets.
std::optional<int> named_descriptor(sv path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const sv folder : {sv("/dev/fd/"), sv("/proc/self/fd/")}) {
    if (!path.starts_with(folder)) continue;
    if (const auto number = parse_integer(path.substr(folder.size()));
        number && *number <= INT_MAX) {
      return static_cast<int>(*number);
    }
  }
  return std::nullopt;
}

Result<FileDescriptor> open_straight(const std::string& path) {
  if (const auto named = named_descriptor(path)) {
    FileDescriptor copy(::fcntl(*named, F_DUPFD_CLOEXEC, 3));
    if (!copy.is_open()) return write_error(path, errno);
    return copy;
  }
  // Not again after EINTR: waiting for the reader of a FIFO must end when somebody asks for it.
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return write_error(path, errno);
  return file;
}

// Follows symbolic links to the place where the file shall be, which need not exist.
Result<std::string> follow_links(const std::string& path) {
  constexpr int longest_chain = 40;
  std::string at = path;
  for (int i = 0; i < longest_chain; ++i) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(at.c_str(), target.data(), target.size());
    if (length < 0) return at;
    const std::string next(target.data(), static_cast<std::size_t>(length));
    at = next.starts_with('/') ? next : split_path(at).folder + "/" + next;
  }
  return system_error("cannot write " + shown_path(path), ELOOP);
}

std::string temporary_name(const std::string& name) {
  constexpr std::size_t longest = 200;  // of the 255 bytes that file systems allow
  return "." + name.substr(0, longest) + "." + random_uuid().substr(0, 8) + ".part";
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
      continue;
    }
    const int error_number = errno;
    if (error_number == EINTR) continue;
    if (error_number != EAGAIN) return write_error(path, error_number);
    // An inherited pipe may be non-blocking.
    pollfd ready{fd, POLLOUT, 0};
    ::poll(&ready, 1, -1);
  }
  return {};
}

// Some file systems cannot flush and say so: not a fault of the data.
bool flush_failed(int fd) noexcept {
  while (::fsync(fd) != 0) {
    if (errno == EINTR) continue;
    return errno != EINVAL && errno != ENOSYS && errno != EROFS;
  }
  return false;
}

// Gives the temporary file its final name without replacing anything. 0 or an errno.
int rename_if_absent(const std::string& from, const std::string& to) noexcept {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return errno;
  // A file system with neither: claim the name, then replace the empty file, which is ours.
  const FileDescriptor claim(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!claim.is_open()) return errno;
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int error_number = errno;
  ::unlink(to.c_str());
  return error_number;
}

// So that the new name survives a power cut too. A folder that may not be read cannot be flushed.
Result<void> flush_folder(const std::string& target, const std::string& path) {
  const std::string folder = split_path(target).folder;
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || !flush_failed(opened.get())) return {};
  return system_error(shown_path(path) + " is written, but its folder could not be flushed to disk",
                      errno);
}

// Makes the new file no wider than the one it replaces, and keeps its owner where we may.
void copy_access(int fd, const struct stat& existing, unsigned mode) noexcept {
  if (::geteuid() == 0 && ::fchown(fd, existing.st_uid, existing.st_gid) != 0) return;
  ::fchmod(fd, existing.st_mode & mode & 0777U);
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path, Replace replace, unsigned mode) {
  if (path.empty()) return local("the name of the file to write is empty");
  if (has_nul(path)) return local("the path " + shown_path(path) + " contains a NUL");
  AtomicFile file;
  file.m_path = path;
  file.m_target = path;
  file.m_replace = replace;
  const bool device_folder = path.starts_with("/dev/") || path.starts_with("/proc/self/fd/");
  struct stat status {};
  const bool named = ::lstat(path.c_str(), &status) == 0;
  const bool linked = named && S_ISLNK(status.st_mode);
  if (linked && replace == Replace::No && !device_folder) return exists_error(path);
  const bool exists = named && ::stat(path.c_str(), &status) == 0;
  if (path.back() == '/' || (exists && S_ISDIR(status.st_mode))) {
    return local(shown_path(path) + " is a folder, not a file", "Add a file name.");
  }
  const bool stream = exists && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (stream || named_descriptor(path)) {
    SVC_TRY(opened, open_straight(path));
    file.m_fd = opened.release();
    return file;
  }
  if (exists && !S_ISREG(status.st_mode)) {
    return local(shown_path(path) + " is neither a regular file nor a pipe",
                 "Choose another path.");
  }
  if (exists && replace == Replace::No) return exists_error(path);
  if (linked) {
    SVC_TRY(target, follow_links(path));
    file.m_target = target;
  }
  const Split parts = split_path(file.m_target);
  const std::string temporary = parts.folder + "/" + temporary_name(parts.name);
  const unsigned access = exists ? (mode & status.st_mode & 0777U) : mode;
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  file.m_fd = ::open(temporary.c_str(), flags, access);
  if (file.m_fd < 0) return create_error(path, parts.folder, errno);
  file.m_temporary = temporary;
  if (exists) copy_access(file.m_fd, status, mode);
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_target(std::move(other.m_target)),
      m_temporary(std::exchange(other.m_temporary, {})),
      m_replace(other.m_replace),
      m_fd(std::exchange(other.m_fd, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    discard();
    m_path = std::move(other.m_path);
    m_target = std::move(other.m_target);
    m_temporary = std::exchange(other.m_temporary, {});
    m_replace = other.m_replace;
    m_fd = std::exchange(other.m_fd, -1);
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::discard() noexcept {
  if (m_fd >= 0) ::close(std::exchange(m_fd, -1));
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
  m_temporary.clear();
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (m_fd < 0) return Error{Fault::Unexpected, shown_path(m_path) + " is closed already"};
  return write_all(m_fd, bytes, m_path);
}

Result<void> AtomicFile::commit() {
  if (m_fd < 0) return Error{Fault::Unexpected, shown_path(m_path) + " is closed already"};
  const bool straight = m_temporary.empty();
  if (!straight && flush_failed(m_fd)) {
    const int error_number = errno;
    discard();
    return write_error(m_path, error_number);
  }
  if (::close(std::exchange(m_fd, -1)) != 0 && errno != EINTR) {
    const int error_number = errno;
    discard();
    return write_error(m_path, error_number);
  }
  if (straight) return {};
  int error_number = 0;
  if (m_replace == Replace::No) {
    error_number = rename_if_absent(m_temporary, m_target);
  } else if (::rename(m_temporary.c_str(), m_target.c_str()) != 0) {
    error_number = errno;
  }
  if (error_number != 0) {
    discard();
    if (error_number == EEXIST) return exists_error(m_path);
    return write_error(m_path, error_number);
  }
  m_temporary.clear();
  return flush_folder(m_target, m_path);
}

Result<void> write_file(const std::string& path, std::string_view bytes, Replace replace,
                        unsigned mode) {
  SVC_TRY(file, AtomicFile::create(path, replace, mode));
  SVC_CHECK(file.write(bytes));
  return file.commit();
}

}  // namespace svc
