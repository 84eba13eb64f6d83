// Whole runs with a service that counts requests: each must be sent exactly once, whatever happens.
#include <filesystem>
#include <optional>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "batch_world.h"
#include "database/database.h"

using namespace svc;
using namespace svc::test;

TEST_CASE("a run sends every request once and returns results in input order") {
  BatchWorld world(BatchWorld::requests(10));
  world.options.sending.call_items = 4;
  REQUIRE(world.run());
  CHECK(world.each_once(10));
  CHECK(world.service.add_calls == 3);
  REQUIRE(world.lines.size() == 10);
  CHECK(world.lines[6].starts_with(R"({"id":"r7","state":"succeeded","answer":")"));
  CHECK(world.lines[6].find(R"("error":null,"cost":0.00000001,)") != std::string::npos);
  CHECK(world.totals.succeeded == 10);
  CHECK(world.totals.cost_ticks == 1000);
}

TEST_CASE(
    "killed before or after any call, or with a response lost, a rerun sends each request once") {
  for (const bool by_file : {false, true}) {
    const auto prepare = [&](BatchWorld& world) {
      world.options.sending.call_items = 3;
      world.options.sending.batch_items = 6;
      if (by_file)
        world.options.sending.format = world.options.reading.sent_as = batch::RequestFormat::File;
    };
    BatchWorld whole(BatchWorld::requests(14));
    prepare(whole);
    REQUIRE(whole.run());
    REQUIRE(whole.each_once(14));
    const int calls = whole.service.calls;
    REQUIRE(calls > 10);
    for (const Mishap mishap : {Mishap::KilledBefore, Mishap::KilledAfter, Mishap::LostBefore,
                                Mishap::LostAfter, Mishap::ServerError}) {
      for (int at = 1; at <= calls; ++at) {
        CAPTURE(by_file);
        CAPTURE(static_cast<int>(mishap));
        CAPTURE(at);
        BatchWorld world(BatchWorld::requests(14));
        prepare(world);
        world.service.mishaps[at] = mishap;
        int runs = 1;
        while (!world.run() && runs < 4) ++runs;
        CHECK(runs <= 2);
        CHECK(world.each_once(14));
        CHECK(world.lines.size() == 14);
        CHECK(world.totals.succeeded == 14);
      }
    }
  }
}

TEST_CASE("batches of a run have its name, the run's own, and their numbers") {
  BatchWorld world(BatchWorld::requests(5));
  world.options.sending.batch_items = 2;
  REQUIRE(world.run());
  REQUIRE(world.service.batches.size() == 3);
  const std::string run = world.service.batches[0].name.substr(5, 8);
  CHECK(run.find_first_not_of("0123456789abcdef") == std::string::npos);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(world.service.batches[i].name == fmt::format("test {}-{}", run, i + 1));
    CHECK(world.service.batches[i].ids.size() == (i < 2 ? 2 : 1));
  }
}

TEST_CASE("a service that repeats a page is not asked for ever") {
  BatchWorld world(BatchWorld::requests(9));
  world.service.repeats_token = true;
  world.service.mishaps[2] = Mishap::LostAfter;
  (void)world.run();
  CHECK(world.service.calls < 100);
}

TEST_CASE("killed at every second call, it still finishes with each request sent once") {
  BatchWorld world(BatchWorld::requests(20));
  world.options.sending.call_items = 3;
  for (int at = 3; at < 200; at += 4) {
    world.service.mishaps[at] = at % 8 == 3 ? Mishap::KilledAfter : Mishap::KilledBefore;
  }
  int runs = 0;
  while (!world.run() && runs < 100) ++runs;
  CHECK(runs > 3);
  CHECK(world.each_once(20));
  CHECK(world.lines.size() == 20);
}

TEST_CASE("a finished run sends nothing again") {
  BatchWorld world(BatchWorld::requests(5));
  REQUIRE(world.run());
  const int calls = world.service.calls;
  REQUIRE(world.run());
  CHECK(world.service.calls == calls);
  CHECK(world.lines.size() == 5);
}

TEST_CASE("a changed input is rejected after the first request, and reread before") {
  BatchWorld world(BatchWorld::requests(5));
  world.service.mishaps[1] = Mishap::KilledBefore;
  CHECK_FALSE(world.run());
  world.directory.write("in.jsonl", BatchWorld::requests(6));
  REQUIRE(world.run());
  CHECK(world.each_once(6));
  world.directory.write("in.jsonl", BatchWorld::requests(7));
  const auto changed = world.run();
  REQUIRE_FALSE(changed);
  CHECK(changed.error().fault == Fault::Usage);
  CHECK(changed.error().message.find("has changed") != std::string::npos);
  CHECK(world.each_once(6));
  world.directory.write("in.jsonl", BatchWorld::requests(6));
  world.options.reading.model = "svc-4.3";
  const auto other = world.run();
  REQUIRE_FALSE(other);
  CHECK(other.error().message.find("--model") != std::string::npos);
}

TEST_CASE("a finished run reports when it finished, and --restart sends everything again") {
  BatchWorld world(BatchWorld::requests(3));
  REQUIRE(world.run());
  CHECK_FALSE(world.finished);
  REQUIRE(world.run());
  CHECK(world.finished);
  CHECK(world.finished_at == 1'800'000'000 + world.elapsed.count() / 1000);
  CHECK(world.each_once(3));
  world.options.restart = true;
  REQUIRE(world.run());
  CHECK_FALSE(world.finished);
  for (const auto& [id, times] : world.service.counts()) CHECK(times == 2);
  world.directory.write("in.jsonl", "not JSON\n");
  CHECK_FALSE(world.run());  // and the finished results are still known
  world.directory.write("in.jsonl", BatchWorld::requests(3));
  world.options.restart = false;
  REQUIRE(world.run());
  CHECK(world.finished);
  CHECK(world.lines.size() == 3);
}

TEST_CASE("a restart reports what the previous run leaves behind") {
  BatchWorld world(BatchWorld::requests(3));
  world.service.running = true;
  world.options.wait_timeout = std::chrono::milliseconds(1);
  CHECK_FALSE(world.run());
  world.service.running = false;
  world.options.restart = true;
  REQUIRE(world.run());
  REQUIRE(world.notes.size() == 2);
  CHECK(world.notes[0].find("3 of 3 requests were sent") != std::string::npos);
  CHECK(world.notes[1].find("svc batches cancel batch_1") != std::string::npos);
}

TEST_CASE("a local clock that is months fast or slow ends no batch") {
  for (const std::int64_t off : {-40 * 86'400, 40 * 86'400}) {
    BatchWorld world(BatchWorld::requests(2));
    world.clock_off = off;
    world.service.expire_time = "2027-02-01T00:00:00Z";
    world.service.served_at = 1'800'000'000;  // 2027-01-15
    world.service.running_looks = 3;
    REQUIRE(world.run());
    CHECK(world.totals.succeeded == 2);
  }
  BatchWorld world(BatchWorld::requests(2));
  world.service.expire_time = "2027-01-10";
  world.service.served_at = 1'800'000'000;
  world.service.running = true;
  REQUIRE(world.run());
  CHECK(world.totals.unknown == 2);
}

TEST_CASE("waits for the lock of a process that is exiting") {
  BatchWorld world(BatchWorld::requests(2));
  std::optional<Result<batch::Journal>> held(batch::Journal::open(world.options.journal));
  REQUIRE(*held);
  std::thread dying([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    held.reset();
  });
  const Result<void> second = world.run();
  dying.join();
  CHECK(second);
  CHECK(world.each_once(2));
}

TEST_CASE("a journal removed while it is opened, or waits for its lock, is recreated") {
  for (int delay = 0; delay < 25'000; delay += 1'013) {  // in microseconds
    CAPTURE(delay);
    BatchWorld world(BatchWorld::requests(2));
    std::optional<Result<batch::Journal>> held(batch::Journal::open(world.options.journal));
    REQUIRE(*held);
    std::thread dying([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
      std::filesystem::remove(world.options.journal);
      held.reset();
    });
    const Result<void> second = world.run();
    dying.join();
    REQUIRE(second);
    REQUIRE(world.run());
    CHECK(world.each_once(2));
  }
}

TEST_CASE("tokens of results are counted once, per batch") {
  BatchWorld world(BatchWorld::requests(3));
  world.service.answer = [](const std::string&) {
    return std::string(
        R"({"response":{"chat_get_completion":{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}}})");
  };
  REQUIRE(world.run());
  REQUIRE(world.run());
  auto journal = batch::Journal::open(world.options.journal);
  REQUIRE(journal);
  const auto tokens = journal->tokens(1);
  REQUIRE(tokens);
  CHECK(tokens->input_tokens == 21);
  CHECK(tokens->output_tokens == 6);
}

TEST_CASE("a second run cannot use a journal that is in use") {
  BatchWorld world(BatchWorld::requests(2));
  auto held = batch::Journal::open(world.options.journal);
  REQUIRE(held);
  const auto second = world.run();
  REQUIRE_FALSE(second);
  CHECK(second.error().fault == Fault::Local);
  CHECK(second.error().message.find("another run") != std::string::npos);
  CHECK(mode_of(world.options.journal) == 0600U);
}

TEST_CASE("failures are counted by reason, and resent on request") {
  BatchWorld world(BatchWorld::requests(9));
  world.service.answer = [](const std::string& id) {
    if (id == "r2" || id == "r5")
      return fmt::format(R"({{"error":"no room for {}"}})", id.substr(1));
    if (id == "r7") return std::string(R"({"error":{"code":"internal","message":"oops"}})");
    return CountingService::good();
  };
  REQUIRE(world.run());
  CHECK(world.totals.failed == 3);
  CHECK(world.lines[1].find(R"("state":"failed")") != std::string::npos);
  {
    auto journal = batch::Journal::open(world.options.journal);
    REQUIRE(journal);
    auto reasons = journal->reasons();
    REQUIRE(reasons);
    REQUIRE(reasons->size() == 2);
    CHECK(reasons->front() == std::pair<std::string, std::int64_t>{"no room for N", 2});
  }
  world.service.answer = {};
  world.options.retry_failed = true;
  REQUIRE(world.run());
  CHECK(world.totals.succeeded == 9);
  CHECK(world.totals.failed == 0);
  const auto counts = world.service.counts();
  CHECK(counts.at("r2") == 2);
  CHECK(counts.at("r7") == 2);
  CHECK(counts.at("r1") == 1);
}

TEST_CASE("what failed is resent only after its results were handed over") {
  BatchWorld world(BatchWorld::requests(2));
  world.service.answer = [](const std::string&) { return std::string(R"({"error":"no"})"); };
  REQUIRE(world.run());
  REQUIRE(batch::Journal::open(world.options.journal)->set_fact("handed over", "no"));
  world.options.retry_failed = true;
  REQUIRE(world.run());
  CHECK(world.lines.size() == 2);
  CHECK(world.service.counts().at("r1") == 1);
  REQUIRE(world.run());
  CHECK(world.service.counts().at("r1") == 2);
}

TEST_CASE("a killed retry is resumed, not restarted") {
  BatchWorld world(BatchWorld::requests(4));
  world.service.answer = [](const std::string&) { return std::string(R"({"error":"no"})"); };
  REQUIRE(world.run());
  world.options.retry_failed = true;
  for (int at = world.service.calls + 1; at < world.service.calls + 3; ++at) {
    world.service.mishaps[at] = Mishap::KilledAfter;
  }
  CHECK_FALSE(world.run());
  CHECK_FALSE(world.run());
  REQUIRE(world.run());
  for (const auto& [id, times] : world.service.counts()) CHECK(times == 2);
}

TEST_CASE("beyond the budget, pending requests are canceled; a higher budget resumes") {
  BatchWorld world(BatchWorld::requests(6));
  world.service.running = true;
  world.service.cost_while_running = 500;
  world.options.budget.limit = 400;
  const auto over = world.run();
  REQUIRE_FALSE(over);
  CHECK(over.error().fault == Fault::Limited);
  CHECK(world.service.batches.front().canceled);
  CHECK(world.totals.canceled == 6);
  const auto again = world.run();
  REQUIRE_FALSE(again);
  CHECK(again.error().message.find("no more requests are sent") != std::string::npos);
  CHECK(world.service.batches.size() == 1);
  world.options.budget.limit = 4000;
  world.service.running = false;
  REQUIRE(world.run());
  CHECK(world.totals.succeeded == 6);
}

TEST_CASE("requests that the service counts as canceled are canceled, not unknown") {
  BatchWorld world(BatchWorld::requests(6));
  world.service.running = true;
  world.service.cost_while_running = 500;
  world.service.has_cancel_time = false;
  world.options.budget.limit = 400;
  REQUIRE_FALSE(world.run());
  CHECK(world.totals.canceled == 6);
  CHECK(world.totals.unknown == 0);
}

TEST_CASE("a delayed file-based creation that arrives late does not run in addition to its retry") {
  BatchWorld world(BatchWorld::requests(3));
  world.options.sending.format = world.options.reading.sent_as = batch::RequestFormat::File;
  world.service.mishaps[2] = Mishap::KilledBefore;
  CHECK_FALSE(world.run());
  REQUIRE(world.service.batches.empty());
  world.service.before_create = [&](const std::string& name) {
    world.service.batches.push_back({"batch_late", name});
    world.service.before_create = {};
  };
  REQUIRE(world.run());
  REQUIRE(world.service.batches.size() == 2);
  CHECK(world.service.batches[0].canceled);
  CHECK_FALSE(world.service.batches[1].canceled);
  CHECK(world.totals.succeeded == 3);
}

TEST_CASE("what a batch has of a file is not looked at: the service may still be loading it") {
  BatchWorld world(BatchWorld::requests(3));
  world.options.sending.format = world.options.reading.sent_as = batch::RequestFormat::File;
  world.service.mishaps[3] = Mishap::KilledBefore;
  CHECK_FALSE(world.run());
  {
    auto database = Database::open(world.options.journal, "the journal");
    REQUIRE(database);
    REQUIRE(database->run("UPDATE parts SET confirmed = 0"));
  }
  std::vector<std::string> loaded;
  world.service.before_call = [&](int call) {
    if (call == 4) loaded.swap(world.service.batches[0].ids);
    if (call == 5) loaded.swap(world.service.batches[0].ids);
  };
  REQUIRE(world.run());
  CHECK(world.service.batches.size() == 1);
  CHECK(world.each_once(3));
  CHECK(world.totals.succeeded == 3);
  auto journal = batch::Journal::open(world.options.journal);
  REQUIRE(journal);
  CHECK(journal->batches_in_doubt().value().empty());
}

TEST_CASE("requests rejected by the service are skipped one by one, or end the run") {
  std::string input = BatchWorld::requests(12);
  BatchWorld world(input);
  world.service.refuses = "say 7";
  const auto refused = world.run();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "lines 1 to 12 of '" + world.options.input +
                                       "' rejected: the model does not support batches");
  CHECK(refused.error().hint ==
        "Pass --skip-invalid to skip and report requests that the service rejects.");
  CHECK(world.service.counts().empty());
  world.options.skip_invalid = world.options.sending.skip_rejected = true;
  REQUIRE(world.run());
  CHECK(world.totals.succeeded == 11);
  CHECK(world.totals.failed == 1);
  CHECK_FALSE(world.service.counts().contains("r7"));
  CHECK(world.lines.size() == 12);
  CHECK(world.lines[6].starts_with(R"({"id":"r7","state":"failed","answer":null,"error":")"));
  CHECK(world.lines[6].ends_with(R"(,"cost":null,"usage":null,"response":null})"));
}

TEST_CASE("whichever status rejects the content, the request that is to blame is found") {
  for (const int status : {400, 409, 413, 422}) {
    CAPTURE(status);
    const std::string input = BatchWorld::requests(12);
    BatchWorld world(input);
    world.service.refuses = "say 7";
    world.service.refuses_with = status;
    world.options.skip_invalid = world.options.sending.skip_rejected = true;
    REQUIRE(world.run());
    CHECK(world.totals.succeeded == 11);
    CHECK(world.totals.failed == 1);
  }
}

TEST_CASE("permanent failures cause no storm") {
  BatchWorld world(BatchWorld::requests(1000));
  for (int at = 1; at < 5000; ++at) world.service.mishaps[at] = Mishap::ServerError;
  CHECK_FALSE(world.run());
  CHECK(world.service.calls <= 1500);
}

TEST_CASE("shards send their share, with the same IDs as the whole run") {
  std::string input;
  for (int i = 0; i < 10; ++i) input += "prompt\n\n";
  BatchWorld first(input, "in.txt");
  first.options.reading.model = "svc-4.3";
  first.options.shard = {1, 3};
  REQUIRE(first.run());
  BatchWorld second(input, "in.txt");
  second.options.reading.model = "svc-4.3";
  second.options.shard = {2, 3};
  REQUIRE(second.run());
  CHECK(first.service.counts().size() == 4);
  CHECK(second.service.counts().size() == 3);
  CHECK(first.service.counts().contains("line-1"));
  CHECK(first.service.counts().contains("line-7"));
  CHECK(second.service.counts().contains("line-3"));
}

TEST_CASE("an ID in another shard is skipped, not sent") {
  const std::string one =
      R"({"batch_request_id":"ID","batch_request":{"chat_get_completion":{"messages":[{"role":"user","content":"Hi"}],"model":"svc-4.3"}}})";
  std::string input;
  for (const char* id : {"b", "a", "a", "c"}) {
    std::string line = one;
    line.replace(line.find("ID"), 2, id);
    input += line + "\n";
  }
  BatchWorld world(input);
  world.options.shard = {1, 2};
  world.options.skip_invalid = true;
  REQUIRE(world.run());
  CHECK(world.service.counts().contains("b"));
  CHECK(world.service.counts().size() == 1);
  BatchWorld other(input);
  other.options.shard = {2, 2};
  other.options.skip_invalid = true;
  REQUIRE(other.run());
  CHECK(other.service.counts().contains("a"));
  CHECK(other.service.counts().contains("c"));
  CHECK(other.service.counts().size() == 2);
}

TEST_CASE("a long-running batch is polled every ten seconds") {
  BatchWorld world(BatchWorld::requests(1));
  world.service.running_looks = 60;
  REQUIRE(world.run());
  CHECK(world.elapsed > std::chrono::minutes(8));
  CHECK(world.elapsed <= std::chrono::minutes(10));
}

TEST_CASE("the creation rate is limited") {
  BatchWorld world(BatchWorld::requests(10));
  world.options.sending.batch_items = 1;
  REQUIRE(world.run());
  CHECK(world.service.batches.size() == 10);
  CHECK(world.elapsed >= std::chrono::milliseconds(9'000));
}

namespace {

/// Runs SQL on the journal of a run that has ended.
void change_journal(const batch::RunOptions& options, const std::string& sql) {
  auto database = Database::open(options.journal, "the journal");
  REQUIRE(database);
  REQUIRE(database->run(sql.c_str()));
}

/// FNV-1a, by which journals of format 1 know a line.
std::uint64_t old_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// Turns the journal into one of format 1 or 2.
void make_old(const BatchWorld& world, const std::string& input, int format) {
  std::string sql = fmt::format(
      "UPDATE facts SET value = 'format: {}' || char(10) || replace(replace(value, 'input form', "
      "'skip-invalid: no' || char(10) || 'input form'), '--model', 'by file: no' || char(10) || "
      "'--model') WHERE name = 'description'; DELETE FROM facts WHERE name = 'format'; "
      "ALTER TABLE batches RENAME COLUMN created_at TO made_at; "
      "ALTER TABLE parts RENAME COLUMN confirmed TO certain; ",
      format);
  if (format == 2) {
    sql += "ALTER TABLE line_ranges RENAME TO stretches; ALTER TABLE skipped RENAME TO left_out;";
  } else {
    sql += fmt::format(
        "DROP TABLE line_ranges; DROP TABLE skipped; CREATE TABLE foreign_ids(id TEXT PRIMARY KEY, "
        "line INTEGER NOT NULL) WITHOUT ROWID; UPDATE facts SET value = '{}' WHERE name = 'input';",
        sha256(input));
    int ordinal = 0;
    for (const auto line : split(input, '\n')) {
      sql += fmt::format("UPDATE items SET hash = {} WHERE ordinal = {};",
                         static_cast<std::int64_t>(old_hash(line)), ++ordinal);
    }
  }
  change_journal(world.options, sql);
}

}  // namespace

TEST_CASE("a run is resumed from journals of older formats, and nothing is sent twice") {
  for (const int format : {1, 2}) {
    for (const bool finished : {false, true}) {
      CAPTURE(format);
      CAPTURE(finished);
      const std::string input = BatchWorld::requests(6);
      BatchWorld world(input);
      world.options.sending.call_items = 2;
      // Killed after two of the three calls, if at all.
      if (!finished) world.service.mishaps[4] = Mishap::KilledBefore;
      CHECK(world.run().has_value() == finished);
      world.service.mishaps.clear();
      make_old(world, input, format);
      world.notes.clear();
      const Result<void> resumed = world.run();
      REQUIRE_MESSAGE(resumed.has_value(), (resumed ? "" : resumed.error().message));
      CHECK(world.finished == finished);
      CHECK(world.each_once(6));
      CHECK(world.lines.size() == 6);
      auto journal = batch::Journal::open(world.options.journal);
      REQUIRE(journal);
      CHECK(journal->fact("format")->value() == std::to_string(batch::k_journal_format));
    }
  }
}

TEST_CASE("a journal of format 1 does not fit an input that has changed") {
  const std::string input = BatchWorld::requests(2);
  BatchWorld world(input);
  REQUIRE(world.run());
  make_old(world, input, 1);
  world.directory.write("in.jsonl", BatchWorld::requests(3));
  const Result<void> ended = world.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message.find("has changed since its run began") != std::string::npos);
  CHECK(world.service.counts().size() == 2);
}

TEST_CASE("a journal of a newer svc is refused, and nothing is sent or changed") {
  for (const std::string sql :
       {"UPDATE facts SET value = '99' WHERE name = 'format'",
        "DELETE FROM facts WHERE name = 'format'; UPDATE facts SET value = 'format: 99' || "
        "char(10) || value WHERE name = 'description'"}) {
    BatchWorld world(BatchWorld::requests(2));
    REQUIRE(world.run());
    change_journal(world.options, sql);
    for (const bool restart : {false, true}) {
      world.options.restart = restart;
      const Result<void> ended = world.run();
      REQUIRE_FALSE(ended);
      CHECK(ended.error().fault == Fault::Local);
      CHECK(ended.error().message == "the journal " + quote_path(world.options.journal) +
                                         " was written by a newer svc (format 99; this svc reads "
                                         "up to " +
                                         std::to_string(k_journal_format) + ")");
      CHECK(ended.error().hint == "Nothing was sent. Update svc to resume the run.");
    }
    CHECK(world.each_once(2));
  }
}

TEST_CASE("each prompt and each set of options has its own default journal") {
  batch::RunOptions options;
  options.journal_stem = "in.txt";
  const std::string first = batch::journal_path(options);
  // If these names changed, the journals of unfinished runs would not be found.
  CHECK(first == "in.txt.4ef6a4b8.svc-journal");
  options.jobs = 2;
  CHECK(batch::journal_path(options) == "in.txt.39df8c42.svc-journal");
  options.jobs = 3;
  CHECK(batch::journal_path(options) == "in.txt.39df8c42.svc-journal");
  options.jobs.reset();
  options.reading.text = "{}";
  CHECK(batch::journal_path(options) == first);
  options.reading.text = "Say {}";
  const std::string second = batch::journal_path(options);
  CHECK(second != first);
  options.reading.model = "m";
  CHECK(batch::journal_path(options) != second);
  // What does not change the requests does not make another run.
  options.reading.model.clear();
  options.skip_invalid = true;
  options.reading.sent_as = batch::RequestFormat::File;
  options.sending.call_items = 7;
  CHECK(batch::journal_path(options) == second);
  options.journal = "mine";
  CHECK(batch::journal_path(options) == "mine");
}

namespace {

/// A token that a test cancels, as the first Ctrl-C does.
struct DrainedAt {
  CancelSource drain{};
  explicit DrainedAt(BatchWorld& world, int calls) {
    world.options.drain = &drain;
    world.service.before_call = [this, calls](int call) {
      if (call == calls) drain.cancel();
    };
  }
};

}  // namespace

TEST_CASE("once drained, no call begins, and a rerun sends the rest once") {
  for (const bool by_file : {false, true}) {
    for (int calls = 1; calls <= 8; ++calls) {
      CAPTURE(by_file);
      CAPTURE(calls);
      BatchWorld world(BatchWorld::requests(12));
      world.options.sending.call_items = 3;
      world.options.sending.batch_items = 6;
      if (by_file) world.options.reading.sent_as = batch::RequestFormat::File;
      if (by_file) world.options.sending.format = batch::RequestFormat::File;
      DrainedAt interrupted(world, calls);
      const Result<void> ended = world.run();
      const bool done = ended.has_value();
      if (!done) CHECK(ended.error().fault == Fault::Interrupted);
      world.options.drain = nullptr;
      world.service.before_call = {};
      REQUIRE(world.run());
      CHECK(world.each_once(12));
      CHECK(world.totals.succeeded == 12);
      CHECK(world.totals.unknown == 0);
    }
  }
}

TEST_CASE("a record has the answer, the error, the cost and the response as it came") {
  const auto record = [](const std::string& json, batch::Outcome outcome, std::string reason = {}) {
    batch::Finished finished{.outcome = outcome, .reason = std::move(reason), .json = json};
    finished.location.id = "a\"b";
    return batch::result_line(finished, "");
  };
  CHECK(record(R"({"batch_request_id":"x","batch_result":{"response":{"chat_get_completion":)"
               "{\"choices\":[{\"message\":{\"role\":\"assistant\",\n \"content\":\"Hi\"},"
               R"("finish_reason":"stop"}],"usage":{"n":1.50,"cost_in_usd_ticks":15000000000}}}}})",
               batch::Outcome::Succeeded) ==
        R"({"id":"a\"b","state":"succeeded","answer":"Hi","error":null,"cost":1.50,)"
        R"("usage":{"n":1.50,"cost_in_usd_ticks":15000000000},"response":{"choices":[{"message":)"
        R"({"role":"assistant","content":"Hi"},"finish_reason":"stop"}],)"
        R"("usage":{"n":1.50,"cost_in_usd_ticks":15000000000}}})");
  CHECK(record(R"({"batch_result":{"response":{"image_generation":{"data":[{"url":"u1"}]}}}})",
               batch::Outcome::Succeeded) ==
        R"({"id":"a\"b","state":"succeeded","answer":"u1","error":null,"cost":null,"usage":null,)"
        R"("response":{"data":[{"url":"u1"}]}})");
  CHECK(
      record(R"({"batch_result":{"error":{"message":"no","code":"c"}}})", batch::Outcome::Failed) ==
      R"({"id":"a\"b","state":"failed","answer":null,"error":"c: no","cost":null,"usage":null,)"
      R"("response":null})");
  CHECK(record("", batch::Outcome::Unknown, "the batch expired") ==
        R"({"id":"a\"b","state":"unknown","answer":null,"error":"the batch expired","cost":null,)"
        R"("usage":null,"response":null})");
}
