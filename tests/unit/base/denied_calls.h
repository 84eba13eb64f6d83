// Lets system calls fail as they do on other file systems.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit/base/child_process.h"

namespace svc::test {

struct DeniedCall {
  long number;
  int error;
  unsigned flags = 0;  ///< only if its third argument has one of these
};

/// What in_child() returns if system calls cannot be denied here.
inline constexpr int k_cannot_deny = 99;

/// From now on these calls fail. Only for child processes.
inline void deny(std::initializer_list<DeniedCall> calls) {
  std::vector<sock_filter> program;
  for (const DeniedCall& call : calls) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    const unsigned char skipped = call.flags == 0 ? 1 : 3;
    program.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, skipped));
    if (call.flags != 0) {
      program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])));
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, call.flags, 0, 1));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | unsigned(call.error)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::_exit(k_cannot_deny);
  }
}

/// Whether deny() works here: not in an emulator of another processor.
inline bool can_deny() {
  return in_child([] {
           deny({{SYS_flock, ENOSYS}});
           return ::syscall(SYS_flock, -1, 0) < 0 && errno == ENOSYS ? 0 : k_cannot_deny;
         }) == 0;
}

}  // namespace svc::test
