// posix_spawn's settings for a program that is to start as if a shell had started it.
#pragma once

#include <csignal>

#include <spawn.h>

namespace svc {

/// A process group of its own, no signal blocked, and those that svc or its parent may ignore as
/// they are by themselves. What becomes of its streams is added to `actions`; close_others() ends
/// them.
class FreshProcess {
 public:
  FreshProcess() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal :
         {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT, SIGXFSZ, SIGTTIN, SIGTTOU}) {
      sigaddset(&usual, signal);
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  FreshProcess(const FreshProcess&) = delete;
  FreshProcess& operator=(const FreshProcess&) = delete;
  ~FreshProcess() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  /// After the actions on its streams: it inherits no descriptor but these, whoever opened it.
  void close_others() { posix_spawn_file_actions_addclosefrom_np(&actions, 3); }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace svc
