// Where a file is written, and what prevents it.
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "base/write_target.h"
#include "temporary_directory.h"

namespace svc {
namespace {

TEST_CASE("a target's directory and name") {
  const auto in_root = find_write_target("/svc-no-such-file", Replace::No);
  REQUIRE(in_root);
  CHECK(in_root->directory == "/");
  CHECK(in_root->name == "svc-no-such-file");
  const auto here = find_write_target("svc-no-such-file", Replace::No);
  REQUIRE(here);
  CHECK(here->directory == ".");
  CHECK(here->name == "svc-no-such-file");
  CHECK(here->path == "svc-no-such-file");
  CHECK_FALSE(here->direct);
  CHECK_FALSE(here->existing);
  const auto below = find_write_target("a/b/c", Replace::No);
  REQUIRE(below);
  CHECK(below->directory == "a/b");
  CHECK(below->name == "c");
}

TEST_CASE("a link leads to its target, relative to its own directory") {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("sub"));
  test::put(directory.file("sub/real"), "x");
  std::filesystem::create_symlink("sub/link", directory.file("link"));
  std::filesystem::create_symlink("real", directory.file("sub/link"));
  const auto target = find_write_target(directory.file("link"), Replace::Yes);
  REQUIRE(target);
  CHECK(target->path == directory.file("sub/real"));
  CHECK(target->directory == directory.file("sub"));
  CHECK(target->name == "real");
  REQUIRE(target->existing);
  CHECK(target->existing->st_size == 1);
  const auto taken = find_write_target(directory.file("link"), Replace::No);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().message == quote_path(directory.file("link")) + " already exists");
  CHECK(taken.error().hint == "Use --force to overwrite it, or choose another name.");
}

TEST_CASE("descriptors by each of their names, streams and devices are written directly") {
  for (const char* path :
       {"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2", "/dev/null"}) {
    CAPTURE(path);
    const auto target = find_write_target(path, Replace::No);
    REQUIRE(target);
    CHECK(target->direct);
    CHECK(check_write_target(path, Replace::No));
  }
  // No descriptors.
  for (const char* path : {"/dev/fd/99999999999", "/dev/fd/x", "/proc/self/fd/"}) {
    CAPTURE(path);
    const auto target = find_write_target(path, Replace::No);
    CHECK_FALSE((target && target->direct));
  }
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("redirected");
  test::put(path, "before ");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  CHECK(write_file("/proc/self/fd/" + std::to_string(fd), "after", Replace::No));
  CHECK(test::get(path) == "before after");
  const auto opened = open_direct("/dev/fd/" + std::to_string(fd));
  REQUIRE(opened);
  CHECK(*opened > 2);
  CHECK(*opened != fd);
  CHECK((::fcntl(*opened, F_GETFD) & FD_CLOEXEC) != 0);
  ::close(*opened);
  ::close(fd);
  const auto closed = open_direct("/dev/fd/" + std::to_string(fd));
  REQUIRE_FALSE(closed);
  CHECK(closed.error().message ==
        "cannot write '/dev/fd/" + std::to_string(fd) + "': Bad file descriptor");
}

TEST_CASE("a socket is no place to write to, and links are followed only where they may be") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  for (const Replace replace : {Replace::No, Replace::Yes}) {
    const auto target = find_write_target(path, replace);
    REQUIRE_FALSE(target);
    CHECK(target.error().message == quote_path(path) + " is neither a regular file nor a pipe");
    CHECK(target.error().hint == "Choose another path.");
  }
  test::put(directory.file("real"), "x");
  std::filesystem::create_symlink("real", directory.file("link"));
  const auto refused = find_write_target(directory.file("link"), Replace::Yes, Links::Refuse);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        quote_path(directory.file("link")) + " exists and is not a regular file");
  CHECK(refused.error().hint == "Remove it, or choose the file's name with --output.");
  CHECK(find_write_target(directory.file("real"), Replace::Yes, Links::Refuse));
  CHECK(find_write_target(directory.file("new"), Replace::No, Links::Refuse));
}

TEST_CASE("what prevents a write is told before anything is written") {
  const test::TemporaryDirectory directory;
  test::put(directory.file("file"), "x");
  const auto error_of = [](const std::string& path, Replace replace = Replace::No) {
    const auto checked = check_write_target(path, replace);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().fault == Fault::Local);
    return checked.error();
  };
  CHECK(check_write_target(directory.file("new"), Replace::No));
  CHECK(check_write_target(directory.file("file"), Replace::Yes));
  CHECK(error_of(directory.file("file")).message ==
        quote_path(directory.file("file")) + " already exists");
  const Error missing = error_of(directory.file("no/new"));
  CHECK(missing.message == "cannot write " + quote_path(directory.file("no/new")) + ": directory " +
                               quote_path(directory.file("no")) + " does not exist");
  CHECK(missing.hint == "Create it: mkdir -p " + directory.file("no"));
  const Error file = error_of(directory.file("file/new"));
  CHECK(file.message == "cannot write " + quote_path(directory.file("file/new")) + ": " +
                            quote_path(directory.file("file")) + " is not a directory");
  CHECK(file.hint == "Choose a path in a directory.");
  for (const std::string& folder : {directory.path().string(), directory.file("none/")}) {
    const Error none = error_of(folder, Replace::Yes);
    CHECK(none.message == quote_path(folder) + " is a directory, not a file");
    CHECK(none.hint == "Add a file name.");
  }
  CHECK(error_of("").message == "the name of the file to write is empty");
  CHECK(error_of(directory.file(std::string(300, 'x')))
            .message.ends_with(": " + std::generic_category().message(ENAMETOOLONG)));
  CHECK(directory.names().size() == 1);
}

TEST_CASE("an error of a write says what helps") {
  const auto hint = [](int number) { return write_error("x", number).hint; };
  CHECK(hint(EFBIG) == "Raise the limit on file sizes (ulimit -f).");
  CHECK(hint(EIO) == "The disk reports an error: use another one.");
  CHECK(hint(ENOSPC) == "Free some space there, or choose another directory.");
  CHECK(hint(EINVAL).empty());
  CHECK(write_error("x", EIO).message ==
        "cannot write 'x': " + std::generic_category().message(EIO));
  CHECK(write_error("x", EIO).fault == Fault::Local);
  CHECK(write_error("x", EPIPE).fault == Fault::ReaderGone);
  CHECK(write_error("x", EINTR).fault == Fault::Interrupted);
  CHECK(write_error("x", EINTR).message == "interrupted while waiting for a reader of 'x'");
  for (const int number : {EACCES, EPERM, EROFS}) {
    CHECK(create_error("a/x", "a", number).hint == "Choose a writable directory, not 'a'.");
  }
  CHECK(create_error("a/x", "a", EACCES).message == "cannot write 'a/x': Permission denied");
  CHECK(create_error("a/x", "a", EIO).hint == hint(EIO));
}

}  // namespace
}  // namespace svc
