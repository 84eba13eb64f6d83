#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"
#include "json/scanner.h"
#include "json/text.h"

namespace svc {
namespace {

struct Written {
  std::string text{};
  std::optional<JsonParseError> fault{};
  std::size_t longest_chunk = 0;
};

Written written(sv text, const JsonStyle& style) {
  Written out;
  out.fault = reformat_json(text, style, [&](sv chunk) {
    out.text += chunk;
    out.longest_chunk = std::max(out.longest_chunk, chunk.size());
  });
  return out;
}

std::string compact(sv text) {
  const Written out = written(text, {JsonLayout::Compact});
  REQUIRE_MESSAGE(!out.fault, text);
  return out.text;
}

std::string pretty(sv text) {
  const Written out = written(text, {JsonLayout::Pretty});
  REQUIRE_MESSAGE(!out.fault, text);
  return out.text;
}

std::string nested(std::size_t depth, sv open, sv inner, sv close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST_CASE("valid JSON") {
  for (const sv text : {"0",
                        "-0",
                        "1.5e+10",
                        "1E400",
                        "123456789012345678901234567890",
                        "\"\"",
                        "true",
                        "false",
                        "null",
                        "[]",
                        "{}",
                        " [ ] ",
                        "\t{\r\n}\n",
                        "[1,2]",
                        "{\"a\":{\"b\":[null]}}",
                        "{\"a\":1,\"a\":2}",
                        "{\"\":0}",
                        "\"\\u0000\\ud800\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                        "\"ä€😀\"",
                        "\"\x7f\"",
                        "\xEF\xBB\xBF{}"}) {
    CAPTURE(text);
    CHECK_FALSE(check_json(text));
  }
}

TEST_CASE("invalid JSON, with position and reason") {
  const struct {
    sv text;
    sv why;
  } rows[] = {
      {"", "line 1, column 1: expected a value, found the end of the text"},
      {" \n", "line 2, column 1: expected a value, found the end of the text"},
      {"\xEF\xBB\xBF", "line 1, column 1: expected a value, found the end of the text"},
      {"\xEF\xBB\xBF}", "line 1, column 1: expected a value, found '}'"},
      {"}", "line 1, column 1: expected a value, found '}'"},
      {"[1,]", "line 1, column 4: expected a value, found ']'"},
      {"[,1]", "line 1, column 2: expected a value or ']', found ','"},
      {"[1 2]", "line 1, column 4: expected ',' or ']', found '2'"},
      {"[1}", "line 1, column 3: expected ',' or ']', found '}'"},
      {"[", "line 1, column 2: expected a value or ']', found the end of the text"},
      {"{", "line 1, column 2: expected a name in double quotes or '}', found the end of the text"},
      {"{\"a\":1,}", "line 1, column 8: expected a name in double quotes, found '}'"},
      {"{a:1}", "line 1, column 2: expected a name in double quotes or '}', found 'a'"},
      {"{'a':1}",
       "line 1, column 2: expected a name in double quotes or '}', found a single quote (JSON "
       "requires "
       "double quotes)"},
      {"{\"a\" 1}", "line 1, column 6: expected ':' after the name, found '1'"},
      {"{\"a\":}", "line 1, column 6: expected a value, found '}'"},
      {"{\"a\":1]", "line 1, column 7: expected ',' or '}', found ']'"},
      {"{1:2}", "line 1, column 2: expected a name in double quotes or '}', found '1'"},
      {"1 2", "line 1, column 3: expected the end of the text, found '2'"},
      {"{} x", "line 1, column 4: expected the end of the text, found 'x'"},
      {"True", "line 1, column 1: expected a value, found 'True'"},
      {"nul", "line 1, column 1: expected a value, found 'nul'"},
      {"nullx", "line 1, column 1: expected a value, found 'nullx'"},
      {"[NaN]", "line 1, column 2: expected a value or ']', found 'NaN'"},
      {"-Infinity", "line 1, column 2: expected a digit after '-'"},
      {"+1", "line 1, column 1: expected a value, found '+'"},
      {".5", "line 1, column 1: expected a value, found '.'"},
      {"5.", "line 1, column 3: expected a digit after '.'"},
      {"1e", "line 1, column 3: expected a digit in the exponent"},
      {"1e+", "line 1, column 4: expected a digit in the exponent"},
      {"01", "line 1, column 1: leading zeros are not allowed in a number"},
      {"-01", "line 1, column 2: leading zeros are not allowed in a number"},
      {"0x10", "line 1, column 2: expected the end of the text, found 'x'"},
      {"// no", "line 1, column 1: expected a value, found '/'"},
      {"{\n  \"a\": 1,\r\n  b\r}", "line 3, column 3: expected a name in double quotes, found 'b'"},
      {"\r\r!", "line 3, column 1: expected a value, found '!'"},
      {"\"abc", "line 1, column 5: unterminated string"},
      {"\"abc\\", "line 1, column 6: unterminated string"},
      {"\"\\u12", "line 1, column 6: unterminated string"},
      {"\"\\x", "line 1, column 2: unknown escape in a string; write a backslash as \\\\"},
      {"\"\\x\"", "line 1, column 2: unknown escape in a string; write a backslash as \\\\"},
      {"\"\\u12g4\"", "line 1, column 2: \\u must be followed by four hexadecimal digits"},
      {"\"a\nb\"",
       "line 1, column 3: control character in a string; use an escape, such as \\n or "
       "\\u0000"},
      {"\"\xC0\xAF\"", "line 1, column 2: the text is not valid UTF-8"},
      {"\"\xED\xA0\x80\"", "line 1, column 2: the text is not valid UTF-8"},
      {"\xFF", "line 1, column 1: expected a value, found a byte that is not valid UTF-8"},
      {"\x1b[2J", "line 1, column 1: expected a value, found U+001B"},
      {"\u202e", "line 1, column 1: expected a value, found U+202E"},
      {"\U000e0041", "line 1, column 1: expected a value, found U+E0041"},
      {"ä", "line 1, column 1: expected a value, found 'ä'"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto fault = check_json(row.text);
    REQUIRE(fault);
    CHECK(describe(*fault) == row.why);
    CHECK(fault->offset <= row.text.size());
  }
  CHECK(check_json(sv("\0", 1))->reason == "expected a value, found U+0000");
  CHECK(check_json(std::string(1000, 'x'))->reason.size() < 60);
}

TEST_CASE("depth is capped") {
  const auto limit = static_cast<std::size_t>(k_max_json_depth);
  CHECK_FALSE(check_json(nested(limit, "[", "1", "]")));
  CHECK_FALSE(check_json(nested(limit, "{\"a\":", "1", "}")));
  const auto fault = check_json(nested(limit + 1, "[", "1", "]"));
  REQUIRE(fault);
  CHECK(fault->offset == limit);
  CHECK(fault->reason == "nested deeper than 512 levels");
  CHECK(check_json(nested(200'000, "[", "", "]")));
  CHECK(check_json(nested(200'000, "{\"a\":", "1", "}")));
  CHECK(compact(nested(limit, "[", "", "]")) == nested(limit, "[", "", "]"));
}

TEST_CASE("the compact layout only removes whitespace") {
  CHECK(compact(" { \"a\" : [ 1 , 2.50 , { } ] ,\n\"b\\u0041\" : null } ") ==
        "{\"a\":[1,2.50,{}],\"b\\u0041\":null}");
  CHECK(compact("\xEF\xBB\xBF 1 ") == "1");
  CHECK(compact("[ ]") == "[]");
}

TEST_CASE("pretty layout") {
  CHECK(pretty("{\"a\":1,\"b\":[1,[2],{}],\"c\":{\"d\":[]}}") ==
        "{\n"
        "  \"a\": 1,\n"
        "  \"b\": [\n"
        "    1,\n"
        "    [\n"
        "      2\n"
        "    ],\n"
        "    {}\n"
        "  ],\n"
        "  \"c\": {\n"
        "    \"d\": []\n"
        "  }\n"
        "}");
  CHECK(pretty("[]") == "[]");
  CHECK(pretty(" \"x\" ") == "\"x\"");
  CHECK(pretty("[[]]") == "[\n  []\n]");
}

TEST_CASE("tokens are unchanged byte for byte") {
  const sv text =
      R"({"n":123456789012345678901234567890,"n":1e400,"z":-0.0,"e":1E+05,"s":"\u00e4\/ä\ud800"})";
  CHECK(compact(text) == text);
  CHECK(compact(pretty(text)) == text);
}

TEST_CASE("colors") {
  const Written out = written(R"({"a":["s",1,true,null,{}]})", {JsonLayout::Compact, true});
  CHECK(out.text ==
        "{\x1b[34;1m\"a\"\x1b[0m:[\x1b[32m\"s\"\x1b[0m,\x1b[36m1\x1b[0m,\x1b[33mtrue\x1b[0m,"
        "\x1b[33mnull\x1b[0m,{}]}");
}

TEST_CASE("ill-formed UTF-8 becomes U+FFFD") {
  CHECK(compact("[\"a\xC0\xAF"
                "b\xE2\x82\"]") == "[\"a\uFFFD\uFFFDb\uFFFD\"]");
  CHECK(compact("{\"\xFF\":\"\xED\xA0\x80\"}") == "{\"\uFFFD\":\"\uFFFD\uFFFD\uFFFD\"}");
}

TEST_CASE("invisible code points become escapes on request") {
  const sv text = "[\"\x7f\u009b\u202e\u200b\U000e0041ä😀\"]";
  CHECK(compact(text) == text);
  const Written out = written(text, {JsonLayout::Compact, false, true});
  CHECK(out.text == "[\"\\u007f\\u009b\\u202e\\u200b\\udb40\\udc41ä😀\"]");
  const Written mixed = written("[\"\xFF\u202e\xC0\"]", {JsonLayout::Compact, false, true});
  CHECK(mixed.text == "[\"\uFFFD\\u202e\uFFFD\"]");
  const Written again = written(out.text, {JsonLayout::Compact, false, true});
  CHECK(again.text == out.text);
}

TEST_CASE("nothing is written after the first error") {
  const Written out = written("{\"a\":[1,tru,2]}", {JsonLayout::Compact});
  REQUIRE(out.fault);
  CHECK(out.fault->offset == 8);
  CHECK(out.text == "{\"a\":[1");
  const Written cut = written("[\"whole\",\"ha", {JsonLayout::Compact, true});
  REQUIRE(cut.fault);
  CHECK(cut.text == "[\x1b[32m\"whole\"\x1b[0m");
  CHECK(written("", {}).text.empty());
}

TEST_CASE("the sink gets chunks of bounded size, however the text is produced") {
  std::string text = "[0";
  for (int i = 0; i < 50'000; ++i) text += ",\"some text\"";
  text += "]";
  const Written out = written(text, {JsonLayout::Compact});
  CHECK(out.text == text);
  CHECK(out.longest_chunk < 20'000);
  const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
  CHECK(compact("[" + large + "]") == "[" + large + "]");
  std::string dirty;
  for (int i = 0; i < 20'000; ++i) dirty += "ab\xFF";
  CHECK(compact("\"" + dirty + "\"") == "\"" + replace_all(dirty, "\xFF", "\uFFFD") + "\"");
}

std::string random_json(std::mt19937& random, int depth) {
  static constexpr sv k_scalars[] = {"1",     "-2.5e3", "\"x\"", "true", "null", "\"\\u00e9\\n\"",
                                     "\"ä\"", "{}",     "[]",    " 7 ",  "\"\""};
  if (depth == 0 || random() % 3 == 0)
    return std::string(k_scalars[random() % std::size(k_scalars)]);
  const bool object = random() % 2 == 0;
  std::string text = object ? "{" : "[ ";
  const std::size_t count = random() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) text += " ,\n";
    if (object) text += "\"k" + std::to_string(i) + "\" :";
    text += random_json(random, depth - 1);
  }
  return text + (object ? "\t}" : "]");
}

TEST_CASE("reformatting preserves the document") {
  std::mt19937 random(5);  // NOLINT: the same every time
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_json(random, 5);
    CAPTURE(text);
    CHECK_FALSE(check_json(text));
    const std::string small = compact(text);
    CHECK(compact(pretty(text)) == small);
    CHECK(pretty(small) == pretty(text));
    CHECK_FALSE(check_json(small));
  }
}

TEST_CASE("both readers stop at the same position in damaged documents") {
  std::mt19937 random(6);  // NOLINT: the same every time
  for (int i = 0; i < 5000; ++i) {
    std::string text = random_json(random, 4);
    text[random() % text.size()] = static_cast<char>(32 + random() % 95);
    if (i % 2 == 0) text.resize(random() % (text.size() + 1));
    text = replace_invalid_utf8(text);  // which only check_json rejects
    CAPTURE(text);
    const auto fault = check_json(text);
    const Written out = written(text, {JsonLayout::Compact});
    REQUIRE(fault.has_value() == out.fault.has_value());
    if (!fault) continue;
    CHECK(fault->offset == out.fault->offset);
    CHECK(describe(*fault) == describe(*out.fault));
    CHECK(fault->offset <= text.size());
  }
}

TEST_CASE("plain text of any length ends at the first special byte") {
  using json_scan::Stop;
  for (std::size_t length = 0; length < 80; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char stop : {'"', '\\', '\x1f', '\0'}) {
        std::string text(length, 'x');
        text[at] = stop;
        CHECK(json_scan::skip_until<Stop::Ends>(text, 0) == at);
        CHECK(json_scan::skip_until<Stop::Special>(text, 0) == at);
        CHECK(json_scan::skip_until<Stop::Special>(text, at + 1) == length);
      }
      for (const char stop : {'\x7f', '\x80', '\xff'}) {
        std::string text(length, '~');
        text[at] = stop;
        CHECK(json_scan::skip_until<Stop::Ends>(text, 0) == length);
        CHECK(json_scan::skip_until<Stop::Special>(text, 0) == at);
      }
    }
  }
}

TEST_CASE("escapes are decoded, and what is none is left") {
  const auto decoded = [](sv inside) {
    std::string out = "<";
    json_scan::append_decoded(out, inside);
    return out.substr(1);
  };
  CHECK(decoded("").empty());
  CHECK(decoded("plain ä") == "plain ä");
  CHECK(decoded(R"(a\"b\\c\/d\b\f\n\r\te)") == "a\"b\\c/d\b\f\n\r\te");
  CHECK(decoded(R"(\u0041\u00e9\u20AC\u00Ff)") == "Aé€ÿ");
  CHECK(decoded(R"(\ud83d\ude00\uD800\uDC00\udbff\udfff)") == "😀\U00010000\U0010FFFF");
  // A surrogate without the other half.
  CHECK(decoded(R"(\ud83dx)") == "\uFFFDx");
  CHECK(decoded(R"(\ude00\ud83d)") == "\uFFFD\uFFFD");
  CHECK(decoded(R"(\ud83d\u0041)") == "\uFFFDA");
  CHECK(decoded(R"(\ud83d\ue000\ud7ff)") == "\uFFFD\uE000\uD7FF");
  CHECK(decoded(R"(\udfff\ude00)") == "\uFFFD\uFFFD");
  CHECK(decoded(R"(\ud83d\n)") == "\uFFFD\n");
  // Cut short.
  CHECK(decoded("a\\") == "a");
  CHECK(decoded(R"(a\u12)") == "au12");
  CHECK(decoded(R"(\ud83d\ude0)") == "\uFFFDude0");
  CHECK(json_scan::code_unit(R"(\u12aF)", 0) == U'\u12AF');
  CHECK(json_scan::code_unit(R"(x\u0009)", 1) == U'\t');
  for (const sv none : {"", "\\", "u1234", R"(\u123)", R"(\u12g4)", R"(\n1234)", R"(xu1234)"}) {
    CHECK_FALSE(json_scan::code_unit(none, 0).has_value());
  }
  CHECK_FALSE(json_scan::code_unit("a", 7).has_value());
}

TEST_CASE("quoting as JSON") {
  CHECK(json_quote("") == "\"\"");
  CHECK(json_quote("a\"b\\c/ä") == "\"a\\\"b\\\\c/ä\"");
  CHECK(json_quote("\n\r\t\b\f") == "\"\\n\\r\\t\\b\\f\"");
  CHECK(json_quote(sv("\0\x1b", 2)) == "\"\\u0000\\u001b\"");
  CHECK(json_quote("\xFF") == "\"\uFFFD\"");
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CHECK_FALSE(check_json(json_quote(bytes)));
}

}  // namespace
}  // namespace svc
