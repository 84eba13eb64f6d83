#include "print/table.h"

#include <array>
#include <cstdlib>
#include <ctime>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "print/width.h"
#include "print_support.h"
#include "support/environment_variable.h"

namespace svc::print {
namespace {

using nlohmann::json;
using test::Captured;
using Widths = std::vector<std::size_t>;

const std::vector k_columns = {Column{"ID", "id"}, Column{"SIZE", "size", Unit::Bytes},
                               Column{"NAME", "file.name"}};

std::string person(const char* item, Unit cell) {
  return cell_text(json::parse(item), Column{"X", "", cell}, Reader::Person);
}
std::string program(const char* item, Unit cell) {
  return cell_text(json::parse(item), Column{"X", "", cell}, Reader::Program);
}

}  // namespace

TEST_CASE("meaningless tallies are omitted, seconds have a human-readable unit") {
  for (const char* nothing : {"0", "\"0\"", "0.0", "false", "null", "[]", "{}", "\"\""}) {
    CHECK(program(nothing, Unit::Tally).empty());
  }
  CHECK(program("7", Unit::Tally) == "7");
  CHECK(program("true", Unit::Tally) == "true");
  CHECK(person("12.34", Unit::Seconds) == "12.34 s");
  CHECK(person("\"8\"", Unit::Seconds) == "8 s");
  CHECK(person("\"soon\"", Unit::Seconds) == "soon");
  CHECK(program("12.34", Unit::Seconds) == "12.34");
}

TEST_CASE("a path to a list may pass through arrays") {
  const json item = json::parse(R"({"a":[{"b":["x","y"]},{"c":1},{"b":null},{"b":"z"}]})");
  const auto at = [&](sv path) {
    return cell_text(item, Column{"X", std::string(path), Unit::List}, Reader::Program);
  };
  CHECK(at("a.b") == "x, y, z");
  CHECK(at("a.0.b") == "x, y");
  CHECK(at("none|a.c") == "1");
  CHECK(at("a.d").empty());
  const json numbers =
      json::parse(R"({"n":[{"p":-0.10300000000000001},{"p":-3.5}],"p":0.1234567891})");
  const Column list{"X", "n.p", Unit::List};
  CHECK(cell_text(numbers, list, Reader::Person) == "-0.103, -3.5");
  CHECK(cell_text(numbers, list, Reader::Program).starts_with("-0.1030000000"));
  CHECK(cell_text(numbers, Column{"X", "p", Unit::Count}, Reader::Person) == "0.123457");
}

TEST_CASE("a cell is found by its path") {
  const json item = json::parse(R"({"a":{"b":["x",{"c":7}]},"n":null})");
  const auto at = [&](sv path) {
    return cell_text(item, Column{"X", std::string(path)}, Reader::Program);
  };
  CHECK(at("a.b.1.c") == "7");
  CHECK(at("a.b.0") == "x");
  CHECK(at("a.b.2").empty());
  CHECK(at("a.b.-1").empty());
  CHECK(at("a.missing").empty());
  CHECK(at("a.b.0.c").empty());
  CHECK(at("n").empty());
  CHECK(at("a") == R"({"b":["x",{"c":7}]})");
  CHECK(cell_text("word", Column{"X", ""}, Reader::Program) == "word");
}

TEST_CASE("text, counts and lists") {
  CHECK(program("true", Unit::None) == "true");
  CHECK(program("0.1", Unit::None) == "0.1");
  CHECK(program(R"(["a",1,{"b":2}])", Unit::None) == "a, 1, {\"b\":2}");
  CHECK(program(R"([72,105])", Unit::List) == "72, 105");
  CHECK(program("[]", Unit::List).empty());
  CHECK(program("[1,2,3]", Unit::Count) == "3");
  CHECK(program("{}", Unit::Count) == "0");
  CHECK(program("12", Unit::Count) == "12");
}

TEST_CASE("sizes are rounded only for people") {
  CHECK(person("1500", Unit::Bytes) == "1.5 kB");
  CHECK(person("\"1500\"", Unit::Bytes) == "1.5 kB");
  CHECK(program("1500", Unit::Bytes) == "1500");
  CHECK(person("-1", Unit::Bytes) == "-1");
  CHECK(person("\"many\"", Unit::Bytes) == "many");
}

TEST_CASE("times are local for people and RFC 3339 for programs") {
  const test::EnvironmentVariable zone("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
  CHECK(person("1776323959", Unit::UnixTime) == "2026-04-16 09:19");
  CHECK(program("1776323959", Unit::UnixTime) == "2026-04-16T07:19:19Z");
  CHECK(program("\"1776323959\"", Unit::UnixTime) == "2026-04-16T07:19:19Z");
  CHECK(person("1776323959.75", Unit::UnixTime) == "2026-04-16 09:19");
  CHECK(person("\"2026-04-16T07:19:19.123Z\"", Unit::UnixTime) == "2026-04-16 09:19");
  CHECK(program("\"2026-04-16T07:19:19.123Z\"", Unit::UnixTime) == "2026-04-16T07:19:19.123Z");
  CHECK(person("\"soon\"", Unit::UnixTime) == "soon");
  CHECK(person("99999999999999999", Unit::UnixTime) == "99999999999999999");
  CHECK(program("1e300", Unit::UnixTime) == "1e+300");
}

TEST_CASE("a cost is exact for programs, and rounded for people") {
  CHECK(person("12345678900", Unit::Ticks) == "$1.23");
  CHECK(program("12345678900", Unit::Ticks) == "$1.23456789");
  CHECK(person("499999", Unit::Ticks) == "$0.00005");
  CHECK(person("0", Unit::Ticks) == "$0.00");
  CHECK(person("42000000", Unit::Ticks) == "$0.0042");
  CHECK(program("42000000", Unit::Ticks) == "$0.0042");
  CHECK(program("\"42000000\"", Unit::Ticks) == "$0.0042");
  CHECK(program("18446744073709551615", Unit::Ticks) == "18446744073709551615");
}

TEST_CASE("not on a terminal, rows are tab-separated, immediate and without a header") {
  Captured captured;
  Table table(captured.out(), k_columns);
  CHECK(table.add(json::parse(R"({"id":"a","size":1500,"file":{"name":"x\ty\nz \u001b é"}})")));
  CHECK(captured.take() == "a\t1500\tx\\ty\\nz \x1b é\n");
  CHECK(table.add(json::parse(R"({"id":"b"})")));
  CHECK(table.finish());
  CHECK(captured.text() == "b\t\t\n");
  CHECK(table.rows() == 2);
}

TEST_CASE("a terminal gets a header and aligned columns") {
  Captured captured(test::tty());
  Table table(captured.out(), k_columns);
  CHECK(table.add(json::parse(R"({"id":"a","size":1500,"file":{"name":"日本.txt"}})")));
  CHECK(table.add(json::parse(R"({"id":"longer","size":12})")));
  CHECK(captured.text().empty());
  CHECK(table.finish());
  CHECK(captured.text() ==
        "ID        SIZE  NAME\n"
        "a       1.5 kB  日本.txt\n"
        "longer    12 B\n");
}

TEST_CASE("color makes the header bold") {
  Captured captured(test::color_tty());
  const std::vector columns = {Column{"ID", "id"}};
  Table table(captured.out(), columns);
  CHECK(table.add(json::parse(R"({"id":"a"})")));
  CHECK(table.finish());
  CHECK(captured.text() == "\x1b[1mID\x1b[0m\na\n");
}

TEST_CASE("times outside four-digit years and numbers that are not exact stay as they are") {
  const test::EnvironmentVariable zone("TZ", "UTC");
  CHECK(program("-62167219200", Unit::UnixTime) == "0000-01-01T00:00:00Z");
  CHECK(program("-62167219201", Unit::UnixTime) == "-62167219201");
  CHECK(program("253402300799", Unit::UnixTime) == "9999-12-31T23:59:59Z");
  CHECK(program("253402300800", Unit::UnixTime) == "253402300800");
  CHECK(program("0", Unit::UnixTime) == "1970-01-01T00:00:00Z");
  CHECK(person("9007199254740991.0", Unit::Bytes) == "9 PB");
  CHECK(person("9007199254740992.0", Unit::Bytes) == "9.007199254740992e+15");
  CHECK(person("-9007199254740992.0", Unit::Ticks) == "-9.007199254740992e+15");
  CHECK(person("-9007199254740991.0", Unit::Ticks) == "-$900719.93");
  CHECK(person("9223372036854775808", Unit::Ticks) == "9223372036854775808");
  CHECK(person("0", Unit::Bytes) == "0 B");
  CHECK(person("true", Unit::Bytes) == "true");
}

TEST_CASE("rows for a file are quoted as its form needs") {
  const std::vector columns = {Column{"FILE ID", "a"}, Column{"B", "b"}, Column{"C", "c"}};
  const auto written = [&](char separator, const std::vector<std::string>& row) {
    Captured captured;
    Table table(captured.out(), columns, {.separator = separator});
    REQUIRE(table.add_cells(row));
    REQUIRE(table.add_cells({"1", "", "3"}));
    REQUIRE(table.finish());
    CHECK(table.rows() == 2);
    return captured.text();
  };
  CHECK(written(',', {"a\nb", "c\rd", "e,f"}) == "file-id,b,c\n\"a\nb\",\"c\rd\",\"e,f\"\n1,,3\n");
  CHECK(written(',', {"a\"b", "c\td", "e|f\\"}) == "file-id,b,c\n\"a\"\"b\",c\td,e|f\\\n1,,3\n");
  CHECK(written('\t', {"a\nb", "c\td", "e,\"f"}) == "file-id\tb\tc\na\\nb\tc\\td\te,\"f\n1\t\t3\n");
  CHECK(written('|', {"a\nb", "c|d", "e,\"f\t"}) ==
        "| file-id | b | c |\n| --- | --- | --- |\n| a<br>b | c\\|d | e,\"f\t |\n| 1 |  | 3 |\n");
}

TEST_CASE("details share a line as far as it has room") {
  const std::vector columns = {Column{"N", "n"}, Column{"A", "a", Unit::None, true},
                               Column{"B", "b", Unit::None, true}};
  const auto details = [&](int width, const char* a, const char* b) {
    Captured captured(test::tty(width));
    Table table(captured.out(), columns, {.details = true});
    REQUIRE(table.add(json{{"n", "x"}, {"a", a}, {"b", b}}));
    REQUIRE(table.finish());
    const std::string text = captured.text();
    return text.substr(text.find("x\n") + 2);
  };
  CHECK(details(20, "12345", "123") == "    a: 12345; b: 123\n");
  CHECK(details(20, "12345", "1234") == "    a: 12345\n    b: 1234\n");
  CHECK(details(20, "", "123") == "    b: 123\n");
  CHECK(details(20, "", "") == "");
  CHECK(details(9, "12", "") == "    a: 12\n");
  CHECK(details(9, "123", "") == "    a:\n    123\n");
  CHECK(details(8, "12345", "") == "    a: 12345\n");
}

TEST_CASE("an ID below its row is indented if that leaves it whole") {
  const std::vector columns = {Column{"ID", "id"}, Column{"NAME", "name"}};
  const auto below = [&](std::size_t size) {
    Captured captured(test::tty(20));
    Table table(captured.out(), columns);
    REQUIRE(table.add(json{{"id", std::string(size, 'i')}, {"name", "a name"}}));
    REQUIRE(table.add(json{{"name", "other"}}));
    REQUIRE(table.finish());
    return captured.text();
  };
  const std::string head = "NAME\n  ID\na name\n";
  CHECK(below(18) == head + "  " + std::string(18, 'i') + "\nother\n");
  CHECK(below(19) == head + std::string(19, 'i') + "\nother\n");
  CHECK(below(12) ==
        "ID            NAME\n" + std::string(12, 'i') + "  a name\n              other\n");
}

TEST_CASE("an unknown column is answered with the known ones and the nearest") {
  const std::vector columns = {Column{"FILE ID", "id"}, Column{"TITLE", "file.title|name"}};
  CHECK(check_columns(columns, {"file_id", "FILE id", "ID", "Name", "file.title"}));
  const auto wrong = check_columns(columns, {"title", "titel"});
  CHECK(wrong.error().message == "--columns: unknown column 'titel'; columns: file-id, title");
  CHECK(wrong.error().hint == "Did you mean 'title'?");
  CHECK(check_columns(columns, {"zzz"}).error().hint.empty());
}

TEST_CASE("enumeration constants are shown as words") {
  CHECK(enum_words("status", "DOCUMENT_STATUS_PROCESSED") == "processed");
  CHECK(enum_words("a.hnsw_metric", "HNSW_METRIC_INNER_PRODUCT") == "inner product");
  CHECK(enum_words("invoiceStatus", "WILL_NEVER_BE_CHARGED") == "WILL_NEVER_BE_CHARGED");
  CHECK(enum_words("status", "A_STATUS_") == "A_STATUS_");
  CHECK(enum_words("status", "completed") == "completed");
  CHECK(enum_words("status", "0_STATUS_9A_Z") == "9a z");
  CHECK(enum_words("status", "A_STATUS_b") == "A_STATUS_b");
  CHECK(enum_words("status", "A_STATUS_B-") == "A_STATUS_B-");
  CHECK(enum_words("data_origin", "DATA_ORIGIN_USER") == "user");
  CHECK(enum_words("scope", "KEY_SCOPE_ALL") == "all");
  CHECK(enum_words("a.imageResolution", "IMAGE_RESOLUTION_2K") == "2k");
  CHECK(enum_words("kind", "A_KIND_B") == "b");
  CHECK(enum_words("content_type", "CONTENT_TYPE_PDF") == "pdf");
  CHECK(enum_words("status.id", "A_STATUS_B") == "A_STATUS_B");
  CHECK(enum_words("status", "PAID") == "PAID");
  CHECK(enum_words("name", "DOCUMENT_STATUS_PROCESSED") == "DOCUMENT_STATUS_PROCESSED");
  CHECK(enum_words("content_type", "text/plain") == "text/plain");
}

TEST_CASE("an empty table prints nothing") {
  Captured captured(test::tty());
  Table table(captured.out(), k_columns);
  CHECK(table.finish());
  CHECK(captured.text().empty());
}

TEST_CASE("faults 103: only IDs may make a line wider than the terminal, down to one column") {
  const json item = json::parse(
      R"({"id":"11112222-3333-4444","size":1500,"file":{"name":"a long name with 日本 in it"}})");
  for (int columns = 1; columns <= 60; ++columns) {
    Captured captured(test::tty(columns));
    Table table(captured.out(), k_columns);
    REQUIRE(table.add(item));
    REQUIRE(table.finish());
    const std::string text = captured.text();
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      const sv line = sv(text).substr(begin, end - begin);
      const bool fits = display_width(line) <= static_cast<std::size_t>(columns);
      CHECK((fits || line == "11112222-3333-4444" || line == "ID"));
      begin = end + 1;
    }
  }
  Captured captured(test::tty(40));
  Table table(captured.out(), k_columns);
  REQUIRE(table.add(item));
  REQUIRE(table.finish());
  CHECK(captured.text() ==
        "ID                    SIZE  NAME\n"
        "11112222-3333-4444  1.5 kB  a long name…\n");
}

TEST_CASE("the widest columns shrink first") {
  CHECK(settle_widths({5, 10}, 80) == Widths{5, 10});
  CHECK(settle_widths({5, 100}, 20) == Widths{5, 13});
  CHECK(settle_widths({50, 100}, 40) == Widths{26, 12});
  CHECK(settle_widths({2, 50, 100}, 26) == Widths{2, 10, 10});
  CHECK(settle_widths({2, 50, 100}, 25) == Widths{2, 21});
  CHECK(settle_widths({50, 50, 50}, 12) == Widths{12});
  CHECK(settle_widths({41, 6, 16, 7, 5}, 80, {10, 99, 11, 11, 10}) == Widths{41, 6, 13, 7, 5});
  CHECK(settle_widths({5, 20, 9}, 30, {10, 99, 10}) == Widths{5, 20});
  CHECK(settle_widths({36, 8, 6, 30}, 80) == Widths{36, 8, 6, 24});
  CHECK(settle_widths({50, 50, 50}, 1) == Widths{1});
  CHECK(settle_widths({1, 1, 1}, 7) == Widths{1, 1, 1});
  CHECK(settle_widths({}, 80).empty());
  // What cannot be shared evenly goes to the last.
  CHECK(settle_widths({5, 30, 30}, 40) == Widths{5, 15, 16});
}

TEST_CASE("a name has a share of the line before other columns are left out for it") {
  const auto all_shown = [](std::size_t columns, std::size_t needed) {
    Widths widths = {200};  // the name
    for (; needed > 24; needed -= 12) widths.push_back(10);
    widths.push_back(needed / 2 - 2);
    widths.push_back(needed - needed / 2 - 2);
    const Widths settled = settle_widths(widths, columns, {}, {Keep::Name});
    const bool all = settled.size() == widths.size();
    std::size_t sum = 2 * (settled.size() - 1);
    for (const std::size_t width : settled) sum += width;
    CHECK(sum == columns);
    return all;
  };
  using Share = std::pair<std::size_t, std::size_t>;
  for (const auto& [columns, share] :
       {Share{50, 15}, Share{59, 17}, Share{60, 18}, Share{70, 28}, Share{84, 42}, Share{86, 43},
        Share{100, 50}, Share{200, 100}}) {
    CAPTURE(columns);
    CHECK(all_shown(columns, columns - share));
    CHECK_FALSE(all_shown(columns, columns - share + 1));
  }
}

TEST_CASE("IDs are never truncated, names never omitted") {
  const std::vector<Keep> keep = {Keep::Whole, Keep::Some, Keep::Some, Keep::Name};
  CHECK(settle_widths({41, 8, 16, 40}, 80, {}, keep) == Widths{k_below, 8, 16, 40});
  CHECK(settle_widths({41, 8, 16, 12}, 40, {}, keep) == Widths{k_below, 8, 16, 12});
  CHECK(settle_widths({36, 8, 6}, 40, {}, {Keep::Whole}) == Widths{k_below, 8, 6});
  CHECK(settle_widths({64}, 40, {}, {Keep::Whole}) == Widths{64});
  CHECK(settle_widths({41, 8, 16, 40}, 120, {}, keep) == Widths{41, 8, 16, 40});
  // Of several IDs, the shorter ones have the room, or the first.
  const std::vector<Keep> ids = {Keep::Whole, Keep::Whole, Keep::Some};
  CHECK(settle_widths({20, 20, 5}, 32, {}, ids) == Widths{20, k_below, 5});
  CHECK(settle_widths({21, 20, 5}, 32, {}, ids) == Widths{k_below, 20, 5});
  CHECK(settle_widths({20, 20, 5}, 49, {}, ids) == Widths{20, 20, 5});
  CHECK(settle_widths({20, 20, 5}, 48, {}, ids) == Widths{20, k_below, 5});
}

TEST_CASE("more width never shows less, in any list") {
  const auto hidden_at = [](const std::vector<Column>& columns, std::size_t length, int width) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      const bool id = column.title == "ID" || column.path.ends_with("_id");
      cells.emplace_back(id ? 41U : column.unit == Unit::UnixTime ? 16U : length, 'x');
    }
    Captured captured(test::tty(width));
    Table table(captured.out(), columns);
    REQUIRE(table.add_cells(cells));
    REQUIRE(table.finish());
    return table.hidden();
  };
  for (const Group& group : groups()) {
    for (const Operation& operation : group.operations) {
      const std::vector<Column> columns = columns_of(operation);
      if (operation.items.empty() || columns.empty()) continue;
      for (const std::size_t length : {3U, 12U, 24U, 60U}) {
        std::size_t hidden = columns.size();
        for (int width = 30; width <= 200; ++width) {
          CAPTURE(group.name);
          CAPTURE(operation.name);
          CAPTURE(length);
          CAPTURE(width);
          const std::size_t now = hidden_at(columns, length, width);
          CHECK(now <= hidden);
          hidden = now;
        }
      }
    }
  }
}

TEST_CASE("an ID that does not fit next to the name is below its row") {
  const std::vector<Column> columns = {
      {"ID", "id"}, {"NAME", "name"}, {"CREATED", "created_at", Unit::UnixTime}};
  const json item = json::parse(
      R"({"id":"file_11112222-3333-4444-5555-666677778888","name":"report.pdf","created_at":1})");
  Captured narrow(test::tty(42));
  Table table(narrow.out(), columns);
  REQUIRE(table.add(item));
  REQUIRE(table.finish());
  CHECK(narrow.text().starts_with("NAME        CREATED\n  ID\nreport.pdf  19"));
  CHECK(narrow.text().ends_with("\nfile_11112222-3333-4444-5555-666677778888\n"));
  CHECK(table.hidden() == 0);
}

TEST_CASE("a screen reader gets a line for each value") {
  const std::vector<Column> columns = {
      {"FILE ID", "id"}, {"LAST USED", "used", Unit::UnixTime}, {"SIZE", "bytes", Unit::Bytes}};
  Captured captured(for_screen_reader(test::tty(30)));
  Table table(captured.out(), columns);
  REQUIRE(table.add(json{{"id", "file_11112222-3333-4444-5555-666677778888"}, {"bytes", 1500}}));
  REQUIRE(table.add(json{{"id", "b"}, {"used", "soon"}}));
  REQUIRE(table.finish());
  CHECK(captured.text() ==
        "File ID: file_11112222-3333-4444-5555-666677778888\nSize: 1.5 kB\n\n"
        "File ID: b\nLast used: soon\n");
  CHECK(table.hidden() == 0);
  const std::vector<Column> initials = {{"API KEY ID", "a"}, {"TPM LIMIT", "b"}, {"NAME", "c"}};
  Captured spoken(for_screen_reader(test::tty(30)));
  Table other(spoken.out(), initials);
  REQUIRE(other.add(json{{"a", "1"}, {"b", "2"}, {"c", ""}}));
  REQUIRE(other.finish());
  CHECK(spoken.text() == "Api key ID: 1\nTPM limit: 2\n");
}

TEST_CASE("a time that does not fit shows only the date") {
  const std::vector<Column> columns = {{"NAME", "name"}, {"USED", "used", Unit::UnixTime}};
  const json item = json::parse(R"({"name":"a name of some length","used":1767225600})");
  Captured narrow(test::tty(26));
  Table table(narrow.out(), columns);
  REQUIRE(table.add(item));
  REQUIRE(table.finish());
  CHECK(narrow.text() == "NAME            USED\na name of som…  2026-01-01\n");
}

TEST_CASE("columns can be chosen, and are then shown in full") {
  const std::vector columns = {Column{"ID", "id"}, Column{"LAST USED", "used"},
                               Column{"TITLE", "title"}};
  CHECK(check_columns(columns, {"title", "last-used", "Last Used", "id"}));
  CHECK_FALSE(check_columns(columns, {"titel"}));
  const json item{{"id", "i"}, {"used", "u"}, {"title", std::string(200, 't')}};
  Captured pipe;
  Table chosen(pipe.out(), columns, {.columns = {"title", "id"}});
  REQUIRE(chosen.add(item));
  REQUIRE(chosen.add_cells({"a", "b", "c"}));
  REQUIRE(chosen.finish());
  CHECK(pipe.text() == std::string(200, 't') + "\ti\nc\ta\n");
  Captured terminal(test::tty(40));
  Table wide(terminal.out(), columns, {.wide = true});
  REQUIRE(wide.add(item));
  REQUIRE(wide.finish());
  CHECK(terminal.text().find(std::string(200, 't')) != std::string::npos);
}

TEST_CASE("faults 86, 89: cells cannot control the terminal") {
  Captured captured(test::tty());
  const std::vector columns = {Column{"ID", "id"}, Column{"TEXT", "text"}};
  Table table(captured.out(), columns);
  std::string marks = "e";
  for (int i = 0; i < 100'000; ++i) marks += "\u0301";
  CHECK(table.add(json{{"id", "\x1b[2J\n\u202e"}, {"text", marks}}));
  CHECK(table.finish());
  const std::string text = captured.text();
  CHECK(text.starts_with("ID               TEXT\n^[[2J^J\\u{202e}  e\u0301"));
  CHECK(text.size() < 100);
}

TEST_CASE("after a thousand rows a terminal gets each at once, with the widths found so far") {
  Captured captured(test::tty());
  const std::vector columns = {Column{"ID", "id"}, Column{"N", "n"}};
  Table table(captured.out(), columns);
  for (int i = 0; i < 999; ++i) REQUIRE(table.add(json{{"id", "row"}, {"n", i}}));
  CHECK(captured.text().empty());
  REQUIRE(table.add(json{{"id", "row"}, {"n", 999}}));
  CHECK(captured.take().starts_with("ID   N\nrow  0\nrow  1\n"));
  REQUIRE(table.add(json{{"id", "longer"}, {"n", 1000}}));
  CHECK(captured.take() == "lo…  10…\n");
  CHECK(table.finish());
  CHECK(captured.take().empty());
}

TEST_CASE("a log has times that are the same everywhere, and else what people read") {
  const test::EnvironmentVariable zone("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
  const auto log = [](const char* item, Unit unit) {
    return cell_text(json::parse(item), Column{"X", "", unit}, Reader::Log);
  };
  CHECK(log("1776323959", Unit::UnixTime) == "2026-04-16T07:19:19Z");
  CHECK(log("\"2026-04-16T09:19:19+02:00\"", Unit::UnixTime) == "2026-04-16T09:19:19+02:00");
  CHECK(log("1500", Unit::Bytes) == "1.5 kB");
  CHECK(log("12.34", Unit::Seconds) == "12.34 s");
  CHECK(log("12345678900", Unit::Ticks) == "$1.23");
  CHECK(log("0.1234567891", Unit::Count) == "0.123457");
  Captured captured(test::tty());
  const std::vector columns = {Column{"SIZE", "s", Unit::Bytes}, Column{"T", "t", Unit::UnixTime}};
  Table table(captured.out(), columns, {.log = true});
  REQUIRE(table.add(json{{"s", 1500}, {"t", 0}}));
  REQUIRE(table.finish());
  CHECK(captured.text() == "  SIZE  T\n1.5 kB  1970-01-01T00:00:00Z\n");
}

TEST_CASE("a column's title and path tell whether it may be cut, left out, or neither") {
  // The line has room for two columns, and the third has either the place of the second or none.
  const auto header = [](const Column& third) {
    const std::vector columns = {Column{"A", "a"}, Column{"B", "b"}, third};
    Captured captured(test::tty(24));
    Table table(captured.out(), columns);
    REQUIRE(table.add_cells({"aaaaa", "bbbbbbbbbb", std::string(30, 'x')}));
    REQUIRE(table.finish());
    CHECK(table.hidden() == (captured.text().find("\n  ") == std::string::npos ? 1 : 0));
    return captured.text().substr(0, captured.text().find("\naaaaa"));
  };
  CHECK(header({"X", "x"}) == "A      B");
  for (const char* name : {"NAME", "TITLE", "VOICE", "COMMAND", "TOTAL"}) {
    CHECK(header({name, "x"}) == "A      " + std::string(name));
  }
  for (const char* id : {"ID", "ACL", "TO KEEP IT"}) {
    CHECK(header({id, "x"}) == "A      B\n  " + std::string(id));
  }
  for (const char* path : {"id", "file_id", "fileId", "file_id|name"}) {
    CHECK(header({"X", path}) == "A      B\n  X");
  }
  for (const char* path : {"a.id", "paid", "name|id", "ids"})
    CHECK(header({"X", path}) == "A      B");
  CHECK(header({"X", "file_id", Unit::Count}) == "A      B");
}

TEST_CASE("a table counts the columns that it has no room for") {
  const auto hidden = [](int width) {
    const std::vector columns = {Column{"A", "a"}, Column{"B", "b"}, Column{"C", "c"}};
    Captured captured(test::tty(width));
    Table table(captured.out(), columns);
    REQUIRE(table.add_cells({"aaaaa", std::string(30, 'b'), std::string(30, 'c')}));
    REQUIRE(table.finish());
    return table.hidden();
  };
  CHECK(hidden(29) == 0);
  CHECK(hidden(28) == 1);
  CHECK(hidden(17) == 1);
  CHECK(hidden(16) == 2);
  CHECK(hidden(1) == 2);
}

TEST_CASE("a file without rows has the names of its columns") {
  const auto empty = [](char separator) {
    Captured captured;
    Table table(captured.out(), k_columns, {.separator = separator});
    REQUIRE(table.finish());
    CHECK(table.rows() == 0);
    return captured.text();
  };
  CHECK(empty(',') == "id,size,name\n");
  CHECK(empty('\t') == "id\tsize\tname\n");
  CHECK(empty('|') == "| id | size | name |\n| --- | --- | --- |\n");
  CHECK(empty('\0').empty());
}

TEST_CASE("a detail that is asked for by name is a column, and a missing cell is empty") {
  const std::vector columns = {Column{"ID", "id"}, Column{"NOTE", "note", Unit::None, true},
                               Column{"SIZE", "size", Unit::Bytes}};
  Captured captured(test::tty());
  Table table(captured.out(), columns, {.columns = {"size", "note"}});
  REQUIRE(table.add(json{{"id", "i"}, {"note", "n"}, {"size", 1500}}));
  REQUIRE(table.add_cells({"x", "y"}));
  REQUIRE(table.finish());
  CHECK(captured.text() == "  SIZE  NOTE\n1.5 kB  n\n        y\n");
  CHECK(table.hidden() == 0);
}

TEST_CASE("labels that are read aloud keep their initials") {
  const std::vector<Column> columns = {{"ACL", "a"}, {"LAST URL", "b"}, {"QPS", "c"},
                                       {"QPM", "d"}, {"TPM", "e"},      {"USD ID", "f"}};
  Captured captured(for_screen_reader(test::tty(30)));
  Table table(captured.out(), columns);
  REQUIRE(table.add_cells({"1", "2", "3", "4", "5", "6"}));
  CHECK(captured.text() == "ACL: 1\nLast URL: 2\nQPS: 3\nQPM: 4\nTPM: 5\nUSD ID: 6\n");
}

}  // namespace svc::print
