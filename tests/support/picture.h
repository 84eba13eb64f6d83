// A screen as a picture, for documents.
#pragma once

#include <string>

#include "support/screen.h"

namespace svc::test {

/// An SVG of the lines that a person has read, those that left the screen first, in their colours.
/// The same screen gives the same bytes.
[[nodiscard]] std::string picture_of(const Screen& screen);

}  // namespace svc::test
