// Parts of `realtime talk` that need no socket: programs as tools, the session, the voice.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "commands/realtime_talk_session.h"
#include "commands/realtime_talk_tools.h"
#include "commands/realtime_talk_voice.h"
#include "tool_program.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("svc-talk-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }

  std::string script(const std::string& name, const std::string& body) const {
    const std::string file = (path / name).string();
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  fs::path path;
};

Result<std::string> run_tool(const std::string& program, const std::string& input,
                             std::chrono::milliseconds limit = 5s) {
  ToolRun run(program, {}, input, limit);
  pollfd wait{run.descriptor(), POLLIN, 0};
  (void)::poll(&wait, 1, 10'000);
  CHECK(run.over());
  return run.take();
}

}  // namespace

TEST_CASE("a program gets its arguments on standard input, and its output is the result") {
  const Folder folder;
  auto echoed = run_tool(folder.script("echo.sh", "cat"), R"({"a":1})");
  REQUIRE(echoed);
  CHECK(*echoed == R"({"a":1})");
  // One that does not read them is none the worse.
  const std::string long_input(1U << 20U, 'x');
  auto deaf = run_tool(folder.script("deaf.sh", "exec <&-; echo no"), long_input);
  REQUIRE(deaf);
  CHECK(*deaf == "no\n");
  auto all = run_tool(folder.script("count.sh", "wc -c"), long_input);
  REQUIRE(all);
  CHECK(all->find("1048576") != std::string::npos);
}

TEST_CASE("a program that fails, hangs, says too much or is not there") {
  const Folder folder;
  const auto failed = run_tool(folder.script("bad.sh", "exit 3"), "");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "it failed: exit code 3");
  const auto begin = std::chrono::steady_clock::now();
  const auto late = run_tool(folder.script("slow.sh", "sleep 30 & wait"), "", 100ms);
  REQUIRE_FALSE(late);
  CHECK(late.error().fault == Fault::Timeout);
  const auto closed = run_tool(folder.script("mute.sh", "exec >&- 2>&-; sleep 30"), "", 100ms);
  REQUIRE_FALSE(closed);
  CHECK(closed.error().fault == Fault::Timeout);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
  const auto loud = run_tool(folder.script("loud.sh", "head -c 2000000 /dev/zero"), "");
  REQUIRE_FALSE(loud);
  CHECK(loud.error().message.find("printed more than") != std::string::npos);
  const auto missing = run_tool((folder.path / "none").string(), "");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().fault == Fault::Local);
}

TEST_CASE("a program's description is beside it, or printed by it") {
  const Folder folder;
  const std::string program =
      folder.script("w.sh", R"(echo '{"type":"object","description":"D"}')");
  auto printed = read_tool_program("w=" + program);
  REQUIRE(printed);
  CHECK(
      printed->tool ==
      R"({"description":"D","name":"w","parameters":{"description":"D","type":"object"},"type":"function"})");
  std::ofstream(program + ".json") << R"({"function":{"description":"X","parameters":{}}})";
  auto beside = read_tool_program("w=" + program);
  REQUIRE(beside);
  CHECK(beside->tool == R"({"description":"X","name":"w","parameters":{},"type":"function"})");
  std::ofstream(program + ".json") << "no";
  CHECK(read_tool_program("w=" + program).error().fault == Fault::Usage);
  for (const char* wrong : {"w", "=w", "w=", "a b=w", "w=/nowhere/at/all"}) {
    CHECK(read_tool_program(wrong).error().fault == Fault::Usage);
  }
}

TEST_CASE("programs are asked for once, unknown ones and wrong arguments are answered at once") {
  const Folder folder;
  TalkTools tools({{.name = "w", .program = folder.script("w.sh", "cat"), .tool = "{}"}}, false,
                  5s);
  const auto call = [&](const char* id, const char* name, const char* arguments) {
    tools.call(
        {.kind = voice::TalkEvent::Kind::ToolCall, .id = id, .name = name, .text = arguments});
  };
  call("1", "x", "{}");
  call("2", "w", "{\"cut");
  auto answers = tools.take();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].output == R"({"error":"there is no such function here"})");
  CHECK(answers[1].output == R"({"error":"the arguments are not JSON"})");
  call("3", "w", "{\"a\":1}");
  call("4", "w", "{}");
  CHECK(tools.question().find("run w (") == 0);
  CHECK(tools.take().empty());
  tools.decide(true);
  CHECK(tools.question().empty());
  answers.clear();
  for (int i = 0; i < 500 && answers.size() < 2; ++i) {
    std::this_thread::sleep_for(10ms);
    for (auto& one : tools.take()) answers.push_back(one);
  }
  REQUIRE(answers.size() == 2);
  CHECK_FALSE(tools.busy());
  TalkTools careful({{.name = "w", .program = "/bin/cat", .tool = "{}"}}, false, 5s);
  careful.call({.kind = voice::TalkEvent::Kind::ToolCall, .id = "5", .name = "w", .text = ""});
  careful.decide(false);
  CHECK(careful.take().at(0).output == R"({"error":"the user does not allow it"})");
}

TEST_CASE("the session holds what the user set, and what the tool needs") {
  auto plain = make_talk_session("", {}, {});
  REQUIRE(plain);
  CHECK(plain->update ==
        R"({"type":"session.update","session":{"resumption":{"enabled":true},"audio":{)"
        R"("input":{"format":{"type":"audio/pcm","rate":24000}},)"
        R"("output":{"format":{"type":"audio/pcm","rate":24000}}}}})");
  CHECK(plain->resume);
  CHECK_FALSE(plain->manual);
  auto set = make_talk_session(
      R"({"type":"session.update","session":{"turn_detection":{"type":null},"resumption":{"enabled":false},)"
      R"("audio":{"input":{"format":{"type":"audio/pcmu"},"transport":"binary"}}}})",
      {.text = false, .voice = "ara"},
      {{.name = "w", .tool = R"({"type":"function","name":"w"})"}});
  REQUIRE(set);
  CHECK(set->manual);
  CHECK_FALSE(set->resume);
  CHECK(set->input.encoding == audio::Encoding::MuLaw);
  CHECK(set->input.rate == 8000);
  CHECK(set->input.binary);
  CHECK(set->update.find(R"("voice":"ara")") != std::string::npos);
  CHECK(set->update.find(R"("tools":[{"type":"function","name":"w"}])") != std::string::npos);
  auto text = make_talk_session("", {.text = true, .voice = "ara"}, {});
  REQUIRE(text);
  CHECK(text->manual);
  CHECK(text->update.find("audio") == std::string::npos);
  auto call = make_talk_session("", {.call = true}, {});
  REQUIRE(call);
  CHECK(call->update == R"({"type":"session.update","session":{"resumption":{"enabled":true}}})");
  CHECK(make_talk_session(R"({"session":{"audio":{"output":{"format":{"type":"audio/opus"}}}}})",
                          {}, {})
            .error()
            .fault == Fault::Usage);
}

TEST_CASE("an interruption leaves what was heard, and never more") {
  const audio::Format format{24'000, 1};
  TalkVoice voice(audio::open_null_sink({.format = format, .prebuffer = 0ms}, audio::Pace::Real),
                  audio::Encoding::Pcm);
  const std::string second(48'000, '\1');
  REQUIRE(voice.play("a", 0, second));
  REQUIRE(voice.play("b", 0, second));
  voice.finish("a");
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(150ms);
  REQUIRE(voice.pump());
  const auto cut = voice.interrupt();
  const auto most =
      std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  REQUIRE(cut.size() == 2);
  CHECK(cut[0].item == "a");
  CHECK(cut[0].heard_ms >= 100);
  CHECK(cut[0].heard_ms <= most.count() + 5);
  CHECK(cut[1].heard_ms == 0);
  CHECK(voice.idle());
  CHECK(voice.interrupt().empty());
  REQUIRE(voice.play("c", 0, second));
  CHECK(voice.interrupt().at(0).item == "c");
}

}  // namespace svc::cli
