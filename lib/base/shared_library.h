// A library that is loaded on first use and stays loaded until the program exits. A linked library
// would be loaded at every start, and unloading one would also remove its threads and exit
// handlers.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace svc {

class SharedLibrary {
 public:
  /// Loads a library by versioned name ("libsndfile.so.1") or path. Local, with only the system's
  /// reason as the message: callers add the purpose and how to install it.
  [[nodiscard]] static Result<SharedLibrary> load(const std::string& name);

  /// Looks up a function as a typed pointer; Local if the library does not have it.
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

/// What to do about a missing library or data file. Only Debian's package is named, as an example:
/// the names of other systems are similar.
[[nodiscard]] std::string install_hint(std::string_view debian_package);

/// Fault::Local: this program was built without `part`; `option` is CMake's, which includes it.
[[nodiscard]] Error built_without(std::string_view part, std::string_view option);

#ifdef SVC_PORTABLE
/// A library that is part of a portable program, and loaded in any other.
class BundledLibrary {
 public:
  [[nodiscard]] static Result<BundledLibrary> load(const std::string& /*name*/) {
    return BundledLibrary{};
  }
};
#else
using BundledLibrary = SharedLibrary;
#endif

}  // namespace svc

#define SVC_LIBRARY_MEMBER(member, function) decltype(&::function) member = nullptr;
#define SVC_LIBRARY_FIND(member, function) SVC_CHECK(library.find(table.member, #function));

// SVC_LIBRARY(Name, LIST) declares `struct Name` with a pointer to each library function in use.
// LIST is a macro that invokes F(member, function) for each. Name::find_in(library) looks them up.
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

// The same for a BundledLibrary.
#ifdef SVC_PORTABLE
#define SVC_LIBRARY_LINKED(member, function) &::function,
#define SVC_BUNDLED_LIBRARY(Name, LIST)                                              \
  struct Name {                                                                      \
    LIST(SVC_LIBRARY_MEMBER)                                                         \
    [[nodiscard]] static ::svc::Result<Name> find_in(const ::svc::BundledLibrary&) { \
      return Name{LIST(SVC_LIBRARY_LINKED)};                                         \
    }                                                                                \
  }
#else
#define SVC_BUNDLED_LIBRARY(Name, LIST) SVC_LIBRARY(Name, LIST)
#endif
