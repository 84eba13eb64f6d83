// The committed files generated from the catalogue, such as the manual pages.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace svc::docgen {

struct GeneratedFile {
  std::string path;  ///< relative to the source directory: "man/svc.1"
  std::string content;
};

/// The files that depend only on the catalogue and the version.
[[nodiscard]] std::vector<GeneratedFile> generated_files(std::span<const Group> groups, sv version);

/// Returns additional generated files (the golden requests).
using MoreFiles = std::function<Result<std::vector<GeneratedFile>>()>;

/// Compares the files in `source` with the generated ones, and returns the paths that are missing,
/// differ, or (in man/) belong to a removed group. Fault::Local if a file cannot be read or
/// `source` is not a source directory.
[[nodiscard]] Result<std::vector<std::string>> stale_files(const std::filesystem::path& source,
                                                           std::span<const Group> groups,
                                                           sv version, const MoreFiles& more = {});

/// Writes files that differ and removes those of removed groups; returns the changed paths.
[[nodiscard]] Result<std::vector<std::string>> regenerate(const std::filesystem::path& source,
                                                          std::span<const Group> groups, sv version,
                                                          const MoreFiles& more = {});

}  // namespace svc::docgen
