// A multipart/form-data body (RFC 7578), part by part in the order in which they were sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::emulator {

struct FormPart {
  std::string name{};
  std::optional<std::string> filename{};  ///< of a file; a plain field has none
  std::string content_type{};
  std::string_view data{};  ///< in the body that was read
};

/// The boundary of a Content-Type header; nothing when it is no multipart/form-data with one.
[[nodiscard]] std::optional<std::string> form_boundary(std::string_view content_type);

/// The parts of `body`, which must outlive them. Usage, with a sentence, when it is not well formed
/// or ends before its closing boundary.
[[nodiscard]] Result<std::vector<FormPart>> parse_form(std::string_view body,
                                                       std::string_view boundary);

}  // namespace svc::emulator
