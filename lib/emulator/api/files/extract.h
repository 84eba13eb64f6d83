// The text in a file, as far as the emulator can read it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::emulator {

/// Plain text as it is, HTML without its markup (blocks stand on lines of their own), the text of a
/// PDF. Usage, with a sentence that says why, for everything else.
[[nodiscard]] Result<std::string> extract_text(std::string_view content_type,
                                               std::string_view data);

}  // namespace svc::emulator
