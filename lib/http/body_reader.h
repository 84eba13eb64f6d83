// A request body assembled while it is sent: text, files and base64-encoded files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "base/message.h"
#include "base/result.h"

namespace svc::http {

/// A file read while it is being sent. It must not change after the request was built.
class FileReader {
 public:
  /// Local if the file does not exist, is not a regular file or no longer has `source.size` bytes.
  [[nodiscard]] static Result<FileReader> open(const FileSource& source);

  /// Reads the next bytes, at most `size`, and returns how many; 0 at the end. Local if the file
  /// was truncated, extended or deleted in the meantime; this is detected before its last byte is
  /// returned.
  [[nodiscard]] Result<std::size_t> read(char* buffer, std::size_t size);

  /// Moves to `offset`; returns false beyond the end of the file.
  [[nodiscard]] bool seek(std::uint64_t offset) noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }

 private:
  FileReader(std::string path, std::uint64_t size, FileDescriptor file) noexcept;
  [[nodiscard]] Result<void> check_unchanged() const;

  std::string m_path;
  std::uint64_t m_size;
  std::uint64_t m_offset = 0;
  FileDescriptor m_file;
};

class BodyReader {
 public:
  /// Opens every file. Errors as FileReader::open().
  [[nodiscard]] static Result<BodyReader> open(std::vector<BodySection> sections);

  /// Reads the next bytes, at most `size`, and returns how many; 0 at the end. Errors as
  /// FileReader::read().
  [[nodiscard]] Result<std::size_t> read(char* buffer, std::size_t size);

  /// Moves to `offset`; returns false beyond the end.
  [[nodiscard]] bool seek(std::uint64_t offset) noexcept;

  /// The total length in bytes.
  [[nodiscard]] std::uint64_t size() const noexcept;

 private:
  struct Section {
    std::string text{};
    std::optional<FileReader> file{};
    bool base64 = false;
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
  };

  BodyReader() = default;
  [[nodiscard]] Result<void> add(BodySection part);
  [[nodiscard]] Result<std::size_t> read_base64(Section& from, char* buffer, std::size_t size);
  [[nodiscard]] Result<void> encode_more(Section& from);

  std::vector<Section> m_sections{};
  std::size_t m_current = 0;
  std::uint64_t m_offset = 0;
  std::string m_encoded{};       ///< the encoded bytes of the current section
  std::size_t m_encoded_at = 0;  ///< bytes of m_encoded already returned
};

}  // namespace svc::http
