#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "child_process.h"
#include "denied_calls.h"
#include "support/mentions.h"
#include "temporary_directory.h"

namespace svc {

using test::mentions;
namespace {

using test::get;
using test::in_child;
using test::mode_of;
using test::put;
using test::TemporaryDirectory;

TEST_CASE("a file appears only when complete") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out");
  auto file = AtomicFile::create(path, Replace::No);
  REQUIRE(file);
  CHECK(file->path() == path);
  CHECK(file->write("first "));
  CHECK(file->write(""));
  CHECK(file->write("second"));
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(directory.names().size() == 1);
  CHECK(directory.names()[0].starts_with(".out."));
  CHECK(directory.names()[0].ends_with(".part"));
  CHECK(file->commit());
  CHECK(get(path) == "first second");
  CHECK(directory.names().size() == 1);
  CHECK_FALSE(file->write("late"));
  CHECK_FALSE(file->commit());
  CHECK(get(path) == "first second");
}

TEST_CASE("temporary files of dead writers are removed, those of live ones are not") {
  const TemporaryDirectory directory;
  put(directory.file(".out.0a1b2c3d.part"), "of a process that was killed");
  put(directory.file(".out.txt.0a1b2c3d.part"), "of another target");
  auto first = AtomicFile::create(directory.file("out"), Replace::Yes);
  REQUIRE(first);
  CHECK_FALSE(std::filesystem::exists(directory.file(".out.0a1b2c3d.part")));
  auto second = AtomicFile::create(directory.file("out"), Replace::Yes);
  REQUIRE(second);
  CHECK(directory.names().size() == 3);
  CHECK(first->write("first"));
  CHECK(first->commit());
  CHECK(second->write("second"));
  CHECK(second->commit());
  CHECK(get(directory.file("out")) == "second");
  CHECK(std::filesystem::exists(directory.file(".out.txt.0a1b2c3d.part")));
}

TEST_CASE("without a commit nothing is left") {
  const TemporaryDirectory directory;
  {
    auto file = AtomicFile::create(directory.file("out"), Replace::No);
    REQUIRE(file);
    CHECK(file->write("half"));
    auto other = AtomicFile::create(directory.file("other"), Replace::No);
    REQUIRE(other);
    AtomicFile moved = std::move(*file);
    CHECK(directory.names().size() == 2);
    moved = std::move(*other);
    CHECK(directory.names().size() == 1);
    CHECK(moved.path() == directory.file("other"));
  }
  CHECK(directory.names().empty());
}

TEST_CASE("an existing file is kept or replaced") {  // faults 71
  const TemporaryDirectory directory;
  const std::string path = directory.file("out");
  put(path, "old");
  const auto refused = AtomicFile::create(path, Replace::No);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Local);
  CHECK(mentions(refused.error(), "already exists"));
  CHECK(mentions(refused.error(), "--force"));
  CHECK(get(path) == "old");
  CHECK(write_file(path, "new", Replace::Yes));
  CHECK(get(path) == "new");
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a file created meanwhile is kept") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out");
  auto file = AtomicFile::create(path, Replace::No);
  REQUIRE(file);
  CHECK(file->write("mine"));
  put(path, "theirs");
  const auto lost = file->commit();
  REQUIRE_FALSE(lost);
  CHECK(lost.error().fault == Fault::Local);
  CHECK(mentions(lost.error(), "already exists"));
  CHECK(get(path) == "theirs");
  CHECK(directory.names().size() == 1);
}

TEST_CASE("of many writers to one new name exactly one succeeds") {  // faults 74
  const TemporaryDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory.file("out" + std::to_string(round));
    std::atomic<int> won = 0;
    {
      std::vector<std::jthread> writers;  // owner: this block
      for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&, i] {
          if (write_file(path, std::string(10'000, static_cast<char>('a' + i)), Replace::No)) ++won;
        });
      }
    }
    CHECK(won == 1);
    const std::string bytes = get(path);
    CHECK(bytes == std::string(10'000, bytes.at(0)));
  }
  CHECK(directory.names().size() == 20);
}

TEST_CASE("the mode is kept, and a replaced file never gets wider permissions") {
  const TemporaryDirectory directory;
  const mode_t old = ::umask(022);
  CHECK(write_file(directory.file("public"), "x", Replace::No));
  CHECK(mode_of(directory.file("public")) == 0644);
  CHECK(write_file(directory.file("secret"), "x", Replace::No, 0600));
  CHECK(mode_of(directory.file("secret")) == 0600);
  CHECK(write_file(directory.file("secret"), "y", Replace::Yes));
  CHECK(mode_of(directory.file("secret")) == 0600);
  CHECK(write_file(directory.file("public"), "y", Replace::Yes, 0600));
  CHECK(mode_of(directory.file("public")) == 0600);
  put(directory.file("shared"), "x", 0664);
  CHECK(write_file(directory.file("shared"), "y", Replace::Yes));
  CHECK(mode_of(directory.file("shared")) == 0664);
  {
    auto file = AtomicFile::create(directory.file("private"), Replace::No, 0600);
    REQUIRE(file);
    for (const auto& name : directory.names()) {
      if (name.ends_with(".part")) CHECK(mode_of(directory.file(name)) == 0600);
    }
  }
  ::umask(old);
}

TEST_CASE("paths where no file can be created") {  // faults 70
  const TemporaryDirectory directory;
  put(directory.file("file"), "x");
  const auto create = [&](const std::string& path) {
    const auto file = AtomicFile::create(path, Replace::Yes);
    REQUIRE_FALSE(file);
    CHECK(file.error().fault == Fault::Local);
    return file.error();
  };
  CHECK(mentions(create(directory.file("no/x")), "does not exist"));
  CHECK(mentions(create(directory.file("no/x")), "mkdir -p"));
  CHECK(mentions(create(directory.file("file/x")), "is not a directory"));
  CHECK(mentions(create(directory.path().string()), "is a directory"));
  CHECK(mentions(create(directory.path().string() + "/"), "is a directory"));
  CHECK(mentions(create(directory.file("new/")), "is a directory"));
  CHECK(mentions(create(""), "empty"));
  CHECK(mentions(create(std::string("a\0b", 3)), "NUL"));
  CHECK(mentions(create(directory.file(std::string(300, 'x'))), "too long"));
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a temporary file has its target's name, unless that is long") {
  for (const std::size_t length : {1U, 200U, 201U}) {
    const TemporaryDirectory directory;
    const std::string name(length, 'x');
    auto file = AtomicFile::create(directory.file(name), Replace::No);
    REQUIRE(file);
    REQUIRE(directory.names().size() == 1);
    const std::string part = directory.names()[0];
    const std::string begin = length > 200 ? "." : "." + name + ".";
    CHECK(part.starts_with(begin));
    CHECK(part.size() == begin.size() + 8 + 5);  // digits, and ".part"
    CHECK(part.substr(begin.size(), 8).find_first_not_of("0123456789abcdef") == std::string::npos);
  }
}

TEST_CASE("the longest name that a directory accepts") {
  const TemporaryDirectory directory;
  const std::string path = directory.file(std::string(255, 'x'));
  CHECK(write_file(path, "x", Replace::No));
  CHECK(get(path) == "x");
}

TEST_CASE("a directory without write permission") {
  const TemporaryDirectory directory;
  ::chmod(directory.path().c_str(), 0555);
  CHECK(in_child([&] {
          test::become_nobody();
          const auto file = AtomicFile::create(directory.file("x"), Replace::No);
          const bool right = !file && file.error().fault == Fault::Local &&
                             mentions(file.error(), "Permission denied") &&
                             mentions(file.error(), directory.path().string());
          return right ? 0 : 1;
        }) == 0);
}

TEST_CASE("links are followed only when replacing") {  // faults 72
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "sub");
  put(directory.file("sub/real"), "old", 0640);
  std::filesystem::create_symlink("sub/real", directory.file("link"));
  std::filesystem::create_symlink("link", directory.file("chain"));
  std::filesystem::create_symlink("sub/new", directory.file("dangling"));
  std::filesystem::create_symlink("/dev/null", directory.file("null"));
  std::filesystem::create_symlink("loop", directory.file("loop"));
  for (const char* name : {"link", "dangling", "null", "loop"}) {
    CHECK_FALSE(write_file(directory.file(name), "x", Replace::No));
  }
  CHECK(get(directory.file("sub/real")) == "old");
  CHECK(write_file(directory.file("chain"), "new", Replace::Yes));
  CHECK(get(directory.file("sub/real")) == "new");
  CHECK(mode_of(directory.file("sub/real")) == 0640);
  CHECK(std::filesystem::is_symlink(directory.file("link")));
  CHECK(write_file(directory.file("dangling"), "made", Replace::Yes));
  CHECK(get(directory.file("sub/new")) == "made");
  CHECK(write_file(directory.file("null"), "gone", Replace::Yes));
  CHECK_FALSE(write_file(directory.file("loop"), "x", Replace::Yes));
}

TEST_CASE("a path planted by another user is never written through") {  // faults 72
  const TemporaryDirectory directory;
  put(directory.file("target"), "mine");
  std::filesystem::create_symlink(directory.file("target"), directory.file("link"));
  REQUIRE(::mkfifo(directory.file("pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(directory.file("subdirectory"));
  for (const char* name : {"link", "pipe", "subdirectory"}) {
    const auto file = AtomicFile::create(directory.file(name), Replace::Yes, 0666, Links::Refuse);
    REQUIRE_FALSE(file);
    CHECK(file.error().fault == Fault::Local);
  }
  CHECK(get(directory.file("target")) == "mine");
  auto replaced = AtomicFile::create(directory.file("target"), Replace::Yes, 0666, Links::Refuse);
  REQUIRE(replaced);
  CHECK(replaced->write("new"));
  CHECK(replaced->commit());
  CHECK(get(directory.file("target")) == "new");
}

TEST_CASE("a written file can be undone, and claimed") {
  const TemporaryDirectory directory;
  {
    auto first = AtomicFile::create(directory.file("a"), Replace::No);
    REQUIRE(first);
    CHECK(first->write("wrong"));
    CHECK(first->rewind());
    CHECK(first->write("01234"));
    CHECK(*first->save_partial() == directory.file("a.partial"));
  }
  auto second = AtomicFile::create(directory.file("a"), Replace::No);
  auto third = AtomicFile::create(directory.file("a"), Replace::No);
  REQUIRE(second);
  REQUIRE(third);
  CHECK(*second->adopt(directory.file("a.partial")) == 5);
  CHECK_FALSE(third->adopt(directory.file("a.partial")));  // only one gets it
  CHECK(second->write("56789"));
  CHECK(second->commit());
  CHECK(get(directory.file("a")) == "0123456789");
  CHECK(third->adopt(directory.file("none")).error().message ==
        "cannot resume from " + quote_path(directory.file("none")) + ": No such file or directory");
  CHECK(third->adopt("/dev/null").error().message ==
        "'/dev/null' is not a partial download of svc");
  put(directory.file("twice"), "x");
  std::filesystem::create_hard_link(directory.file("twice"), directory.file("thrice"));
  CHECK_FALSE(third->adopt(directory.file("twice")));
  std::filesystem::create_symlink(directory.file("a"), directory.file("link.partial"));
  CHECK_FALSE(third->adopt(directory.file("link.partial")));
  CHECK_FALSE(third->adopt(directory.path().string()));
  auto device = AtomicFile::create("/dev/null", Replace::No);
  REQUIRE(device);
  CHECK(device->is_direct());
  CHECK_FALSE(device->rewind());
  CHECK(device->adopt(directory.file("a")).error().message ==
        "'/dev/null' cannot resume an earlier download");
}

TEST_CASE("what was written of a file is saved under a free name, if there is any") {
  const TemporaryDirectory directory;
  const auto save = [&](const char* text) {
    auto file = AtomicFile::create(directory.file("a"), Replace::No);
    REQUIRE(file);
    if (*text != '\0') REQUIRE(file->write(text));
    return *file->save_partial();
  };
  CHECK(save("").empty());
  CHECK(directory.names().empty());
  CHECK(save("one") == directory.file("a.partial"));
  CHECK(save("two") == directory.file("a.partial1"));
  CHECK(save("three") == directory.file("a.partial2"));
  CHECK(get(directory.file("a.partial1")) == "two");
  CHECK(directory.names().size() == 3);
  auto committed = AtomicFile::create(directory.file("b"), Replace::No);
  REQUIRE(committed);
  CHECK(committed->write("x"));
  CHECK(committed->commit());
  CHECK(committed->save_partial()->empty());
  CHECK(get(directory.file("b")) == "x");
}

TEST_CASE("bytes in the middle of a file are overwritten") {
  const TemporaryDirectory directory;
  auto file = AtomicFile::create(directory.file("a"), Replace::No);
  REQUIRE(file);
  CHECK(file->write("0123456789"));
  CHECK(file->overwrite(3, "xy"));
  CHECK(file->write("!"));
  CHECK(file->commit());
  CHECK(get(directory.file("a")) == "012xy56789!");
  put(directory.file("b.partial"), "old");
  auto adopted = AtomicFile::create(directory.file("b"), Replace::No);
  REQUIRE(adopted);
  CHECK(*adopted->adopt(directory.file("b.partial")) == 3);
  CHECK(adopted->overwrite(0, "x").error().message ==
        quote_path(directory.file("b")) + " could not undo the write");
  auto device = AtomicFile::create("/dev/null", Replace::No);
  REQUIRE(device);
  CHECK(device->overwrite(0, "x").error().message == "'/dev/null' could not undo the write");
}

TEST_CASE("a file system that cannot rename without replacing, link, lock or flush") {
  if (!test::can_deny()) return;
  using test::deny;
  // 0: written; otherwise the error.
  const auto written = [](std::initializer_list<test::DeniedCall> calls, bool taken,
                          std::string& left) {
    const TemporaryDirectory directory;
    const std::string path = directory.file("a");
    const int code = in_child([&] {
      auto file = AtomicFile::create(path, Replace::No);
      if (!file || !file->write("new")) return 1;
      if (taken) put(path, "theirs");
      deny(calls);
      const auto done = file->commit();
      if (done) return 0;
      return mentions(done.error(), "already exists") ? 2
             : mentions(done.error(), strerror(EIO))  ? 3
                                                      : 4;
    });
    left.clear();
    for (const std::string& name : directory.names()) {
      left += name + "=" + get(directory.file(name)) + ";";
    }
    return code;
  };
  std::string left;
  // It is linked instead; or the name is claimed, and renamed over.
  const auto no_rename = [](int error) { return test::DeniedCall{SYS_renameat2, error}; };
  for (const int error : {ENOSYS, EINVAL}) {
    CHECK(written({no_rename(error)}, false, left) == 0);
    CHECK(left == "a=new;");
    CHECK(written({no_rename(error)}, true, left) == 2);
    CHECK(left == "a=theirs;");
  }
  CHECK(written({no_rename(EIO)}, false, left) == 3);
  CHECK(left.empty());
#ifdef SYS_link
  for (const int error : {EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK}) {
    CAPTURE(error);
    CHECK(written({no_rename(ENOSYS), {SYS_link, error}}, false, left) == 0);
    CHECK(left == "a=new;");
    CHECK(written({no_rename(ENOSYS), {SYS_link, error}}, true, left) == 2);
    CHECK(left == "a=theirs;");
  }
  CHECK(written({no_rename(ENOSYS), {SYS_link, EIO}}, false, left) == 3);
  CHECK(left.empty());
  CHECK(written({no_rename(ENOSYS), {SYS_link, EPERM}, {SYS_rename, EIO}}, false, left) == 3);
  CHECK(left.empty());
#endif
  for (const int error : {EINVAL, ENOSYS, EROFS}) {
    CHECK(written({{SYS_fsync, error}}, false, left) == 0);
    CHECK(left == "a=new;");
  }
  CHECK(written({{SYS_fsync, EIO}}, false, left) == 3);
  CHECK(left.empty());
}

TEST_CASE("without locks a file is written, and what cannot be flushed is told") {
  if (!test::can_deny()) return;
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  CHECK(in_child([&] {
          test::deny({{SYS_flock, ENOLCK}});
          return write_file(path, "x", Replace::Yes) ? 0 : 1;
        }) == 0);
  CHECK(get(path) == "x");
  // Its directory.
  CHECK(in_child([&] {
          auto file = AtomicFile::create(path, Replace::Yes);
          if (!file || !file->write("y") || !file->rename_into_place()) return 1;
          test::deny({{SYS_fsync, EIO}});
          const auto done = file->flush_rename();
          return !done && done.error().message ==
                              quote_path(path) +
                                  " is written, but its directory could not be flushed to disk: " +
                                  strerror(EIO)
                     ? 0
                     : 2;
        }) == 0);
  CHECK(get(path) == "y");
  // What is not on the disk is no partial file.
  CHECK(in_child([&] {
          auto file = AtomicFile::create(path, Replace::Yes);
          if (!file || !file->write("z")) return 1;
          test::deny({{SYS_fsync, EIO}});
          const auto saved = file->save_partial();
          return saved && saved->empty() ? 0 : 2;
        }) == 0);
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a relative path") {
  const TemporaryDirectory directory;
  CHECK(in_child([&] {
          if (::chdir(directory.path().c_str()) != 0) return 1;
          return write_file("plain", "x", Replace::No) ? 0 : 2;
        }) == 0);
  CHECK(get(directory.file("plain")) == "x");
}

TEST_CASE("pipes and devices are written directly") {
  const TemporaryDirectory directory;
  CHECK(write_file("/dev/null", "x", Replace::No));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  const std::string path = directory.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string bytes(300'000, 'x');
  std::string got;
  {
    const std::jthread reader([&] { got = get(path); });  // owner: this block
    CHECK(write_file(path, bytes, Replace::No));
  }
  CHECK(got == bytes);
  CHECK(std::filesystem::is_fifo(path));
}

TEST_CASE("inherited descriptors are written at their current position") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redirected");
  put(path, "before ");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(fd >= 0);
  CHECK(write_file("/dev/fd/" + std::to_string(fd), "after", Replace::No));
  CHECK(get(path) == "before after");
  ::close(fd);
  CHECK_FALSE(write_file("/dev/fd/" + std::to_string(fd), "x", Replace::No));
  CHECK(in_child([&] {
          const int out = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
          if (::dup2(out, STDOUT_FILENO) < 0) return 1;
          return write_file("/dev/stdout", "!", Replace::No) ? 0 : 2;
        }) == 0);
  CHECK(get(path) == "before after!");
}

TEST_CASE("writing waits for a non-blocking pipe") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  const std::string bytes(500'000, 'y');
  std::size_t count = 0;
  {
    const std::jthread reader([&] {  // owner: this block
      char buffer[4096];
      while (count < bytes.size()) {
        const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
        if (got > 0) count += static_cast<std::size_t>(got);
        if (got < 0) std::this_thread::yield();
      }
    });
    CHECK(write_file("/dev/fd/" + std::to_string(ends[1]), bytes, Replace::No));
  }
  CHECK(count == bytes.size());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a reader that disconnects") {  // faults 67
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[0]);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  const auto written = write_file("/dev/fd/" + std::to_string(ends[1]), "x", Replace::No);
  std::signal(SIGPIPE, old);
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::ReaderGone);
  ::close(ends[1]);
}

TEST_CASE("a full disk") {  // faults 66
  const auto written = write_file("/dev/full", "x", Replace::Yes);
  REQUIRE_FALSE(written);
  CHECK(written.error().fault == Fault::Local);
  CHECK(mentions(written.error(), "'/dev/full'"));
  CHECK(mentions(written.error(), "No space left"));
  CHECK(mentions(written.error(), "Free some space"));
}

TEST_CASE("a file size limit") {  // faults 69
  const TemporaryDirectory directory;
  const std::string path = directory.file("out");
  put(path, "old");
  CHECK(in_child([&] {
          test::limit_file_size(5000);
          const auto written = write_file(path, std::string(10'000, 'x'), Replace::Yes);
          return !written && written.error().fault == Fault::Local &&
                         mentions(written.error(), "ulimit -f")
                     ? 0
                     : 1;
        }) == 0);
  CHECK(get(path) == "old");
  CHECK(directory.names().size() == 1);
}

TEST_CASE("a file takes the first free name") {
  const TemporaryDirectory directory;
  put(directory.file("x-1"), "taken");
  put(directory.file("x-2"), "taken");
  for (const char* text : {"three", "four"}) {
    auto file = AtomicFile::create(directory.file("nameless"), Replace::No);
    REQUIRE(file);
    REQUIRE(file->write(text));
    const auto path = file->commit_first_free(
        [&](std::size_t number) { return directory.file("x-" + std::to_string(number)); });
    REQUIRE(path);
    CHECK(get(*path) == text);
  }
  CHECK(get(directory.file("x-1")) == "taken");
  CHECK(get(directory.file("x-4")) == "four");
  CHECK(directory.names().size() == 4);
}

TEST_CASE("a file without a free name is not kept") {
  const TemporaryDirectory directory;
  put(directory.file("taken"), "theirs");
  const auto refused = [&](const std::string& path) {
    auto file = AtomicFile::create(directory.file("nameless"), Replace::No);
    REQUIRE(file);
    REQUIRE(file->write("mine"));
    const auto done = file->commit_first_free([&](std::size_t) { return path; });
    REQUIRE_FALSE(done);
    CHECK(done.error().fault == Fault::Local);
    CHECK(directory.names() == std::vector<std::string>{"taken"});
    return done.error().message;
  };
  const std::string taken = directory.file("taken");
  CHECK(refused(taken) == quote_path(taken) + " already exists");
  const std::string nowhere = directory.file("none/x");
  CHECK(refused(nowhere) == "cannot write " + quote_path(nowhere) + ": No such file or directory");
  CHECK(get(taken) == "theirs");
}

TEST_CASE("of what was not finished, a hundred parts are kept") {
  const TemporaryDirectory directory;
  put(directory.file("a.partial"), "x");
  for (int i = 1; i < 99; ++i) put(directory.file("a.partial" + std::to_string(i)), "x");
  for (const bool last : {true, false}) {
    auto file = AtomicFile::create(directory.file("a"), Replace::No);
    REQUIRE(file);
    REQUIRE(file->write("new"));
    const auto saved = file->save_partial();
    if (last) {
      CHECK(saved.value() == directory.file("a.partial99"));
    } else {
      REQUIRE_FALSE(saved);
      CHECK(saved.error().message == quote_path(directory.file("a.partial")) + " already exists");
    }
  }
  CHECK(directory.names().size() == 100);
}

TEST_CASE("a directory that disappeared") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "sub");
  auto file = AtomicFile::create(directory.file("sub/x"), Replace::Yes);
  REQUIRE(file);
  std::filesystem::remove_all(directory.path() / "sub");
  const auto lost = file->commit();
  REQUIRE_FALSE(lost);
  CHECK(lost.error().fault == Fault::Local);
  CHECK(mentions(lost.error(), directory.file("sub/x")));
}

}  // namespace
}  // namespace svc
