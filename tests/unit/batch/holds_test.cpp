#include <doctest/doctest.h>

#include "client/usage.h"
#include "unit/batch/batch_world.h"

using namespace svc;
using namespace svc::test;

namespace {

/// Reserves the same for each request.
class Purse final : public batch::Allowance {
 public:
  std::int64_t limit = 0;
  std::int64_t each = 200;
  std::int64_t spent = 0;
  std::int64_t reserved = 0;
  std::vector<std::int64_t> shared{};
  std::string tokens{};     ///< added to the body
  std::int64_t others = 0;  ///< reserved by other processes, until the third round

  Result<std::optional<Reserved>> reserve(const Operation& operation, Payload& body) override {
    CHECK(operation.path == "/v1/responses");
    if (each > limit - spent) return Error{Fault::Limited, "it does not fit"};
    if (each > limit - spent - reserved - others) return std::optional<Reserved>();
    reserved += each;
    std::string& text = std::get<std::string>(body);
    if (!tokens.empty()) text.insert(text.size() - 1, tokens);
    return std::optional(Reserved{++m_last, each});
  }
  void settle(std::uint64_t number, SpendEnd end, std::string_view answer) override {
    CHECK(number > 0);
    reserved -= each;
    if (end == SpendEnd::Unknown) spent += each;
    if (end == SpendEnd::Answered) spent += read_usage(answer)->cost_ticks.value_or(0);
  }
  void share(std::int64_t requests) override {
    shared.push_back(requests);
    if (shared.size() == 3) others = 0;
  }
  void resume(std::int64_t ticks, std::int64_t dearest) override {
    spent += ticks;
    most_of_one = dearest;
  }
  void bill(std::int64_t ticks) override { spent += ticks; }
  std::string account() override { return name; }
  void give_back(const std::string& from, std::int64_t ticks) override { returned[from] += ticks; }
  std::string name{};
  std::map<std::string, std::int64_t> returned{};
  std::int64_t most_of_one = 0;

 private:
  std::uint64_t m_last = 0;
};

}  // namespace

TEST_CASE("a batch has what fits; what its requests give back pays for more") {
  BatchWorld world(BatchWorld::requests(10));  // 100 ticks each
  Purse purse;
  purse.limit = 850;
  world.allowance = &purse;
  const auto ended = world.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().fault == Fault::Limited);
  CHECK(world.each_once(7));
  CHECK(world.service.batches.size() == 3);
  CHECK(purse.spent == 700);
  CHECK(purse.reserved == 0);
  CHECK(purse.shared == std::vector<std::int64_t>{10, 6, 4, 3});
  CHECK(world.totals.succeeded == 7);
  CHECK(world.lines.size() == 7);

  Purse more;
  more.limit = 2000;
  world.allowance = &more;
  REQUIRE(world.run());
  CHECK(world.each_once(10));
  CHECK(more.spent == 1000);
  CHECK(more.most_of_one == 100);
}

TEST_CASE("what other processes have reserved is waited for") {
  using std::chrono::milliseconds;
  BatchWorld world(BatchWorld::requests(2));
  Purse purse;
  purse.limit = 700;
  purse.others = 600;
  world.allowance = &purse;
  world.options.wait_timeout = milliseconds(0);
  const auto late = world.run();
  REQUIRE_FALSE(late);
  CHECK(late.error().message == "timed out after 0 ms");
  CHECK(purse.shared == std::vector<std::int64_t>{2});
  CHECK(world.elapsed == milliseconds(0));
  CHECK(world.service.batches.empty());

  world.options.wait_timeout.reset();
  world.options.poll_interval = milliseconds(7'000);
  world.service.before_call = [&](int) { CHECK(world.elapsed == milliseconds(7'000)); };
  REQUIRE(world.run());
  CHECK(purse.shared == std::vector<std::int64_t>{2, 2, 2});
  CHECK(world.each_once(2));
  CHECK(purse.spent == 200);
}

TEST_CASE("nothing is created when nothing fits") {
  for (const auto format : {batch::RequestFormat::Added, batch::RequestFormat::File}) {
    BatchWorld world(BatchWorld::requests(3));
    world.options.reading.sent_as = world.options.sending.format = format;
    Purse purse;
    purse.limit = 199;
    world.allowance = &purse;
    const auto ended = world.run();
    REQUIRE_FALSE(ended);
    CHECK(ended.error().message == "it does not fit");
    CHECK(world.service.calls == 0);
    CHECK(world.totals.assigned == 0);
  }
}

TEST_CASE("what is reserved is what is sent, also by file") {
  for (const auto format : {batch::RequestFormat::Added, batch::RequestFormat::File}) {
    BatchWorld world(BatchWorld::requests(4));
    world.options.reading.sent_as = world.options.sending.format = format;
    Purse purse;
    purse.limit = 5000;
    purse.tokens = R"(,"max_output_tokens":7)";
    world.allowance = &purse;
    REQUIRE(world.run());
    CHECK(world.each_once(4));
    for (const auto& [id, line] : world.service.batches.front().bodies) {
      CHECK(line.find(R"(,"max_output_tokens":7})") != std::string::npos);
    }
    CHECK(purse.spent == 400);
    CHECK(purse.reserved == 0);
  }
}

TEST_CASE("a batch that still runs keeps its reservation in the next run") {
  BatchWorld world(BatchWorld::requests(6));
  Purse purse;
  purse.limit = 700;
  world.allowance = &purse;
  world.service.mishaps = {{3, Mishap::KilledBefore}};  // created, added, then asked for its state
  REQUIRE_FALSE(world.run());
  CHECK(purse.reserved == 600);

  world.service.mishaps = {};
  world.service.running_looks = 3;
  Purse next;
  next.limit = 700;
  world.allowance = &next;
  std::int64_t most = 0;
  std::int64_t first = -1;
  world.service.before_call = [&](int) {
    if (first < 0) first = next.spent;
    most = std::max(most, next.spent + next.reserved);
  };
  const auto ended = world.run();
  CHECK(most <= 700);
  CHECK(most >= 600);
  CHECK(first == 600);
  CHECK(next.spent == 600);
  CHECK(next.reserved == 0);
  REQUIRE(ended);
  CHECK(world.each_once(6));
}

TEST_CASE("what a stopped run left reserved is given back once its batch is settled") {
  BatchWorld world(BatchWorld::requests(6));
  Purse purse;
  purse.limit = 9000;
  purse.name = "run-1";
  world.allowance = &purse;
  SUBCASE("that runs") {
    world.service.mishaps = {{3, Mishap::KilledBefore}};  // asked for its state
  }
  SUBCASE("that was not created") {
    world.service.mishaps = {{1, Mishap::KilledBefore}};
  }
  SUBCASE("to which nothing was added") {
    world.service.mishaps = {{2, Mishap::KilledBefore}};
  }
  REQUIRE_FALSE(world.run());
  CHECK(purse.returned.empty());
  const std::int64_t left = purse.reserved;

  // Stopped once more before it is settled.
  world.service.mishaps = {{world.service.calls + 2, Mishap::KilledBefore}};
  Purse second;
  second.limit = 9000;
  second.name = "run-2";
  world.allowance = &second;
  REQUIRE_FALSE(world.run());

  world.service.mishaps = {};
  Purse third;
  third.limit = 9000;
  third.name = "run-3";
  world.allowance = &third;
  REQUIRE(world.run());
  CHECK(world.each_once(6));
  CHECK(purse.returned.empty());
  const std::int64_t returned = second.returned["run-1"] + third.returned["run-1"];
  CHECK(returned == left);
  CHECK(third.returned["run-2"] == second.reserved);
  CHECK_FALSE(third.returned.contains("run-3"));

  // Nothing is given back twice.
  Purse fourth;
  fourth.limit = 9000;
  fourth.name = "run-4";
  world.allowance = &fourth;
  REQUIRE(world.run());
  CHECK(fourth.returned.empty());
}

TEST_CASE("what the service does not take is given back") {
  BatchWorld world(BatchWorld::requests(5));
  Purse purse;
  purse.limit = 5000;
  world.allowance = &purse;
  world.service.refuses = "say 3";
  SUBCASE("all of it") {
    world.service.refuses_with = 403;
    REQUIRE_FALSE(world.run());
    CHECK(purse.spent == 0);
  }
  SUBCASE("one of them") {
    world.options.sending.skip_rejected = true;
    REQUIRE(world.run());
    CHECK(world.totals.succeeded == 4);
    CHECK(purse.spent == 400);
  }
  SUBCASE("one of them, while others wait for room") {
    purse.limit = 700;
    world.options.sending.skip_rejected = true;
    REQUIRE(world.run());
    CHECK(world.totals.succeeded == 4);
    CHECK(purse.spent == 400);
    CHECK(world.service.batches.size() <= 3);
  }
  SUBCASE("after a lost answer") {
    world.service.refuses.clear();
    SUBCASE("of a call that arrived") {
      world.service.mishaps = {{2, Mishap::LostAfter}};
    }
    SUBCASE("of one that did not") {
      world.service.mishaps = {{2, Mishap::LostBefore}};
    }
    REQUIRE(world.run());
    CHECK(world.each_once(5));
    CHECK(purse.spent == 500);
  }
  CHECK(purse.reserved == 0);
}

TEST_CASE("a cost that only the batch has is shared among its answers") {
  BatchWorld world(BatchWorld::requests(4));
  Purse purse;
  purse.limit = 1000;
  world.allowance = &purse;
  world.service.answer = [](const std::string& id) {
    return id == "r2" ? std::string(R"({"error":"no"})")
                      : std::string(R"({"response":{"responses":{}}})");
  };
  (void)world.run();
  CHECK(purse.spent == 399);  // 400 in three parts
  CHECK(purse.reserved == 0);
}
