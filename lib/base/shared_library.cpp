#include "base/shared_library.h"

#include <dlfcn.h>

namespace svc {

Result<SharedLibrary> SharedLibrary::load(const std::string& name) {
  // Lazy binding, as for linked libraries: unused functions are not resolved.
  void* handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) return SharedLibrary(handle, name);
  const char* why = ::dlerror();
  return Error{Fault::Local, why == nullptr ? "unknown reason" : why};
}

Result<void*> SharedLibrary::find_address(const char* name) const {
  void* address = ::dlsym(m_handle, name);
  if (address != nullptr) return address;
  return Error{Fault::Local, "the library " + m_name + " has no function " + name,
               "Install a newer version."};
}

}  // namespace svc
