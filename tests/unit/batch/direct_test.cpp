// Requests sent one by one: what the journal on disk contains when one is sent, and when a response
// counts.
#include <string>
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

  /// The state on disk, as a run started now would find it.
  [[nodiscard]] Totals on_disk() const {
    namespace fs = std::filesystem;
    const fs::path copy = directory.path() / fmt::format("copy-{}", copies++);
    for (const char* part : {"", "-wal"}) {
      const fs::path file = (directory.path() / "journal").string() + part;
      if (fs::exists(file)) fs::copy_file(file, copy.string() + part);
    }
    return *Journal::open(copy.string())->totals();
  }

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
    ApiClient client(transport, quota, cancel, {}, [](const std::string&) {});
    DirectContext context{&client};
    context.frame.operation = &k_question;
    context.frame.method = "POST";
    context.frame.url = "https://host/a";
    if (!tell) tell = [](const Totals&) { return Result<void>(); };
    return DirectSender(journal, input, std::move(context), {.jobs = jobs}, std::move(tell)).run();
  }

  test::TempDirectory directory{};
  mutable int copies = 0;
  Journal journal;
  Input input;
  test::FakeTransport transport{{}};
  http::RetryQuota quota{};
  NeverCanceled cancel{};
  std::vector<Totals> known_when_sent{};
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
