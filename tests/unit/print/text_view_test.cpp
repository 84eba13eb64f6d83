#include "print/text_view.h"

#include <doctest/doctest.h>

#include "json/scanner.h"
#include "print_support.h"

namespace svc::print {
namespace {

using test::Captured;

std::string fields(sv text, Terminal terminal = {}) {
  Captured captured(terminal);
  const auto printed = print_fields(captured.out(), text);
  REQUIRE_MESSAGE(printed, text);
  return captured.text();
}

}  // namespace

TEST_CASE("an object is one line per field, in order") {
  CHECK(fields(R"({"id":"resp_1","ok":true,"n":-0.50,"big":123456789012345678901234567890})") ==
        "id: resp_1\nok: true\nn: -0.50\nbig: 123456789012345678901234567890\n");
  CHECK(fields("{}") == "\n");
}

TEST_CASE("nested fields have dotted names, null is omitted, an empty name is kept") {
  CHECK(fields(R"({"usage":{"in":1,"more":{"out":2}},"error":null,"text":"","list":[],"o":{}})") ==
        "usage.in: 1\nusage.more.out: 2\ntext:\nlist:\no:\n");
}

TEST_CASE("lists of values are joined, lists of objects numbered") {
  CHECK(fields(R"({"include":["a","b"],"mixed":[1,null,true]})") ==
        "include: a, b\nmixed: 1, null, true\n");
  CHECK(fields(R"({"output":[{"type":"x","parts":[1,2]},{"type":"y"}]})") ==
        "output[0].type: x\noutput[0].parts: 1, 2\noutput[1].type: y\n");
  CHECK(fields(R"({"m":[1,[2,3],{"a":4},5]})") == "m[0]: 1\nm[1]: 2, 3\nm[2].a: 4\nm[3]: 5\n");
  CHECK(fields(R"({"deep":[[[1]],[]]})") == "deep[0][0]: 1\ndeep[1]:\n");
}

TEST_CASE("values that are not objects are printed too") {
  CHECK(fields("\"text\"") == "text\n");
  CHECK(fields("12") == "12\n");
  CHECK(fields("null") == "null\n");
  CHECK(fields("[1,2]") == "1, 2\n");
  CHECK(fields(R"([{"a":1},{"a":2}])") == "[0].a: 1\n[1].a: 2\n");
  CHECK(fields("\"two\\nlines\"") == "two\nlines\n");
}

TEST_CASE("multi-line text is indented below its name") {
  CHECK(fields(R"({"text":"first\n\nthird\n","id":1})") == "text:\n  first\n\n  third\nid: 1\n");
  CHECK(fields(R"({"a\nb":1})") == "a\\nb: 1\n");
}

TEST_CASE("a terminal gets aligned values") {
  const std::string timed = fields(R"({"created_at":1800000000,"bytes":1800000000})", test::tty());
  CHECK(timed.starts_with("created_at: 1800000000 (2027-01-1"));
  CHECK(timed.ends_with("bytes:      1800000000\n"));
  CHECK(fields(R"({"id":"x","created_at":5,"empty":"","日本":1})", test::tty()) ==
        "id:         x\n"
        "created_at: 5\n"
        "empty:\n"
        "日本:       1\n");
  const std::string longest(40, 'n');
  CHECK(fields("{\"" + longest + "\":1,\"id\":2}", test::tty()) == longest + ": 1\nid: 2\n");
}

TEST_CASE("what may be a time of this century has it beside it, for people") {
  const auto has_time = [](const char* name, const char* value) {
    const std::string text = fields("{\"" + std::string(name) + "\":" + value + "}", test::tty());
    REQUIRE(text.starts_with(std::string(name) + ": " + value));
    return text.find(" (") != std::string::npos;
  };
  CHECK_FALSE(has_time("created_at", "999999999"));
  CHECK(has_time("created_at", "1000000000"));
  CHECK(has_time("created", "99999999999"));
  CHECK_FALSE(has_time("created", "100000000000"));
  CHECK_FALSE(has_time("created", "1800000000.5"));
  CHECK_FALSE(has_time("recreated", "1800000000"));
  CHECK_FALSE(has_time("created_by", "1800000000"));
  CHECK(fields(R"({"created":1800000000})") == "created: 1800000000\n");
}

TEST_CASE("names have a longest width for the others' values, and a longest length") {
  const std::string wide(31, 'n');
  CHECK(fields("{\"" + wide + "\":1,\"id\":2}", test::tty()) ==
        wide + ": 1\nid:" + std::string(30, ' ') + "2\n");
  CHECK(fields("{\"n" + wide + "\":1,\"id\":2}", test::tty()) == "n" + wide + ": 1\nid: 2\n");
  const std::string name(256, 'n');
  CHECK(fields("{\"" + name + "\":1}") == name + ": 1\n");
  CHECK(fields("{\"" + name + "n\":1}") == name + "…: 1\n");
}

TEST_CASE("a format is that of a member's own path") {
  const std::vector formats = {
      Column{"A", "(usage).cost", Unit::Cents}, Column{"B", "price", Unit::MicroCents},
      Column{"C", "left", Unit::Credit}, Column{"D", "took", Unit::Seconds}};
  Captured person(test::tty());
  REQUIRE(print_fields(person.out(),
                       R"({"cost":5,"usage":[{"cost":15}],"my_cost":5,"price":20000,)"
                       R"("left":"-5","took":3,"status":"A_STATUS_DONE","a":{"took":""}})",
                       formats)
              .has_value());
  CHECK(person.text() ==
        "cost:          $0.05\nusage[0].cost: $0.15\nmy_cost:       5\nprice:         $0.0002\n"
        "left:          $0.05\ntook:          3 s\nstatus:        done\na.took:\n");
}

TEST_CASE("color makes names bold") {
  CHECK(fields(R"({"id":"x"})", test::color_tty()) == "\x1b[1mid:\x1b[0m x\n");
}

TEST_CASE("faults 86, 87: control characters are escaped on a terminal, unchanged in a pipe") {
  const sv hostile =
      R"({"i\u001bd":"a\u001b]0;t\u0007\u009b\u202e","lone":"\ud800","nul":"\u0000"})";
  CHECK(fields(hostile, test::tty()) ==
        "i^[d: a^[]0;t^G\\u{9b}\\u{202e}\nlone: \uFFFD\nnul:  ^@\n");
  CHECK(fields(hostile) == std::string("i\x1b"
                                       "d: a\x1b]0;t\x07\xc2\x9b\xe2\x80\xae\n"
                                       "lone: \uFFFD\nnul: \0\n",
                                       35));
  CHECK(fields("{\"a\":\"\xff\"}") == "a: \uFFFD\n");
}

TEST_CASE("fields are formatted like the columns of their operation") {
  const std::vector formats = {
      Column{"SIZE", "bytes", Unit::Bytes},
      Column{"EXPIRES", "expires_at", Unit::UnixTime},
      Column{"COST", "usage.cost", Unit::Ticks},
      Column{"NAME", "name"},
  };
  const char* json =
      R"({"id":"x","bytes":1500,"expires_at":1776000000,"parts":[{"expires_at":1776000000}],)"
      R"("no_expires_at":1,"usage":{"cost":200000000},"cost":5,"name":"1"})";
  Captured plain;
  REQUIRE(print_fields(plain.out(), json, formats).has_value());
  CHECK(plain.text() ==
        "id: x\nbytes: 1500\nexpires_at: 2026-04-12T13:20:00Z\n"
        "parts[0].expires_at: 2026-04-12T13:20:00Z\nno_expires_at: 1\nusage.cost: $0.02\ncost: 5\n"
        "name: 1\n");
  Captured person(test::tty());
  REQUIRE(print_fields(person.out(), json, formats).has_value());
  CHECK(person.text().find("bytes:               1.5 kB\n") != std::string::npos);
  CHECK(person.text().find("1776000000") == std::string::npos);
}

TEST_CASE("text that is not JSON is an invalid response") {
  Captured captured;
  const auto printed = print_fields(captured.out(), "{\"a\" 1}");
  REQUIRE_FALSE(printed);
  CHECK(printed.error().fault == Fault::Network);
  CHECK(printed.error().message.starts_with(
      "the service's response is not JSON: line 1, column 6: "));
  CHECK(captured.text().empty());
}

TEST_CASE("faults 90: hostile names and nesting take linear time") {
  const std::string name(100'000, 'k');
  std::string json = "{\"" + name + "\":[";
  for (int i = 0; i < 2000; ++i) json += (i == 0 ? "{}" : ",{}");
  json += "]}";
  CHECK(fields(json).size() < 2000U * 300U);
  const std::string nested = fields(std::string(500, '[') + std::string(500, ']'));
  CHECK(nested.size() < 300);
}

TEST_CASE("strings are decoded and numbers unchanged") {
  CHECK(fields("\xef\xbb\xbf { \"a\\n\\u00e9\\/\" : [ -1.50e+3 , null ] , "
               "\"b\":\"\\ud83d\\ude00\\udc00\\ud800x\" } ") ==
        "a\\né/: -1.50e+3, null\nb: 😀\uFFFD\uFFFDx\n");
}

TEST_CASE("truncated text never makes the scanner read beyond its end") {
  const std::string whole = R"({"a":["\ud83d\ude00\"",1.5,true],"b":{"c":null}})";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string part =
        whole.substr(0, length);  // its own memory, so that ASan detects reads past the end
    json_scan::Scanner<json_scan::Input::Checked> scanner(part);
    std::size_t tokens = 0;
    while (scanner.next() != json_scan::Token::End) ++tokens;
    CHECK(tokens <= whole.size());
  }
}

}  // namespace svc::print
