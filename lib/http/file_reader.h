// A file that is read while it is sent, and that must stay what it was when the request was built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/message.h"
#include "base/result.h"

namespace svc::http {

class FileReader {
 public:
  /// Local when the file is gone, not a regular one, or not of `source.size` bytes any more.
  [[nodiscard]] static Result<FileReader> open(const FileSource& source);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader();

  /// The next bytes, at most `size`; 0 at the end. Local when the file was shortened, lengthened or
  /// deleted meanwhile: seen before its last byte is given.
  [[nodiscard]] Result<std::size_t> read(char* buffer, std::size_t size);

  /// Goes on at `offset`; false when it is beyond the file.
  [[nodiscard]] bool seek(std::uint64_t offset) noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }

 private:
  FileReader(std::string path, std::uint64_t size, int fd) noexcept;
  [[nodiscard]] Result<void> check_unchanged() const;

  std::string m_path;
  std::uint64_t m_size;
  std::uint64_t m_offset = 0;
  int m_fd;
};

}  // namespace svc::http
