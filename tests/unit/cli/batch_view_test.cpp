// How results of a batch are shown.
#include "operation/batch_view.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/money.h"
#include "catalogue/catalogue.h"
#include "unit/cli/call_stage.h"

using namespace svc;
using namespace svc::cli;

namespace {

using Cells = std::vector<std::string>;

constexpr const char* k_good =
    R"({"batch_request_id":"a","batch_result":{"response":{"chat_get_completion":{"choices":[)"
    R"({"index":0,"message":{"content":"Hi."},"finish_reason":"stop"}]}}}})";
constexpr const char* k_bad =
    R"({"batch_request_id":"b","batch_result":{"error":"no such model"}})";

/// What is said of requests that failed for `count` reasons.
std::string said_of(std::size_t count) {
  CallStage stage({"batches", "list"}, {}, {});
  Reasons reasons;
  for (std::size_t i = 1; i <= count; ++i) {
    reasons.emplace_back(std::string(i, 'r'), static_cast<std::int64_t>(100 - i));
  }
  const Error error = batch_failures(stage.session(), 2, 3, reasons, "Go on.");
  CHECK(error.fault == Fault::RemoteJob);
  CHECK(error.message == "2 of 3 requests did not succeed");
  CHECK(error.hint == "Go on.");
  return stage.err();
}

/// The progress of a batch that was just begun.
std::string progress_of(std::int64_t done, std::int64_t total, std::int64_t failed = 0,
                        std::int64_t canceled = 0, std::int64_t ticks = 0) {
  CallStage stage({"batches", "list"}, {});
  BatchProgress(stage.session()).update(done, total, failed, canceled, ticks);
  stage.session().progress().tick();
  const std::string line = stage.err();
  stage.session().progress().finish();
  return line.substr(line.rfind('|') + 1);
}

}  // namespace

TEST_CASE("the parts of a batch that are none are left out") {
  CHECK(counts_text(0, 0, 0, 0, 0) == "0 succeeded");
  CHECK(counts_text(5, 1, 1, 1, 1) ==
        "5 succeeded, 1 failed, 1 canceled, 1 unknown, $0.0000000001");
  CHECK(counts_text(997, 3, 0, 0, 12 * k_ticks_per_cent) == "997 succeeded, 3 failed, $0.12");
  CHECK(counts_text(0, 0, 2, 4, 0) == "0 succeeded, 2 canceled, 4 unknown");
}

TEST_CASE("a result has its ID, its state, and its text or the reason for having none") {
  CHECK(result_cells(k_good) == Cells{"a", "succeeded", "Hi."});
  CHECK(result_cells(k_bad) == Cells{"b", "failed", "no such model"});
  const auto columns = print::columns_of(*find_operation("batches", "results"));
  CHECK(result_cells(k_good, columns).size() == 3);
  std::size_t details = 0;
  for (const print::Column& column : columns) details += column.detail ? 1 : 0;
  CHECK(details > 0);
  CHECK(result_cells(k_good, columns, true).size() == 3 + details);
}

TEST_CASE("of the reasons why requests failed, ten are told, and the number of the others") {
  CHECK(said_of(0).empty());
  CHECK(said_of(2) == "svc: note: 99 x r\nsvc: note: 98 x rr\n");
  const std::string ten = said_of(10);
  CHECK(std::count(ten.begin(), ten.end(), '\n') == 10);
  CHECK(ten.ends_with("svc: note: 90 x rrrrrrrrrr\n"));
  CHECK(said_of(11) == ten + "svc: note: and 1 more reasons\n");
  CHECK(said_of(13) == ten + "svc: note: and 3 more reasons\n");
  CallStage stage({"batches", "list"}, {});
  CHECK(batch_failures(stage.session(), 1, 1, {}, "").message == "1 of 1 request did not succeed");
}

TEST_CASE("the progress of a batch has what failed, and the cost of all at the pace so far") {
  CHECK(progress_of(0, 4) == "Waiting  0 of 4  0 %  3 s");
  CHECK(progress_of(1, 4, 1) == "Waiting  1 of 4  25 %  1 failed  3 s");
  CHECK(progress_of(1, 4, 1, 2) == "Waiting  1 of 4  25 %  1 failed, 2 canceled  3 s");
  CHECK(progress_of(1, 4, 0, 2, k_ticks_per_cent) ==
        "Waiting  1 of 4  25 %  2 canceled, $0.0100 of about $0.0400  3 s");
  CHECK(progress_of(1, 10, 0, 0, k_ticks_per_cent) ==
        "Waiting  1 of 10  10 %  $0.01 of about $0.10  3 s");
  CHECK(progress_of(1, 9, 0, 0, k_ticks_per_cent) ==
        "Waiting  1 of 9  11 %  $0.0100 of about $0.0900  3 s");
  CHECK(progress_of(4, 4, 0, 0, k_ticks_per_cent) == "Waiting  4 of 4  100 %  $0.0100  3 s");
  CHECK(progress_of(0, 4, 0, 0, 10 * k_ticks_per_cent) == "Waiting  0 of 4  0 %  $0.10  3 s");
}
