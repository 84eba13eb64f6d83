// How results of a batch are shown.
#include "operation/batch_view.h"

#include <doctest/doctest.h>

#include "base/money.h"
#include "catalogue/catalogue.h"

using namespace svc;
using namespace svc::cli;

namespace {

using Cells = std::vector<std::string>;

constexpr const char* k_good =
    R"({"batch_request_id":"a","batch_result":{"response":{"chat_get_completion":{"choices":[)"
    R"({"index":0,"message":{"content":"Hi."},"finish_reason":"stop"}]}}}})";
constexpr const char* k_bad =
    R"({"batch_request_id":"b","batch_result":{"error":"no such model"}})";

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
