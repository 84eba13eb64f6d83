// What a run says: its progress, its notes, and why it refuses to go on.
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.h"
#include "batch_world.h"

using namespace svc;
using namespace svc::test;
using std::chrono::milliseconds;

namespace {

using Texts = std::vector<std::string>;

Error error_of(BatchWorld& world) {
  const Result<void> ended = world.run();
  REQUIRE_FALSE(ended);
  return ended.error();
}

/// Reasons of the requests that did not succeed.
Texts reasons_of(const BatchWorld& world) {
  auto journal = batch::Journal::open(world.options.journal);
  REQUIRE(journal);
  const auto reasons = journal->reasons();
  REQUIRE(reasons);
  Texts all;
  for (const auto& [reason, count] : *reasons) {
    all.push_back(fmt::format("{} {}", count, reason));
  }
  return all;
}

}  // namespace

TEST_CASE("progress counts bytes while checking, then requests") {
  const std::string input = BatchWorld::requests(600);
  BatchWorld world(input);
  world.options.sending.call_items = 250;
  world.service.page = 1000;
  world.service.running_looks = 1;
  REQUIRE(world.run());
  const auto to_line = [&](int lines) {
    return fmt::format("checked {}/{}", BatchWorld::requests(lines).size() - 1, input.size());
  };
  CHECK(world.progress == Texts{to_line(256), to_line(512), "sent 0/600", "sent 250/600",
                                "sent 500/600", "sent 600/600", "done 0/600", "done 600/600"});
  world.progress.clear();
  REQUIRE(world.run());
  CHECK(world.progress.empty());
}

TEST_CASE("results are handed over as they arrive, and what was paid") {
  BatchWorld world(BatchWorld::requests(3));
  Texts live;
  int groups = 0;
  world.watch.result = [&](const batch::Finished& one, std::string_view line) -> Result<void> {
    live.push_back(one.location.id + (line.find("\"request\":") == line.npos ? "" : "+"));
    return {};
  };
  world.watch.results_end = [&]() -> Result<void> {
    ++groups;
    return {};
  };
  world.options.with_input = true;
  REQUIRE(world.run());
  CHECK(live == Texts{"r1+", "r2+", "r3+"});
  CHECK(groups >= 1);
  CHECK(world.lines[0].ends_with(
      R"(,"request":{"batch_request_id":"r1","batch_request":{"responses":{"input":"say 1"}}}})"));
}

TEST_CASE("results are read while a batch runs, once there are more of either kind") {
  BatchWorld world(BatchWorld::requests(3));
  world.service.partly = {{0, 1}, {0, 1}, {1, 1}};
  world.service.answer = [](const std::string& id) {
    return id == "r1" ? std::string(R"({"error":"no"})") : CountingService::good();
  };
  Texts live;
  world.service.silent = {"r2", "r3"};
  world.service.before_call = [&](int call) {
    live.push_back(std::to_string(call));
    if (call == 6) world.service.silent = {"r3"};
    if (call == 8) world.service.silent.clear();
  };
  world.watch.result = [&](const batch::Finished& one, std::string_view) -> Result<void> {
    live.push_back(one.location.id);
    return {};
  };
  REQUIRE(world.run());
  // Created, added; a look and the first result; two looks, as nothing is new at the first of them;
  // a look and the rest.
  CHECK(live == Texts{"1", "2", "3", "4", "r1", "5", "6", "7", "r2", "8", "9", "r3"});
  CHECK(world.progress == Texts{"sent 0/3", "sent 3/3", "done 1/3", "done 2/3", "done 3/3"});
}

TEST_CASE("once drained, not even the rest of the files is sent") {
  for (const bool by_file : {false, true}) {
    for (const int at : {1, 2}) {
      CAPTURE(by_file);
      CAPTURE(at);
      BatchWorld world(BatchWorld::requests(12));
      world.options.sending.call_items = 3;
      world.options.sending.batch_items = 6;
      if (by_file)
        world.options.sending.format = world.options.reading.sent_as = batch::RequestFormat::File;
      CancelSource drain;
      world.options.drain = &drain;
      world.service.before_call = [&](int call) {
        if (call == at) drain.cancel();
      };
      CHECK(error_of(world).fault == Fault::Interrupted);
      CHECK(world.service.calls <= 2);
    }
  }
}

TEST_CASE("a lost answer is looked into after a pause that doubles") {
  BatchWorld world(BatchWorld::requests(1));
  for (int at = 1; at < 100; ++at) world.service.mishaps[at] = Mishap::LostBefore;
  // The list that shows whether the batch exists is lost, too.
  CHECK(error_of(world).message == "the answer was lost");
  CHECK(world.elapsed == milliseconds(1'000));
  CHECK(world.notes == Texts{"the answer was lost; checking what arrived before continuing"});

  BatchWorld file(BatchWorld::requests(1));
  file.options.sending.format = file.options.reading.sent_as = batch::RequestFormat::File;
  for (int at = 1; at < 100; ++at) file.service.mishaps[at] = Mishap::LostBefore;
  CHECK(error_of(file).message == "the answer was lost");
  // Uploads are repeated, five times.
  CHECK(file.elapsed == milliseconds(1'000 + 2'000 + 4'000 + 8'000 + 16'000));
  CHECK(file.notes.size() == 5);
  CHECK(file.service.calls == 6);
  file.service.mishaps.clear();
  REQUIRE(file.run());
  CHECK(file.each_once(1));
}

TEST_CASE("a batch that may have been created is looked for, for fifteen seconds") {
  BatchWorld world(BatchWorld::requests(1));
  world.options.sending.format = world.options.reading.sent_as = batch::RequestFormat::File;
  world.service.mishaps[2] = Mishap::KilledBefore;
  CHECK_FALSE(world.run());
  const milliseconds before = world.elapsed;
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"the last run ended while it created a batch; checking whether the "
                             "batch exists"});
  CHECK(world.elapsed - before == milliseconds(15'000));
  CHECK(world.each_once(1));

  BatchWorld late(BatchWorld::requests(1));
  late.options.sending.format = late.options.reading.sent_as = batch::RequestFormat::File;
  late.service.mishaps[2] = Mishap::KilledBefore;
  CHECK_FALSE(late.run());
  late.elapsed += milliseconds(15'000);
  late.service.before_create = [&](const std::string& name) {
    late.service.batches.push_back({"batch_late", name});
    late.service.before_create = {};
  };
  REQUIRE(late.run());
  CHECK(late.notes == Texts{"the batch was created twice; canceling batch_late"});
}

TEST_CASE("a request that the service refuses is named when it is skipped") {
  BatchWorld world(BatchWorld::requests(5));
  world.service.refuses = "say 4";
  world.options.skip_invalid = world.options.sending.skip_rejected = true;
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"line 4 was skipped: the model does not support batches"});
  CHECK(reasons_of(world) == Texts{"1 the model does not support batches"});
  // One call with all, then with halves of what was refused; and with more again after that.
  BatchWorld many(BatchWorld::requests(64));
  many.service.refuses = "say 3\"";
  many.options.sending.call_items = 64;
  many.options.skip_invalid = many.options.sending.skip_rejected = true;
  REQUIRE(many.run());
  CHECK(many.totals.succeeded == 63);
  CHECK(many.service.add_calls <= 20);
  BatchWorld one(BatchWorld::requests(1));
  one.service.refuses = "say 1";
  CHECK(error_of(one).message ==
        "line 1 of '" + one.options.input + "' rejected: the model does not support batches");
}

TEST_CASE("calls keep to the service's limits: their number, their bytes, and those at once") {
  BatchWorld many(BatchWorld::requests(120));
  many.options.sending.call_items = 1;
  REQUIRE(many.run());
  CHECK(many.service.add_calls == 120);
  CHECK(many.elapsed >= milliseconds(30'000));
  CHECK(many.elapsed < milliseconds(60'000));

  const std::size_t size =
      std::string(R"({"batch_request_id":"r1","batch_request":{"responses":{"input":"say 1"}}})")
          .size();
  for (const bool fits : {true, false}) {
    BatchWorld two(BatchWorld::requests(2));
    two.options.sending.call_bytes = 2 * size + batch::k_limit_bytes - (fits ? 0 : 1);
    REQUIRE(two.run());
    CHECK(two.service.add_calls == (fits ? 1 : 2));
  }
  for (const bool alone : {true, false}) {
    BatchWorld large(BatchWorld::requests(10));
    large.options.sending.call_items = 1;
    large.options.sending.call_bytes = batch::k_max_bytes_at_once - (alone ? 0 : 1'000);
    REQUIRE(large.run());
    CHECK((large.service.most_under_way == 1) == alone);
  }
}

TEST_CASE("why a request has no result") {
  const auto reasons = [](const auto& change) {
    BatchWorld world(BatchWorld::requests(2));
    change(world);
    (void)world.run();
    return reasons_of(world);
  };
  CHECK(reasons([](BatchWorld& world) { world.service.silent = {"r2"}; }) ==
        Texts{"1 the service returned no result"});
  const auto cancel = [](BatchWorld& world) {
    world.service.before_call = [&world](int call) {
      if (call == 3) world.service.batches.front().canceled = true;
    };
  };
  CHECK(reasons(cancel) == Texts{"2 the batch was canceled"});
  CHECK(reasons([&](BatchWorld& world) {
          cancel(world);
          world.service.has_cancel_time = false;
        }) == Texts{"2 the batch was canceled"});
  CHECK(reasons([&](BatchWorld& world) {
          cancel(world);
          world.service.cancel_message = "abuse";
        }) == Texts{"2 the service canceled the batch: abuse"});
  CHECK(reasons([](BatchWorld& world) {
          world.service.running = true;
          world.service.expire_time = "2027-01-10";
          world.service.served_at = 1'800'000'000;
        }) == Texts{"2 the batch expired"});
}

TEST_CASE("results that are late are waited for, three times") {
  BatchWorld world(BatchWorld::requests(2));
  world.service.silent = {"r2"};
  REQUIRE(world.run());
  CHECK(world.elapsed == milliseconds(3'000));
  CHECK(world.totals.unknown == 1);
  BatchWorld own(BatchWorld::requests(2));
  own.options.poll_interval = milliseconds(20);
  own.service.silent = {"r2"};
  own.service.before_call = [&](int) {
    if (own.elapsed == milliseconds(40)) own.service.silent.clear();
  };
  REQUIRE(own.run());
  CHECK(own.totals.succeeded == 2);
  CHECK(own.elapsed == milliseconds(40));
}

TEST_CASE("results of other requests are ignored, and said") {
  BatchWorld world(BatchWorld::requests(2));
  world.service.before_call = [&](int call) {
    if (call == 3) world.service.batches.front().ids.emplace_back("another");
  };
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"the batches contain requests that are not part of this run; they "
                             "were ignored"});
  CHECK(world.lines.size() == 2);
}

TEST_CASE("lines that are wrong are counted") {
  const auto error = [](const std::string& input, const auto& change) {
    BatchWorld world(input);
    change(world.options);
    const Error found = error_of(world);
    CHECK(found.fault == Fault::Usage);
    CHECK(world.service.calls == 0);
    CHECK_FALSE(std::filesystem::exists(world.options.journal));
    return replace_all(found.message, world.options.input, "in") + " | " + found.hint;
  };
  const auto as_is = [](batch::RunOptions&) {};
  const std::string two = BatchWorld::requests(1) + "x\n";
  CHECK(error(two, as_is) ==
        "1 of 2 lines in 'in' are invalid; nothing was sent | Fix them, or skip them with "
        "--skip-invalid.");
  CHECK(error("x\n", [](batch::RunOptions& options) { options.from_stdin = true; }) ==
        "1 of 1 lines in standard input are invalid; nothing was sent | Fix them, or skip them "
        "with --skip-invalid. If they are prompts, pass --input-form txt.");
  CHECK(error("a\xFF\n", [](batch::RunOptions& options) {
          options.from_stdin = true;
          options.reading.format = batch::InputFormat::Prompts;
        }).ends_with("--skip-invalid."));
  CHECK(error("\n", as_is) == "no requests in 'in' | ");
  CHECK(error(BatchWorld::requests(1), [](batch::RunOptions& options) {
          options.shard = {2, 2};
        }) == "no requests in 'in' for this shard | ");
  // An encoding that is not UTF-8 cannot be skipped.
  CHECK(error("\xFF\xFEx", [](batch::RunOptions& options) {
          options.skip_invalid = true;
        }).starts_with("1 of 1 lines in 'in' are invalid; "));
}

TEST_CASE("what has changed since a run began is named") {
  const auto error = [](const auto& change) {
    BatchWorld world(BatchWorld::requests(2));
    world.options.reading.model = "m";
    world.options.reading.text = std::string(40, 'x') + "{}";
    world.service.running = true;
    world.options.wait_timeout = milliseconds(0);
    CHECK(error_of(world).message == "timed out after 0 ms");
    change(world);
    const Error found = error_of(world);
    CHECK(found.fault == Fault::Usage);
    CHECK(found.hint.find("(this journal is '" + world.options.journal + "').") !=
          std::string::npos);
    return replace_all(found.message, world.options.input, "in") + " | " +
           found.hint.substr(0, found.hint.find(" (this"));
  };
  const std::string undo =
      " | Undo the change to resume the run. --restart resends everything with the current ";
  const std::string both = "; --journal FILE keeps both runs";
  CHECK(error([](BatchWorld& world) {
          world.directory.write("in.jsonl", BatchWorld::requests(3));
        }) == "'in' has changed since its run began; nothing was sent" + undo + "input" + both);
  CHECK(error([](BatchWorld& world) { world.options.reading.model = "n"; }) ==
        "the run was started with --model 'm', not 'n'" + undo + "options" + both);
  CHECK(error([](BatchWorld& world) { world.options.destination = "there"; }) ==
        "the run was started with service 'here', not 'there'" + undo + "options" + both);
  CHECK(error([](BatchWorld& world) { world.options.reading.text.clear(); }) ==
        "the run was started with --template '" + std::string(40, 'x') + "{}', not ''" + undo +
            "options" + both);
  // Of long values, what is around the difference.
  CHECK(error([](BatchWorld& world) {
          world.options.reading.text = std::string(40, 'x') + "-{}";
        }) == "the run was started with --template '…" + std::string(30, 'x') + "{}', not '…" +
                  std::string(30, 'x') + "-{}'" + undo + "options" + both);
  CHECK(error([](BatchWorld& world) {
          world.options.reading.text = std::string(30, 'x') + "{}";
        }) == "the run was started with --template '" + std::string(40, 'x') + "{}', not '" +
                  std::string(30, 'x') + "{}'" + undo + "options" + both);
  CHECK(error([](BatchWorld& world) { world.options.jobs = 2; }) ==
        "the run was started with a different set of options" + undo + "options" + both);
  // A finished run need not be resumed.
  BatchWorld world(BatchWorld::requests(1));
  REQUIRE(world.run());
  world.options.reading.model = "n";
  CHECK(error_of(world).hint.starts_with("--restart resends"));
}

TEST_CASE("the limit of a wait ends it, and a rerun goes on") {
  BatchWorld world(BatchWorld::requests(1));
  world.service.running = true;
  world.options.wait_timeout = milliseconds(2'500);
  const Error late = error_of(world);
  CHECK(late.fault == Fault::Timeout);
  CHECK(late.message == "timed out after 2.5 s");
  CHECK(late.hint == "The batches keep running; rerun the command to wait for them.");
  // Polled after 1 s and 1.5 s more.
  CHECK(world.elapsed == milliseconds(2'500));
  world.service.running = false;
  REQUIRE(world.run());
  CHECK(world.each_once(1));
}

TEST_CASE("what a restart leaves behind is said for each batch that runs") {
  BatchWorld world(BatchWorld::requests(3));
  world.options.sending.batch_items = 1;
  world.service.before_call = [&](int call) {
    if (call == 8) world.service.running = true;  // the first batch is collected before
  };
  world.options.wait_timeout = milliseconds(1);
  (void)error_of(world);
  world.service.running = false;
  world.service.before_call = {};
  world.options.restart = true;
  REQUIRE(world.run());
  REQUIRE(world.notes.size() >= 2);
  CHECK(world.notes[0] == "the earlier run was not finished: 3 of 3 requests were sent");
  CHECK(world.notes.back() ==
        "its batch batch_3 is still running; `svc batches cancel batch_3` cancels it");
  CHECK(world.notes.size() == 3);
  world.notes.clear();
  REQUIRE(world.run());  // it was finished
  CHECK(world.notes.empty());
}

TEST_CASE("what is sent again is counted") {
  BatchWorld world(BatchWorld::requests(3));
  world.service.answer = [](const std::string& id) {
    return id == "r2" ? std::string(R"({"error":"no"})") : CountingService::good();
  };
  REQUIRE(world.run());
  world.options.retry_failed = true;
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"resending 1 request"});
  world.service.answer = {};
  world.notes.clear();
  REQUIRE(world.run());
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"resending 1 request"});
  CHECK(world.service.counts().at("r2") == 3);
}

TEST_CASE("the words about a budget") {
  BatchWorld world(BatchWorld::requests(2));
  world.service.running = true;
  world.service.cost_while_running = 40'000'000'000;
  world.options.budget.limit = 30'000'000'000;
  const Error over = error_of(world);
  CHECK(over.message == "spent $4.00 of --max-cost $3.00; the rest was canceled");
  CHECK(world.notes == Texts{"spent $4.00 of --max-cost $3.00; pending requests are being "
                             "canceled"});
  BatchWorld done(BatchWorld::requests(2));
  done.options.budget.limit = 199;
  REQUIRE(done.run());
  CHECK(done.notes == Texts{"spent $0.00000002 of --max-cost $0.0000000199; all of it was already "
                            "in flight"});
  BatchWorld exact(BatchWorld::requests(2));
  exact.options.budget.limit = 200;
  REQUIRE(exact.run());
  CHECK(exact.notes.empty());
}

TEST_CASE("the journal is beside the input, or where the state is kept") {
  const TempDirectory directory;
  const std::string here = directory.path().string();
  CHECK(batch::default_journal_stem(here + "/in.txt", {}, "/state") == here + "/in.txt");
  CHECK(batch::default_journal_stem(here + "/in.txt", {2, 3}, "/state") == here + "/in.txt.2-of-3");
  CHECK(batch::default_journal_stem("in.txt", {}, "/state") == "in.txt");
  const std::string away = here + "/none/in.txt";
  CHECK(batch::default_journal_stem(away, {}, "") == away);
  const std::string kept = batch::default_journal_stem(away, {1, 2}, "/state");
  CHECK(kept.starts_with("/state/batches/"));
  CHECK(kept.ends_with("-in.txt.1-of-2"));
  CHECK(kept.size() == std::string("/state/batches/0123456789abcdef-in.txt.1-of-2").size());
  CHECK(batch::default_journal_stem(here + "/other/in.txt", {1, 2}, "/state") != kept);
}

TEST_CASE("a journal with the name of an earlier version is found if its options are the same") {
  for (const bool same : {true, false}) {
    BatchWorld world(BatchWorld::requests(2));
    world.options.journal_stem = world.options.input;
    world.options.journal = world.options.input + ".svc-journal";
    REQUIRE(world.run());
    world.options.journal.clear();
    if (!same) world.options.destination = "there";
    REQUIRE(world.run());
    CHECK(world.finished == same);
    CHECK(world.service.batches.size() == (same ? 1 : 2));
    CHECK(std::filesystem::exists(batch::journal_path(world.options)) != same);
  }
}

TEST_CASE("an input from standard input leaves no copy behind") {
  BatchWorld world(BatchWorld::requests(1));
  world.options.from_stdin = true;
  REQUIRE(world.run());
  CHECK_FALSE(std::filesystem::exists(world.options.input));
}

TEST_CASE("a batch of which the service takes nothing is over at once") {
  BatchWorld world(BatchWorld::requests(1));
  world.service.refuses = "say 1";
  world.options.skip_invalid = world.options.sending.skip_rejected = true;
  REQUIRE(world.run());
  CHECK(world.notes == Texts{"line 1 was skipped: the model does not support batches"});
  CHECK(world.totals.failed == 1);
  CHECK(world.elapsed == milliseconds(0));
  REQUIRE(world.service.batches.size() == 1);
  CHECK(world.service.batches[0].ids.empty());
  const int calls = world.service.calls;
  REQUIRE(world.run());
  CHECK(world.finished);
  CHECK(world.service.calls == calls);
}

TEST_CASE("a batch that may have been created is looked for on every page") {
  BatchWorld world(BatchWorld::requests(2));
  world.options.sending.batch_items = 1;
  world.service.page = 1;
  world.service.mishaps[3] = Mishap::KilledAfter;
  CHECK_FALSE(world.run());
  REQUIRE(world.service.batches.size() == 2);
  REQUIRE(world.run());
  CHECK(world.service.batches.size() == 2);
  CHECK(world.each_once(2));
}

TEST_CASE(
    "an input that changes while it is sent ends the run once what is in flight is answered") {
  BatchWorld world(BatchWorld::requests(3));
  world.options.sending.call_items = 1;
  world.service.before_call = [&](int call) {
    if (call == 2) {
      world.directory.write("in.jsonl", replace_all(BatchWorld::requests(3), "say", "SAY"));
    }
  };
  const Error changed = error_of(world);
  CHECK(changed.fault == Fault::Local);
  CHECK(replace_all(changed.message, world.options.input, "in") ==
        "'in' has changed since it was checked: line 2 or a later line is different");
  CHECK(world.each_once(1));
  world.service.before_call = {};
  world.directory.write("in.jsonl", BatchWorld::requests(3));
  REQUIRE(world.run());
  CHECK(world.each_once(3));
}
