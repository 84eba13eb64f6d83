// Loads speech libraries on first use: the emulator starts for each command, and most commands need
// no speech.
#pragma once

#include <string>

#include "base/shared_library.h"

namespace svc::emulator::speech {

/// Returns Local, with the name of the package, if the library is not installed.
[[nodiscard]] inline Result<SharedLibrary> open_library(const char* file, const char* package) {
  auto library = SharedLibrary::load(file);
  if (library) return library;
  return Error{Fault::Local, std::string("The library ") + file + " is not installed.",
               std::string("Install the package ") + package + "."};
}

}  // namespace svc::emulator::speech
