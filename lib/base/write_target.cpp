#include "base/write_target.h"

#include <array>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/wait.h"

namespace svc {
namespace {

struct PathParts {
  std::string directory;
  std::string name;
};

PathParts split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Error local(std::string message, std::string hint = {}) {
  return Error{Fault::Local, std::move(message), std::move(hint)};
}

// Paths such as /dev/stdout refer to an open descriptor. Reopening one would start at offset 0 of a
// redirected file, and fails for sockets.
std::optional<int> named_descriptor(sv path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const sv directory : {sv("/dev/fd/"), sv("/proc/self/fd/")}) {
    if (!path.starts_with(directory)) continue;
    if (const auto number = parse_integer(path.substr(directory.size()));
        number && *number <= INT_MAX) {
      return static_cast<int>(*number);
    }
  }
  return std::nullopt;
}

// Follows symbolic links to the target, which need not exist.
Result<std::string> follow_links(const std::string& path) {
  constexpr int max_links = 40;
  std::string at = path;
  for (int i = 0; i < max_links; ++i) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(at.c_str(), target.data(), target.size());
    if (length < 0) return at;
    const std::string next(target.data(), static_cast<std::size_t>(length));
    at = next.starts_with('/') ? next : split_path(at).directory.append("/").append(next);
  }
  return system_error("cannot write " + quote_path(path), ELOOP);
}

// Links below these directories belong to the system and lead to open descriptors.
bool is_system_link(sv path) noexcept {
  return path.starts_with("/dev/") || path.starts_with("/proc/self/fd/");
}

}  // namespace

Error exists_error(const std::string& path) {
  return local(quote_path(path) + " already exists",
               "Use --force to overwrite it, or choose another name.");
}

Error write_error(const std::string& path, int error_number) {
  Error error = system_error("cannot write " + quote_path(path), error_number);
  switch (error_number) {
    case EFBIG:
      error.hint = "Raise the limit on file sizes (ulimit -f).";
      break;
    case EIO:
      error.hint = "The disk reports an error: use another one.";
      break;
    case EINTR:
      error.message = "interrupted while waiting for a reader of " + quote_path(path);
      break;
    case EPIPE:
      error.fault = Fault::ReaderGone;
      break;
    default:
      break;
  }
  return error;
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
    SVC_CHECK(wait_writable(fd, {}, NeverCanceled()));
  }
  return {};
}

Error create_error(const std::string& path, const std::string& directory, int error_number) {
  Error error = write_error(path, error_number);
  const std::string shown = quote_path(directory);
  const std::string what = "cannot write " + quote_path(path) + ": ";
  switch (error_number) {
    case ENOENT:
      error.message = what + "directory " + shown + " does not exist";
      error.hint = "Create it: mkdir -p " + shell_quote(directory);
      break;
    case ENOTDIR:
      error.message = what + shown + " is not a directory";
      error.hint = "Choose a path in a directory.";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      error.hint = "Choose a writable directory, not " + shown + ".";
      break;
    default:
      break;
  }
  return error;
}

Result<int> open_direct(const std::string& path) {
  const auto named = named_descriptor(path);
  // Not retried after EINTR: waiting for the reader of a FIFO must be interruptible.
  const int fd = named ? ::fcntl(*named, F_DUPFD_CLOEXEC, 3)
                       : ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return write_error(path, errno);
  return fd;
}

Result<WriteTarget> find_write_target(const std::string& path, Replace replace, Links links) {
  if (path.empty()) return local("the name of the file to write is empty");
  if (has_nul(path)) return local("the path " + quote_path(path) + " contains a NUL");
  WriteTarget target;
  target.path = path;
  struct stat status {};
  const bool named = ::lstat(path.c_str(), &status) == 0;
  // The temporary name may be valid while this one is too long: fail now, not after writing.
  if (!named && errno == ENAMETOOLONG) return write_error(path, errno);
  const bool linked = named && S_ISLNK(status.st_mode);
  if (named && links == Links::Refuse && !S_ISREG(status.st_mode)) {
    return local(quote_path(path) + " exists and is not a regular file",
                 "Remove it, or choose the file's name with --output.");
  }
  if (linked && replace == Replace::No && !is_system_link(path)) return exists_error(path);
  const bool exists = named && ::stat(path.c_str(), &status) == 0;
  if (path.back() == '/' || (exists && S_ISDIR(status.st_mode))) {
    return local(quote_path(path) + " is a directory, not a file", "Add a file name.");
  }
  const bool stream = exists && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  target.direct = stream || named_descriptor(path).has_value();
  if (target.direct) return target;
  if (exists && !S_ISREG(status.st_mode)) {
    return local(quote_path(path) + " is neither a regular file nor a pipe",
                 "Choose another path.");
  }
  if (exists && replace == Replace::No) return exists_error(path);
  if (exists) target.existing = status;
  if (linked) {
    SVC_TRY(followed, follow_links(path));
    target.path = followed;
  }
  const PathParts parts = split_path(target.path);
  target.directory = parts.directory;
  target.name = parts.name;
  return target;
}

Result<void> check_write_target(const std::string& path, Replace replace) {
  SVC_TRY(target, find_write_target(path, replace));
  if (target.direct) return {};
  struct stat status {};
  if (::stat(target.directory.c_str(), &status) != 0) {
    return create_error(path, target.directory, errno);
  }
  if (!S_ISDIR(status.st_mode)) return create_error(path, target.directory, ENOTDIR);
  if (::access(target.directory.c_str(), W_OK | X_OK) != 0) {
    return create_error(path, target.directory, errno);
  }
  return {};
}

}  // namespace svc
