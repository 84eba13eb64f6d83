#include "docgen/regen.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/files.h"
#include "docgen/library_page.h"
#include "docgen/man.h"

namespace svc::docgen {
namespace {

namespace fs = std::filesystem;

/// A file whose content differs from what it should be; `wanted` is empty if it should not exist.
struct Difference {
  std::string path;
  std::optional<std::string> wanted;
};

Result<std::optional<std::string>> content_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::optional<std::string>{};
  SVC_TRY(content, read_file(path.string()));
  return std::optional<std::string>(std::move(content));
}

/// Prevents writing and removing files outside the source directory.
Result<void> check_source(const fs::path& source) {
  std::error_code ignored;
  if (fs::exists(source / "README.md", ignored)) return {};
  return Error{Fault::Local, fmt::format("{} is not the source directory: README.md is missing",
                                         source.string())};
}

/// Manual pages in man/ that are no longer generated.
std::vector<std::string> leftovers(const fs::path& source,
                                   const std::vector<GeneratedFile>& files) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(source / "man", ignored)) {
    const std::string path = "man/" + entry.path().filename().string();
    const bool wanted = std::any_of(files.begin(), files.end(),
                                    [&](const GeneratedFile& file) { return file.path == path; });
    const std::string section = entry.path().extension();
    if (!wanted && (section == ".1" || section == ".3" || section == ".5" || section == ".7"))
      paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<Difference>> differences(const fs::path& source, std::span<const Group> groups,
                                            sv version, const MoreFiles& more) {
  SVC_CHECK(check_source(source));
  std::vector<GeneratedFile> files = generated_files(groups, version);
  std::error_code ignored;
  if (fs::exists(source / "lib/svc", ignored)) {
    SVC_TRY(page, library_man(source, k_manual_date, version));
    files.push_back({"man/svc-library.3", std::move(page)});
  }
  if (more) {
    SVC_TRY(further, more());
    std::move(further.begin(), further.end(), std::back_inserter(files));
  }
  std::vector<Difference> found;
  for (GeneratedFile& file : files) {
    SVC_TRY(now, content_of(source / file.path));
    if (now != file.content) found.push_back({file.path, std::move(file.content)});
  }
  for (std::string& path : leftovers(source, files)) {
    found.push_back({std::move(path), std::nullopt});
  }
  return found;
}

Result<void> put_right(const fs::path& source, const Difference& difference) {
  const fs::path path = source / difference.path;
  std::error_code failed;
  if (!difference.wanted) {
    fs::remove(path, failed);
  } else {
    fs::create_directories(path.parent_path(), failed);
  }
  if (failed) return system_error("cannot change " + path.string(), failed.value());
  return difference.wanted ? write_file(path.string(), *difference.wanted, Replace::Yes)
                           : Result<void>{};
}

}  // namespace

std::vector<GeneratedFile> generated_files(std::span<const Group> groups, sv version) {
  std::vector<GeneratedFile> files;
  files.push_back({"man/svc.1", overview_man(groups, version)});
  for (const Group& group : groups) {
    files.push_back({"man/" + man_file_name(group), group_man(group, version)});
  }
  files.push_back({"man/svc-config.5", config_man(version)});
  for (const Topic& topic : topics()) {
    if (topic.in_group_page) continue;
    files.push_back({fmt::format("man/svc-{}.7", topic.name), topic_man(topic, version)});
  }
  return files;
}

Result<std::vector<std::string>> stale_files(const fs::path& source, std::span<const Group> groups,
                                             sv version, const MoreFiles& more) {
  SVC_TRY(found, differences(source, groups, version, more));
  std::vector<std::string> paths;
  for (Difference& difference : found) paths.push_back(std::move(difference.path));
  return paths;
}

Result<std::vector<std::string>> regenerate(const fs::path& source, std::span<const Group> groups,
                                            sv version, const MoreFiles& more) {
  SVC_TRY(found, differences(source, groups, version, more));
  std::vector<std::string> paths;
  for (const Difference& difference : found) {
    SVC_CHECK(put_right(source, difference));
    paths.push_back(difference.path);
  }
  return paths;
}

}  // namespace svc::docgen
