// The committed files that are generated from the catalogue: manual pages and completion scripts.
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
  std::string path;  ///< below the source folder: "man/svc.1"
  std::string content;
};

/// Everything that depends on the catalogue alone.
[[nodiscard]] std::vector<GeneratedFile> generated_files(std::span<const Group> groups, sv version);

/// Further files, for whoever else has some (golden requests).
using MoreFiles = std::function<Result<std::vector<GeneratedFile>>()>;

/// Compares what is in `source` with what should be: the paths that are missing, differ, or (in
/// man/) are left over from a group that is gone. Local when a file cannot be read, or when
/// `source` is not a source directory.
[[nodiscard]] Result<std::vector<std::string>> stale_files(const std::filesystem::path& source,
                                                           std::span<const Group> groups,
                                                           sv version, const MoreFiles& more = {});

/// Writes what differs and removes what is left over; gives the paths that it touched.
[[nodiscard]] Result<std::vector<std::string>> regenerate(const std::filesystem::path& source,
                                                          std::span<const Group> groups, sv version,
                                                          const MoreFiles& more = {});

}  // namespace svc::docgen
