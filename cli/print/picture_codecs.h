// Pictures as pixels and back, by libraries that are loaded on first use.
#pragma once

#include "print/image.h"

namespace svc::print {

/// Empty if the data is damaged or larger than 64 megapixels, or if the library is not installed.
[[nodiscard]] std::optional<Pixels> decode_jpeg(sv bytes);
[[nodiscard]] std::optional<Pixels> decode_png(sv bytes);

}  // namespace svc::print
