#include "base/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/file_descriptor.h"
#include "base/platform.h"
#include "base/write_target.h"

namespace svc {
namespace {

constexpr std::size_t k_random_digits = 8;
constexpr std::string_view k_part = ".part";

// The prefix of a target's temporary file names.
std::string temporary_stem(const WriteTarget& target) {
  constexpr std::size_t longest = 200;  // of the 255 bytes that file systems allow
  return target.name.size() > longest ? "." : "." + target.name + ".";
}

// A hidden, unpredictable name in the target's directory.
std::string temporary_path(const WriteTarget& target) {
  return target.directory + "/" + temporary_stem(target) +
         random_uuid().substr(0, k_random_digits) + std::string(k_part);
}

bool is_temporary_name(std::string_view name, std::string_view stem) {
  return name.size() == stem.size() + k_random_digits + k_part.size() && name.starts_with(stem) &&
         name.ends_with(k_part);
}

// Removes the target's temporary files whose writers died, recognised by their free lock.
void remove_orphans(const WriteTarget& target) {
  const std::string stem = temporary_stem(target);
  if (stem == ".") return;  // could belong to any file
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(target.directory.c_str()),
                                                      ::closedir);
  if (!directory) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (!is_temporary_name(entry->d_name, stem)) continue;
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const FileDescriptor part(::openat(::dirfd(directory.get()), entry->d_name, flags));
    struct stat status {};
    if (!part.is_open() || ::fstat(part.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (status.st_uid != ::geteuid() || ::flock(part.get(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlinkat(::dirfd(directory.get()), entry->d_name, 0);
  }
}

// Creates a file at `path` and locks it while it is open. Returns -1 with errno on failure.
int create_locked(const std::string& path, unsigned access) noexcept {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int fd = ::open(path.c_str(), flags, access);
  if (fd < 0 || ::flock(fd, LOCK_EX) != 0) return fd;  // the file system may not support locks
  struct stat status {};
  if (::fstat(fd, &status) != 0 || status.st_nlink > 0) return fd;
  // Another process removed it as an orphan before it was locked.
  ::close(fd);
  return ::open(path.c_str(), flags, access);
}

// Some file systems do not support fsync and report an error, though the data is fine.
bool flush_failed(int fd) noexcept {
  while (flush_file(fd) != 0) {
    if (errno == EINTR) continue;
    return errno != EINVAL && errno != ENOSYS && errno != EROFS;
  }
  return false;
}

// Renames the temporary file to its final name without replacing a file. Returns 0 or an errno.
int rename_if_absent(const std::string& from, const std::string& to) noexcept {
  const int failed = rename_without_replacing(from.c_str(), to.c_str());
  if (failed != ENOSYS && failed != EINVAL) return failed;
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOTSUP && errno != ENOSYS &&
      errno != EMLINK)
    return errno;
  // On a file system with neither: claim the name, then replace our own empty file.
  const FileDescriptor claim(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!claim.is_open()) return errno;
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int error_number = errno;
  ::unlink(to.c_str());
  return error_number;
}

// Flushes the directory, so that the new name survives a power failure. Not possible for an
// unreadable directory.
Result<void> flush_directory(const std::string& target, const std::string& path) {
  const FileDescriptor opened(
      ::open(directory_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || !flush_failed(opened.get())) return {};
  const int error_number = errno;
  return system_error(
      quote_path(path) + " is written, but its directory could not be flushed to disk",
      error_number);
}

// Preserves the replaced file's owner if permitted, and never widens its permissions.
void copy_access(int fd, const struct stat& existing, unsigned access) noexcept {
  if (::geteuid() == 0 && ::fchown(fd, existing.st_uid, existing.st_gid) != 0) return;
  ::fchmod(fd, static_cast<mode_t>(access));
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path, Replace replace, unsigned mode,
                                      Links links) {
  SVC_TRY(target, find_write_target(path, replace, links));
  AtomicFile file;
  file.m_path = path;
  file.m_target = target.path;
  file.m_replace = replace;
  if (target.direct) {
    SVC_TRY(fd, open_direct(path));
    file.m_fd.reset(fd);
    return file;
  }
  remove_orphans(target);
  std::string temporary = temporary_path(target);
  const unsigned access = target.existing ? mode & target.existing->st_mode & 0777U : mode;
  file.m_fd.reset(create_locked(temporary, access));
  if (!file.m_fd.is_open()) return create_error(path, target.directory, errno);
  file.m_temporary = std::move(temporary);  // to be removed unless committed
  if (target.existing) copy_access(file.m_fd.get(), *target.existing, access);
  return file;
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  m_path.swap(other.m_path);
  m_target.swap(other.m_target);
  m_temporary.swap(other.m_temporary);
  std::swap(m_replace, other.m_replace);
  std::swap(m_renamed, other.m_renamed);
  std::swap(m_fd, other.m_fd);
  if (this != &other) other.discard();
  return *this;
}

void AtomicFile::discard() noexcept {
  m_fd.reset();
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
  m_temporary.clear();
}

Result<void> AtomicFile::write(std::string_view bytes) {
  return write_all(m_fd.get(), bytes, m_path);
}

/// Flushes the data to disk and closes the descriptor; on failure nothing remains.
Result<void> AtomicFile::flush_and_close() {
  const bool flushed = m_temporary.empty() || !flush_failed(m_fd.get());
  if (flushed && (::close(m_fd.release()) == 0 || errno == EINTR)) return {};
  const int error_number = errno;
  discard();
  return write_error(m_path, error_number);
}

Result<std::string> AtomicFile::commit_first_free(
    const std::function<std::string(std::size_t)>& path_of) {
  const bool direct = m_temporary.empty();
  SVC_CHECK(flush_and_close());
  if (direct) return m_path;
  constexpr std::size_t k_most = 100'000;
  for (std::size_t number = 1; number <= k_most; ++number) {
    std::string path = path_of(number);
    const int error_number = rename_if_absent(m_temporary, path);
    if (error_number == EEXIST) continue;
    if (error_number != 0) {
      discard();
      return write_error(path, error_number);
    }
    m_temporary.clear();
    SVC_CHECK(flush_directory(path, path));
    return path;
  }
  discard();
  return exists_error(path_of(k_most));
}

Result<void> AtomicFile::commit() {
  SVC_CHECK(rename_into_place());
  return flush_rename();
}

Result<void> AtomicFile::rename_into_place() {
  const bool direct = m_temporary.empty();
  SVC_CHECK(flush_and_close());
  if (direct) return {};
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
  m_renamed = true;
  return {};
}

Result<void> AtomicFile::flush_rename() {
  return m_renamed ? flush_directory(m_target, m_path) : Result<void>();
}

Result<void> AtomicFile::rewind() {
  if (is_direct()) return Error{Fault::Local, quote_path(m_path) + " could not undo the write"};
  if (::ftruncate(m_fd.get(), 0) != 0 || ::lseek(m_fd.get(), 0, SEEK_SET) != 0) {
    return write_error(m_path, errno);
  }
  return {};
}

Result<void> AtomicFile::overwrite(std::uint64_t offset, std::string_view bytes) {
  // An adopted file is in append mode, which ignores the offset.
  if (is_direct() || (::fcntl(m_fd.get(), F_GETFL) & O_APPEND) != 0) {
    return Error{Fault::Local, quote_path(m_path) + " could not undo the write"};
  }
  while (!bytes.empty()) {
    const ssize_t done =
        ::pwrite(m_fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return write_error(m_path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<std::uint64_t> AtomicFile::adopt(const std::string& partial) {
  if (is_direct()) {
    return Error{Fault::Local, quote_path(m_path) + " cannot resume an earlier download"};
  }
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor part(::open(partial.c_str(), flags));
  if (!part.is_open()) return system_error("cannot resume from " + quote_path(partial), errno);
  struct stat found {};
  struct stat own {};
  if (::fstat(part.get(), &found) != 0 || ::fstat(m_fd.get(), &own) != 0) {
    return system_error("cannot resume from " + quote_path(partial), errno);
  }
  if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid() || found.st_nlink != 1) {
    return Error{Fault::Local, quote_path(partial) + " is not a partial download of svc"};
  }
  // The process whose rename succeeds owns the file.
  if (::rename(partial.c_str(), m_temporary.c_str()) != 0) {
    return system_error("cannot resume from " + quote_path(partial), errno);
  }
  ::fchmod(part.get(), own.st_mode & 0777U);
  m_fd = std::move(part);
  return static_cast<std::uint64_t>(found.st_size);
}

Result<std::string> AtomicFile::save_partial() {
  if (!m_fd.is_open() || m_temporary.empty()) return std::string();
  const bool empty = ::lseek(m_fd.get(), 0, SEEK_END) <= 0;
  const bool flushed = !flush_failed(m_fd.get());
  if (empty || !flushed) {
    discard();
    return std::string();
  }
  m_fd.reset();
  for (int number = 0; number < 100; ++number) {
    std::string saved_path = m_path + ".partial" + (number == 0 ? "" : std::to_string(number));
    const int failed = rename_if_absent(m_temporary, saved_path);
    if (failed == 0) {
      m_temporary.clear();
      return saved_path;
    }
    if (failed != EEXIST) return write_error(saved_path, failed);
  }
  return exists_error(m_path + ".partial");
}

Result<void> write_file(const std::string& path, std::string_view bytes, Replace replace,
                        unsigned mode) {
  SVC_TRY(file, AtomicFile::create(path, replace, mode));
  SVC_CHECK(file.write(bytes));
  return file.commit();
}

}  // namespace svc
