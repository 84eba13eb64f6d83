#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_path.h"

namespace svc {

TEST_CASE("the program's own path is known, also without /proc") {
  const auto path = own_path();
  CHECK(path == std::filesystem::read_symlink("/proc/self/exe"));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool hidden = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
                        ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
    if (!hidden) ::_exit(2);  // not allowed here
    ::_exit(own_path() == path ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) != 1);
  if (WEXITSTATUS(status) == 2) MESSAGE("cannot hide /proc here");
}

}  // namespace svc
