// A body that is put together while it is sent: text, files, files as base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/result.h"

namespace svc::http {

/// A file that is read while it is sent, and that must stay what it was when the request was built.
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

class BodyReader {
 public:
  /// Opens every file. Errors as FileReader::open().
  [[nodiscard]] static Result<BodyReader> open(std::vector<BodyPiece> pieces);

  /// The next bytes, at most `size`; 0 at the end. Errors as FileReader::read().
  [[nodiscard]] Result<std::size_t> read(char* buffer, std::size_t size);

  /// Goes on at `offset`; false when it is beyond the end.
  [[nodiscard]] bool seek(std::uint64_t offset) noexcept;

  /// The length of the whole.
  [[nodiscard]] std::uint64_t size() const noexcept;

 private:
  struct Stretch {
    std::string text{};
    std::optional<FileReader> file{};
    bool base64 = false;
    std::uint64_t begin = 0;
    std::uint64_t length = 0;
  };

  BodyReader() = default;
  void add(BodyPiece piece, Result<void>& opened);
  [[nodiscard]] Result<std::size_t> read_base64(Stretch& from, char* buffer, std::size_t size);
  [[nodiscard]] Result<void> encode_more(Stretch& from);

  std::vector<Stretch> m_stretches{};
  std::size_t m_current = 0;
  std::uint64_t m_offset = 0;
  std::string m_encoded{};       ///< of the current stretch, from where it is read
  std::size_t m_encoded_at = 0;  ///< so much of it was given already
};

}  // namespace svc::http
