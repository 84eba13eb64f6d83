// What this program is made of.
#pragma once

#include <string>

namespace svc::cli {

/// The version as a JSON document: what it was built from and with, the libraries that it runs
/// with, and what this machine lets it do. Loads the libraries of sound to see whether they are
/// there.
[[nodiscard]] std::string version_document();

}  // namespace svc::cli
