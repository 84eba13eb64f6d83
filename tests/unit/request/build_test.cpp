// From flags, --body and --set to the request.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "request/inputs.h"
#include "request/media.h"
#include "try.h"

using namespace svc;
using namespace svc::request;
using nlohmann::json;

namespace {

using Try = test::Attempt;
using test::k_png;
using test::TempFile;

}  // namespace

TEST_CASE("a prompt becomes one user message, with the default model and nothing else") {
  CHECK(Try("chat", "create", {{"prompt", "Hello"}}).body() ==
        json::parse(R"({"messages":[{"role":"user","content":"Hello"}],"model":"svc-4.5"})"));
}

TEST_CASE("the profile's model overrides the default, and the flag overrides both") {
  Try one("chat", "create", {{"prompt", "x"}});
  one.context.model = "svc-4.3";
  CHECK(one.body()["model"] == "svc-4.3");
  Try two("chat", "create", {{"prompt", "x"}, {"model", "svc-3"}});
  two.context.model = "svc-4.3";
  CHECK(two.body()["model"] == "svc-3");
}

TEST_CASE("system, messages and prompt come in that order") {
  const json body = Try("chat", "create",
                        {{"prompt", "And now?"},
                         {"message", "user:Hello"},
                         {"message", "assistant:Hi: there"},
                         {"system", "Be brief."},
                         {"messages", R"([{"role":"user","content":"first"}])"}})
                        .body();
  CHECK(body["messages"] == json::parse(R"([
    {"role":"system","content":"Be brief."},
    {"role":"user","content":"first"},
    {"role":"user","content":"Hello"},
    {"role":"assistant","content":"Hi: there"},
    {"role":"user","content":"And now?"}])"));
}

TEST_CASE("standard input is the prompt, or is appended to it") {
  CHECK(Try("chat", "create").piped("text\n").body()["messages"][0]["content"] == "text\n");
  CHECK(Try("chat", "create", {{"prompt", "Sum up"}})
            .piped("text")
            .body()["messages"][0]["content"] == "Sum up\n\ntext");
  CHECK(Try("chat", "create", {{"prompt", "-"}}).piped("text").body()["messages"][0]["content"] ==
        "text");
  CHECK(Try("chat", "create", {{"prompt", "x"}}).piped(" \n").body()["messages"][0]["content"] ==
        "x");
  CHECK(Try("chat", "create").piped("\xEF\xBB\xBFhi").body()["messages"][0]["content"] == "hi");
  CHECK(Try("responses", "create", {{"input", "a"}}).piped("b").body()["input"] == "a\n\nb");
}

TEST_CASE("binary standard input is rejected as text, and accepted as an image") {
  const std::string bytes = k_png + std::string("\0\xff", 2);
  CHECK(Try("chat", "create", {{"prompt", "x"}})
            .piped(bytes)
            .error()
            .message.find("standard input") != std::string::npos);
  const json body = Try("chat", "create", {{"prompt", "x"}, {"image", "-"}}).piped(bytes).body();
  CHECK(body["messages"][0]["content"][1]["image_url"]["url"].get<std::string>().starts_with(
      "data:image/png;base64,iVBOR"));
  CHECK(Try("chat", "create", {{"prompt", "-"}, {"image", "-"}})
            .piped(bytes)
            .error()
            .message.find("only be used once") != std::string::npos);
}

TEST_CASE("attachments become parts according to their type") {
  const TempFile picture(k_png, ".png");
  const TempFile note("a note", ".txt");
  const json chat = Try("chat", "create",
                        {{"prompt", "look"},
                         {"image", picture.path},
                         {"image", "https://example.com/a.jpg"},
                         {"file", "file_0001"},
                         {"file", note.path}})
                        .body()["messages"][0]["content"];
  CHECK(chat[0] == json::parse(R"({"type":"text","text":"look"})"));
  CHECK(chat[1]["type"] == "image_url");
  CHECK(chat[2]["image_url"]["url"] == "https://example.com/a.jpg");
  CHECK(chat[3] == json::parse(R"({"type":"file","file":{"file_id":"file_0001"}})"));
  CHECK(chat[4]["text"].get<std::string>().ends_with("\n\na note"));
  const json responses = Try("responses", "create",
                             {{"input", "look"},
                              {"image", "https://example.com/a.jpg"},
                              {"file", "file_0001"},
                              {"file", "https://example.com/a.pdf"}})
                             .body()["input"][0]["content"];
  CHECK(responses[0]["type"] == "input_text");
  CHECK(responses[1] ==
        json::parse(R"({"type":"input_image","image_url":"https://example.com/a.jpg"})"));
  CHECK(responses[2] == json::parse(R"({"type":"input_file","file_id":"file_0001"})"));
  CHECK(responses[3] ==
        json::parse(R"({"type":"input_file","file_url":"https://example.com/a.pdf"})"));
}

TEST_CASE("a text file is not an image") {
  const TempFile note("just text", ".png");
  CHECK(Try("chat", "create", {{"prompt", "x"}, {"image", note.path}})
            .error()
            .message.find("text/plain") != std::string::npos);
}

TEST_CASE("responses: plain text remains a string, anything more becomes items") {
  CHECK(Try("responses", "create", {{"input", "Hi"}}).body()["input"] == "Hi");
  CHECK(Try("responses", "create",
            {{"input-items", R"({"type":"function_call_output","call_id":"c","output":"1"})"}})
            .body()["input"] ==
        json::parse(R"([{"type":"function_call_output","call_id":"c","output":"1"}])"));
}

TEST_CASE("body, set and flags: each overrides the previous one") {
  Try merged("chat", "create", {{"prompt", "x"}, {"temperature", "0.3"}});
  merged.inputs.body = R"({"temperature":0.1,"seed":1,"unknown":{"a":1}})";
  merged.inputs.sets = {"temperature=0.2", "seed=2", "unknown.b=true", "user=anna"};
  const json body = merged.body();
  CHECK(body["temperature"] == 0.3);
  CHECK(body["seed"] == 2);
  CHECK(body["unknown"] == json::parse(R"({"a":1,"b":true})"));
  CHECK(body["user"] == "anna");
}

TEST_CASE("--set addresses array elements by number, at most one past the last") {
  const auto set = [](std::vector<std::string> sets) {
    Try merged("chat", "create", {{"prompt", "x"}});
    merged.inputs.body = R"({"a":[{"b":1},{"b":2}],"c":3})";
    merged.inputs.sets = std::move(sets);
    return merged;
  };
  CHECK(set({"a.1.b=5"}).body()["a"] == json::parse(R"([{"b":1},{"b":5}])"));
  CHECK(set({"a.2.b=7"}).body()["a"][2] == json::parse(R"({"b":7})"));
  CHECK(set({"a.3.b=7"}).error().message ==
        "'a.3.b' is not an element of the array with 2 elements");
  CHECK(set({"a.-1=7"}).error().message.find("with 2 elements") != std::string::npos);
  CHECK(set({"a.first=7"}).error().message.find("with 2 elements") != std::string::npos);
  CHECK(set({"c.d=7"}).error().message == "'c.d' cannot be set: a parent is not an object");
  const Error gap = set({"a..b=7"}).error();
  CHECK(gap.message == "'a..b' is not a field path");
  CHECK(gap.hint == "Join names with dots, such as text.format.type.");
}

TEST_CASE("a body must be a JSON object") {
  Try other("chat", "create", {{"prompt", "x"}});
  other.inputs.body = "[1]";
  CHECK(other.error().message == "--body must be a JSON object, not an array");
  other.inputs.body = "7";
  CHECK(other.error().message == "--body must be a JSON object, not a number");
  other.inputs.body = "-";
  CHECK(other.error().message == "--body is -, but standard input is empty");
}

TEST_CASE("repeated flags replace the body's array; messages are appended") {
  Try merged("chat", "create", {{"prompt", "x"}, {"stop", "A"}, {"stop", "B"}});
  merged.inputs.body = R"({"stop":["Z"],"messages":[{"role":"user","content":"before"}]})";
  const json body = merged.body();
  CHECK(body["stop"] == json::parse(R"(["A","B"])"));
  CHECK(body["messages"].size() == 2);
}

TEST_CASE("the body can come from standard input, which is then not the prompt") {
  Try piped("chat", "create");
  piped.inputs.body = "-";
  piped.piped(R"({"messages":[{"role":"user","content":"hi"}]})");
  CHECK(piped.body()["messages"].size() == 1);
}

TEST_CASE("numbers keep their type") {
  const json body =
      Try("chat", "create", {{"prompt", "x"}, {"temperature", "1"}, {"top-p", "0.5"}}).body();
  CHECK(body["temperature"].is_number_integer());
  CHECK(body["top_p"].is_number_float());
}

TEST_CASE("streaming is requested only if svc may choose") {
  Try plain("chat", "create", {{"prompt", "x"}});
  plain.context.stream_by_default = true;
  json body = plain.body();
  CHECK(body["stream"] == true);
  CHECK(body["stream_options"]["include_usage"] == true);
  CHECK(plain.build()->stream);

  Try asked("chat", "create", {{"prompt", "x"}, {"stream", "true"}});
  body = asked.body();
  CHECK(body["stream_options"]["include_usage"] == true);
  CHECK(asked.build()->stream);
  Try refused("chat", "create",
              {{"prompt", "x"}, {"stream", "true"}, {"stream-options-include-usage", "false"}});
  CHECK(refused.body()["stream_options"]["include_usage"] == false);

  Try several("chat", "create", {{"prompt", "x"}, {"n", "2"}});
  several.context.stream_by_default = true;
  CHECK_FALSE(several.body().contains("stream"));

  Try later("chat", "create", {{"prompt", "x"}, {"deferred", "true"}});
  later.context.stream_by_default = true;
  CHECK_FALSE(later.body().contains("stream"));

  Try not_now("responses", "create", {{"input", "x"}, {"stream", "false"}});
  not_now.context.stream_by_default = true;
  CHECK(not_now.body()["stream"] == false);
  CHECK_FALSE(not_now.build()->stream);
}

TEST_CASE("rules: conflicting and dependent flags") {
  CHECK(Try("chat", "create", {{"prompt", "x"}, {"deferred", "true"}, {"stream", "true"}})
            .error()
            .message == "--deferred and --stream cannot be combined");
  CHECK(
      Try("chat", "create", {{"prompt", "x"}, {"deferred", "true"}, {"stream", "false"}}).build());
  CHECK(Try("chat", "create", {{"prompt", "x"}, {"top-logprobs", "2"}}).error().message ==
        "--top-logprobs requires --logprobs");
  CHECK(Try("chat", "create", {{"prompt", "x"}, {"top-logprobs", "2"}, {"logprobs", "true"}})
            .build());
  CHECK(Try("responses", "create",
            {{"input", "x"}, {"instructions", "a"}, {"previous-response-id", "b"}})
            .error()
            .message == "--instructions and --previous-response-id cannot be combined");
}

TEST_CASE("counts") {
  CHECK(Try("chat", "create",
            {{"prompt", "x"},
             {"stop", "1"},
             {"stop", "2"},
             {"stop", "3"},
             {"stop", "4"},
             {"stop", "5"}})
            .error()
            .message == "--stop was given 5 times (maximum: 4)");
  Try many("chat", "create", {{"prompt", "x"}});
  std::string tools = "[";
  for (int i = 0; i < 129; ++i) tools += i == 0 ? "{}" : ",{}";
  many.inputs.given.push_back({find_field(*many.operation, "tools"), tools + "]"});
  CHECK(many.error().message.find("128") != std::string::npos);
}

TEST_CASE("errors for invalid values contain the flag, the value and what is allowed") {
  const auto message = [](const char* flag, const char* value) {
    return Try("chat", "create", {{"prompt", "x"}, {flag, value}}).error().message;
  };
  CHECK(message("temperature", "3") == "--temperature is out of range: '3' (allowed: 0 to 2)");
  CHECK(message("temperature", "hot") == "--temperature must be a number, 0 to 2, not 'hot'");
  CHECK(message("n", "0") == "--n is out of range: '0' (allowed: 1 or more)");
  CHECK(message("n", "1.5").find("an integer") != std::string::npos);
  CHECK(message("search-parameters-mode", "of") ==
        "--search-parameters-mode must be one of off, on, auto, not 'of'");
  CHECK(message("response-format", "{\"a\":}").find("line 1, column 6") != std::string::npos);
  CHECK(message("response-format", "@/nonexistent.json").find("/nonexistent.json") !=
        std::string::npos);
  CHECK(message("user", "\xff").find("UTF-8") != std::string::npos);
  CHECK(message("message", "usr:hi").find("ROLE") != std::string::npos);
  for (const char* value : {"", " 1", "NaN", "inf", "1e309", "0x10", "1_000", "-"}) {
    CAPTURE(value);
    CHECK(message("temperature", value).find("--temperature") == 0);
    CHECK(message("seed", value).find("--seed") == 0);
  }
}

TEST_CASE("a missing prompt is an error with an example") {
  CHECK(Try("chat", "create").error().message == "no prompt to send");
  CHECK(Try("responses", "create").error().hint.find("svc responses 'Hello'") != std::string::npos);
  CHECK(Try("chat", "create", {{"system", "only"}}).error().message == "no prompt to send");
}

TEST_CASE("path parameters are encoded and required") {
  CHECK(Try("chat", "deferred", {{"request-id", "a/b c"}}).build()->url ==
        "https://api.test/v1/chat/deferred-completion/a%2Fb%20c");
  CHECK(Try("chat", "deferred").error().message.find("--request-id is missing") == 0);
  CHECK(Try("chat", "deferred", {{"request-id", ""}}).error().message == "--request-id is empty");
  for (const char* none : {".", ".."}) {
    CHECK(Try("chat", "deferred", {{"request-id", none}}).error().message ==
          "--request-id is empty or not an ID");
  }
  CHECK(Try("chat", "deferred", {{"request-id", "..."}}).build());
}

TEST_CASE("query parameters") {
  CHECK(Try("responses", "inputs", {{"response-id", "r"}, {"order", "asc"}}).build()->url ==
        "https://api.test/v1/responses/r/input_items?order=asc&limit=100");
}

TEST_CASE("a list request asks for the first page") {
  const auto url = [](std::vector<std::pair<std::string, std::string>> flags) {
    Try list("files", "list");
    for (const auto& [flag, value] : flags) {
      list.inputs.given.push_back({find_field(*find_operation("files", "list"), flag), value});
    }
    return list.build()->url;
  };
  const std::string plain = "https://api.test/v1/files?order=desc";
  CHECK(url({}) == plain + "&limit=100");
  CHECK(url({{"limit", "7"}}) == plain + "&limit=7");
  CHECK(url({{"limit", "700"}}) == plain + "&limit=100");
  CHECK(url({{"limit", "9"}, {"page-size", "4"}}) == plain + "&limit=4");
  CHECK(url({{"all", "true"}, {"page-size", "4"}, {"pagination-token", "a&limit=5"}}) ==
        plain + "&limit=4&pagination_token=a%26limit%3D5");
  CHECK(Try("files", "list", {{"page-size", "101"}}).error().message.find("1 to 100") !=
        std::string::npos);
  CHECK(Try("batches", "requests", {{"batch-id", "b"}, {"page-size", "1001"}})
            .error()
            .message.find("1 to 1000") != std::string::npos);
}

TEST_CASE("the page in a URL is replaced, whatever the token contains") {
  const Paging& paging = *find_operation("batches", "results")->paging;
  std::string url = "https://api.test/v1/batches/b/results";
  set_page(url, paging, 10, "");
  CHECK(url == "https://api.test/v1/batches/b/results?limit=10");
  set_page(url, paging, 5, "x?limit=1&limit=2");
  set_page(url, paging, 7, "y z");
  CHECK(url == "https://api.test/v1/batches/b/results?limit=7&pagination_token=y%20z");
  url = "https://api.test/v1/files?filter=a%26limit%3D5";
  set_page(url, paging, 3, "");
  set_page(url, paging, 2, "t");
  CHECK(url == "https://api.test/v1/files?filter=a%26limit%3D5&limit=2&pagination_token=t");
}

TEST_CASE("dates and countries must exist, and dates must be in order") {
  const auto message = [](const char* group,
                          std::vector<std::pair<std::string, std::string>> flags) {
    Try one(group, "create", {{group == std::string("chat") ? "prompt" : "input", "x"}});
    for (const auto& [flag, value] : flags) {
      one.inputs.given.push_back({find_field(*find_operation(group, "create"), flag), value});
    }
    const auto built = one.build();
    return built ? std::string() : built.error().message;
  };
  for (const char* day : {"2024-02-29", "2026-12-31", "2000-02-29"}) {
    CHECK(message("chat", {{"from-date", day}}).empty());
  }
  for (const char* day : {"2026-02-30", "2025-02-29", "1900-02-29", "2026-13-01", "2026-00-10",
                          "2026-1-1", "2026-01-01T00:00:00Z", "today", "20260101", "2026-04-31"}) {
    CAPTURE(day);
    CHECK_FALSE(message("chat", {{"to-date", day}}).empty());
    CHECK_FALSE(message("responses", {{"from-date", day}}).empty());
  }
  for (const char* country : {"NO", "GB", "ZW", "AD", "no", "Gb"}) {
    CHECK(message("chat", {{"country", country}}).empty());
  }
  for (const char* country : {"Norway", "norway", "zz", "UK", "N", "O ", "D "}) {
    CHECK_FALSE(message("chat", {{"country", country}}).empty());
  }
  CHECK(message("chat", {{"from-date", "2026-01-01"}, {"to-date", "2026-01-01"}}).empty());
  CHECK(message("chat", {{"from-date", "2026-01-02"}, {"to-date", "2026-01-01"}}) ==
        "--from-date 2026-01-02 is after --to-date 2026-01-01");
  CHECK(message("responses", {{"from-date", "2026-01-02"}, {"to-date", "2026-01-01"}}) ==
        "--from-date 2026-01-02 is after --to-date 2026-01-01");
}

TEST_CASE("headers: custom ones are sent, a key in argv is rejected") {
  Try one("keys", "self");
  one.inputs.headers = {"X-Trace: 7"};
  CHECK(one.build()->headers[0].value == "7");
  one.inputs.headers = {"Authorization: Bearer x"};
  CHECK(one.error().hint.find("SVC_API_KEY") != std::string::npos);
  one.inputs.headers = {"X: a\r\nY: b"};
  one.error();
  one.inputs.headers = {"nothing"};
  one.error();
}

TEST_CASE("a required text may come from standard input") {
  CHECK(Try("tokenize", "").piped("Hello").body()["text"] == "Hello");
  CHECK(Try("tokenize", "", {{"text", "-"}}).piped("Hello").body()["text"] == "Hello");
  CHECK(Try("tokenize", "", {{"text", "Hi"}}).piped("unread").body()["text"] == "Hi");
  CHECK(Try("tokenize", "").error().message.find("--text is missing") == 0);
}

TEST_CASE("@file and its escape") {
  const TempFile prompt("from a file", ".txt");
  CHECK(Try("chat", "create", {{"prompt", "@" + prompt.path}}).body()["messages"][0]["content"] ==
        "from a file");
  CHECK(Try("chat", "create", {{"prompt", "\\@home"}}).body()["messages"][0]["content"] == "@home");
  CHECK(Try("chat", "create", {{"prompt", "x"}, {"user", "@home"}}).body()["user"] == "@home");
}

TEST_CASE("fields that the service ignores cause a warning") {
  const auto request = Try("chat", "create", {{"prompt", "x"}, {"max-tokens", "5"}}).build();
  REQUIRE(request->warnings.size() == 1);
  CHECK(request->warnings[0] == "--max-tokens is deprecated");
}

TEST_CASE("words and bare schemas are converted to the service's formats") {
  const auto chat = [](const char* value) {
    return Try("chat", "create", {{"prompt", "x"}, {"response-format", value}});
  };
  CHECK(chat("json_object").body()["response_format"] == json::parse(R"({"type":"json_object"})"));
  CHECK(
      chat(R"({"type":"object"})").body()["response_format"] ==
      json::parse(
          R"({"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}})"));
  CHECK(chat(R"({"type":"json_schema","json_schema":{"schema":{}}})")
            .body()["response_format"]["json_schema"] == json::parse(R"({"schema":{}})"));
  CHECK(chat("yaml").error().message.find("--response-format") == 0);
  CHECK(Try("responses", "create", {{"input", "x"}, {"text-format", R"({"type":"object"})"}})
            .body()["text"] ==
        json::parse(
            R"({"format":{"type":"json_schema","name":"answer","schema":{"type":"object"}}})"));
}

TEST_CASE("rules apply wherever the values come from") {
  Try both("chat", "create", {{"prompt", "x"}});
  both.inputs.body = R"({"stream":true,"deferred":true})";
  CHECK(both.error().message == "--deferred and --stream cannot be combined");
}

TEST_CASE("times are checked when the request is built") {
  CHECK(Try("chat", "create",
            {{"prompt", "x"}, {"deferred", "true"}, {"wait", "true"}, {"poll-interval", "soon"}})
            .error()
            .message.find("--poll-interval must be a duration such as 5s") == 0);
}

TEST_CASE("a literal value names neither a file nor standard input") {
  Try typed("chat", "create",
            {{"prompt", "-"}, {"system", "@/no/file"}, {"message", "user:\\@x"}, {"stop", "\\@"}});
  for (Given& given : typed.inputs.given) given.literal = true;
  const json messages = typed.body()["messages"];
  REQUIRE(messages.size() == 3);
  CHECK(messages[0]["content"] == "@/no/file");
  CHECK(messages[1]["content"] == "\\@x");
  CHECK(messages[2]["content"] == "-");
  CHECK(typed.body()["stop"] == json::array({"\\@"}));
  Try choice("chat", "create", {{"prompt", "x"}, {"tool-choice", "@/no/file"}});
  choice.inputs.given.back().literal = true;
  CHECK(choice.body()["tool_choice"] == "@/no/file");
}

TEST_CASE("a request knows what the user says in it") {
  Try one("chat", "create", {{"prompt", "Hi"}, {"system", "Be brief."}, {"message", "user:Well"}});
  one.context.thread.messages = {R"({"role":"user","content":"Before"})"};
  const auto built = build_request(*one.operation, one.inputs, one.context);
  REQUIRE(built.has_value());
  // --message belongs to the first request of a conversation.
  REQUIRE(built->said.size() == 1);
  CHECK(complete_body(built->said[0]).value() == R"({"role":"user","content":"Hi"})");
  CHECK(built->stored);
  CHECK(built->tools.empty());

  Try plain("responses", "create",
            {{"input", "Hi"}, {"store", "false"}, {"tools", R"({"type":"web_search"})"}});
  const auto sent = build_request(*plain.operation, plain.inputs, plain.context);
  REQUIRE(sent.has_value());
  REQUIRE(sent->said.size() == 1);
  CHECK(complete_body(sent->said[0]).value() == R"({"role":"user","content":"Hi"})");
  CHECK_FALSE(sent->stored);
  CHECK(sent->tools == R"([{"type":"web_search"}])");
}
