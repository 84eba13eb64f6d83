// Members of a multipart/form-data body.
#pragma once

#include <string_view>

#include "base/message.h"
#include "base/result.h"
#include "catalogue/model.h"
#include "request/inputs.h"

namespace svc::request {

/// The part of a form field. A Kind::File field names a file, whose bytes are read when they are
/// sent; other kinds are checked as everywhere. Usage when the file is missing, unreadable, a
/// folder, empty or larger than the field allows. `-` is the file that `context` spools.
[[nodiscard]] Result<Part> form_part(const Field& field, std::string_view text,
                                     const BuildContext& context);

/// The content type of a file: what its first bytes tell, or for text what its name's extension
/// does. "application/octet-stream" when neither says anything or it cannot be read.
[[nodiscard]] std::string file_type(const std::string& path, std::string_view name);

/// A file's bytes as base64, for a member of a JSON body. Usage as above.
[[nodiscard]] Result<std::string> base64_file(const Field& field, const std::string& path,
                                              const BuildContext& context);

}  // namespace svc::request
