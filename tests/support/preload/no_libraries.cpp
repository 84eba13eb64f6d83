// Preloaded into a program under test to simulate a machine without the libraries that svc and its
// emulator load by name, except libcurl.
#include <string_view>

#include <dlfcn.h>

extern "C" void* dlopen(const char* name, int flags) {
  const std::string_view wanted(name == nullptr ? "" : name);
  for (const char* library : {"libportaudio", "libsndfile", "libspeexdsp", "libflite",
                              "libpocketsphinx", "libmp3lame", "svc-echo", "libjq", "libonig"}) {
    if (wanted.find(library) != std::string_view::npos) return nullptr;
  }
  using Open = void* (*)(const char*, int);
  const auto next = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"));
  return next == nullptr ? nullptr : next(name, flags);
}
