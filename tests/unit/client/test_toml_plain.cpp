#include <doctest/doctest.h>

#include "client/toml_text.h"

using namespace svc;

namespace {

std::string plain_text(std::string_view given) {
  const AsciiToml plain = to_ascii_toml(given);
  CHECK_FALSE(plain.fault);
  return plain.text;
}

}  // namespace

TEST_CASE("plain ASCII TOML is unchanged") {
  for (const char* text :
       {"", "a = 'b\\' # c\n", "a = \"\"\"\n\\\n \"\" \"\"\"\"\"\nb = '''\n'''\n", "\"\n",
        "a = 'b\n", "a = \"\\"}) {
    CHECK(plain_text(text) == text);
  }
}

TEST_CASE("non-ASCII characters become escapes where TOML allows them") {
  CHECK(plain_text("a = \"é\\\"\u4e16\" # é\n") == "a = \"\\u00E9\\\"\\u4E16\" # \n");
  CHECK(plain_text("\"\U0001F600\" = 1\n") == "\"\\U0001F600\" = 1\n");
  CHECK(plain_text("a = \"\"\"x\\\n  é\"\"\"\"\" # '\n") ==
        "a = \"\"\"x\\\n  \\u00E9\"\"\"\"\" # '\n");
  CHECK(plain_text("\xef\xbb\xbf# é\n") == "# \n");
}

TEST_CASE("a literal string becomes one with escapes") {
  CHECK(plain_text("a = 'é\\\"' # '\n") == "a = \"\\u00E9\\\\\\\"\" # '\n");
  CHECK(plain_text("a = '''\né\\'''''\nb = 1\n") == "a = \"\"\"\n\\u00E9\\\\''\"\"\"\nb = 1\n");
  CHECK(plain_text("a = 'é\nb = 1\n") == "a = \"\\u00E9\nb = 1\n");
  CHECK(plain_text("a = ''\nb = 'é'\n") == "a = ''\nb = \"\\u00E9\"\n");
}

TEST_CASE("invalid TOML is not made valid") {
  const auto fault = [](std::string_view given) {
    const AsciiToml plain = to_ascii_toml(given);
    return plain.fault ? std::to_string(plain.fault->at) + " " + plain.fault->what : std::string();
  };
  CHECK(fault("a = 1\né = 2\n") == "6 is outside of quotes");
  CHECK(fault("a = \"\"\"x\"\"\"\"\"é\n") == "13 is outside of quotes");
  CHECK(fault("a = \"\\é\"\n") == "5 is not a valid TOML escape");
  CHECK(fault("a = \"\\\\é\"\n").empty());
  CHECK(fault("a = \"\xff\"\n") == "5 is not UTF-8");
  CHECK(fault("# \xc3\n") == "2 is not UTF-8");
}

TEST_CASE("a position in plain TOML is mapped to the original") {
  const std::string given = "é1 = 2\na = 'éé' x\n# é";
  const AsciiToml plain = to_ascii_toml(given.substr(8));
  const std::string_view rest = std::string_view(given).substr(8);
  CHECK(plain.text == "a = \"\\u00E9\\u00E9\" x\n# ");
  const auto place = [&](std::size_t line, std::size_t column) {
    const TomlPosition found = original_position(plain, rest, {line, column});
    return std::to_string(found.line) + ":" + std::to_string(found.column);
  };
  CHECK(place(1, 20) == "1:10");  // x
  CHECK(place(1, 6) == "1:6");
  CHECK(place(2, 1) == "2:1");
  CHECK(place(2, 99) == "2:4");
}
