#include <deque>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include "catalogue/catalogue.h"
#include "print/notice.h"
#include "print/streams.h"
#include "session/cost_tracker.h"
#include "unit/base/temporary_directory.h"
#include "unit/cli/state_here.h"

using namespace svc;
using namespace svc::cli;

namespace {

Quote known(std::int64_t ticks) {
  return {.least = ticks, .about = ticks, .fixed = ticks, .most = ticks, .by_quantity = true};
}

Quote open_answer(std::int64_t input, std::int64_t price) {
  return {.least = input,
          .about = input,
          .fixed = input,
          .output = 128'000,
          .output_price = price,
          .most = input + 128'000 * price};
}

/// A server that answers in any order, and never for some; each request costs at most what was
/// reserved, or anything if that is unknown.
struct Run {
  std::mt19937 random;
  SharedSpending spending{};
  Budget budget{};
  std::int64_t dearest = 0;  ///< of the requests whose cost was unknown
  struct Sent {
    SharedSpending::Grant grant{};
    bool known = false;
  };
  std::deque<Sent> in_flight{};

  std::int64_t upto(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  }

  Quote request(int kind) {
    if (kind == 0) return known(1 + upto(40));
    if (kind == 1) return open_answer(1 + upto(9), 1 + upto(3));
    return {.unknown = "no price"};
  }

  /// Whether it was refused.
  bool send(const Quote& quote) {
    const auto grant = spending.reserve(budget, quote, {});
    if (!grant) return true;
    if (*grant) in_flight.push_back({**grant, quote.most.has_value()});
    return false;
  }

  void answer() {
    const auto at = static_cast<std::size_t>(upto(std::ssize(in_flight) - 1));
    const Sent sent = in_flight[at];
    in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(at));
    const std::int64_t cost = upto(sent.known ? sent.grant.ticks : 50);
    if (!sent.known) dearest = std::max(dearest, cost);
    spending.settle(sent.grant, cost, upto(100));
  }
};

}  // namespace

TEST_CASE("known costs never exceed a limit, whatever the order and number of answers") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Run run{.random = std::mt19937(seed)};
    const auto jobs = static_cast<std::size_t>(1U << (seed % 7));
    run.budget.limit = 1 + run.upto(5000);
    run.spending.set_parallel(jobs);
    const int kinds = seed % 2 == 0 ? 1 : 2;
    for (int step = 0; step < 500; ++step) {
      if (run.in_flight.size() < jobs) (void)run.send(run.request(step % kinds));
      if (!run.in_flight.empty() && run.upto(2) == 0) run.answer();
      REQUIRE(run.spending.spent() <= *run.budget.limit);
    }
    while (!run.in_flight.empty()) run.answer();
    CHECK(run.spending.spent() <= *run.budget.limit);
  }
}

TEST_CASE("unknown costs exceed a limit by one request at most") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Run run{.random = std::mt19937(seed)};
    const auto jobs = static_cast<std::size_t>(1U << (seed % 7));
    run.budget.limit = 1 + run.upto(1000);
    run.spending.set_parallel(jobs);
    bool grew = false;  // a request was more than twice as dear as all before
    std::int64_t before = 0;
    for (int step = 0; step < 300; ++step) {
      if (run.in_flight.size() < jobs) (void)run.send({.unknown = "no price"});
      if (!run.in_flight.empty() && run.upto(2) == 0) {
        run.answer();
        grew = grew || (before > 0 && run.dearest > 2 * before);
        before = run.dearest;
      }
    }
    while (!run.in_flight.empty()) run.answer();
    if (!grew) CHECK(run.spending.spent() <= *run.budget.limit + run.dearest);
  }
}

TEST_CASE("an open answer gets what fits, and its share of it") {
  SharedSpending spending;
  const Budget budget{10'000};
  const auto one = spending.reserve(budget, open_answer(1000, 10), {});
  REQUIRE(one);
  REQUIRE(*one);
  CHECK((*one)->tokens == 900);
  CHECK((*one)->ticks == 10'000);
  // Another one waits, and is sent once the first cost less.
  auto second = spending.reserve(budget, open_answer(1000, 10), {});
  REQUIRE(second);
  CHECK_FALSE(*second);
  spending.settle(**one, 2000, 100);
  second = spending.reserve(budget, open_answer(1000, 10), {});
  REQUIRE(second);
  REQUIRE(*second);
  CHECK((*second)->tokens == 700);
  // Too little for an answer: refused.
  CHECK_FALSE(SharedSpending().reserve(Budget{1100}, open_answer(1000, 10), {}));
  for (const std::size_t requests : {0U, 1U}) {
    SharedSpending alone;
    alone.set_parallel(requests);
    const auto all = alone.reserve(budget, open_answer(1000, 10), {});
    REQUIRE(all);
    REQUIRE(*all);
    CHECK((*all)->tokens == 900);
  }
  // Enough for all that it may ever say: no limit is sent.
  SharedSpending rich;
  const auto free = rich.reserve(Budget{2'000'000}, open_answer(1000, 10), {});
  REQUIRE(free);
  REQUIRE(*free);
  CHECK_FALSE((*free)->tokens);
  rich.set_parallel(4);
  const auto shared = rich.reserve(Budget{6'000'000}, open_answer(1000, 10), {});
  REQUIRE(shared);
  REQUIRE(*shared);
  CHECK_FALSE((*shared)->tokens);
}

TEST_CASE("what other processes reserved is waited for, or refused if they are gone") {
  SharedSpending spending;
  SharedSpending::Day day{.left = 10, .left_at_best = 100, .others = true};
  auto waits = spending.reserve({}, known(50), day);
  REQUIRE(waits);
  CHECK_FALSE(*waits);
  day.others = false;
  CHECK_FALSE(spending.reserve({}, known(50), day));
  day = {.left = 60, .left_at_best = 100};
  CHECK(spending.reserve({}, known(50), day));
  day.left_at_best = 40;
  CHECK_FALSE(spending.reserve({}, known(50), day));
}

TEST_CASE("a lost answer of unknown cost leaves nothing, or what its model's price leaves") {
  const Budget budget{10'000};
  const Quote unpriced{.unknown = "no price"};
  SharedSpending spending;
  auto sent = spending.reserve(budget, unpriced, {});
  REQUIRE(sent);
  REQUIRE(*sent);
  spending.lose(**sent, (*sent)->ticks);
  const auto refused = spending.reserve(budget, unpriced, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("of it for answers that were lost") != std::string::npos);
  // The reasoning has a price, but no limit.
  SharedSpending priced;
  Quote reasoning = open_answer(1000, 10);
  reasoning.output = 300;
  reasoning.most.reset();
  for (const std::int64_t left : {6000, 2000, 0}) {
    sent = priced.reserve(budget, reasoning, {});
    REQUIRE(sent);
    REQUIRE(*sent);
    priced.lose(**sent, (*sent)->ticks);
    CHECK(priced.spent() == 10'000 - left);
  }
  CHECK_FALSE(priced.reserve(budget, reasoning, {}));
  // Nothing is left of the day, as another process lost an answer.
  const auto none = SharedSpending().reserve({}, unpriced, {.left = 0, .left_at_best = 500});
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("for answers that were lost") != std::string::npos);
}

TEST_CASE("what sends nothing asks for the day's budget and takes none of it") {
  const StateHere here;
  print::Out err([](sv) { return Result<void>(); });
  print::Notices notices(err, {});
  const auto grants = [&](CostTracker& tracker, std::int64_t ticks) {
    const auto reserved = tracker.reserve_known(ticks, "m");
    return reserved && reserved->has_value();
  };
  CostTracker shows({.profile = "p", .day_limit = 1000, .sends_nothing = true}, notices);
  CHECK(grants(shows, 600));
  CHECK_FALSE(grants(shows, 1001));
  CostTracker sends({.profile = "p", .day_limit = 1000}, notices);
  CHECK(grants(sends, 600));
  CostTracker later({.profile = "p", .day_limit = 1000}, notices);
  CHECK_FALSE(grants(later, 600));
  CHECK(grants(later, 400));
}

TEST_CASE("what requests that are only shown would cost adds up, until their plan is over") {
  const StateHere here;
  print::Out err([](sv) { return Result<void>(); });
  print::Notices notices(err, {});
  const auto spent = std::make_shared<SharedSpending>();
  for (const bool by_day : {false, true}) {
    CAPTURE(by_day);
    CostTracker::Owner owner{.profile = "p", .sends_nothing = true, .spent = spent};
    (by_day ? owner.day_limit : owner.run_limit) = 1000;
    CostTracker shows(owner, notices);
    for (int step = 0; step < 3; ++step) {
      const auto reserved = shows.reserve_known(400, "m");
      REQUIRE(reserved.has_value() == (step < 2));
      if (reserved) shows.settle_shown((*reserved)->number);
    }
  }
  CHECK(spent->spent() == 0);
}

TEST_CASE("an open answer waits if less than a usual one fits beside those in flight") {
  const auto tokens_beside = [](std::int64_t reserved, std::int64_t longest) {
    SharedSpending spending;
    const Budget budget{20'000};
    if (longest > 0) {
      const auto first = spending.reserve(budget, known(1), {});
      REQUIRE(first);
      REQUIRE(*first);
      spending.settle(**first, 0, longest);
    }
    const auto other = spending.reserve(budget, known(reserved), {});
    REQUIRE(other);
    REQUIRE(*other);
    const auto granted = spending.reserve(budget, open_answer(1000, 10), {});
    REQUIRE(granted);
    return *granted ? (*granted)->tokens : std::nullopt;
  };
  CHECK(tokens_beside(8760, 0) == 1024);
  CHECK(tokens_beside(8761, 0) == std::nullopt);
  // Twice the longest so far, if that is more.
  CHECK(tokens_beside(8760, 512) == 1024);
  CHECK(tokens_beside(8760, 513) == std::nullopt);
  CHECK(tokens_beside(8740, 513) == 1026);
}

TEST_CASE("the smallest answer worth asking for") {
  const auto granted = [](std::int64_t limit) {
    return SharedSpending().reserve(Budget{limit}, open_answer(1000, 10), {});
  };
  REQUIRE(granted(1160));
  CHECK((*granted(1160))->tokens == 16);
  CHECK(granted(1169)->value().ticks == 1160);
  const auto refused = granted(1159);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "the request costs at least $0.00000011, but $0.00000011 is left; it was not sent");
  CHECK(refused.error().hint == "Ask for less, or raise the limit (--max-cost, max_cost_per_day).");
}

TEST_CASE("what was answered but not recorded stays reserved of the day") {
  const StateHere here;
  print::Out err([](sv) { return Result<void>(); });
  print::Notices notices(err, {});
  {
    CostTracker tracker({.profile = "p", .day_limit = 1000}, notices);
    const auto reserved = tracker.reserve_known(600, "m");
    REQUIRE(reserved);
    REQUIRE(*reserved);
    tracker.settle((*reserved)->number, SpendEnd::Answered,
                   R"({"usage":{"cost_in_usd_ticks":400}})");
  }
  CostTracker later({.profile = "p", .day_limit = 1000}, notices);
  CHECK_FALSE(later.reserve_known(601, "m"));
  const auto fits = later.reserve_known(600, "m");
  REQUIRE(fits);
  CHECK(*fits);
}

TEST_CASE("a refusal says what the request costs, what is left, and why") {
  constexpr std::int64_t cent = 100'000'000;
  const auto refusal = [](SharedSpending& spending, const Quote& quote, std::int64_t limit,
                          const SharedSpending::Day& day = {}) {
    const auto refused = spending.reserve(Budget{limit}, quote, day);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().fault == Fault::Limited);
    return refused.error().message;
  };
  SharedSpending fresh;
  CHECK(refusal(fresh, known(3 * cent), 2 * cent) ==
        "the request costs $0.03, but $0.02 is left; it was not sent");
  Quote limited = open_answer(cent, 1);
  limited.limited = true;
  limited.most = 4 * cent;
  CHECK(refusal(fresh, limited, 2 * cent) ==
        "the request may cost $0.04, but $0.02 is left; it was not sent");
  CHECK(refusal(fresh, open_answer(3 * cent, 1), 2 * cent) ==
        "the request costs at least $0.031, but $0.02 is left; it was not sent");
  Quote time = known(3 * cent);
  time.of_time = true;
  CHECK(refusal(fresh, time, 2 * cent) == "more time costs $0.03, but $0.02 is left");
  fresh.add(cent);
  CHECK(refusal(fresh, known(2 * cent), 2 * cent) ==
        "the request costs $0.02, but $0.01 is left after $0.01; it was not sent");
  fresh.resume(0, 0, cent / 2);
  CHECK(refusal(fresh, known(2 * cent), 2 * cent) ==
        "the request costs $0.02, but $0.005 is left after $0.015 ($0.005 of it for answers that "
        "were lost); it was not sent");
  SharedSpending day;
  CHECK(refusal(day, known(3 * cent), 9 * cent, {.left = 2 * cent, .left_at_best = 5 * cent}) ==
        "the request costs $0.03, but $0.02 is left, beside $0.03 reserved for answers that were "
        "lost or are still to come; it was not sent");
  CHECK(refusal(day, {.unknown = "no price"}, 9 * cent, {.left = -cent, .left_at_best = cent}) ==
        "the cost of the request is unknown, but $0.00 is left, beside $0.02 reserved for answers "
        "that were lost or are still to come; it was not sent");
}

TEST_CASE("a request of unknown cost may be twice as dear as the dearest so far") {
  const Quote unknown{.unknown = "no price"};
  SharedSpending spending;
  const Budget budget{100};
  const auto first = spending.reserve(budget, unknown, {});
  REQUIRE(first);
  REQUIRE(*first);
  CHECK((*first)->ticks == 100);
  CHECK_FALSE(*spending.reserve(budget, unknown, {}));  // until the cost of one is known
  spending.settle(**first, 10, 0);
  for (int i = 0; i < 4; ++i) {
    const auto next = spending.reserve(budget, unknown, {});
    REQUIRE(next);
    REQUIRE(*next);
    CHECK((*next)->ticks == 20);
  }
  CHECK_FALSE(*spending.reserve(budget, unknown, {}));  // 10 are left
}

TEST_CASE("an answer of which no cost is told costs what is known of it, or nothing") {
  const StateHere here;
  print::Out err([](sv) { return Result<void>(); });
  print::Notices notices(err, {});
  const Operation& chat = *find_operation("chat", "create");
  for (const bool has_price : {true, false}) {
    CAPTURE(has_price);
    const auto spent = std::make_shared<SharedSpending>();
    CostTracker::Owner owner{
        .profile = has_price ? "a" : "b", .run_limit = 1000, .day_limit = 1000, .spent = spent};
    owner.quote = [&](const Operation&, const Payload&) {
      return has_price ? Quote{.fixed = 600, .most = 600} : Quote{.unknown = "no price"};
    };
    {
      CostTracker tracker(owner, notices);
      Payload body = std::string("{}");
      auto reserved = tracker.reserve(chat, body);
      REQUIRE(reserved);
      REQUIRE(*reserved);
      tracker.settle((*reserved)->number, SpendEnd::Answered, "");
      CHECK(spent->spent() == 0);
      // The next request ends it, as record() was not called.
      reserved = tracker.reserve(chat, body);
      CHECK(reserved.has_value() == !has_price);
      CHECK(spent->spent() == (has_price ? 600 : 0));
      if (reserved) tracker.settle((*reserved)->number, SpendEnd::NotRun, "");
    }
    owner.spent.reset();
    CostTracker later(owner, notices);
    CHECK_FALSE(later.reserve_known(has_price ? 401 : 1001, "m"));
    CHECK(later.reserve_known(has_price ? 400 : 1000, "m"));
  }
}

TEST_CASE("that a limit shortens the answers is told once, and then in detail") {
  std::string said;
  print::Out err(print::string_sink(said));
  const Operation& chat = *find_operation("chat", "create");
  for (const bool verbose : {false, true}) {
    CAPTURE(verbose);
    said.clear();
    print::Notices notices(err, {.verbose = verbose});
    CostTracker::Owner owner{.profile = "p", .run_limit = 2000};
    owner.quote = [&](const Operation&, const Payload&) { return open_answer(100, 10); };
    CostTracker tracker(owner, notices);
    Payload body;
    for (const sv limited : {"190", "90"}) {
      body = std::string(R"({"model":"m"})");
      const auto reserved = tracker.reserve(chat, body);
      REQUIRE(reserved);
      REQUIRE(*reserved);
      CHECK(std::get<std::string>(body) ==
            fmt::format(R"({{"model":"m","max_completion_tokens":{}}})", limited));
      tracker.settle((*reserved)->number, SpendEnd::Answered,
                     R"({"usage":{"cost_in_usd_ticks":1000}})");
    }
    CHECK(said == "svc: note: the answer is limited to 190 tokens, which the cost limit allows\n" +
                      std::string(verbose
                                      ? "the answer is limited to 90 tokens, which the cost limit "
                                        "allows\n"
                                      : ""));
  }
}

namespace {

/// Is asked while something waits: settles what is in flight, or cancels.
class Asked final : public CancelToken {
 public:
  Asked(CostTracker& tracker, std::uint64_t in_flight, bool cancels)
      : m_tracker(tracker), m_in_flight(in_flight), m_cancels(cancels) {}
  [[nodiscard]] std::optional<Fault> requested() const noexcept override {
    ++m_times;
    if (m_cancels) return Fault::Interrupted;
    if (m_times > 3) m_tracker.settle(m_in_flight, SpendEnd::NotRun, "");
    return std::nullopt;
  }
  [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  [[nodiscard]] int times() const { return m_times; }

 private:
  CostTracker& m_tracker;
  std::uint64_t m_in_flight;
  bool m_cancels;
  mutable int m_times = 0;
};

}  // namespace

TEST_CASE("a session waits for the requests in flight that may use up its limit") {
  print::Out err([](sv) { return Result<void>(); });
  print::Notices notices(err, {});
  for (const bool cancels : {false, true}) {
    CAPTURE(cancels);
    CostTracker tracker({.profile = "p", .run_limit = 1000}, notices);
    const auto all = tracker.reserve_known(1000, "m");
    REQUIRE(all);
    REQUIRE(*all);
    const Asked asked(tracker, (*all)->number, cancels);
    const auto may = tracker.may_spend(asked);
    REQUIRE(may.has_value() != cancels);
    if (cancels) CHECK(may.error().fault == Fault::Interrupted);
    CHECK(asked.times() > (cancels ? 0 : 3));
  }
}
