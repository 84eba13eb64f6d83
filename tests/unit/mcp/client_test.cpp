// The MCP client with programs that are incomplete, hostile or not MCP servers.
#include "mcp/client.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/text.h"
#include "mcp/stdio_channel.h"

namespace svc::mcp {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct Directory {
  Directory() : path(fs::temp_directory_path() / ("svc-mcp-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Directory() { fs::remove_all(path); }
  fs::path path;
};

/// The start of a server as a shell script: answers the handshake and lists its one tool. The rest
/// of the script handles calls, with their ID in $id.
constexpr const char* k_honest = R"sh(
id_of() { id=${line#*'"id":'}; id=${id%%[!0-9]*}; }
hello() { printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"test","version":"1"}}}\n' $id; }
list() { printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t","description":"A tool","inputSchema":{"type":"object"}}]}}\n' $id; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\n' $id "$1"; }
serve() {
  while read -r line; do
    id_of
    case $line in
      *'"initialize"'*) hello ;;
      *'"tools/list"'*) list ;;
      *'"tools/call"'*) call ;;
    esac
  done
}
)sh";

Connect shell(const std::string& script) {
  return [script](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
    SVC_TRY(channel, StdioChannel::start({.arguments = {"/bin/sh", "-c", k_honest + script}},
                                         std::move(notice)));
    return std::unique_ptr<Channel>(std::move(channel));
  };
}

/// Whether a process is running, not exited and waiting to be reaped.
bool is_alive(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return static_cast<bool>(in >> number >> name >> state) && state != "Z";
}

const NeverCanceled k_nobody;

CallContext context(std::chrono::milliseconds time = 5s) {
  return CallContext{time, k_nobody};
}

/// The result of a tool call; checks that the server's processes end soon.
Result<ToolResult> call_of(const std::string& script, std::chrono::milliseconds time = 5s) {
  const auto begin = Clock::now();
  Client client("test", "1", shell(script));
  const auto opened = client.open(context());
  REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
  auto result = client.call("t", "{}", context(time));
  CHECK(Clock::now() - begin < time + 20s);
  return result;
}

}  // namespace

TEST_CASE(
    "a tool is found and called; its response may come in any order and among other messages") {
  Client client("test", "1", shell(R"sh(call() {
    echo 'a greeting where none belongs'
    echo '{"jsonrpc":"2.0","id":999,"result":{}}'
    echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"busy"}}'
    echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1,"total":2,"message":"half"}}'
    answer "hello"
  }
  serve)sh"));
  REQUIRE(client.open(context()));
  CHECK(client.title() == "test 1");
  CHECK(client.revision() == "2025-06-18");
  REQUIRE(client.tools().size() == 1);
  CHECK(client.tools()[0].name == "t");
  const auto result = client.call("t", "{}", context());
  REQUIRE(result);
  CHECK(result->text == "hello");
  CHECK_FALSE(result->failed);
  CHECK(client.take_messages() == std::vector<std::string>{"info: busy", "1 of 2: half"});
}

TEST_CASE("a server without a handshake is used with self-contained requests") {
  Client client("test", "1", shell(R"sh(
    while read -r line; do
      id_of
      case $line in
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' $id ;;
        *'"server/discover"'*'2026-07-28'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}}\n' $id ;;
        *'"tools/list"'*'io.modelcontextprotocol/protocolVersion":"2026-07-28'*) list ;;
        *'"tools/call"'*'io.modelcontextprotocol/clientCapabilities'*) answer yes ;;
      esac
    done)sh"));
  const auto opened = client.open(context());
  REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
  CHECK(client.title() == "new 2");
  CHECK(client.revision() == "2026-07-28");
  const auto result = client.call("t", "{}", context());
  REQUIRE(result);
  CHECK(result->text == "yes");
}

TEST_CASE(
    "without a handshake: change notifications by subscription, and no responses to server "
    "requests") {
  const Directory directory;
  const std::string log = (directory.path / "stateless").string();
  Client client("test", "1", shell("log=" + log + R"sh(
    while read -r line; do
      echo "$line" >> "$log"
      id_of
      case $line in
        *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' $id ;;
        *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}\n' $id ;;
        *'"subscriptions/listen"'*'"notifications":{"toolsListChanged":true}'*)
          printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"toolsListChanged":true}}}\n' $id
          listens=$id ;;
        *'"tools/list"'*) list ;;
        *'"tools/call"'*)
          echo '{"jsonrpc":"2.0","id":"q","method":"roots/list"}'
          printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' $listens
          printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"strange","content":[]}}\n' $id ;;
      esac
    done)sh"));
  REQUIRE(client.open(context()));
  const auto result = client.call("t", "{}", context());
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("of unknown type strange") != std::string::npos);
  CHECK(client.tools_changed());
  std::this_thread::sleep_for(100ms);
  std::ifstream in(log);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text.find(R"("io.modelcontextprotocol/logLevel":"info")") != std::string::npos);
  CHECK(text.find(R"("id":"q")") == std::string::npos);
}

TEST_CASE("calls larger than a pipe holds arrive as they were written, and nothing after them") {
  const Directory directory;
  const fs::path raw = directory.path / "raw";
  Client client("test", "1",
                shell("call() { sleep 0.1; answer ${#line}; }\ntee " + raw.string() + " | serve"));
  REQUIRE(client.open(context()));
  std::optional<std::int64_t> frame;  // what surrounds the text
  for (const int extra : {0, 1, 2}) {
    const std::string text(static_cast<std::size_t>(300'000 + extra), 'a');
    const auto result = client.call("t", R"({"text":")" + text + "\"}", context(20s));
    REQUIRE(result);
    const auto length = parse_integer(result->text);
    REQUIRE(length);
    if (!frame) frame = *length - 300'000;
    CHECK(*frame > 0);
    CHECK(*frame < 300);
    CHECK(*length == 300'000 + extra + *frame);
  }
  std::string received;
  for (const auto begin = Clock::now(); Clock::now() - begin < 10s;) {  // tee writes it afterwards
    std::ifstream in(raw, std::ios::binary);
    received.assign(std::istreambuf_iterator<char>(in), {});
    if (std::ranges::count(received, '\n') >= 6) break;
    std::this_thread::sleep_for(10ms);
  }
  CHECK(received.find('\0') == std::string::npos);
  CHECK(received.ends_with("\n"));
  CHECK(std::ranges::count(received, '\n') == 6);  // with the handshake and the list
}

TEST_CASE("a server that has exited is restarted by the next call") {
  const Directory directory;
  const std::string once = (directory.path / "once").string();
  Client client("test", "1", shell("once=" + once + R"sh(
    call() { if [ -e "$once" ]; then answer again; else : > "$once"; exit 3; fi; }
    serve)sh"));
  REQUIRE(client.open(context()));
  const auto died = client.call("t", "{}", context());
  REQUIRE_FALSE(died);
  CHECK(died.error().message.find("exited (exit code 3)") != std::string::npos);
  CHECK_FALSE(client.take_restarted());
  const auto again = client.call("t", "{}", context());
  REQUIRE_MESSAGE(again, (again ? "" : again.error().message));
  CHECK(again->text == "again");
  CHECK(client.take_restarted());
  CHECK_FALSE(client.take_restarted());
  CHECK(client.tools_changed());
}

TEST_CASE("server requests are answered, and a changed list is noticed") {
  Client client("test", "1", shell(R"sh(call() {
    echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    echo '{"jsonrpc":"2.0","id":"p1","method":"ping"}'
    read -r pong
    echo '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}'
    read -r refused
    case "$pong$refused" in
      *'"id":"p1","result":{}'*'"id":"s1","error":{"code":-32601'*) answer good ;;
      *) answer bad ;;
    esac
  }
  serve)sh"));
  REQUIRE(client.open(context()));
  CHECK_FALSE(client.tools_changed());
  const auto result = client.call("t", "{}", context());
  REQUIRE(result);
  CHECK(result->text == "good");
  CHECK(client.tools_changed());
  REQUIRE(client.read_tools(context()));
  CHECK_FALSE(client.tools_changed());
}

TEST_CASE("a call without a response times out, and the server is notified") {
  const Directory directory;
  const std::string log = (directory.path / "log").string();
  const auto begin = Clock::now();
  {
    Client client(
        "test", "1",
        shell("call() { :; }\nserve() { while read -r line; do echo \"$line\" >> " + log + R"sh(
      id_of
      case $line in
        *'"initialize"'*) hello ;;
        *'"tools/list"'*) list ;;
      esac
    done; }
    serve)sh"));
    REQUIRE(client.open(context()));
    const auto late = client.call("t", "{}", context(200ms));
    REQUIRE_FALSE(late);
    CHECK(late.error().fault == Fault::Timeout);
    CancelSource cancel;
    std::thread canceller([&] {
      std::this_thread::sleep_for(100ms);
      cancel.cancel();
    });
    const auto stopped = client.call("t", "{}", CallContext{30s, cancel});
    canceller.join();
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().fault == Fault::Interrupted);
    std::this_thread::sleep_for(200ms);
  }
  CHECK(Clock::now() - begin < 10s);
  std::ifstream in(log);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(text.find(
            R"("method":"notifications/cancelled","params":{"requestId":3,"reason":"timeout"})") !=
        std::string::npos);
  CHECK(text.find(R"("requestId":4,"reason":"canceled")") != std::string::npos);
}

TEST_CASE("hostile servers: the call fails in bounded time") {
  SUBCASE("exits during a call") {
    const auto result = call_of("call() { echo dying >&2; exit 3; }\nserve");
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("exited (exit code 3)") != std::string::npos);
    CHECK(result.error().message.find("dying") != std::string::npos);
  }
  SUBCASE("is killed") {
    const auto result = call_of("call() { kill -9 $$; }\nserve");
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("signal 9") != std::string::npos);
  }
  SUBCASE("sends an incomplete line and stops") {
    const auto result =
        call_of("call() { printf '{\"jsonrpc\":\"2.0\",\"id\":'$id; exit 0; }\nserve");
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Local);
  }
  SUBCASE("sends an incomplete line and waits") {
    const auto result = call_of("call() { printf '{\"jsonrpc\":'; sleep 60; }\nserve", 300ms);
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Timeout);
  }
  SUBCASE("responds with wrong IDs") {
    const auto result = call_of("call() { id=77; answer no; id=0; answer no; }\nserve", 300ms);
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Timeout);
  }
  SUBCASE("floods with invalid messages") {
    const auto result = call_of("call() { exec yes; }\nserve", 30s);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("not JSON-RPC") != std::string::npos);
  }
  SUBCASE("floods with notifications") {
    const auto result = call_of(
        "call() { exec yes "
        "'{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"" +
            std::string(500, 'x') + "\"}}'; }\nserve",
        30s);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("keeps sending") != std::string::npos);
  }
  SUBCASE("sends a message of 100 MB") {
    const auto result = call_of(
        "call() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":\"' $id; head -c 100000000 "
        "/dev/zero | tr '\\0' x; echo '\"}'; }\nserve",
        30s);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.find("more than") != std::string::npos);
  }
  SUBCASE("floods standard error, and responds") {
    const auto result =
        call_of("call() { head -c 50000000 /dev/zero >&2; answer done; }\nserve", 30s);
    REQUIRE(result);
    CHECK(result->text == "done");
  }
  SUBCASE("reads nothing") {
    const auto channel = StdioChannel::start({.arguments = {"/bin/sleep", "60"}},
                                             [](const std::string&, const std::string&) {});
    REQUIRE(channel);
    const std::string much = '"' + std::string(8U << 20U, 'x') + '"';
    for (int i = 0; i < 12; ++i) {
      const auto result = (*channel)->request("x", much, context(50ms), {});
      REQUIRE_FALSE(result);
      // A pipe holds a little of the first 64 MiB, which may wait.
      CHECK(result.error().message == (i < 9 ? "the MCP server did not respond within 50 ms"
                                             : "the MCP server is not reading its input"));
    }
  }
  SUBCASE("closes its input, and responds") {
    const auto result = call_of("call() { exec < /dev/null; " +
                                std::string(R"(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}';)") +
                                " sleep 0.1; answer done; sleep 60; }\nserve");
    REQUIRE(result);
    CHECK(result->text == "done");
  }
  SUBCASE("returns an invalid result") {
    const auto result = call_of(
        "call() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":[1]}\\n' $id; }\nserve");
    REQUIRE_FALSE(result);
    CHECK(result.error().fault == Fault::Network);
  }
}

TEST_CASE("how much a server may send: in a message, unasked, and of what is no message") {
  const auto script = [](const std::string& call) {
    return "padded() { printf %s \"$2\"; head -c $(($1 - ${#2})) /dev/zero | tr '\\0' ' '; echo; "
           "}\n"
           "news() { padded $1 '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}'; }\n"
           "call() { " +
           call + "; }\nserve";
  };
  const auto answered = [&](const std::string& call) {
    const auto result = call_of(script(call), 30s);
    return result ? result->text : result.error().message;
  };
  const std::string large =
      R"(padded $size "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"structuredContent\":1}}")";
  CHECK(answered("size=16777216; " + large) == "1");
  CHECK(answered("size=16777217; " + large) ==
        "the MCP server sent a message of more than 16.8 MB");
  const std::string seven = "for i in 1 2 3 4 5 6 7; do news 1048576; done; ";
  CHECK(answered(seven + "news 1048576; answer done") ==
        "the MCP server keeps sending notifications");
  // A response makes room again.
  Client client("test", "1", shell(script(seven + "news 1048575; answer done")));
  REQUIRE(client.open(context()));
  CHECK(client.call("t", "{}", context(30s)));
  CHECK(client.call("t", "{}", context(30s)));
  CHECK(answered("padded 131070 x; answer done") == "done");
  CHECK(answered("padded 131071 x; answer done")
            .starts_with("the MCP server's output is not JSON-RPC; output: x  "));
}

TEST_CASE("how a response may be written, and what is shown of a server that ended") {
  const auto answered = [](const std::string& call) {
    const auto result = call_of("call() { " + call + "; }\nserve");
    return result ? result->text : result.error().message;
  };
  CHECK(answered("id=\"\\\"$id\\\"\"; answer done") == "done");
  CHECK(answered("echo; echo ' '; printf '['; answer done | tr -d '\\n'; echo ']'") == "done");
  const std::string exited = "the MCP server exited (exit code 3)";
  CHECK(answered("echo; exit 3") == exited);
  CHECK(answered("echo first; echo second; exit 3") == exited + "; output: first");
  CHECK(answered("echo '{\"jsonrpc\"'; exit 3") == exited + "; output: {\"jsonrpc\"");
  CHECK(answered("echo '{}'; exit 3") == exited + "; output: {}");
  CHECK(answered("exec >&-; sleep 60") == "the MCP server closed its output");
  // The end of what it complained of is shown.
  const std::string told = answered("printf 'begin %s end' $(printf %0500d) >&2; exit 3");
  CHECK(told.starts_with(exited + "; standard error: 000"));
  CHECK(told.ends_with("000 end"));
  // Of a server that is slow, the beginning of the last 4 KiB.
  Client slow("test", "1",
              shell("call() { :; }\nlist() { printf "
                    "'{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\\n' $id; "
                    "list() { printf 'ab%04095d' 0 >&2; }; }\nserve"));
  REQUIRE(slow.open(context()));
  const auto listed = slow.read_tools(context(500ms));
  REQUIRE_FALSE(listed);
  CHECK(listed.error().message.find("; standard error: b000") != std::string::npos);
  // The exit code of a program is not known if this process leaves its children to the system.
  ::signal(SIGCHLD, SIG_IGN);
  CHECK(answered("exit 3") == "the MCP server exited (ended)");
  ::signal(SIGCHLD, SIG_DFL);
}

TEST_CASE("a handshake cannot be canceled, and how a server is asked to end") {
  const Directory directory;
  const std::string log = (directory.path / "ends").string();
  const auto text_of = [&log] {
    std::ifstream in(log);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  {
    Client client("test", "1", shell("while read -r line; do echo \"$line\" >> " + log + "; done"));
    CHECK_FALSE(client.open(context(200ms)));
    for (int i = 0; i < 500 && text_of().empty(); ++i) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(100ms);
  }
  CHECK(text_of().find("\"initialize\"") != std::string::npos);
  CHECK(text_of().find("cancelled") == std::string::npos);
  fs::remove(log);
  // A server is killed if it needs 300 ms, which a busy machine can take from it: then it has
  // written nothing, and is asked once more.
  const auto told_by = [&](const std::string& script, bool with_call) {
    for (int tries = 0; tries < 10 && text_of().empty(); ++tries) {
      Client client("test", "1", shell(script));
      REQUIRE(client.open(context()));
      if (with_call) CHECK_FALSE(client.call("t", "{}", context()));
    }
    const std::string told = text_of();
    fs::remove(log);
    return told;
  };
  // With the end of its input it gets a signal.
  CHECK(told_by("call() { :; }\ntrap 'echo asked > " + log +
                    "; exit' TERM; serve; sleep 0.25; echo ended > " + log,
                false) == "asked\n");
  // One that has closed its output may still clean up.
  CHECK(told_by("trap '' TERM; call() { exec >&- 2>&-; cat > /dev/null; echo ended > " + log +
                    "; exit; }\nserve",
                true) == "ended\n");
}

TEST_CASE("a server that is silent, uses another revision, or is not a server") {
  const auto open_error = [](const std::string& script, std::chrono::milliseconds time) {
    Client client("test", "1", shell(script));
    const auto opened = client.open(context(time));
    REQUIRE_FALSE(opened);
    return opened.error().message;
  };
  CHECK(open_error("echo why >&2; sleep 60", 300ms).find("standard error: why") !=
        std::string::npos);
  CHECK(open_error("exit 0", 5s).find("exited (exit code 0)") != std::string::npos);
  CHECK(open_error("echo usage: me; exit 2", 5s).find("output: usage: me") != std::string::npos);
  CHECK(open_error("read -r line; id_of; printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":"
                   "{\"protocolVersion\":\"1999-01-01\"}}\\n' $id; sleep 60",
                   5s)
            .find("1999-01-01") != std::string::npos);
  Client missing("test", "1", [](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
    SVC_TRY(channel, StdioChannel::start({.arguments = {"/nowhere/server"}}, std::move(notice)));
    return std::unique_ptr<Channel>(std::move(channel));
  });
  const auto opened = missing.open(context());
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("/nowhere/server") != std::string::npos);
}

TEST_CASE("a server's processes do not outlive the client") {
  const Directory directory;
  const std::string pids = (directory.path / "pids").string();
  const auto begin = Clock::now();
  {
    // It ignores signals and the end of its input, and so does its child.
    Client client("test", "1",
                  shell("trap '' TERM HUP; echo $$ > " + pids +
                        "; (trap '' TERM HUP; sleep 100) & echo $! >> " + pids +
                        "\ncall() { :; }\nserve; sleep 100"));
    REQUIRE(client.open(context()));
  }
  CHECK(Clock::now() - begin < 5s);
  std::ifstream in(pids);
  int count = 0;
  for (pid_t pid = 0; in >> pid; ++count) {
    for (int i = 0; i < 100 && is_alive(pid); ++i) std::this_thread::sleep_for(10ms);
    CHECK_FALSE(is_alive(pid));
  }
  CHECK(count == 2);
}

}  // namespace svc::mcp
