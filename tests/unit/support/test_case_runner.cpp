// The case runner, with system programs.
#include <filesystem>

#include <doctest/doctest.h>

#include "support/case_runner.h"
#include "support/mentions.h"

using namespace svc::test;

namespace {

/// The failures of a case, joined; "" if it passed.
std::string run(std::string_view text) {
  auto parsed = parse_case("test", text);
  REQUIRE(parsed);
  const CaseResult result = run_case(*parsed, Programs{}, Keep::Nothing);
  std::string all;
  for (const std::string& failure : result.failures) all.append(failure).append("\n");
  return all;
}

}  // namespace

TEST_CASE("output, exit code and files are compared") {
  CHECK(run("command: echo out; echo err >&2; exit 3\nexit: 3\n--- stdout\nout\n"
            "--- stderr-match\nerr\n") == "");
  CHECK(mentions(run("command: exit 4\nexit: 3\n"), "exit code 4 instead of 3"));
  CHECK(mentions(run("command: kill -SEGV $$\n"), "killed by signal 11"));
  CHECK(mentions(run("command: echo out\n"), "stdout differs"));
  CHECK(mentions(run("command: echo err >&2\n"), "stderr differs"));
  CHECK(run("command: echo err >&2\nforeign-stderr: yes\n") == "");
  CHECK(run("command: cat a.txt > b.txt\n--- file a.txt\nx\n--- after-file b.txt\nx\n") == "");
  CHECK(mentions(run("command: touch b\nleaves: b\nabsent: b\n"), "file b exists"));
  CHECK(mentions(run("command: touch b\n"), "left a file behind"));
  CHECK(mentions(run("command: mkdir -p $HOME/x; touch $HOME/x/a.part\n"), "left a file behind"));
  CHECK(run("command: touch $HOME/x\n") == "");
  CHECK(mentions(run("command: true\n--- after\necho no; exit 1\n"), "exited with 1"));
  CHECK(run("command: echo x\n--- stdout\nx\n--- after\ngrep x $STDOUT\n") == "");
}

TEST_CASE("secrets are found wherever they are") {
  CHECK(mentions(run("command: echo $SVC_API_KEY\n--- stdout-match\n.\n"),
                 "stdout contains a secret"));
  CHECK(mentions(run("command: echo $SVC_API_KEY >&2\n"), "stderr contains a secret"));
  CHECK(mentions(run("command: echo $SVC_API_KEY >$HOME/x\n"), "a secret is in"));
  CHECK(run("command: echo $SVC_API_KEY >$HOME/x\nsecret-in: ${HOME}/x\n") == "");
  CHECK(mentions(run("command: echo abc\nsecret: abc\n--- stdout\nabc\n"),
                 "stdout contains a secret"));
}

TEST_CASE("standard input") {
  CHECK(run("command: cat\n--- stdin\nx\n--- stdout\nx\n") == "");
  CHECK(run("command: cat\n") == "");
  CHECK(run("command: cat 2>/dev/null || echo closed\nstdin: closed\n--- stdout\nclosed\n") == "");
  CHECK(mentions(run("command: cat\nstdin: open\ntimeout: 300ms\nexit: 137\n"), "was killed"));
}

TEST_CASE("terminals") {
  CHECK(run("command: test -t 0 && test -t 1 && test -t 2 && stty size\ntty: 81x25\n"
            "--- stdout\n25 81\n") == "");
  CHECK(run("command: test ! -t 0 && test -t 1 && test ! -t 2; echo $?\ntty: 80x24 stdout\n"
            "--- stdout\n0\n") == "");
  CHECK(run("command: echo ready; read x; echo got $x\ntty: 80x24\ntype: \"word\\n\" when "
            "\"ready\"\n--- stdout-match\nready\ngot word\n") == "");
  CHECK(mentions(run("command: printf '\\033[1m'\ntty: 80x24\n--- stdout-match\n.\n"),
                 "terminal got"));
  CHECK(mentions(run("command: stty -echo\ntty: 80x24\n"), "terminal was left"));
}

TEST_CASE("signals, times and processes") {
  CHECK(run("command: trap 'echo bye; exit 7' INT; echo on; while :; do sleep 0.05; done\n"
            "signal: INT when \"on\"\nexit: 7\ntimeout: 5s\n--- stdout\non\nbye\n") == "");
  CHECK(mentions(run("command: true\nsignal: INT when \"on\"\n"), "never became due"));
  CHECK(mentions(run("command: sleep 0.3\nmax-time: 10ms\n"), "more than"));
  CHECK(mentions(run("command: true\nmin-time: 10s\n"), "less than"));
  CHECK(mentions(run("command: sleep 20 >/dev/null 2>&1 &\n"), "left a process behind"));
  CHECK(mentions(run("command: setsid sleep 20 >/dev/null 2>&1 &\n"), "left a process behind"));
  if (!under_sanitizer()) {
    CHECK(mentions(
        run("command: head -c 100000000 /dev/zero | tail -c 99999999 | wc -c\nmax-rss: 80MB\n"
            "--- stdout\n99999999\n"),
        "of memory"));
  }
}

TEST_CASE("servers") {
  const std::string head =
      "target: fault\ncommand: curl -s -H \"X-Key: 1\" -d '{\"a\":2}' ${URL}/x\n";
  const std::string server = "--- server\nreply 200 text/plain hi\\n\n--- stdout\nhi\n";
  CHECK(run(head + "requests: 1\nconnections: 1\n" + server +
            "--- request 1\nPOST /x\nheader x-key: 1\njson {\"a\":2}\n") == "");
  CHECK(mentions(run(head + "requests: 2\n" + server), "got 1 requests instead of 2"));
  CHECK(mentions(run(head + server + "--- request 2\nPOST /x\n"), "request 2 was never received"));
  CHECK(mentions(run(head + server + "--- request 1\nGET /x\n"), "request 1 is"));
  CHECK(mentions(run(head + "--- server\nrepply 200\n"), "cannot be prepared"));
  CHECK(run("target: fault\ncommand: curl -s ${URL_B}/y; echo $SVC_BASE_URL\n"
            "--- server\nreply 200\n--- server B\nreply 200 text/plain two\\n\n"
            "--- stdout\ntwo\n${URL}\n--- request 1 B\nGET /y\n") == "");
  CHECK(run("target: fault\nsignal: INT after requests 1\nexit: 130\n"
            "command: curl -s ${URL}\n--- server\nread\nhang\n") == "");
}
