// The MCP servers of a command: which are used, what is said of them, and their tools.
#include "conversation/mcp_servers.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "unit/base/temporary_directory.h"
#include "unit/cli/session_stage.h"
#include "unit/cli/state_here.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

/// A program that is an MCP server with these tools. It runs `first` before it answers.
std::string server_program_of(const test::TemporaryDirectory& directory, const std::string& tools,
                              const std::string& first = {}) {
  static int number = 0;
  const std::string path = directory.file(fmt::format("server{}", ++number));
  std::ofstream(path) << "#!/bin/sh\n"
                      << first << R"(
id_of() { id=${line#*'"id":'}; id=${id%%[!0-9]*}; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while read -r line; do
  id_of
  case $line in
    *'"method":"initialize"'*) say '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
    *'"method":"tools/list"'*) say '{"tools":)"
                      << tools << R"(}' ;;
  esac
done
)";
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

mcp::ServerSpec server_spec_of(const std::string& name, const std::string& path) {
  auto spec = mcp::read_server_flag("--mcp-local", name + "=" + path);
  REQUIRE(spec);
  return *std::move(spec);
}

std::vector<std::string> tool_names_of(const std::vector<ToolProgram>& tools) {
  std::vector<std::string> names;
  for (const ToolProgram& tool : tools) names.push_back(tool.name);
  return names;
}

/// With "|" for the erasing of a progress line.
std::string progress_said_by(SessionStage& stage) {
  return replace_all(stage.err(), "\r\x1b[K", "|");
}

const print::Terminal k_progress_terminal{.is_tty = true, .plain = true};

}  // namespace

TEST_CASE("while MCP servers start a line says so, which is gone afterwards") {
  const test::TemporaryDirectory directory;
  const std::string slow = server_program_of(directory, R"([{"name":"a"}])", "sleep 0.5");
  const NeverCanceled nobody;
  SessionStage one({"chat", "x"}, {}, k_progress_terminal);
  McpServers servers(one.session());
  CHECK(servers.empty());
  CHECK(servers.find("x") == nullptr);
  REQUIRE(servers.start({server_spec_of("x", slow)}, nobody));
  std::string said = progress_said_by(one);
  CHECK(said.find("Starting an MCP server ") != std::string::npos);
  CHECK(said.ends_with("|"));
  CHECK_FALSE(servers.empty());
  REQUIRE(servers.find("x") != nullptr);
  CHECK(servers.find("x")->name() == "x");
  CHECK(servers.find("y") == nullptr);
  SessionStage two({"chat", "x"}, {}, k_progress_terminal);
  McpServers both(two.session());
  REQUIRE(both.start({server_spec_of("x", slow), server_spec_of("y", slow)}, nobody));
  said = progress_said_by(two);
  CHECK(said.find("Starting MCP servers ") != std::string::npos);
  CHECK(said.ends_with("|"));
  CHECK(both.clients().size() == 2);
  CHECK(both.find("y")->name() == "y");
}

TEST_CASE("an MCP server that cannot start is an error, or a warning if it is optional") {
  const test::TemporaryDirectory directory;
  const std::string good = server_program_of(directory, "[]");
  const NeverCanceled nobody;
  SessionStage stage({"chat", "x"});
  McpServers servers(stage.session());
  mcp::ServerSpec optional = server_spec_of("perhaps", "/nowhere/at/all");
  optional.optional = true;
  REQUIRE(servers.start({optional, server_spec_of("good", good)}, nobody));
  CHECK(
      stage.err() ==
      "svc: warning: MCP server perhaps: the program '/nowhere/at/all' cannot be run: No such file "
      "or directory; continuing without it\n");
  CHECK(servers.clients().size() == 1);
  const auto failed = servers.start(
      {server_spec_of("first", "/nowhere/first"), server_spec_of("last", "/nowhere/last")}, nobody);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message ==
        "MCP server first: the program '/nowhere/first' cannot be run: No such file or directory");
  CHECK(stage.err().empty());
  CHECK(servers.clients().size() == 1);
  CancelSource canceled;
  canceled.cancel();
  const auto stopped = servers.start({server_spec_of("slow", good)}, canceled);
  REQUIRE_FALSE(stopped);
  CHECK(is_cancellation(stopped.error().fault));
}

TEST_CASE("the tools of an MCP server become functions that the service accepts") {
  const test::TemporaryDirectory directory;
  const std::string longest(64, 'n');
  const std::string server = server_program_of(
      directory,
      R"([{"name":"say.it","title":"Says","inputSchema":{"$schema":"s","type":"object","properties":{"a":{}}}},)"
      R"({"name":"A-1_z","title":"T","description":"D","inputSchema":{"required":["b"]}},)"
      R"({"name":"say:it"},{"name":"say/it"},{"name":")" +
          longest + R"("},{"name":")" + longest + R"(x"}])");
  SessionStage stage({"chat", "x"});
  McpServers servers(stage.session());
  REQUIRE(servers.start({server_spec_of("s", server)}, NeverCanceled()));
  const auto tools = servers.tools({});
  const auto tail = [](const std::string& name) {
    return name.size() == 64 ? name.substr(60) : name;
  };
  std::vector<std::string> names;
  for (const std::string& name : tool_names_of(tools)) names.push_back(tail(name));
  CHECK(names ==
        std::vector<std::string>{"s_say_it", "A-1_z", "s_say_it_2", "s_say_it_3", "nnnn", "nn_2"});
  REQUIRE(tools.size() == 6);
  CHECK(
      tools[0].tool ==
      R"({"type":"function","name":"s_say_it","description":"Says","parameters":{"type":"object","properties":{"a":{}}}})");
  CHECK(
      tools[1].tool ==
      R"({"type":"function","name":"A-1_z","description":"D","parameters":{"required":["b"],"type":"object","properties":{}}})");
  CHECK(
      tools[2].tool ==
      R"({"type":"function","name":"s_say_it_2","parameters":{"type":"object","properties":{}}})");
  CHECK(tools[0].program == "MCP server s");
  CHECK(tools[0].address == "s.say.it");
  CHECK(tools[4].name == "s_" + longest.substr(2));
  CHECK(tools[5].name.size() == 64);
  // A name of a program or of another server is taken.
  CHECK(tool_names_of(servers.tools({{.name = "A-1_z"}}))[1] == "s_A-1_z");
  CHECK(tool_names_of(servers.tools({{.name = "A-1_z"}, {.name = "s_A-1_z"}}))[1] == "s_A-1_z_2");
}

TEST_CASE("tools beyond what a request may have are left out, and told of again if they are more") {
  const test::TemporaryDirectory directory;
  std::string list;
  for (int i = 0; i < 128; ++i) list += fmt::format(R"({}{{"name":"t{}"}})", i > 0 ? "," : "", i);
  SessionStage stage({"chat", "x"});
  McpServers servers(stage.session());
  REQUIRE(servers.start({server_spec_of("s", server_program_of(directory, "[" + list + "]"))},
                        NeverCanceled()));
  CHECK(servers.tools({}).size() == 128);
  CHECK(stage.err().empty());
  CHECK(servers.tools({{.name = "a"}, {.name = "b"}}).size() == 126);
  CHECK(stage.err() ==
        "svc: warning: 2 tools of MCP servers are left out: a request may have 128\n");
  CHECK(servers.tools({{.name = "a"}}).size() == 127);
  CHECK(stage.err().empty());
  CHECK(servers.tools({{.name = "a"}, {.name = "b"}}).back().name == "t125");
  CHECK(stage.err() ==
        "svc: warning: 2 tools of MCP servers are left out: a request may have 128\n");
}

TEST_CASE("an MCP server is used if it is allowed, has been confirmed, or with --yes") {
  const StateHere state;
  const mcp::ServerSpec spec = server_spec_of("x", "./server --root /tmp");
  const mcp::ServerSpec remote = server_spec_of("web", "https://example.com/mcp");
  SessionStage stage({"chat", "x"});
  McpServers servers(stage.session());
  CHECK(servers.agree(spec, true, false));
  const auto refused = servers.agree(spec, false, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().fault == Fault::Usage);
  CHECK(refused.error().message ==
        "cannot confirm starting MCP server x (./server --root /tmp): not running on a terminal");
  CHECK(refused.error().hint == "Add --yes to use it without asking.");
  CHECK(servers.agree(remote, false, false).error().message ==
        "cannot confirm using MCP server web (https://example.com/mcp): not running on a terminal");
  SessionStage sure({"chat", "x", "--yes"});
  McpServers confirmed(sure.session());
  CHECK(confirmed.agree(spec, false, false));
  CHECK_FALSE(fs::exists(state.file("mcp_servers")));
  // What was confirmed on this machine is known by a mark in a file.
  fs::create_directories(fs::path(state.file("mcp_servers")).parent_path());
  REQUIRE(write_file(state.file("mcp_servers"), "other\n " + sha256(spec.identity) + " \n",
                     Replace::Yes, 0600));
  CHECK(servers.agree(spec, false, false));
  CHECK_FALSE(servers.agree(remote, false, false));
  CHECK_FALSE(servers.agree(server_spec_of("x", "./server --root /"), false, false));
  fs::remove(state.file("mcp_servers"));
  fs::create_directory(state.file("mcp_servers"));  // cannot be read: that is no consent
  CHECK_FALSE(servers.agree(spec, false, false));
}

TEST_CASE("servers are those of the flags, and of the file that a flag or the profile names") {
  const test::TemporaryDirectory directory;
  const std::string config = directory.file("servers.json");
  std::ofstream(config) << R"({"mcpServers":{"a":{"command":"a"},"b":{"url":"https://b.example",)"
                        << R"("headers":{"X-Key":"s3cret-of-b"}}}})";
  const std::string setting = "[profile.default]\nmcp_config = \"" + config + "\"\n";
  const auto read = [&](std::vector<std::string> flags, const std::string& settings = {},
                        sv only = {}) {
    flags.insert(flags.begin(), {"chat", "x"});
    SessionStage stage(flags, settings);
    const auto specs = read_mcp_servers(stage.session(), only);
    if (!specs) return specs.error().message;
    std::string text;
    for (const mcp::ServerSpec& spec : *specs) {
      text += fmt::format("{}:{}{} ", spec.name, spec.shown_command(), spec.optional ? "?" : "");
    }
    const auto secrets = stage.session().secrets();
    if (std::find(secrets.begin(), secrets.end(), "s3cret-of-b") != secrets.end())
      text += "(secret)";
    return text;
  };
  CHECK(read({}).empty());
  CHECK(read({"--mcp-local", "x=./x"}) == "x:./x ");
  const std::string both = "a:a b:https://b.example (secret)";
  CHECK(read({"--mcp-config", config}) == both);
  CHECK(read({}, setting) == "a:a? b:https://b.example? (secret)");
  CHECK(read({"--mcp-config", "none"}, setting).empty());
  CHECK(read({"--mcp-config", config}, "[profile.default]\nmcp_config = \"/nowhere\"\n") == both);
  CHECK(read({"--n", "2"}, setting).empty());  // such answers have no tools
  CHECK(read({"--deferred"}, setting).empty());
  CHECK(read({"--mcp-local", "a=./mine", "--mcp-local", "c=c"}, setting) ==
        "b:https://b.example? a:./mine c:c (secret)");
  CHECK(read({"--mcp-local", "x=./x"}, setting, "a") == "a:a? ");
  CHECK(read({"--mcp-local", "x=./x"}, setting, "x") == "x:./x ");
  CHECK(read({"--mcp-local", "a=./mine"}, setting, "b") == "b:https://b.example? (secret)");
  CHECK(read({"--mcp-local", "x"}) == "--mcp-local must be NAME=COMMAND or NAME=URL, not 'x'");
  CHECK(read({}, "[profile.default]\nmcp_config = \"/nowhere\"\n").starts_with("mcp_config: "));
  CHECK(read({"--mcp-config", "/nowhere"}).starts_with("--mcp-config: "));
}

}  // namespace svc::cli
