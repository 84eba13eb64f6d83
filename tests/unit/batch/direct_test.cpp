// Requests sent one by one: what the journal on disk contains when one is sent, and when a response
// counts.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "batch/check.h"
#include "batch/direct_sender.h"
#include "support/fake_transport.h"
#include "unit/client/temp_directory.h"

using namespace svc;
using namespace svc::batch;

namespace {

constexpr Operation k_question{.group = "t",
                               .name = "ask",
                               .method = "POST",
                               .path = "/a",
                               .summary = "Ask.",
                               .repeat = svc::Repeat::WhenRefused};

/// Reserves what a test says, in order, and waits for nothing.
class ScriptedGuard final : public SpendGuard {
 public:
  explicit ScriptedGuard(std::vector<Reserved> grants) : m_grants(std::move(grants)) {}

  Result<std::optional<Reserved>> reserve(const Operation& /*operation*/,
                                          Payload& /*body*/) override {
    Reserved granted = m_asked < m_grants.size() ? m_grants[m_asked] : Reserved{};
    granted.number = ++m_asked;
    return std::optional(granted);
  }
  void settle(std::uint64_t reserved, SpendEnd end, std::string_view /*answer*/) override {
    ends[reserved] = end;
  }

  std::map<std::uint64_t, SpendEnd> ends{};

 private:
  std::vector<Reserved> m_grants;
  std::size_t m_asked = 0;
};

/// An answer that says what it cost, unless that is nothing.
test::FakeReply answer_of(std::int64_t ticks) {
  test::FakeReply reply;
  reply.pieces = {fmt::format(
      R"({{"choices":[{{"message":{{"role":"assistant","content":"yes"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":1,"completion_tokens":1{}}}}})",
      ticks > 0 ? fmt::format(R"(,"cost_in_usd_ticks":{})", ticks) : "")};
  return reply;
}

/// No answer to a request that was sent.
test::FakeReply lost_answer() {
  return {.status = 0, .error = Error{Fault::Network, "the connection was closed"}};
}

/// A request that did not run, after which nothing more is sent.
test::FakeReply refusal() {
  return {.status = 401, .pieces = {R"({"error":"no key"})"}};
}

/// A run with N prompts, sent through a transport without a network.
struct DirectWorld {
  explicit DirectWorld(int prompts)
      : journal(*Journal::open((directory.path() / "journal").string())),
        input(*Input::open(written(prompts),
                           {.format = InputFormat::Prompts, .model = "m", .max_item = 1U << 20U})) {
    auto transaction = journal.begin();
    REQUIRE(check_input(input, journal, {}, false, cancel, [](std::uint64_t) {}));
    REQUIRE(transaction->commit());
    journal.set_fill_callback([this] { return fill_next(input, journal, {}); });
  }

  [[nodiscard]] std::string written(int prompts) const {
    std::string lines;
    for (int i = 1; i <= prompts; ++i) lines += fmt::format("prompt {}\n", i);
    return directory.write("in.txt", lines).string();
  }

  /// The journal on disk, as a run started now would find it.
  [[nodiscard]] Journal journal_on_disk() const {
    namespace fs = std::filesystem;
    const fs::path copy = directory.path() / fmt::format("copy-{}", copies++);
    for (const char* part : {"", "-wal"}) {
      const fs::path file = (directory.path() / "journal").string() + part;
      if (fs::exists(file)) fs::copy_file(file, copy.string() + part);
    }
    return *Journal::open(copy.string());
  }
  [[nodiscard]] Totals on_disk() const { return *journal_on_disk().totals(); }

  void answers(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      test::FakeReply reply;
      reply.pieces = {fmt::format(
          R"({{"choices":[{{"message":{{"role":"assistant","content":"{}"}},"finish_reason":"stop"}}]}})",
          text)};
      reply.before = [this] { known_when_sent.push_back(on_disk()); };
      transport.add(reply);
    }
  }

  Result<void> run(std::size_t jobs, DirectSender::OnProgress tell = {}) {
    ApiClient client(transport, quota, cancel, {.retries = retries, .spending = guard},
                     [](const std::string&) {});
    DirectContext context{&client};
    context.resumes = [this](std::int64_t spent, std::int64_t dearest, std::int64_t lost) {
      resumed.push_back({spent, dearest, lost});
    };
    context.frame.operation = &k_question;
    context.frame.method = "POST";
    context.frame.url = "https://host/a";
    if (!tell) tell = [](const Totals&) { return Result<void>(); };
    context.check = check;
    context.paid = [this](std::span<const std::optional<std::string>> answers) {
      for (const auto& one : answers) paid.push_back(one.value_or("lost"));
    };
    DirectSender sender(journal, input, std::move(context),
                        {.jobs = jobs, .budget = budget, .retry = retry}, std::move(tell));
    Result<void> done = sender.run();
    abandoned = sender.abandoned();
    ended = sender.ended();
    return done;
  }

  /// The reasons of all results without success, in input order.
  [[nodiscard]] std::vector<std::string> reasons() {
    std::vector<std::string> all;
    REQUIRE(journal.for_each_in_order(
        1,
        [&](const Finished& one) -> Result<void> {
          if (one.outcome != Outcome::Succeeded) all.push_back(one.reason);
          return {};
        },
        true));
    return all;
  }

  test::TempDirectory directory{};
  mutable int copies = 0;
  Journal journal;
  Input input;
  test::FakeTransport transport{{}};
  http::RetryQuota quota{};
  NeverCanceled cancel{};
  std::vector<Totals> known_when_sent{};
  SpendGuard* guard = nullptr;
  Budget budget{};
  int retries = 0;
  std::vector<std::vector<std::int64_t>> resumed{};  ///< spent, dearest, lost
  std::vector<std::string> paid{};                   ///< answers, or "lost"
  std::function<std::optional<Error>(const std::string&)> check{};
  bool retry = false;
  std::int64_t abandoned = 0;
  std::string ended{};
};

}  // namespace

TEST_CASE(
    "the journal on disk records each request before it is sent, and each response before it "
    "counts") {
  DirectWorld world(7);
  world.answers({"1", "2", "3", "4", "5", "6", "7"});
  std::vector<std::int64_t> told;
  REQUIRE(world.run(3, [&](const Totals& totals) -> Result<void> {
    CHECK(world.on_disk().succeeded == totals.succeeded);
    told.push_back(totals.succeeded);
    return {};
  }));
  REQUIRE(world.known_when_sent.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(world.known_when_sent[i].assigned > static_cast<std::int64_t>(i));
    // Only what is sent with it: no more than three are ever unknown.
    const Totals& known = world.known_when_sent[i];
    CHECK(known.assigned - known.done() <= 3);
  }
  REQUIRE_FALSE(told.empty());
  CHECK(told.front() == 3);
  CHECK(told.back() == 7);
  CHECK(world.on_disk().succeeded == 7);
}

TEST_CASE("a journal that cannot be written stops requests from being sent") {
  DirectWorld world(5);
  world.answers({"1", "2"});
  int rounds = 0;
  const auto ended = world.run(2, [&](const Totals&) -> Result<void> {
    ++rounds;
    return Error{Fault::Local, "the disk is full"};
  });
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "the disk is full");
  CHECK(world.transport.requests.size() == 2);
  CHECK(rounds == 1);
  const Totals left = world.on_disk();
  CHECK(left.succeeded == 2);
  CHECK(left.assigned == 2);
}

TEST_CASE("after a power failure, requests that may have been sent are unknown, and not resent") {
  for (const bool same_boot : {true, false}) {
    CAPTURE(same_boot);
    DirectWorld world(6);
    // The state after a power failure during a run: two requests are known to be in flight, and any
    // up to the fourth may be.
    const auto boot = read_file("/proc/sys/kernel/random/boot_id", 100);
    REQUIRE(boot);
    const std::string machine = same_boot ? std::string(trim(*boot)) : "another";
    const std::int64_t batch = world.journal.add_batch({.stage = BatchStage::Open})->number;
    REQUIRE(world.journal.next_unassigned(0));
    REQUIRE(world.journal.begin_part(batch, {1, 2}));
    REQUIRE(world.journal.set_fact("may be sent", "4 " + machine));
    world.answers({"1", "2", "3", "4"});
    REQUIRE(world.run(2));
    CHECK(world.transport.requests.size() == (same_boot ? 4 : 2));
    CHECK(world.on_disk().unknown == (same_boot ? 2 : 4));
    CHECK(world.on_disk().done() == 6);
    CHECK(world.journal.fact("may be sent")->value().starts_with("0 "));
  }
}

TEST_CASE("items whose journal entries a power failure lost are unknown") {
  DirectWorld world(6);
  REQUIRE(world.journal.add_batch({.stage = BatchStage::Open}));
  REQUIRE(world.journal.set_fact("may be sent", "4 another"));
  world.answers({"1", "2"});
  REQUIRE(world.run(2));
  CHECK(world.transport.requests.size() == 2);
  CHECK(world.on_disk().unknown == 4);
  CHECK(world.on_disk().done() == 6);
}

TEST_CASE(
    "a later run counts what was reserved for lost answers, not what it would reserve itself") {
  DirectWorld world(4);
  ScriptedGuard guard({{.ticks = 500}, {.ticks = 300}, {.ticks = 200, .unreported = 150}});
  world.guard = &guard;
  std::vector<std::int64_t> reserved;
  for (test::FakeReply reply : {answer_of(40), lost_answer(), answer_of(0)}) {
    reply.before = [&] { reserved.push_back(*world.journal_on_disk().reserved()); };
    world.transport.add(std::move(reply));
  }
  // The fourth is not sent: it is refused after that.
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));
  // Recorded before each is sent; what an answer costs, or may cost, replaces it.
  CHECK(reserved == std::vector<std::int64_t>{500, 300, 500});
  CHECK(*world.journal.reserved() == 300 + 150);
  CHECK(world.resumed == std::vector<std::vector<std::int64_t>>{{0, 0, 0}});

  world.budget.limit = 10'000;
  world.transport.add(answer_of(60));
  REQUIRE(world.run(1));
  CHECK(world.resumed.back() == std::vector<std::int64_t>{40, 40, 450});
  CHECK(*world.journal.reserved() == 450);
  CHECK(world.on_disk().cost_ticks == 100);
}

TEST_CASE("lost answers of a run without a limit count as much as they would be reserved now") {
  DirectWorld world(3);
  world.transport.add(lost_answer());
  world.transport.add(answer_of(40));
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));
  CHECK(*world.journal.reserved() == 0);
  ScriptedGuard guard({{.ticks = 700}, {.ticks = 90}});
  world.guard = &guard;
  world.budget.limit = 10'000;
  world.transport.add(answer_of(60));
  REQUIRE(world.run(1));
  const std::vector<std::vector<std::int64_t>> expected = {{0, 0, 0}, {40, 40, 0}, {0, 0, 700}};
  CHECK(world.resumed == expected);
  CHECK(guard.ends[1] == SpendEnd::NotRun);
}

TEST_CASE("an attempt that reserves more than the one before counts as much") {
  DirectWorld world(1);
  ScriptedGuard guard({{.ticks = 500}, {.ticks = 900}});
  world.guard = &guard;
  world.retries = 1;
  world.transport.add(
      {.status = 429, .headers = {{"retry-after-ms", "1"}}, .pieces = {R"({"error":"later"})"}});
  test::FakeReply lost = lost_answer();
  lost.before = [&] { CHECK(*world.journal_on_disk().reserved() == 900); };
  world.transport.add(std::move(lost));
  REQUIRE(world.run(1));
  CHECK(*world.journal.reserved() == 900);
  CHECK(world.on_disk().unknown == 1);
}

TEST_CASE("a request that is sent again costs as much as both may") {
  DirectWorld world(1);
  ScriptedGuard guard({{.ticks = 500}, {.ticks = 200}});
  world.guard = &guard;
  world.transport.add(lost_answer());
  REQUIRE(world.run(1));
  CHECK(world.on_disk().unknown == 1);
  REQUIRE(*world.journal.reopen(true, true) == 1);
  test::FakeReply again = answer_of(40);
  again.before = [&] { CHECK(*world.journal_on_disk().reserved() == 700); };
  world.transport.add(std::move(again));
  REQUIRE(world.run(1));
  CHECK(world.resumed.back() == std::vector<std::int64_t>{0, 0, 500});
  CHECK(*world.journal.reserved() == 500);
  CHECK(world.on_disk().cost_ticks == 40);
}

TEST_CASE("what was reserved once does not hide that a request was sent without a limit") {
  DirectWorld world(2);
  ScriptedGuard first(std::vector<Reserved>{{.ticks = 100}});
  world.guard = &first;
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));  // not sent after all
  CHECK(*world.journal.reserved() == 0);
  world.guard = nullptr;
  world.transport.add(lost_answer());
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));
  // Sent again, and lost again, once with a limit and once without.
  REQUIRE(*world.journal.reopen(true, true) == 1);
  ScriptedGuard second({{.ticks = 700}, {.ticks = 90}});
  world.guard = &second;
  world.budget.limit = 10'000;
  world.transport.add(lost_answer());
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));
  CHECK(world.resumed.back() == std::vector<std::int64_t>{0, 0, 700});
  REQUIRE(*world.journal.reopen(true, true) == 1);
  world.guard = nullptr;
  world.transport.add(lost_answer());
  world.transport.add(refusal());
  REQUIRE_FALSE(world.run(1));
  ScriptedGuard last({{.ticks = 500}, {.ticks = 10}});
  world.guard = &last;
  world.transport.add(answer_of(10));
  REQUIRE(world.run(1));
  REQUIRE(world.resumed.size() >= 2);
  CHECK(world.resumed[world.resumed.size() - 2] == std::vector<std::int64_t>{0, 0, 90});
  CHECK(world.resumed.back() == std::vector<std::int64_t>{0, 0, 2 * 500});
}

TEST_CASE("what ends a run while a request waits for its response is its reason") {
  const std::pair<Fault, const char*> rows[] = {
      {Fault::HungUp, "svc lost its terminal (SIGHUP) while waiting for the response"},
      {Fault::Interrupted, "svc was interrupted while waiting for the response"},
      {Fault::Quit, "svc was quit (SIGQUIT) while waiting for the response"},
      {Fault::Terminated, "svc was terminated while waiting for the response"},
      {Fault::Local, "it broke"},
  };
  for (const auto& [fault, reason] : rows) {
    DirectWorld world(2);
    world.transport.add({.status = 0, .error = Error{fault, "it broke"}});
    const auto ended = world.run(1);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().fault == fault);
    CHECK(world.transport.requests.size() == 1);
    CHECK(world.reasons() == std::vector<std::string>{reason});
    CHECK(world.on_disk().unknown == 1);
    CHECK(world.on_disk().assigned == 1);
    CHECK(world.paid == std::vector<std::string>{"lost"});
  }
}

TEST_CASE("an answer that one request gets does not end the others") {
  DirectWorld world(4);
  world.transport.add({.status = 404, .pieces = {R"({"error":"no model","code":"c"})"}});
  world.transport.add(lost_answer());
  world.answers({"3", "4"});
  world.check = [](const std::string& text) {
    return text == "4" ? std::optional(Error{Fault::Usage, "not this"}) : std::nullopt;
  };
  REQUIRE(world.run(1));
  CHECK(world.on_disk().succeeded == 1);
  CHECK(world.on_disk().failed == 2);
  CHECK(world.on_disk().unknown == 1);
  const auto reasons = world.reasons();
  REQUIRE(reasons.size() == 3);
  CHECK(reasons[0].find("no model") != std::string::npos);
  CHECK(reasons[1].find("the connection was closed") != std::string::npos);
  CHECK(reasons[2] == "not this");
  REQUIRE(world.paid.size() == 3);  // not for one that was refused
  CHECK(world.paid[0] == "lost");
  CHECK(world.paid[1].find("\"3\"") != std::string::npos);
  const auto batches = world.journal.batches();
  REQUIRE(batches->size() == 1);
  CHECK(batches->front().stage == BatchStage::Collected);
}

TEST_CASE("a request that was not sent after all is sent by the next run") {
  DirectWorld world(2);
  world.transport.add({.status = 0, .error = Error{Fault::Network, "no route"}, .sent = false});
  const auto ended = world.run(1);
  REQUIRE_FALSE(ended);
  CHECK(world.on_disk().assigned == 0);
  CHECK(world.paid.empty());
  CHECK(world.journal.batches()->front().stage == BatchStage::Open);
  world.answers({"1", "2"});
  REQUIRE(world.run(1));
  CHECK(world.abandoned == 0);
  CHECK(world.on_disk().succeeded == 2);
}

TEST_CASE("requests in flight when a run was killed are unknown, or sent again if that is wanted") {
  for (const bool retry : {false, true}) {
    for (const bool full : {false, true}) {
      CAPTURE(retry);
      CAPTURE(full);
      DirectWorld world(3);
      const std::int64_t batch = world.journal.add_batch({.stage = BatchStage::Open})->number;
      REQUIRE(world.journal.next_unassigned(0));
      REQUIRE(world.journal.begin_part(batch, {1, 2}));
      if (full) REQUIRE(world.journal.set_fact("disk full", "yes"));
      world.retry = retry;
      world.answers({"1", "2", "3"});
      REQUIRE(world.run(1));
      CHECK(world.transport.requests.size() == (retry ? 3 : 1));
      CHECK(world.abandoned == 2);
      const std::string why = full ? "the disk was full" : "svc ended";
      CHECK(world.ended == why);
      CHECK(world.on_disk().unknown == (retry ? 0 : 2));
      if (!retry) {
        CHECK(world.reasons() ==
              std::vector<std::string>(2, why + " before the response was saved"));
      }
      REQUIRE(world.paid.size() == (retry ? 5 : 3));
      CHECK(world.paid[1] == "lost");
      CHECK(world.paid[2] != "lost");
      CHECK(world.journal.fact("disk full")->value_or("none").empty());
    }
  }
}

TEST_CASE("a disk that is full is recorded, and nothing more is sent") {
  DirectWorld world(2);
  world.answers({"1", "2"});
  const auto ended = world.run(1, [&](const Totals&) -> Result<void> {
    return Error{.fault = Fault::Local, .message = "full", .cause = Cause::DiskFull};
  });
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message == "full");
  CHECK(world.transport.requests.size() == 1);
  CHECK(world.journal.fact("disk full")->value_or("") == "yes");
}

TEST_CASE("a budget counts what was spent before, and what is not written yet") {
  DirectWorld world(4);
  world.budget.limit = 100;
  for (const int ticks : {60, 40, 40}) world.transport.add(answer_of(ticks));
  const auto ended = world.run(1);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().fault == Fault::Limited);
  CHECK(world.transport.requests.size() == 2);
  CHECK(world.on_disk().cost_ticks == 100);
  world.budget.limit = 101;
  const auto again = world.run(1);
  REQUIRE_FALSE(again);
  CHECK(world.transport.requests.size() == 3);
  CHECK(world.on_disk().cost_ticks == 140);
}

TEST_CASE("an answer that says no cost takes nothing of a budget") {
  DirectWorld world(3);
  world.budget.limit = 1;
  for (int i = 0; i < 3; ++i) world.transport.add(answer_of(0));
  REQUIRE(world.run(1));
  CHECK(world.on_disk().succeeded == 3);
  CHECK(world.on_disk().cost_ticks == 0);
}
