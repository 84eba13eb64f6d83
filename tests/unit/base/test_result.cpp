#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "base/cancel_token.h"
#include "base/result.h"

namespace svc {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return usage_error("an odd number", "Give an even one.");
  return number / 2;
}

Result<int> quarter(int number) {
  SVC_TRY(first, half(number));
  SVC_TRY(second, half(first));
  return second;
}

Result<void> check_even(int number) {
  SVC_CHECK(half(number));
  return {};
}

Result<std::unique_ptr<int>> boxed(int number) {
  SVC_TRY(value, half(number));
  return std::make_unique<int>(value);
}

TEST_CASE("a result holds a value or an error") {
  const auto good = half(8);
  REQUIRE(good);
  CHECK(*good == 4);
  const auto bad = half(7);
  REQUIRE_FALSE(bad);
  CHECK(bad.error().fault == Fault::Usage);
  CHECK(bad.error().message == "an odd number");
  CHECK(bad.error().hint == "Give an even one.");
}

TEST_CASE("SVC_TRY and SVC_CHECK propagate errors") {
  CHECK(*quarter(12) == 3);
  CHECK(quarter(6).error().message == "an odd number");
  CHECK(check_even(2));
  CHECK(check_even(3).error().fault == Fault::Usage);
}

TEST_CASE("a result moves non-copyable values") {
  auto box = boxed(10);
  REQUIRE(box);
  const std::unique_ptr<int> taken = *std::move(box);
  CHECK(*taken == 5);
}

TEST_CASE("each fault has its own word") {
  for (const auto& [fault, word] : {std::pair(Fault::Unexpected, "unexpected"),
                                    {Fault::Usage, "usage"},
                                    {Fault::Auth, "auth"},
                                    {Fault::NotFound, "not_found"},
                                    {Fault::Limited, "limited"},
                                    {Fault::Service, "service"},
                                    {Fault::Network, "network"},
                                    {Fault::Timeout, "timeout"},
                                    {Fault::RemoteJob, "remote_job"},
                                    {Fault::Local, "local"},
                                    {Fault::UnknownOutcome, "unknown_outcome"},
                                    {Fault::HungUp, "hung_up"},
                                    {Fault::Interrupted, "interrupted"},
                                    {Fault::Quit, "quit"},
                                    {Fault::ReaderGone, "reader_gone"},
                                    {Fault::Terminated, "terminated"},
                                    {static_cast<Fault>(200), "unexpected"}}) {
    CHECK(std::string(fault_name(fault)) == word);
  }
}

TEST_CASE("a system error has the system's message") {
  const Error error = system_error("cannot read 'x'", ENOENT);
  CHECK(error.fault == Fault::Local);
  CHECK(error.message == "cannot read 'x': No such file or directory");
}

TEST_CASE("a system error has a cause, and a hint, where those are known") {
  for (const int number : {ENOSPC, EDQUOT}) {
    const Error error = system_error("x", number);
    CHECK(error.cause == Cause::DiskFull);
    CHECK(error.hint == "Free some space there, or choose another directory.");
  }
  for (const int number : {EMFILE, ENFILE}) {
    const Error error = system_error("x", number);
    CHECK(error.cause == Cause::NoDescriptors);
    CHECK(error.hint == "Too many files are open: raise the limit (ulimit -n).");
  }
  Error other = system_error("x", EINTR);
  CHECK(other.cause == Cause::None);
  CHECK(other.fault == Fault::Interrupted);
  CHECK(other.hint.empty());
  add_hint(other, "One.");
  add_hint(other, "Two.");
  CHECK(other.hint == "One. Two.");
}

TEST_CASE("NeverCanceled is never canceled") {
  const NeverCanceled cancel;
  CHECK_FALSE(cancel.requested());
  CHECK(cancel.wake_fd() == -1);
}

}  // namespace
}  // namespace svc
