#include "base/background.h"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "base/wait.h"

using namespace svc;
using namespace std::chrono_literals;

TEST_CASE("work in the background: its result, and its end on a descriptor") {
  Background<std::string> work([](const CancelToken&) { return std::string("done"); });
  const auto ended = wait_readable(work.descriptor(), after(10s), NeverCanceled());
  REQUIRE(ended.has_value());
  CHECK(*ended);
  CHECK(work.over());
  CHECK(work.result() == "done");
  CHECK(work.result() == "done");
}

TEST_CASE("work in the background is canceled, by its owner and by the end of its object") {
  const auto until_canceled = [](const CancelToken& cancel) {
    return wait_readable(-1, after(30s), cancel);
  };
  const auto begin = std::chrono::steady_clock::now();
  Background<Result<bool>> work(until_canceled);
  CHECK_FALSE(work.over());
  work.cancel();
  REQUIRE_FALSE(work.result().has_value());
  CHECK(work.result().error().fault == Fault::Interrupted);
  { const Background<Result<bool>> dropped(until_canceled); }
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
}
