// Libraries for speech, loaded when somebody speaks: the emulator starts for each command, and most
// commands are silent.
#pragma once

#include <string>

#include "base/shared_library.h"

namespace svc::emulator::speech {

/// Local, with the package that has it, when it is not installed.
[[nodiscard]] inline Result<SharedLibrary> open_library(const char* file, const char* package) {
  auto library = SharedLibrary::load(file);
  if (library) return library;
  return Error{Fault::Local, std::string("The library ") + file + " is not installed.",
               std::string("Install the package ") + package + "."};
}

}  // namespace svc::emulator::speech
