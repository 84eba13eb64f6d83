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

TEST_CASE("numbers that are none") {
  CHECK(read("a = [inf, +inf, -inf, nan, +nan, -nan, +5, -5]") ==
        "{a: [inf, inf, -inf, nan, nan, -nan, 5, -5]}");
  for (const char* word : {"xinf", "5nan", "--inf", "+-inf", "+-1", "++1", "infx", "0b2", "0o8",
                           "0x", "1979-05-2x", "07:3x:00"}) {
    CAPTURE(word);
    CHECK(read("a = " + std::string(word) + "\n") ==
          "f is not valid TOML: line 1, column 5: '" + std::string(1, *word) +
              "' does not begin a value; text needs quotes");
  }
}

TEST_CASE("trees are equal if they have the same names and values, in any order of names") {
  const auto tree = [](std::string_view text) { return *parse_toml("f", text); };
  CHECK(tree("a = 1\nb = 2") == tree("b = 2\na = 1"));
  CHECK(tree("a = {b = 1}") == tree("[a]\nb = 1"));
  CHECK_FALSE(tree("a = 1") == tree("a = 2"));
  CHECK_FALSE(tree("a = 1") == tree("a = \"1\""));
  CHECK_FALSE(tree("a = 1") == tree("b = 1"));
  CHECK_FALSE(tree("a = 1") == tree("a = 1\nb = 2"));
  CHECK_FALSE(tree("a = [1, 2]") == tree("a = [2, 1]"));
  CHECK_FALSE(tree("a = [1]") == tree("a = [1, 1]"));
}

TEST_CASE("a tree is written with its own values before its tables") {
  CHECK(toml_text(*parse_toml("f", "[a]\nb = 1\n[a.c]\n[a.d]\ne = ['x', {y = 2}]\n'f g' = true")) ==
        "[a]\nb = 1\n\n[a.c]\n\n[a.d]\ne = [\"x\", {y = 2}]\n\"f g\" = true\n");
  CHECK(toml_text(*parse_toml("f", "z = 1\n[a.b]\n[y]\nx = 2")) ==
        "z = 1\n\n[a.b]\n\n[y]\nx = 2\n");
  CHECK(toml_text({}).empty());
}

TEST_CASE("each name has the line on which it begins") {
  const TomlNode tree = *parse_toml("f", "a = 1\n\n[b]\nc = \"\"\"\nx\"\"\"\nd = [\n1,\n2]");
  CHECK(tree.find("a")->line == 1);
  CHECK(tree.find("b")->line == 3);
  CHECK(tree.find("b")->find("c")->line == 4);
  CHECK(tree.find("b")->find("d")->line == 6);
  CHECK(tree.find("b")->find("d")->children[1].line == 8);
  CHECK(tree.find("c") == nullptr);
  CHECK(tree.find("a")->find("a") == nullptr);
}

TEST_CASE("strings of every kind") {
  CHECK(read("a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00E9\\U0001F600é\"") ==
        read("a = \"\\u0008\\u0009\\u000A\\u000C\\u000D\\u0022\\u005Cé\U0001F600\u00e9\""));
  CHECK(read("a = \"\\ud7ff\\ue000\\U0010ffff \t\" # \t\xC2\x80") ==
        read("a = '\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF \t'"));
  CHECK(read("a = '''\nb\r\n\tc'''") == "{a: \"b\\u000D\\u000A\\u0009c\"}");
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
      {"a = 1\na = 2\n", "2, column 1: 'a' begins a name that is already defined"},
      {"[a]\n[a]\n", "2, column 1: '[' begins a table that is already defined"},
      {"[a.b]\n[a]\n[a]\n", "3, column 1: '[' begins a table that is already defined"},
      {"a = \"\"\"b\"\"\"\"\"\"\n", "1, column 14: '\"' is unexpected here"},
      {"a = '''b\rc'''\n", "1, column 9: '^M' is not allowed in a string; use an escape"},
      {"a = 'b\r'\n", "1, column 7: '^M' is not allowed in a string; use an escape"},
      {"a = 1\n[a]\n", "2, column 1: '[' begins a table that is already defined"},
      {"a = []\n[[a]]\n", "2, column 1: '[' begins a table that is already defined"},
      {"a = {b = 1}\n[a.c]\n", "2, column 1: '[' begins a table that is already defined"},
      {"a = {b = 1}\na.c = 2\n", "2, column 1: 'a' begins a name that is already defined"},
      {"[a.b]\n[a]\nb.c = 1\n", "3, column 1: 'b' begins a name that is already defined"},
      {"a.b = 1\n[a]\n", "2, column 1: '[' begins a table that is already defined"},
      {"a = 1 2\n", "1, column 7: '2' is unexpected here"},
      {"a = x\n", "1, column 5: 'x' does not begin a value; text needs quotes"},
      {"a = 5s\n", "1, column 5: '5' does not begin a value; text needs quotes"},
      {"a = 0xg\n", "1, column 5: '0' does not begin a value; text needs quotes"},
      {"a = 0x1g\n", "1, column 5: '0' does not begin a value; text needs quotes"},
      {"a = 0x10000000000000000\n", "1, column 5: '0' does not begin a value; text needs quotes"},
      {"a = \"x\n", "1, column 5: '\"' begins a string that does not end"},
      {"a = '''x\n", "1, column 5: ''' begins a string that does not end"},
      {"é = 1\n", "1, column 1: 'é' is not allowed in a name without quotes"},
      {"a é = 1\n", "1, column 3: 'é' is unexpected; a name needs '=' and a value"},
      {"a = \"é\\q\"\n", "1, column 7: '\\' begins an invalid escape"},
      {"a = \"\\ud800\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\\u00\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\x01\"\n", "1, column 6: '^A' is not allowed in a string; use an escape"},
      {"# \x01\n", "1, column 3: '^A' is not allowed in a comment"},
      {"# \x1f\n", "1, column 3: '^_' is not allowed in a comment"},
      {"a = \"\x7f\"\n", "1, column 6: '^?' is not allowed in a string; use an escape"},
      {"a = \"\\udfff\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\\U00110000\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\\u00g0\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\\U0000000\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\\\n\"\n", "1, column 6: '\\' begins an invalid escape"},
      {"a = \"\"\"\\ x\"\"\"\n", "1, column 8: '\\' begins an invalid escape"},
      {"a = \"\\", "1, column 6: '\\' begins an invalid escape"},
      {"a.[b]\n", "1, column 3: '[' is not allowed in a name without quotes"},
      {"[a]]\n", "1, column 4: ']' is unexpected here"},
      {"[a.b]\n[[a.b]]\n", "2, column 1: '[' begins a table that is already defined"},
      {"[[a]]\n[a]\n", "2, column 1: '[' begins a table that is already defined"},
      {"a = '''\rb'''\n", "1, column 8: '^M' is not allowed in a string; use an escape"},
      {"a = \"é\xff\"\n", "1, column 7: '�' is not UTF-8"},
      {"a = [1 2]\n", "1, column 8: '2' is unexpected in an array"},
      {"a = [1,,2]\n", "1, column 8: ',' does not begin a value; text needs quotes"},
      {"a = [1\n", "2, column 1: the end is unexpected in an array"},
      {"a = {b = 1,}\n", "1, column 12: '}' is not allowed in a name without quotes"},
      {"a = {b = 1\n}\n", "1, column 11: '^J' is unexpected in an inline table"},
      {"[a\n", "1, column 3: '^J' is unexpected in a table's name"},
      {"[]\n", "1, column 2: ']' is not allowed in a name without quotes"},
      {"[[a]\n", "1, column 4: ']' is unexpected in a table's name"},
      {"a\n", "1, column 2: '^J' is unexpected; a name needs '=' and a value"},
      {"= 1\n", "1, column 1: '=' is not allowed in a name without quotes"},
      {"a = \n", "1, column 5: '^J' does not begin a value; text needs quotes"},
      {"a = 1\rb = 2\n", "1, column 6: '^M' is unexpected here"},
      {"a = ", "1, column 5: the end is unexpected; a value is missing"},
      {"a = [1,", "1, column 8: the end is unexpected; a value is missing"},
      {"a = {b = 1 c = 2}\n", "1, column 12: 'c' is unexpected in an inline table"},
      {"a = 'x\n'\n", "1, column 5: ''' begins a string that does not end"},
      {"a = 1 # \x7f\n", "1, column 9: '^?' is not allowed in a comment"},
      {"\"a\" b = 1\n", "1, column 5: 'b' is unexpected; a name needs '=' and a value"},
      {"'a = 1\n", "1, column 1: ''' begins a string that does not end"},
  };
  for (const auto& [text, refusal] : k_rows) {
    CAPTURE(text);
    CHECK(read(text) == std::string("f is not valid TOML: line ") + refusal);
  }
  const auto deep = parse_toml("f", "a = " + std::string(100'000, '['));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().message == "f is not valid TOML: line 1, column 105: '[' is nested too deep");
  CHECK(parse_toml("f", "a = " + std::string(100, '[') + std::string(100, ']')));
  CHECK_FALSE(parse_toml("f", "a = " + std::string(101, '[') + std::string(101, ']')));
  std::string wide = "a = [";
  for (int i = 0; i < 200; ++i) wide += "[],";
  CHECK(parse_toml("f", wide + "]"));
  const auto end = parse_toml("f\x1b", "a = [1\n");
  REQUIRE_FALSE(end);
  CHECK(end.error().fault == Fault::Usage);
  CHECK(end.error().message ==
        "f^[ is not valid TOML: line 2, column 1: the end is unexpected in an array");
  CHECK(end.error().hint ==
        "Fix that line, or move the file away and set the values again with `svc config set`.");
}
