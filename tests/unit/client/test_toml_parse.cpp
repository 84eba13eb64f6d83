#include <doctest/doctest.h>

#include "client/toml.h"

using namespace svc;

namespace {

/// The tree on one line: {a: "x", b: [1, 2]}.
std::string dump(const TomlNode& node) {
  const bool table = node.is_table();
  if (!table && node.type != TomlNode::Type::Array) {
    return node.type == TomlNode::Type::Text ? toml_quote(node.text) : node.text;
  }
  std::string out;
  for (const TomlNode& one : node.children) {
    out += (out.empty() ? "" : ", ") + (table ? one.key + ": " : "") + dump(one);
  }
  return (table ? "{" : "[") + out + (table ? "}" : "]");
}

std::string read(std::string_view text) {
  const auto tree = parse_toml("f", text);
  if (!tree) return tree.error().message;
  // What is written has the same values.
  const auto again = parse_toml("f", toml_text(*tree));
  CHECK_MESSAGE((again && *again == *tree), toml_text(*tree));
  return dump(*tree);
}

}  // namespace

TEST_CASE("values of every type") {
  CHECK(read("") == "{}");
  CHECK(read("\xEF\xBB\xBF# é\r\na = 1\r\n") == "{a: 1}");
  CHECK(read("a=+1_000\nb=-2\nc=0xFf\nd=0o17\ne=0b101\nf=1.50\ng=6.02e+23\nh=true\ni=-inf") ==
        "{a: 1000, b: -2, c: 255, d: 15, e: 5, f: 1.50, g: 6.02e+23, h: true, i: -inf}");
  CHECK(read("a = 1979-05-27 07:32:00Z # b\nb = 07:32:00\nc = 1979-05-27 # d") ==
        "{a: 1979-05-27 07:32:00Z, b: 07:32:00, c: 1979-05-27}");
  CHECK(read("a = [ 1, # one\n  'x', [], {b = 2},\n]") == "{a: [1, \"x\", [], {b: 2}]}");
  CHECK(read("a = { }\nb = {  c=1 ,\td=2  } # e\n") == "{a: {}, b: {c: 1, d: 2}}");
  CHECK(read("a = {}\nb = { c.d = 1, \"e f\" = [2] }") == "{a: {}, b: {c: {d: 1}, e f: [2]}}");
}

TEST_CASE("strings of every kind") {
  CHECK(read("a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00E9\\U0001F600é\"") ==
        read("a = \"\\u0008\\u0009\\u000A\\u000C\\u000D\\u0022\\u005Cé\U0001F600\u00e9\""));
  CHECK(read("a = 'é\\n\"'") == "{a: \"é\\\\n\\\"\"}");
  CHECK(read("a = \"\"\"\nx \\  \n\n  y\"\"\"\"\"") == "{a: \"x y\\\"\\\"\"}");
  CHECK(read("a = '''\r\nx\\\n''y'''''\nb = ''") == "{a: \"x\\\\\\u000A''y''\", b: \"\"}");
}

TEST_CASE("tables, in any notation") {
  CHECK(read("a.b.c = 1\na.b.d = 2\n[e.f]\n[e]\ng = 3\n['x.y'.\"z\"]\n") ==
        "{a: {b: {c: 1, d: 2}}, e: {f: {}, g: 3}, x.y: {z: {}}}");
  CHECK(read("[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2\n[[a.e]]\n") ==
        "{a: [{b: 1}, {c: {d: 2}, e: [{}]}]}");
}

TEST_CASE("what is not TOML is rejected with its position") {
  const std::pair<const char*, const char*> k_rows[] = {
      {"a = 1\na = 2\n", "2, column 1"},
      {"[a]\n[a]\n", "2, column 1"},
      {"a = 1\n[a]\n", "2, column 1"},
      {"a = []\n[[a]]\n", "2, column 1"},
      {"a = {b = 1}\n[a.c]\n", "2, column 1"},
      {"a = {b = 1}\na.c = 2\n", "2, column 1"},
      {"[a.b]\n[a]\nb.c = 1\n", "3, column 1"},
      {"a.b = 1\n[a]\n", "2, column 1"},
      {"a = 1 2\n", "1, column 7"},
      {"a = x\n", "1, column 5"},
      {"a = 5s\n", "1, column 5"},
      {"a = 0xg\n", "1, column 5"},
      {"a = 0x1g\n", "1, column 5"},
      {"a = 0x10000000000000000\n", "1, column 5"},
      {"a = \"x\n", "1, column 5"},
      {"a = '''x\n", "1, column 5"},
      {"é = 1\n", "1, column 1"},
      {"a é = 1\n", "1, column 3"},
      {"a = \"é\\q\"\n", "1, column 7"},
      {"a = \"\\ud800\"\n", "1, column 6"},
      {"a = \"\\u00\"\n", "1, column 6"},
      {"a = \"\x01\"\n", "1, column 6"},
      {"# \x01\n", "1, column 3"},
      {"a = \"é\xff\"\n", "1, column 7"},
      {"a = [1 2]\n", "1, column 8"},
      {"a = [1,,2]\n", "1, column 8"},
      {"a = [1\n", "2, column 1"},
      {"a = {b = 1,}\n", "1, column 12"},
      {"a = {b = 1\n}\n", "1, column 11"},
      {"[a\n", "1, column 3"},
      {"[]\n", "1, column 2"},
      {"[[a]\n", "1, column 4"},
      {"a\n", "1, column 2"},
      {"= 1\n", "1, column 1"},
      {"a = \n", "1, column 5"},
      {"a = 1\rb = 2\n", "1, column 6"},
  };
  for (const auto& [text, position] : k_rows) {
    CAPTURE(text);
    const std::string message = read(text);
    CHECK_MESSAGE(message.starts_with(std::string("f is not valid TOML: line ") + position + ":"),
                  message);
  }
  CHECK_FALSE(parse_toml("f", "a = " + std::string(100'000, '[')));
}
