// A conversation shown again, and saved.
#include "conversation/transcript.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "catalogue/catalogue.h"

namespace svc::cli {
namespace {

ReplayStyle plain() {
  ReplayStyle style{.prompt = "> "};
  style.terminal.is_tty = style.terminal.utf8 = true;
  style.terminal.columns = 40;
  return style;
}

Spoken turn(const std::string& said, const std::string& answer) {
  return {.said = said,
          .messages = {fmt::format(R"({{"role":"user","content":"{}"}})", said),
                       fmt::format(R"({{"role":"assistant","content":"{}"}})", answer)},
          .answer = answer,
          .whole = true};
}

}  // namespace

TEST_CASE("turns are shown as they looked") {
  CHECK(replay({turn("one\\ntwo", "an **answer**\\n- x")}, plain(), 99).text ==
        "> one\n  two\nan **answer**\n• x\n\n");
  CHECK_FALSE(replay({turn("one\\ntwo", "an **answer**\\n- x")}, plain(), 99).cut);
  ReplayStyle raw = plain();
  raw.render = false;
  CHECK(replay({turn("a", "an **answer**\\n- x")}, raw, 99).text == "> a\nan **answer**\n- x\n\n");
  CHECK(replay({turn("a", "ends\\n")}, raw, 99).text == "> a\nends\n\n");
  CHECK(replay({turn("a", "\\u001b[2J")}, raw, 99).text == "> a\n^[[2J\n\n");
  // Not answered.
  CHECK(replay({{.said = "only this"}}, plain(), 99).text == "> only this\n\n");
}

TEST_CASE("reasoning and calls of tools are shown as notes") {
  Spoken spoken{.said = "time?"};
  spoken.messages = {
      R"({"role":"system","content":"be brief"})", R"({"role":"user","content":"time?"})",
      R"({"role":"assistant","reasoning_content":"hm","content":"I look.","tool_calls":[{"id":"c","type":"function","function":{"name":"clock","arguments":"{\"zone\":1}"}}]})",
      R"({"role":"tool","tool_call_id":"c","content":"noon"})",
      R"({"role":"assistant","content":"Noon."})"};
  ReplayStyle style = plain();
  CHECK(replay({spoken}, style, 99).text ==
        "> time?\nthought\nI look.\n[clock {\"zone\":1}]\nNoon.\n\n");
  style.reasoning = false;
  CHECK(replay({spoken}, style, 99).text == "> time?\nI look.\n[clock {\"zone\":1}]\nNoon.\n\n");
}

TEST_CASE("whole turns are left out, of a single long one its begin") {
  const std::vector<Spoken> all = {turn("1", "a"), turn("2", "b"), turn("3", "c")};
  const std::string two = "> 2\nb\n\n> 3\nc\n\n";
  CHECK(replay(all, plain(), 9).text == "> 1\na\n\n" + two);
  CHECK_FALSE(replay(all, plain(), 9).cut);
  for (const std::size_t lines : {6U, 7U, 8U}) {
    CHECK(replay(all, plain(), lines).text == two);
    CHECK(replay(all, plain(), lines).cut);
  }
  CHECK(replay(all, plain(), 3).text == "> 3\nc\n\n");
  CHECK(replay(all, plain(), 2).text == "c\n\n");
  CHECK(replay(all, plain(), 1).text == "\n");
  CHECK(replay(all, plain(), 1).cut);
}

TEST_CASE("a conversation is saved as Markdown and as JSON") {
  const Operation* chat = find_operation("chat", "create");
  Spoken first = turn("first", "An answer:\\n```sh\\nls");
  first.answer = "An answer:\n```sh\nls";
  first.attachments = {
      {find_field(*chat, "image"), "cat.png"},
      {find_field(*chat, "file"), "data:text/plain;base64," + std::string(60, 'a')}};
  first.whole = false;
  Spoken second = turn("second", "b");
  second.model = "svc-4";
  const std::vector<Spoken> all = {first, second, {.said = "third"}};
  CHECK(as_markdown(all) ==
        "## You\n\nfirst\n\n(image: cat.png)\n\n(file: data:text/plain;base64,aaaaaaaaaaaaaaaaa…)\n"
        "\n## Answer\n\nAn answer:\n```sh\nls\n```\n\n(The answer is incomplete.)\n"
        "\n## You\n\nsecond\n\n## svc-4\n\nb\n\n## You\n\nthird\n");
  const std::string json = as_json({second}, "chat", "svc-4.5", "");
  CHECK(json ==
        "{\n  \"operation\": \"chat\",\n  \"model\": \"svc-4.5\",\n  \"messages\": [\n    {\n      "
        "\"role\": \"user\",\n      \"content\": \"second\"\n    },\n    {\n      \"role\": "
        "\"assistant\",\n      \"content\": \"b\"\n    }\n  ]\n}\n");
  CHECK(as_json({}, "responses", "m", "resp_1").find("\"response_id\": \"resp_1\"") !=
        std::string::npos);
}

TEST_CASE("code blocks are found, whatever marks them") {
  using Blocks = std::vector<std::string>;
  CHECK(code_blocks("a\n```sh\nls -l\n```\nb\n~~~\nx\n\ny\n~~~\n") ==
        Blocks{"ls -l\n", "x\n\ny\n"});
  CHECK(code_blocks("````\n```\n````\n") == Blocks{"```\n"});
  CHECK(code_blocks("```\n``` no end\n```\n") == Blocks{"``` no end\n"});
  CHECK(code_blocks("```\nopen") == Blocks{"open\n"});
  CHECK(code_blocks("```\nopen\n") == Blocks{"open\n"});
  CHECK(code_blocks("```\n").empty());
  CHECK(code_blocks("none `here`").empty());
  CHECK(code_blocks("```\na\n```\nb\n~~~~\nz\n~~~\n~~~~\n") == Blocks{"a\n", "z\n~~~\n"});
  CHECK(code_blocks("- a\n# b\n> c\n| d |\n---\n1. e\n").empty());
  CHECK(closed_markdown("a\n~~~\nb") == "a\n~~~\nb\n~~~");
  CHECK(closed_markdown("a\n````\nb\n") == "a\n````\nb\n````");
  CHECK(closed_markdown("a\n```\nb\n```") == "a\n```\nb\n```");
}

}  // namespace svc::cli
