#include "audio/library.h"

#include <dlfcn.h>

namespace svc::audio {

Result<Library> Library::load(const char* name, const char* purpose, const char* package) {
  void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return Library(handle, name);
  const char* why = ::dlerror();
  return Error{Fault::Local,
               std::string(purpose) + " needs the library " + name +
                   ", which cannot be loaded: " + (why == nullptr ? "unknown reason" : why),
               std::string("Install it (Debian and Ubuntu: `apt install ") + package +
                   "`); everything that needs no sound works without it."};
}

Result<void*> Library::find_address(const char* name) const {
  void* address = ::dlsym(m_handle, name);
  if (address != nullptr) return address;
  return Error{Fault::Local, std::string("the library ") + m_name + " has no function " + name,
               "Install a newer version of it."};
}

}  // namespace svc::audio
