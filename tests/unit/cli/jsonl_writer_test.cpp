// Messages of a live session, written as they arrive.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "live/jsonl_session.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

struct MessagesWritten {
  std::string out{};
  std::string err{};
};

/// What becomes of messages; true: binary.
MessagesWritten messages_written(std::vector<std::string> flags,
                                 const std::vector<std::pair<bool, std::string>>& messages,
                                 bool bytes = false) {
  flags.insert(flags.begin(), {"realtime", "connect"});
  SessionStage stage(flags);
  stage.session().keep_secret("s3cret-of-the-key");
  JsonlWriter writer(stage.session(), bytes);
  MessagesWritten all;
  for (const auto& [binary, data] : messages) {
    const auto done = writer.message(binary, data);
    if (!done) return {"", done.error().message};
    all.out += stage.out() + "|";
  }
  REQUIRE(writer.finish());
  all.out += stage.out();
  all.err = stage.err();
  return all;
}

}  // namespace

TEST_CASE("each message of a session is a line, at once") {
  CHECK(messages_written({}, {{false, R"({"a": 1})"}, {true, "id!"}, {false, "no json"}}).out ==
        "{\"a\":1}\n|{\"binary\":\"aWQh\"}\n|no json\n|");
  CHECK(messages_written({"--format", "raw"}, {{false, R"({"a": 1})"}, {true, "id!"}}).out ==
        "{\"a\": 1}\n|{\"binary\":\"aWQh\"}\n|");
  CHECK(messages_written({"--jq", ".a"}, {{false, R"({"a": [1]})"}, {false, R"({"b":2})"}}).out ==
        "[1]\n|null\n|");
  CHECK(messages_written({}, {}).out.empty());
}

TEST_CASE("with --json the messages of a session are one document") {
  CHECK(messages_written({"--json"}, {{false, R"({"a": 1})"}, {true, "id!"}}).out ==
        "[\n  {\n    \"a\": 1\n  }|,\n  {\n    \"binary\": \"aWQh\"\n  }|\n]\n");
  CHECK(messages_written({"--json"}, {}).out == "[]\n");
  CHECK(messages_written({"--json", "--jq", ".a"}, {{false, R"({"a": 1})"}}).out == "1\n|");
}

TEST_CASE("of raw bytes only binary messages are written, text is told") {
  const MessagesWritten bytes = messages_written(
      {"--json"}, {{true, std::string("\0\xff", 2)}, {false, "hello \x1b[2J"}}, true);
  CHECK(bytes.out == std::string("\0\xff||", 4));
  CHECK(bytes.err == "hello ^[[2J\n");
}

TEST_CASE("a key that an error of the service repeats is not written") {
  const std::string error = R"({"type":"error","error":{"message":"wrong key s3cret-of-the-key"}})";
  for (const char* flag : {"--json", "-v"}) {
    CAPTURE(flag);
    CHECK(messages_written({flag}, {{false, error}}).out.find("wrong key") != std::string::npos);
    CHECK(messages_written({flag}, {{false, error}}).out.find("s3cret") == std::string::npos);
  }
}

}  // namespace svc::cli
