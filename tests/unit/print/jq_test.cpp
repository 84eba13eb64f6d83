#include "print/jq.h"

#include <doctest/doctest.h>

#include "print_support.h"

namespace svc::print {
namespace {

using test::Captured;

std::string run(sv program, sv json, Terminal terminal = {}) {
  auto filter = JqFilter::compile(program);
  REQUIRE_MESSAGE(filter, program);
  Captured captured(terminal);
  const auto ran = filter->run(json, captured.out());
  REQUIRE_MESSAGE(ran, ran.error().message);
  return captured.text();
}

Error refusal(sv program) {
  const auto filter = JqFilter::compile(program);
  REQUIRE_FALSE(filter);
  return filter.error();
}

}  // namespace

TEST_CASE("strings are raw, everything else is compact JSON, one line each") {
  CHECK(run(".data[].id", R"({"data":[{"id":"a"},{"id":"b c"}]})") == "a\nb c\n");
  CHECK(run(".", R"({"b":1,"a":[1,null,true]})") == "{\"b\":1,\"a\":[1,null,true]}\n");
  CHECK(run(".[] | length", R"(["abc",[1,2]])") == "3\n2\n");
  CHECK(run("empty", "{}").empty());
  CHECK(run(".", R"("a\u0000b")") == std::string("a\0b\n", 4));
  CHECK(run(".", R"("\ud83d\ude00 \ud800")") == "😀 \uFFFD\n");
}

TEST_CASE("a filter can run repeatedly") {
  auto filter = JqFilter::compile(".n + 1");
  REQUIRE(filter);
  Captured captured;
  CHECK(filter->run(R"({"n":1})", captured.out()));
  CHECK(filter->run(R"({"n":41})", captured.out()));
  CHECK(captured.text() == "2\n42\n");
}

TEST_CASE("a filter can be moved, and still collects errors") {
  auto filter = JqFilter::compile(".a");
  REQUIRE(filter);
  JqFilter moved = std::move(*filter);
  Captured captured;
  CHECK(moved.run(R"({"a":"x"})", captured.out()));
  CHECK_FALSE(moved.run("[1]", captured.out()));
  CHECK(moved.run(R"({"a":"y"})", captured.out()));
  CHECK(captured.text() == "x\ny\n");
}

TEST_CASE("a filter that does not compile is a usage error in jq's words") {
  const Error syntax = refusal(".foo[");
  CHECK(syntax.fault == Fault::Usage);
  // Newer versions of jq add the column.
  CHECK(syntax.message.starts_with("--jq: syntax error, unexpected end of the program, line 1"));
  CHECK(syntax.message.find('\n') == std::string::npos);
  CHECK(syntax.message.find("Unix shell") == std::string::npos);
  CHECK(syntax.hint == "See jq(1) for the language. Example: --jq '.[].id'");
  CHECK(refusal("nosuch(1)").message.starts_with("--jq: nosuch/1 is not defined, line 1"));
  CHECK(refusal(sv("a\0b", 3)).message == "--jq: the program is not UTF-8 text");
  CHECK(refusal("\xff").message == "--jq: the program is not UTF-8 text");
  CHECK(refusal("import \"a\" as a; .").fault == Fault::Usage);
}

TEST_CASE("an error at run time keeps the results before it") {
  auto filter = JqFilter::compile(".[] | .id");
  REQUIRE(filter);
  Captured captured;
  const auto ran = filter->run(R"([{"id":"first"},7,{"id":"third"}])", captured.out());
  REQUIRE_FALSE(ran);
  CHECK(ran.error().fault == Fault::Unexpected);
  const std::string begin = "--jq failed on the response: Cannot index number with string ";
  CHECK((ran.error().message == begin + "\"id\"" || ran.error().message == begin + "(\"id\")"));
  CHECK(ran.error().hint == "Use --json to see the whole response.");
  CHECK(captured.text() == "first\n");
}

TEST_CASE("error, halt and input work") {
  auto error = JqFilter::compile("error({a: 1})");
  REQUIRE(error);
  Captured captured;
  const auto ran = error->run("null", captured.out());
  REQUIRE_FALSE(ran);
  CHECK(ran.error().message == "--jq failed on the response: {\"a\":1}");

  CHECK(run("1, halt, 2", "null") == "1\n");
  auto halted = JqFilter::compile("\"stop\" | halt_error");
  REQUIRE(halted);
  const auto stopped = halted->run("null", captured.out());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().message == "--jq failed on the response: stop");

  CHECK(run("[inputs]", "null") == "[]\n");
  auto input = JqFilter::compile("input");
  REQUIRE(input);
  const auto none = input->run("null", captured.out());
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "--jq failed on the response: no more input");
}

TEST_CASE("a response that is not JSON is an invalid response") {
  auto filter = JqFilter::compile(".");
  REQUIRE(filter);
  Captured captured;
  for (const sv text : {sv("<html>"), sv(""), sv("{\"a\":"), sv("nan"), sv("{} {}")}) {
    const auto ran = filter->run(text, captured.out());
    REQUIRE_FALSE(ran);
    CHECK(ran.error().fault == Fault::Network);
    CHECK(ran.error().message.starts_with("the service's response is not JSON: line 1, column "));
  }
  CHECK(captured.text().empty());
}

TEST_CASE("faults 31: nesting beyond jq's own limit is rejected with a message") {
  auto filter = JqFilter::compile(".");
  REQUIRE(filter);
  Captured captured;
  const auto ran = filter->run(std::string(400, '[') + std::string(400, ']'), captured.out());
  if (ran) {  // newer versions of jq accept 10,000 levels
    CHECK(std::ranges::count(captured.text(), ']') == 400);
    return;
  }
  CHECK(ran.error().fault == Fault::Unexpected);
  CHECK(ran.error().message ==
        "--jq failed on the response: Exceeds depth limit for parsing at line 1, column 257");
}

TEST_CASE("faults 87: ill-formed UTF-8 becomes U+FFFD") {
  CHECK(run(".", "\"a\xff\"") == "a\uFFFD\n");
}

TEST_CASE("numbers are doubles, as documented in the header") {
  CHECK(run(". + 0", "9007199254740993") == "9007199254740992\n");
  CHECK(run(".", "0.1") == "0.1\n");
}

TEST_CASE("faults 86: a terminal gets escaped strings and indented, escaped JSON") {
  CHECK(run(".", R"("a\u001b[2Jb\u202e")", test::tty()) == "a^[[2Jb\\u{202e}\n");
  CHECK(run(".", R"({"a":["\u009b"]})", test::tty()) == "{\n  \"a\": [\n    \"\\u009b\"\n  ]\n}\n");
  CHECK(run(".", R"("a\u001bb")") ==
        "a\x1b"
        "b\n");
}

TEST_CASE("a program that stops itself fails unless it says otherwise") {
  const auto end = [](sv program) {
    auto filter = JqFilter::compile(program);
    REQUIRE(filter);
    Captured captured;
    const auto ran = filter->run("null", captured.out());
    return captured.text() + (ran ? "done" : ran.error().message);
  };
  CHECK(end("1, (null | halt_error), 2") == "1\n--jq failed on the response: the program stopped");
  CHECK(end("{a: 1} | halt_error(1)") == "--jq failed on the response: {\"a\":1}");
  CHECK(end("\"x\" | halt_error(0)") == "done");
  CHECK(end("1, halt, 2") == "1\ndone");
  CHECK(end("error(\"error: x\\ny\")") == "--jq failed on the response: x");
  CHECK(end("error(\"jq: error: x at <top-level> : \")") == "--jq failed on the response: x");
}

TEST_CASE("what a pipe gets in color is compact too, and texts are the same") {
  Terminal colored;
  colored.color = true;
  CHECK(run(".", R"({"a":[1]})", colored) == "{\x1b[34;1m\"a\"\x1b[0m:[\x1b[36m1\x1b[0m]}\n");
  CHECK(run(".", R"("a")", colored) == "a\n");
  CHECK(run(".", R"({"a":[1]})", test::color_tty()) ==
        "{\n  \x1b[34;1m\"a\"\x1b[0m: [\n    \x1b[36m1\x1b[0m\n  ]\n}\n");
}

TEST_CASE("a program that was canceled before is not run") {
  class Canceled final : public CancelToken {
   public:
    [[nodiscard]] std::optional<Fault> requested() const noexcept override {
      return Fault::Interrupted;
    }
    [[nodiscard]] int wake_fd() const noexcept override { return -1; }
  };
  const Canceled canceled;
  auto filter = JqFilter::compile("1", &canceled);
  REQUIRE(filter);
  Captured captured;
  const auto ran = filter->run("null", captured.out());
  REQUIRE_FALSE(ran);
  CHECK(ran.error().fault == Fault::Interrupted);
  CHECK(captured.text().empty());
}

}  // namespace svc::print
