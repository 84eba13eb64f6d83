#include "print/columns.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/answer_builders.h"
#include "print/table.h"

namespace svc::print {
namespace {

namespace rows = catalogue::answer;

constexpr std::array k_line_members = {rows::text("name"), rows::cents("amount"),
                                       rows::text("note", rows::details)};
constexpr Shape k_line{"Line", k_line_members};
constexpr std::array k_answer = {
    rows::text("id"),
    rows::table("lines[]", k_line),
    rows::text("tags[]"),
    rows::text("answer", rows::drawn),
    rows::text("secret", rows::hidden("A test hides it.")),
    rows::bytes("size", rows::details),
    rows::view("Kind", "card.brand|type"),
};

std::string program(const char* item, const Column& column) {
  return cell_text(nlohmann::json::parse(item), column, Reader::Program);
}

}  // namespace

TEST_CASE("the rows of an answer become columns, lines and tables") {
  const std::vector<Section> sections = sections_of(open_members(k_answer));
  REQUIRE(sections.size() == 2);
  CHECK(sections[0].items.empty());
  REQUIRE(sections[0].columns.size() == 5);
  CHECK(sections[0].columns[0].title == "ID");
  CHECK(sections[0].columns[1].path == "tags");
  CHECK(sections[0].columns[1].unit == Unit::List);
  CHECK(sections[0].columns[2].title == "Answer");
  CHECK(sections[0].columns[3].detail);
  CHECK(sections[0].columns[4].title == "Kind");
  CHECK(sections[1].items == "lines");
  REQUIRE(sections[1].columns.size() == 3);
  CHECK(sections[1].columns[1].title == "AMOUNT");
  CHECK(sections[1].columns[1].unit == Unit::Cents);

  const std::vector<Section> details = sections_of(open_members(k_answer), true);
  REQUIRE(details.size() == 2);
  // Beside an answer that code draws, each other member is a line.
  std::vector<std::string> titles;
  for (const Section& section : details) {
    for (const Column& column : section.columns) titles.push_back(column.title);
  }
  CHECK(titles == std::vector<std::string>{"ID", "Tags", "Size", "Kind", "NAME", "AMOUNT", "NOTE"});

  const std::vector<Column> columns = columns_of(open_members(k_answer, "lines[]"));
  REQUIRE(columns.size() == 3);
  CHECK(columns[0].title == "NAME");
}

TEST_CASE("a row does not show the table inside it") {
  static constexpr std::array rows_of_pages = {
      rows::text("data[].id"),
      rows::table("data[].lines[]", k_line),
      rows::text("data[].lines_total"),
      rows::text("next"),
  };
  Operation operation{.group = "test", .name = "list", .summary = ""};
  operation.items = "data|other";
  operation.answer = rows_of_pages;
  std::vector<std::string> paths;
  for (const Column& column : columns_of(operation)) paths.push_back(column.path);
  CHECK(paths == std::vector<std::string>{"id", "lines_total"});
}

TEST_CASE("a name matches its twin in the other case, and a wrapper may be missing") {
  CHECK(program(R"({"createTime":"x"})", {{}, "create_time"}) == "x");
  CHECK(program(R"({"create_time":"x"})", {{}, "createTime"}) == "x");
  CHECK(program(R"({"create_time":"x","createTime":"y"})", {{}, "createTime"}) == "y");
  CHECK(program(R"({"a_b":{"c_d":["x","y"]}})", {{}, "aB.cD", Unit::List}) == "x, y");
  CHECK(program(R"({"aZ":"x"})", {{}, "a_z"}) == "x");
  CHECK(program(R"({"z_a":"x"})", {{}, "zA"}) == "x");
  CHECK(program(R"({"x2Y":"x"})", {{}, "x2_y"}) == "x");
  CHECK(program(R"({"x1":"x"})", {{}, "x_1"}) == "x");
  CHECK(program(R"({"phone_number":{"name":"x"}})", {{}, "(phone_number).name"}) == "x");
  CHECK(program(R"({"phoneNumber":{"name":"x"}})", {{}, "(phone_number).name"}) == "x");
  CHECK(program(R"({"phone_number":"+1","name":"y"})", {{}, "(phone_number).name"}) == "y");
  CHECK(program(R"({"phone_number":"+1"})", {{}, "(phone_number).phone_number"}) == "+1");
}

}  // namespace svc::print
