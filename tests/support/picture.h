// Renders a screen as an image for documents.
#pragma once

#include <string>

#include "support/screen.h"

namespace svc::test {

/// An SVG of all lines in their colors, including those scrolled off the screen. The same screen
/// always gives the same bytes.
[[nodiscard]] std::string picture_of(const Screen& screen);

}  // namespace svc::test
