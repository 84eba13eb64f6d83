// Lines of `svc chat --each`, and what fills a template.
#include "batch/record.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace svc;
using namespace svc::batch;
using namespace std::string_literals;

namespace {

const BodyFrame k_frame{R"({"model":"m","messages":[{"role":"user","content":)", "}]}"};

RecordReader reader(RecordOptions options = {}) {
  options.frame = k_frame;
  auto made = RecordReader::make(std::move(options));
  REQUIRE(made);
  return *std::move(made);
}

/// The ID and the body that a line becomes.
std::string taken(const RecordReader& from, const std::string& line) {
  CAPTURE(line);
  const ParsedRecord read = from.read(line, 7);
  for (const LineError& error : read.errors) CHECK(describe(error).empty());
  return read.id + " " + read.body;
}

std::vector<std::string> wrong(const RecordReader& from, const std::string& line) {
  std::vector<std::string> all;
  for (const LineError& error : from.read(line, 7).errors) all.push_back(describe(error));
  return all;
}

std::string ask(const std::string& prompt) {
  return k_frame.before + "\"" + prompt + "\"" + k_frame.after;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a string or a field is the prompt, with the ID beside it") {
  const RecordReader plain = reader();
  CHECK(taken(plain, R"("Hi")") == " " + ask("Hi"));
  CHECK(taken(plain, R"(  "a\u0041"  )") == " " + ask("aA"));
  CHECK(taken(plain, R"({"prompt":"Hi"})") == " " + ask("Hi"));
  CHECK(taken(plain, R"({"pro\u006dpt":3.50})") == " " + ask("3.50"));
  CHECK(taken(plain, R"({"id":" a ","custom_id":"b","prompt":"Hi"})") == "a " + ask("Hi"));
  CHECK(taken(plain, R"({"id":null,"custom_id":"b","prompt":"Hi"})") == "b " + ask("Hi"));
  CHECK(taken(plain, R"({"id":5,"prompt":"Hi"})") == "5 " + ask("Hi"));
  const RecordReader named = reader({.column = "text", .id_column = "key"});
  CHECK(taken(named, R"({"id":"a","key":"k","text":"Hi"})") == "k " + ask("Hi"));
}

TEST_CASE("a template takes other fields, and the prompt only if it names it") {
  const RecordReader both = reader({.text = "To {to}, {to}: {}"});
  CHECK(taken(both, R"({"to":"you","prompt":"Hi"})") == " " + ask("To you, you: Hi"));
  CHECK(wrong(both, R"({"prompt":"Hi"})") == Texts{"line 7: missing field 'to'"});
  CHECK(wrong(both, R"({"to":"you"})") == Texts{"line 7: missing field 'prompt'"});
  CHECK(wrong(both, R"("Hi")") == Texts{"line 7: a plain string has no field 'to' for the prompt"});
  const RecordReader other = reader({.text = "{a}-{b}"});
  CHECK(taken(other, R"({"a":"1","b":"2"})") == " " + ask("1-2"));
  CHECK(taken(other, R"({"a":"1","b":"2","prompt":" "})") == " " + ask("1-2"));
  CHECK_FALSE(RecordReader::make({.text = "{a"}));
}

TEST_CASE("each error of a record says where it is") {
  const RecordReader plain = reader();
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"7", "line 7, column 1: neither a JSON object nor a JSON string"},
      {"[\"a\"]", "line 7, column 1: neither a JSON object nor a JSON string"},
      {R"({"a":})", "line 7, column 6: expected a value, found '}'"},
      {"{\"a\0\":1}"s, "line 7, column 4: a NUL byte, which is not valid in text"},
      {R"(" ")", "line 7: the prompt is empty"},
      {R"({"prompt":""})", "line 7: the prompt is empty"},
      {R"({"text":"Hi"})", "line 7: missing field 'prompt'"},
      {R"({"prompt":"Hi","id":{}})", "line 7, column 21: the ID id must be a string or a number"},
      {R"({"prompt":"Hi","custom_id":[]})",
       "line 7, column 28: the ID custom_id must be a string or a number"},
      {R"({"messages":[]})", "line 7, column 13: 'messages' must be a non-empty array"},
      {R"({"messages":"x"})", "line 7, column 13: 'messages' must be a non-empty array"},
      {R"({"url":"/v1/images/generations","body":{}})",
       "line 7: a request for /v1/images/generations; only /v1/chat/completions can be sent "
       "individually"},
      {R"({"batch_request":{"responses":{"input":"x"}}})",
       "line 7: a request for /v1/responses; only /v1/chat/completions can be sent individually"},
      {R"({"url":"/v1/chat/completions"})", "line 7: 'body' is missing"},
  };
  for (const auto& [line, error] : rows) {
    CAPTURE(line);
    CHECK(wrong(plain, line) == Texts{error});
  }
  const RecordReader keyed = reader({.id_column = "key"});
  CHECK(wrong(keyed, R"({"id":"a","prompt":"Hi"})") == Texts{"line 7: missing field 'key'"});
  CHECK(wrong(keyed, R"({"key":null,"prompt":"Hi"})") == Texts{"line 7: missing field 'key'"});
}

TEST_CASE("a whole request has priority over the command line, but is not streamed") {
  const std::string said = R"("messages":[{"role":"user","content":"x"}])";
  const RecordReader plain = reader();
  CHECK(taken(plain, "{" + said + R"(,"stream":true,"id":"i","temperature":1})") ==
        R"(i {"model":"m",)" + said + R"(,"temperature":1})");
  CHECK(taken(plain, "{" + said + R"(,"custom_id":"c","model":"n"})") ==
        R"(c {"model":"n",)" + said + "}");
  CHECK(taken(reader({.id_column = "key"}), "{" + said + R"(,"key":"k"})") ==
        R"(k {"model":"m",)" + said + "}");
  CHECK(taken(plain, R"({"custom_id":"c","url":"/v1/chat/completions","body":{"stream":true,)" +
                         said + "}}") == R"(c {"model":"m",)" + said + "}");
  CHECK(taken(plain, R"({"batch_request":{"chat_get_completion":{"model":"n",)" + said + "}}}") ==
        R"( {"model":"n",)" + said + "}");
  // Without a frame there is nothing to begin with.
  auto bare = RecordReader::make({});
  REQUIRE(bare);
  CHECK(taken(*bare, "{" + said + "}") == " {" + said + "}");
}

TEST_CASE("a column is found by its name, or by its number from 1") {
  const Texts columns = {"a", "1", "c"};
  CHECK(find_column("--column", "a", columns).value() == 0);
  CHECK(find_column("--column", "1", columns).value() == 1);
  CHECK(find_column("--column", "2", columns).value() == 1);
  CHECK(find_column("--column", "3", columns).value() == 2);
  for (const char* none : {"0", "4", "-1", "b", ""}) {
    CAPTURE(none);
    const auto found = find_column("--column", none, columns);
    REQUIRE_FALSE(found);
    CHECK(found.error().message ==
          fmt::format("--column: unknown column '{}'; columns: a, 1, c", none));
  }
}

TEST_CASE("braces in a template") {
  const Texts columns = {"a", "b"};
  const Texts cells = {"one", "two"};
  const auto filled = [&](std::string_view text, std::size_t prompt = 0) {
    auto made = Template::parse(text, columns, prompt);
    REQUIRE(made);
    return made->fill(cells);
  };
  CHECK(filled("x") == "x");
  CHECK(filled("{}{}") == "oneone");
  CHECK(filled("<{prompt}|{b}|{a}>", 1) == "<two|two|one>");
  CHECK(filled("{{a}} }} {{{a}}}") == "{a} } {one}");
  CHECK(filled("a} b}") == "a} b}");
  for (const char* text : {"{", "x {a", "{{{"}) {
    CAPTURE(text);
    const auto made = Template::parse(text, columns, 0);
    REQUIRE_FALSE(made);
    CHECK(made.error().message == "the template has an unclosed '{'");
    CHECK(made.error().hint == "Use '{{' for a literal brace.");
  }
  CHECK(Template::parse("{c}", columns, 0).error().message ==
        "the template: unknown column 'c'; columns: a, b");
  const auto second = Template::parse("x{b}", columns, 0);
  REQUIRE(second);
  CHECK(second->uses(1));
  CHECK_FALSE(second->uses(0));
  CHECK(second->fill(Texts{"one"}) == "x");  // a row that is too short
}

TEST_CASE("a chat body keeps what is given before the prompt") {
  CHECK(ChatBody("{}", "m", "").with("a\"b") ==
        R"({"model":"m","messages":[{"role":"user","content":"a\"b"}]})");
  CHECK(
      ChatBody(R"({"model":"n","messages":[{"role":"user","content":"1"},{"x":2}],"top_p":1})", "m",
               "Be brief.")
          .with("p") ==
      R"({"model":"n","top_p":1,"messages":[{"role":"user","content":"1"},{"x":2},{"role":"system","content":"Be brief."},{"role":"user","content":"p"}]})");
}
