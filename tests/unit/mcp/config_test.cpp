// Which servers flags and files define, and what a tool returned.
#include "mcp/config.h"

#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "json/text.h"
#include "mcp/client.h"
#include "mcp/message.h"

namespace svc::mcp {
namespace {

std::optional<std::string> variable(const std::string& name) {
  if (name == "TOKEN") return "s3cret";
  return std::nullopt;
}

std::string error_of_file(const std::string& json) {
  const auto specs = read_servers("'f'", json, variable);
  return specs ? "" : specs.error().message;
}

}  // namespace

TEST_CASE("a command is split like a shell's, without a shell") {
  using Words = std::vector<std::string>;
  CHECK(*split_command("a b  c") == Words{"a", "b", "c"});
  CHECK(*split_command("a 'b c' \"d \\\" e\" f\\ g ''") == Words{"a", "b c", "d \" e", "f g", ""});
  CHECK(*split_command("a\tb\nc") == Words{"a", "b", "c"});
  CHECK(*split_command(R"('a\b' a"b"c \  "it's" x\)") ==
        Words{R"(a\b)", "abc", " ", "it's", R"(x\)"});
  CHECK(*split_command(R"(a'"'b "\a")") == Words{"a\"b", "a"});
  CHECK_FALSE(split_command("a \"b"));
  CHECK(split_command("  ")->empty());
  CHECK_FALSE(split_command("a 'b"));
}

TEST_CASE("a flag is a command or a URL") {
  const auto program = read_server_flag("--mcp-local", "fs=npx -y 'my server' /tmp");
  REQUIRE(program);
  CHECK(program->name == "fs");
  CHECK(program->is_program());
  CHECK(program->shown_command() == "npx -y 'my server' /tmp");
  const auto url = read_server_flag("--mcp-local", "web=https://mcp.example.com/x?a=b");
  REQUIRE(url);
  CHECK_FALSE(url->is_program());
  CHECK(url->http.url == "https://mcp.example.com/x?a=b");
  CHECK(url->identity == R"({"url":"https://mcp.example.com/x?a=b"})");
  CHECK(url->shown_command() == "https://mcp.example.com/x?a=b");
  CHECK_FALSE(read_server_flag("--mcp-local", "a_B-1=http://h")->is_program());
  const auto wrong = [](const std::string& text) {
    const auto bad = read_server_flag("--mcp-local", text);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().fault == Fault::Usage);
    const bool shape = bad.error().message.starts_with("--mcp-local must be");
    CHECK(bad.error().hint ==
          (shape ? "For example: --mcp-local 'files=my-server --root /tmp'" : ""));
    return bad.error().message;
  };
  for (const char* text : {"fs", "=x", "fs="}) {
    CHECK(wrong(text) ==
          std::string("--mcp-local must be NAME=COMMAND or NAME=URL, not '") + text + "'");
  }
  const std::string names =
      ": a name may contain only letters, digits, - and _, up to 64 characters";
  CHECK(wrong("f s=x") == "--mcp-local f s" + names);
  CHECK(wrong("a.b=x") == "--mcp-local a.b" + names);
  CHECK(read_server_flag("--mcp-local", std::string(64, 'a') + "=x"));
  CHECK(wrong(std::string(65, 'a') + "=x").ends_with(names));
  CHECK(wrong("fs='x") == "--mcp-local fs: unclosed quote");
  CHECK(wrong("fs=  ") == "--mcp-local fs: missing command");
}

TEST_CASE("what the user agrees to names the directory if a word is a file in it") {
  const auto directory = [](const std::string& words) {
    const auto spec = read_server_flag("--mcp-local", "a=" + words);
    REQUIRE(spec);
    return nlohmann::json::parse(spec->identity)["cwd"].get<std::string>();
  };
  const std::string here = std::filesystem::current_path().string();
  CHECK(directory("program .").starts_with(here));
  CHECK(directory("program --root=.").starts_with(here));
  CHECK(directory("./. -x").starts_with(here));
  for (const char* words : {"program /", "program no-such-file", "program --root=/", "program -",
                            "program ''", "program --x="}) {
    CAPTURE(words);
    CHECK(directory(words).empty());
  }
  CHECK(read_server_flag("--mcp-local", "a=program 1 2")->identity ==
        R"({"command":"program","cwd":"","args":["1","2"]})");
}

TEST_CASE("a file lists servers in the format of other programs") {
  const auto specs = read_servers("'f'", R"({"mcpServers":{
    "a":{"command":"x","args":["1","2"],"env":{"K":"env:TOKEN","L":"plain"},"cwd":"/tmp"},
    "b":{"type":"http","url":"https://h/mcp","headers":{"Authorization":"env:TOKEN"}},
    "off":{"command":"y","disabled":true}}})",
                                  variable);
  REQUIRE(specs);
  REQUIRE(specs->size() == 2);
  const ServerSpec& a = (*specs)[0];
  CHECK(a.command.arguments == std::vector<std::string>{"x", "1", "2"});
  CHECK(a.command.variables[0].second == "s3cret");
  CHECK(a.command.directory == "/tmp");
  CHECK(a.secrets == std::vector<std::string>{"s3cret"});
  CHECK(a.shown_command() == "x 1 2, in /tmp, with K, L");
  // The text that the user agrees to contains a secret's name, not its value.
  CHECK(a.identity.find("s3cret") == std::string::npos);
  CHECK(a.identity.find("env:TOKEN") != std::string::npos);
  CHECK((*specs)[1].http.headers[0].value == "s3cret");
  CHECK(read_servers("'f'", R"({"servers":{"a":{"command":"x"}}})", variable));
}

TEST_CASE("each value of a header is a secret, and a relative program belongs to its directory") {
  const auto specs = read_servers(
      "'f'", R"({"mcpServers":{"b":{"url":"https://h/mcp","headers":{"X-Key":"literal-key"}}}})",
      variable);
  REQUIRE(specs);
  CHECK((*specs)[0].secrets == std::vector<std::string>{"literal-key"});
  const auto identity = [](const std::string& directory) {
    const auto read = read_servers(
        "'f'", R"({"mcpServers":{"a":{"command":"./x","cwd":")" + directory + R"("}}})", variable);
    REQUIRE(read);
    return (*read)[0].identity;
  };
  CHECK(identity("/tmp") == identity("/tmp"));
  CHECK(identity("/tmp") != identity("/usr"));
}

TEST_CASE("which servers of a file are used, and by which names of its members") {
  const auto read = [](const char* json, sv only = {}) {
    const auto specs = read_servers("'f'", json, variable, only);
    REQUIRE_MESSAGE(specs, (specs ? "" : specs.error().message));
    std::string all;
    for (const ServerSpec& spec : *specs) all += spec.name + "=" + spec.shown_command() + ";";
    return all;
  };
  CHECK(read(R"({"servers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"y"}}})") == "b=y;");
  const char* several =
      R"({"servers":{"a":{"command":"x","disabled":false},"b":{"serverUrl":"http://h"},"c":{"command":"z","disabled":"true"}}})";
  CHECK(read(several) == "a=x;b=http://h;c=z;");
  CHECK(read(several, "b") == "b=http://h;");
  CHECK(read(several, "d").empty());
  // Those that are not wanted may be wrong.
  CHECK(read(R"({"servers":{"a":{},"b":{"command":"y","env":{}}}})", "b") == "b=y;");
  const auto web = read_servers(
      "'f'", R"({"servers":{"b":{"url":"https://h","headers":{"A":"env:TOKEN","B":"c"}}}})",
      variable);
  REQUIRE(web);
  CHECK((*web)[0].secrets == std::vector<std::string>{"s3cret", "c"});
  CHECK((*web)[0].identity == R"({"url":"https://h","headers":{"A":"env:TOKEN","B":"c"}})");
  const auto plain = read_servers("'f'", R"({"servers":{"b":{"url":"https://h"}}})", variable);
  CHECK((*plain)[0].identity == R"({"url":"https://h"})");
}

TEST_CASE("errors in a file, word for word") {
  const auto server = [](const std::string& json) {
    const auto specs = read_servers("'f'", R"({"mcpServers":{"a":)" + json + "}}", variable);
    REQUIRE_FALSE(specs);
    CHECK(specs.error().fault == Fault::Usage);
    const std::string message = specs.error().message;
    const bool unset = message.ends_with(" is not set");
    CHECK(specs.error().hint ==
          (unset ? "Set it: export NONE=…"
                 : R"(Use {"command", "args", "env", "cwd"} or {"url", "headers"}.)"));
    const std::string start = "'f': server a: ";
    REQUIRE_MESSAGE(message.starts_with(start), message);
    return message.substr(start.size());
  };
  CHECK(server("7") == "must be an object");
  CHECK(server(R"({"url":"ftp://x"})") == R"("url" must be an http or https URL)");
  CHECK(server(R"({"url":"https://x","type":"sse"})") ==
        "the transport sse is not supported: the protocol replaced it with streamable HTTP");
  CHECK(server(R"({"command":"x","args":"y"})") == R"("args" must be an array)");
  CHECK(server(R"({"command":"x","url":"https://h"})") == R"(requires either "command" or "url")");
  CHECK(server(R"({"command":"x","args":["a",1]})") == R"(every item of "args" must be a string)");
  CHECK(server(R"({"command":"x","env":[]})") == R"("env" must be an object)");
  CHECK(server(R"({"url":"https://h","headers":7})") == R"("headers" must be an object)");
  CHECK(server(R"({"url":"https://h","headers":{"A":7}})") == "the value of A must be a string");
  CHECK(server(R"({"command":"x","env":{"K":"env:NONE"}})") ==
        "environment variable NONE for K is not set");
  const auto empty =
      read_servers("'f'", R"({"servers":{"a":{"command":"x","env":{"K":"env:NONE"}}}})",
                   [](const std::string&) { return std::optional<std::string>(""); });
  REQUIRE_FALSE(empty);
  CHECK(empty.error().hint == "Set it: export NONE=…");
  CHECK(error_of_file(R"({"mcpServers":[]})") == R"('f' has no "mcpServers" object)");
  CHECK(error_of_file(R"({"servers":7})") == R"('f' has no "mcpServers" object)");
  const auto named = [](const std::string& name) {
    return error_of_file(R"({"servers":{")" + name + R"(":{"command":"x"}}})");
  };
  CHECK(named("") == "'f': '' is not a valid server name: use 1 to 64 characters without commas");
  CHECK(named(std::string(64, 'a')).empty());
  CHECK_FALSE(named(std::string(65, 'a')).empty());
}

TEST_CASE("a file that is no list of servers") {
  const auto read = read_servers("'f'", "[]", variable);
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "'f' has no \"mcpServers\" object");
  CHECK(read.error().hint == R"(For example: {"mcpServers": {"files": {"command": "my-server"}}})");
  CHECK(error_of_file("{").starts_with("'f' is not JSON: line 1, column "));
  CHECK(error_of_file(R"({"mcpServers":{"a":{}}})") ==
        R"('f': server a: requires either "command" or "url")");
  CHECK(error_of_file(R"({"mcpServers":{"a,b":{"command":"x"}}})") ==
        "'f': 'a,b' is not a valid server name: use 1 to 64 characters without commas");
}

TEST_CASE("messages") {
  const auto batch = read_messages(
      R"([{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":"x","method":"b","params":{"c":1}},{"jsonrpc":"2.0","id":1,"result":{"d":1.00}},{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"m"}}])");
  REQUIRE(batch);
  REQUIRE(batch->size() == 4);
  CHECK((*batch)[0].kind == MessageKind::Notification);
  CHECK((*batch)[1].kind == MessageKind::Request);
  CHECK((*batch)[1].id == "\"x\"");
  CHECK((*batch)[2].result == R"({"d":1.00})");
  CHECK((*batch)[3].code == -32602);
  for (const char* wrong : {"", "x", "1", "{}", R"({"id":1})", R"({"id":{},"method":"a"})",
                            R"({"method":1})", R"({"result":{}})"}) {
    CHECK_FALSE(read_messages(wrong));
  }
  const std::string deep(100'000, '[');
  CHECK_FALSE(read_messages(deep));
  const auto refused = [](const std::string& text) {
    const auto messages = read_messages(text);
    REQUIRE_FALSE(messages);
    CHECK(messages.error().fault == Fault::Network);
    return messages.error().code + " " + messages.error().message;
  };
  const std::string invalid = "-32600 not a JSON-RPC message: ";
  CHECK(refused("1") == invalid + "must be an object: '1'");
  CHECK(refused("[[]]") == invalid + "must be an object: '[]'");
  CHECK(refused(R"({"id":{},"method":"a"})") ==
        invalid + R"(id must be a number or a string: '{"id":{},"method":"a"}')");
  CHECK(refused(R"({"id":null,"method":"a"})") ==
        invalid + R"(id must not be null: '{"id":null,"method":"a"}')");
  CHECK(refused(R"({"method":""})") == invalid + R"(method must be a string: '{"method":""}')");
  for (const char* text : {R"({"id":1})", R"({"result":1})", R"({"id":1,"error":2})"}) {
    CHECK(refused(text) == invalid + "neither method nor result nor error: '" + text + "'");
  }
  CHECK(refused("x").starts_with("-32700 not a JSON-RPC message: "));
  // Of a long text, the first 80 bytes are shown.
  CHECK(refused("\"" + std::string(78, 'a') + "\"") ==
        invalid + "must be an object: '\"" + std::string(78, 'a') + "\"'");
  CHECK(refused("\"" + std::string(79, 'a') + "\"") ==
        invalid + "must be an object: '\"" + std::string(79, 'a') + "…'");
}

TEST_CASE("each kind of a message, with IDs of any kind") {
  const auto one = [](const std::string& text) { return read_messages(text)->front(); };
  for (const char* id : {"-1", "0", "9", "\"a\"", "1.5"}) {
    CAPTURE(id);
    const RpcMessage request = one(R"({"id":)" + std::string(id) + R"(,"method":"a"})");
    CHECK(request.kind == MessageKind::Request);
    CHECK(request.id == id);
  }
  const RpcMessage error = one(R"({"id":null,"error":{"code":-32002,"message":"m"}})");
  CHECK(error.kind == MessageKind::Error);
  CHECK(error.id == "null");
  CHECK(error.error_message == "m");
  CHECK(error_of(error).fault == Fault::NotFound);
  CHECK(error_of(error).code == "-32002");
  CHECK(error_of(error).message == "m");
  const Error silent = error_of(one(R"({"id":1,"error":{"code":"x"}})"));
  CHECK(silent.fault == Fault::Service);
  CHECK(silent.code.empty());
  CHECK(silent.message == "the MCP server refused the request");
  CHECK(one("{\"method\":\"a\xff\"}").method == "a\uFFFD");
}

TEST_CASE("messages as they are written") {
  CHECK(json_rpc_request("1", "a\"b", "") == R"({"jsonrpc":"2.0","id":1,"method":"a\"b"})");
  CHECK(json_rpc_request("1", "a", "{}") == R"({"jsonrpc":"2.0","id":1,"method":"a","params":{}})");
  CHECK(notification_text("a", "") == R"({"jsonrpc":"2.0","method":"a"})");
  CHECK(notification_text("a", "[1]") == R"({"jsonrpc":"2.0","method":"a","params":[1]})");
  CHECK(result_text("\"x\"", "1") == R"({"jsonrpc":"2.0","id":"x","result":1})");
  CHECK(error_text("", -1, "m\xff", "") ==
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"m\uFFFD\"}}");
  CHECK(error_text("2", -1, "m", "{}") ==
        R"({"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"m","data":{}}})");
  CHECK(reply_to({.id = "1", .method = "ping"}) == R"({"jsonrpc":"2.0","id":1,"result":{}})");
  CHECK(reply_to({.id = "1", .method = "roots/list"}) ==
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,)"
        R"("message":"this client does not support requests from servers"}})");
  CHECK(with_meta("{\"a\":1}", "", "") == "{\"a\":1}");
  CHECK(with_meta("", "7", "") == R"({"_meta":{"progressToken":7}})");
  CHECK(with_meta(R"({"a":1,"_meta":{"b":2}})", "7", R"({"c":3})") ==
        R"({"a":1,"_meta":{"b":2,"progressToken":7,"c":3}})");
  CHECK(with_meta(R"({"_meta":1})", "", R"({"c":3})") == R"({"_meta":{"c":3}})");
  CHECK(with_meta("[1]", "7", "") == "[1]");
  for (const char* version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    CHECK(is_handshake_version(version));
  }
  CHECK_FALSE(is_handshake_version("2026-07-28"));
}

TEST_CASE("results: texts, images, resources, structured content, errors") {
  const auto result = read_tool_result(R"({"content":[{"type":"text","text":"a"},
    {"type":"image","data":"aWk=","mimeType":"image/png"},
    {"type":"resource","resource":{"uri":"file:///x","text":"inside"}},
    {"type":"resource","resource":{"uri":"file:///y","blob":"aWk=","mimeType":"image/jpeg"}},
    {"type":"resource_link","uri":"file:///z","name":"Z"},{"type":"odd"}]})");
  REQUIRE(result);
  CHECK(result->text ==
        "a\n[resource file:///x]\ninside\n[resource file:///y: image/jpeg]\n[resource file:///z: "
        "Z]\n[a part of type odd]");
  REQUIRE(result->media.size() == 2);
  CHECK(result->media[1].type == "image/jpeg");
  CHECK(read_tool_result(R"({"structuredContent":{"a":1}})")->text == R"({"a":1})");
  CHECK(read_tool_result(R"({"content":[],"isError":true})")->failed);
  CHECK_FALSE(read_tool_result("{}"));
  CHECK_FALSE(read_tool_result(R"({"resultType":"input_required","inputRequests":{}})"));
}

}  // namespace svc::mcp
