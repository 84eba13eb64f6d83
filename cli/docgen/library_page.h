// The manual page svc-library(3): the public headers and the examples, as they are in the sources.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "catalogue/model.h"

namespace svc::docgen {

/// man(7) source of the page. Local if a header or an example in `source` cannot be read.
[[nodiscard]] Result<std::string> library_man(const std::filesystem::path& source, sv date,
                                              sv version);

}  // namespace svc::docgen
