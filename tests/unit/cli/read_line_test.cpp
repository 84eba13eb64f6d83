#include <array>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "terminal/stdin_buffer.h"

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
  const auto closed = read_line(1000, NeverCanceled());
  REQUIRE(closed);
  CHECK(closed->end == LineEnd::Input);
  const auto asked = read_line(input.get(), Stopped());
  REQUIRE_FALSE(asked);
  CHECK(asked.error().fault == Fault::Terminated);
  CHECK(asked.error().message == "terminated");
}
