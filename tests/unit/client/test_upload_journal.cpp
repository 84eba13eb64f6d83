// The journal of a chunked upload.
#include <doctest/doctest.h>
#include <stdlib.h>

#include "client/resumable_upload.h"
#include "temp_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

struct State {
  State() { ::setenv("XDG_STATE_HOME", directory.path().c_str(), 1); }
  ~State() { ::unsetenv("XDG_STATE_HOME"); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  TempDirectory directory{};
};

}  // namespace

TEST_CASE("an upload is remembered by its content until it is finished") {
  const State state;
  {
    auto journal = UploadJournal::open("one");
    REQUIRE(journal);
    CHECK(journal->is_persistent());
    CHECK(!journal->state().has_value());
    REQUIRE(journal->save({"file_with_a_long_name", 5'000'000, true}));
    REQUIRE(journal->save({"f", 7, false}));
    const auto second = UploadJournal::open("one");
    REQUIRE(!second.has_value());
    CHECK(second.error().fault == Fault::Local);
    REQUIRE(UploadJournal::open("two"));
  }
  auto journal = UploadJournal::open("one");
  REQUIRE(journal);
  REQUIRE(journal->state().has_value());
  CHECK(journal->state()->file_id == "f");
  CHECK(journal->state()->sent == 7);
  CHECK(!journal->state()->sending);
  journal->remove();
  auto after = UploadJournal::open("one");
  REQUIRE(after);
  CHECK(!after->state().has_value());
}

TEST_CASE("a damaged or foreign record is ignored") {
  const State state;
  {
    auto journal = UploadJournal::open("one");
    REQUIRE(journal);
    REQUIRE(journal->save({"file_1", 7, false}));
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(state.directory.path() / "svc" / "uploads")) {
    for (const char* text : {R"({"upload":"two","file_id":"x","sent":1,"sending":false})",
                             R"({"upload":"one","file_id":"x","sent":-1,"sending":false})",
                             R"({"upload":1})", R"({"upload":"one","file_id":)", "", "[]"}) {
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << text;
      const auto journal = UploadJournal::open("one");
      REQUIRE(journal);
      CHECK_MESSAGE(!journal->state().has_value(), text);
    }
  }
}

TEST_CASE("without a directory nothing is remembered, and nothing fails") {
  ::setenv("XDG_STATE_HOME", "/dev/null/none", 1);
  auto journal = UploadJournal::open("one");
  REQUIRE(journal);
  CHECK(!journal->is_persistent());
  CHECK(journal->save({"file_1", 1, false}));
  CHECK(journal->state().has_value());
  ::unsetenv("XDG_STATE_HOME");
}
