// What a request carries, before any transport is chosen: headers and a body that may be on disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc {

struct Header {
  std::string name;
  std::string value;
};

/// Adds a header unless one of that name (case-insensitive) is there.
void set_default_header(std::vector<Header>& headers, std::string_view name,
                        std::string_view value);

/// Bytes that are read from a file when they are sent. `size` is the length found when the request
/// was built; another length while sending is an error.
struct FileSource {
  std::string path;
  std::uint64_t size = 0;
};

/// One part of a multipart/form-data body.
struct Part {
  std::string name;
  std::variant<std::string, FileSource> content;
  std::string file_name{};     ///< empty: a plain field
  std::string content_type{};  ///< empty: none is sent
};

/// A file as base64, made while it is sent.
struct Base64Source {
  FileSource file;
};

/// A stretch of a body that is put together while it is sent.
using BodyPiece = std::variant<std::string, FileSource, Base64Source>;

/// Nothing, bytes, a form, a file as it is, or pieces one after the other.
using Payload = std::variant<std::monostate, std::string, std::vector<Part>, FileSource,
                             std::vector<BodyPiece>>;

}  // namespace svc
