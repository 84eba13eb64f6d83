// The content of a request, independent of the transport: headers and a body that may be on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc {

struct Header {
  std::string name;
  std::string value;
};

/// The value of the first header with this name (case-insensitive), or nothing.
[[nodiscard]] std::optional<std::string_view> find_header(std::span<const Header> headers,
                                                          std::string_view name);

/// Adds a header unless one with that name (case-insensitive) is present.
void set_default_header(std::vector<Header>& headers, std::string_view name,
                        std::string_view value);

/// A file that is read while it is sent. `size` is its length when the request was built; a
/// different length while sending is an error.
struct FileSource {
  std::string path;
  std::uint64_t size = 0;
};

/// One part of a multipart/form-data body.
struct Part {
  std::string name;
  std::variant<std::string, FileSource> content;
  std::string file_name{};     ///< empty: a plain field
  std::string content_type{};  ///< empty: not sent
};

/// A file that is base64-encoded while it is sent.
struct Base64Source {
  FileSource file;
};

/// One section of a body that is assembled while it is sent.
using BodySection = std::variant<std::string, FileSource, Base64Source>;

/// No body, bytes, a form, a file, or a sequence of sections.
using Payload = std::variant<std::monostate, std::string, std::vector<Part>, FileSource,
                             std::vector<BodySection>>;

}  // namespace svc
