#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "emulator/api/docs/docs.h"
#include "emulator/handler/handler.h"
#include "unit/emulator/area_support.h"

using namespace svc;
using namespace svc::emulator;
using nlohmann::json;
using svc::test::Area;

namespace {

Response send(const std::string& body, std::vector<Header> headers = {}) {
  Area api(docs_routes());
  return api.call("POST", "/api/mcp", body, std::move(headers));
}

json rpc(const std::string& method, const json& params = json::object()) {
  const Response response =
      send(json{{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}}.dump());
  CHECK(response.status == 200);
  CHECK(response.content_type == "application/json");
  json message = json::parse(response.body);
  CHECK(message["jsonrpc"] == "2.0");
  CHECK(message["id"] == 7);
  return message;
}

json call_tool(const std::string& name, const json& arguments) {
  return rpc("tools/call", {{"name", name}, {"arguments", arguments}});
}

std::string text_of(const json& message) {
  return message["result"]["content"][0]["text"];
}

}  // namespace

TEST_CASE("the server responds in the requested protocol version") {
  const json hello = rpc("initialize", {{"protocolVersion", "2025-03-26"}})["result"];
  CHECK(hello["protocolVersion"] == "2025-03-26");
  CHECK(hello["serverInfo"] == json{{"name", "svc-docs-mcp"}, {"version", "1.0.0"}});
  CHECK(hello["capabilities"] == json{{"tools", json::object()}});
  CHECK(rpc("initialize", {{"protocolVersion", "1999-01-01"}})["result"]["protocolVersion"] ==
        "2025-06-18");
  CHECK(rpc("ping")["result"] == json::object());
  const json tools = rpc("tools/list")["result"]["tools"];
  REQUIRE(tools.size() == 3);
  for (const json& tool : tools) CHECK(tool["inputSchema"]["type"] == "object");
}

TEST_CASE("pages are listed, returned as Markdown, and searched") {
  const json list = call_tool("list_doc_pages", json::object());
  CHECK(list["result"]["structuredContent"]["pages"].size() == docs::pages().size());
  CHECK(text_of(list).find("(svc-chat)") != std::string::npos);
  const std::string page = text_of(call_tool("get_doc_page", {{"slug", "svc-chat"}}));
  CHECK(page.starts_with("# svc-chat: "));
  CHECK(page.find("## SYNOPSIS") != std::string::npos);
  CHECK(page.find("- `-m, --model NAME`: ") != std::string::npos);
  CHECK(page.find("\\f") == std::string::npos);
  CHECK(page.find("\\-") == std::string::npos);
  CHECK(text_of(call_tool("get_doc_page", {{"slug", "chat"}})) == page);
  for (const docs::Page& one : docs::pages()) {
    CAPTURE(one.slug);
    for (const char* remains : {"(dq", "(aq", "(ga", "(ti", "(ha", "[u2", "\\f", "\\&"}) {
      CHECK(one.markdown.find(remains) == std::string::npos);
    }
  }
  const json missing = call_tool("get_doc_page", {{"slug", "svc-chta"}});
  CHECK(missing["result"]["isError"] == true);
  CHECK(text_of(missing).find("Did you mean svc-chat?") != std::string::npos);

  const json found = call_tool("search_docs", {{"query", "tokenize text"}, {"max_results", 2}});
  const json& results = found["result"]["structuredContent"]["results"];
  REQUIRE(results.size() == 2);
  CHECK(results[0]["slug"] == "svc-tokenize");
  CHECK(results[0]["score"] >= results[1]["score"]);
  CHECK(text_of(call_tool("search_docs", {{"query", "xyzzyq"}})).starts_with("Nothing was found"));
}

TEST_CASE("rare words weigh more than common ones") {
  const auto hits = docs::search_pages("the deferred request", 3);
  REQUIRE(!hits.empty());
  CHECK(hits.front().slug == "svc-chat");
  CHECK(docs::search_pages("", 3).empty());
  CHECK(docs::search_pages("  tokenize  text ", 1).front().slug == "svc-tokenize");
  CHECK(!docs::search_pages("the \"deferred AND (", 3).empty());
  for (const auto& hit : docs::search_pages("model", 100)) {
    CAPTURE(hit.section);
    CHECK(hit.section.find_first_of("#\n") == std::string::npos);
    CHECK(!hit.section.starts_with(' '));
    CHECK(hit.excerpt.find("```") == std::string::npos);
  }
}

TEST_CASE("the response format is the one that the client accepts") {
  const std::string body = R"({"jsonrpc":"2.0","id":"a","method":"ping"})";
  const auto type = [&](const char* accept) {
    return send(body, {{"Accept", accept}}).content_type;
  };
  CHECK(type("application/json, text/event-stream") == "application/json");
  CHECK(type("text/event-stream, application/json") == "text/event-stream");
  CHECK(type("*/*") == "application/json");
  const Response events = send(body, {{"Accept", "text/event-stream"}});
  CHECK(events.body ==
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n\n");
  CHECK(send(body, {{"Accept", "text/html"}}).status == 406);
  CHECK(send(body, {{"MCP-Protocol-Version", "2025-06-18"}}).status == 200);
  CHECK(send(body, {{"MCP-Protocol-Version", "1"}}).status == 400);
}

TEST_CASE("notifications are accepted; invalid requests are rejected") {
  const Response note = send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  CHECK(note.status == 202);
  CHECK(note.body.empty());
  const auto code = [](const std::string& body, int status) {
    const Response response = send(body);
    CHECK(response.status == status);
    return json::parse(response.body)["error"]["code"].get<int>();
  };
  CHECK(code("{", 400) == -32700);
  CHECK(code("", 400) == -32700);
  CHECK(code("[]", 400) == -32600);
  CHECK(code(R"({"id":1,"method":"ping"})", 400) == -32600);
  CHECK(code(R"({"jsonrpc":"2.0","id":null,"method":"ping"})", 400) == -32600);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})", 200) == -32601);
  CHECK(call_tool("no_tool", json::object())["error"]["code"] == -32602);
  CHECK(call_tool("get_doc_page", json::object())["error"]["code"] == -32602);
  CHECK(call_tool("search_docs", {{"query", "x"}, {"max_results", 0}})["error"]["code"] == -32602);
}

TEST_CASE("the server's card contains its URL") {
  Area api(docs_routes());
  const json card = api.json("GET", "/.well-known/mcp/server-card.json");
  CHECK(card["transport"]["url"] == "http://127.0.0.1:8080/api/mcp");
  CHECK(card["tools"].size() == 3);
}

TEST_CASE("roff becomes Markdown") {
  CHECK(docs::to_markdown(".TH X 1\n.SH \"NAME\"\na \\- \\fBb\\fR\nc\n.PP\nd\n") ==
        "## NAME\n\na - b c\n\nd");
  CHECK(docs::to_markdown(".TP\n\\fB\\-\\-x\\fR\ndoes x\n.RS 4\n.nf\nsvc  x\n.fi\n.RE\n") ==
        "- `--x`: does x\n\n```\nsvc  x\n```\n\n");
  CHECK(docs::to_markdown("it\\(aqs \\&.x \\e") == "it's .x \\");
  CHECK(docs::to_markdown(".SS \"A b\"\nc\n") == "### A b\n\nc");
  CHECK(docs::to_markdown(".nf\na\n\n.PP\nb\n.fi\n") == "```\na\n\nb\n```\n\n");
  CHECK(docs::to_markdown(".TP\nx\n.PP\ny\n") == "- `x`:\n\ny");
}
