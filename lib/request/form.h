// Members of a multipart/form-data body.
#pragma once

#include <string_view>

#include "base/message.h"
#include "base/result.h"
#include "catalogue/model.h"

namespace svc::request {

/// The part of a form field. A Kind::File field names a file, whose bytes are read when they are
/// sent; other kinds are checked as everywhere. Usage when the file is missing, unreadable, a
/// folder or empty.
[[nodiscard]] Result<Part> form_part(const Field& field, std::string_view text);

}  // namespace svc::request
