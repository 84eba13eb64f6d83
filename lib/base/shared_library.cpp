#include "base/shared_library.h"

#include <cerrno>

#include <dlfcn.h>

#include "base/files.h"
#include "base/platform.h"

namespace svc {

Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
  for (const std::string& path : library_paths(name)) {
    // Lazy binding, as for linked libraries: unused functions are not resolved.
    void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) return SharedLibrary(handle, name);
  }
  const char* why = ::dlerror();
  if (lacks_descriptors()) return system_error("cannot load " + name, EMFILE);
  return Error{Fault::Local, why == nullptr ? "unknown reason" : why};
}

Result<void*> SharedLibrary::find_address(const char* name) const {
  void* address = ::dlsym(m_handle, name);
  if (address != nullptr) return address;
  return Error{Fault::Local, "the library " + m_name + " has no function " + name,
               "Install a newer version."};
}

std::string install_hint(std::string_view debian_package) {
  return "Install it; on Debian its package is " + std::string(debian_package) + ".";
}

Error built_without(std::string_view part, std::string_view option) {
  return Error{Fault::Local, "this svc was built without " + std::string(part),
               "A build with -D" + std::string(option) + "=ON has it."};
}

}  // namespace svc
