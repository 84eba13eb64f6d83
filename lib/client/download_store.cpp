#include "client/download_store.h"

#include <cerrno>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/write_target.h"

namespace svc {
namespace {

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

Error no_folder(const std::string& folder, int error_number) {
  Error error = create_error(in_folder(folder, "a file"), folder, error_number);
  if (error_number == ENOENT) {
    error.message = fmt::format("the folder {} does not exist", shown_path(folder));
  }
  return error;
}

}  // namespace

Result<void> check_download_folder(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return no_folder(folder, errno);
  if (!S_ISDIR(status.st_mode)) {
    return Error{Fault::Local, fmt::format("{} is not a folder", shown_path(folder)),
                 "Choose another one with --output."};
  }
  if (::access(folder.c_str(), W_OK) != 0) return no_folder(folder, errno);
  return {};
}

Result<void> FileStore::prepare() {
  if (!m_target.folder) return create(m_target.path, Links::Follow);
  SVC_CHECK(check_download_folder(m_target.path));
  return m_target.name.empty() ? Result<void>() : create_named(m_target.name);
}

Result<void> FileStore::open(const http::HttpHead& head) {
  return m_file ? Result<void>() : create_named(disposition_name(head));
}

Result<void> FileStore::create_named(const std::string& name) {
  // One safe component, no link followed, and a rename in the end: it cannot leave the folder.
  return create(in_folder(m_target.path, safe_file_name(name, m_target.fallback)), Links::Refuse);
}

Result<void> FileStore::create(const std::string& path, Links links) {
  SVC_TRY(file, AtomicFile::create(path, m_target.replace, 0666, links));
  m_file.emplace(std::move(file));
  return {};
}

}  // namespace svc
