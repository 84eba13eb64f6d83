#include "emulator/handler/body_file.h"

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"

namespace svc::emulator {

Result<std::shared_ptr<BodyFile>> BodyFile::create() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) folder = "/tmp";
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) {  // a file system without nameless files
    std::string path = (folder / "svc-emulator-body-XXXXXX").string();
    file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!file.is_open()) return system_error("Cannot create a file in " + folder.string(), errno);
    ::unlink(path.c_str());
  }
  return std::shared_ptr<BodyFile>(new BodyFile(std::move(file)));
}

Result<void> BodyFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(m_file.get(), bytes.data(), bytes.size(), static_cast<off_t>(m_size));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return system_error("Cannot keep a request's body", errno);
    m_size += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::size_t BodyFile::read(std::uint64_t offset, std::span<char> into) const {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t count = ::pread(m_file.get(), into.data() + got, into.size() - got,
                                  static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  return got;
}

}  // namespace svc::emulator
