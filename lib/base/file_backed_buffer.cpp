#include "base/file_backed_buffer.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <unistd.h>

#include "base/platform.h"

namespace svc {
namespace {

constexpr std::size_t k_max_memory = 256U << 10U;

Error spool_error(int number) {
  Error error = system_error("cannot write a temporary file", number);
  error.hint = "Set TMPDIR to a directory with more space.";
  return error;
}

}  // namespace

Result<void> FileBackedBuffer::append(std::string_view bytes) {
  m_size += bytes.size();
  if (m_file.is_open()) return write(bytes);
  m_memory += bytes;
  if (m_memory.size() <= k_max_memory) return {};
  return open_file();
}

Result<void> FileBackedBuffer::open_file() {
  std::error_code failed;
  std::filesystem::path directory = std::filesystem::temp_directory_path(failed);
  if (failed) directory = "/tmp";
  m_file = open_unnamed_file(directory);
  if (!m_file.is_open()) return spool_error(errno);
  SVC_CHECK(write(m_memory));
  m_memory = {};
  return {};
}

Result<void> FileBackedBuffer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // At the end, and not at the file's position, which a reader by path() may share.
    const auto at = static_cast<off_t>(m_size - bytes.size());
    const ssize_t written = ::pwrite(m_file.get(), bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return spool_error(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> FileBackedBuffer::read(std::uint64_t offset, std::size_t most) const {
  if (offset >= m_size) return std::string();
  if (!m_file.is_open()) return m_memory.substr(static_cast<std::size_t>(offset), most);
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(most, m_size - offset)), '\0');
  for (std::size_t got = 0; got < bytes.size();) {
    const ssize_t count = ::pread(m_file.get(), bytes.data() + got, bytes.size() - got,
                                  static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return system_error("cannot read a temporary file", count < 0 ? errno : EIO);
    got += static_cast<std::size_t>(count);
  }
  return bytes;
}

Result<std::string> FileBackedBuffer::path() {
  if (!m_file.is_open()) SVC_CHECK(open_file());
  (void)::lseek(m_file.get(), 0, SEEK_SET);
  return path_to_descriptor(m_file.get());
}

}  // namespace svc
