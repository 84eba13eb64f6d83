// Extracts text from files, as far as the emulator can read them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::emulator {

/// Returns plain text unchanged, HTML without its markup (blocks on separate lines), the text of a
/// PDF. Returns Usage, with the reason, for anything else.
[[nodiscard]] Result<std::string> extract_text(std::string_view content_type,
                                               std::string_view data);

}  // namespace svc::emulator
