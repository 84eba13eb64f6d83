// JSON-RPC 2.0 messages and tool results.
#include "operation/rpc_tool.h"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::cli;

namespace {

/// The outcome of these messages: the result, or the error's class.
std::string taken(std::initializer_list<const char*> messages) {
  RpcReader reader({"sekrit"});
  for (const char* message : messages) {
    if (const auto done = reader.feed(message); !done) {
      CHECK(done.error().message.find("sekrit") == std::string::npos);
      return fault_name(done.error().fault);
    }
  }
  const auto result = reader.finish();
  return result ? *result : fault_name(result.error().fault);
}

}  // namespace

TEST_CASE("the response is found by its ID") {
  CHECK(taken({R"({"jsonrpc":"2.0","id":1,"result":{"a":1.50}})"}) == R"({"a":1.50})");
  CHECK(taken({R"({"id":"1","result":7})"}) == "7");
  CHECK(taken({R"({"method":"notifications/progress","params":{}})", R"({"id":2,"result":1})",
               R"({"id":1,"method":"ping"})", R"({"id":1,"result":3})"}) == "3");
  CHECK(taken({R"([{"id":2,"result":1},{"id":1,"result":{"b":[]}}])"}) == R"({"b":[]})");
  CHECK(taken({R"({"id":1,"result":3})", R"({"id":1,"result":4})"}) == "3");
  CHECK(taken({}) == "network");
  CHECK(taken({R"({"id":2,"result":1})"}) == "network");
}

TEST_CASE("invalid messages, and errors") {
  for (const char* broken : {"", "{", "7", "\"text\"", "{}", R"({"result":1})", R"({"id":1})",
                             R"({"id":1,"error":"text"})", "[[]]", "\xff"}) {
    CAPTURE(broken);
    CHECK(taken({broken}) == "network");
  }
  CHECK(taken({R"({"id":1,"error":{"code":-32602,"message":"bad sekrit"}})"}) == "service");
  CHECK(taken({R"({"id":null,"error":{"code":-32700,"message":"Parse error"}})"}) == "service");
  CHECK(taken({R"({"id":1,"error":{"code":-32602,"message":"Page not found"}})"}) == "not_found");
  CHECK(taken({R"({"id":1,"error":{"code":-32002}})"}) == "not_found");
  CHECK(taken({R"({"id":1,"error":{}})"}) == "service");
  // An error about another call is not ours.
  CHECK(taken({R"({"id":5,"error":{"code":-32603}})", R"({"id":1,"result":3})"}) == "3");
}

TEST_CASE("a server's errors are told in its words, with what they mean") {
  struct Row {
    const char* message;
    const char* told;
    const char* hint;
  };
  for (const Row& row : {
           Row{R"({"id":1,"error":{"code":-32603,"message":"no disk"}})",
               "service: the server failed: no disk", ""},
           Row{R"({"id":1,"error":{"code":-32601,"message":"no such tool"}})",
               "service: the server rejected the call: no such tool", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"bad sekrit"}})",
               "service: the server rejected the call: bad …", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"Unknown slug: x"}})",
               "not_found: not found on the server: Unknown slug: x", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"unknown page"}})",
               "not_found: not found on the server: unknown page", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"There is no page x"}})",
               "not_found: not found on the server: There is no page x", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"no such page"}})",
               "not_found: not found on the server: no such page", ""},
           Row{R"({"id":1,"error":{"code":-32602,"message":"x does not exist"}})",
               "not_found: not found on the server: x does not exist", ""},
           Row{R"({"id":1,"error":{"code":-32602}})", "service: the server rejected the call", ""},
           Row{"7", "network: response is not a JSON-RPC message: must be an object: '7'",
               "Check the documentation URL with `svc doctor`."},
       }) {
    CAPTURE(row.message);
    RpcReader reader({"sekrit"});
    const auto read = reader.feed(row.message);
    REQUIRE_FALSE(read);
    CHECK(fault_name(read.error().fault) + std::string(": ") + read.error().message == row.told);
    CHECK(read.error().hint == row.hint);
  }
}

TEST_CASE("a tool's output") {
  const auto read = [](const char* result) {
    return read_tool_answer(result, std::vector<std::string>{"sekrit"});
  };
  const auto several = read(
      R"({"content":[{"type":"text","text":"A"},{"type":"image","data":"QQ=="},{"type":"text","text":"B\n"},)"
      R"({"type":"resource","resource":{"uri":"u","text":"C"}},{"type":"resource_link","uri":"https://x"},{}]})");
  REQUIRE(several);
  CHECK(several->text == "A\nB\n[resource u]\nC\n[resource https://x]\n[a part of type unknown]\n");
  REQUIRE(several->media.size() == 1);
  CHECK(several->media[0].type == "image/png");

  CHECK(read(R"({"content":[]})")->text.empty());
  CHECK(read(R"({"structuredContent":{"a":1}})")->text == "{\"a\":1}\n");
  CHECK(read("{}").error().fault == Fault::Network);
  CHECK(read("7").error().fault == Fault::Network);

  const auto failed =
      read(R"({"content":[{"type":"text","text":"It broke:\n sekrit"}],"isError":true})");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().fault == Fault::Service);
  CHECK(failed.error().message.find("sekrit") == std::string::npos);
  CHECK(failed.error().message.find('\n') == std::string::npos);
  CHECK(read(R"({"content":[{"type":"text","text":"No page named x"}],"isError":true})")
            .error()
            .fault == Fault::NotFound);
  CHECK(read(R"({"content":[],"isError":true})").error().fault == Fault::Service);
}
