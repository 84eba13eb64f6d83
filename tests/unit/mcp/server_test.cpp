// The MCP server: every revision, concurrent requests, and errors.
#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "support/mentions.h"

namespace svc::mcp {

using test::mentions;
namespace {

using namespace std::chrono_literals;

/// One tool that returns at once, and one that waits until it is canceled.
class TestOffer final : public ServerHandler {
 public:
  std::string tools() override { return R"([{"name":"t","inputSchema":{"type":"object"}}])"; }
  Result<std::string> call(const std::string& tool, const std::string& arguments,
                           const OnProgress& progress, const CancelToken& cancel) override {
    if (tool == "t") {
      progress(1, 2, "half");
      return R"({"content":[],"structuredContent":)" + arguments + "}";
    }
    if (tool == "wait") {
      while (!cancel.requested()) std::this_thread::sleep_for(1ms);
      return std::string("{}");
    }
    if (tool == "begins") {
      progress(0, 0, "");
      for (int i = 1; i < 20; ++i) progress(i, 0, "soon");
      return std::string("{}");
    }
    if (tool == "goes back") {
      progress(5, 0, "");
      std::this_thread::sleep_for(260ms);
      progress(3, 0, "");
      return std::string("{}");
    }
    if (tool == "throws") throw std::runtime_error("thrown");
    if (tool == "broken") return Error{Fault::Network, "broken"};
    return usage_error("there is no tool " + tool, "There is t.");
  }
  Result<std::string> resources(const CancelToken&) override { return std::string("[]"); }
  std::string resource_templates() override { return "[]"; }
  Result<std::string> read_resource(const std::string& uri, const CancelToken&) override {
    if (uri == "r") return std::string(R"([{"uri":"r"}])");
    return Error{Fault::NotFound, "there is no such resource"};
  }
  std::string prompts() override { return R"([{"name":"p"}])"; }
  void expect_roots() override { heard += "expected;"; }
  void on_roots(const std::vector<std::string>& uris) override {
    for (const std::string& uri : uris) heard += uri + ",";
    heard += "roots;";
  }
  void on_no_roots() override { heard += "none;"; }
  Result<std::string> prompt(const std::string& name, const std::string& arguments) override {
    if (name == "p") return R"({"messages":[],"given":)" + arguments + "}";
    return usage_error("there is no prompt " + name, "There is p.");
  }

  std::string heard{};  ///< of roots
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  FileDescriptor read{};
  FileDescriptor write{};
};

/// The server's responses to these lines.
std::string answers(const std::string& input, TestOffer& handler,
                    const std::string& instructions = {}) {
  Pipe in;
  Pipe out;
  std::thread writer([&] {
    (void)!::write(in.write.get(), input.data(), input.size());
    in.write.reset();
  });
  std::string text;
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(out.read.get(), buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
  });
  {
    Server server(handler, {.name = "svc", .version = "1", .instructions = instructions},
                  in.read.get(), out.write.get());
    const NeverCanceled nobody;
    CHECK(server.run(nobody));
  }
  out.write.reset();
  writer.join();
  reader.join();
  return text;
}

std::string answers(const std::string& input) {
  TestOffer handler;
  return answers(input, handler);
}

std::string request(const std::string& method, const std::string& params, int id = 1) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
         R"(","params":)" + params + "}\n";
}

}  // namespace

TEST_CASE("the handshake accepts any revision known to both sides") {
  CHECK(mentions(answers(request("initialize", R"({"protocolVersion":"2024-11-05"})")),
                 R"("protocolVersion":"2024-11-05")"));
  CHECK(mentions(answers(request("initialize", R"({"protocolVersion":"2199-01-01"})")),
                 R"("protocolVersion":"2025-11-25")"));
}

TEST_CASE("results in both kinds of revision, word for word") {
  TestOffer handler;
  const auto result = [&](const std::string& method, const std::string& params,
                          const std::string& instructions = {}) {
    const std::string text = answers(request(method, params), handler, instructions);
    const std::string start = R"({"jsonrpc":"2.0","id":1,"result":)";
    REQUIRE_MESSAGE(text.starts_with(start), text);
    CHECK(text.ends_with("}\n"));
    return text.substr(start.size(), text.size() - start.size() - 2);
  };
  const std::string offers = R"("capabilities":{"prompts":{},"resources":{},"tools":{}})";
  CHECK(result("initialize", "{}") ==
        "{" + offers +
            R"(,"protocolVersion":"2025-11-25","serverInfo":{"name":"svc","version":"1"}})");
  CHECK(
      result("initialize", "{}", "Use it.") ==
      "{" + offers +
          R"(,"instructions":"Use it.","protocolVersion":"2025-11-25","serverInfo":{"name":"svc","version":"1"}})");
  const std::string stateless =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"svc","version":"1"}})";
  const std::string complete = R"({"resultType":"complete",)";
  const std::string listed = complete + R"("ttlMs":0,"cacheScope":"private",)" + meta;
  CHECK(result("server/discover", "{" + stateless + "}", "Use it.") ==
        listed + "," + offers + R"(,"instructions":"Use it.","supportedVersions":["2026-07-28"]})");
  CHECK(result("server/discover", "{}") ==
        "{" + offers + R"(,"supportedVersions":["2026-07-28"]})");
  struct Row {
    const char* method;
    const char* param;
    const char* inside;
    bool cacheable;
  };
  for (const Row& row :
       {Row{"tools/list", "", R"("tools":[{"name":"t","inputSchema":{"type":"object"}}])", true},
        Row{"prompts/list", "", R"("prompts":[{"name":"p"}])", true},
        Row{"resources/list", "", R"("resources":[])", true},
        Row{"resources/templates/list", "", R"("resourceTemplates":[])", true},
        Row{"resources/read", R"("uri":"r")", R"("contents":[{"uri":"r"}])", true},
        Row{"prompts/get", R"("name":"p")", R"("messages":[],"given":{})", false},
        Row{"tools/call", R"("name":"t")", R"("content":[],"structuredContent":{})", false},
        Row{"tools/call", R"("name":"t","arguments":null)",
            R"("content":[],"structuredContent":{})", false}}) {
    CAPTURE(row.method);
    const std::string param = row.param;
    CHECK(result(row.method, "{" + param + "}") == "{" + std::string(row.inside) + "}");
    CHECK(result(row.method, "{" + param + (param.empty() ? "" : ",") + stateless + "}") ==
          (row.cacheable ? listed : complete + meta) + "," + row.inside + "}");
  }
  CHECK(result("ping", "{}") == "{}");
  CHECK(answers(" \n\n" + request("ping", "{}")) ==
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  CHECK(answers("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}\n") ==
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"
        "\"there is no tool . There is t.\"}}\n");
}

TEST_CASE("a client that grants directories is asked for them, and again after a change") {
  const std::string hello = request("initialize", R"({"capabilities":{"roots":{}}})");
  const auto notice = [](const std::string& name) {
    return R"({"jsonrpc":"2.0","method":"notifications/)" + name + "\"}\n";
  };
  const auto reply = [](int number, const std::string& what) {
    return R"({"jsonrpc":"2.0","id":"svc-roots-)" + std::to_string(number) + "\"," + what + "}\n";
  };
  const std::string error = R"("error":{"code":-32601,"message":"none"})";
  TestOffer one;
  const std::string asked =
      answers(hello + notice("initialized") +
                  reply(1, R"("result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]})") +
                  notice("roots/list_changed") + reply(1, error) + reply(2, error) +
                  notice("other") + reply(3, error),
              one);
  CHECK(one.heard == "expected;expected;file:///a,file:///b,roots;expected;none;");
  CHECK(mentions(asked, R"({"jsonrpc":"2.0","id":"svc-roots-1","method":"roots/list"})"));
  CHECK(mentions(asked, R"({"jsonrpc":"2.0","id":"svc-roots-2","method":"roots/list"})"));
  CHECK_FALSE(mentions(asked, "svc-roots-3"));
  TestOffer other;
  CHECK_FALSE(mentions(
      answers(request("initialize", R"({"capabilities":{"roots":true}})") + notice("initialized"),
              other),
      "roots/list"));
  CHECK(other.heard.empty());
}

TEST_CASE("calls that wait: how many, with which IDs, and canceled before they begin") {
  const auto call = [](int id) { return request("tools/call", R"({"name":"wait"})", id); };
  const auto cancel = [](int id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
           std::to_string(id) + "}}\n";
  };
  std::string input;
  // 32 run, and 1000 more may wait.
  for (int id = 1; id <= 1033; ++id) input += call(id);
  input += call(1) + call(40);
  for (int id = 1032; id >= 1; --id) input += cancel(id);
  input += cancel(5000) + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n";
  const auto error = [](int id, int code, const std::string& message) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
           std::to_string(code) + R"(,"message":")" + message + "\"}}\n";
  };
  const std::string twice = "a request with this ID is already in progress";
  CHECK(answers(input) == error(1033, -32603, "too many waiting requests (maximum: 1000)") +
                              error(1, -32600, twice) + error(40, -32600, twice));
}

TEST_CASE("a client has 32 subscriptions, each with an ID of its own") {
  const auto listen = [](int id, const std::string& notifications = "{}") {
    return request(
        "subscriptions/listen",
        R"({"notifications":)" + notifications +
            R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}})",
        id);
  };
  const std::string refused =
      R"("error":{"code":-32600,"message":"a request with this ID, or too many requests, are )"
      R"(already in progress"}})";
  for (const char* wrong : {"[]", "true", "null"}) {
    CHECK(answers(listen(1, wrong)) == R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,)"
                                       R"("message":"notifications must be a JSON object"}})"
                                       "\n");
  }
  std::string input;
  for (int id = 1; id <= 32; ++id) input += listen(id);
  CHECK_FALSE(mentions(answers(input), refused));
  const std::string told = answers(input + listen(33));
  CHECK(mentions(told, R"({"jsonrpc":"2.0","id":33,)" + refused));
  CHECK(mentions(answers(listen(1) + listen(1)), R"({"jsonrpc":"2.0","id":1,)" + refused));
}

TEST_CASE("a batch is answered with one array, without notifications, errors included") {
  const std::string notice = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  const auto line = [](std::string text) {
    text.pop_back();
    return text;
  };
  const std::string ping = line(request("ping", "{}", 1));
  const std::string call = line(request("tools/call", R"({"name":"t"})", 2));
  const std::string told = answers("[" + ping + "," + notice + "," + call + ",7]\n");
  CHECK(std::count(told.begin(), told.end(), '\n') == 1);
  CHECK(told.front() == '[');
  CHECK(mentions(told, R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  CHECK(mentions(told, R"("id":2,"result":{"content":[])"));
  CHECK(mentions(told, R"("id":null,"error":{"code":-32600)"));
  CHECK(answers("[" + notice + "]\n").empty());
  CHECK(mentions(answers("[]\n"), "-32600"));
  CHECK(mentions(answers("[" + ping + "\n"), "-32700"));
}

TEST_CASE("prompts") {
  CHECK(mentions(answers(request("initialize", "{}")), R"("prompts":{})"));
  CHECK(mentions(answers(request("prompts/list", "{}")), R"({"prompts":[{"name":"p"}]})"));
  CHECK(mentions(answers(request("prompts/get", R"({"name":"p","arguments":{"text":"x"}})")),
                 R"("given":{"text":"x"})"));
  CHECK(mentions(answers(request("prompts/get", R"({"name":"q"})")), "-32602"));
}

TEST_CASE("without a handshake each request has the revision, and each result has more fields") {
  const std::string meta =
      R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}})";
  const std::string discovered = answers(request("server/discover", meta));
  CHECK(mentions(discovered, R"("supportedVersions":["2026-07-28"])"));
  CHECK(mentions(discovered, R"("resultType":"complete")"));
  const std::string listed = answers(request("tools/list", meta));
  CHECK(mentions(listed, R"("resultType":"complete","ttlMs":0,"cacheScope":"private")"));
  CHECK(mentions(listed, R"("name":"t")"));
  const std::string refused = answers(request(
      "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}})"));
  CHECK(mentions(refused, "-32022"));
  CHECK(mentions(refused, R"("supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01")"));
  CHECK_FALSE(mentions(answers(request("tools/list", "{}")), "resultType"));
}

TEST_CASE("the newest revision: fields of every request, removed methods, and notifications") {
  const std::string version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const std::string meta =
      R"("_meta":{)" + version + R"(,"io.modelcontextprotocol/clientCapabilities":{}})";
  CHECK(mentions(
      answers(request("tools/list", R"({"_meta":{)" + version + "}}")),
      R"("code":-32602,"message":"_meta lacks io.modelcontextprotocol/clientCapabilities)"));
  CHECK(mentions(answers(request("ping", "{" + meta + "}")), "-32601"));
  CHECK(mentions(answers(request("initialize", "{" + meta + "}")), "-32601"));
  CHECK(mentions(answers(request("resources/read", R"({"uri":"x",)" + meta + "}")), "-32602"));
  // Older revisions have no subscriptions.
  CHECK(mentions(answers(request("subscriptions/listen", R"({"notifications":{}})")), "-32601"));
  CHECK(mentions(answers(request("subscriptions/listen", "{" + meta + "}")), "-32602"));
  const std::string listen = request(
      "subscriptions/listen", R"({"notifications":{"toolsListChanged":true},)" + meta + "}", 7);
  const std::string told = answers(listen + request("tools/list", "{" + meta + "}", 8));
  const std::string acknowledged =
      R"("method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{}}})";
  const std::string ended =
      R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7}}})";
  REQUIRE(mentions(told, acknowledged));
  REQUIRE(mentions(told, ended));
  CHECK(told.find(acknowledged) < told.find(R"("id":8)"));
  CHECK(told.find(R"("id":8)") < told.find(ended));
  const std::string canceled = answers(
      listen + R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})"
               "\n");
  CHECK(mentions(canceled, acknowledged));
  CHECK_FALSE(mentions(canceled, ended));
}

TEST_CASE("a call with progress, and a result with its arguments") {
  const std::string text = answers(request(
      "tools/call", R"({"name":"t","arguments":{"a":1.50},"_meta":{"progressToken":"p7"}})"));
  CHECK(mentions(text, R"("method":"notifications/progress")"));
  CHECK(mentions(text, R"("progressToken":"p7")"));
  CHECK(mentions(
      text, R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"a":1.50}}})"));
  CHECK_FALSE(
      mentions(answers(request("tools/call", R"({"name":"t"})")), "notifications/progress"));
  CHECK(mentions(
      text, R"("params":{"message":"half","progress":1.0,"progressToken":"p7","total":2.0}})"));
  // The first report is sent at once, the next ones not too soon after it.
  const std::string begun =
      answers(request("tools/call", R"({"name":"begins","_meta":{"progressToken":7}})"));
  CHECK(mentions(begun, R"("params":{"progress":0.0,"progressToken":7}})"));
  CHECK(std::count(begun.begin(), begun.end(), '\n') < 10);
}

TEST_CASE("a canceled call gets no response, and blocks nothing") {
  const std::string text =
      answers(request("tools/call", R"({"name":"wait"})", 5) + request("ping", "{}", 6) +
              R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})"
              "\n");
  CHECK(mentions(text, R"({"jsonrpc":"2.0","id":6,"result":{}})"));
  CHECK_FALSE(mentions(text, R"("id":5)"));
}

TEST_CASE("errors are answered, and the server continues") {
  CHECK(mentions(answers("{\n"), "-32700"));
  CHECK(mentions(answers("[1]\n"), "-32600"));
  CHECK(mentions(answers(request("nonsense", "{}")), "-32601"));
  CHECK(mentions(answers(request("tools/call", R"({"name":"u"})")),
                 "there is no tool u. There is t."));
  CHECK(mentions(answers(request("tools/call", R"({"name":"t","arguments":[]})")), "-32602"));
  CHECK(mentions(answers(request("tools/call", R"({"name":"throws"})")), "thrown"));
  CHECK(mentions(answers(request("resources/read", R"({"uri":"x"})")), "-32002"));
  CHECK(mentions(answers(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), "-32600"));
  CHECK(mentions(answers("garbage\n" + request("ping", "{}", 2)), R"("id":2,"result":{})"));
  // The last line may lack a newline.
  CHECK(mentions(answers(R"({"jsonrpc":"2.0","id":"x","method":"ping"})"),
                 R"("id":"x","result":{})"));
}

TEST_CASE("what is wrong with a request, word for word") {
  const auto error = [](const std::string& id, int code, const std::string& message) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + std::to_string(code) +
           R"(,"message":")" + message + "\"}}\n";
  };
  CHECK(answers(request("tools/call", R"({"name":"broken"})")) == error("1", -32603, "broken"));
  CHECK(answers(request("resources/read", R"({"uri":"x"})")) ==
        error("1", -32002, "there is no such resource"));
  CHECK(answers(request("non sense", "{}")) == error("1", -32601, "unknown method non sense"));
  CHECK(answers(request("tools/call", R"({"name":"t","arguments":[]})")) ==
        error("1", -32602, "arguments must be a JSON object"));
  CHECK(answers("[]\n") == error("null", -32600, "the batch is empty"));
  const std::string twice = error("null", -32600, "a batch within a batch");
  const std::string notice = R"({"jsonrpc":"2.0","method":"x"})";
  CHECK(answers("[[" + notice + "," + notice + "]]\n") ==
        "[" + twice.substr(0, twice.size() - 1) + "]\n");
}

TEST_CASE("each report of progress is of more than the last") {
  const std::string told =
      answers(request("tools/call", R"({"name":"goes back","_meta":{"progressToken":7}})"));
  CHECK(mentions(told, R"("params":{"progress":5.0,"progressToken":7}})"));
  CHECK(mentions(told, R"("params":{"progress":5.001,"progressToken":7}})"));
}

TEST_CASE("a server whose client does not read any more, or sends too much, ends") {
  const auto ended = [](const std::string& input, bool reads) {
    Pipe in;
    Pipe out;
    TestOffer handler;
    std::thread writer([&] {
      for (std::size_t at = 0; at < input.size();) {
        const ssize_t count = ::write(in.write.get(), input.data() + at, input.size() - at);
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      in.write.reset();
    });
    if (!reads) out.read.reset();
    std::string why;
    {
      Server server(handler, {.name = "svc", .version = "1"}, in.read.get(), out.write.get());
      const auto done = server.run(NeverCanceled());
      if (!done) why = done.error().message;
      if (!done) CHECK(done.error().fault == (reads ? Fault::Usage : Fault::ReaderGone));
    }
    in.read.reset();
    writer.join();
    return why;
  };
  ::signal(SIGPIPE, SIG_IGN);
  CHECK(ended(request("ping", "{}"), true).empty());
  CHECK(ended(request("ping", "{}"), false) == "the client closed the output");
  constexpr std::size_t most = 16U << 20U;
  CHECK(ended(std::string(most, ' '), true).empty());
  CHECK(ended(std::string(most + 1, ' '), true) == "a request is larger than 16.8 MB");
  // As long as its lines are not.
  CHECK(ended(std::string(most, ' ') + "\n" + request("ping", "{}"), true).empty());
  TestOffer handler;
  const Pipe out;
  const FileDescriptor folder(::open("/", O_RDONLY | O_CLOEXEC));
  Server server(handler, {.name = "svc", .version = "1"}, folder.get(), out.write.get());
  CHECK(server.run(NeverCanceled()).error().message ==
        "cannot read standard input: Is a directory");
}

TEST_CASE("a request to stop ends the server with calls in flight") {
  Pipe in;
  Pipe out;
  TestOffer handler;
  CancelSource cancel;
  const std::string call = request("tools/call", R"({"name":"wait"})");
  REQUIRE(::write(in.write.get(), call.data(), call.size()) > 0);
  std::thread canceller([&] {
    std::this_thread::sleep_for(50ms);
    cancel.cancel();
  });
  Server server(handler, {.name = "svc", .version = "1"}, in.read.get(), out.write.get());
  const auto ended = server.run(cancel);
  canceller.join();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().fault == Fault::Interrupted);
}

TEST_CASE("a client that does not read does not keep the server from stopping") {
  Pipe in;
  Pipe out;
  TestOffer handler;
  CancelSource cancel;
  std::string lines;
  for (int id = 0; id < 40; ++id) {
    lines += request("tools/call",
                     R"({"name":"t","arguments":{"a":")" + std::string(50'000, 'x') + "\"}}", id);
  }
  ::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    (void)!::write(in.write.get(), lines.data(), lines.size());
    in.write.reset();
  });
  std::chrono::steady_clock::time_point asked;
  std::thread canceller([&] {
    std::this_thread::sleep_for(300ms);
    asked = std::chrono::steady_clock::now();
    cancel.cancel();
  });
  {
    Server server(handler, {.name = "svc", .version = "1"}, in.read.get(), out.write.get());
    const auto ended = server.run(cancel);
    REQUIRE_FALSE(ended);
    CHECK(ended.error().fault == Fault::Interrupted);
  }
  canceller.join();
  CHECK(std::chrono::steady_clock::now() - asked < 2s);
  in.read.reset();
  writer.join();
}

}  // namespace svc::mcp
