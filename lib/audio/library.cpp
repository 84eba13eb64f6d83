#include "audio/library.h"

namespace svc::audio {

Result<SharedLibrary> load_library(const std::string& name, const char* purpose,
                                   const char* package) {
  auto library = SharedLibrary::load(name);
  if (library) return library;
  return Error{Fault::Local,
               std::string(purpose) + " needs the library " + name +
                   ", which cannot be loaded: " + library.error().message,
               std::string("Install it (Debian and Ubuntu: `apt install ") + package +
                   "`); everything that needs no sound works without it."};
}

}  // namespace svc::audio
