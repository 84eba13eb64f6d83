#include "print/markdown.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "base/text.h"
#include "print/markdown_line.h"
#include "print/width.h"
#include "print_support.h"
#include "support/rows.h"

namespace svc::print {
namespace {

std::string show(sv source, Terminal terminal = test::tty(40), std::size_t piece = 0) {
  MarkdownStream stream(terminal);
  std::string shown;
  if (piece == 0) piece = source.size() + 1;
  for (std::size_t at = 0; at < source.size(); at += piece) {
    shown += stream.feed(source.substr(at, piece));
  }
  return shown + stream.finish();
}

constexpr sv k_sample =
    "# The *title* & more\n\nA paragraph with **bold text**, _italic_, `code span`, ~~gone~~ and a "
    "[link](https://example.com/a \"t\") that is longer than one line of the terminal.\nNext "
    "line.\n\n- one\n- two **bold\n  goes on** here\n  - nested `x`\n    1. deep\n- [x] done\n- [ "
    "] "
    "open\n\n1. first\n   second line\n\n   own paragraph\n2. second\n\n> quoted *text*\n> "
    "more\n>\n> "
    "> deeper\n\n```cpp\nint main() { return 0; }  // \x1b[2J\n```\n\n| Name | Größe "
    "|\n|:---|---:|\n"
    "| a | 1 |\n| 宽字符 | 2 `a|b` |\n\nHTML <b>is text</b> &amp; &#27;[31m &lt;\n***\nTitle\n===\n"
    "end *open and https://example.com/x?y=1 2 * 3 * 4 snake_case_name \\*escaped\\* e\u0301 "
    "👩‍👩‍👧 中文**粗"
    "体**中文。\r\n    code\n\n\n    real code\n\n~~~\nunclosed";

}  // namespace

TEST_CASE("Markdown blocks are formatted") {
  CHECK(show("# One\n\nText\n") == "# One\n\nText\n");
  CHECK(show("one\ntwo\n\n\n\nthree") == "one\ntwo\n\nthree\n");
  CHECK(show("- a\n- b\n  - c\n* d\n+ e\n") == "• a\n• b\n  ◦ c\n• d\n• e\n");
  CHECK(show("1. a\n  - b\n10) c\n") == "1. a\n   ◦ b\n10) c\n");
  CHECK(show("- [x] done\n- [ ] open\n- [y] no\n") == "☑ done\n☐ open\n• [y] no\n");
  CHECK(show("1. [ ] open\n2. [x] done\n") == "1. ☐ open\n2. ☑ done\n");
  CHECK(show("> a\n> > b\n\nc") == "│ a\n│ │ b\n\nc\n");
  CHECK(show("```py\nx  =  1\n\n  y\n```\nz") == "```py\nx  =  1\n\n  y\n```\nz\n");
  CHECK(show("---\n", test::tty(20)) == "───────────────────\n");
  CHECK(show("In\n1986. It was\n") == "In\n1986. It was\n");
  CHECK(show("\tcode\n\n     more\n") == "code\n\n more\n");
  CHECK(show("- ```\n\tx\n  y\n  ```\n") == "• ```\n    x\n  y\n  ```\n");
  CHECK(show("-5 and --flag and +1\n#tag\n") == "-5 and --flag and +1\n#tag\n");
}

TEST_CASE("text wraps at spaces and is indented in lists") {
  CHECK(show("aaa bbb ccc ddd\n", test::tty(13)) == "aaa bbb ccc\nddd\n");
  CHECK(show("- aaa bbb ccc ddd\n", test::tty(13)) == "• aaa bbb\n  ccc ddd\n");
  CHECK(show("> aaa bbb ccc ddd\n", test::tty(13)) == "│ aaa bbb\n│ ccc ddd\n");
  CHECK(show("中文字符很宽的一句话\n", test::tty(13)) == "中文字符很宽\n的一句话\n");
}

TEST_CASE("inline markup has looks, or keeps its markers without color") {
  CHECK(show("a **b c** `d` _e_ ~~f~~ \\*g\\*") == "a **b c** `d` *e* ~~f~~ *g*\n");
  const Terminal color = test::color_tty(60);
  CHECK(show("a **b c** `d`", color) == "a \x1b[1mb\x1b[0m \x1b[1mc\x1b[0m \x1b[36md\x1b[0m\n");
  CHECK(show("*open* *and not closed", color) == "\x1b[3mopen\x1b[0m *and not closed\n");
  CHECK(show("2 * 3 * 4 snake_case_name", color) == "2 * 3 * 4 snake_case_name\n");
  CHECK(show("# T", color) == "\x1b[1;4mT\x1b[0m\n");
}

namespace {

/// The looks that a sequence `ESC [ numbers m` sets, as letters.
std::string letters_of(sv numbers) {
  constexpr std::pair<sv, char> k_looks[] = {{"1", 'b'},  {"2", 'd'}, {"3", 'i'},
                                             {"36", 'c'}, {"4", 'u'}, {"9", 's'}};
  std::string letters;
  for (const sv number : split(numbers, ';')) {
    for (const auto& [known, letter] : k_looks) letters += number == known ? sv(&letter, 1) : sv();
  }
  std::sort(letters.begin(), letters.end());
  return letters;
}

/// What is on the screen: before each character that looks different from the one before, how, in
/// braces. Spaces look as what is before them.
std::string looks_of(sv shown) {
  std::string text;
  std::string before;
  std::string now;
  for (std::size_t at = 0; at < shown.size();) {
    if (shown.substr(at).starts_with("\x1b[")) {
      const std::size_t end = shown.find('m', at);
      now = letters_of(shown.substr(at + 2, end - at - 2));
      at = end + 1;
    } else if (shown.substr(at).starts_with("\x1b]8;;")) {
      at = shown.find("\x1b\\", at) + 2;
    } else {
      const char c = shown[at++];
      if (c != ' ' && c != '\n' && now != before) text += "{" + now + "}";
      if (c != ' ' && c != '\n') before = now;
      text += c;
    }
  }
  while (text.ends_with('\n')) text.pop_back();
  return replace_all(text, "\n", "¶");
}

}  // namespace

TEST_CASE("inline markup looks as another program understands it, however it arrives") {
  const auto rows = test::rows_of("unit/print/markdown_looks.txt");
  for (const std::vector<std::string>& row : rows) {
    REQUIRE(row.size() == 2);
    CAPTURE(row[0]);
    const std::string source = replace_all(row[0], "¶", "\n");
    for (const std::size_t piece : {0U, 1U, 5U}) {
      CHECK(looks_of(show(source, test::color_tty(4000), piece)) == row[1]);
    }
  }
  CHECK(rows.size() > 200);
}

TEST_CASE("an open mark looks as it will if it is closed, and an incomplete one is not shown") {
  using Shown = std::pair<const char*, const char*>;
  for (const auto& [source, looks] : {Shown{"a **b", "a {b}b"},
                                      Shown{"a *b", "a {i}b"},
                                      Shown{"a ***b", "a {bi}b"},
                                      Shown{"a ~~b", "a {s}b"},
                                      Shown{"a ****b", "a ****b"},
                                      Shown{"2*3", "2*3"},
                                      Shown{"2 *3", "2 {i}3"},
                                      Shown{"2**3", "2{b}3"},
                                      Shown{"a_b", "a_b"},
                                      Shown{"a `b", "a {c}b"},
                                      Shown{"a ``b`", "a {c}b"},
                                      Shown{"a [b", "a {u}b"},
                                      Shown{"a [b](htt", "a {u}b"},
                                      Shown{"a [b](c", "a {u}b"},
                                      Shown{"a [b]", "a {u}b"},
                                      Shown{"a [b] ", "a [b]"},
                                      Shown{"a ![b", "a [image: b"},
                                      Shown{"a [b [c", "a {u}b [c"},
                                      Shown{"a **[b", "a {bu}b"},
                                      Shown{"a *", "a"},
                                      Shown{"a **", "a"},
                                      Shown{"a `", "a"},
                                      Shown{"a &am", "a"},
                                      Shown{"a &", "a"},
                                      Shown{"a &amp;", "a &"},
                                      Shown{"a &abcdefghijkl", "a &abcdefghijkl"},
                                      Shown{"a \\", "a"},
                                      Shown{"a !", "a"},
                                      Shown{"a $", "a"},
                                      Shown{"a $b", "a $b"},
                                      Shown{"a $*b", "a ${i}b"},
                                      Shown{"a \\(*b*", "a \\(*b*"},
                                      Shown{"a ht", "a ht"},
                                      Shown{"a https://x.", "a {u}https://x{}."},
                                      Shown{"a <http://x", "a <{u}http://x"},
                                      Shown{"a *b* c", "a {i}b {}c"},
                                      Shown{"a *b **c", "a {i}b {bi}c"},
                                      Shown{"# a *b", "{bu}a {biu}b"}}) {
    CAPTURE(std::string(source));
    MarkdownStream stream(test::color_tty(200), {}, 24);
    CHECK(looks_of(stream.feed(source)) == looks);
  }
}

TEST_CASE("a link shows its target") {
  CHECK(show("[a b](https://x.example/y)") == "a b (https://x.example/y)\n");
  CHECK(show("see https://x.example/y.") == "see https://x.example/y.\n");
  CHECK(show("![cat](https://x.example/c.png)") == "[image: cat] (https://x.example/c.png)\n");
  const std::string linked = show("[a](https://x.example/)", test::color_tty(60));
  CHECK(linked.find("\x1b]8;;https://x.example/\x1b\\") != std::string::npos);
  const std::string other =
      show("[a](javascript:alert) [b](file:///etc) [c](https://x\u202e)", test::color_tty(60));
  CHECK(other.find("\x1b]") == std::string::npos);
}

TEST_CASE("a table is aligned and wrapped, or a list if there is no room") {
  CHECK(show("| A | B |\n|---|--:|\n| x | 1 |\n| long | 22 |\n") ==
        "A    │  B\n─────┼───\nx    │  1\nlong │ 22\n");
  CHECK(show("| A | B |\n|---|---|\n| one two three | x |\n", test::tty(14)) ==
        "A         │ B\n──────────┼──\none two   │ x\nthree     │ \n");
  CHECK(show("| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |\n", test::tty(12)) ==
        "A │ B │ C\n──┼───┼──\n1 │ 2 │ 3\n");
  CHECK(show("| Alpha | Beta | Gamma |\n|---|---|---|\n| 1 | 2 | 3 |\n", test::tty(12)) ==
        "Alpha: 1\nBeta: 2\nGamma: 3\n\n");
  CHECK(show("- a\n\n| x |\n|---|\n") == "• a\n\nx\n─\n");
  CHECK(show("| A | B |\n|---|---|\n| x<br>yy <br/> z<br />w | 1 |\n") ==
        "A  │ B\n───┼──\nx  │ 1\nyy │ \nz  │ \nw  │ \n");
  CHECK(show("| no table\n\nx") == "| no table\n\nx\n");
  CHECK(show("| 宽 | b |\n|-|-|\n| c | `a\\|b` |\n") == "宽 │ b\n───┼──────\nc  │ `a|b`\n");
}

TEST_CASE("quotes and lists can be nested") {
  CHECK(show("- > [ ] a\n") == "• │ [ ] a\n");
  CHECK(show("- one\n  > said\n  > more\n- two\n") == "• one\n  │ said\n  │ more\n• two\n");
  CHECK(show("1. one\n\n   > said\n   > - x\n\n   after\n2. two\n") ==
        "1. one\n\n   │ said\n   │ ◦ x\n\n   after\n2. two\n");
  CHECK(show("- a\n> outside\n") == "• a\n│ outside\n");
  CHECK(show("> - a\n>   > deep\n> - b\n\nend") == "│ • a\n│   │ deep\n│ • b\n\nend\n");
  CHECK(show("- > aaa bbb ccc ddd\n", test::tty(13)) == "• │ aaa bbb\n  │ ccc ddd\n");
  CHECK(show("- x\n  > ```\n  > code\n  > ```\n") == "• x\n  │ ```\n  │ code\n  │ ```\n");
}

TEST_CASE("what may begin a table stays in its quote") {
  CHECK(show("> a | b\nc\n") == "│ a | b\nc\n");
  CHECK(show("> a | b\n> > c\n") == "│ a | b\n│ │ c\n");
  CHECK(show("> | a | b |\n> > c\n") == "│ | a | b |\n│ │ c\n");
  CHECK(show("> a | b\n\nc\n") == "│ a | b\n\nc\n");
  CHECK(show("a | b\n> c\n") == "a | b\n│ c\n");
  CHECK(show("| a | b |\n> c\n") == "| a | b |\n│ c\n");
  CHECK(show("> | a | b |\n> |---|---|\n> | 1 | 2 |\nc\n") == "│ a │ b\n│ ──┼──\n│ 1 │ 2\nc\n");
}

TEST_CASE("a table may lack its outer bars") {
  constexpr sv k_shown = "Name │ Age\n─────┼────\nAda  │  36\nBob  │   7\n";
  CHECK(show("Name | Age\n--- | --:\nAda | 36\nBob | 7\n") == k_shown);
  CHECK(show("Name | Age\n-|-:\nAda | 36\nBob | 7\n") == k_shown);
  CHECK(show("Here:\nName | Age\n:-- | --:\nAda | 36\nBob | 7\n\nDone") ==
        "Here:\n" + std::string(k_shown) + "\nDone\n");
  CHECK(show("a | b\nc\n") == "a | b\nc\n");
  CHECK(show("a | b\n- c\n") == "a | b\n• c\n");
  CHECK(show("if (a || b)\n---\n").starts_with("if (a || b)\n──"));
  CHECK(show("a | b | c\n--- | ---\n") == "a | b | c\n--- | ---\n");
}

TEST_CASE("the bars of a table are aligned, whatever its cells contain and the terminal's width") {
  constexpr sv k_table =
      "| Name | Städte | 説明 | State | URL | Notes | N |\n|---|:-:|---|---|---|---|--:|\n"
      "| Ada Lovelace | 東京都と大阪府 | 日本語のとても長い説明文がここにあります | ✅ done | "
      "https://example.com/a/very/long/path/without/any/blank?and=a&query=too | 👩‍👩‍👧 "
      "and "
      "⚠️ "
      "1️⃣ 🇩🇪 | "
      "1 |\n"
      "| Donaudampfschifffahrtsgesellschaft | x | y | ❌ | `code_without_a_blank_in_it_at_all` | "
      "**bold words** | 1234567 |\n";
  for (int columns = 40; columns <= 200; ++columns) {
    CAPTURE(columns);
    const std::string shown = show(k_table, test::tty(columns));
    std::vector<std::size_t> bars;
    for (const sv line : split(shown, '\n')) {
      REQUIRE(display_width(line) < static_cast<std::size_t>(columns));
      std::vector<std::size_t> found;
      for (std::size_t at = 0; at < line.size(); ++at) {
        const sv rest = line.substr(at);
        const bool bar = rest.starts_with("│") || rest.starts_with("┼");
        if (bar) found.push_back(display_width(line.substr(0, at)));
      }
      if (bars.empty()) bars = found;
      if (!line.empty()) CHECK(found == bars);
    }
    if (columns >= 60) CHECK(bars.size() == 6);
  }
}

TEST_CASE("formulas are unchanged") {
  for (const sv formula :
       {"\\(x_1 * y_2 * z\\)", "\\[ \\{a\\} \\]", "$a_1 + b_2 * c * d$", "$$\\sum_{i=1}^n x_i$$",
        "a \\\\ b", "\\{x\\}", "$5 and $10", "$$a\\$$ *b* c$$", "**so \\(a_1*b*c\\)** it is"}) {
    CAPTURE(formula);
    for (const std::size_t piece : {std::size_t{0}, std::size_t{1}}) {
      CHECK(show(std::string(formula) + " end\n", test::tty(80), piece) ==
            std::string(formula) + " end\n");
    }
  }
  constexpr sv k_block = "Then\n\\[\n- a_1 \\\\\n+ b*c*d\n\\]\n\n$$\n# x_1*y*z\n$$\nend\n";
  CHECK(show(k_block) == k_block);
  CHECK(show(k_block, test::tty(80), 1) == k_block);
  CHECK(show("$5 and *ten* for `$x`", test::color_tty(60)) ==
        "$5 and \x1b[3mten\x1b[0m for \x1b[36m$x\x1b[0m\n");
  std::string large = "\\[";
  for (int i = 0; i < 60; ++i) large += " x_" + std::to_string(i) + " * y_{2}";
  large += " \\] *end*";
  std::string shown = replace_all(show(large, test::color_tty(200)), "\n", " ");
  shown.pop_back();
  CHECK(shown == large.substr(0, large.size() - 5) + "\x1b[3mend\x1b[0m");
}

TEST_CASE("code is colored by its language") {
  const std::string shown =
      show("```python\ndef f(x): # c\n  return \"a\" + 1\n```", test::color_tty(60));
  CHECK(shown.find("\x1b[35mdef\x1b[0m f(x)") != std::string::npos);
  CHECK(shown.find("\x1b[2m# c\x1b[0m") != std::string::npos);
  CHECK(shown.find("\x1b[32m\"a\"\x1b[0m + \x1b[36m1\x1b[0m") != std::string::npos);
  CHECK(show("```nonsense\ndef 1\n```", test::color_tty(60)).find("def 1") != std::string::npos);
  CodeColors colors("cpp");
  CHECK(colors.paint("a /* b") == "a \x1b[2m/*\x1b[0m\x1b[2m b\x1b[0m");
  CHECK(colors.paint("c */ d") == "\x1b[2mc */\x1b[0m d");
}

namespace {

/// A line with what is colored in braces: {k…} a keyword, {t…} text, {c…} a comment, {n…} a number,
/// {r…} what was removed.
std::string colored(CodeColors& colors, sv line) {
  constexpr std::pair<sv, sv> k_looks[] = {{"\x1b[35m", "{k"},
                                           {"\x1b[32m", "{t"},
                                           {"\x1b[2m", "{c"},
                                           {"\x1b[36m", "{n"},
                                           {"\x1b[31m", "{r"}};
  std::string text = replace_all(colors.paint(line), "\x1b[0m", "}");
  for (const auto& [look, mark] : k_looks) text = replace_all(text, look, mark);
  return text;
}

std::string colored(sv language, sv line) {
  CodeColors colors(language);
  return colored(colors, line);
}

}  // namespace

TEST_CASE("the parts of a line of code are told apart") {
  CHECK(colored("cpp", "if (x1) return 0x1F + 1.5e3; int2") ==
        "{kif} (x1) {kreturn} {n0x1F} + {n1.5e3}; int2");
  CHECK(colored("cpp", R"('\'' "a'b" c 'open)") == R"({t'\''} {t"a'b"} c {t'open})");
  CHECK(colored("cpp", "\"a\\") == "{t\"a\\}");
  CHECK(colored("cpp", "a // b /* c") == "a {c// b /* c}");
  CHECK(colored("cpp", "a /* b */ c") == "a {c/*}{c b */} c");
  CHECK(colored("cpp", "If inté xif if_") == "If inté xif if_");
  CHECK(colored("sh", "a#b $# # if") == "a#b $# {c# if}");
  CHECK(colored("sh", "a\t# b") == "a\t{c# b}");
  CHECK(colored("sh", "# b") == "{c# b}");
  CHECK(colored("php", "a#b // c") == "a{c#b // c}");
  CHECK(colored("sql", "SELECT 'a' -- b") == "{kSELECT} {t'a'} {c-- b}");
  CHECK(colored("rust", "IF 'a") == "IF 'a");
  CHECK(colored("css", "a // b /* c") == "a // b {c/*}{c c}");
  CodeColors colors("python");
  CHECK(colored(colors, R"(x = """a)") == R"(x = {t"""}{ta})");
  CHECK(colored(colors, "if # b") == "{tif # b}");
  CHECK(colored(colors, R"(c""" if)") == R"({tc"""} {kif})");
  CHECK(colored(colors, "'''x'") == "{t''}{t'x'}");
}

TEST_CASE("the language of code is the first word behind its fence") {
  for (const sv info : {"cpp", "CPP title=x", "c++\ta", "c{1,3}", "h,numbers"}) {
    CAPTURE(info);
    CHECK(colored(info, "if") == "{kif}");
  }
  for (const sv info : {"", " cpp", "cp", "pp", "if"}) {
    CAPTURE(info);
    CHECK(colored(info, "if 1 // x") == "if 1 // x");
  }
  for (const sv info : {"diff", "patch"}) {
    CHECK(colored(info, "@@ -1 +1 @@") == "{n@@ -1 +1 @@}");
    CHECK(colored(info, "+ if") == "{t+ if}");
    CHECK(colored(info, "- if") == "{r- if}");
    CHECK(colored(info, " if +") == " if +");
  }
}

TEST_CASE("each language has its comments, texts and words") {
  struct Row {
    const char* names;
    const char* line;
    const char* shown;
  };
  for (const Row& row : {
           Row{"c objc", "case \"a\" 'b' /* c */ d // e",
               "{kcase} {t\"a\"} {t'b'} {c/*}{c c */} d {c// e}"},
           Row{"python py python3", "def 'a' \"b\" \"\"\"c\"\"\" # d",
               "{kdef} {t'a'} {t\"b\"} {t\"\"\"}{tc\"\"\"} {c# d}"},
           Row{"javascript mjs", "const 'a' \"b\" `c` /* d */ // e",
               "{kconst} {t'a'} {t\"b\"} {t`}{tc`} {c/*}{c d */} {c// e}"},
           Row{"java dart", "class 'a' \"b\" \"\"\"c\"\"\" /* d */ // e",
               "{kclass} {t'a'} {t\"b\"} {t\"\"\"}{tc\"\"\"} {c/*}{c d */} {c// e}"},
           Row{"go golang", "func 'a' \"b\" `c` /* d */ // e",
               "{kfunc} {t'a'} {t\"b\"} {t`}{tc`} {c/*}{c d */} {c// e}"},
           Row{"rust rs", "fn 'a \"b\" /* c */ // d", "{kfn} 'a {t\"b\"} {c/*}{c c */} {c// d}"},
           Row{"sh fish", "if 'a' \"b\" # c", "{kif} {t'a'} {t\"b\"} {c# c}"},
           Row{"ruby r", "def 'a' \"b\" # c", "{kdef} {t'a'} {t\"b\"} {c# c}"},
           Row{"php", "echo 'a' \"b\" /* c */ # d", "{kecho} {t'a'} {t\"b\"} {c/*}{c c */} {c# d}"},
           Row{"lua", "local 'a' \"b\" -- c", "{klocal} {t'a'} {t\"b\"} {c-- c}"},
           Row{"haskell elm", "let 'a \"b\" {- c -} -- d",
               "{klet} 'a {t\"b\"} {c{-}{c c -}} {c-- d}"},
           Row{"sql sqlite", "Select 'a' \"b\" /* c */ -- d",
               "{kSelect} {t'a'} {t\"b\"} {c/*}{c c */} {c-- d}"},
           Row{"json jsonl", "true 'a \"b\" // c", "{ktrue} 'a {t\"b\"} {c// c}"},
           Row{"yaml nginx", "True 'a' \"b\" # c", "{kTrue} {t'a'} {t\"b\"} {c# c}"},
           Row{"css less", "auto 'a' \"b\" /* c */", "{kauto} {t'a'} {t\"b\"} {c/*}{c c */}"},
           Row{"html svelte", "a='b' \"c\" <!-- d --> e", "a='b' {t\"c\"} {c<!--}{c d -->} e"},
       }) {
    for (const sv name : split(row.names, ' ')) {
      CAPTURE(name);
      CHECK(colored(name, row.line) == row.shown);
    }
  }
}

TEST_CASE("entities are characters, and what is no character is marked as missing") {
  constexpr std::array<std::pair<sv, sv>, 25> k_entities = {{{"&#65;", "A"},
                                                             {"&#;", "&#;"},
                                                             {"&#1a;", "&#1a;"},
                                                             {"&#xg;", "&#xg;"},
                                                             {"&#x41;", "A"},
                                                             {"&#X4a;", "J"},
                                                             {"&#x4F;", "O"},
                                                             {"&#x1F600;", "\U0001F600"},
                                                             {"&#0;", "\uFFFD"},
                                                             {"&#x;", "&#x;"},
                                                             {"&#xD7FF;", "\uD7FF"},
                                                             {"&#xD800;", "\uFFFD"},
                                                             {"&#xDFFF;", "\uFFFD"},
                                                             {"&#xE001;", "\uE001"},
                                                             {"&#1114111;", "\U0010FFFF"},
                                                             {"&#1114112;", "\uFFFD"},
                                                             {"&#000000065;", "A"},
                                                             {"&#0000000065;", "&#0000000065;"},
                                                             {"&nothing;", "&nothing;"},
                                                             {"&a65;", "&a65;"},
                                                             {"&ax41;", "&ax41;"},
                                                             {"&amp;", "&"},
                                                             {"&hellip;", "…"},
                                                             {"&#27;", "^["},
                                                             {"&#10;", "^J"}}};
  for (const auto& [entity, text] : k_entities) {
    CAPTURE(entity);
    CHECK(entity_text(entity) == text);
  }
  CHECK(show("a&amp;b &copy;&copy c &; &#; &abcdefghijk; &abcdefghij;", test::tty(80)) ==
        "a&b ©&copy c &; &#; &abcdefghijk; &abcdefghij;\n");
}

TEST_CASE("only addresses of the web are links, and only of characters that they may have") {
  const auto linked = [](const std::string& url) {
    Flow flow(test::color_tty(80), {});
    flow.link(url);
    flow.text("x", k_look_plain);
    flow.end_line();
    const std::string shown = flow.take();
    const bool is_link = shown == "\x1b]8;;" + url + "\x1b\\x\x1b]8;;\x1b\\\n";
    CHECK((is_link || shown == "x\n"));
    return is_link;
  };
  CHECK(linked("http://x"));
  CHECK(linked("https://aZ09-._~:/?#[]@!$&'()*+,;=%"));
  for (const char* none : {"", "http://", "https://", "http:///x", "https:///x", "ftp://x.example",
                           "HTTP://x", "//x", "http:/x", "xhttp://x"}) {
    CAPTURE(none);
    CHECK_FALSE(linked(none));
  }
  for (const char other : sv(" \"<>\\^`{|}\x7f\x01\xc3")) {
    CAPTURE(other);
    CHECK_FALSE(linked(std::string("https://x/") + other));
  }
  const std::string longest = "https://" + std::string(1992, 'x');
  CHECK(linked(longest));
  CHECK_FALSE(linked(longest + "x"));
}

TEST_CASE("a mark within a long word belongs to it, even if the word's begin was shown before") {
  const Terminal color = test::color_tty(4000);
  for (const std::size_t letters : {5U, 63U, 64U, 65U, 200U}) {
    CAPTURE(letters);
    const std::string word(letters, 'x');
    for (const std::size_t piece : {0U, 1U, 7U}) {
      CHECK(show(word + "_a_ b", color, piece) == word + "_a_ b\n");
      CHECK(show(word + "https://x.example b", color, piece) == word + "https://x.example b\n");
      CHECK(show(word + "**a** b", color, piece) == word + "\x1b[1ma\x1b[0m b\n");
    }
  }
}

TEST_CASE("a table's cells keep their sides, and its columns give way by their length") {
  CHECK(show("| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n| four | fives | six |\n") ==
        "a    │   b   │   c\n─────┼───────┼────\n1    │   2   │   3\nfour │ fives │ six\n");
  CHECK(show("| a | b |\n|---|:-:|\n| 1 | xx |\n| 2 | y |\n") == "a │ b\n──┼───\n1 │ xx\n2 │ y\n");
  // The widest gives way first, down to its longest word.
  CHECK(show("| A | B |\n|---|---|\n| aaaa | bb bb bb bb bb |\n", test::tty(18)) ==
        "A    │ B\n─────┼───────────\naaaa │ bb bb bb\n     │ bb bb\n");
  Terminal plain = test::tty(40);
  plain.utf8 = false;
  CHECK(show("| a | b |\n|---|---|\n| 1 | 2 |\n", plain) == "a | b\n--+--\n1 | 2\n");
}

TEST_CASE("the output does not depend on how the input is split") {
  for (const Terminal& terminal : {test::tty(30), test::color_tty(24), test::color_tty(200)}) {
    const std::string whole = show(k_sample, terminal);
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U}) {
      CHECK(show(k_sample, terminal, piece) == whole);
    }
  }
}

TEST_CASE("a model's text cannot control the terminal") {
  const std::string hostile =
      "\x1b]52;c;AAAA\x07 \x1b[2J **\x1b[31m** `\x9b` &#27;[2J &#x9b;1m [x](https://a\x1b[2J) "
      "\u202eabc\n```\n\x1b[1A\n```\n| \x1b[0m | b |\n|-|-|\n| \x1b]0;t\x07 | &#27; |\n# \x1b[5m";
  CHECK(show(hostile).find('\x1b') == std::string::npos);
  const std::string colored = show(hostile, test::color_tty(80));
  for (std::size_t at = colored.find('\x1b'); at != std::string::npos;
       at = colored.find('\x1b', at + 1)) {
    const sv rest = sv(colored).substr(at);
    const bool look =
        rest.starts_with("\x1b[") && rest.find_first_not_of("0123456789;", 2) == rest.find('m');
    const bool link = rest.starts_with("\x1b]8;;") || rest.starts_with("\x1b\\");
    CHECK((look || link));
  }
  CHECK(colored.find("\x1b[2J") == std::string::npos);
  CHECK(colored.find("\x1b]8;;https://a^") == std::string::npos);
}

TEST_CASE("no text line is wider than the terminal, and a new width applies from then on") {
  int columns = 30;
  MarkdownStream stream(test::tty(80), [&] { return columns; });
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word ";
  std::string shown = stream.feed(words);
  columns = 15;
  shown += stream.feed(words);
  shown += stream.finish();
  std::size_t widest = 0;
  for (const sv line : split(shown, '\n')) widest = std::max(widest, display_width(line));
  CHECK(widest == 29);
  CHECK(shown.ends_with("\nword word word\nword word\n"));
}

TEST_CASE("hostile input takes time proportional to its length") {
  const auto repeat = [](sv text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
  };
  constexpr std::size_t k_bytes = 300'000;
  for (const sv part :
       {"x",  "[",  "](", "[ (](", "*a **b ", "`",        "\\``", "<",   "> ",   "| ",
        "- ", "_a", "|a", "](\n",  "#",       "\xc3\xa9", "中",   "~~~", "&#1;", "!["}) {
    CAPTURE(part);
    const std::string bomb = repeat(part, k_bytes);
    const std::clock_t begin = std::clock();
    const std::string shown = show(bomb, test::color_tty(80), 4096);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(shown.size() >= bomb.size() / 3);
    CHECK(seconds < 120);  // with sanitizers; quadratic work would take hours
  }
}

TEST_CASE("text without spaces is shown as it arrives, also after a mark") {
  for (const sv before : {"", "one ", "*one* two ", "*one two* [three](x) four "}) {
    CAPTURE(before);
    MarkdownStream stream(test::tty(60));
    (void)stream.feed(before);
    std::string shown;
    for (int i = 0; i < 50; ++i) shown += stream.feed("中");
    CHECK(shown.size() >= 60);
  }
}

TEST_CASE("cells without a header are in the last column, in order") {
  MarkdownStream stream(test::tty(60));
  const std::string shown =
      stream.feed("| a | b |\n|---|---|\n| 1 | 2 | 3 | 4 |\n| 5 |\n\n") + stream.finish();
  CHECK(shown.find("2 | 3 | 4") != std::string::npos);
  CHECK(shown.find('5') != std::string::npos);
}

TEST_CASE("an unfinished table is still shown") {
  std::string table = "| a | b |\n|---|---|\n";
  for (int i = 0; i < 1000; ++i) table += "| 1 | 2 |\n";
  MarkdownStream stream(test::tty(40));
  const std::string shown = stream.feed(table);
  CHECK(shown.size() > 5000);
  CHECK(split(shown + stream.finish(), '\n').size() == 1003);
}

namespace {

/// "Heading 2 i0 c3", or "more" if more of the line is needed.
std::string started(sv line, bool whole) {
  static constexpr const char* k_names[] = {"Blank", "Text",  "Heading", "Rule",
                                            "Fence", "Quote", "Item",    "Row"};
  const auto start = read_line_start(line, whole);
  if (!start) return "more";
  std::string out = k_names[static_cast<std::size_t>(start->kind)];
  if (start->size != 0) out += " " + std::to_string(start->size);
  if (!start->mark.empty()) out += " " + std::string(start->mark);
  return out + " i" + std::to_string(start->indent) + " c" + std::to_string(start->content);
}

}  // namespace

TEST_CASE("the block that a line starts, where its mark is, and its content") {
  struct Row {
    const char* line;
    const char* whole;
    const char* begun;  ///< the same characters, with more to come
  };
  for (const Row& row : {
           Row{"", "Blank i0 c0", "more"},
           Row{" \t ", "Blank i5 c3", "more"},
           Row{"x", "Text i0 c0", "Text i0 c0"},
           Row{"  x", "Text i2 c2", "Text i2 c2"},
           Row{"\tx", "Text i4 c1", "Text i4 c1"},
           Row{"   \tx", "Text i4 c4", "Text i4 c4"},
           Row{"# x", "Heading 1 i0 c2", "Heading 1 i0 c2"},
           Row{"###### x", "Heading 6 i0 c7", "Heading 6 i0 c7"},
           Row{"####### x", "Text i0 c0", "Text i0 c0"},
           Row{" ##", "Heading 2 i1 c3", "more"},
           Row{"#x", "Text i0 c0", "Text i0 c0"},
           Row{"``", "Text i0 c0", "more"},
           Row{"``x", "Text i0 c0", "Text i0 c0"},
           Row{"```", "Fence 3 ``` i0 c3", "more"},
           Row{" ````cpp", "Fence 4 ```` i1 c5", "more"},
           Row{"~~~x~", "Fence 3 ~~~ i0 c3", "more"},
           Row{"```x`", "Text i0 c0", "Text i0 c0"},
           Row{">", "Quote i0 c1", "more"},
           Row{">x", "Quote i0 c1", "Quote i0 c1"},
           Row{" > x", "Quote i1 c3", "Quote i1 c3"},
           Row{"|", "Row i0 c0", "more"},
           Row{" | a", "Row i1 c1", "more"},
           Row{"---", "Rule - i0 c0", "more"},
           Row{"- - -", "Rule - i0 c0", "more"},
           Row{"*\t**", "Rule * i0 c0", "more"},
           Row{"___", "Rule _ i0 c0", "more"},
           Row{"===", "Rule = i0 c0", "more"},
           Row{"__", "Text i0 c0", "more"},
           Row{"=x", "Text i0 c0", "Text i0 c0"},
           Row{"_x", "Text i0 c0", "Text i0 c0"},
           Row{"--", "Text i0 c0", "more"},
           Row{"-", "Item - i0 c1", "more"},
           Row{"- x", "Item - i0 c2", "Item - i0 c2"},
           Row{"  *\tx", "Item * i2 c4", "Item * i2 c4"},
           Row{"+ x", "Item + i0 c2", "Item + i0 c2"},
           Row{"+", "Item + i0 c1", "more"},
           Row{"+++", "Text i0 c0", "Text i0 c0"},
           Row{"-x", "Text i0 c0", "Text i0 c0"},
           Row{"1", "Text i0 c0", "more"},
           Row{"1.", "Item 1. i0 c2", "more"},
           Row{"1. x", "Item 1. i0 c3", "Item 1. i0 c3"},
           Row{" 12) x", "Item 12) i1 c5", "Item 12) i1 c5"},
           Row{"1.x", "Text i0 c0", "Text i0 c0"},
           Row{"1x", "Text i0 c0", "Text i0 c0"},
           Row{"123456789. x", "Item 123456789. i0 c11", "Item 123456789. i0 c11"},
           Row{"1234567890. x", "Text i0 c0", "Text i0 c0"},
       }) {
    CAPTURE(row.line);
    CHECK(started(row.line, true) == row.whole);
    CHECK(started(row.line, false) == row.begun);
  }
}

}  // namespace svc::print
