// Local tools: calls, descriptions, confirmation; and the messages of a turn.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "conversation/mcp_servers.h"
#include "conversation/tool_calls.h"
#include "conversation/tool_program.h"
#include "conversation/turn.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct ToolDirectory {
  ToolDirectory() : path(fs::temp_directory_path() / ("svc-tools-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~ToolDirectory() { fs::remove_all(path); }

  std::string script(const std::string& name, const std::string& body) const {
    const std::string file = (path / name).string();
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  fs::path path;
};

ToolEnd run_tool(const std::string& program, const std::string& input,
                 std::chrono::milliseconds limit = 5s) {
  ToolRun run(program_work({.program = program}, {}, input, {limit, 100'000}));
  pollfd wait{run.descriptor(), POLLIN, 0};
  (void)::poll(&wait, 1, 10'000);
  CHECK(run.over());
  return run.result();
}

std::vector<ToolCalls::Finished> wait_for(ToolCalls& tools, std::size_t count) {
  std::vector<ToolCalls::Finished> answers;
  for (int i = 0; i < 500 && answers.size() < count; ++i) {
    for (auto& one : tools.take()) answers.push_back(one);
    if (answers.size() < count) std::this_thread::sleep_for(10ms);
  }
  return answers;
}

}  // namespace

TEST_CASE("a program gets its arguments on standard input, and its output is the result") {
  const ToolDirectory directory;
  CHECK(run_tool(directory.script("echo.sh", "cat"), R"({"a":1})").output == R"({"a":1})");
  // Not reading them is not an error.
  const std::string long_input(1U << 20U, 'x');
  const auto deaf = run_tool(directory.script("deaf.sh", "exec <&-; echo no"), long_input);
  CHECK_FALSE(deaf.error);
  CHECK(deaf.output == "no\n");
  CHECK(run_tool(directory.script("count.sh", "wc -c"), long_input).output.find("1048576") !=
        std::string::npos);
}

TEST_CASE("a program that fails, hangs or does not exist") {
  const ToolDirectory directory;
  const auto failed = run_tool(directory.script("bad.sh", "echo why; echo so >&2; exit 3"), "");
  REQUIRE(failed.error);
  CHECK(failed.error->message == "failed: exit code 3");
  CHECK(failed.output == "why\n");
  CHECK(failed.complaint == "so\n");
  const auto begin = std::chrono::steady_clock::now();
  const auto late = run_tool(directory.script("slow.sh", "sleep 30 & wait"), "", 100ms);
  REQUIRE(late.error);
  CHECK(late.error->fault == Fault::Timeout);
  const auto closed = run_tool(directory.script("mute.sh", "exec >&- 2>&-; sleep 30"), "", 100ms);
  REQUIRE(closed.error);
  CHECK(closed.error->fault == Fault::Timeout);
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
  const auto missing = run_tool((directory.path / "none").string(), "");
  REQUIRE(missing.error);
  CHECK(missing.error->fault == Fault::Local);
}

TEST_CASE("a flood of output is truncated, without waiting for its end") {
  const ToolDirectory directory;
  const auto begin = std::chrono::steady_clock::now();
  const auto flood = run_tool(directory.script("flood.sh", "exec yes"), "", 60s);
  CHECK(flood.cut);
  CHECK_FALSE(flood.error);
  CHECK(flood.output.size() == 100'000);
  // A program whose parent exits at once keeps flooding.
  const auto orphan = run_tool(directory.script("orphan.sh", "yes & sleep 60"), "", 60s);
  CHECK(orphan.cut);
  CHECK(std::chrono::steady_clock::now() - begin < 8s);
}

TEST_CASE("a program that ignores signals is killed with its parent") {
  const ToolDirectory directory;
  const std::string mark = (directory.path / "mark").string();
  const auto late =
      run_tool(directory.script("stubborn.sh", "(trap '' TERM; exec >/dev/null; sleep 2; touch " +
                                                   mark + ") & sleep 60"),
               "", 200ms);
  REQUIRE(late.error);
  std::this_thread::sleep_for(2200ms);
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("a program's description is next to it, printed by it, or specified") {
  const ToolDirectory directory;
  const std::string program =
      directory.script("w.sh", R"(echo '{"type":"object","description":"D"}')");
  auto printed = read_tool_program("w=" + program);
  REQUIRE(printed);
  CHECK(
      printed->tool ==
      R"({"description":"D","name":"w","parameters":{"description":"D","type":"object"},"type":"function"})");
  std::ofstream(program + ".json") << R"({"function":{"description":"X","parameters":{}}})";
  auto beside = read_tool_program("w=" + program);
  REQUIRE(beside);
  CHECK(beside->tool == R"({"description":"X","name":"w","parameters":{},"type":"function"})");
  const std::string other = (directory.path / "other.json").string();
  std::ofstream(other) << R"({"description":"Y","parameters":{}})";
  auto named = read_tool_program("w=" + program + "," + other);
  REQUIRE(named);
  CHECK(named->program == program);
  CHECK(named->tool.find("\"Y\"") != std::string::npos);
  CHECK(read_tool_program("w=" + program + ",/nowhere.json").error().fault == Fault::Usage);
  std::ofstream(program + ".json") << "no";
  CHECK(read_tool_program("w=" + program).error().fault == Fault::Usage);
  for (const char* wrong : {"w", "=w", "w=", "a b=w", "w=/nowhere/at/all"}) {
    CHECK(read_tool_program(wrong).error().fault == Fault::Usage);
  }
}

TEST_CASE("unknown tools and invalid arguments are answered at once, others after confirmation") {
  const ToolDirectory directory;
  ToolCalls tools({{.name = "w", .program = directory.script("w.sh", "cat"), .tool = "{}"}}, {},
                  {5s, 1000});
  tools.call({"1", "x", "{}"});
  tools.call({"2", "w", "{\"cut"});
  const auto refused = tools.take();
  REQUIRE(refused.size() == 2);
  CHECK(refused[0].output == R"({"error":"unknown function"})");
  CHECK(refused[1].output == R"({"error":"the arguments are not JSON"})");
  for (const char* id : {"3", "4", "5"}) tools.call({id, "w", "{\"a\":1}"});
  CHECK(tools.question().find("The model wants to run w (") == 0);
  CHECK(tools.take().empty());
  tools.decide(ToolConsent::Once);
  CHECK_FALSE(tools.question().empty());
  tools.decide(ToolConsent::Always);
  CHECK(tools.question().empty());
  CHECK(wait_for(tools, 3).size() == 3);
  CHECK_FALSE(tools.busy());
  tools.call({"6", "w", ""});
  CHECK(wait_for(tools, 1).at(0).output == "{}");
  // Another program with that name requires confirmation again.
  tools.add({.name = "w", .program = "/bin/cat", .tool = "{}"});
  tools.call({"7", "w", ""});
  tools.decide(ToolConsent::No);
  CHECK(tools.take().at(0).output == R"({"error":"denied by the user"})");
  tools.call({"8", "w", ""});
  tools.decide(ToolConsent::No, "it is \"late\"");
  CHECK(tools.take().at(0).output == R"({"error":"denied by the user: it is \"late\""})");
  tools.call({"9", "w", "\"" + std::string(5000, 'x') + "\""});
  CHECK(tools.question().find(std::string(5000, 'x')) != std::string::npos);
}

TEST_CASE("a long question is split into screens, and nothing is lost") {
  CHECK(screens_of("abc", 10, 3) == std::vector<std::string>{"abc"});
  CHECK(screens_of("aaaabbbbcc", 4, 2) == std::vector<std::string>{"aaaabbbb", "cc"});
  CHECK(screens_of("a\nb\nc", 4, 2) == std::vector<std::string>{"a\nb", "c"});
  CHECK(screens_of("中文中文", 4, 1) == std::vector<std::string>{"中文", "中文"});
}

TEST_CASE("concurrent calls are limited, and all are answered") {
  const ToolDirectory directory;
  AllowedTools all;
  all.all = true;
  ToolCalls tools({{.name = "w", .program = directory.script("w.sh", "cat"), .tool = "{}"}}, all,
                  {5s, 1000});
  for (int i = 0; i < 20; ++i) tools.call({std::to_string(i), "w", "{}"});
  CHECK(tools.descriptors().size() == k_max_tool_runs);
  CHECK(wait_for(tools, 20).size() == 20);
  CHECK_FALSE(tools.busy());
}

TEST_CASE("--allow-tools must name existing tools") {
  const std::vector<ToolProgram> tools = {{.name = "a"}, {.name = "b"}};
  auto some = read_allowed_tools("a", tools);
  REQUIRE(some);
  REQUIRE(not_allowed(*some, tools) != nullptr);
  CHECK(not_allowed(*some, tools)->name == "b");
  auto both = read_allowed_tools("a, b", tools);
  REQUIRE(both);
  CHECK(not_allowed(*both, tools) == nullptr);
  auto all = read_allowed_tools("all", tools);
  REQUIRE(all);
  CHECK(all->has({.name = "anything"}));
  CHECK(read_allowed_tools("c", tools).error().fault == Fault::Usage);
}

TEST_CASE("--allow-tools names MCP tools, with * as a wildcard") {
  const std::vector<ToolProgram> tools = {{.name = "a"}};
  const std::vector<std::string> servers = {"fs", "web"};
  const ToolProgram read{.name = "read_file", .address = "fs.read_file"};
  const ToolProgram write{.name = "write_file", .address = "fs.write_file"};
  const ToolProgram search{.name = "search", .address = "web.search"};
  const auto reads = read_allowed_tools("a,fs.read_*", tools, servers);
  REQUIRE(reads);
  CHECK(reads->has(read));
  CHECK_FALSE(reads->has(write));
  CHECK_FALSE(reads->has(search));
  CHECK(reads->has_server("fs"));
  CHECK_FALSE(reads->has_server("web"));
  // A program's name is not the address of a server's tool, and vice versa.
  CHECK_FALSE(reads->has({.name = "fs.read_file"}));
  CHECK_FALSE(read_allowed_tools("a", tools, servers)->has({.name = "b", .address = "fs.a"}));
  CHECK(read_allowed_tools("*.search", tools, servers)->has(search));
  CHECK(read_allowed_tools("fs.*", tools, servers)->has(write));
  CHECK(read_allowed_tools("*", tools, servers)->all);
  for (const char* wrong : {"fs", "fsx.read", "nothing.*", "read_file"}) {
    CHECK_FALSE(read_allowed_tools(wrong, tools, servers));
  }
}

TEST_CASE("an MCP tool's result is truncated at the limit, and images are separate") {
  const ToolLimits limits{.output = 5};
  const ToolEnd cut = tool_end(mcp::ToolResult{.text = "abcd\u00e9f"}, limits);
  CHECK(cut.cut);
  CHECK(cut.output == "abcd");  // not half a character
  const ToolEnd whole = tool_end(
      mcp::ToolResult{.text = "a", .media = {{"image/png", "aWk="}, {"audio/wav", "aWk="}}},
      ToolLimits{});
  CHECK_FALSE(whole.cut);
  CHECK(whole.images == std::vector<std::string>{"data:image/png;base64,aWk="});
  CHECK(whole.output == "a\n[3 B of audio/wav, not passed to the model]");
  CHECK(tool_end(mcp::ToolResult{.text = "no", .failed = true}, limits).error);
  CHECK(tool_end(Error{Fault::Timeout, "late"}, limits).error->fault == Fault::Timeout);
}

TEST_CASE("a result with images becomes parts of a message") {
  const std::vector<std::string> images = {"data:image/png;base64,aWk="};
  CHECK(tool_message(View::Chat, "c", "text", images) ==
        R"({"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"text"},)"
        R"({"type":"image_url","image_url":{"url":"data:image/png;base64,aWk="}}]})");
  CHECK(tool_message(View::Response, "c", "", images) ==
        R"({"type":"function_call_output","call_id":"c","output":[)"
        R"({"type":"input_image","image_url":"data:image/png;base64,aWk="}]})");
}

TEST_CASE("an answer becomes messages that can be sent back") {
  ModelReply got;
  Choice& choice = got.answer.choices.emplace_back();
  choice.text = "Hm.";
  choice.reasoning = "why";
  choice.tool_calls = {{"c1", "w", "{}", false}, {"s1", "search", "", true}};
  CHECK(answer_messages(View::Chat, got) ==
        std::vector<std::string>{
            R"({"role":"assistant","content":"Hm.","reasoning_content":"why","tool_calls":[)"
            R"({"id":"c1","type":"function","function":{"name":"w","arguments":"{}"}}]})"});
  got.error = Error{Fault::Network, "cut"};
  CHECK(answer_messages(View::Chat, got) ==
        std::vector<std::string>{R"({"role":"assistant","content":"Hm."})"});
  CHECK(answer_messages(View::Response, got).size() == 1);
  choice.text.clear();
  CHECK(answer_messages(View::Chat, got).empty());
  CHECK(answer_messages(View::Response, got).empty());
  CHECK(tool_message(View::Chat, "c1", "a\xff") ==
        "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"a\xef\xbf\xbd\"}");
  CHECK(tool_message(View::Response, "c1", "x") ==
        R"({"type":"function_call_output","call_id":"c1","output":"x"})");
}

}  // namespace svc::cli
