#include "history/ledger.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <time.h>

#include "unit/base/temporary_folder.h"
#include "unit/history/at_once.h"

using namespace svc;
using namespace svc::history;
using svc::test::TemporaryFolder;

namespace {

constexpr std::int64_t k_noon = 1'767'268'800;  // 2026-01-01T12:00:00Z
constexpr std::int64_t k_day = 86'400;

Entry entry(std::string model, std::int64_t ticks, std::int64_t time = k_noon) {
  return Entry{.time = time,
               .profile = "default",
               .command = "chat create",
               .model = std::move(model),
               .input_tokens = 10,
               .output_tokens = 2,
               .ticks = ticks};
}

Ledger open_at(const std::string& path, Ledger::Clock clock = {}) {
  auto ledger = Ledger::open(path, std::move(clock));
  if (!ledger) MESSAGE(ledger.error().message);
  REQUIRE(ledger.has_value());
  return *std::move(ledger);
}

/// Local time is UTC for as long as this lives.
struct InUtc {
  InUtc() {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
  InUtc(const InUtc&) = delete;
  InUtc& operator=(const InUtc&) = delete;
  ~InUtc() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

}  // namespace

TEST_CASE("sums are exact, by day, model, command and profile") {
  const InUtc zone;
  Ledger ledger = open_at(":memory:");
  // Beyond what a double holds exactly.
  CHECK(*ledger.book(entry("a", 9'007'199'254'740'993), Booking::New) == 9'007'199'254'740'993);
  CHECK(*ledger.book(entry("a", 1), Booking::New) == 1);
  CHECK(*ledger.book(entry("b", 5, k_noon + k_day), Booking::New) == 5);
  Entry unpriced = entry("voice", 0);
  unpriced.ticks.reset();
  unpriced.command = "realtime talk";
  CHECK(*ledger.book(unpriced, Booking::New) == 0);
  const auto days = ledger.usage({});
  REQUIRE(days.has_value());
  REQUIRE(days->size() == 2);
  CHECK(days->front().name == "2026-01-01");
  CHECK(days->front().ticks == 9'007'199'254'740'994);
  CHECK(days->front().answers == 3);
  CHECK(days->front().input_tokens == 30);
  CHECK(days->front().unpriced == 1);
  CHECK(days->back().name == "2026-01-02");
  const auto models = ledger.usage({.by = UsageBy::Model});
  REQUIRE(models->size() == 3);
  CHECK(models->front().name == "a");
  CHECK(models->back().name == "voice");
  CHECK(ledger.usage({.by = UsageBy::Command})->size() == 2);
  CHECK(ledger.usage({.by = UsageBy::Profile})->size() == 1);
  const auto second = ledger.usage({.since = k_noon + 1, .until = k_noon + k_day + 1});
  REQUIRE(second->size() == 1);
  CHECK(second->front().ticks == 5);
  CHECK(ledger.usage({.until = k_noon + k_day})->size() == 1);
}

TEST_CASE("what is fetched twice is booked once, what grows by what it grew") {
  Ledger ledger = open_at(":memory:");
  Entry job = entry("video", 100);
  job.key = "job-1";
  CHECK(*ledger.book(job, Booking::Fetched) == 100);
  CHECK(*ledger.book(job, Booking::Fetched) == 0);
  job.ticks = 130;
  CHECK(*ledger.book(job, Booking::Fetched) == 30);
  job.ticks = 90;
  CHECK(*ledger.book(job, Booking::Fetched) == 0);
  // An answer that was made for this request is new, whatever its id.
  CHECK(*ledger.book(job, Booking::New) == 90);
  // The same id of another profile is another's.
  job.profile = "work";
  CHECK(*ledger.book(job, Booking::Fetched) == 90);
  const auto rows = ledger.usage({.by = UsageBy::Profile});
  CHECK(rows->front().ticks == 220);
  CHECK(rows->front().input_tokens == 20);
  CHECK(rows->back().ticks == 90);
}

TEST_CASE("the emulator's prices are no money") {
  Ledger ledger = open_at(":memory:");
  Entry made_up = entry("a", 1000);
  made_up.profile = "emulator";
  made_up.emulated = true;
  CHECK(ledger.book(made_up, Booking::New).has_value());
  CHECK(ledger.usage({})->empty());
  CHECK(ledger.usage({.emulated = true})->front().ticks == 1000);
}

TEST_CASE("a day begins at midnight, local time") {
  ::setenv("TZ", "UTC-10", 1);  // ten hours ahead
  ::tzset();
  std::int64_t now = k_noon + 3 * 3600;  // 01:00 of the next day there
  Ledger ledger = open_at(":memory:", [&now] { return now; });
  CHECK(ledger.book(entry("a", 7, k_noon + 3600), Booking::New).has_value());      // 23:00
  CHECK(ledger.book(entry("a", 2, k_noon + 2 * 3600), Booking::New).has_value());  // 00:00
  CHECK(*ledger.spent_today("default") == 2);
  CHECK(*ledger.spent_today("work") == 0);
  CHECK(ledger.usage({})->size() == 2);
  ::unsetenv("TZ");
  ::tzset();
}

TEST_CASE("what an opening reads through stays short, however much was booked") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  for (int i = 0; i < 200; ++i) {
    Ledger ledger = open_at(path);  // as each call of the program does
    REQUIRE(ledger.book(entry("a", 1), Booking::New).has_value());
  }
  CHECK(std::filesystem::file_size(path + "-wal") < 400'000);
  Ledger ledger = open_at(path, [] { return k_noon; });
  CHECK(ledger.spent_today("default").value() == 200);
}

TEST_CASE("many processes book at once, and none waits long") {
  const TemporaryFolder folder;
  const std::string path = folder.file("svc/ledger.db");
  constexpr int k_processes = 40;
  test::at_once(k_processes, [&](int) {
    auto ledger = Ledger::open(path);
    bool good = ledger.has_value();
    for (int n = 0; good && n < 5; ++n)
      good = ledger->book(entry("a", 1), Booking::New).has_value();
    return good;
  });
  Ledger ledger = open_at(path);
  CHECK(ledger.usage({.by = UsageBy::Profile})->front().ticks == 5 * k_processes);
  CHECK(test::mode_of(path) == 0600);
}
