// Libraries for sound, loaded when they are first needed and kept until the program ends.
#pragma once

#include <string>

#include "base/result.h"

namespace svc::audio {

/// A loaded library. Handles are never closed: sound libraries leave threads and exit handlers.
class Library {
 public:
  /// Loads it by its name with version ("libsndfile.so.1"). Local when it is missing: `purpose`
  /// ("reading sound files") and the Debian `package` are in the message.
  [[nodiscard]] static Result<Library> load(const char* name, const char* purpose,
                                            const char* package);

  /// Looks a function up into a typed pointer; Local when the library has none of that name.
  template <typename Function>
  [[nodiscard]] Result<void> find(Function*& function, const char* name) const {
    SVC_TRY(address, find_address(name));
    function = reinterpret_cast<Function*>(address);
    return {};
  }

 private:
  Library(void* handle, const char* name) noexcept : m_handle(handle), m_name(name) {}
  [[nodiscard]] Result<void*> find_address(const char* name) const;

  void* m_handle;
  const char* m_name;
};

}  // namespace svc::audio
