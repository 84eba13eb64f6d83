#include "http/file_reader.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace svc::http {
namespace {

Error changed(const std::string& path, std::uint64_t expected, std::uint64_t found) {
  return Error{Fault::Local,
               fmt::format("{} changed while it was being sent: it had {} bytes and now has {}",
                           visible(path, Lines::Escape), expected, found),
               "Send it again once nothing writes to it any more."};
}

}  // namespace

FileReader::FileReader(std::string path, std::uint64_t size, int fd) noexcept
    : m_path(std::move(path)), m_size(size), m_fd(fd) {}

FileReader::FileReader(FileReader&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_size(other.m_size),
      m_offset(other.m_offset),
      m_fd(std::exchange(other.m_fd, -1)) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_size, other.m_size);
  std::swap(m_offset, other.m_offset);
  std::swap(m_fd, other.m_fd);
  return *this;
}

FileReader::~FileReader() {
  if (m_fd >= 0) ::close(m_fd);
}

Result<FileReader> FileReader::open(const FileSource& source) {
  const int fd = ::open(source.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return system_error(visible(source.path, Lines::Escape) + " cannot be read any more", errno);
  FileReader reader(source.path, source.size, fd);
  struct stat status {};
  if (fstat(fd, &status) != 0) return system_error(visible(source.path, Lines::Escape), errno);
  if (!S_ISREG(status.st_mode))
    return Error{Fault::Local,
                 visible(source.path, Lines::Escape) + " is not a regular file any more"};
  SVC_CHECK(reader.check_unchanged());
  return reader;
}

Result<void> FileReader::check_unchanged() const {
  struct stat status {};
  if (fstat(m_fd, &status) != 0) return system_error(visible(m_path, Lines::Escape), errno);
  if (status.st_nlink == 0)
    return Error{Fault::Local,
                 fmt::format("{} ({} bytes) was deleted or replaced while it was being sent",
                             visible(m_path, Lines::Escape), m_size),
                 "Send it again once nothing writes to it any more."};
  const auto found = static_cast<std::uint64_t>(status.st_size);
  if (found != m_size) return changed(m_path, m_size, found);
  return {};
}

Result<std::size_t> FileReader::read(char* buffer, std::size_t size) {
  const std::uint64_t left = m_size - m_offset;
  if (left == 0 || size == 0) return std::size_t{0};
  const std::size_t wanted = std::min<std::uint64_t>(size, left);
  ssize_t count = 0;
  do {
    count = pread(m_fd, buffer, wanted, static_cast<off_t>(m_offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return system_error(visible(m_path, Lines::Escape) + " cannot be read", errno);
  if (count == 0) {
    SVC_CHECK(check_unchanged());
    return changed(m_path, m_size, m_offset);
  }
  m_offset += static_cast<std::uint64_t>(count);
  if (m_offset == m_size) SVC_CHECK(check_unchanged());
  return static_cast<std::size_t>(count);
}

bool FileReader::seek(std::uint64_t offset) noexcept {
  if (offset > m_size) return false;
  m_offset = offset;
  return true;
}

}  // namespace svc::http
