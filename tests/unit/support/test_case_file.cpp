#include <csignal>

#include <doctest/doctest.h>

#include "support/case_file.h"

using namespace svc::test;

namespace {

Case parsed(std::string_view text) {
  auto result = parse_case("area/name", text);
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

std::string refused(std::string_view text) {
  const auto result = parse_case("area/name", text);
  return result ? std::string("accepted") : result.error().message;
}

}  // namespace

TEST_CASE("only a case with a reason is retried") {
  CHECK(retry_reason(parsed("command: true\n")).empty());
  CHECK(retry_reason(parsed("command: true\nretry: two processes race\n")) == "two processes race");
  CHECK(retry_reason(parsed("command: true\ntty: 80x24\n")) == "a terminal");
  CHECK(retry_reason(parsed("command: true\nmax-time: 1s\n")) == "measures time");
}

TEST_CASE("a case's head") {
  const Case one = parsed(
      "# why\n"
      "row: 14\n"
      "target: fault\n"
      "env: A=b c\n"
      "command: svc chat hello --no-stream\n"
      "exit: 6\n"
      "timeout: 3s\n"
      "max-time: 1.5s\n"
      "max-rss: 64MB\n"
      "tty: 40x10 stdout\n"
      "signal: INT after 300ms\n"
      "type: \"a\\n\" when \"Key:\"\n"
      "gap: 2 950ms..1.5s\n"
      "requests: 2\n"
      "--- server\nreply 200\n");
  CHECK(one.name == "area/name");
  CHECK(one.target == CaseTarget::Fault);
  CHECK(one.env == std::vector<std::string>{"A=b c"});
  CHECK(one.command == "svc chat hello --no-stream");
  CHECK(one.exit == 6);
  CHECK(one.timeout == Milliseconds(3000));
  CHECK(one.max_time == Milliseconds(1500));
  CHECK(one.max_rss == 64'000'000U);
  REQUIRE(one.tty);
  CHECK(one.tty->columns == 40);
  CHECK_FALSE(one.tty->input);
  CHECK(one.tty->output);
  REQUIRE(one.actions.size() == 2);
  CHECK(one.actions[0].signal == SIGINT);
  CHECK(one.actions[0].after == Milliseconds(300));
  CHECK(one.actions[1].text == "a\n");
  CHECK(one.actions[1].when == "Key:");
  REQUIRE(one.gaps.size() == 1);
  CHECK(one.gaps[0].most == Milliseconds(1500));
  CHECK(one.requests == 2U);
}

TEST_CASE("a case's sections") {
  const Case one = parsed(
      "command: cat\n"
      "--- stdin escaped no-newline\n"
      "a\\x1b\n"
      "\n"
      "--- file x.txt 0600\n"
      "${WORK}/${OTHER}\n"
      "--- stdout\n"
      "\n"
      "b\n");
  CHECK(one.input == CaseInput::Text);
  const Variables variables = {{"WORK", "/w"}};
  CHECK(section_text(*one.section("stdin"), variables) == "a\x1b");
  CHECK(section_text(*one.section("file"), variables) == "/w/${OTHER}\n");
  CHECK(one.section("file")->words == std::vector<std::string>{"x.txt", "0600"});
  CHECK(section_text(*one.section("stdout"), variables) == "\nb\n");
  CHECK(one.section("stderr") == nullptr);
}

TEST_CASE("invalid cases are rejected with the line number") {
  CHECK(refused("command: x\nexxit: 3\n") == "line 2: 'exxit: 3' is neither a key nor a section");
  CHECK(refused("command: x\n--- stdot\n") == "line 2: unknown section 'stdot'");
  CHECK(refused("exit: x\n") == "line 1: 'x' is not a count");
  CHECK(refused("exit: 0\n") == "the case has no command");
  CHECK(refused("command: x\nrequests: 0\n").find("target: fault") != std::string::npos);
  CHECK(refused("target: fault\ncommand: x\n").find("server script") != std::string::npos);
  CHECK(refused("command: x\nsignal: NOPE after 1s\n") == "line 2: unknown signal 'NOPE'");
}

TEST_CASE("escapes") {
  CHECK(unescape("a\\n\\e\\x41\\\\\\q") ==
        "a\n\x1b"
        "A\\\\q");
  CHECK(unescape("\\xzz\\") == "\\xzz\\");
  CHECK(unescape("\\0").size() == 1);
}
