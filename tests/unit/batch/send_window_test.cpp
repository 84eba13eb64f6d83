// The number of concurrent calls.
#include <doctest/doctest.h>

#include "batch/uploader.h"
#include "unit/batch/batch_world.h"

using namespace svc;
using namespace svc::batch;
using namespace std::chrono_literals;

TEST_CASE("more calls while the service responds quickly, up to the maximum") {
  SendWindow window(8);
  CHECK(window.size() == 2);
  for (int i = 0; i < 3; ++i) window.answered(200ms, false, 1);
  CHECK(window.size() == 5);
  for (int i = 0; i < 30; ++i) window.answered(200ms, false, 4);
  CHECK(window.size() == 8);
}

TEST_CASE("halves when the service delays a call, once for all calls in flight") {
  SendWindow window(16);
  for (int i = 0; i < 20; ++i) window.answered(200ms, false, 4);
  REQUIRE(window.size() == 16);
  for (int others = 15; others >= 0; --others) {
    window.answered(200ms, true, static_cast<std::size_t>(others));
  }
  CHECK(window.size() == 8);
  for (int i = 0; i < 8; ++i) window.answered(200ms, false, 7);
  CHECK(window.size() >=
        8);  // then slowly: one more after as many responses as there are calls in flight
  CHECK(window.size() <= 9);
}

TEST_CASE("fewer calls if more only make each slower, but at least one") {
  SendWindow window(16);
  window.answered(200ms, false, 1);
  for (int i = 0; i < 100; ++i) {
    window.answered(std::chrono::milliseconds(200 * window.size()), false, 0);
  }
  CHECK(window.size() >= 1);
  CHECK(window.size() <= 4);
  for (int i = 0; i < 100; ++i) window.answered(200ms, true, 0);
  CHECK(window.size() == 1);
}

TEST_CASE("a service that stays slower is not limited to one call") {
  SendWindow window(8);
  window.answered(100ms, false, 1);
  for (int i = 0; i < 600; ++i) window.answered(1000ms, false, 0);
  CHECK(window.size() == 8);
}

TEST_CASE(
    "a run has several calls in flight, fewer if they are delayed, and sends each request once") {
  test::BatchWorld quick(test::BatchWorld::requests(300));
  quick.options.sending.call_items = 5;
  quick.service.answering = [&](std::size_t) { quick.elapsed += 20ms; };
  REQUIRE(quick.run());
  CHECK(quick.each_once(300));
  CHECK(quick.service.most_under_way > 4);
  CHECK(quick.service.most_under_way <= k_max_at_once);

  test::BatchWorld limited(test::BatchWorld::requests(300));
  limited.options.sending.call_items = 5;
  limited.service.throttled = [](std::size_t in_flight) { return in_flight > 2; };
  REQUIRE(limited.run());
  CHECK(limited.each_once(300));
  CHECK(limited.service.most_under_way <= 4);
}

TEST_CASE("calls in flight are settled when one of them is rejected or lost") {
  for (const test::Mishap mishap :
       {test::Mishap::LostAfter, test::Mishap::LostBefore, test::Mishap::ServerError}) {
    test::BatchWorld world(test::BatchWorld::requests(100));
    world.options.sending.call_items = 4;
    for (const int at : {3, 4}) world.service.mishaps[at] = mishap;
    REQUIRE(world.run());
    CHECK(world.each_once(100));
  }
}
