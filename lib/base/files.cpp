#include "base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "base/wait.h"

namespace svc {
namespace {

// Keys, tokens and configuration files are all smaller.
constexpr std::uint64_t k_max_private_bytes = 1ULL << 20U;

// A lack of descriptors or memory is a local error; any other problem with a path is a usage error.
Fault fault_of(int error_number) noexcept {
  switch (error_number) {
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return Fault::Local;
    case EINTR:
      return Fault::Interrupted;  // while waiting for the other end of a FIFO
    default:
      return Fault::Usage;
  }
}

Error read_error(const std::string& path, int error_number) {
  Error error = system_error("cannot read " + quote_path(path), error_number);
  error.fault = fault_of(error_number);
  if (error_number == ENOENT) {
    error.message = "no such file: " + quote_path(path);
    error.hint = "Check the path; relative paths start at the current directory.";
  } else if (error_number == EACCES) {
    error.hint = "Check the permissions of the file and its directories (ls -l).";
  } else if (error_number == EINTR) {
    error.message = "interrupted while waiting for data from " + quote_path(path);
  }
  return error;
}

Error too_large(const std::string& path, std::uint64_t max_bytes,
                std::optional<std::uint64_t> size) {
  const std::string found = size ? "is " + format_bytes(*size) : "is too large";
  return usage_error(quote_path(path) + " " + found + "; the limit is " + format_bytes(max_bytes) +
                     " (" + std::to_string(max_bytes) + " bytes)");
}

/// What a regular file contains is not waited for.
bool is_regular(int fd) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::string> read_all(int fd, const std::string& path, std::uint64_t max_bytes,
                             std::uint64_t expected) {
  constexpr std::size_t chunk = 64U << 10U;
  std::string bytes;
  // One byte more than expected, so that the last read can find the end without growing.
  bytes.resize(static_cast<std::size_t>(expected) + 1);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + std::max(chunk, bytes.size() / 2));
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR && is_regular(fd)) continue;
    if (got < 0) return read_error(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) return too_large(path, max_bytes, std::nullopt);
  }
  bytes.resize(filled);
  return bytes;
}

Error not_private(const std::string& path, const std::string& why, std::string hint) {
  return Error{Fault::Local, quote_path(path) + " contains a secret, but " + why, std::move(hint)};
}

// A file of root in memory on a read-only mount: no user can replace it, and chmod cannot fix it.
bool is_mounted_secret(int fd, const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == 0 && (status.st_mode & 022U) == 0 &&
         is_in_read_only_memory(fd);
}

// A link made by another user could lead to any file mounted by root.
bool is_trusted_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
         (status.st_uid == 0 || status.st_uid == ::geteuid());
}

// Checks the open file, not the path, so that it cannot be replaced in between.
Result<void> check_private(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) {
    return not_private(path, "it is not a regular file", "Use a regular file with mode 0600.");
  }
  if (status.st_uid != ::geteuid()) {
    return not_private(
        path, "it belongs to another user",
        "Copy it to your own file: install -m 600 " + shell_quote(path) + " NEW_PATH");
  }
  if ((status.st_mode & 077U) != 0) {
    return not_private(path, "other users can open it", "Run: chmod 600 " + shell_quote(path));
  }
  return {};
}

std::filesystem::path xdg_directory(const char* variable, const char* home_subdirectory) {
  // Per the XDG specification, a relative path is invalid and ignored.
  const auto absolute = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    if (value == nullptr || value[0] != '/') return {};
    return value;
  };
  if (const auto directory = absolute(variable); !directory.empty()) return directory / "svc";
  if (const auto home = absolute("HOME"); !home.empty()) return home / home_subdirectory / "svc";
  return {};
}

constexpr std::size_t k_max_name_length = 200;
constexpr std::size_t k_max_extension = 16;  // ".tar.gz" is shortened to ".gz", then to nothing

bool is_allowed(const utf8::Step& step) noexcept {
  const char32_t c = step.code_point;
  if (step.validity != utf8::Validity::Valid || c < 0x20 || c == 0x7F || is_hidden_code_point(c))
    return false;
  return c >= 0x80 || sv("<>:\"/\\|?*").find(static_cast<char>(c)) == sv::npos;
}

std::string with_allowed_characters(sv name) {
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const utf8::Step step = utf8::step(name, at);
    if (is_allowed(step)) {
      out += name.substr(at, step.length);
    } else {
      out += '_';
    }
    at += step.length;
  }
  return out;
}

// Windows drops trailing dots and spaces: "CON." would become "CON".
sv trim_dots_and_spaces(sv name) noexcept {
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  return name.substr(0, name.find_last_not_of(". ") + 1);
}

// Device names on Windows, with any extension.
bool is_reserved(sv name) {
  constexpr std::array<sv, 4> devices{"con", "prn", "aux", "nul"};
  const std::string stem = to_lower(trim(name.substr(0, name.find('.'))));
  if (std::find(devices.begin(), devices.end(), sv(stem)) != devices.end()) return true;
  const bool numbered = stem.starts_with("com") || stem.starts_with("lpt");
  return numbered && stem.size() == 4 && stem[3] >= '0' && stem[3] <= '9';
}

std::size_t truncated_length(sv text, std::size_t max_bytes) noexcept {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    at += utf8::step(text, at).length;
    if (at > max_bytes) break;
    end = at;
  }
  return end;
}

// Shortens the stem, so that the extension still shows the file's type.
std::string shortened(sv name) {
  if (name.size() <= k_max_name_length) return std::string(name);
  const std::size_t dot = name.rfind('.');
  const bool keep = dot != sv::npos && name.size() - dot <= k_max_extension;
  const sv extension = keep ? name.substr(dot) : sv();
  const sv stem = name.substr(0, name.size() - extension.size());
  const sv cut = stem.substr(0, truncated_length(stem, k_max_name_length - extension.size()));
  return std::string(trim_dots_and_spaces(cut)) + std::string(extension);
}

// Returns "" if no usable character is left.
std::string sanitize_file_name(sv name) {
  // Some systems also treat a backslash as a separator; the name must be safe on all of them.
  name.remove_prefix(name.find_last_of("/\\") + 1);
  const std::string allowed = with_allowed_characters(name);
  std::string out(trim_dots_and_spaces(allowed));
  if (out.empty()) return out;
  if (out.front() == '.' || out.front() == '-' || is_reserved(out)) out.insert(0, "_");
  return shortened(out);
}

}  // namespace

bool lacks_descriptors() noexcept {
  std::array<FileDescriptor, 3> free;
  for (FileDescriptor& one : free) {
    one.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!one.is_open()) return errno == EMFILE || errno == ENFILE;
  }
  return false;
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  if (path.empty()) return usage_error("the name of the file to read is empty");
  if (has_nul(path)) return usage_error("the path " + quote_path(path) + " contains a NUL");
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return read_error(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return read_error(path, errno);
  if (S_ISDIR(status.st_mode)) {
    return usage_error(quote_path(path) + " is a directory, not a file", "Choose a file in it.");
  }
  std::uint64_t expected = 0;  // unknown for pipes and devices
  if (S_ISREG(status.st_mode)) {
    expected = static_cast<std::uint64_t>(status.st_size);
    if (expected > max_bytes) return too_large(path, max_bytes, expected);
  }
  return read_all(file.get(), path, max_bytes, expected);
}

Result<std::string> read_prefix(const std::string& path, std::size_t bytes) {
  if (path.empty() || has_nul(path)) {
    return usage_error(quote_path(path) + " is not a file path");
  }
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return read_error(path, errno);
  std::string start(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t got = ::read(file.get(), start.data() + filled, bytes - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return read_error(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  start.resize(filled);
  return start;
}

Result<std::string> read_private_file(const std::string& path) {
  const auto local = [](Error error) {
    error.fault = Fault::Local;
    return error;
  };
  if (path.empty() || has_nul(path)) {
    return Error{Fault::Local, quote_path(path) + " is not a file path"};
  }
  // O_NONBLOCK: a FIFO at this path must not block before it is refused.
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  FileDescriptor file(::open(path.c_str(), flags | O_NOFOLLOW));
  const bool is_link = !file.is_open() && errno == ELOOP;
  if (is_link && is_trusted_link(path)) file = FileDescriptor(::open(path.c_str(), flags));
  const int error_number = errno;
  if (!file.is_open() && !is_link) return local(read_error(path, error_number));
  struct stat status {};
  if (file.is_open() && ::fstat(file.get(), &status) != 0) return local(read_error(path, errno));
  if (!file.is_open() || !is_mounted_secret(file.get(), status)) {
    if (is_link) {
      return not_private(path, "it is a symbolic link", "Use the file itself, not a link to it.");
    }
    SVC_CHECK(check_private(status, path));
  }
  auto bytes = read_all(file.get(), path, k_max_private_bytes, 0);
  if (!bytes) return local(std::move(bytes).error());
  return bytes;
}

Result<void> make_private_directory(const std::filesystem::path& directory) {
  if (directory.empty()) return Error{Fault::Local, "the name of the directory to create is empty"};
  std::filesystem::path made;
  for (const auto& component : directory) {
    made /= component;
    if (component.empty()) continue;  // trailing slash
    if (::mkdir(made.c_str(), 0700) == 0) continue;
    const int error_number = errno;
    struct stat status {};
    const bool exists = ::stat(made.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) continue;
    const std::string what = "cannot create the directory " + quote_path(directory.native());
    if (exists) {
      return Error{Fault::Local, what + ": " + quote_path(made.native()) + " is not a directory"};
    }
    Error error = system_error(what, error_number);
    error.hint = "Check the write permission of " + quote_path(made.parent_path().native()) + ".";
    return error;
  }
  return {};
}

void give_to_directory_owner(int fd, const std::string& path) noexcept {
  if (::geteuid() != 0) return;
  struct stat owner {};
  struct stat own {};
  if (::stat(directory_of(path).c_str(), &owner) != 0 || owner.st_uid == 0 ||
      ::fstat(fd, &own) != 0)
    return;
  // A hard link that another user made to a file of root must not change owner.
  if (own.st_uid != 0 || own.st_size != 0 || own.st_nlink != 1) return;
  (void)!::fchown(fd, owner.st_uid, owner.st_gid);
}

std::filesystem::path config_directory() {
  return xdg_directory("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path state_directory() {
  return xdg_directory("XDG_STATE_HOME", ".local/state");
}

Result<FileLock> FileLock::acquire(const std::string& path, std::chrono::milliseconds timeout,
                                   const CancelToken& cancel) {
  using std::chrono::steady_clock;
  // The pause grows: with hundreds of waiters, constant polling would slow down the lock's holder.
  constexpr int max_pause = 25;
  int pause = 1;
  const std::string what = "cannot lock " + quote_path(path);
  if (path.empty() || has_nul(path)) return Error{Fault::Local, what + ": not a file path"};
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) {
    const int error_number = errno;
    Error error = system_error(what, error_number);
    error.hint = error_number == ELOOP ? "Remove it: a lock file must not be a symbolic link."
                                       : "Check the write permission of its directory.";
    return error;
  }
  // Polls, because a blocking flock has no timeout.
  const auto deadline = steady_clock::now() + timeout;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    const int error_number = errno;
    if (error_number != EWOULDBLOCK && error_number != EINTR) {
      return system_error(what, error_number);
    }
    if (steady_clock::now() >= deadline) {
      return Error{Fault::Local, what + ": another process held it for " + format_duration(timeout),
                   "Try again when the other svc process has finished."};
    }
    SVC_CHECK(wait_readable(-1, after(std::chrono::milliseconds(pause)), cancel));
    pause = std::min(pause * 3 / 2 + 1, max_pause);
  }
  return FileLock(std::move(file));
}

std::string safe_file_name(std::string_view name, std::string_view fallback) {
  if (std::string out = sanitize_file_name(name); !out.empty()) return out;
  if (std::string out = sanitize_file_name(fallback); !out.empty()) return out;
  return "download";
}

}  // namespace svc
