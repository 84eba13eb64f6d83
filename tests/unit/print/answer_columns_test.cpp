// Columns and sections made from the rows of answers.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "catalogue/catalogue.h"
#include "print/columns.h"

using namespace svc;

namespace {

std::vector<std::string> titles(const Operation& operation) {
  std::vector<std::string> titles;
  for (const print::Column& column : print::columns_of(operation)) {
    if (!column.detail) titles.push_back(column.title);
  }
  return titles;
}

}  // namespace

TEST_CASE("the columns of a list are its rows, in their order") {
  using Titles = std::vector<std::string>;
  CHECK(titles(*find_operation("batches", "list")) == Titles{"ID", "NAME", "REQUESTS", "PENDING",
                                                             "DONE", "FAILED", "CANCELED", "COST",
                                                             "CREATED"});
  CHECK(titles(*find_operation("batches", "requests")) ==
        Titles{"ID", "STATE", "MODEL", "ENDPOINT", "CREATED", "FINISHED"});
  CHECK(titles(*find_operation("batches", "results")) == Titles{"ID", "STATE", "RESULT"});
  CHECK(titles(*find_operation("files", "list")) ==
        Titles{"ID", "SIZE", "CREATED", "EXPIRES", "NAME"});
  CHECK(titles(*find_operation("responses", "inputs")) == Titles{"ID", "TYPE", "ROLE", "CONTENT"});
  CHECK(titles(*find_operation("tokenize", "")) == Titles{"ID", "TOKEN", "BYTES"});
}

TEST_CASE("no two columns of a list share a title") {
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      if (operation.items.empty()) continue;
      std::set<std::string> seen;
      for (const print::Column& column : print::columns_of(operation)) {
        CAPTURE(group.name);
        CAPTURE(operation.name);
        CAPTURE(column.title);
        CHECK(seen.insert(column.title).second);
      }
    }
  }
}

TEST_CASE("a member in an array of a document keeps its unit") {
  const auto columns = print::columns_of(*find_operation("batches", "get"));
  const auto cost = std::ranges::find(columns, "cost_breakdown.endpoint_costs.cost_usd_ticks",
                                      &print::Column::path);
  REQUIRE(cost != columns.end());
  CHECK(cost->unit == Unit::Ticks);
}

TEST_CASE("the tables that --verbose adds have columns, not details below their rows") {
  const auto sections =
      print::sections_of(open_members(find_operation("chat", "create")->answer), true);
  const auto table =
      std::ranges::find(sections, "choices.logprobs.content", &print::Section::items);
  REQUIRE(table != sections.end());
  CHECK(table->columns.size() == 5);
  CHECK(std::ranges::none_of(table->columns, &print::Column::detail));
}
