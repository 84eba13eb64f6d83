#include "audio/silence_stderr.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

namespace svc::audio {
namespace {

extern "C" {

void svc_audio_no_alsa_message(const char*, int, const char*, int, const char*, ...) {}
void svc_audio_no_jack_message(const char*) {}

/// PortAudio and PulseAudio have no handler to set: their lines are known by how they begin.
constexpr std::array<std::string_view, 7> k_chatter = {"Expression '",
                                                       "ALSA lib ",
                                                       "PaAlsa",
                                                       "jack server ",
                                                       "Cannot connect to ",
                                                       "Failed to create secure directory",
                                                       "Home directory not accessible"};

ssize_t svc_audio_filter(void*, const char* bytes, size_t size) {
  const std::string_view text(bytes, size);
  const bool chatter = std::ranges::any_of(
      k_chatter, [text](std::string_view begin) { return text.starts_with(begin); });
  for (size_t done = 0; !chatter && done < size;) {
    const ssize_t written = ::write(STDERR_FILENO, bytes + done, size - done);
    if (written <= 0) return 0;
    done += static_cast<size_t>(written);
  }
  return static_cast<ssize_t>(size);
}

}  // extern "C"

}  // namespace

void silence_sound_libraries() {
  using AlsaHandler = void (*)(const char*, int, const char*, int, const char*, ...);
  using JackHandler = void (*)(const char*);
  // Only what PortAudio has loaded already.
  if (void* alsa = ::dlopen("libasound.so.2", RTLD_NOW | RTLD_NOLOAD)) {
    if (void* set = ::dlsym(alsa, "snd_lib_error_set_handler")) {
      reinterpret_cast<int (*)(AlsaHandler)>(set)(&svc_audio_no_alsa_message);
    }
  }
  if (void* jack = ::dlopen("libjack.so.0", RTLD_NOW | RTLD_NOLOAD)) {
    for (const char* name : {"jack_set_error_function", "jack_set_info_function"}) {
      void* set = ::dlsym(jack, name);
      if (set != nullptr) reinterpret_cast<void (*)(JackHandler)>(set)(&svc_audio_no_jack_message);
    }
  }
  // In the GNU C library `stderr` is a variable that a program may set. The program's own messages
  // do not go through it: they are written to the descriptor.
  static std::FILE* const k_filtered = [] {
    cookie_io_functions_t functions{};
    functions.write = &svc_audio_filter;
    std::FILE* stream = ::fopencookie(nullptr, "w", functions);
    if (stream != nullptr) std::setvbuf(stream, nullptr, _IOLBF, 4096);
    return stream;
  }();
  if (k_filtered != nullptr) stderr = k_filtered;
}

}  // namespace svc::audio
