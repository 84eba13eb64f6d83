// Deferred answers that can still be fetched.
#include "operation/deferred_jobs.h"

#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

/// "ID of PROFILE: COMMAND" of each job, in the order of the IDs.
std::vector<std::string> remembered() {
  std::vector<std::string> all;
  for (const DeferredJob& job : deferred_jobs()) {
    all.push_back(fmt::format("{} of {}: {}", job.id, job.profile, job.command));
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

TEST_CASE("a deferred answer is remembered until it is fetched, or for a day") {
  const StateHere state;
  SessionStage stage({"chat", "deferred", "x"});
  using Jobs = std::vector<std::string>;
  CHECK(remembered().empty());
  forget_deferred("j 1");
  const std::int64_t before = unix_now();
  remember_deferred(stage.session(), "j 1", "svc chat deferred 'j 1'");
  remember_deferred(stage.session(), "../j\n2", "svc two");
  CHECK(remembered() ==
        Jobs{"../j\n2 of default: svc two", "j 1 of default: svc chat deferred 'j 1'"});
  for (const DeferredJob& job : deferred_jobs()) {
    CHECK(job.ends_at >= before + 86'400);
    CHECK(job.ends_at <= unix_now() + 86'400);
  }
  remember_deferred(stage.session(), "j 1", "svc again");
  CHECK(remembered() == Jobs{"../j\n2 of default: svc two", "j 1 of default: svc again"});
  forget_deferred("../j\n2");
  CHECK(remembered() == Jobs{"j 1 of default: svc again"});
}

TEST_CASE("what has ended of deferred answers is forgotten, and what is no job is passed over") {
  const StateHere state;
  SessionStage stage({"chat", "deferred", "x"});
  remember_deferred(stage.session(), "j", "svc j");
  const auto put = [&](const std::string& name, const std::string& text) {
    REQUIRE(write_file(state.file("deferred-jobs/" + name), text, Replace::Yes, 0600));
  };
  const auto exists = [&](const std::string& name) {
    return std::filesystem::exists(state.file("deferred-jobs/" + name));
  };
  const auto ending = [](std::int64_t ends_at) {
    return fmt::format(R"({{"id":"k","profile":"p","command":"c","ends_at":{}}})", ends_at);
  };
  put("now.json", ending(unix_now()));
  put("later.json", ending(unix_now() + 1'000));
  put("text.json", R"({"id":"k","ends_at":"99999999999"})");
  put("broken.json", "{");
  put("part.tmp", ending(unix_now() + 1'000));
  put("long.json", ending(unix_now() + 1'000) + std::string(1U << 16U, ' '));
  CHECK(remembered() == std::vector<std::string>{"j of default: svc j", "k of p: c"});
  CHECK_FALSE(exists("now.json"));
  CHECK_FALSE(exists("text.json"));
  CHECK_FALSE(exists("broken.json"));
  CHECK(exists("later.json"));
  CHECK(exists("part.tmp"));
  CHECK(exists("long.json"));
  // Another is remembered without those that have ended.
  put("now.json", ending(unix_now()));
  remember_deferred(stage.session(), "i", "svc i");
  CHECK_FALSE(exists("now.json"));
}

}  // namespace svc::cli
