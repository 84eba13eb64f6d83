#include "commands/mcp/read_roots.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/files.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST_CASE("a held file stays what it was when it was opened") {
  std::string directory = (fs::temp_directory_path() / "svc-held-XXXXXX").string();
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  const fs::path root = directory;
  write_text(root / "in" / "a.txt", "safe");
  write_text(root / "out" / "a.txt", "secret");
  write_text(root / "other" / "a.txt", "other");
  const auto opened = [&](const char* name) {
    const fs::path path = root / name / "a.txt";
    return ReadableFile{FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path};
  };
  std::string place;
  {
    HeldFiles held;
    const auto first = held.add(opened("in"));
    const auto second = held.add(opened("other"));
    REQUIRE(first);
    REQUIRE(second);
    CHECK(fs::path(*first).filename() == "a.txt");
    CHECK(*first != *second);
    fs::rename(root / "in", root / "kept");
    fs::create_symlink("out", root / "in");
    CHECK(read_file(*first, 100).value() == "safe");
    CHECK(read_file(*second, 100).value() == "other");
    CHECK(held.with_real_paths("x " + *first + " y " + *second) ==
          "x " + (root / "in/a.txt").string() + " y " + (root / "other/a.txt").string());
    place = fs::path(*first).parent_path().parent_path();
  }
  CHECK_FALSE(fs::exists(place));
  fs::remove_all(root);
}

}  // namespace
}  // namespace svc::cli
