// Buffered bytes, in memory and on disk.
#include "base/file_backed_buffer.h"

#include <cstdlib>

#include <doctest/doctest.h>

#include "base/files.h"
#include "child_process.h"

using namespace svc;

TEST_CASE("spooled data can be read at any position, in memory and on disk") {
  for (const std::size_t size : {10U, 2'000'000U}) {
    CAPTURE(size);
    FileBackedBuffer spool;
    std::string whole;
    for (std::size_t i = 0; whole.size() < size; ++i) {
      const std::string piece = std::to_string(i) + ",";
      REQUIRE(spool.append(piece));
      whole += piece;
    }
    CHECK(spool.size() == whole.size());
    CHECK(*spool.read(3, 5) == whole.substr(3, 5));
    CHECK(*spool.read(whole.size() - 2, 100) == whole.substr(whole.size() - 2));
    CHECK(spool.read(whole.size(), 1)->empty());
    const auto path = spool.path();
    REQUIRE(path);
    CHECK(*read_file(*path) == whole);
    REQUIRE(spool.append("more"));
    CHECK(*spool.read(whole.size(), 10) == "more");
  }
}

TEST_CASE("where what is large is spooled to, and what helps if that fails") {
  const auto spooled = [](const char* directory) {
    return test::in_child([&] {
      ::setenv("TMPDIR", directory, 1);
      FileBackedBuffer spool;
      // As much stays in memory.
      if (!spool.append(std::string(256U << 10U, 'x'))) return 1;
      const auto more = spool.append("y");
      if (more) return *spool.read(256U << 10U, 9) == "y" ? 0 : 2;
      return more.error().message.starts_with("cannot write a temporary file: ") &&
                     more.error().hint == "Set TMPDIR to a directory with more space."
                 ? 3
                 : 4;
    });
  };
  CHECK(spooled("/no/such/directory") == 0);  // in /tmp
  CHECK(spooled("/proc") == 3);
}
