#include "base/own_path.h"

#include <system_error>

#include <sys/auxv.h>

namespace svc {

std::filesystem::path own_path() {
  std::error_code failed;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) return path;
  // As it was started, perhaps by a link.
  const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (started == nullptr) return {};
  path = std::filesystem::canonical(started, failed);
  return failed ? std::filesystem::path() : path;
}

}  // namespace svc
