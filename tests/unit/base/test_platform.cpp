// Calls that each system has in its own way.
#include <array>
#include <cerrno>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/files.h"
#include "base/platform.h"
#include "base/program.h"
#include "base/shared_library.h"
#include "base/wake.h"
#include "unit/base/child_process.h"
#include "unit/base/denied_calls.h"
#include "unit/base/temporary_directory.h"

namespace svc {
namespace {

using namespace std::chrono_literals;

bool is_readable(int fd, std::chrono::milliseconds within = 0ms) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(within.count())) == 1;
}

bool is_inherited(int fd) {
  return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
}

}  // namespace

TEST_CASE("an event is readable until it is cleared, however often it was signaled") {
  Event event;
  CHECK_FALSE(is_readable(event.descriptor()));
  event.signal();
  event.signal();
  CHECK(is_readable(event.descriptor()));
  CHECK(is_readable(event.descriptor()));
  event.clear();
  CHECK_FALSE(is_readable(event.descriptor()));
  event.signal();
  CHECK(is_readable(event.descriptor()));
  CHECK_FALSE(is_inherited(event.descriptor()));
}

TEST_CASE("a timer is readable from its time on, until it is armed again") {
  auto timer = Timer::create();
  REQUIRE(timer);
  const auto now = std::chrono::steady_clock::now();
  CHECK_FALSE(is_readable(timer->descriptor()));
  timer->arm(now + 20ms);
  CHECK(is_readable(timer->descriptor(), 10s));
  CHECK(std::chrono::steady_clock::now() >= now + 20ms);
  CHECK(is_readable(timer->descriptor()));
  timer->arm(now + 1h);
  CHECK_FALSE(is_readable(timer->descriptor()));
  timer->fire();
  CHECK(is_readable(timer->descriptor(), 10s));
  timer->arm(now - 1h);  // in the past
  CHECK(is_readable(timer->descriptor(), 10s));
  CHECK_FALSE(is_inherited(timer->descriptor()));
}

TEST_CASE("a set is readable while one of its descriptors is, of each kind") {
  Event event;
  Timer timer;
  auto pipe = make_pipe();
  REQUIRE(pipe);
  DescriptorSet inner;
  CHECK(inner.add(event.descriptor()));
  DescriptorSet set;
  CHECK(set.add(inner.descriptor()));
  CHECK(set.add(timer.descriptor()));
  CHECK(set.add(pipe->read.get()));
  CHECK_FALSE(set.add(-1));
  CHECK_FALSE(is_readable(set.descriptor()));
  event.signal();
  CHECK(is_readable(set.descriptor()));
  event.clear();
  CHECK_FALSE(is_readable(set.descriptor()));
  timer.fire();
  CHECK(is_readable(set.descriptor(), 10s));
  timer.arm(std::chrono::steady_clock::now() + 1h);
  CHECK_FALSE(is_readable(set.descriptor()));
  REQUIRE(::write(pipe->write.get(), "x", 1) == 1);
  CHECK(is_readable(set.descriptor()));
  pipe->read.reset();
  CHECK_FALSE(is_readable(set.descriptor()));
  CHECK_FALSE(is_inherited(set.descriptor()));
}

TEST_CASE("pipes block if they are asked to") {
  for (const Blocking blocking : {Blocking::No, Blocking::Yes}) {
    auto pipe = make_pipe(blocking);
    REQUIRE(pipe);
    for (const FileDescriptor* end : {&pipe->read, &pipe->write}) {
      CHECK_FALSE(is_inherited(end->get()));
      const bool blocks = (::fcntl(end->get(), F_GETFL) & O_NONBLOCK) == 0;
      CHECK(blocks == (blocking == Blocking::Yes));
    }
  }
}

TEST_CASE("a peer that closed is seen while its data waits") {
  const FileDescriptor listener = open_socket(AF_INET);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* at = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener.get(), at, size) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  CHECK_FALSE(accept_connection(listener.get()).is_open());
  CHECK(errno == EAGAIN);
  REQUIRE(::getsockname(listener.get(), at, &size) == 0);
  FileDescriptor peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(peer.get(), at, size) == 0);
  REQUIRE(is_readable(listener.get(), 10s));
  const FileDescriptor connection = accept_connection(listener.get());
  REQUIRE(connection.is_open());
  for (const FileDescriptor* one : {&listener, &connection}) {
    CHECK_FALSE(is_inherited(one->get()));
    CHECK((::fcntl(one->get(), F_GETFL) & O_NONBLOCK) != 0);
  }
  REQUIRE(::write(peer.get(), "x", 1) == 1);
  REQUIRE(is_readable(connection.get(), 10s));
  CHECK_FALSE(is_closed_by_peer(connection.get()));
  peer.reset();
  for (int tries = 0; tries < 1000 && !is_closed_by_peer(connection.get()); ++tries) {
    std::this_thread::sleep_for(10ms);
  }
  CHECK(is_closed_by_peer(connection.get()));
}

TEST_CASE("the main thread is known") {
  CHECK(is_main_thread());
  bool other = true;
  std::thread([&other] { other = is_main_thread(); }).join();
  CHECK_FALSE(other);
}

TEST_CASE("the exit of a program is seen, and what tells it from others") {
  auto pipe = make_pipe();
  REQUIRE(pipe);
  const auto own = process_facts(::getpid());
  REQUIRE(own);
  CHECK(own->session == ::getsid(0));
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  // Like the fields that follow it in /proc/PID/stat.
  ::prctl(PR_SET_NAME, "a) S 1 2 (3 4");
  const pid_t child = ::fork();
  ::prctl(PR_SET_NAME, name.data());
  REQUIRE(child >= 0);
  if (child == 0) {
    char byte = 0;
    ::_exit(::read(pipe->read.get(), &byte, 1) == 1 ? 0 : 1);
  }
  const FileDescriptor exit = open_exit_descriptor(child);
  const auto facts = process_facts(child);
  CHECK((!exit.is_open() || !is_readable(exit.get())));
  REQUIRE(::write(pipe->write.get(), "x", 1) == 1);
  if (exit.is_open()) CHECK(is_readable(exit.get(), 10s));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  REQUIRE(facts);
  CHECK(facts->session == own->session);
  CHECK(facts->terminal == own->terminal);
  CHECK(parse_integer(facts->start).value_or(-1) >= parse_integer(own->start).value_or(0));
  CHECK_FALSE(process_facts(child));
  CHECK(boot_id().size() == 36);
}

TEST_CASE("a file is renamed only to a free name, and an open file tells its path") {
  const test::TemporaryDirectory directory;
  const std::string from = directory.path() / "from";
  const std::string to = directory.path() / "to";
  test::put(from, "new");
  test::put(to, "old");
  CHECK(rename_without_replacing(from.c_str(), to.c_str()) == EEXIST);
  CHECK(*read_file(to) == "old");
  ::unlink(to.c_str());
  CHECK(rename_without_replacing(from.c_str(), to.c_str()) == 0);
  CHECK(rename_without_replacing(from.c_str(), to.c_str()) == ENOENT);
  REQUIRE(::symlink(to.c_str(), from.c_str()) == 0);
  const FileDescriptor file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(real_path_of(file.get()) == std::filesystem::canonical(to));
  CHECK(*read_file(path_to_descriptor(file.get())) == "new");
  CHECK(real_path_of(-1).empty());
}

TEST_CASE("an unnamed file leaves nothing in its directory") {
  const test::TemporaryDirectory directory;
  const FileDescriptor file = open_unnamed_file(directory.path());
  REQUIRE(file.is_open());
  CHECK_FALSE(is_inherited(file.get()));
  CHECK(::write(file.get(), "abc", 3) == 3);
  char first = 0;
  CHECK(::pread(file.get(), &first, 1, 0) == 1);
  CHECK(first == 'a');
  CHECK(std::filesystem::is_empty(directory.path()));
  CHECK_FALSE(open_unnamed_file(directory.path() / "missing").is_open());
}

TEST_CASE("an unnamed file where the file system has none is removed at once") {
  if (!test::can_deny()) return;
  const test::TemporaryDirectory directory;
  CHECK(test::in_child([&] {
          test::deny({{SYS_openat, EOPNOTSUPP, O_TMPFILE & ~unsigned(O_DIRECTORY)}});
          const FileDescriptor file = open_unnamed_file(directory.path());
          if (!file.is_open() || is_inherited(file.get())) return 1;
          if (::write(file.get(), "abc", 3) != 3) return 2;
          char last = 0;
          return ::pread(file.get(), &last, 1, 2) == 1 && last == 'c' ? 0 : 3;
        }) == 0);
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("the time of a change has its nanoseconds") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path() / "file";
  test::put(path, "");
  const timespec times[2] = {{1, 2}, {1'700'000'000, 123'456'789}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK(modified_at(status) == 1'700'000'000'123'456'789);
}

TEST_CASE("a pipe that the parent reads, too, is told from one of one's own") {
  auto pipe = make_pipe();
  REQUIRE(pipe);
  const auto answer = [&pipe](bool own) {
    return test::in_child([&pipe, own] {
      ::dup2(pipe->read.get(), STDIN_FILENO);
      return test::in_child([own] {
        auto other = make_pipe();
        if (own) ::dup2(other->read.get(), STDIN_FILENO);
        return shares_pipe_with_parent() ? 1 : 0;
      });
    });
  };
  CHECK(answer(false) == 1);
  CHECK(answer(true) == 0);
}

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

TEST_CASE("a library, a function of it, or a part that this build lacks") {
  const auto none = SharedLibrary::load("libsvc-none.so.1");
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Local);
  if (const auto library = SharedLibrary::load("libc.so.6")) {
    CHECK(none.error().message.starts_with("libsvc-none.so.1: "));
    int (*function)(const char*) = nullptr;
    REQUIRE(library->find(function, "atoi"));
    CHECK(function("7") == 7);
    const auto missing = library->find(function, "svc_none");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().fault == Fault::Local);
    CHECK(missing.error().message == "the library libc.so.6 has no function svc_none");
    CHECK(missing.error().hint == "Install a newer version.");
  }
  CHECK(install_hint("libx1") == "Install it; on Debian its package is libx1.");
  const Error without = built_without("the echo filter", "SVC_ECHO");
  CHECK(without.fault == Fault::Local);
  CHECK(without.message == "this svc was built without the echo filter");
  CHECK(without.hint == "A build with -DSVC_ECHO=ON has it.");
}

}  // namespace svc
