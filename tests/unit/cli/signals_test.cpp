// How the program ends when nothing else can be told: by an exception that nobody caught.
#include "terminal/signals.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/files.h"
#include "unit/base/child_process.h"
#include "unit/base/temporary_directory.h"

namespace svc::cli {
namespace {

struct End {
  int code = 0;
  std::string said{};
};

/// What a process writes to standard error, and its exit code.
template <typename Action>
End end_of(Action action) {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "said").string();
  End end;
  end.code = test::in_child([&] {
    if (std::freopen(path.c_str(), "w", stderr) == nullptr) return 99;
    std::setvbuf(stderr, nullptr, _IONBF, 0);  // as it is before it is opened again
    action();
    std::fflush(stderr);
    return 7;
  });
  const auto said = read_file(path);
  REQUIRE(said);
  end.said = *said;
  return end;
}

template <typename Exception>
End reported(const Exception& exception) {
  return end_of([&] {
    try {
      throw exception;
    } catch (...) {
      report_unexpected_end();
    }
  });
}

}  // namespace

TEST_CASE("an unexpected exception is told in one line") {
  CHECK(reported(std::runtime_error("no \x1b[2J room")).said ==
        "svc: error: this is a bug: no ^[[2J room\n");
  CHECK(reported(std::bad_alloc()).said == "svc: error: out of memory\n");
  const End other = reported(3);
  CHECK(other.said == "svc: error: this is a bug: an unknown exception\n");
  CHECK(other.code == 7);
}

TEST_CASE("where no exception can be caught, the program ends with its line and code 1") {
  const End plain = end_of([] {
    install_terminate_handler();
    std::terminate();
  });
  CHECK(plain.said == "svc: error: this is a bug: terminate() was called\n");
  CHECK(plain.code == 1);
  const End thread = end_of([] {
    install_terminate_handler();
    std::thread([] { throw std::runtime_error("of a thread"); }).join();
  });
  CHECK(thread.said == "svc: error: this is a bug: of a thread\n");
  CHECK(thread.code == 1);
}

}  // namespace svc::cli
