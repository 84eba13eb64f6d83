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

#define SVC_LIBRARY_MEMBER(member, function) decltype(&::function) member = nullptr;
#define SVC_LIBRARY_FIND(member, function) SVC_CHECK(library.find(table.member, #function));

// SVC_LIBRARY(Name, LIST) declares `struct Name` with a pointer to each function of a library that
// is used. LIST is a macro that says F(member, function) for each. Name::find_in(library) looks all
// of them up.
#define SVC_LIBRARY(Name, LIST)                                 \
  struct Name {                                                 \
    LIST(SVC_LIBRARY_MEMBER)                                    \
    [[nodiscard]] static ::svc::Result<Name> find_in(           \
        [[maybe_unused]] const ::svc::SharedLibrary& library) { \
      Name table;                                               \
      LIST(SVC_LIBRARY_FIND)                                    \
      return table;                                             \
    }                                                           \
  }
