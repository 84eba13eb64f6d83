// The version of the programs. The build generates its source from the release number and git
// (cli/version_text.cmake).
#pragma once

namespace svc {

/// The version with its git revision, "0.1.0+g0123456-dirty". SVC_VERSION is the project's version,
/// which is the same for every commit.
extern const char* const k_full_version;

/// The output of git describe for the sources, or "unknown".
extern const char* const k_source;

}  // namespace svc
