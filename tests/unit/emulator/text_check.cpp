#include <stdexcept>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulator/api/text/text.h"
#include "emulator/json/json.h"
#include "unit/emulator/text_support.h"

namespace svc::emulator::text {
namespace {

using svc::test::mentions;

std::string place(std::string_view document, std::vector<Step> path) {
  const Position position = locate(document, path);
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

// "path | reason | line:column", or "" if the body is valid.
std::string fault_of(const Type& type, const std::string& body) {
  const auto fault = check_type(parse_json(body), type, body);
  if (!fault) return {};
  return fault->path + " | " + fault->reason + " | " + std::to_string(fault->line) + ":" +
         std::to_string(fault->column);
}

std::string chat(const std::string& body) {
  return fault_of(request_type("chat"), body);
}

std::string responses(const std::string& body) {
  return fault_of(request_type("responses"), body);
}

TEST_CASE("types are parsed from their definitions") {
  const Types types(
      "part = @kind=a{a, b: {n!: count}}\n"
      "# a comment\n"
      "all = {word!: <x y.z 16:9>, list: [part], either: integer | texts, name}");
  const auto fault = [&](const std::string& body) { return fault_of(types["all"], body); };
  CHECK(fault(R"({"word":"16:9","list":[{"any":1},{"kind":"b","n":1}],"either":["a"]})").empty());
  CHECK(fault(R"({"word":"x","either":7,"name":"n","more":{}})").empty());
  CHECK(fault(R"({"name":"n"})") == "word | missing field `word` | 1:12");
  CHECK(fault(R"({"word":"y"})") ==
        "word | unknown variant `y`, expected one of `x`, `y.z`, `16:9` | 1:11");
  CHECK(fault(R"({"word":"x","list":[{"kind":"b"}]})") == "list[0].n | missing field `n` | 1:32");
  CHECK(fault(R"({"word":"x","either":true})") ==
        "either | invalid type: boolean `true`, expected i64 or a sequence | 1:25");
  CHECK(fault(R"({"word":"x","name":1})").starts_with("name | invalid type: integer `1`"));
  for (const char* wrong : {"a = b", "a", "a = {b: ", "a = [text", "a = {b text}", "a = @t text",
                            "a = <b", "a = text(1)", "a = text(1.."}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(Types{wrong}, std::logic_error);
  }
}

}  // namespace

TEST_CASE("a value out of its range counts once all types match") {
  const Types types(
      "all = {low: integer(1..), both: number(-2..2), name: text(1..), few: texts(..2)}");
  const auto reason = [&](const std::string& body) {
    const auto mismatch = check_type(parse_json(body), types["all"], body);
    return mismatch ? fmt::format("{} {}", mismatch->kind == SchemaMismatch::Kind::Range,
                                  mismatch->reason)
                    : "";
  };
  CHECK(reason(R"({"low":1,"both":-2,"name":"x","few":["a","b"]})").empty());
  CHECK(reason(R"({"low":0})") == "true low must be at least 1.");
  CHECK(reason(R"({"both":2.5})") == "true Invalid value for both: 2.5 is not between -2 and 2.");
  CHECK(reason(R"({"name":" "})") == "true name cannot be empty.");
  CHECK(reason(R"({"few":["a","b","c"]})") == "true Too many few: 3 given, at most 2 are allowed.");
  CHECK(reason(R"({"low":0,"name":1})").starts_with("false invalid type"));
}

TEST_CASE("a path leads to the last byte of its value") {
  CHECK(place(R"({"a":1,"b":[10,20,{"c":"x"}]})", {"a"}) == "1:6");
  CHECK(place(R"({"a":1,"b":[10,20,{"c":"x"}]})", {"b", std::size_t{1}}) == "1:17");
  CHECK(place(R"({"a":1,"b":[10,20,{"c":"x"}]})", {"b", std::size_t{2}, "c"}) == "1:26");
  CHECK(place(R"({"a":1,"b":[10,20,{"c":"x"}]})", {"b"}) == "1:28");
  CHECK(place("{\n  \"a\" : true ,\n  \"b\": \"}]\\\"\"\n}", {"a"}) == "2:12");
  CHECK(place("{\n  \"a\" : true ,\n  \"b\": \"}]\\\"\"\n}", {"b"}) == "3:13");
}

TEST_CASE("an unknown path gives the end of the last value found") {
  CHECK(place(R"({"a":{"b":1}} )", {"a", "missing"}) == "1:12");
  CHECK(place(R"([1,2])", {std::size_t{7}}) == "1:5");
  CHECK(place(R"({"a":1})", {"a", "deeper"}) == "1:6");
}

TEST_CASE("the last of duplicate members counts, and names may be escaped") {
  CHECK(place(R"({"a":1,"a":22})", {"a"}) == "1:13");
  CHECK(place(R"({"\u0061":1})", {"a"}) == "1:11");
}

TEST_CASE("locating stops at invalid JSON") {
  for (const std::string text :
       {"", "{", "{\"a", "{\"a\"", "{\"a\":", "[1,", "}", "\\", "{\"a\\"}) {
    CHECK(locate(text, std::vector<Step>{"a"}).line >= 1);
    CHECK(locate(text, std::vector<Step>{std::size_t{1}}).line >= 1);
  }
}

TEST_CASE("paths use dots and brackets") {
  CHECK(describe_path(std::vector<Step>{"messages", std::size_t{0}, "role"}) == "messages[0].role");
  CHECK(describe_path(std::vector<Step>{}) == ".");
}

TEST_CASE("a valid chat request") {
  CHECK(chat(R"({"messages":[]})") == "");
  CHECK(
      chat(R"({"model":"m","messages":[{"role":"user","content":"hi","unknown":1}],"what":[]})") ==
      "");
  // All optional fields may be null.
  CHECK(chat(R"({"messages":[],"stop":null,"tools":null,"stream":null,"response_format":null})") ==
        "");
  CHECK(chat(R"({"messages":[{"role":"assistant","content":null,"tool_calls":[
      {"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"1","content":[{"type":"input_text","text":"x"}]},
      {"role":"function","name":"f","content":"x"},{"role":"developer","content":"x"}]})") == "");
  CHECK(chat(R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},
      {"type":"image_url","image_url":{"url":"https://x","detail":"high"}},
      {"type":"file","file":{"file_id":"f"}}]}],
      "tools":[{"type":"function","function":{"name":"f","parameters":{}}},
               {"type":"live_search","sources":[{"type":"rss","links":["https://x"]}]}],
      "tool_choice":{"type":"function","function":{"name":"f"}},
      "response_format":{"type":"json_schema","json_schema":{"schema":{}}},
      "search_parameters":{"mode":"on","sources":[{"type":"web"},{"type":"x"},{"type":"news"}]},
      "stream_options":{"include_usage":true},"logit_bias":{"1":2},"temperature":1,
      "web_search_options":{"anything":[]},"seed":-3})") == "");
}

TEST_CASE("errors in a chat request contain path, reason and position") {
  CHECK(chat(R"({"model":"m"})") == "messages | missing field `messages` | 1:13");
  CHECK(chat("[]") == ". | invalid type: sequence, expected a map | 1:2");
  CHECK(chat("null") == ". | invalid type: null, expected a map | 1:4");
  CHECK(chat(R"({"messages":"hi"})") ==
        R"(messages | invalid type: string "hi", expected a sequence | 1:16)");
  CHECK(chat("{\"messages\":[\n{\"role\":\"robot\",\"content\":\"\"}]}") ==
        "messages[0].role | unknown variant `robot`, expected one of `system`, `developer`, "
        "`user`, `assistant`, `tool`, `function` | 2:15");
  CHECK(chat(R"({"messages":[{"content":""}]})") ==
        "messages[0].role | missing field `role` | 1:27");
  CHECK(chat(R"({"messages":[{"role":7,"content":""}]})") ==
        "messages[0].role | invalid type: integer `7`, expected a string | 1:22");
  CHECK(chat(R"({"messages":[{"role":"user"}]})") ==
        "messages[0].content | missing field `content` | 1:28");
  CHECK(chat(R"({"messages":[{"role":"user","content":null}]})") ==
        "messages[0].content | invalid type: null, expected a string or a sequence | 1:42");
  CHECK(chat(R"({"messages":[{"role":"user","content":[{"type":"audio"}]}]})")
            .starts_with("messages[0].content[0].type | unknown variant `audio`, expected one of "
                         "`text`, `image_url`, `file` |"));
  // Only a tool's result accepts the other names.
  CHECK(chat(R"({"messages":[{"role":"user","content":[{"type":"input_text","text":""}]}]})") !=
        "");
  CHECK(chat(R"({"messages":[{"role":"tool","content":""}]})")
            .starts_with("messages[0].tool_call_id | missing field"));
}

TEST_CASE("the limits of a request are those of its type") {
  const auto limits = [](sv type, const std::string& body) {
    return fault_of(request_type(type), body);
  };
  const auto search = [&](const std::string& members) {
    return limits("search", "{" + members + "}");
  };
  CHECK(search(R"("max_search_results":30)") == "");
  for (const char* count : {"0", "31"}) {
    CHECK(mentions(search(fmt::format(R"("max_search_results":{})", count)), "between 1 and 30"));
  }
  const auto source = [&](const char* members) {
    return search(fmt::format(R"("sources":[{{{}}}])", members));
  };
  CHECK(source(R"("type":"web","allowed_websites":["1","2","3","4","5"])") == "");
  CHECK(mentions(source(R"("type":"web","allowed_websites":["1","2","3","4","5","6"])"),
                 "sources[0].allowed_websites: 6 given, at most 5"));
  CHECK(mentions(source(R"("type":"rss","links":[])"), "links cannot be empty"));
  CHECK(mentions(source(R"("type":"rss","links":["a","b"])"), "at most 1"));
  const auto chat_with = [](const char* member) {
    return chat(fmt::format(R"({{"messages":[],{}}})", member));
  };
  CHECK(mentions(chat_with(R"("n":129)"), "between 1 and 128"));
  CHECK(mentions(chat_with(R"("presence_penalty":-2.01)"), "between -2 and 2"));
  CHECK(mentions(chat_with(R"("max_tokens":0)"), "at least 1"));
  CHECK(mentions(limits("completions", R"({"prompt":["a",""]})"), "prompt[1] cannot be empty"));
  CHECK(mentions(limits("storage", R"({"filename":"a","expires_after":2592001})"), "2592000"));
  CHECK(mentions(limits("client_secret", R"({"expires_after":{"seconds":3601}})"), "3600"));
  CHECK(mentions(limits("document_search", R"({"query":"q","source":{"collection_ids":[]}})"),
                 "collection_ids cannot be empty"));
}

TEST_CASE("numbers, words and booleans of the wrong type") {
  const auto with = [](const std::string& members) {
    return chat(R"({"messages":[],)" + members + "}");
  };
  CHECK(with(R"("n":1.5)") == "n | invalid type: floating point `1.5`, expected u32 | 1:22");
  CHECK(with(R"("n":-1)") == "n | invalid value: integer `-1`, expected u32 | 1:21");
  CHECK(with(R"("n":4294967296)") != "");
  CHECK(with(R"("max_tokens":4294967295)") == "");
  CHECK(with(R"("seed":18446744073709551615)") ==
        "seed | invalid value: integer `18446744073709551615`, expected i64 | 1:42");
  CHECK(with(R"("temperature":"hot")") ==
        R"(temperature | invalid type: string "hot", expected a number | 1:34)");
  CHECK(with(R"("stream":"yes")") ==
        R"(stream | invalid type: string "yes", expected a boolean | 1:29)");
  CHECK(with(R"("stop":"x")") == R"(stop | invalid type: string "x", expected a sequence | 1:25)");
  CHECK(with(R"("stop":["x",1])").starts_with("stop[1] | invalid type: integer `1`"));
  CHECK(with(R"("service_tier":"gold")").starts_with("service_tier | unknown variant `gold`"));
  CHECK(with(R"("stream_options":{})").starts_with("stream_options.include_usage | missing field"));
  CHECK(with(R"("response_format":{"type":"xml"})").starts_with("response_format.type | unknown"));
  CHECK(with(R"("response_format":{"type":"json_schema"})")
            .starts_with("response_format.json_schema | missing field"));
  CHECK(with(R"("tools":[{"type":"function","function":{"name":"f"}}])")
            .starts_with("tools[0].function.parameters | missing field"));
  CHECK(with(R"("tools":[{"type":"web_search"}])").starts_with("tools[0].type | unknown variant"));
  CHECK(with(R"("tool_choice":"always")").starts_with("tool_choice | unknown variant `always`"));
  CHECK(with(R"("tool_choice":5)")
            .starts_with("tool_choice | invalid type: integer `5`, expected a string or a map"));
  CHECK(with(R"("search_parameters":{"sources":[{"type":"rss"}]})")
            .starts_with("search_parameters.sources[0].links | missing field"));
}

TEST_CASE("a Responses request") {
  CHECK(responses(R"({"input":"hi"})") == "");
  CHECK(responses(R"({"input":[{"role":"user","content":"hi"},
      {"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},
      {"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
      {"type":"function_call_output","call_id":"c","output":"x"},
      {"type":"shell_call_output","call_id":"s","output":[{"stdout":"","stderr":"",
         "outcome":{"type":"exit","exit_code":0}}]},
      {"type":"compaction","encrypted_content":"x"},
      {"type":"reasoning","summary":[]},{"type":"web_search_call","action":{}},
      {"role":"user","content":[{"type":"input_image","image_url":"https://x"},
                                {"type":"input_file","file_id":"f"}]}],
      "tools":[{"type":"function","name":"f","parameters":{}},{"type":"web_search"},
               {"type":"x_search"},{"type":"code_interpreter"},{"type":"shell"},
               {"type":"file_search","vector_store_ids":["c"]},{"type":"tool_search"},
               {"type":"mcp","server_url":"https://m","server_label":"m"},
               {"type":"image_generation","action":"auto"}],
      "text":{"format":{"type":"json_schema","schema":{}}},"include":["no_inline_citations"],
      "tool_choice":{"type":"function","name":"f"}})") == "");
  CHECK(responses("{}") == "input | missing field `input` | 1:2");
  CHECK(responses(R"({"input":5})").starts_with("input | invalid type: integer `5`"));
  CHECK(responses(R"({"input":[{"role":"tool","content":""}]})")
            .starts_with("input[0].role | unknown variant `tool`"));
  CHECK(responses(R"({"input":[{"type":"letter"}]})").starts_with("input[0].type | unknown"));
  CHECK(responses(R"({"input":[{"role":"user","content":[{"type":"text","text":""}]}]})")
            .starts_with("input[0].content[0].type | unknown variant `text`"));
  CHECK(responses(R"({"input":[{"type":"function_call_output","output":""}]})")
            .starts_with("input[0].call_id | missing field"));
  CHECK(responses(R"({"input":"x","tools":[{"type":"function","function":{}}]})")
            .starts_with("tools[0].name | missing field"));
  CHECK(responses(R"({"input":"x","tools":[{"type":"mcp","server_url":"u"}]})")
            .starts_with("tools[0].server_label | missing field"));
  CHECK(responses(R"({"input":"x","tools":[{"type":"file_search"}]})")
            .starts_with("tools[0].vector_store_ids | missing field"));
  CHECK(responses(R"({"input":"x","include":["everything"]})")
            .starts_with("include[0] | unknown variant"));
  CHECK(fault_of(request_type("compact"), R"({"input":"x"})") ==
        "model | missing field `model` | 1:13");
}

TEST_CASE("the error has the service's text") {
  test::TextApi api;
  const Response response = api.chat(R"({"messages":[{"role":"robot"}]})");
  CHECK(response.status == 422);
  CHECK(response.content_type.starts_with("text/plain"));
  CHECK(response.body ==
        "Failed to deserialize the JSON body into the target type: messages[0].role: unknown "
        "variant `robot`, expected one of `system`, `developer`, `user`, `assistant`, `tool`, "
        "`function` at line 1 column 28");
}

TEST_CASE("invalid JSON is rejected before anything else") {
  test::TextApi api;
  CHECK(test::expect_error(api.chat(R"({"messages":)"), 400).find("line 1, column") !=
        std::string::npos);
  CHECK(test::expect_error(api.chat(R"({"messages":[],"temperature":1e999})"), 400) != "");
  const std::string deep = std::string(100'000, '[');
  CHECK(test::expect_error(api.chat(deep), 400) != "");
  CHECK(test::ok(api.chat("\xEF\xBB\xBF{\"model\":\"svc-4.5\",\"messages\":[{\"role\":\"user\","
                          "\"content\":\"x\"}]}"))["object"] == "chat.completion");
}

}  // namespace svc::emulator::text
