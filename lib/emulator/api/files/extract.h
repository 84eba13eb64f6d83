// The text in a file, as far as the emulator can read it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::emulator {

/// Plain text as it is, HTML without its markup, the text of a simple PDF. Usage, with a sentence
/// that says why, for everything else.
[[nodiscard]] Result<std::string> extract_text(std::string_view content_type,
                                               std::string_view data);

/// The words of an HTML document: tags, comments, scripts and styles are dropped, entities decoded,
/// blocks stand on lines of their own.
[[nodiscard]] std::string html_text(std::string_view html);

/// The text that a PDF shows with its simple fonts. Usage when there is none that can be read.
[[nodiscard]] Result<std::string> pdf_text(std::string_view pdf);

}  // namespace svc::emulator
