#include "history/ledger_intake.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/database.h"
#include "history/ledger.h"
#include "unit/base/temporary_folder.h"
#include "unit/history/at_once.h"

using namespace svc;
using namespace svc::history;
using svc::test::TemporaryFolder;

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_time = 1'767'268'800;

Entry one(std::int64_t ticks, std::string key = "") {
  return Entry{.time = k_time,
               .profile = "default",
               .command = "chat create",
               .model = "m\xff",  // whatever a service says
               .input_tokens = 10,
               .output_tokens = 2,
               .ticks = ticks,
               .key = std::move(key)};
}

/// What all entries cost, and how many there are.
std::pair<std::int64_t, std::int64_t> sum(const std::string& path) {
  auto ledger = Ledger::open(path);
  REQUIRE(ledger);
  const auto rows = ledger->usage({.by = UsageBy::Profile});
  REQUIRE(rows);
  if (rows->empty()) return {0, 0};
  return {rows->front().ticks, rows->front().answers};
}

}  // namespace

TEST_CASE("what was noted is in the ledger for whoever opens it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("svc/ledger.db");
  CHECK_FALSE(Ledger::exists(path));
  CHECK(*Ledger::note(path, one(9'007'199'254'740'993)) == 9'007'199'254'740'993);
  Entry unpriced = one(0);
  unpriced.ticks.reset();
  CHECK(*Ledger::note(path, unpriced) == 0);
  CHECK(Ledger::exists(path));
  CHECK_FALSE(fs::exists(path));
  CHECK(test::mode_of(path + ".new") == 0600);
  auto ledger = Ledger::open(path);
  REQUIRE(ledger);
  CHECK_FALSE(fs::exists(path + ".new"));
  const auto rows = ledger->usage({.by = UsageBy::Command});
  REQUIRE(rows->size() == 1);
  CHECK(rows->front().name == "chat create");
  CHECK(rows->front().ticks == 9'007'199'254'740'993);
  CHECK(rows->front().unpriced == 1);
  CHECK(rows->front().input_tokens == 20);
  // One that is open already sees what others note meanwhile.
  CHECK(Ledger::note(path, one(5, "job")));
  CHECK(*ledger->book(one(5, "job"), Booking::Fetched) == 0);
  CHECK(Ledger::note(path, one(1)));
  CHECK(ledger->usage({.by = UsageBy::Command})->front().answers == 4);
}

TEST_CASE("the day's limit counts what was noted") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  auto ledger = Ledger::open(path, [] { return k_time; });
  REQUIRE(ledger);
  CHECK(*ledger->spent_today("default") == 0);
  CHECK(Ledger::note(path, one(7)));
  CHECK(*ledger->spent_today("default") == 7);
}

TEST_CASE("a process that was killed before it removed what it had taken in") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  CHECK(Ledger::note(path, one(1)));
  CHECK(Ledger::note(path, one(2)));
  fs::copy_file(path + ".new", path + ".kept");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{3, 2});
  fs::rename(path + ".kept", path + ".new");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{3, 2});
  // And what came behind it counts.
  CHECK(Ledger::note(path, one(4)));
  fs::copy_file(path + ".new", path + ".kept");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{7, 3});
  fs::rename(path + ".kept", path + ".new");
  CHECK(Ledger::note(path, one(8)));
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{15, 4});
}

TEST_CASE("a line that a power cut cut off takes no other with it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  CHECK(Ledger::note(path, one(1)));
  CHECK(Ledger::note(path, one(2)));
  fs::resize_file(path + ".new", fs::file_size(path + ".new") - 20);
  CHECK(Ledger::note(path, one(4)));
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{5, 2});
  std::ofstream(path + ".new") << "nonsense\n[1]\n{\"command\":7}\n";
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{5, 2});
}

TEST_CASE("a full disk leaves what was there, and says so") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  CHECK(Ledger::note(path, one(1)));
  const auto size = fs::file_size(path + ".new");
  test::at_once(1, [&](int) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{size + 10, size + 10};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const auto noted = Ledger::note(path, one(2));
    return !noted && noted.error().fault == Fault::Local;
  });
  CHECK(fs::file_size(path + ".new") == size);
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{1, 1});
}

TEST_CASE("what waits stays short") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  for (int i = 0; i < 600; ++i) REQUIRE(Ledger::note(path, one(1)));
  CHECK(fs::exists(path));
  CHECK((!fs::exists(path + ".new") || fs::file_size(path + ".new") < 70'000));
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{600, 600});
}

TEST_CASE("a ledger that another process holds keeps nobody from noting") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  Entry larger = one(4);
  larger.request_id = std::string(300'000, 'x');
  REQUIRE(Ledger::open(path)->book(larger, Booking::New));  // its log is to be taken in
  REQUIRE(fs::file_size(path + "-wal") > 300'000);
  Entry large = one(1);
  large.request_id = std::string(70'000, 'x');
  auto holder = Database::open(path, "the ledger");
  REQUIRE(holder);
  REQUIRE(holder->run("BEGIN IMMEDIATE"));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(Ledger::note(path, large));
  CHECK(Ledger::note(path, one(2)));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  CHECK(fs::exists(path + ".new"));
  REQUIRE(holder->run("ROLLBACK"));
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{7, 3});
}

TEST_CASE("a file that a power cut brings back") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  CHECK(Ledger::note(path, one(1)));
  fs::copy_file(path + ".new", path + ".kept");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{1, 1});
  CHECK(Ledger::note(path, one(2)));
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{3, 2});
  fs::rename(path + ".kept", path + ".new");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{3, 2});
  // Not even its name is whole: it begins anew, with one.
  std::ofstream(path + ".new") << "{\"ledger\":\"";
  CHECK(Ledger::note(path, one(4)));
  fs::copy_file(path + ".new", path + ".kept");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{7, 3});
  fs::rename(path + ".kept", path + ".new");
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{7, 3});
}

TEST_CASE("what root notes in somebody's folder is that user's") {
  if (::geteuid() != 0) return;
  const TemporaryFolder folder;
  const std::string path = folder.file("svc/ledger.db");
  fs::create_directory(folder.file("svc"));
  REQUIRE(::chown(folder.file("svc").c_str(), 12'345, 12'346) == 0);
  CHECK(Ledger::note(path, one(1)));
  struct stat status {};
  REQUIRE(::stat((path + ".new").c_str(), &status) == 0);
  CHECK(status.st_uid == 12'345);
  CHECK(status.st_gid == 12'346);
  CHECK(sum(path).first == 1);
  for (const char* end : {"", "-wal", "-shm"}) {
    if (::stat((path + end).c_str(), &status) == 0) CHECK(status.st_uid == 12'345);
  }
}

TEST_CASE("without a place there is no ledger") {
  CHECK_FALSE(Ledger::exists(""));
}

TEST_CASE("many processes note and look at once") {
  const TemporaryFolder folder;
  const std::string path = folder.file("ledger.db");
  test::at_once(20, [&](int i) {
    bool good = true;
    for (int n = 0; good && n < 10; ++n) good = Ledger::note(path, one(1)).has_value();
    return good && (i % 4 != 0 || Ledger::open(path).has_value());
  });
  CHECK(sum(path) == std::pair<std::int64_t, std::int64_t>{200, 200});
}
