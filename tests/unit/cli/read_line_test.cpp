#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "base/files.h"
#include "support/environment_variable.h"
#include "terminal/stdin_buffer.h"
#include "unit/base/temporary_directory.h"

using namespace svc;
using namespace svc::cli;

namespace {

/// The reading end of a pipe that contains `text` and whose other end is closed.
FileDescriptor pipe_of(std::string_view text) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  return FileDescriptor(ends[0]);
}

class Stopped final : public CancelToken {
 public:
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    return Fault::Terminated;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
};

}  // namespace

TEST_CASE("reading a line leaves the input after it") {
  const FileDescriptor input = pipe_of("yes\nrest");
  const auto first = read_line(input.get(), NeverCanceled());
  REQUIRE(first);
  CHECK(first->text == "yes");
  CHECK(first->end == LineEnd::Newline);
  const auto last = read_line(input.get(), NeverCanceled());
  REQUIRE(last);
  CHECK(last->text == "rest");
  CHECK(last->end == LineEnd::Input);
}

TEST_CASE("a line has a maximum length") {
  const FileDescriptor input = pipe_of("0123456789");
  const auto line = read_line(input.get(), NeverCanceled(), 4);
  REQUIRE(line);
  CHECK(line->end == LineEnd::TooLong);
  const FileDescriptor four = pipe_of("0123\n01234\n");
  const auto whole = read_line(four.get(), NeverCanceled(), 4);
  REQUIRE(whole);
  CHECK(whole->text == "0123");
  CHECK(whole->end == LineEnd::Newline);
  CHECK(read_line(four.get(), NeverCanceled(), 4)->end == LineEnd::TooLong);
  CHECK(read_line(four.get(), NeverCanceled(), 4)->text.empty());
  const auto closed = read_line(1000, NeverCanceled());
  REQUIRE(closed);
  CHECK(closed->end == LineEnd::Input);
  const auto asked = read_line(input.get(), Stopped());
  REQUIRE_FALSE(asked);
  CHECK(asked.error().fault == Fault::Terminated);
  CHECK(asked.error().message == "terminated");
}

TEST_CASE("what cannot be read is told") {
  const FileDescriptor directory(::open("/", O_RDONLY | O_CLOEXEC));
  const auto line = read_line(directory.get(), NeverCanceled());
  REQUIRE_FALSE(line);
  CHECK(line.error().message == "cannot read the input: Is a directory");
  const auto buffer = StdinBuffer::read(directory.get(), 9, NeverCanceled(), {});
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().message == "cannot read standard input: Is a directory");
}

TEST_CASE("input that does not end in time is told with what can be done") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const FileDescriptor input(ends[0]);
  const FileDescriptor other(ends[1]);
  const auto read =
      StdinBuffer::read(input.get(), 9, NeverCanceled(), {.limit = std::chrono::milliseconds(1)});
  REQUIRE_FALSE(read);
  CHECK(read.error().fault == Fault::Timeout);
  CHECK(read.error().message == "standard input did not end within 1 ms");
  CHECK(read.error().hint == "--no-stdin ignores it; --timeout sets how long svc waits.");
}

TEST_CASE("input is kept in a private file as long as it is needed") {
  const auto kept = [](const std::string& text, std::uint64_t most) {
    const FileDescriptor input = pipe_of(text);
    auto buffer = StdinBuffer::read(input.get(), most, NeverCanceled(), {});
    if (!buffer) return buffer.error().message;
    const std::string path = buffer->source().path;
    CHECK(buffer->source().size == text.size());
    const StdinBuffer moved = *std::move(buffer);
    struct stat facts {};
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777U) == 0600);
    CHECK(moved.source().path == path);
    return *read_file(path) + "|" + path.substr(0, path.rfind('/'));
  };
  const test::TemporaryDirectory directory;
  const test::EnvironmentVariable place("TMPDIR", std::nullopt);
  CHECK(kept("0123456789", 10) == "0123456789|/tmp");
  place.set("");
  CHECK(kept("", 0) == "|/tmp");
  const std::string long_text(20'000, 'x');
  CHECK(kept(long_text, long_text.size()) == long_text + "|/tmp");
  CHECK(kept("0123456789", 9) == "standard input is larger than 9 B");
  place.set(directory.path());
  CHECK(kept("a", 9) == "a|" + directory.path().string());
  CHECK(std::filesystem::is_empty(directory.path()));
  place.set("/nowhere");
  CHECK(kept("a", 9).find("/nowhere/svc-stdin-") != std::string::npos);
}
