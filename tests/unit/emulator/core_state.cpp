#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/database.h"
#include "emulator/state/state.h"
#include "unit/emulator/core_support.h"

using namespace svc;
using namespace svc::emulator;
using test::TemporaryDirectory;

namespace {

constexpr std::int64_t k_start_ms = 1'800'000'000'000;
constexpr std::int64_t k_day_ms = 86'400'000;

std::unique_ptr<State> open_state(const std::string& path, StateClock clock = {}) {
  auto state = State::open(path, std::move(clock));
  REQUIRE_MESSAGE(state.has_value(), (state ? "" : state.error().message));
  return std::move(*state);
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

DeferredFetch fetch(State& state, std::string_view team, std::string_view id) {
  auto fetched = state.fetch_deferred(team, id);
  REQUIRE(fetched.has_value());
  return *fetched;
}

}  // namespace

TEST_CASE("a new state contains the demo key, found only by its secret") {
  const auto state = open_state(":memory:");
  const auto key = state->find_key(k_demo_key);
  REQUIRE(key.has_value());
  REQUIRE(key->has_value());
  CHECK((*key)->team_id == k_demo_team_id);
  CHECK((*key)->acls == std::vector<std::string>{"api-key:endpoint:*", "api-key:model:*"});
  CHECK_FALSE((*key)->disabled);
  CHECK_FALSE((*key)->expire_time.has_value());
  CHECK_FALSE(state->find_key("svc-demo-kez")->has_value());
  CHECK_FALSE(state->find_key("")->has_value());
  // A management key opens nothing on the inference API.
  CHECK_FALSE(state->find_key(k_demo_management_key)->has_value());
}

TEST_CASE("a key is read back as it was added") {
  const auto state = open_state(":memory:");
  KeyRecord key;
  key.id = "k1";
  key.name = "night run";
  key.redacted = "svc-...xyz";
  key.team_id = "t1";
  key.user_id = "u1";
  key.modified_by = "u2";
  key.create_time = 5;
  key.modify_time = 6;
  key.expire_time = 7;
  key.disabled = true;
  key.blocked = true;
  key.team_blocked = true;
  key.qps = 1;
  key.tpm = 100'000;
  REQUIRE(state->add_key(key, "svc-secret").has_value());
  const auto found = state->find_key("svc-secret");
  REQUIRE(found->has_value());
  const KeyRecord& back = **found;
  CHECK(back.id == "k1");
  CHECK(back.redacted == "svc-...xyz");
  CHECK(back.team_id == "t1");
  CHECK(back.user_id == "u1");
  CHECK(back.create_time == 5);
  CHECK(back.modify_time == 6);
  CHECK(back.name == "night run");
  CHECK(back.modified_by == "u2");
  CHECK(back.acls.empty());
  CHECK(back.expire_time == 7);
  CHECK(back.disabled);
  CHECK(back.blocked);
  CHECK(back.team_blocked);
  CHECK(back.qps == 1);
  CHECK_FALSE(back.qpm.has_value());
  CHECK(back.tpm == 100'000);
  CHECK_FALSE(state->add_key(key, "svc-secret").has_value());
}

TEST_CASE("a stored response is found by its team until it is deleted or 30 days old") {
  std::int64_t now = k_start_ms;
  const auto state = open_state(":memory:", [&] { return now; });
  const StoredResponse stored{"r1", "t1", now / 1000, R"({"id":"r1","text":"ü\n"})", "[1,2]"};
  REQUIRE(state->store_response(stored).has_value());
  const auto found = state->find_response("t1", "r1");
  REQUIRE(found.has_value());
  REQUIRE(found->has_value());
  CHECK((*found)->body == stored.body);
  CHECK((*found)->input_items == "[1,2]");
  CHECK((*found)->created_at == now / 1000);
  CHECK_FALSE(state->find_response("t2", "r1")->has_value());
  CHECK_FALSE(*state->delete_response("t2", "r1"));

  now = k_start_ms + 30 * k_day_ms - 1000;
  CHECK(state->find_response("t1", "r1")->has_value());
  now = k_start_ms + 30 * k_day_ms;
  CHECK_FALSE(state->find_response("t1", "r1")->has_value());
  CHECK_FALSE(*state->delete_response("t1", "r1"));

  now = k_start_ms;
  CHECK(*state->delete_response("t1", "r1"));
  CHECK_FALSE(*state->delete_response("t1", "r1"));
  CHECK_FALSE(state->find_response("t1", "r1")->has_value());
}

TEST_CASE("a deferred result is pending, then ready once, then unknown") {
  std::int64_t now = k_start_ms;
  const auto state = open_state(":memory:", [&] { return now; });
  REQUIRE(state->add_deferred({"d1", "t1", now + 500, "{}"}).has_value());
  CHECK(fetch(*state, "t1", "d1").status == DeferredFetch::Status::Pending);
  now += 500;
  CHECK(fetch(*state, "t2", "d1").status == DeferredFetch::Status::Unknown);
  const auto ready = fetch(*state, "t1", "d1");
  CHECK(ready.status == DeferredFetch::Status::Ready);
  CHECK(ready.body == "{}");
  CHECK(fetch(*state, "t1", "d1").status == DeferredFetch::Status::Unknown);
}

TEST_CASE("a deferred result is gone after 24 hours") {
  std::int64_t now = k_start_ms;
  const auto state = open_state(":memory:", [&] { return now; });
  REQUIRE(state->add_deferred({"d1", "t1", now, "{}"}).has_value());
  now += k_day_ms;
  CHECK(fetch(*state, "t1", "d1").status == DeferredFetch::Status::Unknown);
}

TEST_CASE("of many threads on two connections exactly one gets each deferred result") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("state.db");
  const auto first = open_state(path);
  const auto second = open_state(path);
  constexpr int k_jobs = 40;
  for (int i = 0; i < k_jobs; ++i) {
    REQUIRE(first->add_deferred({std::to_string(i), "t1", 0, std::to_string(i)}).has_value());
  }
  std::vector<std::atomic<int>> got(k_jobs);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (State* state : {first.get(), second.get(), first.get(), second.get()}) {
    threads.emplace_back([&, state] {
      for (int i = 0; i < k_jobs; ++i) {
        const auto fetched = state->fetch_deferred("t1", std::to_string(i));
        if (!fetched) {
          ++failures;
        } else if (fetched->status == DeferredFetch::Status::Ready) {
          if (fetched->body == std::to_string(i)) ++got[static_cast<std::size_t>(i)];
        } else if (fetched->status == DeferredFetch::Status::Pending) {
          ++failures;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 0);
  for (const auto& count : got) CHECK(count == 1);
}

TEST_CASE("the connections of several processes may open a new file at once") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("state.db");
  std::vector<std::thread> threads;
  std::vector<std::string> failures(8);
  for (auto& failure : failures) {
    threads.emplace_back([&] {
      auto state = State::open(path);
      if (!state) {
        failure = state.error().message;
      } else if (!(*state)->find_key(k_demo_key)->has_value()) {
        failure = "no demo key";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& failure : failures) CHECK(failure == "");
}

TEST_CASE("the state outlives its program and is private, as are the directories created for it") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a/b/state.db");
  REQUIRE(open_state(path)->store_response({"r1", "t1", 4'000'000'000, "{}", "[]"}).has_value());
  CHECK(mode_of(path) == 0600);
  CHECK(mode_of(directory.file("a")) == 0700);
  CHECK(mode_of(directory.file("a/b")) == 0700);
  CHECK(open_state(path)->find_response("t1", "r1")->has_value());
}

TEST_CASE("a file that is not a state of the emulator is rejected and unchanged") {
  const TemporaryDirectory directory;
  SUBCASE("not a database") {
    const std::string path = directory.file("notes.txt");
    const std::string content(5000, 'x');
    std::ofstream(path) << content;
    const auto state = State::open(path);
    REQUIRE_FALSE(state.has_value());
    CHECK(state.error().fault == Fault::Local);
    CHECK(state.error().message ==
          "'" + path + "' is not a state file of this emulator: not a database.");
    CHECK(state.error().hint == "Choose another file with --state, or move this one.");
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == content);
  }
  SUBCASE("another program's database") {
    const std::string path = directory.file("other.db");
    {
      auto other = Database::open(path, "the state");
      REQUIRE(other.has_value());
      REQUIRE(other->run("CREATE TABLE mail (id INTEGER)").has_value());
    }
    const auto state = State::open(path);
    REQUIRE_FALSE(state.has_value());
    CHECK(state.error().message ==
          "'" + path + "' is not a state file of this emulator: created by another program.");
  }
  SUBCASE("a newer version's") {
    const std::string path = directory.file("later.db");
    (void)open_state(path);
    REQUIRE(Database::open(path, "the state")->run("PRAGMA user_version = 99").has_value());
    const auto state = State::open(path);
    REQUIRE_FALSE(state.has_value());
    CHECK(
        state.error().message ==
        "'" + path +
            "' is not a state file of this emulator: created by a newer version of the emulator.");
  }
  SUBCASE("a directory") {
    const auto state = State::open(directory.path());
    REQUIRE_FALSE(state.has_value());
    CHECK(state.error().fault == Fault::Local);
  }
}

TEST_CASE("a new state holds the three demo keys; another start adds none and keeps the state") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("state.db");
  std::int64_t now = k_start_ms;
  const auto keys = [&] {
    const auto state = open_state(path, [&] { return now; });
    const auto rows = state->with([](Database& database) {
      return all_rows(
          database,
          [](const Statement& row) {
            std::string line;
            for (int i = 0; i < 8; ++i) line += row.text(i) + "|";
            return line;
          },
          "SELECT name, redacted, user_id, modified_by, kind, replace(acls, char(10), ','),"
          " create_time, modify_time FROM keys WHERE team_id = ? ORDER BY id",
          k_demo_team_id);
    });
    REQUIRE(rows.has_value());
    return *rows;
  };
  const std::string user(k_demo_user_id);
  const std::string member(k_demo_member_id);
  const std::vector<std::string> expected = {
      "emulator demo key|svc-...-key|" + user + "|" + user +
          "|inference|api-key:endpoint:*,api-key:model:*|1800000000|1800000000|",
      "emulator demo management key|svc-...-key|" + user + "|" + user +
          "|management||1800000000|1800000000|",
      "emulator demo member's management key|svc-...mber|" + member + "|" + member +
          "|management||1800000000|1800000000|"};
  CHECK(keys() == expected);
  now += k_day_ms;
  CHECK(keys() == expected);
}

TEST_CASE("what has expired is removed when the state is opened, and when something is added") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("state.db");
  std::int64_t now = k_start_ms;
  const auto clock = [&] { return now; };
  const auto count = [](State& state) {
    const auto rows = state.with([](Database& database) {
      return database.number(
          "SELECT (SELECT count(*) FROM responses) * 10 + (SELECT count(*) FROM deferred)");
    });
    REQUIRE(rows.has_value());
    return *rows;
  };
  {
    const auto state = open_state(path, clock);
    REQUIRE(state->store_response({"r1", "t1", now / 1000, "{}", "[]"}).has_value());
    REQUIRE(state->add_deferred({"d1", "t1", now, "{}"}).has_value());
    CHECK(count(*state) == 11);
    now += k_day_ms - 1000;
    REQUIRE(state->store_response({"r2", "t1", now / 1000, "{}", "[]"}).has_value());
    CHECK(count(*state) == 21);
    now += 1000;
    REQUIRE(state->add_deferred({"d2", "t1", now, "{}"}).has_value());
    CHECK(count(*state) == 21);
  }
  now = k_start_ms + 30 * k_day_ms - 1000;
  CHECK(count(*open_state(path, clock)) == 20);
  now += 1000;
  CHECK(count(*open_state(path, clock)) == 10);
}

TEST_CASE("limits are set together, or none of them") {
  const auto state = open_state(":memory:");
  const auto limits = [&] {
    const auto found = state->with([](Database& database) -> Result<std::vector<std::int64_t>> {
      SVC_TRY(sessions, limit_of(database, "realtime_sessions"));
      SVC_TRY(cents, limit_of(database, "credit_cents"));
      return std::vector{sessions, cents};
    });
    REQUIRE(found.has_value());
    return *found;
  };
  CHECK(limits() == std::vector<std::int64_t>{10, 1'000'000});
  const auto refused = [&](const std::string& name, std::int64_t value) {
    const auto set = state->set_limits({{"credit_cents", 5}, {name, value}});
    REQUIRE_FALSE(set.has_value());
    CHECK(set.error().fault == Fault::Usage);
    CHECK(limits() == std::vector<std::int64_t>{10, 1'000'000});
    return set.error().message;
  };
  CHECK(refused("x\n", 1) == "Unknown limit x^J; there are realtime_sessions and credit_cents.");
  const std::string range =
      "The limit realtime_sessions must be from 0 to " + std::to_string(k_max_amount) + ".";
  CHECK(refused("realtime_sessions", -1) == range);
  CHECK(refused("realtime_sessions", k_max_amount + 1) == range);
  REQUIRE(state->set_limits({{"credit_cents", 0}, {"realtime_sessions", k_max_amount}}));
  CHECK(limits() == std::vector<std::int64_t>{k_max_amount, 0});
}

TEST_CASE("a state that is used again with the same seed has new IDs, the same in every run") {
  const TemporaryDirectory directory;
  const auto ids = [&](const std::string& name) {
    const auto state = open_state(directory.file(name));
    REQUIRE(state->seed_ids(1).has_value());
    const std::string first = state->new_uuid();
    return first + state->new_uuid();
  };
  const std::string first = ids("a.db");
  const std::string second = ids("a.db");
  CHECK(second != first);
  CHECK(ids("b.db") == first);
  CHECK(ids("b.db") == second);
  const auto state = open_state(directory.file("a.db"));
  REQUIRE(state->reset().has_value());
  REQUIRE(state->seed_ids(1).has_value());
  CHECK(first.starts_with(state->new_uuid()));
}

TEST_CASE("an import that is no export of this version changes nothing") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("export.db");
  const auto state = open_state(":memory:");
  REQUIRE(state->store_response({"r1", "t1", 4'000'000'000, "{}", "[]"}).has_value());
  for (const char* change : {"PRAGMA user_version = 0", "PRAGMA user_version = 2",
                             "PRAGMA application_id = 1", "DROP TABLE responses"}) {
    CAPTURE(change);
    std::filesystem::remove(path);
    REQUIRE(open_state(":memory:")->save(path).has_value());
    REQUIRE(Database::open(path, "the state")->run(change).has_value());
    const auto loaded = state->load(path);
    if (std::string_view(change).starts_with("DROP")) {  // as an earlier export may lack a table
      CHECK(loaded.has_value());
      CHECK_FALSE(state->find_response("t1", "r1")->has_value());
      continue;
    }
    REQUIRE_FALSE(loaded.has_value());
    CHECK(loaded.error().fault == Fault::Usage);
    CHECK(loaded.error().message ==
          "The body is not a state that this version of the emulator exported.");
    CHECK(state->find_response("t1", "r1")->has_value());
  }
}

TEST_CASE("an import continues the clock of the export, and its IDs") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("export.db");
  const auto source = open_state(":memory:");
  REQUIRE(source->seed_ids(4).has_value());
  const std::string id = source->new_uuid();
  source->advance(std::chrono::hours(24 * 40));
  REQUIRE(source->save(path).has_value());
  const auto target = open_state(":memory:");
  REQUIRE(target->seed_ids(4).has_value());
  REQUIRE(target->load(path).has_value());
  CHECK(target->new_uuid() != id);
  CHECK(std::abs(target->now_ms() - source->now_ms()) < 10'000);
}
