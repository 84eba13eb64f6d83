// What a run has spent, what it keeps reserved of the day, and what is recorded.
#include "session/cost_tracker.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/atomic_file.h"
#include "catalogue/catalogue.h"
#include "operation/batch_view.h"
#include "unit/cli/call_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

constexpr std::int64_t k_limit = 1000;  // ticks a day

/// A profile with a limit for the day, whose requests cost what a test says.
struct DayStage {
  DayStage() : err(print::string_sink(said)), notices(err, {}) {}

  CostTracker::Owner owner() {
    CostTracker::Owner one{.profile = "p", .command = "chat create", .day_limit = k_limit};
    one.spent = spent;
    one.quote = [this](const Operation&, const Payload&) { return quote; };
    return one;
  }
  /// What another process could still spend today.
  std::int64_t left() {
    CostTracker::Owner other{.profile = "p", .day_limit = k_limit, .sends_nothing = true};
    CostTracker tracker(other, notices);
    std::int64_t fits = 0;
    for (std::int64_t step = 512; step > 0; step /= 2) {
      const auto reserved = tracker.reserve_known(fits + step, "m");
      if (!reserved || !*reserved) continue;
      tracker.settle((*reserved)->number, SpendEnd::NotRun, "");
      fits += step;
    }
    return fits;
  }
  /// Sends a request; its number.
  std::uint64_t sent(CostTracker& tracker, const char* group = "chat",
                     const char* verb = "create") {
    Payload body = std::string("{}");
    const auto reserved = tracker.reserve(*find_operation(group, verb), body);
    REQUIRE(reserved);
    REQUIRE(*reserved);
    return (*reserved)->number;
  }

  StateHere state{};
  std::string said{};
  print::Out err;
  print::Notices notices;
  std::shared_ptr<SharedSpending> spent = std::make_shared<SharedSpending>();
  Quote quote{};
};

Quote up_to(std::int64_t ticks) {
  return {.model = "q", .least = ticks / 2, .fixed = ticks, .limited = true, .most = ticks};
}

Quote exactly(std::int64_t ticks) {
  return {.model = "q",
          .least = ticks,
          .about = ticks,
          .fixed = ticks,
          .most = ticks,
          .by_quantity = true};
}

constexpr const char* k_cost_of_300 =
    R"({"request_id":"r","usage":{"prompt_tokens":4,"completion_tokens":2,"cost_in_usd_ticks":300}})";

}  // namespace

TEST_CASE("what a document says that it cost stays reserved of the day until it is recorded") {
  DayStage day;
  day.quote = up_to(600);
  {
    CostTracker tracker(day.owner(), day.notices);
    const auto number = day.sent(tracker);
    CHECK(day.left() == 400);
    CHECK(day.spent->spent() == 0);
    tracker.settle(number, SpendEnd::Answered, k_cost_of_300);
    CHECK(day.spent->spent() == 300);
    tracker.record({.id = "a",
                    .model = "m",
                    .usage = {.input_tokens = 4, .output_tokens = 2, .cost_ticks = 300}});
    CHECK(day.spent->spent() == 300);
    CHECK(day.left() == 700);
  }
  CHECK(day.left() == 700);
  CHECK(recorded() == "1 of m: 4 in (0 cached), 2 out (0 reasoning), 300 ticks, 0 unpriced\n");
  CHECK(recorded(history::UsageBy::Command) ==
        "1 of chat create: 4 in (0 cached), 2 out (0 reasoning), 300 ticks, 0 unpriced\n");
  CHECK(day.said.empty());
}

TEST_CASE("what is billed counts at once, and when it is recorded only what is more") {
  for (const auto& [billed, costs, total] :
       {std::tuple(300, 300, 300), {300, 400, 400}, {300, 200, 300}, {0, 300, 300}}) {
    CAPTURE(billed);
    CAPTURE(costs);
    DayStage day;
    {
      CostTracker tracker(day.owner(), day.notices);
      if (billed > 0) tracker.bill(billed);
      CHECK(day.spent->spent() == billed);
      CHECK_FALSE(tracker.reserve_known(k_limit - billed + 1, "m"));
      tracker.record({.model = "m", .usage = {.cost_ticks = costs}});
      CHECK(day.spent->spent() == total);
      CHECK(day.left() == k_limit - total);
    }
    // What was billed and never recorded is lost.
    CHECK(day.left() == k_limit - total);
    CHECK(
        recorded() ==
        fmt::format("1 of m: 0 in (0 cached), 0 out (0 reasoning), {} ticks, 0 unpriced\n", costs));
  }
}

TEST_CASE("a request that did not run costs nothing, and one whose answer was lost all of it") {
  for (const auto& [end, spent] :
       {std::pair(SpendEnd::NotRun, 0), {SpendEnd::Unknown, 600}, {SpendEnd::Answered, 600}}) {
    CAPTURE(spent);
    DayStage day;
    day.quote = up_to(600);
    {
      CostTracker tracker(day.owner(), day.notices);
      const auto number = day.sent(tracker);
      tracker.settle(number, end, "{}");
      CHECK(day.spent->spent() == spent);
      CHECK(day.left() == k_limit - spent);
      tracker.settle(number, end, "{}");  // once only
      tracker.settle_shown(number);
      tracker.settle_known(number, 5);
      CHECK(day.spent->spent() == spent);
    }
    CHECK(day.left() == k_limit - spent);
    CHECK(recorded().empty());
  }
  // One in flight when the run ends was sent, perhaps.
  DayStage day;
  day.quote = up_to(600);
  {
    CostTracker tracker(day.owner(), day.notices);
    day.sent(tracker);
  }
  CHECK(day.spent->spent() == 600);
  CHECK(day.left() == 400);
}

TEST_CASE(
    "a request of a known price is recorded when it is answered, unless its answer says more") {
  DayStage day;
  day.quote = exactly(600);
  CostTracker tracker(day.owner(), day.notices);
  tracker.settle(day.sent(tracker, "images", "generate"), SpendEnd::Answered,
                 R"({"request_id":"r"})");
  CHECK(day.spent->spent() == 600);
  CHECK(day.left() == 400);
  CHECK(recorded() == "1 of q: 0 in (0 cached), 0 out (0 reasoning), 600 ticks, 0 unpriced\n");
  day.quote = exactly(400);
  tracker.settle(day.sent(tracker, "images", "generate"), SpendEnd::Answered, k_cost_of_300);
  CHECK(day.spent->spent() == 900);
  CHECK(recorded() == "1 of q: 0 in (0 cached), 0 out (0 reasoning), 600 ticks, 0 unpriced\n");
}

TEST_CASE("what is only shown leaves less by what it costs at least") {
  for (const auto& [quote, least] : {std::pair(up_to(600), 300), {exactly(600), 600}}) {
    CAPTURE(least);
    DayStage day;
    day.quote = quote;
    CostTracker::Owner owner = day.owner();
    owner.sends_nothing = true;
    {
      CostTracker tracker(owner, day.notices);
      tracker.settle_shown(day.sent(tracker));
      CHECK(day.spent->spent() == least);
      CHECK_FALSE(tracker.reserve_known(k_limit - least + 1, "m"));
      const auto fits = tracker.reserve_known(k_limit - least, "m");
      REQUIRE(fits);
      REQUIRE(*fits);
      tracker.settle((*fits)->number, SpendEnd::NotRun, "");
      CHECK(day.left() == k_limit);
    }
    CHECK(day.spent->spent() == 0);
    CHECK(recorded().empty());
  }
}

TEST_CASE("time that was reserved is replaced by what was used, and recorded") {
  DayStage day;
  CostTracker tracker(day.owner(), day.notices);
  const auto pay = [&](std::int64_t most, std::int64_t used) {
    const auto reserved = tracker.reserve_known(most, "m");
    REQUIRE(reserved);
    REQUIRE(*reserved);
    CHECK((*reserved)->ticks == most);
    CHECK((*reserved)->unreported == most);
    tracker.settle_known((*reserved)->number, used);
  };
  pay(600, 250);
  CHECK(day.spent->spent() == 250);
  CHECK(day.left() == 750);
  pay(700, 0);
  CHECK(day.spent->spent() == 250);
  CHECK(day.left() == 750);
  CHECK(recorded() == "1 of m: 0 in (0 cached), 0 out (0 reasoning), 250 ticks, 0 unpriced\n");
}

TEST_CASE("without a limit only what no answer reports is reserved") {
  DayStage day;
  CostTracker::Owner owner = day.owner();
  owner.day_limit.reset();
  CostTracker tracker(owner, day.notices);
  day.quote = exactly(600);
  CHECK(day.sent(tracker) == 0);  // its answer reports the cost
  CHECK(day.sent(tracker, "tts", "speak") == 1);
  day.quote = up_to(600);
  CHECK(day.sent(tracker, "tts", "speak") == 0);
  tracker.settle(1, SpendEnd::Answered, "");
  CHECK(recorded() == "1 of q: 0 in (0 cached), 0 out (0 reasoning), 600 ticks, 0 unpriced\n");
  CHECK(day.spent->spent() == 600);
}

TEST_CASE("several costs are recorded in one write, without those that say nothing") {
  DayStage day;
  CostTracker tracker(day.owner(), day.notices);
  const std::vector<CostEntry> entries = {
      {.model = "a", .usage = {.cost_ticks = 5}},   {.model = "b"},
      {.model = "c", .usage = {.input_tokens = 1}}, {.model = "d", .usage = {.output_tokens = 1}},
      {.model = "e", .interrupted = true},          {.model = "f", .usage = {.cost_ticks = 0}},
      {.model = "a", .usage = {.cost_ticks = 7}}};
  tracker.record_new(entries);
  CHECK(day.spent->spent() == 12);
  CHECK(recorded() ==
        "2 of a: 0 in (0 cached), 0 out (0 reasoning), 12 ticks, 0 unpriced\n"
        "1 of c: 1 in (0 cached), 0 out (0 reasoning), 0 ticks, 1 unpriced\n"
        "1 of d: 0 in (0 cached), 1 out (0 reasoning), 0 ticks, 1 unpriced\n"
        "1 of e: 0 in (0 cached), 0 out (0 reasoning), 0 ticks, 1 unpriced\n"
        "1 of f: 0 in (0 cached), 0 out (0 reasoning), 0 ticks, 0 unpriced\n");
  tracker.record_new(std::span(entries).subspan(1, 1));
  CHECK(day.spent->spent() == 12);
}

TEST_CASE("a ledger that cannot be written is reported once, and then in detail") {
  for (const bool verbose : {false, true}) {
    CAPTURE(verbose);
    const StateHere state;
    // A file is where its directory should be.
    const auto directory = std::filesystem::path(state.file("ledger")).parent_path();
    REQUIRE(write_file(directory.string(), "", Replace::Yes, 0600));
    std::string said;
    print::Out err(print::string_sink(said));
    print::Notices notices(err, {.verbose = verbose});
    CostTracker tracker({.profile = "p"}, notices);
    const CostEntry entry{.model = "m", .usage = {.cost_ticks = 5}};
    tracker.record(entry);
    tracker.record(entry);
    const std::string why = fmt::format(
        "the cost of this request was not recorded: cannot create the directory '{0}': '{0}' is "
        "not a directory\n",
        directory.string());
    CHECK(said == "svc: warning: " + why + (verbose ? why : ""));
    CHECK(tracker.spending().spent() == 10);
  }
}

TEST_CASE("the cost of an answer is told in a line or a document, if it is to be told") {
  for (const bool tells : {true, false}) {
    std::string said;
    print::Out err(print::string_sink(said));
    print::Notices notices(err, {.verbose = true});
    CostTracker tracker({.profile = "p", .tells = tells}, notices);
    tracker.print({.sources = 3});
    CHECK(said.empty());
    tracker.print({.input_tokens = 7, .output_tokens = 2, .cached_tokens = 5});
    CHECK(said == std::string("5 tokens came from the prompt cache\n") +
                      (tells ? "7 tokens in (5 cached), 2 out\n" : ""));
    said.clear();
    notices.set_json(true);
    tracker.print({.input_tokens = 7,
                   .output_tokens = 2,
                   .reasoning_tokens = 1,
                   .cached_tokens = 0,
                   .cost_ticks = 9});
    tracker.print({.output_tokens = 2});
    CHECK(
        said ==
        (tells
             ? R"({"usage":{"input_tokens":7,"output_tokens":2,"cached_tokens":0,"reasoning_tokens":1,"cost_in_usd_ticks":9}})"
               "\n"
               R"({"usage":{"input_tokens":0,"output_tokens":2,"cached_tokens":0,"reasoning_tokens":0,"cost_in_usd_ticks":null}})"
               "\n"
             : ""));
  }
}

TEST_CASE("an open answer gets the share of one of the requests at once") {
  const Quote open{
      .least = 0, .about = 0, .fixed = 0, .output = 100'000, .output_price = 1, .most = 100'000};
  for (const auto& [parallel, tokens] :
       {std::pair(0U, 90'000), {1U, 90'000}, {2U, 45'000}, {3U, 30'000}}) {
    CAPTURE(parallel);
    SharedSpending spending;
    spending.set_parallel(parallel);
    const auto granted = spending.reserve(Budget{90'000}, open, {});
    REQUIRE(granted);
    REQUIRE(*granted);
    CHECK((*granted)->tokens == tokens);
    CHECK((*granted)->ticks == tokens);
  }
}

}  // namespace svc::cli
