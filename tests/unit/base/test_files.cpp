#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/atomic_file.h"
#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "child_process.h"
#include "support/environment_variable.h"
#include "support/mentions.h"
#include "temporary_directory.h"

namespace svc {

using test::mentions;
namespace {

using test::get;
using test::in_child;
using test::put;
using test::TemporaryDirectory;

TEST_CASE("reading a file") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a b");
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i);
  put(path, bytes);
  CHECK(*read_file(path) == bytes);
  put(path, "");
  CHECK(read_file(path)->empty());
  CHECK(read_file("/dev/null")->empty());
  CHECK(read_file("/proc/self/stat")->size() > 10);  // reports a size of 0
}

TEST_CASE("reading a pipe") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string bytes(200'000, 'x');
  // Owner: this test, which joins it at the end of the block.
  const std::jthread writer([&] { put(path, bytes); });
  CHECK(*read_file(path) == bytes);
}

TEST_CASE("the error for an unreadable file contains its path") {
  const TemporaryDirectory directory;
  const std::string missing = directory.file("miss\x1b[2Jing");
  const auto none = read_file(missing);
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Usage);
  CHECK(mentions(none.error(), "no such file"));
  CHECK(mentions(none.error(), "miss^[[2Jing"));
  CHECK_FALSE(mentions(none.error(), "\x1b"));

  const auto content = read_file(directory.path().string());
  CHECK(content.error().fault == Fault::Usage);
  CHECK(content.error().message ==
        quote_path(directory.path().string()) + " is a directory, not a file");
  CHECK(content.error().hint == "Choose a file in it.");
  CHECK(read_file("").error().message == "the name of the file to read is empty");
  CHECK(read_file(std::string("/etc/passwd\0x", 13)).error().message ==
        "the path '/etc/passwd^@x' contains a NUL");
}

TEST_CASE("a file that is too large is rejected by its size") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("large");
  put(path, std::string(1000, 'x'));
  CHECK(read_file(path, 1000));
  const auto large = read_file(path, 999);
  CHECK(large.error().fault == Fault::Usage);
  CHECK(mentions(large.error(), "is 1 kB"));
  CHECK(mentions(large.error(), "999 bytes"));
  CHECK(large.error().message == quote_path(path) + " is 1 kB; the limit is 999 B (999 bytes)");
  CHECK(read_file("/dev/zero", 100'000).error().message ==
        "'/dev/zero' is too large; the limit is 100 kB (100000 bytes)");
  const std::string pipe = directory.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::size_t size : {1000U, 1001U}) {
    // Owner: this test, which joins it at the end of the block.
    const std::jthread writer([&] { put(pipe, std::string(size, 'x')); });
    CHECK(read_file(pipe, 1000).has_value() == (size == 1000));
  }
}

TEST_CASE("the beginning of a file") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("file");
  put(path, "abcdef");
  CHECK(*read_prefix(path, 3) == "abc");
  CHECK(*read_prefix(path, 6) == "abcdef");
  CHECK(*read_prefix(path, 100) == "abcdef");
  CHECK(read_prefix(path, 0)->empty());
  for (const std::string& wrong : {std::string(), std::string("a\0b", 3)}) {
    CHECK(read_prefix(wrong, 1).error().fault == Fault::Usage);
  }
  CHECK(read_prefix("", 1).error().message == "'' is not a file path");
  const auto missing = read_prefix(directory.file("missing"), 1);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message == "no such file: " + quote_path(directory.file("missing")));
  CHECK(missing.error().hint == "Check the path; relative paths start at the current directory.");
  const auto folder = read_prefix(directory.path().string(), 1);
  REQUIRE_FALSE(folder);
  CHECK(folder.error().message ==
        "cannot read " + quote_path(directory.path().string()) + ": Is a directory");
}

TEST_CASE("an empty file that root makes belongs to its directory's owner") {
  if (::geteuid() != 0) return;
  const TemporaryDirectory directory;
  const auto owner_after = [&](const std::string& path) {
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    give_to_directory_owner(file.get(), path);
    struct stat status {};
    REQUIRE(::fstat(file.get(), &status) == 0);
    return std::pair(status.st_uid, status.st_gid);
  };
  using Owner = std::pair<uid_t, gid_t>;
  CHECK(owner_after(directory.file("of root")) == Owner(0, 0));
  REQUIRE(::chown(directory.path().c_str(), 1234, 2345) == 0);
  CHECK(owner_after(directory.file("new")) == Owner(1234, 2345));
  put(directory.file("full"), "x");
  CHECK(owner_after(directory.file("full")) == Owner(0, 0));
  put(directory.file("one"), "");
  std::filesystem::create_hard_link(directory.file("one"), directory.file("two"));
  CHECK(owner_after(directory.file("two")) == Owner(0, 0));
  put(directory.file("foreign"), "");
  REQUIRE(::chown(directory.file("foreign").c_str(), 77, 77) == 0);
  CHECK(owner_after(directory.file("foreign")) == Owner(77, 77));
}

TEST_CASE("an unreadable file") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("closed");
  put(path, "x", 0);
  ::chmod(directory.path().c_str(), 0755);
  CHECK(in_child([&] {
          test::become_nobody();
          const auto read = read_file(path);
          if (read || read.error().fault != Fault::Usage) return 1;
          if (read.error().message != "cannot read " + quote_path(path) + ": Permission denied") {
            return 2;
          }
          return read.error().hint ==
                         "Check the permissions of the file and its directories (ls -l)."
                     ? 0
                     : 3;
        }) == 0);
  // Nor can a directory be made where one may not write.
  ::chmod(directory.path().c_str(), 0555);
  CHECK(in_child([&] {
          test::become_nobody();
          const auto made = make_private_directory(directory.path() / "a" / "b");
          if (made || made.error().fault != Fault::Local) return 1;
          if (made.error().message != "cannot create the directory " +
                                          quote_path(directory.file("a/b")) +
                                          ": Permission denied") {
            return 2;
          }
          return made.error().hint == "Check the write permission of " +
                                          quote_path(directory.path().string()) + "."
                     ? 0
                     : 3;
        }) == 0);
  ::chmod(directory.path().c_str(), 0755);
}

TEST_CASE("running out of descriptors is not a user error") {  // faults 75
  const TemporaryDirectory directory;
  const std::string path = directory.file("x");
  put(path, "x");
  CHECK_FALSE(lacks_descriptors());
  CHECK(in_child([&] {
          const rlimit limit{0, 0};
          ::setrlimit(RLIMIT_NOFILE, &limit);
          if (!lacks_descriptors()) return 2;
          const auto read = read_file(path);
          const auto file = AtomicFile::create(directory.file("y"), Replace::No);
          const bool right = !read && read.error().fault == Fault::Local &&
                             read.error().cause == Cause::NoDescriptors &&
                             mentions(read.error(), "ulimit -n") && !file &&
                             file.error().cause == Cause::NoDescriptors &&
                             mentions(file.error(), "ulimit -n");
          return right ? 0 : 1;
        }) == 0);
}

TEST_CASE("a private file is read only if its mode is private") {  // faults 76
  const TemporaryDirectory directory;
  const std::string path = directory.file("key's");
  put(path, "secret\n", 0600);
  CHECK(*read_private_file(path) == "secret\n");
  ::chmod(path.c_str(), 0400);
  CHECK(*read_private_file(path) == "secret\n");
  for (const unsigned mode : {0640U, 0604U, 0644U, 0620U, 0666U}) {
    ::chmod(path.c_str(), mode);
    const auto refused = read_private_file(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Local);
    CHECK(refused.error().message ==
          quote_path(path) + " contains a secret, but other users can open it");
    CHECK(refused.error().hint == "Run: chmod 600 " + shell_quote(path));
  }
}

TEST_CASE("a private file must be a regular file owned by the user") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("key");
  put(path, "secret", 0600);
  const std::string link = directory.file("link");
  std::filesystem::create_symlink(path, link);
  const auto told = [](const std::string& file) {
    const auto read = read_private_file(file);
    REQUIRE_FALSE(read);
    CHECK(read.error().fault == Fault::Local);
    return read.error().message + " / " + read.error().hint;
  };
  const auto secret = [](const std::string& file, const char* why) {
    return quote_path(file) + " contains a secret, but " + why;
  };
  CHECK(told(link) ==
        secret(link, "it is a symbolic link / Use the file itself, not a link to it."));
  const std::string pipe = directory.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& file : {directory.path().string(), std::string("/dev/null"), pipe}) {
    CHECK(told(file) ==  // and a pipe does not block
          secret(file, "it is not a regular file / Use a regular file with mode 0600."));
  }
  const std::string none = directory.file("none");
  CHECK(told(none) == "no such file: " + quote_path(none) +
                          " / Check the path; relative paths start at the current directory.");
  CHECK(told("") == "'' is not a file path / ");
  CHECK(told(std::string("a\0b", 3)) == "'a^@b' is not a file path / ");
  put(path, std::string(1U << 20U, 'x'), 0600);
  CHECK(read_private_file(path));
  put(path, std::string((1U << 20U) + 1, 'x'), 0600);
  CHECK(told(path) == quote_path(path) + " is too large; the limit is 1 MB (1048576 bytes) / ");
  if (::geteuid() == 0) {
    REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
    CHECK(told(path) == secret(path, "it belongs to another user / Copy it to your own file: ") +
                            "install -m 600 " + shell_quote(path) + " NEW_PATH");
  }
}

TEST_CASE("a private directory is created with its parents") {
  const TemporaryDirectory directory;
  const auto deep = directory.path() / "a" / "b" / "c";
  CHECK(make_private_directory(deep));
  CHECK(make_private_directory(deep));
  CHECK(make_private_directory(deep / ""));
  CHECK(test::mode_of(directory.file("a")) == 0700);
  CHECK(test::mode_of(deep.string()) == 0700);
  ::chmod(deep.c_str(), 0755);
  CHECK(make_private_directory(deep));
  CHECK(test::mode_of(deep.string()) == 0755);  // not ours to change

  put(directory.file("file"), "x");
  const auto blocked = make_private_directory(directory.path() / "file" / "below");
  CHECK(blocked.error().fault == Fault::Local);
  CHECK(blocked.error().message == "cannot create the directory " +
                                       quote_path(directory.file("file/below")) + ": " +
                                       quote_path(directory.file("file")) + " is not a directory");
  CHECK(make_private_directory("").error().fault == Fault::Local);
  CHECK(make_private_directory("").error().message ==
        "the name of the directory to create is empty");
  CHECK(make_private_directory("/proc/none/x").error().fault == Fault::Local);
}

TEST_CASE("only one holder gets a lock at a time") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("lock");
  constexpr int rounds = 50;
  std::atomic<int> inside = 0;
  std::atomic<int> together = 0;
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> workers;  // owner: this block
    for (int i = 0; i < 4; ++i) {
      workers.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          const auto lock = FileLock::acquire(path, std::chrono::minutes(1));
          if (!lock) continue;
          if (++inside > 1) ++together;
          std::this_thread::yield();
          ++taken;
          --inside;
        }
      });
    }
  }
  CHECK(together == 0);
  CHECK(taken == 4 * rounds);
  CHECK(test::mode_of(path) == 0600);
}

TEST_CASE("waiting for a lock times out") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("lock");
  auto held = FileLock::acquire(path);
  REQUIRE(held);
  const auto refused = FileLock::acquire(path, std::chrono::milliseconds(30));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Local);
  CHECK(refused.error().message ==
        "cannot lock " + quote_path(path) + ": another process held it for 30 ms");
  CHECK(refused.error().hint == "Try again when the other svc process has finished.");
  FileLock moved = std::move(*held);
  CHECK_FALSE(FileLock::acquire(path, std::chrono::milliseconds(1)));
  auto other = FileLock::acquire(directory.file("other"));
  REQUIRE(other);
  moved = std::move(*other);  // releases the first one
  CHECK(FileLock::acquire(path, std::chrono::milliseconds(1)));
}

TEST_CASE("waiting for a lock can be canceled") {
  class Asking final : public CancelToken {
   public:
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return ++m_asked > 3 ? std::optional(Fault::Interrupted) : std::nullopt;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }

   private:
    mutable int m_asked = 0;
  };
  const TemporaryDirectory directory;
  const auto held = FileLock::acquire(directory.file("lock"));
  REQUIRE(held);
  const auto refused = FileLock::acquire(directory.file("lock"), std::chrono::hours(1), Asking());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Interrupted);
}

TEST_CASE("paths where no lock can be created") {
  const TemporaryDirectory directory;
  const auto told = [](const std::string& file) {
    const auto lock = FileLock::acquire(file);
    REQUIRE_FALSE(lock);
    CHECK(lock.error().fault == Fault::Local);
    return lock.error().message + " / " + lock.error().hint;
  };
  const std::string hint = " / Check the write permission of its directory.";
  const std::string none = directory.file("none/lock");
  CHECK(told(none) == "cannot lock " + quote_path(none) + ": No such file or directory" + hint);
  const std::string folder = directory.path().string();
  CHECK(told(folder) == "cannot lock " + quote_path(folder) + ": Is a directory" + hint);
  CHECK(told("") == "cannot lock '': not a file path / ");
  CHECK(told(std::string("a\0b", 3)) == "cannot lock 'a^@b': not a file path / ");
  std::filesystem::create_symlink(directory.file("elsewhere"), directory.file("link"));
  const std::string link = directory.file("link");
  CHECK(told(link).starts_with("cannot lock " + quote_path(link) + ": "));
  CHECK(told(link).ends_with(" / Remove it: a lock file must not be a symbolic link."));
  CHECK_FALSE(std::filesystem::exists(directory.file("elsewhere")));
}

TEST_CASE("base directories of the XDG specification") {  // faults 77
  const test::EnvironmentVariable home("HOME", "/home/u");
  {
    const test::EnvironmentVariable config("XDG_CONFIG_HOME", std::nullopt);
    const test::EnvironmentVariable state("XDG_STATE_HOME", "");
    CHECK(config_directory() == "/home/u/.config/svc");
    CHECK(state_directory() == "/home/u/.local/state/svc");
  }
  {
    const test::EnvironmentVariable config("XDG_CONFIG_HOME", "/c");
    const test::EnvironmentVariable state("XDG_STATE_HOME", "relative");
    CHECK(config_directory() == "/c/svc");
    CHECK(state_directory() == "/home/u/.local/state/svc");
    const test::EnvironmentVariable no_home("HOME", std::nullopt);
    CHECK(config_directory() == "/c/svc");
    CHECK(state_directory().empty());
    const test::EnvironmentVariable empty_home("HOME", "");
    CHECK(state_directory().empty());
  }
}

}  // namespace
}  // namespace svc
