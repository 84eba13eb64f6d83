// Local tools: calls, descriptions, confirmation; and the messages of a turn.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
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

TEST_CASE("output up to the limit is whole, and the rest of the complaint is left out") {
  const ToolDirectory directory;
  const auto printed = [&](int size, const char* to) {
    return run_tool(
        directory.script("x.sh", fmt::format("head -c {} /dev/zero | tr '\\0' x{}", size, to)), "");
  };
  const ToolEnd whole = printed(100'000, "");
  CHECK(whole.output == std::string(100'000, 'x'));
  CHECK_FALSE(whole.cut);
  CHECK_FALSE(whole.error);
  const ToolEnd cut = printed(100'001, "");
  CHECK(cut.output == std::string(100'000, 'x'));
  CHECK(cut.cut);
  CHECK_FALSE(cut.error);
  const ToolEnd loud = printed(150'000, " >&2; echo done");
  CHECK(loud.complaint == std::string(100'000, 'x'));
  CHECK(loud.output == "done\n");
  CHECK_FALSE(loud.cut);
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

TEST_CASE("a description is a function or the schema of its arguments") {
  const ToolDirectory directory;
  const std::string program = directory.script("w.sh", "exit 1");
  const auto described = [&](const std::string& text) {
    std::ofstream(program + ".json") << text;
    const auto tool = read_tool_program("w=" + program);
    return tool ? tool->tool : tool.error().message;
  };
  CHECK(described(R"({"type":"function","description":"X"})") ==
        R"({"description":"X","name":"w","type":"function"})");
  CHECK(described(R"({"properties":{"a":{}}})") ==
        R"({"name":"w","parameters":{"properties":{"a":{}}},"type":"function"})");
  CHECK(described(R"({"type":"object","parameters":{"type":"object"}})") ==
        R"({"name":"w","parameters":{"type":"object"},"type":"function"})");
  CHECK(described("[ 1 ]\n") == "--tool w: the description must be a JSON object, not '[ 1 ]'");
  CHECK(described(R"({"function":1})") ==
        R"(--tool w: the description must be a JSON object, not '{"function":1}')");
  fs::remove(program + ".json");
  const std::string file = "'" + program + ".json'";
  CHECK(read_tool_program("w=" + program)
            .error()
            .message.starts_with("--tool w: " + file + " does not exist, and `" + program +
                                 " --schema` failed: failed: "));
  const std::string loud = directory.script("loud.sh", "echo ' no \n' >&2; exit 1");
  CHECK(read_tool_program("w=" + loud)
            .error()
            .message.ends_with("` failed: failed: exit code 1 (no)"));
  // Unasked, it is not run.
  CHECK(read_tool_program("w=" + program, false)->tool == R"({"name":"w","type":"function"})");
  const std::string name(64, 'n');
  CHECK(read_tool_program(name + "=" + program, false)->name == name);
  const std::string rule = ": a name may have at most 64 letters, digits, - and _";
  CHECK(read_tool_program("n" + name + "=" + program, false).error().message ==
        "--tool n" + name + rule);
  const std::string most(80, 'n');
  CHECK(read_tool_program(most + "=" + program, false).error().message == "--tool " + most + rule);
  CHECK(read_tool_program(most + "n=" + program, false).error().message ==
        "--tool " + most + "…" + rule);
  CHECK(read_tool_program("w", false).error().message == "a tool must be NAME=PROGRAM, not 'w'");
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
  CHECK(screens_of("", 4, 2) == std::vector<std::string>{""});
  CHECK(screens_of("aa中", 4, 1) == std::vector<std::string>{"aa中"});
  CHECK(screens_of("aaa中", 4, 1) == std::vector<std::string>{"aaa", "中"});
  CHECK(screens_of("aaa\nbbb\nccc", 4, 2) == std::vector<std::string>{"aaa\nbbb", "ccc"});
  CHECK(screens_of("a\nb\n", 4, 2) == std::vector<std::string>{"a\nb", ""});
  // A line's width counts from its start, also after a screen that a newline ended.
  CHECK(screens_of("aaaa\nbbbbc", 4, 1) == std::vector<std::string>{"aaaa", "bbbb", "c"});
}

TEST_CASE("a call's arguments are shown as a command, as a diff and as JSON") {
  CHECK(shown_arguments("{}") == "It gets no arguments.");
  CHECK(shown_arguments("[1, \"\x1b\"]") == "[1, \"^[\"]");
  for (const char* name : {"command", "cmd", "script"}) {
    CAPTURE(name);
    CHECK(shown_arguments(fmt::format(R"({{"{}":"ls -l\nrm x\u001b"}})", name)) ==
          "  $ ls -l\n  $ rm x^[");
  }
  CHECK(shown_arguments(R"({"cmd":"b","cwd":"/tmp","command":"a"})") ==
        "  $ a\n  {\n    \"cmd\": \"b\",\n    \"cwd\": \"/tmp\"\n  }");
  CHECK(shown_arguments(R"({"command":["ls"]})") ==
        "  {\n    \"command\": [\n      \"ls\"\n    ]\n  }");
  const auto edit = [](const char* path, const char* before, const char* after) {
    return shown_arguments(
        fmt::format(R"({{"{}":"a.c","{}":"x\ny","{}":"z"}})", path, before, after));
  };
  constexpr const char* diff = "  --- a.c\n  - x\n  - y\n  + z";
  CHECK(edit("file_path", "old_string", "new_string") == diff);
  CHECK(edit("path", "old_str", "new_str") == diff);
  CHECK(edit("file", "old_text", "new_text") == diff);
  CHECK(shown_arguments(R"({"path":"a.c","old_text":"x"})") ==
        "  {\n    \"path\": \"a.c\",\n    \"old_text\": \"x\"\n  }");
  CHECK(shown_arguments(R"({"new_str":"z","all":true})") == "  + z\n  {\n    \"all\": true\n  }");
  CHECK(shown_arguments("{\"c\":\"a\\u001bb\"}") == "  {\n    \"c\": \"a\\u001bb\"\n  }");
}

namespace {

/// A tool that ends at once as said.
ToolProgram ending(const std::string& name, ToolEnd end, std::string address = {}) {
  return {.name = name,
          .program = "MCP server x",
          .address = std::move(address),
          .call = [end = std::move(end)](const std::string&, const ToolLimits&,
                                         const CancelToken&) { return end; }};
}

/// What one call of the tool came to.
ToolCalls::Finished finished(ToolEnd end, const std::string& arguments = "{}") {
  AllowedTools all;
  all.all = true;
  ToolCalls tools({ending("w", std::move(end))}, all, {5s, 1000});
  tools.call({"1", "w", arguments});
  return wait_for(tools, 1).at(0);
}

/// The note without the time that the call took.
std::string outcome(const ToolCalls::Finished& one) {
  return one.note.substr(0, one.note.rfind(", "));
}

}  // namespace

TEST_CASE("the outcome of a call is told to the model and to the user") {
  auto one = finished({.output = "noon\n", .complaint = "late"});
  CHECK(one.output == "noon\n");
  CHECK(one.said == "late");
  CHECK(outcome(one) == "w {}: 5 B of output");
  one = finished({.output = "12345", .cut = true});
  CHECK(one.output == "12345\n[truncated: more than 5 B of output]");
  CHECK(outcome(one) == "w {}: truncated after 5 B of output");
  one = finished({.output = "a", .complaint = "b", .error = Error{Fault::Local, "failed: x"}});
  CHECK(one.output == R"({"error":"failed: x","output":"a","stderr":"b"})");
  CHECK(outcome(one) == "w {}: failed: x");
  const std::string most(400, 'e');
  CHECK(outcome(finished({.error = Error{Fault::Local, most}})) == "w {}: " + most);
  one = finished({.error = Error{Fault::Local, most + "e"}});
  CHECK(one.output == R"({"error":")" + most + R"(e"})");
  CHECK(outcome(one) == "w {}: " + most + "…");
  one = finished({.output = "a", .images = {"data:1"}});
  CHECK(one.images == std::vector<std::string>{"data:1"});
  CHECK(outcome(one) == "w {}: 1 B of output, 1 image");
  CHECK(outcome(finished({.images = {"data:1", "data:2"}})) == "w {}: 0 B of output, 2 images");
  const std::string digits(80, '7');
  CHECK(outcome(finished({}, digits)) == "w " + digits + ": 0 B of output");
  CHECK(outcome(finished({}, digits + "8")) == "w " + digits + "…: 0 B of output");
}

TEST_CASE("the question about a call says what runs, and on whose behalf") {
  ToolCalls tools({{.name = "w", .program = "./w\n.sh", .tool = "{}"}, ending("say", {}, "x.say")},
                  {}, {5s, 1000});
  CHECK(tools.question().empty());
  CHECK_FALSE(tools.busy());
  tools.call({"1", "w", R"({"command":"ls"})"});
  tools.call({"2", "say", ""});
  CHECK(tools.busy());
  CHECK(tools.question() ==
        "The model wants to run w (./w^J.sh, with your permissions and environment).\n  $ ls\n"
        "\"Always\" stops asking about w until svc exits.\nrun w?");
  tools.decide(ToolConsent::No);
  CHECK(tools.question() ==
        "The model wants to run say (MCP server x).\nIt gets no arguments.\n"
        "\"Always\" stops asking about say until svc exits.\nrun say?");
  // Its server withdraws the tool while the user is asked.
  tools.replace_served({});
  CHECK(tools.question() == "run say?");
  tools.decide(ToolConsent::Once);
  const auto answers = tools.take();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].note == R"(w {"command":"ls"}: denied by the user)");
  CHECK(answers[1].output == R"({"error":"this function is no longer available"})");
  CHECK_FALSE(tools.busy());
  const std::string most(80, 'n');
  tools.call({"3", most, "{}"});
  CHECK(tools.take().at(0).note == most + " {}: unknown function");
  tools.call({"4", most + "n", "{}"});
  CHECK(tools.take().at(0).note == most + "… {}: unknown function");
}

TEST_CASE("a permission ends with what it was given for") {
  ToolCalls tools({{.name = "w", .program = "./a", .tool = "{}"}, ending("say", {}, "x.say")}, {},
                  {5s, 1000});
  const auto is_allowed = [&](const char* name) { return tools.is_allowed(*tools.find(name)); };
  for (const char* name : {"w", "say"}) {
    tools.call({"1", name, "{}"});
    tools.decide(ToolConsent::Always);
    CHECK(is_allowed(name));
  }
  tools.add({.name = "w", .program = "./a", .tool = "[]"});  // the same program
  tools.replace_served({ending("say", {}, "x.say")});
  CHECK(is_allowed("w"));
  CHECK(is_allowed("say"));
  CHECK(tools.find("w")->tool == "[]");
  tools.replace_served({ending("say", {}, "y.say")});
  CHECK_FALSE(is_allowed("say"));
  CHECK(tools.tools().size() == 2);
  tools.revoke("w");
  CHECK_FALSE(is_allowed("w"));
  tools.call({"2", "w", "{}"});
  tools.decide(ToolConsent::Once);
  CHECK_FALSE(is_allowed("w"));
  tools.call({"3", "w", "{}"});
  tools.decide(ToolConsent::Always);
  CHECK(is_allowed("w"));
  tools.add({.name = "w", .program = "./b", .tool = "{}"});
  CHECK_FALSE(is_allowed("w"));
  tools.forget();
  CHECK_FALSE(tools.busy());
  CHECK(tools.take().empty());
}

TEST_CASE("always is for the calls of one tool, and nothing outlives a turn") {
  ToolCalls tools({ending("a", {.output = "1"}), ending("b", {.output = "2"})}, {}, {5s, 1000});
  for (const char* name : {"a", "b", "a"}) tools.call({name, name, "{}"});
  tools.decide(ToolConsent::Always);
  CHECK(tools.question().find("wants to run b ") != std::string::npos);
  CHECK(wait_for(tools, 2).size() == 2);
  CHECK(tools.busy());
  tools.decide(ToolConsent::No);
  tools.forget();
  CHECK(tools.take().empty());
  tools.call({"4", "b", "{}"});
  tools.forget();
  CHECK(tools.question().empty());
  tools.decide(ToolConsent::Always);
  CHECK(tools.take().empty());
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

TEST_CASE("a waiting call whose tool is withdrawn does not keep others waiting") {
  AllowedTools all;
  all.all = true;
  ToolCalls tools({ending("a", {.output = "1"}), ending("gone", {}, "x.gone")}, all, {5s, 1000});
  for (std::size_t i = 0; i < k_max_tool_runs; ++i) tools.call({"first", "a", "{}"});
  tools.call({"lost", "gone", "{}"});
  tools.call({"last", "a", "{}"});
  for (const int run : tools.descriptors()) {
    pollfd wait{run, POLLIN, 0};
    REQUIRE(::poll(&wait, 1, 10'000) == 1);
  }
  tools.replace_served({});
  const auto answers = tools.take();
  REQUIRE(answers.size() == k_max_tool_runs + 1);
  CHECK(answers.back().call == "lost");
  CHECK(answers.back().output == R"({"error":"this function is no longer available"})");
  CHECK(tools.descriptors().size() == 1);
  CHECK(wait_for(tools, 1).at(0).call == "last");
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
  const auto wrong = read_allowed_tools("a,c", tools, {"fs"});
  CHECK(wrong.error().message == "--allow-tools: unknown tool c");
  CHECK(wrong.error().hint == "It accepts all, or names separated by commas: a, b, fs.TOOL.");
  CHECK(read_allowed_tools("c", {}).error().hint ==
        "It accepts all, or names separated by commas.");
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
  const auto has = [&](const char* pattern, const char* address) {
    const auto allowed = read_allowed_tools(pattern, tools, servers);
    REQUIRE(allowed);
    return allowed->has({.name = "n", .address = address});
  };
  CHECK(has("fs.*_*", "fs.read_file"));
  CHECK(has("fs.**e", "fs.read_file"));
  CHECK(has("fs.read_file*", "fs.read_file"));
  CHECK(has("fs.read_file", "fs.read_file"));
  CHECK_FALSE(has("fs.read_", "fs.read_file"));
  CHECK_FALSE(has("fs.read_file_", "fs.read_file"));
  CHECK_FALSE(has("fs.*_*x", "fs.read_file"));
  CHECK_FALSE(has("fs.*d", "fs.read_file"));
  CHECK(has("*", "fs.read_file"));
  CHECK(read_allowed_tools("f*", tools, servers)->has_server("fs"));
  CHECK_FALSE(read_allowed_tools("f*", tools, servers)->has_server("web"));
  CHECK(read_allowed_tools("all", tools, servers)->has_server("web"));
  CHECK_FALSE(read_allowed_tools("a", tools, servers)->has_server("fs"));
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
  for (const char* seen : {"image/png", "image/jpeg", "image/webp", "image/gif"}) {
    CHECK(tool_end(mcp::ToolResult{.media = {{seen, "aWk="}}}, limits).images.size() == 1);
  }
  const mcp::MediaPart other{"image/tiff", "aWkhaWkh"};
  const std::string note = "[6 B of image/tiff, not passed to the model]";
  CHECK(tool_end(mcp::ToolResult{.media = {other}}, ToolLimits{}).output == note);
  CHECK(tool_end(mcp::ToolResult{.text = "a\n", .media = {other}}, ToolLimits{}).output ==
        "a\n" + note);
  CHECK_FALSE(tool_end(mcp::ToolResult{.text = "abcde"}, limits).cut);
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
  CHECK(
      answer_messages(View::Response, got) ==
      std::vector<std::string>{
          R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hm."}]})"});
  choice.text.clear();
  CHECK(answer_messages(View::Chat, got).empty());
  CHECK(answer_messages(View::Response, got).empty());
  got = {};
  got.document = R"({"output":[{"type":"reasoning"},{"type":"message","a":1}]})";
  CHECK(answer_messages(View::Response, got).empty());  // no choice
  got.answer.choices.emplace_back();
  CHECK(answer_messages(View::Response, got) ==
        std::vector<std::string>{R"({"type":"reasoning"})", R"({"type":"message","a":1})"});
  // A refusal is what was said; reasoning is kept only with the calls it led to.
  got.answer.choices.front() = {.text = "", .reasoning = "why", .refusal = "No."};
  CHECK(answer_messages(View::Chat, got) ==
        std::vector<std::string>{R"({"role":"assistant","content":"No."})"});
  got.answer.choices.front() = {.tool_calls = {{"c1", "w", "{}", false}}};
  CHECK(answer_messages(View::Chat, got) ==
        std::vector<std::string>{
            R"({"role":"assistant","content":null,"tool_calls":[)"
            R"({"id":"c1","type":"function","function":{"name":"w","arguments":"{}"}}]})"});
  CHECK(tool_message(View::Response, "c", "text", {"data:1"}) ==
        R"({"type":"function_call_output","call_id":"c","output":[)"
        R"({"type":"input_text","text":"text"},{"type":"input_image","image_url":"data:1"}]})");
  CHECK(tool_message(View::Chat, "c1", "a\xff") ==
        "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"a\xef\xbf\xbd\"}");
  CHECK(tool_message(View::Response, "c1", "x") ==
        R"({"type":"function_call_output","call_id":"c1","output":"x"})");
}

}  // namespace svc::cli
