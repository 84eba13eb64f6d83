#include "history/cost_ledger.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/environment_variable.h"
#include "unit/base/temporary_directory.h"
#include "unit/history/run_in_processes.h"

using namespace svc;
using namespace svc::history;
using svc::test::TemporaryDirectory;

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

/// The file for k_noon's month.
std::string january(const std::string& path) {
  return path + "-2026-01.jsonl";
}

/// Total cost and number of all entries.
std::pair<std::int64_t, std::int64_t> sum(const std::string& path) {
  std::pair<std::int64_t, std::int64_t> all;
  const auto rows = CostLedger(path).usage({.by = UsageBy::Profile});
  REQUIRE(rows.has_value());
  for (const UsageRow& row : *rows) {
    all.first += row.ticks;
    all.second += row.answers;
  }
  return all;
}

using Sum = std::pair<std::int64_t, std::int64_t>;

Result<std::int64_t> record(const std::string& path, Entry entry,
                            RecordKind booking = RecordKind::New) {
  return CostLedger(path).record(std::move(entry), booking);
}

}  // namespace

TEST_CASE("totals are exact, by day, model, command and profile") {
  const test::EnvironmentVariable zone("TZ", "UTC");
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"));
  // Beyond the exact range of a double.
  CHECK(*ledger.record(entry("a", 9'007'199'254'740'993), RecordKind::New) ==
        9'007'199'254'740'993);
  CHECK(*ledger.record(entry("a", 1), RecordKind::New) == 1);
  CHECK(*ledger.record(entry("b", 5, k_noon + k_day), RecordKind::New) == 5);
  Entry unpriced = entry("voice", 0);
  unpriced.ticks.reset();
  unpriced.command = "realtime talk";
  CHECK(*ledger.record(unpriced, RecordKind::New) == 0);
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

TEST_CASE("a repeated fetch is recorded once, and a growing cost by its growth") {
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"));
  Entry job = entry("video", 100);
  job.key = "job-1";
  CHECK(*ledger.record(job, RecordKind::Fetched) == 100);
  CHECK(*ledger.record(job, RecordKind::Fetched) == 0);
  job.ticks = 130;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 30);
  job.ticks = 90;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 0);
  // A response to this request is new, whatever its ID.
  CHECK(*ledger.record(job, RecordKind::New) == 90);
  // The same ID in another profile is a different entry.
  job.profile = "work";
  CHECK(*ledger.record(job, RecordKind::Fetched) == 90);
  const auto rows = ledger.usage({.by = UsageBy::Profile});
  CHECK(rows->front().ticks == 220);
  CHECK(rows->front().input_tokens == 20);
  CHECK(rows->back().ticks == 90);
}

TEST_CASE("the emulator's costs are not money") {
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"));
  Entry made_up = entry("a", 1000);
  made_up.profile = "emulator";
  made_up.emulated = true;
  CHECK(ledger.record(made_up, RecordKind::New).has_value());
  CHECK(ledger.usage({})->empty());
  CHECK(ledger.usage({.emulated = true})->front().ticks == 1000);
}

TEST_CASE("a day starts at midnight, local time") {
  const test::EnvironmentVariable zone("TZ", "UTC-10");  // ten hours ahead
  std::int64_t now = k_noon + 3 * 3600;                  // 01:00 of the next day there
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"), [&now] { return now; });
  CHECK(ledger.record(entry("a", 7, k_noon + 3600), RecordKind::New).has_value());      // 23:00
  CHECK(ledger.record(entry("a", 2, k_noon + 2 * 3600), RecordKind::New).has_value());  // 00:00
  CHECK(*ledger.spent_today("default") == 2);
  CHECK(*ledger.spent_today("work") == 0);
  CHECK(ledger.usage({})->size() == 2);
}

TEST_CASE("the day's cost is read incrementally") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/ledger");
  std::int64_t now = k_noon + 30 * k_day;  // the last one of the month
  CostLedger ledger(path, [&now] { return now; });
  CHECK(*ledger.spent_today("default") == 0);
  CHECK(record(path, entry("a", 7, now)));
  CHECK(record(path, entry("a", 100, now - k_day)));
  CHECK(*ledger.spent_today("default") == 7);
  CHECK(record(path, entry("a", 2, now)));
  CHECK(*ledger.spent_today("default") == 9);
  now += k_day;
  CHECK(*ledger.spent_today("default") == 0);
  CHECK(record(path, entry("a", 1, now)));
  CHECK(*ledger.spent_today("default") == 1);
  CHECK(std::filesystem::exists(path + "-2026-02.jsonl"));
}

TEST_CASE("one line of JSON per response, in private files") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/ledger");
  CHECK(sum(path) == Sum{0, 0});
  CHECK_FALSE(std::filesystem::exists(directory.file("svc")));
  Entry odd = entry("m\xff", 9'007'199'254'740'993);  // whatever the service sends
  odd.key = "a\"b";
  CHECK(*record(path, odd) == 9'007'199'254'740'993);
  CHECK(*record(path, odd, RecordKind::Fetched) == 0);
  CHECK(test::mode_of(january(path)) == 0600);
  CHECK(test::get(january(path)) ==
        "{\"time\":1767268800,\"profile\":\"default\",\"emulated\":false,\"command\":"
        "\"chat create\",\"model\":\"m\xEF\xBF\xBD\",\"input_tokens\":10,\"output_tokens\":2,"
        "\"cached_tokens\":0,\"reasoning_tokens\":0,\"ticks\":9007199254740993,"
        "\"request_id\":\"\",\"key\":\"a\\\"b\"}\n");
}

TEST_CASE("a line truncated by a power failure does not damage others") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  CHECK(record(path, entry("a", 1)));
  CHECK(record(path, entry("a", 2)));
  std::filesystem::resize_file(january(path), std::filesystem::file_size(january(path)) - 20);
  CHECK(sum(path) == Sum{1, 1});
  CHECK(record(path, entry("a", 4)));
  CHECK(sum(path) == Sum{5, 2});
  std::ofstream(january(path), std::ios::app) << "nonsense\n[1]\n{\"command\":7}\n{\"time\":\n";
  CHECK(sum(path) == Sum{5, 2});
  CHECK(*CostLedger(path, [] { return k_noon; }).spent_today("default") == 5);
}

TEST_CASE("a full disk keeps existing entries, and is reported") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  CHECK(record(path, entry("a", 1)));
  const auto size = std::filesystem::file_size(january(path));
  test::run_in_processes(1, [&](int) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{size + 10, size + 10};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const auto added = record(path, entry("a", 2));
    return !added && added.error().fault == Fault::Local;
  });
  CHECK(std::filesystem::file_size(january(path)) == size);
  CHECK(sum(path) == Sum{1, 1});
}

TEST_CASE("entries that root writes in a user's directory belong to that user") {
  if (::geteuid() != 0) return;
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/ledger");
  std::filesystem::create_directory(directory.file("svc"));
  REQUIRE(::chown(directory.file("svc").c_str(), 12'345, 12'346) == 0);
  CHECK(record(path, entry("a", 1)));
  struct stat status {};
  REQUIRE(::stat(january(path).c_str(), &status) == 0);
  CHECK(status.st_uid == 12'345);
  CHECK(status.st_gid == 12'346);
}

TEST_CASE("many processes record at once, and each sees jobs fetched by others") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/ledger");
  constexpr int k_processes = 40;
  Entry job = entry("video", 100);
  job.key = "job";
  test::run_in_processes(k_processes, [&](int) {
    CostLedger ledger(path);
    bool good = ledger.record(job, RecordKind::Fetched).has_value();
    for (int n = 0; good && n < 5; ++n) {
      good = ledger.record(entry("a", 1), RecordKind::New).has_value();
    }
    return good;
  });
  CHECK(sum(path) == Sum{5 * k_processes + 100, 5 * k_processes + 1});
}

TEST_CASE("damaged costs count nothing, and neither lower nor overflow the sum") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  CHECK(record(path, entry("a", 7)));
  std::string line;
  std::getline(std::ifstream(january(path)), line);
  const std::size_t at = line.find("\"ticks\":7,");
  REQUIRE(at != std::string::npos);
  std::ofstream file(january(path), std::ios::app);
  for (const char* const ticks :
       {"-50", "9223372036854775807", "9223372036854775807", "18446744073709551615", "1e3"}) {
    file << std::string(line).replace(at + 8, 1, ticks) << '\n';
  }
  file.close();
  CHECK(sum(path) == Sum{7, 6});
  CHECK(*CostLedger(path, [] { return k_noon; }).spent_today("default") == 7);
  // A million dollars is the most.
  std::ofstream more(january(path), std::ios::app);
  more << std::string(line).replace(at + 8, 1, "10000000000000001") << '\n';
  more << std::string(line).replace(at + 8, 1, "10000000000000000") << '\n';
  more.close();
  CHECK(sum(path) == Sum{10'000'000'000'000'007, 8});
}

TEST_CASE("a ledger of any length is read whole, and what is new of it once") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  CostLedger reader(path, [] { return k_noon; });
  std::vector<Entry> many(1'000, entry("a", 1));
  for (std::size_t i = 0; i < many.size(); ++i) many[i].model += std::string(i % 97, 'x');
  CostLedger writer(path, [] { return k_noon; });
  CHECK(*writer.record_all(many) == 1'000);
  CHECK(std::filesystem::file_size(january(path)) > 3 * 65'536);
  CHECK(*reader.spent_today("default") == 1'000);
  CHECK(*reader.spent_today("default") == 1'000);
  CHECK(sum(path) == Sum{1'000, 1'000});
  CHECK(*writer.record_all(many) == 1'000);
  CHECK(*reader.spent_today("default") == 2'000);
  // A line is of its time, wherever it says so.
  std::ofstream(january(path), std::ios::app)
      << "{\"profile\":\"default\",\"command\":\"chat create\",\"ticks\":5,\"time\":1767182400}\n"
      << "{\"profile\":\"default\",\"command\":\"chat create\",\"ticks\":7,\"time\":1767268800}\n";
  CHECK(*reader.spent_today("default") == 2'007);
  CHECK(sum(path) == Sum{2'012, 2'002});
}

TEST_CASE("any number of reservations is read, and the one of a request that runs stays") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("costs");
  Reservations one(path, "p");
  one.update(0, true);
  std::string id;
  std::string day;
  std::ifstream(path + "-reserved") >> id >> day;
  {
    std::ofstream file(path + "-reserved", std::ios::app);
    for (int i = 0; i < 5'000; ++i) file << "1-2-" << i << ' ' << day << " 1 0 p\n";
    file << "1-2-a " << day << " 10000000000000001 0 p\n1-2-b " << day << " 0 0 p\n";
  }
  CHECK(std::filesystem::file_size(path + "-reserved") > 65'536);
  Reservations two(path, "p");
  CHECK(two.look()->ticks == 5'000);
  REQUIRE(two.give_back(one.id(), 9));  // nothing is reserved for it
  CHECK(two.look()->in_flight);
  REQUIRE(two.give_back("1-2-4999", 1));
  CHECK(two.look()->ticks == 4'999);
  CHECK(test::get(path + "-reserved").find("1-2-4999") == std::string::npos);
  CHECK(two.look()->in_flight);
}

TEST_CASE("damaged reservations count nothing, and neither lower nor overflow the sum") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("costs");
  {
    Reservations earlier(path, "p");
    earlier.lost(7);
    earlier.update(0, false);
  }
  std::string id;
  std::string day;
  std::ifstream(path + "-reserved") >> id >> day;
  std::ofstream file(path + "-reserved", std::ios::app);
  for (const char* const ticks : {"-50", "9223372036854775807", "9223372036854775806", "x"}) {
    file << "1-2-a " << day << ' ' << ticks << " 0 p\n";
  }
  file << "a b\n\n1-2-b " << day << " 5 0 another p\n";
  file.close();
  Reservations one(path, "p");
  const auto others = one.look();
  REQUIRE(others);
  CHECK(others->ticks == 7);
}

TEST_CASE("what a dead process reserved is given back when its request is known, and no more") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("costs");
  std::string dead;
  {
    Reservations earlier(path, "p");
    dead = earlier.id();
    auto others = earlier.look();
    REQUIRE(others);
    REQUIRE(earlier.write(*others, 500, false));
    earlier.lost(500);
  }
  const auto left = [&] {
    Reservations one(path, "p");
    const auto others = one.look();
    REQUIRE(others);
    return others->ticks;
  };
  CHECK(left() == 500);
  Reservations later(path, "p");
  {
    auto others = later.look();
    REQUIRE(others);
    REQUIRE(later.write(*others, 70, true));
  }
  REQUIRE(later.give_back(dead, 200));
  CHECK(left() == 370);
  REQUIRE(later.give_back("unknown", 200));
  CHECK(left() == 370);
  REQUIRE(later.give_back(dead, 9000));
  CHECK(left() == 70);
  REQUIRE(later.give_back(dead, 9000));
  CHECK(left() == 70);
}

TEST_CASE("each number of an entry is summed, and the dearest group is first") {
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"), [] { return k_noon; });
  Entry cheap = entry("a", 1);
  cheap.cached_tokens = 3;
  cheap.reasoning_tokens = 4;
  Entry dear = entry("b", 9);
  dear.profile = "work";
  CHECK(*ledger.record_all({cheap, cheap, dear}) == 11);
  const auto rows = ledger.usage({.by = UsageBy::Model});
  REQUIRE(rows->size() == 2);
  CHECK(rows->front().name == "b");
  CHECK(rows->back().answers == 2);
  CHECK(rows->back().input_tokens == 20);
  CHECK(rows->back().output_tokens == 4);
  CHECK(rows->back().cached_tokens == 6);
  CHECK(rows->back().reasoning_tokens == 8);
  CHECK(rows->back().unpriced == 0);
  const auto work = ledger.usage({.by = UsageBy::Model, .profile = "work"});
  REQUIRE(work->size() == 1);
  CHECK(work->front().name == "b");
  CHECK(*ledger.spent_today("work") == 9);
  CHECK(*ledger.spent_today("default") == 2);
  CHECK(test::get(january(directory.file("ledger"))).find("\"time\":1767268800,") == 1);
}

TEST_CASE("a job whose tokens grow is recorded by what they grew, even without a cost") {
  const TemporaryDirectory directory;
  CostLedger ledger(directory.file("ledger"), [] { return k_noon; });
  Entry job = entry("video", 0, 0);
  job.key = "job-1";
  job.ticks.reset();
  job.cached_tokens = 1;
  job.reasoning_tokens = 1;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 0);
  job.output_tokens = 7;
  job.cached_tokens = 2;
  job.reasoning_tokens = 3;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 0);
  job.input_tokens = 11;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 0);
  // One without a key, or a first one without a cost, is recorded as it is.
  job.key.clear();
  job.ticks = 5;
  CHECK(*ledger.record(job, RecordKind::Fetched) == 5);
  CHECK(*ledger.record(job, RecordKind::Fetched) == 5);
  const auto rows = ledger.usage({.by = UsageBy::Model});
  CHECK(rows->front().answers == 5);
  CHECK(rows->front().input_tokens == 11 + 22);
  CHECK(rows->front().output_tokens == 7 + 14);
  CHECK(rows->front().cached_tokens == 2 + 4);
  CHECK(rows->front().reasoning_tokens == 3 + 6);
  CHECK(rows->front().unpriced == 1);
}

TEST_CASE("only the months of a query are read, and only files of the ledger") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  CostLedger ledger(path);
  CHECK(ledger.record(entry("a", 1), RecordKind::New));
  CHECK(ledger.record(entry("a", 2, k_noon + 40 * k_day), RecordKind::New));
  const std::string line = test::get(january(path));
  test::put(path + "-2026-01.jsonl.bak", line);
  test::put(directory.file("other-2026-01.jsonl"), line);
  CHECK(sum(path) == Sum{3, 2});
  // An entry in the file of another month is not read.
  test::put(path + "-2025-12.jsonl", line);
  CHECK(ledger.usage({.by = UsageBy::Model, .since = k_noon, .until = k_noon + 1})->front().ticks ==
        1);
  CHECK(sum(path) == Sum{4, 3});
}

TEST_CASE("a ledger that is not there has no entries; one that cannot be read is an error") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("costs");
  CostLedger ledger(path, [] { return k_noon; });
  CHECK(ledger.spent_today("default").value() == 0);
  std::filesystem::create_symlink(january(path), january(path));
  const std::string why = "cannot read '" + january(path) + "': Too many levels of symbolic links";
  const auto today = ledger.spent_today("default");
  REQUIRE_FALSE(today);
  CHECK(today.error().message == why);
  const auto rows = ledger.usage({.by = UsageBy::Profile});
  REQUIRE_FALSE(rows);
  CHECK(rows.error().message == why);
}

TEST_CASE("a check that entries can be written leaves nothing behind") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/ledger");
  CostLedger ledger(path, [] { return k_noon; });
  CHECK(ledger.check_writable());
  CHECK(test::get(january(path)).empty());
  CHECK(ledger.record(entry("a", 1), RecordKind::New));
  const std::string before = test::get(january(path));
  CHECK(ledger.check_writable());
  CHECK(test::get(january(path)) == before);
  test::run_in_processes(1, [&](int) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{before.size() + 4000, before.size() + 4000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    CostLedger full(path, [] { return k_noon; });
    return !full.check_writable();
  });
  CHECK(test::get(january(path)) == before);
}

TEST_CASE("others see what is reserved today in their profile, and who is at it") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("svc/costs");
  Reservations one(path, "p");
  Reservations two(path, "p");
  Reservations other(path, "q");
  one.update(300, true);
  {
    const auto seen = two.look();
    CHECK(seen->ticks == 300);
    CHECK(seen->in_flight);
  }
  {
    const auto own = one.look();
    CHECK(own->ticks == 0);
    CHECK_FALSE(own->in_flight);
  }
  CHECK(other.look()->ticks == 0);
  one.update(0, true);
  CHECK(two.look()->in_flight);
  one.lost(20);
  one.update(1, false);
  CHECK(two.look()->ticks == 21);
  CHECK_FALSE(two.look()->in_flight);
  CHECK(one.look()->ticks == 20);
  // A process that is gone is at nothing, and yesterday's reservations do not count.
  std::string id;
  std::int64_t day = 0;
  std::ifstream(path + "-reserved") >> id >> day;
  test::put(path + "-reserved", "99999999-1-x " + std::to_string(day) + " 5 1 p\n" + "1-2-y " +
                                    std::to_string(day - k_day) + " 7 1 p\n");
  {
    const auto seen = two.look();
    CHECK(seen->ticks == 5);
    CHECK_FALSE(seen->in_flight);
  }
  two.update(0, true);
  CHECK(test::get(path + "-reserved").find("1-2-y") == std::string::npos);
  two.update(0, false);
  CHECK(test::get(path + "-reserved") == "99999999-1-x " + std::to_string(day) + " 5 1 p\n");
}

TEST_CASE("what a line does not say counts as nothing") {
  const test::EnvironmentVariable zone("TZ", "UTC");
  const TemporaryDirectory directory;
  const std::string path = directory.file("ledger");
  test::put(january(path),
            "{\"time\":1767268800,\"command\":\"chat create\"}\n"
            "{\"time\":1767268800,\"command\":\"chat create\",\"emulated\":7,"
            "\"model\":7,\"input_tokens\":\"1\",\"output_tokens\":1.5}\n"
            "{\"command\":\"chat create\"}\n");
  const auto rows = CostLedger(path).usage({.by = UsageBy::Model, .since = 1});
  REQUIRE(rows->size() == 1);
  const UsageRow& row = rows->front();
  CHECK(row.name.empty());
  CHECK(row.answers == 2);
  CHECK(row.input_tokens == 0);
  CHECK(row.output_tokens == 0);
  CHECK(row.cached_tokens == 0);
  CHECK(row.reasoning_tokens == 0);
  CHECK(row.ticks == 0);
  CHECK(row.unpriced == 2);
  CHECK(CostLedger(path).usage({.by = UsageBy::Profile})->front().answers == 3);
}
