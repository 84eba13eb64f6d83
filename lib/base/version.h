// The version of the programs. The build makes its source from the release number and git
// (cli/version_text.cmake).
#pragma once

namespace svc {

/// The version with its place in git, "0.1.0+g0123456-dirty"; SVC_VERSION is the project's own,
/// which does not change from commit to commit.
extern const char* const k_full_version;

/// What git calls the sources, or "unknown".
extern const char* const k_source;

}  // namespace svc
