// Bytes that wait for their turn: in memory while they are few, then in a file without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc {

class Spool {
 public:
  /// Local when the disk is full, or the folder of temporary files cannot be written.
  [[nodiscard]] Result<void> append(std::string_view bytes);

  /// At most `most` bytes from `offset` on; fewer only at the end.
  [[nodiscard]] Result<std::string> read(std::uint64_t offset, std::size_t most) const;

  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }

  /// A path that this process can open and read the bytes from. Puts them into a file.
  [[nodiscard]] Result<std::string> path();

 private:
  [[nodiscard]] Result<void> open_file();
  [[nodiscard]] Result<void> write(std::string_view bytes);

  std::string m_memory{};
  FileDescriptor m_file{};
  std::uint64_t m_size = 0;
};

}  // namespace svc
