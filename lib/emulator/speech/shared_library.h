// A library that is loaded when it is first needed: the emulator starts for each command, and most
// commands are silent.
#pragma once

#include <string>

#include <dlfcn.h>

#include "base/result.h"

namespace svc::emulator::speech {

/// Stays loaded until the program ends.
class SharedLibrary {
 public:
  /// Local, with the package that has it, when it is not installed.
  [[nodiscard]] static Result<SharedLibrary> open(const char* file, const char* package) {
    void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return SharedLibrary(handle);
    return Error{Fault::Local, std::string("The library ") + file + " is not installed.",
                 std::string("Install the package ") + package + "."};
  }

  /// Finds a function by its name; false when there is none.
  template <typename Function>
  [[nodiscard]] bool find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(::dlsym(m_handle, name));
    return function != nullptr;
  }

 private:
  explicit SharedLibrary(void* handle) : m_handle(handle) {}
  void* m_handle;
};

}  // namespace svc::emulator::speech
