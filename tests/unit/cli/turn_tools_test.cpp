// The tools of a turn: what the model is offered, which calls are svc's, and what they came to.
#include "conversation/turn_tools.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "unit/base/temporary_directory.h"
#include "unit/cli/session_stage.h"

namespace svc::cli {
namespace {

/// Two tools, of which `a` runs without asking: it waits, and says its arguments; `b` says them at
/// once.
class ToolStage {
 public:
  explicit ToolStage(const std::string& allowed = "all")
      : m_stage({"chat", "x", "--tool", "a=" + script("a", "sleep 0.3; cat"), "--tool",
                 "b=" + script("b", "cat"), "--allow-tools", allowed, "--tool-max-output", "50",
                 "--max-tool-rounds", "3"}),
        tools(m_stage.session()) {}

  std::string err() { return m_stage.err(); }

 private:
  std::string script(const std::string& name, const std::string& body) {
    const std::string path = m_directory.file(name);
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    std::ofstream(path + ".json") << R"({"description":"Says )" << name << "\"}";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  test::TemporaryDirectory m_directory{};
  SessionStage m_stage;

 public:
  TurnTools tools;
};

Answer answer_calling(std::vector<ToolCall> calls) {
  Answer answer;
  answer.choices.emplace_back().tool_calls = std::move(calls);
  return answer;
}

std::string ids_of(const std::vector<ToolCall>& calls) {
  std::string ids;
  for (const ToolCall& call : calls) ids += call.id + " ";
  return ids;
}

}  // namespace

TEST_CASE("the tools of a turn are offered in the form of the operation") {
  ToolStage stage;
  CHECK(stage.tools.empty());
  CHECK(stage.tools.names().empty());
  CHECK(stage.tools.permissions().empty());
  CHECK(stage.tools.definitions(View::Chat).empty());
  CHECK_FALSE(stage.tools.revoke("a"));
  REQUIRE(stage.tools.open());
  CHECK_FALSE(stage.tools.empty());
  CHECK(stage.tools.most_rounds() == 3);
  CHECK(stage.tools.names() == std::vector<std::string>{"a", "b"});
  const auto chat = stage.tools.definitions(View::Chat);
  REQUIRE(chat.size() == 2);
  CHECK(
      chat[0] ==
      R"({"type":"function","function":{"description":"Says a","name":"a","parameters":{"type":"object","properties":{}}}})");
  CHECK(
      stage.tools.definitions(View::Response)[1] ==
      R"({"description":"Says b","name":"b","type":"function","parameters":{"type":"object","properties":{}}})");
  CHECK(stage.tools.permissions() == "a  runs without asking\nb  runs without asking\n");
  REQUIRE(stage.tools.revoke("a"));
  CHECK(stage.tools.permissions() == "a  svc asks before each call\nb  runs without asking\n");
  const auto none = stage.tools.revoke("c");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "no tool c");
  CHECK(none.error().hint == "/tools lists the tools.");
}

TEST_CASE("svc answers the calls of a turn unless one is of a tool that somebody else runs") {
  ToolStage stage;
  const ToolCall a{"1", "a", "{}", false};
  const ToolCall served{"2", "search", "{}", true};
  const ToolCall other{"3", "other", "{}", false};
  const ToolCall shell{"4", "shell", "{}", false};
  CHECK(stage.tools.own_calls(answer_calling({a}), "[]").empty());  // there are no tools yet
  REQUIRE(stage.tools.open());
  const auto own = [&](const std::vector<ToolCall>& calls, std::string_view offered) {
    return ids_of(stage.tools.own_calls(answer_calling(calls), offered));
  };
  CHECK(stage.tools.own_calls(Answer{}, "[]").empty());
  CHECK(own({a, served}, "[]") == "1 ");
  CHECK(own({a, other, shell}, "") == "1 3 4 ");  // refused, as nobody has offered them
  CHECK(own({a, other}, R"({"name":"other"})") == "1 3 ");
  CHECK(own({a, other}, R"([1,{"name":"others"},{"type":"other"}])") == "1 3 ");
  CHECK(own({a, other}, R"([{"name":"x"},{"type":"function","name":"other"}])").empty());
  CHECK(own({a, other}, R"([{"type":"function","function":{"name":"other"}}])").empty());
  CHECK(own({a, shell}, R"([{"type":"shell"}])").empty());
  CHECK(own({a}, R"([{"type":"function","name":"a"}])") == "1 ");
  CHECK(own({served}, R"([{"type":"function","name":"search"}])").empty());
}

TEST_CASE("the calls of a turn are answered in their order, however long each takes") {
  ToolStage stage;
  REQUIRE(stage.tools.open());
  const std::string most(50, '7');
  const auto round = stage.tools.run({{"1", "a", "{\"n\":1}", false},
                                      {"2", "b", "{\"n\":2}", false},
                                      {"3", "c", "{}", false},
                                      {"4", "b", most + "8", false}},
                                     NeverCanceled());
  CHECK_FALSE(round.stopped);
  REQUIRE(round.answers.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(round.answers[i].call == std::to_string(i + 1));
  CHECK(round.answers[0].output == "{\"n\":1}");
  CHECK(round.answers[1].output == "{\"n\":2}");
  CHECK(round.answers[2].output == R"({"error":"unknown function"})");
  CHECK(round.answers[3].output == most + "\n[truncated: more than 50 B of output]");
  const std::string said = stage.err();
  CHECK(said.find("svc: note: b {\"n\":2}: 7 B of output, ") <
        said.find("svc: note: a {\"n\":1}: 7 B of output, "));
  CHECK(said.find("svc: note: c {}: unknown function\n") != std::string::npos);
  // Each is answered even if all is stopped.
  CancelSource canceled;
  canceled.cancel();
  const auto stopped =
      stage.tools.run({{"1", "a", "{}", false}, {"2", "c", "{}", false}}, canceled);
  REQUIRE(stopped.stopped);
  CHECK(is_cancellation(stopped.stopped->fault));
  REQUIRE(stopped.answers.size() == 2);
  CHECK(stopped.answers[0].call == "1");
  CHECK(stopped.answers[0].output == R"({"error":"the user stopped it"})");
  CHECK(stopped.answers[1].output == R"({"error":"unknown function"})");
  const auto refused = stage.tools.refuse({{"1", "a", "{}", false}, {"2", "c", "{}", false}}, "no");
  REQUIRE(refused.answers.size() == 2);
  CHECK(refused.answers[0].output == R"({"error":"no"})");
  CHECK(refused.answers[1].call == "2");
  CHECK_FALSE(refused.stopped);
}

}  // namespace svc::cli
