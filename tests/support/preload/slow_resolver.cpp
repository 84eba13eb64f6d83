// Preloaded into a program under test to simulate a slow name server. Lookups of names that start
// with `slow-host` fail after 30 seconds; all others work as usual.
#include <string_view>

#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  constexpr unsigned k_seconds = 30;
  if (node != nullptr && std::string_view(node).starts_with("slow-host")) {
    ::sleep(k_seconds);
    return EAI_AGAIN;
  }
  using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  const auto next = reinterpret_cast<Lookup>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return next == nullptr ? EAI_SYSTEM : next(node, service, hints, result);
}
