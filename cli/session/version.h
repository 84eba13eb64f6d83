// Version and build information.
#pragma once

#include <string>

namespace svc::cli {

/// The version as a JSON document: build information, the libraries in use, and the capabilities of
/// this machine. Loads the sound libraries to check whether they are available.
[[nodiscard]] std::string version_document();

}  // namespace svc::cli
