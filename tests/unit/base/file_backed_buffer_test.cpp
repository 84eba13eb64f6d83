// Buffered bytes, in memory and on disk.
#include "base/file_backed_buffer.h"

#include <doctest/doctest.h>

#include "base/files.h"

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
