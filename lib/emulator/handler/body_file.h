// A large request body in a file of its own, so that memory stays flat.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace svc::emulator {

/// A file without a name: it goes with its last owner. Written first, then read, from any thread.
class BodyFile {
 public:
  /// Local, when there is no folder or room for it.
  [[nodiscard]] static Result<std::shared_ptr<BodyFile>> create();

  [[nodiscard]] Result<void> append(std::string_view bytes);

  [[nodiscard]] std::uint64_t size() const { return m_size; }

  /// Reads at `offset` into all of `into`; how much there was. 0 at the end, and on an error.
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> into) const;

 private:
  explicit BodyFile(FileDescriptor file) : m_file(std::move(file)) {}
  FileDescriptor m_file;
  std::uint64_t m_size = 0;
};

}  // namespace svc::emulator
