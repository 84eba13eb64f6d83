// What the journal of a batch run keeps and discards.
#include "batch/journal.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "client/usage.h"
#include "unit/client/temp_directory.h"

using namespace svc;
using namespace svc::batch;

namespace {

/// A journal whose items a, b, … are all in one batch.
struct World {
  explicit World(int items) : journal(*Journal::open((directory.path() / "journal.db").string())) {
    std::vector<ItemLocation> locations;
    std::vector<std::int64_t> ordinals;
    for (int i = 0; i < items; ++i) {
      const ItemLocation location{.ordinal = i + 1,
                                  .line = static_cast<std::uint64_t>(i + 1),
                                  .id = std::string(1, static_cast<char>('a' + i))};
      locations.push_back(location);
      ordinals.push_back(location.ordinal);
    }
    REQUIRE(journal.fill({.ordinal = 1}, locations).has_value());
    batch = journal.add_batch({.name = "first"})->number;
    REQUIRE(journal.begin_part(batch, ordinals).has_value());
  }

  void result(const char* id, Outcome outcome, const std::string& json) {
    REQUIRE(journal.add_result(batch, {.id = id, .outcome = outcome}, json).value());
  }

  std::string arrived(std::int64_t after, std::int64_t* last = nullptr) {
    std::string out;
    REQUIRE(journal
                .for_each_by_arrival(after,
                                     [&](const Finished& item) -> Result<void> {
                                       out += item.location.id + item.json;
                                       if (last != nullptr) *last = item.sequence;
                                       return {};
                                     })
                .has_value());
    return out;
  }

  std::string in_order() {
    std::string out;
    REQUIRE(journal
                .for_each_in_order(1,
                                   [&](const Finished& item) -> Result<void> {
                                     out += item.location.id + item.json;
                                     return {};
                                   })
                .has_value());
    return out;
  }

  test::TempDirectory directory{};
  Journal journal;
  std::int64_t batch = 0;
};

}  // namespace

TEST_CASE("an item that is resent loses its old result") {
  World world(2);
  world.result("a", Outcome::Failed, "{\"old\":1}");
  world.result("b", Outcome::Succeeded, "{\"fine\":1}");
  CHECK(world.journal.reopen(true, false).value() == 1);
  CHECK(world.arrived(0) == "b{\"fine\":1}");
  CHECK(world.in_order().empty());
  const auto open = world.journal.next_unassigned(0);
  REQUIRE(open.has_value());
  REQUIRE(open->has_value());
  CHECK((*open)->id == "a");
  REQUIRE(world.journal.begin_part(world.batch, {1}).has_value());
  world.result("a", Outcome::Succeeded, "{\"new\":1}");
  CHECK(world.in_order() == "a{\"new\":1}b{\"fine\":1}");
  CHECK(world.journal.totals()->succeeded == 2);
  CHECK(world.journal.totals()->failed == 0);
}

TEST_CASE("resending: failed and unknown items, canceled ones, or all of them") {
  for (const auto& again :
       {std::tuple(true, false, 2), std::tuple(false, true, 1), std::tuple(true, true, 3)}) {
    const bool failed = std::get<0>(again);
    const bool canceled = std::get<1>(again);
    const int expected = std::get<2>(again);
    CAPTURE(failed);
    CAPTURE(canceled);
    World world(4);
    world.result("a", Outcome::Succeeded, "{}");
    world.result("b", Outcome::Failed, "{}");
    world.result("c", Outcome::Canceled, "{}");
    REQUIRE(
        world.journal.set_missing_outcome(world.batch, Outcome::Unknown, "no answer").has_value());
    CHECK(world.journal.totals()->unknown == 1);
    CHECK(world.journal.reopen(failed, canceled).value() == expected);
    CHECK(world.journal.count_unassigned().value() == expected);
    CHECK(world.journal.totals()->unknown == (failed ? 0 : 1));
    CHECK(world.journal.totals()->succeeded == 1);
  }
}

TEST_CASE("results in order of arrival, each of them once") {
  World world(3);
  world.result("c", Outcome::Succeeded, "3");
  world.result("a", Outcome::Failed, "1");
  std::int64_t last = 0;
  CHECK(world.arrived(0, &last) == "c3a1");
  CHECK(world.arrived(last).empty());
  CHECK_FALSE(
      world.journal.add_result(world.batch, {.id = "c", .outcome = Outcome::Failed}, "again")
          .value());
  CHECK(world.arrived(last).empty());
  world.result("b", Outcome::Succeeded, "2");
  CHECK(world.arrived(last) == "b2");
}

TEST_CASE("checked lines become items when due, except skipped ones") {
  World world(1);
  Journal& journal = world.journal;
  REQUIRE(journal.add_range(
      {.ordinal = 2, .lines = 3, .items = 3, .offset = 40, .line = 2, .hash = 9}));
  REQUIRE(journal.exclude(3));
  CHECK(journal.totals()->items == 3);
  CHECK(journal.count_unassigned().value() == 2);
  CHECK_FALSE(journal.next_unassigned(0).value().has_value());
  const auto range = journal.next_range();
  REQUIRE((range && *range));
  CHECK((*range)->items == 2);
  CHECK((*range)->offset == 40);
  journal.set_fill_callback([&]() -> Result<bool> {
    SVC_TRY(next, journal.next_range());
    if (!next) return false;
    SVC_CHECK(journal.fill(
        *next, {{.ordinal = 2, .id = "b"}, {.ordinal = 3, .id = "a"}, {.ordinal = 4, .id = "d"}}));
    return true;
  });
  CHECK(journal.next_unassigned(0).value()->id == "b");
  CHECK(journal.next_unassigned(2).value()->id == "d");
  CHECK_FALSE(journal.next_unassigned(4).value().has_value());
  CHECK(journal.totals()->items == 3);
}

TEST_CASE("a result for an item of another batch is ignored") {
  World world(1);
  const auto other = world.journal.add_batch({.name = "second"});
  REQUIRE(other.has_value());
  CHECK_FALSE(
      world.journal.add_result(other->number, {.id = "a", .outcome = Outcome::Succeeded}, "{}")
          .value());
  CHECK_FALSE(
      world.journal.add_result(world.batch, {.id = "z", .outcome = Outcome::Succeeded}, "{}")
          .value());
  CHECK(world.journal.count_missing(world.batch).value() == 1);
}

TEST_CASE("a file that is no journal is left alone, and nothing was sent") {
  const test::TempDirectory directory;
  const std::string text = "this is no database, but rather a text of some length";
  const std::string path = directory.write("notes.txt", text).string();
  const auto refused = Journal::open(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Local);
  CHECK(refused.error().message.starts_with("cannot read or write the journal '" + path + "': "));
  CHECK(refused.error().hint == "Nothing was sent. Choose another path with --journal.");
  CHECK(test::slurp(path) == text);
}

TEST_CASE("a journal of an earlier version, with other names, is resumed") {
  const test::TempDirectory directory;
  const std::string path = (directory.path() / "journal.db").string();
  {
    auto journal = Journal::open(path);
    REQUIRE(journal);
    REQUIRE(journal->add_range({.ordinal = 1, .lines = 2, .items = 2, .line = 1}));
    REQUIRE(journal->exclude(2));
    REQUIRE(journal->add_batch({.name = "first", .created_at = 7}));
  }
  {
    auto database = Database::open(path, "the journal");
    REQUIRE(database);
    REQUIRE(
        database->run("ALTER TABLE line_ranges RENAME TO stretches;"
                      "ALTER TABLE skipped RENAME TO left_out;"
                      "ALTER TABLE batches RENAME COLUMN created_at TO made_at;"
                      "ALTER TABLE parts RENAME COLUMN confirmed TO certain;"
                      "ALTER TABLE items DROP COLUMN reserved;"
                      "ALTER TABLE items DROP COLUMN lost;"
                      "ALTER TABLE items DROP COLUMN lost_sends;"));
  }
  for (int again = 0; again < 2; ++again) {
    auto journal = Journal::open(path);
    REQUIRE(journal);
    CHECK(journal->totals()->items == 1);
    CHECK(*journal->reserved() == 0);
    const auto batches = journal->batches();
    REQUIRE(batches->size() == 1);
    CHECK(batches->front().created_at == 7);
  }
}

TEST_CASE("what is in doubt is settled once, and the rest is sent again") {
  World world(3);
  Journal& journal = world.journal;
  CHECK(*journal.batches_in_doubt() == std::vector<std::int64_t>{world.batch});
  REQUIRE(journal.clear_present());
  REQUIRE(journal.mark_present("b"));
  REQUIRE(journal.mark_present("b"));
  REQUIRE(journal.mark_present("other"));
  CHECK(*journal.settle(world.batch) == 1);
  CHECK(journal.batches_in_doubt()->empty());
  CHECK(journal.batches()->front().assigned == 1);
  CHECK(*journal.count_unassigned() == 2);
  const auto part = journal.begin_part(world.batch, {1, 3});
  REQUIRE(part);
  CHECK(journal.batches()->front().assigned == 3);
  CHECK(journal.batches_in_doubt()->size() == 1);
  REQUIRE(journal.confirm_part(*part));
  CHECK(journal.batches_in_doubt()->empty());
  REQUIRE(journal.unassign(3));
  CHECK(*journal.count_unassigned() == 1);
  REQUIRE(journal.reject_item(3, "why", world.batch));
  CHECK(*journal.count_unassigned() == 0);
  CHECK(journal.totals()->failed == 1);
  CHECK(journal.batches_in_doubt()->empty());
  CHECK(*journal.count_missing(world.batch) == 2);
  REQUIRE(journal.drop_batch(world.batch));
  CHECK(journal.batches()->empty());
  CHECK(*journal.count_unassigned() == 2);
}

TEST_CASE("tokens are added up by batch, and reasons are counted") {
  World world(4);
  Journal& journal = world.journal;
  const Usage usage{
      .input_tokens = 1, .output_tokens = 2, .reasoning_tokens = 3, .cached_tokens = 4};
  REQUIRE(journal.add_tokens(world.batch, usage));
  REQUIRE(journal.add_tokens(world.batch, usage));
  const auto sum = journal.tokens(world.batch);
  CHECK(sum->input_tokens == 2);
  CHECK(sum->output_tokens == 4);
  CHECK(sum->reasoning_tokens == 6);
  CHECK(sum->cached_tokens == 8);
  CHECK(journal.tokens(world.batch + 1)->input_tokens == 0);
  CHECK(*journal.has_item("d"));
  CHECK_FALSE(*journal.has_item("e"));
  const auto add = [&](const char* id, Outcome outcome, const char* reason, std::int64_t ticks) {
    REQUIRE(*journal.add_result(
        world.batch, {.id = id, .outcome = outcome, .reason = reason, .cost_ticks = ticks}, "{}"));
  };
  add("a", Outcome::Failed, "x 1", 5);
  add("b", Outcome::Failed, "y", 3);
  add("c", Outcome::Failed, "x 2", 0);
  add("d", Outcome::Succeeded, "", 4);
  using Reasons = std::vector<std::pair<std::string, std::int64_t>>;
  CHECK(*journal.reasons() == Reasons{{"x N", 2}, {"y", 1}});
  CHECK(*journal.dearest() == 5);
  CHECK(journal.totals()->cost_ticks == 12);
  std::string all;
  REQUIRE(journal.for_each_of(world.batch, [&](std::int64_t ordinal, Outcome outcome,
                                               std::string_view json) {
    all += std::to_string(ordinal) + std::to_string(static_cast<int>(outcome)) + std::string(json);
  }));
  CHECK(all == "11{}21{}31{}40{}");
}

TEST_CASE("a batch is kept with all that is known of it") {
  World world(1);
  Journal& journal = world.journal;
  const auto kept = [&] {
    const JournalBatch batch = journal.batches()->back();
    return std::to_string(batch.number) + " " + batch.name + " " + batch.remote_id + " " +
           batch.file_id + " " + std::to_string(static_cast<int>(batch.stage)) + " " +
           std::to_string(batch.assigned) + " " + std::to_string(batch.cost_ticks) + " " +
           batch.token + " " + std::to_string(batch.created_at);
  };
  auto batch = journal.add_batch({.name = "n",
                                  .remote_id = "r",
                                  .file_id = "f",
                                  .stage = BatchStage::Open,
                                  .assigned = 3,
                                  .cost_ticks = 4,
                                  .token = "t",
                                  .created_at = 5});
  REQUIRE(batch);
  CHECK(batch->number == world.batch + 1);
  const std::string open = std::to_string(static_cast<int>(BatchStage::Open));
  const std::string closed = std::to_string(static_cast<int>(BatchStage::Closed));
  CHECK(kept() == std::to_string(batch->number) + " n r f " + open + " 3 4 t 5");
  batch->remote_id = "r2";
  batch->file_id = "f2";
  batch->stage = BatchStage::Closed;
  batch->assigned = 6;
  batch->cost_ticks = 7;
  batch->token = "t2";
  batch->created_at = 8;
  REQUIRE(journal.save_batch(*batch));
  CHECK(kept() == std::to_string(batch->number) + " n r2 f2 " + closed + " 6 7 t2 8");
}

TEST_CASE("a range of which one item cannot be kept is left as it was") {
  World world(1);
  Journal& journal = world.journal;
  REQUIRE(journal.add_range({.ordinal = 2, .lines = 2, .items = 2, .line = 2}));
  CHECK_FALSE(journal.fill({.ordinal = 2}, {{.ordinal = 2, .id = "b"}, {.ordinal = 3, .id = "a"}}));
  CHECK_FALSE(*journal.has_item("b"));
  const auto range = journal.next_range();
  REQUIRE((range && *range));
  CHECK((*range)->ordinal == 2);
  CHECK(journal.fill(**range, {{.ordinal = 2, .id = "b"}, {.ordinal = 3, .id = "c"}}));
  CHECK(*journal.has_item("c"));
  CHECK_FALSE(journal.next_range()->has_value());
}

TEST_CASE("the description of an earlier version is brought up to date, a newer one is refused") {
  const test::TempDirectory directory;
  const std::string path = (directory.path() / "journal.db").string();
  REQUIRE(Journal::open(path));
  const auto change = [&](const std::string& sql) {
    auto database = Database::open(path, "the journal");
    REQUIRE(database);
    REQUIRE(database->run(sql.c_str()));
  };
  change(
      "DELETE FROM facts WHERE name = 'format'; INSERT INTO facts VALUES('description', "
      "'format: 2\nservice: x\nskip-invalid: no\nby file: no\n\nshard: 1 of 1\n');");
  for (int again = 0; again < 2; ++again) {
    auto journal = Journal::open(path);
    REQUIRE(journal);
    CHECK(journal->fact("description")->value_or("") == "service: x\nshard: 1 of 1\n");
    CHECK(journal->fact("format")->value_or("") == std::to_string(k_journal_format));
  }
  const std::string newer = std::to_string(k_journal_format + 1);
  change("UPDATE facts SET value = '" + newer + "' WHERE name = 'format';");
  const auto refused = Journal::open(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Local);
  CHECK(refused.error().message ==
        "the journal '" + path + "' was written by a newer svc (format " + newer +
            "; this svc reads up to " + std::to_string(k_journal_format) + ")");
  CHECK(refused.error().hint == "Nothing was sent. Update svc to resume the run.");
}
