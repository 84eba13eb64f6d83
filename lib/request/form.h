// Fields of a multipart/form-data body.
#pragma once

#include <string_view>

#include "base/message.h"
#include "base/result.h"
#include "catalogue/model.h"
#include "request/build.h"

namespace svc::request {

/// The form part of a field. A Kind::File field is the path of a file, read while it is sent; other
/// kinds are checked as usual. Usage if the file is missing, unreadable, a directory, empty or
/// larger than the field allows. `-` is standard input, buffered by `context`.
[[nodiscard]] Result<Part> form_part(const Field& field, std::string_view text,
                                     const BuildContext& context);

/// The content type of a file, from its first bytes, or for text from the extension of its name.
/// "application/octet-stream" if unknown or unreadable.
[[nodiscard]] std::string file_type(const std::string& path, std::string_view name);

/// A file's bytes as base64, for a field of a JSON body. Usage as in form_part().
[[nodiscard]] Result<std::string> base64_file(const Field& field, const std::string& path,
                                              const BuildContext& context);

}  // namespace svc::request
