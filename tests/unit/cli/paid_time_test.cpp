// What is paid in advance for the seconds of a session, and when.
#include "live/paid_time.h"

#include <doctest/doctest.h>

#include "session/cost_tracker.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* k_a_tenth_of_a_cent_per_second =
    "[profile.default.prices]\nrealtime_per_minute = 0.06\n";
constexpr std::int64_t k_second = 10'000'000;  // ticks

/// A session with a limit, and what it has spent.
struct PaidStage {
  explicit PaidStage(const char* limit, const char* config = k_a_tenth_of_a_cent_per_second)
      : stage({"realtime", "talk", "--max-cost", limit}, config) {
    paid.emplace(stage.session(), Price::TalkSecond);
  }

  /// In seconds.
  [[nodiscard]] double spent() {
    const auto ticks = stage.session().cost_tracker().spending().spent();
    return static_cast<double>(ticks) / k_second;
  }

  StateHere state{};
  SessionStage stage;
  std::optional<PaidTime> paid{};
};

}  // namespace

TEST_CASE("paid time: ten seconds are reserved at a time, a second before they are needed") {
  PaidStage stage("0.1");
  PaidTime& paid = *stage.paid;
  CHECK(paid.has_price());
  CHECK(paid.due() == 0s);
  REQUIRE(paid.pay(0s));
  CHECK(paid.due() == 9s);
  REQUIRE(paid.pay(8999ms));
  CHECK(paid.due() == 9s);
  REQUIRE(paid.pay(9s));
  CHECK(paid.due() == 19s);
  CHECK(stage.spent() == 0);
  REQUIRE(paid.pay(9999ms));
  CHECK(stage.spent() == 0);
  REQUIRE(paid.pay(10s));
  CHECK(stage.spent() == 10);
  CHECK(paid.due() == 19s);
  // What was missed is paid too.
  REQUIRE(paid.pay(45s));
  CHECK(paid.due() == 49s);
  REQUIRE(paid.pay(45s));
  CHECK(stage.spent() == 40);
}

TEST_CASE("paid time: near the limit single seconds are reserved, and it ends with the last one") {
  PaidStage stage("0.0125");
  PaidTime& paid = *stage.paid;
  REQUIRE(paid.pay(0s));
  CHECK(paid.due() == 9s);
  REQUIRE(paid.pay(9s));
  CHECK(paid.due() == 10s);
  REQUIRE(paid.pay(10s));
  CHECK(paid.due() == 11s);
  CHECK(stage.spent() == 10);
  REQUIRE(paid.pay(11s));
  CHECK(paid.due() == 12s);
  CHECK(stage.spent() == 11);
  REQUIRE(paid.pay(11999ms));
  const auto over = paid.pay(12s);
  REQUIRE_FALSE(over);
  CHECK(over.error().fault == Fault::Limited);
  CHECK(over.error().message == "more time costs $0.001, but $0.0005 is left after $0.012");
  CHECK(stage.spent() == 12);
  stage.paid.reset();
  CHECK(stage.spent() == 12);
}

TEST_CASE("paid time: the seconds that have begun are paid in the end, those ahead are not") {
  for (const auto& [used, seconds] : {std::pair(0ms, 0.0),
                                      {1ms, 1.0},
                                      {1000ms, 1.0},
                                      {8200ms, 9.0},
                                      {9000ms, 9.0},
                                      {9500ms, 10.0},
                                      {10'001ms, 11.0}}) {
    CAPTURE(used.count());
    PaidStage stage("0.1");
    REQUIRE(stage.paid->pay(0s));
    REQUIRE(stage.paid->pay(used));
    stage.paid.reset();
    CHECK(stage.spent() == seconds);
  }
}

TEST_CASE("paid time: without a price nothing is reserved") {
  PaidStage stage("0.001", "");
  CHECK_FALSE(stage.paid->has_price());
  REQUIRE(stage.paid->pay(0s));
  REQUIRE(stage.paid->pay(1h));
  stage.paid.reset();
  CHECK(stage.spent() == 0);
}

}  // namespace svc::cli
