// The MCP server: every revision, concurrent requests, and errors.
#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <doctest/doctest.h>
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
    if (tool == "throws") throw std::runtime_error("thrown");
    return usage_error("there is no tool " + tool, "There is t.");
  }
  Result<std::string> resources(const CancelToken&) override { return std::string("[]"); }
  std::string resource_templates() override { return "[]"; }
  Result<std::string> read_resource(const std::string&, const CancelToken&) override {
    return Error{Fault::NotFound, "there is no such resource"};
  }
  std::string prompts() override { return R"([{"name":"p"}])"; }
  Result<std::string> prompt(const std::string& name, const std::string& arguments) override {
    if (name == "p") return R"({"messages":[],"given":)" + arguments + "}";
    return usage_error("there is no prompt " + name, "There is p.");
  }
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
std::string answers(const std::string& input) {
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
  TestOffer handler;
  {
    Server server(handler, {.name = "svc", .version = "1"}, in.read.get(), out.write.get());
    const NeverCanceled nobody;
    CHECK(server.run(nobody));
  }
  out.write.reset();
  writer.join();
  reader.join();
  return text;
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
