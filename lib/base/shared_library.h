// A library that is loaded when it is first needed, and stays until the program ends: what is
// linked is loaded at every start, and handles that are closed take threads and exit handlers
// along.
#pragma once

#include <string>

#include "base/result.h"

namespace svc {

class SharedLibrary {
 public:
  /// Loads it by its name with version ("libsndfile.so.1") or its path. Local, with the system's
  /// reason alone as the message: whoever needs it says what for, and how to get it.
  [[nodiscard]] static Result<SharedLibrary> load(const std::string& name);

  /// The same, with a message that says who needs it ("--jq") and a hint with the Debian `package`.
  [[nodiscard]] static Result<SharedLibrary> load_for(const std::string& subject,
                                                      const std::string& name,
                                                      const std::string& package);

  /// Looks a function up into a typed pointer; Local when the library has none of that name.
  template <typename Function>
  [[nodiscard]] Result<void> find(Function*& function, const char* name) const {
    SVC_TRY(address, find_address(name));
    function = reinterpret_cast<Function*>(address);
    return {};
  }

 private:
  SharedLibrary(void* handle, std::string name) noexcept
      : m_handle(handle), m_name(std::move(name)) {}
  [[nodiscard]] Result<void*> find_address(const char* name) const;

  void* m_handle;
  std::string m_name;
};

}  // namespace svc
