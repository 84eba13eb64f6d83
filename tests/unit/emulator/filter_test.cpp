#include "emulator/api/filter/filter.h"

#include <array>
#include <map>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

using svc::emulator::filter::Field;
using svc::emulator::filter::Filter;
using svc::emulator::filter::Match;
using svc::emulator::filter::Value;

constexpr std::array k_fields = {Field{"name", Match::Fuzzy},      Field{"id", Match::Exact},
                                 Field{"type", Match::Part},       Field{"size", Match::Integer},
                                 Field{"created_at", Match::Time}, Field{"fields.*", Match::Any},
                                 Field{"expires_at", Match::Time}, Field{"code", Match::Exact}};

// A report of 500 bytes, created on 1 February 2026 at noon.
Value value_of(std::string_view field) {
  const std::map<std::string_view, Value> values = {{"name", std::string("Quarterly-Report.pdf")},
                                                    {"id", std::string("file_1")},
                                                    {"type", std::string("application/pdf")},
                                                    {"size", std::int64_t{500}},
                                                    {"created_at", std::int64_t{1'769'947'200}},
                                                    {"code", std::string("007")},
                                                    {"fields.author", std::string("Ada")},
                                                    {"fields.volume", std::string("7")},
                                                    {"fields.read", true},
                                                    {"fields.year", std::int64_t{1843}}};
  const auto found = values.find(field);
  return found == values.end() ? Value{} : found->second;
}

bool holds(std::string_view text) {
  const auto filter = Filter::parse(text, k_fields);
  REQUIRE_MESSAGE(filter.has_value(), (filter ? "" : filter.error().message));
  return filter->matches(value_of);
}

std::string fault(std::string_view text) {
  const auto filter = Filter::parse(text, k_fields);
  REQUIRE_MESSAGE(!filter.has_value(), text);
  return filter.error().message;
}

}  // namespace

TEST_CASE("a filter compares by the field's type") {
  CHECK(holds(""));
  CHECK(holds("  "));
  CHECK(holds("id = file_1"));
  CHECK(!holds("id = file_"));
  CHECK(!holds("id = FILE_1"));
  CHECK(holds("id != \"file_2\""));
  CHECK(holds("type = pdf"));
  CHECK(holds("type = 'application/pdf'"));
  CHECK(!holds("type != pdf"));
  CHECK(holds("size > 499"));
  CHECK(!holds("size > 500"));
  CHECK(holds("size >= 500 size <= 500"));
  CHECK(holds("size != -5"));
  CHECK(holds("size:400..500"));
  CHECK(!holds("size:501..600"));
}

TEST_CASE("a fuzzy name matches by substring, case-insensitively, or by a similar word") {
  CHECK(holds("name = report"));
  CHECK(holds("name : QUARTER"));
  CHECK(holds("name = Reprot"));
  CHECK(holds("name = quaterly"));
  CHECK(!holds("name = invoice"));
}

TEST_CASE("times are RFC 3339 or dates") {
  CHECK(holds("created_at = 2026-02-01T12:00:00Z"));
  CHECK(holds("created_at >= \"2026-02-01T13:00:00+01:00\""));
  CHECK(holds("created_at > 2026-02-01"));
  CHECK(!holds("created_at >= 2026-02-02"));
}

TEST_CASE("OR binds tighter than AND, and spaces mean AND") {
  CHECK(holds("id = x OR size = 500 AND type = pdf"));
  CHECK(!holds("size = 500 OR size = 1 AND type = zip"));  // (… OR …) AND false
  CHECK(holds("(size = 500) OR (size = 1 AND type = zip)"));
  CHECK(!holds("size = 500 type = zip"));
  CHECK(holds("NOT type = zip AND -id = x"));
  CHECK(!holds("NOT (type = pdf OR id = x)"));
}

TEST_CASE("a missing field differs from everything") {
  CHECK(holds("expires_at != 2026-01-01"));
  CHECK(!holds("expires_at > 2020-01-01"));
  CHECK(!holds("expires_at < 2099-01-01"));
  CHECK(holds("fields.title != x"));
}

TEST_CASE("fields without a fixed type compare as numbers if both sides are") {
  CHECK(holds("fields.year > 900"));
  CHECK(holds("fields.year = 1843"));
  CHECK(holds("fields.author = Ada"));
  CHECK(!holds("fields.author = ad"));
  CHECK(holds("fields.author : ad"));
  CHECK(holds("fields.year:1800..1900"));
}

TEST_CASE("each operator holds on its own side of the value") {
  for (const char* text :
       {"size < 501",          "size <= 500",        "size > 499",
        "size >= 500",         "size = 500",         "size : 500",
        "size != 501",         "size:500..600",      "size:499..500",
        "id < file_2",         "id <= file_1",       "id > file_0",
        "id >= file_1",        "id : file_1",        "id != file_2",
        "type : PDF",          "code = 007",         "code != 7",
        "fields.volume < 10",  "fields.read = true", "fields.read : ru",
        "fields.author > Abe", "fields.year < abc",  "created_at:2026-01-01..2026-03-01",
        R"(id = "file\_1")",   "name = pfd",         "fields.year = 1843.0",
        "fields.year : 1843"}) {
    CAPTURE(text);
    CHECK(holds(text));
  }
  for (const char* text : {"size < 500",
                           "size <= 499",
                           "size > 500",
                           "size >= 501",
                           "size = 501",
                           "size : 50",
                           "size != 500",
                           "size:501..600",
                           "size:400..499",
                           "id < file_1",
                           "id <= file_0",
                           "id > file_1",
                           "id >= file_2",
                           "id : file_",
                           "id != file_1",
                           "code = 7",
                           "code : 07",
                           "fields.volume > 10",
                           "fields.read = tru",
                           "fields.author < Abe",
                           "fields.year = abc",
                           "fields.author = 7",
                           "fields.author:1..5",
                           "created_at:2026-03-01..2026-04-01",
                           R"(fields.year : "1800..1900")"}) {
    CAPTURE(text);
    CHECK(!holds(text));
  }
}

TEST_CASE("how long and how deep a filter may be") {
  const std::string term = "size = 500";
  CHECK(holds(term + std::string(8'192 - term.size(), ' ')));
  CHECK(fault(term + std::string(8'193 - term.size(), ' ')) ==
        "Invalid filter: it is longer than 8192 bytes.");
  CHECK(holds(std::string(63, '(') + term + std::string(63, ')')));
  CHECK(fault(std::string(64, '(') + term + std::string(64, ')')) ==
        "Invalid filter: it is nested too deep.");
  std::string row;  // beside each other, they are not deep
  for (int i = 0; i < 70; ++i) row += "(size = 500) ";
  CHECK(holds(row));
}

TEST_CASE("an error in a filter is reported with its position") {
  CHECK(fault("size ! 5") == "Invalid filter: a character that has no meaning at column 6.");
  CHECK(fault(R"(id = "\)") == "Invalid filter: the quotation at column 6 has no end.");
  CHECK(fault("size = (") == "Invalid filter: expected a value at column 8.");
  CHECK(fault(R"(id = x "AND" size = 1)") ==
        "Invalid filter: expected the name of a field at column 8.");
  CHECK(fault("size = 1)") == "Invalid filter: expected the end or an operator at column 9.");
  CHECK(fault("size") ==
        "Invalid filter: expected one of = != > >= < <= : after size at column 5.");
  CHECK(fault("size:400..x") ==
        "Invalid filter: size is compared with 400..x at column 6, which is not a number.");
  CHECK(fault("fieldsx = 1").find("fieldsx at column 1 is not a field;") != std::string::npos);
  const std::string most(80, 'n');
  CHECK(fault(most + " = 1").find(": " + most + " at column 1 is") != std::string::npos);
  CHECK(fault(most + "n = 1").find(": " + most + "… at column 1 is") != std::string::npos);
  CHECK(fault("size = " + most).find("with " + most + " at column 8,") != std::string::npos);
  CHECK(fault("size = " + most + "n").find("with " + most + "… at") != std::string::npos);

  CHECK(fault("color = red").find("color at column 1 is not a field; the fields are name,") !=
        std::string::npos);
  CHECK(
      fault("size = many").find("size is compared with many at column 8, which is not a number") !=
      std::string::npos);
  CHECK(fault("created_at > yesterday").find("RFC 3339") != std::string::npos);
  CHECK(fault("size").find("after size") != std::string::npos);
  CHECK(fault("size =").find("a value at column 7") != std::string::npos);
  CHECK(fault("(size = 1").find("closing parenthesis") != std::string::npos);
  CHECK(fault("size = 1)").find("column 9") != std::string::npos);
  CHECK(fault("name = \"open").find("has no end") != std::string::npos);
  CHECK(fault("size = 1 AND").find("name of a field") != std::string::npos);
  CHECK(fault("OR").find("OR at column 1") != std::string::npos);
  CHECK(fault(std::string(200, '(') + "size = 1").find("too deep") != std::string::npos);
  CHECK(fault(std::string(9'000, 'x')).find("longer than") != std::string::npos);
}
