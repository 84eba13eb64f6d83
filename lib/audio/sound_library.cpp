#include "audio/sound_library.h"

#include <cstdlib>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif
#include <unistd.h>

#include "base/platform.h"
#include "base/text.h"
#include "base/wait.h"

namespace svc::audio {

/// Exit handlers run in reverse order of registration.
void exit_without_destructors() {
  static std::once_flag once;
  std::call_once(once, skip_destructors_at_exit);
}

Result<SharedLibrary> load_library(const std::string& name, const char* purpose,
                                   const char* package) {
  auto library = SharedLibrary::load(name);
  if (library) return library;
  return Error{Fault::Local,
               std::string(purpose) + " needs the library " + name +
                   ", which cannot be loaded: " + library.error().message,
               install_hint(package) + " Everything except audio works without it."};
}

Result<bool> run_with_timeout(std::function<void()> work, Milliseconds limit,
                              const CancelToken& cancel) {
  const auto ended = std::make_shared<Event>();
  std::thread worker([ended, work = std::move(work)]() mutable {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler theirs;  // sound libraries keep per-thread memory forever
#endif
    work();
    work = nullptr;
    ended->signal();
  });
  Result<bool> in_time = wait_readable(ended->descriptor(), after(limit), cancel);
  if (in_time && *in_time) {
    worker.join();
  } else {
    worker.detach();
    exit_without_destructors();
  }
  return in_time;
}

Error sound_server_timeout_error() {
  return Error{.fault = Fault::Local,
               .message = fmt::format("the sound server did not respond within {}",
                                      format_duration(k_open_limit)),
               .hint =
                   "It may be frozen: restart it (for example: systemctl --user restart pipewire "
                   "pipewire-pulse). Files and pipes need no sound server.",
               .cause = Cause::SoundServerFrozen};
}

}  // namespace svc::audio
