// Several tokens linked as one.
#include "base/cancel_token.h"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "base/wait.h"

namespace svc {

using namespace std::chrono_literals;

TEST_CASE("a linked token is canceled when one of its links is, and wakes waiters") {
  CancelSource first;
  CancelSource second;
  const NeverCanceled never;
  const LinkedToken linked({&first, &never, &second});
  CHECK_FALSE(linked.requested());
  CHECK(wait_readable(-1, after(1ms), linked));
  std::thread canceller([&] {
    std::this_thread::sleep_for(20ms);
    second.cancel();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto waited = wait_readable(-1, after(10s), linked);
  canceller.join();
  REQUIRE_FALSE(waited);
  CHECK(waited.error().fault == Fault::Interrupted);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

TEST_CASE("a time limit, and changing links") {
  LinkedToken linked;
  CHECK_FALSE(linked.requested());
  CancelSource canceled_before;
  canceled_before.cancel();
  linked.link({&canceled_before});
  CHECK(linked.requested() == Fault::Interrupted);
  const NeverCanceled never;
  const TimeoutToken limit(30ms);
  linked.link({&never, &limit});
  CHECK_FALSE(linked.requested());
  CHECK_FALSE(wait_readable(-1, after(10s), linked));
  CHECK(linked.requested() == Fault::Interrupted);
}

}  // namespace svc
