#include "docgen/regen.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>
#include <stdlib.h>

#include "docgen/golden.h"
#include "docgen/topics.h"
#include "small_catalogue.h"

namespace svc::docgen {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

/// A source directory with a README, removed at the end of the test.
class Source {
 public:
  Source() {
    std::string pattern = (fs::temp_directory_path() / "svc-regen-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
    put("README.md", "# svc\n");
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((m_path / name).parent_path());
    std::ofstream(m_path / name) << text;
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ifstream file(m_path / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] const fs::path& path() const { return m_path; }

 private:
  fs::path m_path{};
};

Paths all_paths() {
  Paths paths = {"man/svc.1", "man/svc-things.1", "man/svc-lookup.1", "man/svc-config.5"};
  for (const Topic& topic : topics()) {
    if (!topic.in_group_page) paths.push_back("man/svc-" + std::string(topic.name) + ".7");
  }
  return paths;
}

Paths stale(const Source& source, const MoreFiles& more = {}) {
  const auto found = stale_files(source.path(), test::k_small_catalogue, "1.0", more);
  REQUIRE(found);
  return *found;
}

Paths regenerated(const Source& source, const MoreFiles& more = {}) {
  const auto written = regenerate(source.path(), test::k_small_catalogue, "1.0", more);
  REQUIRE(written);
  return *written;
}

}  // namespace

TEST_CASE("everything is written once, and nothing the second time") {
  const Source source;
  CHECK(stale(source) == all_paths());
  CHECK(regenerated(source) == all_paths());
  CHECK(stale(source).empty());
  CHECK(regenerated(source).empty());
  CHECK(source.get("man/svc.1").starts_with(".\\\" Generated from the catalogue by svc-regen"));
  CHECK(source.get("README.md") == "# svc\n");
}

TEST_CASE("edited files are found and corrected; other files are unchanged") {
  const Source source;
  (void)regenerated(source);
  source.put("man/svc.1", "edited");
  source.put("man/notes.txt", "mine");
  source.put("man/svc-gone.1", "left over");
  const Paths expected = {"man/svc.1", "man/svc-gone.1"};
  CHECK(stale(source) == expected);
  CHECK(regenerated(source) == expected);
  CHECK_FALSE(fs::exists(source.path() / "man/svc-gone.1"));
  CHECK(source.get("man/notes.txt") == "mine");
  CHECK(stale(source).empty());
}

TEST_CASE("additional files are compared and written too") {
  const Source source;
  (void)regenerated(source);
  const MoreFiles more = [] {
    return Result<std::vector<GeneratedFile>>(
        std::vector<GeneratedFile>{{"tests/golden/a.json", "{}\n"}});
  };
  CHECK(stale(source, more) == Paths{"tests/golden/a.json"});
  CHECK(regenerated(source, more) == Paths{"tests/golden/a.json"});
  CHECK(source.get("tests/golden/a.json") == "{}\n");
  CHECK(stale(source, more).empty());
  const MoreFiles failing = [] {
    return Result<std::vector<GeneratedFile>>(Error{Fault::Unexpected, "no golden"});
  };
  const auto failed = stale_files(source.path(), test::k_small_catalogue, "1.0", failing);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "no golden");
}

TEST_CASE("a directory without README.md is not a source directory") {
  const Source source;
  fs::remove(source.path() / "README.md");
  CHECK_FALSE(stale_files(source.path(), test::k_small_catalogue, "1.0"));
  CHECK_FALSE(fs::exists(source.path() / "man"));
}

TEST_CASE("pages of each section that are not generated any more are removed, in order") {
  const Source source;
  (void)regenerated(source);
  for (const char* name : {"b.7", "a.1", "d.3", "c.5", "e.2", "f.txt", "g"}) {
    source.put(std::string("man/") + name, "old");
  }
  const Paths expected = {"man/a.1", "man/b.7", "man/c.5", "man/d.3"};
  CHECK(stale(source) == expected);
  CHECK(regenerated(source) == expected);
  for (const char* name : {"e.2", "f.txt", "g"}) CHECK(fs::exists(source.path() / "man" / name));
}

TEST_CASE("what cannot be read or written is named") {
  const Source source;
  const auto error = [&] {
    const auto written = regenerate(source.path(), test::k_small_catalogue, "1.0", {});
    REQUIRE_FALSE(written);
    return written.error().message;
  };
  source.put("man", "a file");
  CHECK(error().starts_with("cannot change " + (source.path() / "man/svc.1").string() + ": "));
  fs::remove(source.path() / "man");
  // The library's page needs the library's headers and examples.
  fs::create_directories(source.path() / "lib/svc");
  CHECK(error().find("tests/consumer/examples/chat.cpp") != std::string::npos);
  fs::remove_all(source.path() / "lib");
  fs::remove(source.path() / "README.md");
  CHECK(error() == source.path().string() + " is not the source directory: README.md is missing");
}

// As `svc-regen --check` does, but where tests/mutants sees it.
TEST_CASE("the committed pages and requests are those of the catalogue") {
  const auto found = stale_files(SVC_SOURCE_DIR, groups(), SVC_VERSION, golden_requests);
  REQUIRE(found);
  CHECK(*found == Paths{});
}

}  // namespace svc::docgen
