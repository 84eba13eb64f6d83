// The MCP client over a channel with prepared responses: what it asks for, and what it makes of
// them.
#include <deque>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text.h"
#include "mcp/client.h"
#include "mcp/message.h"

namespace svc::mcp {
namespace {

const NeverCanceled k_never;

CallContext at_once() {
  return CallContext{std::chrono::seconds(5), k_never};
}

/// What all channels of a client were asked, and what they respond.
struct Wire {
  std::deque<Result<std::string>> replies{};  ///< the next ones
  std::vector<std::string> asked{};           ///< "method params"
  std::vector<NegotiatedProtocol> adopted{};
  std::vector<Header> headers{};  ///< of the last request
  OnNotification notify{};
  bool closed = false;
  int opened = 0;
  bool exit_requested = false;
  std::string stderr_text{};

  void reply(std::string text) { replies.emplace_back(std::move(text)); }
  void fail(std::string message, std::string code, Fault fault = Fault::Service) {
    Error error{fault, std::move(message)};
    error.code = std::move(code);
    replies.emplace_back(std::move(error));
  }
};

class WireChannel final : public Channel {
 public:
  explicit WireChannel(Wire& wire) : m_wire(wire) {}
  Result<std::string> request(std::string_view method, std::string params, const CallContext&,
                              const std::vector<Header>& headers) override {
    m_wire.asked.push_back(std::string(method) + " " + params);
    m_wire.headers = headers;
    if (m_wire.replies.empty()) return Error{Fault::Timeout, "no reply"};
    auto next = std::move(m_wire.replies.front());
    m_wire.replies.pop_front();
    return next;
  }
  Result<void> notify(std::string_view method, std::string_view params) override {
    m_wire.asked.push_back(std::string(method) + " " + std::string(params));
    return {};
  }
  void adopt_protocol(NegotiatedProtocol protocol) override {
    m_wire.adopted.push_back(std::move(protocol));
  }
  [[nodiscard]] bool is_closed() const override { return m_wire.closed; }
  void request_exit() noexcept override { m_wire.exit_requested = true; }
  [[nodiscard]] std::string stderr_output() const override { return m_wire.stderr_text; }

 private:
  Wire& m_wire;
};

Connect to(Wire& wire) {
  return [&wire](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
    wire.notify = std::move(notice);
    wire.closed = false;
    ++wire.opened;
    return std::unique_ptr<Channel>(std::make_unique<WireChannel>(wire));
  };
}

constexpr const char* k_hello =
    R"({"protocolVersion":"2025-06-18","serverInfo":{"name":"test","version":"1"}})";

/// Opens a client whose server lists these tools.
void open_with(Client& client, Wire& wire, const std::string& tools) {
  wire.reply(k_hello);
  wire.reply(R"({"tools":)" + tools + "}");
  const auto opened = client.open(at_once());
  REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
}

std::string tool(const std::string& name) {
  return R"({"name":")" + name + "\"}";
}

}  // namespace

TEST_CASE("the handshake, and what tools say of themselves") {
  Wire wire;
  Client client("s", "7", to(wire));
  open_with(client, wire, R"([
    {"name":"a","title":"A","description":"does a","annotations":{"title":"other","readOnlyHint":true,"destructiveHint":true},"inputSchema":{"type":"object","x":1.50}},
    {"name":"b","annotations":{"title":"B","destructiveHint":true},"inputSchema":7},
    {"name":"c","annotations":{"readOnlyHint":"true"}},
    {"title":"nameless"}])");
  REQUIRE(wire.asked.size() == 3);
  CHECK(
      wire.asked[0] ==
      R"(initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"svc","version":"7"}})");
  CHECK(wire.asked[1] == "notifications/initialized ");
  CHECK(wire.asked[2] == "tools/list {}");
  REQUIRE(wire.adopted.size() == 1);
  CHECK(wire.adopted[0].version == "2025-06-18");
  CHECK(wire.adopted[0].meta.empty());
  CHECK(client.title() == "test 1");
  const auto tools = client.tools();
  REQUIRE(tools.size() == 3);
  CHECK(tools[0].title == "A");
  CHECK(tools[0].description == "does a");
  CHECK(tools[0].schema == R"({"type":"object","x":1.50})");
  CHECK(tools[0].read_only);
  CHECK_FALSE(tools[0].destructive);
  CHECK(tools[1].title == "B");
  CHECK(tools[1].schema == R"({"type":"object"})");
  CHECK_FALSE(tools[1].read_only);
  CHECK(tools[1].destructive);
  CHECK_FALSE(tools[2].read_only);
  CHECK_FALSE(tools[2].destructive);
  CHECK(client.take_warnings().empty());
  client.request_exit();
  CHECK(wire.exit_requested);
}

TEST_CASE("pages of tools, the first of the same name, and an end without one") {
  Wire wire;
  Client client("s", "7", to(wire));
  wire.reply(k_hello);
  wire.reply(R"({"tools":[)" + tool("a") + "," + tool("b") + R"(],"nextCursor":"p\"2"})");
  wire.reply(R"({"tools":[{"name":"a","title":"second"},)" + tool("b") + "," + tool("c") +
             R"(],"nextCursor":"p\"2"})");
  REQUIRE(client.open(at_once()));
  CHECK(wire.asked.back() == R"(tools/list {"cursor":"p\"2"})");
  CHECK(wire.replies.empty());
  REQUIRE(client.tools().size() == 3);
  CHECK(client.tools()[0].title.empty());
  CHECK(client.take_warnings() ==
        std::vector<std::string>{"several tools have the name a; only the first is used"});
  CHECK(client.take_warnings().empty());
  for (const char* end : {"\"\"", "null", "7"}) {
    wire.reply(R"({"tools":[)" + tool("d") + R"(],"nextCursor":)" + end + "}");
    REQUIRE(client.read_tools(at_once()));
    CHECK(wire.replies.empty());
    CHECK(client.tools().size() == 1);
  }
  // A server with nothing but resources knows no such method.
  wire.fail("unknown", "-32601");
  REQUIRE(client.read_tools(at_once()));
  CHECK(client.tools().empty());
  wire.fail("broken", "-32603");
  const auto failed = client.read_tools(at_once());
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "MCP server s: broken");
  wire.reply("{}");
  CHECK(client.read_tools(at_once()));
}

TEST_CASE("a list of tools that does not end is cut") {
  Wire wire;
  Client client("s", "7", to(wire));
  open_with(client, wire, "[]");
  const auto page = [](int first, int count) {
    std::string tools;
    for (int i = first; i < first + count; ++i) {
      tools += (tools.empty() ? "" : ",") + tool("t" + std::to_string(i));
    }
    return R"({"tools":[)" + tools + R"(],"nextCursor":")" + std::to_string(first) + "\"}";
  };
  for (int i = 0; i < 201; ++i) wire.reply(page(i, 1));
  REQUIRE(client.read_tools(at_once()));
  CHECK(wire.replies.size() == 1);
  CHECK(client.tools().size() == 200);
  CHECK(client.take_warnings() ==
        std::vector<std::string>{"its list of tools is too long; only the first 200 are used"});
  wire.replies.clear();
  wire.reply(page(0, 2001));
  REQUIRE(client.read_tools(at_once()));
  CHECK(client.tools().size() == 2000);
  CHECK(client.take_warnings() ==
        std::vector<std::string>{"its list of tools is too long; only the first 2000 are used"});
  wire.reply(R"({"tools":[)" + page(0, 1999).substr(10, page(0, 1999).rfind(']') - 10) + "]}");
  REQUIRE(client.read_tools(at_once()));
  CHECK(client.tools().size() == 1999);
  CHECK(client.take_warnings().empty());
}

TEST_CASE("a server without a handshake: the refusal counts unless it is of that revision") {
  const auto opened_with = [](Wire& wire, const std::string& discovered) {
    Client client("s", "7", to(wire));
    wire.fail("no handshake", "-32601");
    if (!discovered.empty()) wire.reply(discovered);
    wire.reply(R"({"tools":[]})");
    const auto opened = client.open(at_once());
    return opened ? client.title() + "/" + client.revision() : opened.error().message;
  };
  const std::string refused = "MCP server s: no handshake";
  Wire good;
  CHECK(
      opened_with(
          good,
          R"({"supportedVersions":["x","2026-07-28"],"capabilities":{"tools":{"listChanged":true}},
      "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}})") ==
      "new 2/2026-07-28");
  CHECK(good.asked[1] == "server/discover {}");
  REQUIRE(good.adopted.size() == 2);
  CHECK_FALSE(good.adopted[0].subscribes);
  CHECK(good.adopted[1].subscribes);
  CHECK(good.adopted[1].version == "2026-07-28");
  CHECK(
      good.adopted[0].meta ==
      R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"svc","version":"7"},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info"})");
  Wire quiet;
  CHECK(opened_with(quiet, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})") ==
        " /2026-07-28");
  CHECK(quiet.adopted.size() == 1);
  Wire other;
  CHECK(opened_with(other, R"({"supportedVersions":["2027-01-01"]})") == refused);
  Wire none;
  CHECK(opened_with(none, "{}") == refused);
  Wire failing;
  failing.replies.clear();
  {
    Client client("s", "7", to(failing));
    failing.fail("no handshake", "-32601");
    failing.fail("neither", "-32601");
    CHECK(client.open(at_once()).error().message == refused);
  }
  // Without a code, or too late, it is not asked again.
  for (const auto& [code, fault] :
       {std::pair("", Fault::Network), std::pair("-32601", Fault::Timeout)}) {
    Wire dead;
    Client client("s", "7", to(dead));
    dead.fail("gone", code, fault);
    CHECK(client.open(at_once()).error().message == "MCP server s: gone");
    CHECK(dead.asked.size() == 1);
  }
}

TEST_CASE("a revision that svc does not know, or none") {
  for (const auto& [hello, says] : {std::pair(R"({"protocolVersion":"1999-01-01"})", "1999-01-01"),
                                    std::pair("{}", "(none)")}) {
    Wire wire;
    Client client("s", "7", to(wire));
    wire.reply(hello);
    CHECK(client.open(at_once()).error().message ==
          std::string("MCP server s: the MCP server uses unsupported protocol revision ") + says);
  }
}

TEST_CASE("what the server wrote to standard error is shown if it was too slow") {
  Wire wire;
  Client client("s", "7", to(wire));
  wire.stderr_text = " waiting for a lock\n";
  CHECK(client.open(at_once()).error().message ==
        "MCP server s: no reply; standard error: waiting for a lock");
  wire.stderr_text = " \n";
  CHECK(client.open(at_once()).error().message == "MCP server s: no reply");
  wire.stderr_text = "busy";
  wire.fail("refused", "", Fault::Network);
  CHECK(client.open(at_once()).error().message == "MCP server s: refused");
  wire.fail("stopped", "", Fault::Interrupted);
  CHECK(client.open(at_once()).error().message == "stopped");
}

TEST_CASE("a call, and its headers, which a server may have changed") {
  Wire wire;
  Client client("s", "7", to(wire));
  wire.fail("no handshake", "-32601");
  wire.reply(R"({"supportedVersions":["2026-07-28"]})");
  const auto listed = [](const char* header) {
    return R"({"tools":[{"name":"u"},{"name":"t","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":")" +
           std::string(header) + "\"}}}}]}";
  };
  wire.reply(listed("A"));
  REQUIRE(client.open(at_once()));
  wire.reply(R"({"content":[]})");
  CHECK(client.call("t", R"({"a":"x"})", at_once()));
  CHECK(wire.asked.back() == R"(tools/call {"name":"t","arguments":{"a":"x"}})");
  REQUIRE(wire.headers.size() == 1);
  CHECK(wire.headers[0].name == "Mcp-Param-A");
  wire.reply(R"({"content":[]})");
  CHECK(client.call("u", R"({"a":"x"})", at_once()));
  CHECK(wire.headers.empty());
  CHECK_FALSE(client.tools_changed());
  // The call did not run: it is sent again with the headers that the tool has now.
  wire.fail("headers", "-32020");
  wire.reply(listed("B"));
  wire.reply(R"({"content":[{"type":"text","text":"done"}]})");
  const auto result = client.call("t", R"({"a":"x"})", at_once());
  REQUIRE(result);
  CHECK(result->text == "done");
  CHECK(wire.headers.at(0).name == "Mcp-Param-B");
  CHECK(client.tools_changed());
  // Not for any other error, and not more than once.
  wire.fail("other", "-32603");
  CHECK(client.call("t", "{}", at_once()).error().message == "other");
  wire.fail("headers", "-32020");
  wire.reply(listed("C"));
  wire.fail("headers again", "-32020");
  CHECK(client.call("t", "{}", at_once()).error().message == "headers again");
  wire.fail("headers", "-32020");
  wire.fail("no list", "-32603");
  CHECK(client.call("t", "{}", at_once()).error().message == "headers");
  CHECK(wire.replies.empty());
}

TEST_CASE("a tool whose headers are not allowed is left out, in the revision that has them") {
  const std::string odd =
      R"([{"name":"odd","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}},{"name":"t"}])";
  Wire wire;
  Client client("s", "7", to(wire));
  open_with(client, wire, odd);
  CHECK(client.tools().size() == 2);
  CHECK(client.take_warnings().empty());
  Wire newer;
  Client other("s", "7", to(newer));
  newer.fail("no handshake", "-32601");
  newer.reply(R"({"supportedVersions":["2026-07-28"]})");
  newer.reply(R"({"tools":)" + odd + "}");
  REQUIRE(other.open(at_once()));
  REQUIRE(other.tools().size() == 1);
  CHECK(other.tools()[0].name == "t");
  CHECK(other.take_warnings() ==
        std::vector<std::string>{"tool odd is not used: x-mcp-header is not allowed here: \"A\""});
}

TEST_CASE("a channel that is closed is opened again by a call") {
  Wire wire;
  Client client("s", "7", to(wire));
  CHECK(client.call("t", "{}", at_once()).error().message == "the MCP server is not connected");
  CHECK(client.read_tools(at_once()).error().message ==
        "MCP server s: the MCP server is not connected");
  client.request_exit();
  open_with(client, wire, "[]");
  wire.reply(R"({"content":[]})");
  CHECK(client.call("t", "{}", at_once()));
  CHECK(wire.opened == 1);
  CHECK_FALSE(client.take_restarted());
  wire.closed = true;
  wire.reply(k_hello);
  wire.reply(R"({"tools":[]})");
  wire.reply(R"({"content":[]})");
  CHECK(client.call("t", "{}", at_once()));
  CHECK(wire.opened == 2);
  CHECK(client.take_restarted());
  CHECK(client.tools_changed());
  // One that could not be negotiated is opened again too.
  wire.closed = true;
  wire.fail("later", "", Fault::Network);
  CHECK_FALSE(client.call("t", "{}", at_once()));
  wire.reply(k_hello);
  wire.reply(R"({"tools":[]})");
  wire.reply(R"({"content":[]})");
  CHECK(client.call("t", "{}", at_once()));
  CHECK(wire.opened == 4);
}

TEST_CASE("notifications become lines") {
  Wire wire;
  Client client("s", "7", to(wire));
  open_with(client, wire, "[]");
  for (const auto& [method, params] : {
           std::pair("notifications/progress", R"({"progress":1.5})"),
           std::pair("notifications/progress", R"({"progress":1,"total":2,"message":"half"})"),
           std::pair("notifications/progress", R"({"progress":1,"total":"x"})"),
           std::pair("notifications/message", R"({"level":"info","data":{"a":1}})"),
           std::pair("notifications/message", R"({"level":"error","data":"text"})"),
           std::pair("notifications/other", R"({"data":"text"})"),
           std::pair("notifications/message", ""),
       }) {
    wire.notify(method, params);
  }
  CHECK(client.take_messages() == std::vector<std::string>{"1.5", "1 of 2: half", "1",
                                                           R"(info: {"a":1})", "error: text",
                                                           ": null"});
  CHECK(client.take_messages().empty());
  CHECK_FALSE(client.tools_changed());
  wire.notify("notifications/tools/list_changed", "");
  CHECK(client.tools_changed());
  CHECK(client.take_messages().empty());
  // Many, and long ones.
  for (int i = 0; i < 101; ++i) {
    wire.notify("notifications/message",
                R"({"level":"info","data":")" + std::string(i < 2 ? 394 + i : 1, 'x') + "\"}");
  }
  const auto messages = client.take_messages();
  CHECK(messages.size() == 100);
  CHECK(messages[0] == "info: " + std::string(394, 'x'));
  CHECK(messages[1] == "info: " + std::string(394, 'x') + "…");
}

TEST_CASE("parts of a result") {
  const auto text = [](const std::string& parts) {
    const auto result = read_tool_result(R"({"content":[)" + parts + "]}");
    REQUIRE_MESSAGE(result, (result ? "" : result.error().message));
    CHECK_FALSE(result->failed);
    std::string all = result->text;
    for (const MediaPart& part : result->media) all += "|" + part.type + "=" + part.base64;
    return all;
  };
  CHECK(text(R"({"type":"text","text":"a\n"},{"type":"text","text":"b"})") == "a\nb");
  CHECK(text(R"({"type":"text","text":"a"},{"type":"text","text":""})") == "a\n");
  CHECK(text(R"({"type":"image","data":"AA"},{"type":"audio","data":"BB"})") ==
        "|image/png=AA|audio/wav=BB");
  CHECK(text(R"({"type":"audio","data":"BB","mimeType":"audio/mpeg"})") == "|audio/mpeg=BB");
  CHECK(text(R"({"type":"resource","resource":{"uri":"u","text":""}})") == "[resource u]\n");
  CHECK(text(R"({"type":"resource","resource":{"uri":"u","blob":"AAAAAAAA"}})") ==
        "[resource u: 6 bytes of unknown type]");
  CHECK(text(R"({"type":"resource","resource":{"uri":"u","blob":"AAAA","mimeType":"a/b"}})") ==
        "[resource u: 3 bytes of a/b]");
  CHECK(text(R"({"type":"resource","resource":{"uri":"u","mimeType":"image/png"}})") ==
        "[resource u: 0 bytes of image/png]");
  CHECK(text(R"({"type":"resource","resource":{"uri":"u","blob":"AA","mimeType":"image/png"}})") ==
        "[resource u: image/png]|image/png=AA");
  CHECK(text(R"({"type":"resource_link","uri":"u"})") == "[resource u]");
  CHECK(text(R"({"type":"resource_link","uri":"u","name":"n","description":"d"})") ==
        "[resource u: n: d]");
  CHECK(text("{}") == "[a part of type unknown]");
  const auto result = [](const char* json) { return read_tool_result(json); };
  // Structured content is shown if there is nothing else.
  CHECK(result(R"({"content":[],"structuredContent":{"a":1}})")->text == R"({"a":1})");
  CHECK(result(R"({"content":[{"type":"text","text":"t"}],"structuredContent":1})")->text == "t");
  CHECK(result(R"({"content":[{"type":"image","data":"A"}],"structuredContent":1})")->text.empty());
  CHECK(result(R"({"content":[]})")->text.empty());
  CHECK_FALSE(result(R"({"content":[],"isError":"true"})")->failed);
  CHECK(result(R"({"content":[],"resultType":"complete"})"));
  CHECK(result(R"({"content":[],"resultType":"odd"})").error().message ==
        "the MCP server returned a result of unknown type odd");
  const auto input = result(R"({"resultType":"input_required"})");
  CHECK(input.error().fault == Fault::Service);
  CHECK(input.error().message == "the tool requests input, which svc does not support");
  CHECK(result(R"({"content":7})").error().message ==
        "the MCP server returned a tool result without content");
}

}  // namespace svc::mcp
