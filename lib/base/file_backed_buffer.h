// A buffer for pending bytes: in memory while small, then in an unnamed file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

class FileBackedBuffer {
 public:
  /// Local if the disk is full or the temporary directory is not writable.
  [[nodiscard]] Result<void> append(std::string_view bytes);

  /// Reads up to `most` bytes from `offset`; fewer only at the end.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t most) const;

  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }

  /// Writes the bytes to a file and returns a path at which this process can open it.
  [[nodiscard]] Result<std::string> path();

 private:
  [[nodiscard]] Result<void> open_file();
  [[nodiscard]] Result<void> write(std::string_view bytes);

  std::string m_memory{};
  FileDescriptor m_file{};
  std::uint64_t m_size = 0;
};

}  // namespace svc
