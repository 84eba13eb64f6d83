#include "print/json.h"

#include <doctest/doctest.h>

#include "print_support.h"

namespace svc::print {

using test::Captured;

TEST_CASE("--format json indents and keeps every byte of the values") {
  Captured captured;
  CHECK(print_json(
      captured.out(),
      R"({"b":123456789012345678901234567890,"a":[1e400,-0.0,{}],"b":"\u00e9é","c":[]})"));
  CHECK(captured.text() ==
        "{\n"
        "  \"b\": 123456789012345678901234567890,\n"
        "  \"a\": [\n"
        "    1e400,\n"
        "    -0.0,\n"
        "    {}\n"
        "  ],\n"
        "  \"b\": \"\\u00e9é\",\n"
        "  \"c\": []\n"
        "}\n");
}

TEST_CASE("a response that is not JSON is reported with its position, and nothing is written") {
  Captured captured;
  const auto printed = print_json(captured.out(), R"({"a":1,})");
  REQUIRE_FALSE(printed);
  CHECK(printed.error().fault == Fault::Network);
  CHECK(printed.error().message.starts_with(
      "the service's response is not JSON: line 1, column 8: "));
  CHECK(captured.text().empty());

  CHECK_FALSE(print_json(captured.out(), ""));
  CHECK_FALSE(print_json(captured.out(), "{} {}"));
  CHECK(captured.text().empty());
  const auto named = print_json(captured.out(), "", "the catalogue");
  REQUIRE_FALSE(named);
  CHECK(named.error().message.starts_with("the catalogue is not JSON: line 1, column 1: "));
}

TEST_CASE("faults 31: depth is limited before anything is written") {
  Captured captured;
  const auto printed =
      print_json(captured.out(), std::string(200'000, '[') + std::string(200'000, ']'));
  REQUIRE_FALSE(printed);
  CHECK(printed.error().fault == Fault::Network);
  CHECK(captured.text().empty());
}

TEST_CASE("faults 86, 87: a terminal gets escapes, ill-formed UTF-8 becomes U+FFFD") {
  const sv hostile = "{\"id\":\"\xc2\x9b\xe2\x80\xae\x7f\\u001b\xff\"}";
  Captured terminal(test::tty());
  CHECK(print_json(terminal.out(), hostile));
  CHECK(terminal.text() == "{\n  \"id\": \"\\u009b\\u202e\\u007f\\u001b\uFFFD\"\n}\n");
  Captured pipe;
  CHECK(print_json(pipe.out(), hostile));
  CHECK(pipe.text() == "{\n  \"id\": \"\xc2\x9b\xe2\x80\xae\x7f\\u001b\uFFFD\"\n}\n");
  Captured lone;
  CHECK(print_json(lone.out(), R"("\ud800")"));
  CHECK(lone.text() == "\"\\ud800\"\n");
}

TEST_CASE("color changes nothing else") {
  Captured captured(test::color_tty());
  CHECK(print_json(captured.out(), R"({"a":[1,"x",true]})"));
  const std::string text = captured.text();
  CHECK(text.find("\x1b[") != std::string::npos);
  std::string bare;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      bare += text[i];
    }
  }
  CHECK(bare == "{\n  \"a\": [\n    1,\n    \"x\",\n    true\n  ]\n}\n");
}

TEST_CASE("jsonl is one line per document") {
  Captured captured;
  JsonLines lines(captured.out());
  CHECK(lines.print("{\n  \"a\" : [ 1, 2 ]\n}"));
  CHECK(lines.print(R"("two\nlines")"));
  const auto bad = lines.print("{");
  REQUIRE_FALSE(bad);
  CHECK(bad.error().fault == Fault::Network);
  CHECK(lines.print("3"));
  CHECK(captured.text() == "{\"a\":[1,2]}\n\"two\\nlines\"\n3\n");
}

TEST_CASE("items across pages are one document") {
  Captured captured;
  JsonArray array(captured.out());
  CHECK(array.add(R"({"id":1,"tags":["a"]})"));
  CHECK_FALSE(array.add("{"));
  CHECK(array.add("2"));
  CHECK(array.finish());
  const std::string text = captured.text();
  CHECK(text == "[\n  {\n    \"id\": 1,\n    \"tags\": [\n      \"a\"\n    ]\n  },\n  2\n]\n");
  Captured again;
  CHECK(print_json(again.out(), text));
  CHECK(again.text() == text);

  Captured none;
  CHECK(JsonArray(none.out()).finish());
  CHECK(none.text() == "[]\n");
}

TEST_CASE("an output error is reported, not the JSON") {
  Out out([](sv) -> Result<void> { return Error{Fault::ReaderGone, "gone"}; });
  const auto printed =
      print_json(out, "[" + std::string(100'000, ' ') + "\"" + std::string(200'000, 'x') + "\"]");
  REQUIRE_FALSE(printed);
  CHECK(printed.error().fault == Fault::ReaderGone);
}

}  // namespace svc::print
