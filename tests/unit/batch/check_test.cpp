// Checking an input before anything is sent, and sending it.
#include "batch/check.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "batch/id_index.h"
#include "unit/client/temp_directory.h"

using namespace svc;
using namespace svc::batch;

namespace {

std::string request_line(const std::string& id) {
  return fmt::format(
      R"({{"custom_id":"{}","method":"POST","url":"/v1/responses","body":{{"input":"x"}}}})"
      "\n",
      id);
}

struct CheckWorld {
  explicit CheckWorld(const std::string& text)
      : path(directory.write("in.jsonl", text).string()),
        input(*Input::open(path, {.max_item = 25'000'000})),
        journal(*Journal::open((directory.path() / "journal.db").string())) {}

  CheckReport check(bool skip_invalid = false, Shard shard = {}) {
    const NeverCanceled never;
    auto transaction = journal.begin();
    REQUIRE(transaction);
    auto report = check_input(input, journal, shard, skip_invalid, never, [](std::uint64_t) {});
    REQUIRE(report);
    REQUIRE(transaction->commit());
    journal.set_fill_callback([this, shard] { return fill_next(input, journal, shard); });
    return *report;
  }

  /// The IDs that would be sent.
  std::vector<std::string> sent() {
    std::vector<std::string> ids;
    for (std::int64_t after = 0;;) {
      const auto location = journal.next_unassigned(after);
      REQUIRE(location);
      if (!*location) return ids;
      ids.push_back((*location)->id);
      CHECK(input.reread(**location)->id == ids.back());
      after = (*location)->ordinal;
    }
  }

  test::TempDirectory directory{};
  std::string path;
  Input input;
  Journal journal;
};

}  // namespace

TEST_CASE("several thousand lines are checked, and sent in order") {
  std::string text;
  for (int i = 0; i < 3'500; ++i)
    text += request_line(fmt::format("r{}", i)) + (i % 7 == 0 ? "\n" : "");
  CheckWorld world(text);
  const CheckReport report = world.check();
  CHECK(report.items == 3'500);
  CHECK(report.complete);
  CHECK(world.journal.totals()->items == 3'500);
  const auto ids = world.sent();
  REQUIRE(ids.size() == 3'500);
  CHECK(ids.front() == "r0");
  CHECK(ids[1000] == "r1000");
  CHECK(ids.back() == "r3499");
}

TEST_CASE("a duplicate ID is reported with both lines, and skipped on request") {
  std::string text;
  for (int i = 0; i < 2'500; ++i) text += request_line(fmt::format("r{}", i));
  text += request_line("r3") + "{\n" + request_line("r2400") + request_line("r3");
  CheckWorld world(text);
  const CheckReport report = world.check(true);
  CHECK(report.invalid_lines == 4);
  CHECK(report.items == 2'500);
  REQUIRE(report.errors.size() == 4);
  CHECK(describe(report.errors[0]) == "line 2501: the ID 'r3' is already used in line 4");
  CHECK(report.errors[1].line == 2502);
  CHECK(describe(report.errors[2]) == "line 2503: the ID 'r2400' is already used in line 2401");
  CHECK(report.errors[3].line == 2504);
  CHECK(world.sent().size() == 2'500);
}

TEST_CASE("an ID that was made from a line's number may be in use") {
  CheckWorld world(request_line("line-2") + R"({"url":"/v1/responses","body":{"input":"x"}})"
                                            "\n");
  const CheckReport report = world.check(true);
  REQUIRE(report.errors.size() == 1);
  CHECK(describe(report.errors[0]) ==
        "line 2: the ID 'line-2' (generated from the line number) is already used in line 1");
  CHECK(world.sent() == std::vector<std::string>{"line-2"});
}

TEST_CASE("shards that skip duplicates send each ID once together, and count what they send") {
  const std::string text = request_line("r1") + request_line("r2") + request_line("r1") +
                           request_line("r3") + request_line("r2") + request_line("r4") +
                           request_line("r1");
  for (std::int64_t count = 1; count <= 8; ++count) {
    CAPTURE(count);
    std::vector<std::string> all;
    for (std::int64_t index = 1; index <= count; ++index) {
      CheckWorld world(text);
      const CheckReport report = world.check(true, {index, count});
      CHECK(report.invalid_lines == 3);
      const std::vector<std::string> sent = world.sent();
      CHECK(report.items == static_cast<std::int64_t>(sent.size()));
      all.insert(all.end(), sent.begin(), sent.end());
    }
    std::ranges::sort(all);
    CHECK(all == std::vector<std::string>{"r1", "r2", "r3", "r4"});
  }
}

TEST_CASE("of many errors the first twenty are reported") {
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += request_line("same");
  CheckWorld world(text);
  const CheckReport report = world.check();
  CHECK(report.invalid_lines == 2'999);
  REQUIRE(report.errors.size() == k_max_reported_errors);
  CHECK(report.errors.front().line == 2);
  CHECK(report.errors.back().line == 21);
}

TEST_CASE("a large binary file is not read to its end") {
  CheckWorld world("");
  REQUIRE(::truncate(world.path.c_str(), 10'000'000'000) == 0);
  world.input = *Input::open(world.path, {.max_item = 25'000'000});
  const CheckReport report = world.check();
  CHECK(report.invalid_lines == 1);
  CHECK_FALSE(report.complete);
  CHECK(describe(report.errors.at(0)) ==
        "line 1, column 1: a NUL byte, which is not valid in text");
}

TEST_CASE("an input that changes between checking and sending is detected") {
  CheckWorld world(request_line("r1") + request_line("r2"));
  world.check();
  REQUIRE(world.directory.write("in.jsonl", request_line("r1") + request_line("r3")).string() ==
          world.path);
  world.input = *Input::open(world.path, {.max_item = 25'000'000});
  const auto location = world.journal.next_unassigned(0);
  REQUIRE_FALSE(location);
  CHECK(location.error().fault == Fault::Local);
  CHECK(location.error().message ==
        "'" + world.path +
            "' has changed since it was checked: line 1 or a later line is different");
  CHECK(location.error().hint == "Restore the original file and rerun the command.");
}

TEST_CASE("IDs with the same hash are told apart, however many there are") {
  IdIndex index;
  for (int i = 1; i <= 200'000; ++i) {
    const auto id = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15U | 1U << 31U;
    REQUIRE(index.add({.id = id, .ordinal = i}));
  }
  REQUIRE(index.add({.id = 77 * 0x9e3779b97f4a7c15U | 1U << 31U, .ordinal = 200'001}));
  std::vector<std::int64_t> found;
  REQUIRE(index.for_each_duplicate([&](std::span<const IdLocation> locations) -> Result<void> {
    for (const IdLocation& location : locations) found.push_back(location.ordinal);
    return {};
  }));
  CHECK(found == std::vector<std::int64_t>{77, 200'001});
}

TEST_CASE("a check tells how far it is, and can be canceled, after each 256 lines") {
  std::string text;
  for (int i = 100; i < 700; ++i) text += request_line(fmt::format("r{}", i));
  const std::uint64_t length = text.find('\n') + 1;
  std::vector<std::uint64_t> positions;
  const auto check = [&](std::size_t lines, const CancelToken& cancel) {
    CheckWorld world(text.substr(0, lines * length));
    positions.clear();
    return check_input(world.input, world.journal, {}, false, cancel,
                       [&](std::uint64_t position) { positions.push_back(position); });
  };
  REQUIRE(check(600, NeverCanceled()));
  CHECK(positions == std::vector<std::uint64_t>{256 * length - 1, 512 * length - 1});
  CancelSource canceled;
  canceled.cancel();
  CHECK(check(255, canceled));
  const auto ended = check(256, canceled);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().fault == Fault::Interrupted);
  CHECK(positions.empty());
}

TEST_CASE("how many lines become items at once") {
  for (const int count : {999, 1000, 1001}) {
    CAPTURE(count);
    std::string text;
    for (int i = 0; i < count; ++i) text += request_line(fmt::format("r{}", i));
    CheckWorld world(text);
    world.check();
    const auto first = world.journal.next_range();
    REQUIRE((first && *first));
    CHECK((*first)->ordinal == 1);
    CHECK((*first)->line == 1);
    CHECK((*first)->lines == std::min(count, 1000));
    CHECK((*first)->items == std::min(count, 1000));
    REQUIRE(*fill_next(world.input, world.journal, {}));
    const auto second = world.journal.next_range();
    REQUIRE(second);
    CHECK(second->has_value() == (count > 1000));
    if (!*second) continue;
    CHECK((*second)->ordinal == 1001);
    CHECK((*second)->line == 1001);
    CHECK((*second)->offset == text.rfind("{\"custom_id"));
    CHECK((*second)->lines == 1);
  }
}
