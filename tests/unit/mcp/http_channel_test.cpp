// The channel to a server with a URL: sessions, lost sessions, resumed streams, and unsolicited
// messages from the server.
#include "mcp/http_channel.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/document.h"
#include "mcp/client.h"
#include "mcp/header_arguments.h"

namespace svc::mcp {
namespace {

using namespace std::chrono_literals;

/// A response to a request.
struct WebReply {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::string session{};
  std::optional<Error> error{};  ///< of the transfer, after the body
};

/// A server in this process: `answer` decides the response; all requests are recorded.
struct WebServer {
  std::function<WebReply(const http::HttpRequest&, const std::string& body)> answer{};
  std::mutex mutex{};
  std::vector<std::string> log{};  ///< "POST s1 tools/list"

  WebReply handle(const http::HttpRequest& request) {
    const std::lock_guard lock(mutex);
    const auto* text = std::get_if<std::string>(&request.body);
    const std::string body = text != nullptr ? *text : std::string();
    std::string line = request.method;
    for (const Header& header : request.headers) {
      if (header.name == "Mcp-Session-Id" || header.name == "Last-Event-ID") {
        line += " " + header.value;
      }
      if (header.name == "Mcp-Name" || header.name.starts_with("Mcp-Param-")) {
        line += " " + header.name + "=" + header.value;
      }
    }
    const std::size_t at = body.find(R"("method":")");
    if (at != std::string::npos)
      line += " " + body.substr(at + 10, body.find('"', at + 10) - at - 10);
    log.push_back(line);
    return answer(request, body);
  }
  bool saw(const std::string& line) {
    const std::lock_guard lock(mutex);
    return std::find(log.begin(), log.end(), line) != log.end();
  }
};

class WebTransport final : public http::Transport {
 public:
  explicit WebTransport(WebServer& server) : m_server(server) {}
  http::Outcome perform(const http::HttpRequest& request, http::Receiver& receiver,
                        const CancelToken& /*cancel*/) override {
    const WebReply reply = m_server.handle(request);
    http::Outcome outcome{.sent = true, .answered = true, .error = reply.error};
    if (reply.status == 0) return outcome;
    outcome.head.status = reply.status;
    outcome.head.headers = {{"Content-Type", reply.type}};
    if (!reply.session.empty()) outcome.head.headers.push_back({"Mcp-Session-Id", reply.session});
    (void)receiver.on_head(outcome.head);
    if (auto taken = receiver.on_body(reply.body); !taken) outcome.error = taken.error();
    return outcome;
  }
  void start(http::HttpRequest, http::Receiver&, Done) override {}
  void run(const CancelToken&, std::optional<std::chrono::steady_clock::time_point>) override {}

 private:
  WebServer& m_server;
};

std::string id_in(const std::string& body) {
  const std::size_t at = body.find(R"("id":)") + 5;
  return body.substr(at, body.find(',', at) - at);
}

std::string result_of(const std::string& body, const std::string& result) {
  return R"({"jsonrpc":"2.0","id":)" + id_in(body) + R"(,"result":)" + result + "}";
}

/// The handshake and the list of one tool; no response to other requests.
std::optional<WebReply> usual(const std::string& body, const std::string& session) {
  if (body.find("\"initialize\"") != std::string::npos) {
    return WebReply{.body = result_of(body, R"({"protocolVersion":"2025-11-25"})"),
                    .session = session};
  }
  if (body.find("notifications/") != std::string::npos) return WebReply{.status = 202};
  if (body.find("\"tools/list\"") != std::string::npos) {
    return WebReply{.body = result_of(body, R"({"tools":[{"name":"t"}]})")};
  }
  return std::nullopt;
}

/// Notifies once that the tools have changed, then rejects. Waits until they have been listed, as
/// the listing would cover earlier notifications.
WebReply change_of_tools(const WebServer& server, bool& told) {
  if (told) return WebReply{.status = 405};
  told = std::any_of(server.log.begin(), server.log.end(), [](const std::string& line) {
    return line.find("tools/list") != std::string::npos;
  });
  return WebReply{.type = "text/event-stream",
                  .body = told ? "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
                                 "list_changed\"}\n\n"
                               : "retry: 100\n\n"};
}

Connect to(WebServer& server, std::vector<Header> headers = {}) {
  return [&server,
          headers = std::move(headers)](OnNotification notice) -> Result<std::unique_ptr<Channel>> {
    return std::unique_ptr<Channel>(std::make_unique<HttpChannel>(
        HttpServer{.url = "https://mcp.example.com/", .headers = headers},
        [&server] { return std::make_unique<WebTransport>(server); }, std::move(notice)));
  };
}

const NeverCanceled k_no_cancel;

CallContext web_patience() {
  return CallContext{5s, k_no_cancel};
}

}  // namespace

TEST_CASE("every request carries the session, which is ended on close") {
  WebServer server;
  server.answer = [](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    if (const auto reply = usual(body, "s1")) return *reply;
    return WebReply{.body = result_of(body, R"({"content":[{"type":"text","text":"x"}]})")};
  };
  {
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    const auto result = client.call("t", "{}", web_patience());
    REQUIRE(result);
    CHECK(result->text == "x");
    for (int i = 0; i < 500 && !server.saw("GET s1"); ++i) std::this_thread::sleep_for(10ms);
  }
  CHECK(server.log.front() == "POST initialize");
  CHECK(server.saw("POST s1 notifications/initialized"));
  CHECK(server.saw("POST s1 tools/call"));
  CHECK(server.saw("GET s1"));
  CHECK(server.log.back() == "DELETE s1");
}

TEST_CASE("an expired session is replaced by a new one, and the call is resent") {
  WebServer server;
  int sessions = 0;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    if (body.find("\"initialize\"") != std::string::npos) ++sessions;
    if (const auto reply = usual(body, "s" + std::to_string(sessions))) return *reply;
    const bool old = std::any_of(request.headers.begin(), request.headers.end(),
                                 [](const Header& header) { return header.value == "s1"; });
    if (old) return WebReply{.status = 404};
    return WebReply{.body = result_of(body, R"({"content":[{"type":"text","text":"again"}]})")};
  };
  Client client("web", "1", to(server));
  REQUIRE(client.open(web_patience()));
  const auto result = client.call("t", "{}", web_patience());
  REQUIRE(result);
  CHECK(result->text == "again");
  CHECK(sessions == 2);
  CHECK(server.saw("POST s2 notifications/initialized"));
}

TEST_CASE("a configured header is not taken for a session that a 404 ends") {
  for (const char* name : {"mcp-session-id", "Mcp-Session-Id"}) {
    WebServer server;
    server.answer = [&](const http::HttpRequest&, const std::string&) {
      // Ends the loop that the test would otherwise not survive.
      return WebReply{.status = server.log.size() < 20 ? 404 : 500};
    };
    Client client("web", "1", to(server, {{name, "abc"}}));
    CHECK_FALSE(client.open(web_patience()));
    CHECK(server.log.size() < 5);
  }
}

TEST_CASE("a closed stream is resumed after its last event") {
  WebServer server;
  std::string call;
  int resumed = 0;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method == "GET") {
      // The first one ends in a line, and without an ID of its own.
      if (++resumed == 1)
        return WebReply{.type = "text/event-stream", .body = "retry: 10\ndata: {"};
      return WebReply{
          .type = "Text/Event-Stream;charset=utf-8",
          .body = "data: " + result_of(call, R"({"content":[{"type":"text","text":"late"}]})") +
                  "\n\n"};
    }
    if (const auto reply = usual(body, "")) return *reply;
    call = body;
    return WebReply{.type = "text/event-stream",
                    .body = "id: e7\nretry: 10\ndata: \n\n",
                    .error = Error{Fault::Network, "lost"}};
  };
  {
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    const auto result = client.call("t", "{}", web_patience());
    REQUIRE(result);
    CHECK(result->text == "late");
  }
  CHECK(std::count(server.log.begin(), server.log.end(), "GET e7") == 2);
  // Without a session, nothing listens, and there is none to delete.
  CHECK(server.log.back() == "GET e7");
}

TEST_CASE("a stream is resumed twenty times, while there is time") {
  WebServer server;
  int status = 200;
  std::optional<Error> lost;
  const char* stream = "id: e\nretry: 1\ndata: \n\n";
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (const auto reply = usual(body, "")) return *reply;
    return WebReply{.status = request.method == "GET" ? status : 200,
                    .type = "text/event-stream",
                    .body = stream,
                    .error = request.method == "GET" ? lost : std::nullopt};
  };
  const auto failed = [&](std::chrono::milliseconds time) {
    server.log.clear();
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    const auto result = client.call("t", "{}", {time, k_no_cancel});
    REQUIRE_FALSE(result);
    const auto gets = std::count(server.log.begin(), server.log.end(), "GET e");
    return result.error().message + " " + std::to_string(gets);
  };
  const std::string ended = "the MCP server's response ended before the result ";
  CHECK(failed(5s) == ended + "20");
  status = 299;
  CHECK(failed(5s) == ended + "20");
  status = 300;
  CHECK(failed(5s) == ended + "1");
  status = 200;
  lost = Error{Fault::Network, "lost"};
  CHECK(failed(5s) == ended + "20");
  lost = Error{Fault::Interrupted, "stopped"};
  CHECK(failed(5s) == "stopped 1");
  stream = "id: e\nretry: 60000\ndata: \n\n";
  CHECK(failed(50ms) == "the MCP server did not respond within 50 ms 0");
}

TEST_CASE("a stream of notifications is given up when it failed three times in a row") {
  WebServer server;
  int streams = 0;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "GET") return usual(body, "s1").value_or(WebReply{.status = 405});
    // The third one ends well.
    return WebReply{
        .type = "text/event-stream",
        .body = "retry: 1\n\n",
        .error = ++streams == 3 ? std::nullopt : std::optional(Error{Fault::Network, "lost"})};
  };
  const auto opened = [&server] {
    const std::lock_guard lock(server.mutex);
    return std::count(server.log.begin(), server.log.end(), "GET s1");
  };
  Client client("web", "1", to(server));
  REQUIRE(client.open(web_patience()));
  for (int i = 0; i < 1000 && opened() < 6; ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(250ms);
  CHECK(opened() == 6);
}

TEST_CASE("a server without a handshake may refuse to tell of changes") {
  WebServer server;
  server.answer = [&](const http::HttpRequest&, const std::string& body) {
    if (body.find("\"initialize\"") != std::string::npos) return WebReply{.status = 404};
    if (body.find("server/discover") != std::string::npos) {
      return WebReply{
          .body = result_of(
              body,
              R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})")};
    }
    if (body.find("subscriptions/listen") != std::string::npos) {
      return WebReply{.type = "text/event-stream",
                      .body = "retry: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":" + id_in(body) +
                              ",\"error\":{\"code\":-32601,\"message\":\"no\"}}\n\n"};
    }
    return usual(body, "").value_or(WebReply{.status = 405});
  };
  const std::string listen = "POST subscriptions/listen";
  Client client("web", "1", to(server));
  REQUIRE(client.open(web_patience()));
  for (int i = 0; i < 500 && !server.saw(listen); ++i) std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(250ms);
  const std::lock_guard lock(server.mutex);
  CHECK(std::count(server.log.begin(), server.log.end(), listen) == 1);
}

TEST_CASE("a server is told of a call that is not waited for, after a handshake") {
  WebServer server;
  std::string canceled;
  Error error;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    if (body.find("/cancelled") != std::string::npos) {
      canceled = body + " " + std::to_string(request.timeouts.total.count());
    }
    if (const auto reply = usual(body, "s1")) return *reply;
    return WebReply{.status = 0, .error = error};
  };
  const auto told = [&](Fault fault) {
    canceled.clear();
    error = Error{fault, "why"};
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    CHECK(client.call("t", "{}", web_patience()).error().message == "why");
    return canceled;
  };
  const std::string notice =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)";
  for (const Fault fault : {Fault::Timeout, Fault::Interrupted, Fault::Terminated}) {
    // The third request, unless the listener took a number before.
    const std::string text = told(fault);
    CHECK(text.starts_with(notice));
    CHECK(text.ends_with("}} 300"));
  }
  CHECK(told(Fault::Network).empty());
  // Not of a handshake, and not without one.
  server.answer = [&](const http::HttpRequest&, const std::string&) {
    return WebReply{.status = 0, .error = Error{Fault::Timeout, "too late"}};
  };
  server.log.clear();
  Client mute("web", "1", to(server));
  CHECK(mute.open(web_patience()).error().message == "MCP server web: too late");
  CHECK(server.log == std::vector<std::string>{"POST initialize"});
  server.answer = [&](const http::HttpRequest&, const std::string& body) {
    if (body.find("\"initialize\"") != std::string::npos) return WebReply{.status = 404};
    if (body.find("server/discover") != std::string::npos) {
      return WebReply{.body = result_of(body, R"({"supportedVersions":["2026-07-28"]})")};
    }
    if (const auto reply = usual(body, "")) return *reply;
    return WebReply{.status = 0, .error = Error{Fault::Timeout, "too late"}};
  };
  server.log.clear();
  Client stateless("web", "1", to(server));
  REQUIRE(stateless.open(web_patience()));
  CHECK(stateless.call("t", "{}", web_patience()).error().message == "too late");
  CHECK(server.log.back() == "POST Mcp-Name=t tools/call");
}

TEST_CASE("a notification that the server refuses, and how much of the refusal is read") {
  WebServer server;
  WebReply refusal;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    if (body.find("notifications/") != std::string::npos) return refusal;
    return *usual(body, "");
  };
  const auto opened = [&](WebReply reply) {
    refusal = std::move(reply);
    Client client("web", "1", to(server));
    const auto done = client.open(web_patience());
    return done ? std::string("opened") : done.error().message.substr(16);
  };
  const std::string refused = "the server returned HTTP 500";
  CHECK(opened({.status = 299, .body = "x"}) == "opened");
  CHECK(opened({.status = 300}) == "the server returned HTTP 300");
  CHECK(opened({.status = 500, .body = "oops"}) == refused + ": oops");
  CHECK(opened({.status = 500, .body = "oops" + std::string(65'532, ' ')}) == refused + ": oops");
  CHECK(opened({.status = 500, .body = "oops" + std::string(65'533, ' ')}) == refused);
  CHECK(opened({.status = 500, .error = Error{Fault::Network, "lost"}}) == refused);
  CHECK(opened({.status = 0, .error = Error{Fault::Network, "lost"}}) == "lost");
}

TEST_CASE("unsolicited messages are received, and server requests are answered") {
  WebServer server;
  bool told = false;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method == "GET") return change_of_tools(server, told);
    if (request.method == "DELETE") return WebReply{.status = 405};
    if (const auto reply = usual(body, "s1")) return *reply;
    if (body.find("\"error\"") != std::string::npos) return WebReply{.status = 202};
    return WebReply{.type = "text/event-stream",
                    .body =
                        "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n"
                        "data: " +
                        result_of(body, R"({"content":[]})") + "\n\n"};
  };
  Client client("web", "1", to(server));
  REQUIRE(client.open(web_patience()));
  CHECK(client.call("t", "{}", web_patience()));
  for (int i = 0; i < 200 && !client.tools_changed(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(client.tools_changed());
  const std::lock_guard lock(server.mutex);
  // The response to a server request has no method.
  CHECK(std::find(server.log.begin(), server.log.end(), "POST s1") != server.log.end());
}

TEST_CASE(
    "a server that sends requests endlessly is abandoned, and its replies to responses trigger "
    "nothing") {
  WebServer server;
  const std::string ping = "data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n";
  std::string flood;
  for (int i = 0; i < 1'000; ++i) flood += ping;
  int answered = 0;
  CancelSource cancel;
  int cancel_at = 0;
  std::vector<std::chrono::milliseconds> times;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    if (const auto reply = usual(body, "")) return *reply;
    if (body.find("\"result\":{}") != std::string::npos) {
      times.push_back(request.timeouts.total);
      if (++answered == cancel_at) cancel.cancel();
      return WebReply{.type = "text/event-stream", .body = flood};
    }
    return WebReply{.type = "text/event-stream", .body = flood};
  };
  Client client("web", "1", to(server));
  REQUIRE(client.open(web_patience()));
  const auto begin = std::chrono::steady_clock::now();
  const auto result = client.call("t", "{}", CallContext{60s, k_no_cancel});
  const auto seconds = (std::chrono::steady_clock::now() - begin) / 1s;
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "the MCP server keeps sending requests");
  CHECK(answered >= 20);
  CHECK(answered <= 20 + seconds);
  // There is little time for each.
  CHECK(times == std::vector<std::chrono::milliseconds>(times.size(), 5s));
  times.clear();
  CHECK_FALSE(client.call("t", "{}", CallContext{1s, k_no_cancel}));
  CHECK(std::all_of(times.begin(), times.end(), [](auto time) { return time <= 1s; }));
  answered = 0;
  cancel_at = 3;
  const auto stopped = client.call("t", "{}", CallContext{5s, cancel});
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().fault == Fault::Interrupted);
  CHECK(answered == 3);
}

TEST_CASE("without a handshake: headers of a call, notifications by request, no resumed streams") {
  WebServer server;
  int mismatches = 0;
  bool told = false;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    if (request.method != "POST") return WebReply{.status = 405};
    const auto with = [&](const std::string& part) { return body.find(part) != std::string::npos; };
    if (with("\"initialize\"")) return WebReply{.status = 400, .body = "what?"};
    if (with("server/discover")) {
      return WebReply{
          .body = result_of(
              body,
              R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})")};
    }
    if (with("subscriptions/listen")) return change_of_tools(server, told);
    if (with("tools/list")) {
      return WebReply{.body = result_of(
                          body,
                          R"({"tools":[{"name":"grüß","inputSchema":{"type":"object","properties":{
                "region":{"type":"string","x-mcp-header":"Region"},
                "in":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
                "on":{"type":"boolean","x-mcp-header":"On"}}}},
              {"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}},
              {"name":"items","inputSchema":{"properties":{"a":{"items":{"x-mcp-header":"A"}}}}},
              {"name":"twice","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"},
                "b":{"type":"string","x-mcp-header":"a"}}}},
              {"name":"free","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}}}]})")};
    }
    if (with("cut")) return WebReply{.type = "text/event-stream", .body = "id: e1\ndata: \n\n"};
    if (++mismatches == 1) {
      return WebReply{
          .status = 400,
          .body =
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch"}})"};
    }
    return WebReply{.body = result_of(body, R"({"content":[]})")};
  };
  Client client("web", "1", to(server));
  const auto opened = client.open(web_patience());
  REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
  REQUIRE(client.tools().size() == 1);
  CHECK(client.take_warnings().size() == 4);
  for (int i = 0; i < 200 && !client.tools_changed(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(client.tools_changed());
  CHECK(client.call("grüß", R"({"region":"Hello, 世界","in":{"n":42},"on":null})", web_patience()));
  CHECK(mismatches == 2);
  CHECK(
      server.saw("POST Mcp-Name==?base64?Z3LDvMOf?= Mcp-Param-N=42 "
                 "Mcp-Param-Region==?base64?SGVsbG8sIOS4lueVjA==?= tools/call"));
  const auto cut = client.call("grüß", R"({"region":"cut"})", web_patience());
  REQUIRE_FALSE(cut);
  CHECK(cut.error().message.find("ended before the result") != std::string::npos);
  CHECK_FALSE(server.saw("GET e1"));
}

TEST_CASE("arguments for headers are found however deep a schema is") {
  const auto nested = [](std::string inside, const std::string& before, const std::string& after) {
    for (int i = 0; i < 200; ++i) inside = before + inside + after;
    return inside;
  };
  const auto read = [](const std::string& schema) { return header_arguments(parse_reply(schema)); };
  const std::string annotated = R"({"type":"string","x-mcp-header":"A"})";
  const auto found = read(nested(annotated, R"({"properties":{"a":)", "}}"));
  REQUIRE_MESSAGE(found, (found ? "" : found.error().message));
  REQUIRE(found->size() == 1);
  CHECK(found->front().path == std::vector<std::string>(200, "a"));
  const auto headers = headers_of(*found, nested(R"("x")", R"({"a":)", "}"));
  REQUIRE(headers.size() == 1);
  CHECK(headers[0].name == "Mcp-Param-A");
  CHECK(headers[0].value == "x");
  // What is not an argument may be as deep, but not annotated.
  const auto plain = read(nested(R"({"type":"string"})", R"({"items":)", "}"));
  REQUIRE_MESSAGE(plain, (plain ? "" : plain.error().message));
  CHECK(plain->empty());
  const auto wrong = read(nested(annotated, R"({"items":)", "}"));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == R"(x-mcp-header is not allowed below "items")");
}

TEST_CASE("what is in each request") {
  std::vector<http::HttpRequest> sent;
  WebServer server;
  server.answer = [&](const http::HttpRequest& request, const std::string& body) {
    sent.push_back(request);
    if (request.method != "POST") return WebReply{.status = 405};
    if (const auto common = usual(body, "s1")) return *common;
    return WebReply{.body = result_of(body, R"({"content":[]})")};
  };
  {
    Client client("web", "1",
                  to(server, {{"X-Key", "k"}, {"authorization", "Bearer tok"}, {"Other", "o"}}));
    REQUIRE(client.open(web_patience()));
    REQUIRE(client.call("t", R"({"a":1})", web_patience()));
    // Its thread listens soon.
    for (int i = 0; i < 500 && !server.saw("GET s1"); ++i) std::this_thread::sleep_for(10ms);
  }
  const auto shown = [](const http::HttpRequest& request) {
    std::string all = request.method + " " + request.url + " " + request.bearer;
    for (const Header& header : request.headers) all += "|" + header.name + "=" + header.value;
    return all;
  };
  const std::string own = " https://mcp.example.com/ tok|X-Key=k|Other=o";
  const std::string post =
      "POST" + own + "|Content-Type=application/json|Accept=application/json, text/event-stream";
  const std::string agreed = "|MCP-Protocol-Version=2025-11-25|Mcp-Session-Id=s1";
  const std::lock_guard lock(server.mutex);
  const auto count = [&](const std::string& wanted) {
    return std::count_if(sent.begin(), sent.end(), [&](const http::HttpRequest& request) {
      return shown(request).starts_with(wanted);
    });
  };
  CHECK(shown(sent.at(0)).starts_with(post));
  CHECK(shown(sent.at(0)).find("MCP-Protocol-Version") == std::string::npos);
  // That it is initialized, its tools, and the call.
  CHECK(count(post + agreed) == 3);
  CHECK(count("GET" + own + "|Accept=text/event-stream" + agreed) == 1);
  CHECK(count("DELETE" + own + agreed) == 1);
  for (const http::HttpRequest& request : sent) {
    CHECK(request.max_body_bytes == 0);
    const auto total = request.method == "GET"      ? std::chrono::milliseconds(24h)
                       : request.method == "DELETE" ? 300ms
                                                    : 5'000ms;
    CHECK(request.timeouts.total == total);
    CHECK(request.timeouts.connect <= total);
    CHECK(request.timeouts.idle <= total);
  }
}

TEST_CASE("credentials of another kind are sent as they are") {
  std::string sent;
  WebServer server;
  server.answer = [&](const http::HttpRequest& request, const std::string&) {
    sent = request.bearer;
    for (const Header& header : request.headers) sent += "|" + header.name + "=" + header.value;
    return WebReply{.status = 500};
  };
  Client client("web", "1",
                to(server, {{"Authorization", "Basic eA=="}, {"X-Bearer", "Bearer x"}}));
  CHECK_FALSE(client.open(web_patience()));
  CHECK(sent.starts_with("|Authorization=Basic eA==|X-Bearer=Bearer x|"));
}

TEST_CASE("which arguments may be headers, and how they are written") {
  const auto read = [](const std::string& schema) {
    const auto found = header_arguments(parse_reply(schema));
    if (!found) return found.error().message;
    std::string all;
    for (const HeaderArgument& one : *found) all += one.header + ";";
    return all;
  };
  const auto typed = [&](const std::string& type) {
    return read(R"({"properties":{"a":{"type":)" + type + R"(,"x-mcp-header":"A"}}})");
  };
  for (const char* type :
       {R"("string")", R"("integer")", R"("boolean")", R"("null")", R"(["integer","null"])"}) {
    CHECK(typed(type) == "Mcp-Param-A;");
  }
  const std::string not_here = R"(x-mcp-header is not allowed here: "A")";
  for (const char* type : {R"("number")", R"("object")", "7", R"(["string","number"])", "[7]"}) {
    CHECK(typed(type) == not_here);
  }
  CHECK(read(R"({"properties":{"a":{"x-mcp-header":"A"}}})") == not_here);
  CHECK(read(R"({"type":"string","x-mcp-header":"A"})") == not_here);
  CHECK(read(R"({"properties":{"a":{"type":"string","x-mcp-header":7}}})") ==
        "x-mcp-header is not allowed here: 7");
  CHECK(read("7").empty());
  CHECK(read(R"({"properties":[]})").empty());
  // Values are not schemas.
  for (const char* keyword : {"default", "const", "enum", "examples"}) {
    CHECK(read(R"({")" + std::string(keyword) + R"(":[{"x-mcp-header":"A"}]})").empty());
  }
  CHECK(read(R"({"anyOf":[{"a":[{"x-mcp-header":"A"}]}]})") ==
        R"(x-mcp-header is not allowed below "anyOf")");
  const auto two = header_arguments(parse_reply(
      R"({"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"AB"}}},"c":{"type":"string","x-mcp-header":"C"}}})"));
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  const auto sent = [&](const char* arguments) {
    std::string all;
    for (const Header& one : headers_of(*two, arguments)) all += one.name + ":" + one.value + ";";
    return all;
  };
  CHECK(sent(R"({"a":{"b":"x"},"c":7})") == "Mcp-Param-AB:x;Mcp-Param-C:7;");
  CHECK(sent(R"({"b":"x","c":true})") == "Mcp-Param-C:true;");
  CHECK(sent(R"({"a":{"b":null},"c":1.5})").empty());
  CHECK(headers_of({}, "{}").empty());
  for (const char* plain : {"a b", "\x21~", "a\tb", "=?base64?a", "YQ==?="}) {
    CHECK(header_value(plain) == plain);
  }
  for (const auto& [text, base64] :
       {std::pair("", ""), std::pair(" a", "IGE="), std::pair("a ", "YSA="),
        std::pair("\x7f", "fw=="), std::pair("\x1f", "Hw=="), std::pair("é", "w6k="),
        std::pair("=?base64?YQ==?=", "PT9iYXNlNjQ/WVE9PT89")}) {
    CHECK(header_value(text) == "=?base64?" + std::string(base64) + "?=");
  }
}

TEST_CASE("what a server's refusal says") {
  const auto refused = [](int status, const std::string& text) {
    WebServer server;
    server.answer = [&](const http::HttpRequest& request, const std::string& body) {
      if (request.method != "POST") return WebReply{.status = 405};
      if (const auto common = usual(body, "")) return *common;
      return WebReply{.status = status, .body = text};
    };
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    const auto result = client.call("t", "{}", web_patience());
    REQUIRE_FALSE(result);
    return result.error();
  };
  const Error plain = refused(500, " oops\n");
  CHECK(plain.fault == Fault::Service);
  CHECK(plain.http_status == 500);
  CHECK(plain.message.ends_with("the server returned HTTP 500: oops"));
  CHECK(refused(500, "").message.ends_with("the server returned HTTP 500"));
  const std::string most(400, 'a');
  CHECK(refused(500, most).message.ends_with(": " + most));
  CHECK(refused(500, most + "a").message.ends_with(": " + most + "…"));
  for (const int status : {401, 403}) {
    const Error auth = refused(status, R"({"jsonrpc":"2.0","id":1,"error":{"message":"no"}})");
    CHECK(auth.fault == Fault::Auth);
    CHECK(auth.hint ==
          "Set the server's key in the `headers` of --mcp-config, for example as \"env:NAME\".");
  }
  // That there is no handshake may be told by the status alone.
  for (const int status : {400, 404, 405}) CHECK(refused(status, "x").code == "-32600");
  for (const int status : {402, 406, 500}) CHECK(refused(status, "x").code.empty());
  CHECK(refused(404, "x").fault == Fault::NotFound);
  CHECK(plain.states_status);
  CHECK(plain.hint.empty());
  const Error own =
      refused(500, R"({"jsonrpc":"2.0","id":1,"error":{"code":-7,"message":"too late"}})");
  CHECK(own.message.ends_with("too late"));
  CHECK(own.code == "-7");
  CHECK(own.http_status == 500);
}

TEST_CASE("which responses are those of a request, and how large they may be") {
  const auto answered = [](const std::function<WebReply(const std::string&)>& reply) {
    WebServer server;
    server.answer = [&](const http::HttpRequest& request, const std::string& body) {
      if (request.method != "POST") return WebReply{.status = 405};
      if (const auto common = usual(body, "")) return *common;
      return reply(body);
    };
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    const auto result = client.call("t", "{}", web_patience());
    return result ? result->text : result.error().message;
  };
  const std::string text = R"({"content":[{"type":"text","text":"x"}]})";
  const auto with_id = [&](const std::string& id, const std::string& rest) {
    return [&, id, rest](const std::string& body) {
      return WebReply{.body =
                          R"({"jsonrpc":"2.0",)" +
                          (id.empty() ? "" : "\"id\":" + replace_all(id, "ID", id_in(body)) + ",") +
                          rest + "}"};
    };
  };
  const std::string none = "the MCP server's response ended before the result";
  CHECK(answered(with_id("ID", "\"result\":" + text)) == "x");
  CHECK(answered(with_id("\"ID\"", "\"result\":" + text)) == "x");
  CHECK(answered(with_id("9ID", "\"result\":" + text)) == none);
  CHECK(answered(with_id("null", "\"result\":" + text)) == none);
  const std::string error = R"("error":{"code":1,"message":"no"})";
  CHECK(answered(with_id("ID", error)) == "no");
  CHECK(answered(with_id("null", error)) == "no");
  CHECK(answered(with_id("", error)) == "no");
  CHECK(answered(with_id("9ID", error)) == none);
  const auto padded = [&](std::size_t size, const std::string& type) {
    return [&, size, type](const std::string& body) {
      const std::string whole =
          type.empty() ? result_of(body, text) : "data: " + result_of(body, text) + "\n\n";
      WebReply reply{.type = type.empty() ? "application/json" : type};
      if (type.empty()) reply.body = std::string(size - whole.size(), ' ') + whole;
      for (std::size_t left = size - whole.size(); !type.empty() && left > 0;) {
        const std::size_t line = std::min<std::size_t>(left, 8U << 20U);
        reply.body += ":" + std::string(line - 2, 'x') + "\n";
        left -= line;
      }
      if (!type.empty()) reply.body += whole;
      return reply;
    };
  };
  const std::string larger = "the MCP server's response is larger than 16.8 MB";
  CHECK(answered(padded(k_most_message, "")) == "x");
  CHECK(answered(padded(k_most_message + 1, "")) == larger);
  CHECK(answered(padded(64U << 20U, "text/event-stream")) == "x");
  CHECK(answered(padded((64U << 20U) + 1, "text/event-stream")) == larger);
}

TEST_CASE("a response without a result, one that is too large, and an invalid message") {
  for (const WebReply& reply :
       {WebReply{.type = "text/event-stream", .body = "data: \n\n"},
        WebReply{.body = std::string(k_most_message + 1, ' ')}, WebReply{.body = "<html>"},
        WebReply{.status = 500, .body = "oops"}}) {
    WebServer server;
    server.answer = [&](const http::HttpRequest& request, const std::string& body) {
      if (request.method != "POST") return WebReply{.status = 405};
      if (const auto common = usual(body, "")) return *common;
      return reply;
    };
    Client client("web", "1", to(server));
    REQUIRE(client.open(web_patience()));
    CHECK_FALSE(client.call("t", "{}", web_patience()));
  }
}

}  // namespace svc::mcp
