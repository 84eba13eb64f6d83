// The formats of uploads: multipart bodies, and documents whose text is read.
#pragma once

#include "emulator/handler/handler.h"

namespace svc::emulator {

struct FormPart {
  std::string name{};
  std::optional<std::string> filename{};  ///< of a file; a plain field has none
  std::string content_type{};
  std::string_view data{};  ///< within the parsed body
};

/// Returns the boundary of a Content-Type header; nothing if it is not multipart/form-data with a
/// boundary.
[[nodiscard]] std::optional<std::string> form_boundary(std::string_view content_type);

/// Returns the parts of `body`, which must outlive them. Returns Usage, with a message, if it is
/// malformed or ends before its closing boundary.
[[nodiscard]] Result<std::vector<FormPart>> parse_form(std::string_view body,
                                                       std::string_view boundary);

/// Returns the parts of `body`, which belongs to `request`; otherwise the 415 or 400.
[[nodiscard]] Checked<std::vector<FormPart>> form_parts(const Request& request,
                                                        std::string_view body);

// Extracts text from files, as far as the emulator can read them.

/// Returns plain text unchanged, HTML without its markup (blocks on separate lines), the text of a
/// PDF. Returns Usage, with the reason, for anything else.
[[nodiscard]] Result<std::string> extract_text(std::string_view content_type,
                                               std::string_view data);

}  // namespace svc::emulator
