// Libraries for sound, loaded when sound is used.
#pragma once

#include <string>

#include "base/shared_library.h"

namespace svc::audio {

/// Local when it is missing: `purpose` ("reading sound files") and the Debian `package` are in the
/// message.
[[nodiscard]] Result<SharedLibrary> load_library(const std::string& name, const char* purpose,
                                                 const char* package);

}  // namespace svc::audio
