// The journal of a chunked upload.
#include <chrono>
#include <csignal>
#include <ctime>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "client/resumable_upload.h"
#include "support/environment_variable.h"
#include "temp_directory.h"

using namespace svc;
using namespace svc::test;

namespace {

struct State {
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  TempDirectory directory{};
  EnvironmentVariable place{"XDG_STATE_HOME", directory.path()};
};

}  // namespace

TEST_CASE("an upload is remembered by its content until it is finished") {
  const State state;
  {
    auto journal = UploadJournal::open("one");
    REQUIRE(journal);
    CHECK(journal->is_persistent());
    CHECK(!journal->state().has_value());
    const auto directory = state.directory.path() / "svc" / "uploads";
    CHECK(mode_of(directory) == 0700);
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      CHECK(mode_of(entry.path()) == 0600);
    }
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
  CHECK_FALSE(journal->is_persistent());
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

TEST_CASE("a state that could not be written is an error") {
  const State state;
  auto journal = UploadJournal::open("one");
  REQUIRE(journal);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit nothing{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &nothing);
  const auto saved = journal->save({"file_1", 7, false});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE(!saved.has_value());
  CHECK(saved.error().fault == Fault::Local);
  REQUIRE(journal->save({"file_1", 7, false}));
}

TEST_CASE("the age of a state is the time since the file changed, and never negative") {
  const State state;
  auto journal = UploadJournal::open("one");
  REQUIRE(journal);
  REQUIRE(journal->save({"file_1", 7, false}));
  const auto since_change = [&](std::time_t seconds, long nanoseconds) {
    const timespec times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    for (const auto& entry :
         std::filesystem::directory_iterator(state.directory.path() / "svc" / "uploads")) {
      REQUIRE(::utimensat(AT_FDCWD, entry.path().c_str(), times, 0) == 0);
    }
    return journal->age();
  };
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
  };
  const std::chrono::milliseconds begin = now();
  const std::time_t then = begin.count() / 1000 - 10;
  for (const int ms : {0, 1, 500, 999}) {
    const auto age = since_change(then, ms * 1'000'000L);
    const std::chrono::milliseconds changed{then * 1000 + ms};
    const std::chrono::milliseconds rounded{1};
    CHECK(age >= begin - changed - rounded);
    CHECK(age <= now() - changed + rounded);
  }
  CHECK(since_change(then + 1000, 0) == std::chrono::milliseconds(0));
}

TEST_CASE("without a directory nothing is remembered, and nothing fails") {
  const EnvironmentVariable place("XDG_STATE_HOME", "/dev/null/none");
  auto journal = UploadJournal::open("one");
  REQUIRE(journal);
  CHECK(!journal->is_persistent());
  CHECK(journal->save({"file_1", 1, false}));
  CHECK(journal->state().has_value());
}
