// What this program is made of.
#pragma once

#include <string>

namespace svc::cli {

/// The version with its place in git, "0.1.0+g0123456-dirty" (version_text.cmake); SVC_VERSION is
/// the project's own, which does not change from commit to commit.
extern const char* const k_full_version;

/// What git calls the sources, or "unknown".
extern const char* const k_source;

/// The version as a JSON document: what it was built from and with, the libraries that it runs
/// with, and what this machine lets it do. Loads the libraries of sound to see whether they are
/// there.
[[nodiscard]] std::string version_document();

}  // namespace svc::cli
