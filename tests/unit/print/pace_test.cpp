// The screen after an answer does not depend on how its text arrived.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text.h"
#include "print/markdown.h"
#include "print_support.h"
#include "support/screen.h"

namespace svc::print {
namespace {

constexpr std::size_t k_rows = 24;

constexpr sv k_lists =
    "# Setting up a **small** server\n\nHere's what you'll need, in order of *importance*:\n\n"
    "1. **A machine** with at least `2 GB` of memory. The [hardware guide](https://example.org/"
    "hardware/guide?section=memory#minimum) has *all* the details, and ~~most~~ some prices.\n"
    "   - Debian 12 (`bookworm`) or later\n     - with `systemd` **and** a *working* clock\n"
    "       1. deeper: [time servers][1] are not links here\n   - a user who isn't `root`\n"
    "2. A domain name\n3) ***Patience***, because DNS takes __up to__ 48 hours_ish\n\n"
    "- [x] buy it\n- [ ] configure it\n  > **Note:** back up *everything* first.\n"
    "  > Twice.\n\n---\n\nThen 2 * 3 * 4 files named snake_case_name, f(*args, **kwargs), "
    "a \\*literal\\* star, an unclosed **bold and an unclosed [bracket.\n\nNext paragraph.\n";
constexpr sv k_tables =
    "Comparison of **three** options:\n\n| Option | Price | Notes |\n|:--|--:|:-:|\n| A | $5 | "
    "cheap |\n| The second option, which has a very long name | $12.50 | **bold** and `a|b` and "
    "[a link](https://example.com/a/very/long/path/that/never/ends) |\n| 第三 | 1234567 | "
    "✅ |\n\nName | Age\n--- | --:\nAda | 36\nBob | 7\n\n| not a table\n\n| header | only |\n\n"
    "| Long | Table |\n|---|---|\n| 1 | one |\n| 2 | two |\n| 3 | three |\n| 4 | four |\n| 5 | "
    "five |\n| 6 | six |\n| 7 | seven |\n| 8 | eight |\n| 9 | nine |\n| 10 | ten |\n| 11 | eleven "
    "|\n| 12 | twelve |\n| 13 | thirteen |\n| 14 | fourteen |\n| 15 | fifteen |\n| 16 | sixteen "
    "|\n| 17 | seventeen |\n| 18 | eighteen |\n| 19 | nineteen |\n| 20 | twenty |\n| 21 | "
    "twenty-one |\n| 22 | twenty-two, and now a much longer cell |\n| 23 | x |\n| 24 | y |\nEnd.\n";
constexpr sv k_code =
    "Use `std::vector`, not ``a `quoted` name``:\n\n```cpp\n#include <vector>\n\nint main() {\n"
    "  std::vector<int> v{1, 2, 3};  // interesting: int and integer\n  return v.size() == 3 ? 0 : "
    "1; /* a comment that goes on\n  for two lines */\n}\n```\n\nand in Python:\n\n```python\ndef "
    "greet(name: str) -> None:\n    \"\"\"Says hello\n    at length.\"\"\"\n    print(f\"Hello, "
    "{name}!\")  # returns nothing\n```\n- in a list:\n  ```sh\n  for f in *.txt; do echo \"$f\"; "
    "done\n  ```\n> ```json\n> {\"a\": [1, 2, null]}\n> ```\n\n~~~diff\n-old\n+new\n~~~\n\n"
    "    indented code\n\nA line of a table | in text, `an unclosed span\n\n```rust\nfn unclosed() "
    "{\n    let very_long_line = \"................................................................"
    "................................................\";\n";
constexpr sv k_wide_text =
    "## 天气预报\n\n今天**北京**的天气*很好*,最高气温`25°C`,请参考[中国气象局的网站](https://"
    "example.cn/weather)。明天会**下雨。**请带伞!\n\n- "
    "日本語の**太字**と`コード`、そして👩‍👩‍👧と⚠️の"
    "絵文字 🎉🎉🎉\n- 한국어 *기울임* 텍스트\n\n> 引用されたとても長い文章は、端末の幅で折り返される"
    "べきです。\n\ne\u0301te\u0301 na\u00efve caf\u00e9 — “quoted” … Привет, **мир**! 😀😃😄\n";
constexpr sv k_formulas =
    "The sum \\(x_1 + y_2 * z_3 * w\\) and $a_i * b_i$ cost $5 and *not* $10. In a block:\n\n\\[\n"
    "\\sum_{i=1}^n x_i * y_i = \\left\\{ a \\\\ b \\right\\}\n\\]\n\n$$\n\\int_0^1 f(x)\\,dx\n"
    "# not a heading\n$$\n\nUnclosed: \\(x * y and then *text* that goes on\n\nand \\[ at the "
    "end\n";
constexpr sv k_links =
    "As reported[[1]](https://news.example.com/2025/11/a-long-headline-that-goes-on-and-on?utm=1) "
    "and confirmed[[2]](https://example.org/b)[[1]](https://news.example.com/x), see "
    "[a link text that is considerably longer than eighty characters, because people describe "
    "what they link to](https://example.com/(a)_b?c=d&amp;e=f \"A title\") or "
    "<https://auto.example/x> or https://bare.example/path_with_underscores/*x*, "
    "![a picture](https://img.example/c.png) &amp; &copy; 2025. [Broken](not a link) and "
    "[unfinished](https://never.example/closed\n\n[**bold link**](https://b.example) at the "
    "start, an *emphasis with [a link](https://c.example) inside* it.";

constexpr std::array k_answers = {k_lists, k_tables, k_code, k_wide_text, k_formulas, k_links};

/// Where the text is split.
using Cuts = std::vector<std::size_t>;

Cuts pieces_of(sv text, std::size_t size) {
  Cuts cuts;
  for (std::size_t at = size; at < text.size(); at += size) cuts.push_back(at);
  return cuts;
}

/// The splits of a reader that looks every 50 ms at what a model writes at this rate; a token has
/// about four bytes, and some read as several.
Cuts paced(sv text, double tokens_per_second, std::mt19937& random) {
  Cuts cuts;
  double now = 0;
  double next_look = 0.05;
  for (std::size_t at = 0; at < text.size();) {
    at += 1 + random() % 7;
    now += 1 / tokens_per_second;
    if (now < next_look || at >= text.size()) continue;
    cuts.push_back(at);
    while (next_look <= now) next_look += 0.05;
  }
  return cuts;
}

Cuts random_cuts(sv text, std::mt19937& random) {
  Cuts cuts;
  const std::size_t most = 1 + random() % 40;
  for (std::size_t at = 1 + random() % most; at < text.size(); at += 1 + random() % most) {
    cuts.push_back(at);
  }
  return cuts;
}

struct Shown {
  test::Screen screen;
  std::string bytes{};
};

Shown show(sv text, const Terminal& terminal, const Cuts& cuts, bool check_column = true,
           std::size_t rows = k_rows) {
  Shown shown{test::Screen(static_cast<std::size_t>(terminal.columns), rows > 0 ? rows : k_rows)};
  MarkdownStream stream(terminal, {}, rows);
  const auto write = [&](const std::string& bytes) {
    shown.screen.feed(bytes);
    shown.bytes += bytes;
  };
  std::size_t begin = 0;
  for (const std::size_t cut : cuts) {
    write(stream.feed(text.substr(begin, cut - begin)));
    const std::size_t column = stream.column();
    if (check_column && column != k_unknown_column) REQUIRE(shown.screen.column() == column);
    begin = cut;
  }
  write(stream.feed(text.substr(begin)));
  write(stream.finish());
  REQUIRE(shown.screen.faults().empty());
  return shown;
}

std::string words_of(std::size_t bytes) {
  std::string words;
  while (words.size() < bytes) words += words.size() % 7 == 6 ? ' ' : 'w';
  return words;
}

Terminal plain_tty(int columns) {
  Terminal terminal = test::tty(columns);
  terminal.plain = true;
  return terminal;
}

void check_same(const Shown& shown, const Shown& whole) {
  REQUIRE(shown.screen.text() == whole.screen.text());
  REQUIRE((shown.screen.rows() == whole.screen.rows()));
}

std::size_t count_of(sv text, sv part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != sv::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the final screen is the same at every pace and every chunking") {
  std::mt19937 random(4711);
  for (const int columns : {40, 80, 120}) {
    for (const sv answer : k_answers) {
      CAPTURE(columns);
      CAPTURE(answer.substr(0, 40));
      const Terminal terminal = test::color_tty(columns);
      const Shown whole = show(answer, terminal, {});
      if (answer != k_tables) check_same(show(answer, terminal, {}, true, 0), whole);
      for (const double pace : {1., 5., 6., 12., 30., 100.}) {
        CAPTURE(pace);
        check_same(show(answer, terminal, paced(answer, pace, random)), whole);
      }
      for (std::size_t size = 1; size <= 48; ++size) {
        CAPTURE(size);
        check_same(show(answer, terminal, pieces_of(answer, size)), whole);
      }
    }
  }
}

TEST_CASE("the final screen is the same for random texts, chunkings and sizes") {
  const auto seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr sv k_parts[] = {
      "*",
      "**",
      "_",
      "`",
      "```\n",
      "~~",
      "[",
      "](",
      ")",
      "https://a.b/c",
      "a http://e.x/__a__/&lt;b ",
      "![",
      "\\",
      "\\(",
      "\\)",
      "\\[",
      "\\]\n",
      "$",
      "$$",
      "|",
      " | ",
      "|---|---|\n",
      "- ",
      "1. ",
      "> ",
      "\n",
      "\n\n",
      "# ",
      "word ",
      "a ",
      "中文",
      "🎉",
      "&amp;",
      "<",
      "]",
      "| a | b |\n",
      "considerably ",
      "  - ",
      "    ",
      "   1. ",
      "```cpp\nint main() { return 0; }\n```\n",
      "```python\n",
      "e\u0301",
      "\u0301\u0302",
      "| A long header | B | 第三 |\n|:--|--:|:-:|\n",
      "- [x] ",
      "---\n",
      "\\frac{a}{b}",
      "。",
      "| a cell that is much longer than the narrow screen can hold | **b** | `c|d` |\n",
      "[a link](https://example.com/a/long/path/that/never/seems/to/end?with=a&query=as+well) ",
      "https://example.com/another/very/long/url/without/an/end/",
      "[[1]](https://e.x/1)",
      "a very long line of prose that goes on and on until it must wrap somewhere ",
      "averyveryveryverylongwordthatneverendsandmustbebrokensomewhere",
      "x | y\n--- | ---\n"};
  for (int round = 0; round < 60; ++round) {
    std::string text;
    const std::size_t parts = 1 + random() % 120;
    for (std::size_t i = 0; i < parts; ++i) text += k_parts[random() % std::size(k_parts)];
    const int columns = 12 + static_cast<int>(random() % (round % 2 == 0 ? 30 : 189));
    const bool plain = random() % 3 == 0;
    const std::size_t rows = plain ? 0 : 3 + random() % 60;
    Terminal terminal = random() % 2 == 0 ? test::color_tty(columns) : test::tty(columns);
    if (plain) terminal = random() % 2 == 0 ? plain_tty(columns) : for_screen_reader(terminal);
    CAPTURE(columns);
    CAPTURE(rows);
    CAPTURE(text);
    const Cuts cuts = random_cuts(text, random);
    const Shown whole = show(text, terminal, {}, false, rows);
    check_same(show(text, terminal, cuts, false, rows), whole);
    check_same(show(text, terminal, pieces_of(text, 1), false, rows), whole);
  }
}

TEST_CASE("marks too long for the screen mean the same however the text arrives") {
  for (const std::size_t around : {40U, 176U, 297U}) {
    for (std::size_t size = around - 6; size < around + 8; ++size) {
      const std::string text = words_of(size);
      for (const std::string& source :
           {"a $$" + text + "$$ b\n# Heading\n\\(x\n", "a \\[ " + text + "\\]\n- item **b**\n$$*c*",
            "$$ *a* " + text + " *b*", "```" + text + "``` *a*", "a <https://" + text + "> b",
            "a https://e.x/" + std::string(size, 'x') + " b", "[a](https://e.x/" + text + ") b",
            "a**" + text + "** b", " ```\n    " + text + "\n ```\nb", "**" + text + "** b",
            "~~" + text + "~~ b"}) {
        for (const int columns : {16, 27}) {
          CAPTURE(columns);
          CAPTURE(source);
          const bool spoken = size % 2 == 0;
          const Terminal plain =
              spoken ? for_screen_reader(test::tty(columns)) : plain_tty(columns);
          check_same(show(source, plain, pieces_of(source, 1), false, 0),
                     show(source, plain, {}, false, 0));
          const Terminal color = test::color_tty(columns);
          check_same(show(source, color, pieces_of(source, 1), false, 4),
                     show(source, color, {}, false, 4));
        }
      }
    }
  }
}

TEST_CASE("prose is only appended") {
  constexpr sv k_words[] = {"the",  "quick", "considerations", "of",   "a",       "model",
                            "that", "wrote", "this",           "text", "without", "emphasis,"};
  std::mt19937 random(7);
  std::string prose;
  while (prose.size() < 10'000) {
    prose += k_words[random() % std::size(k_words)];
    prose += random() % 60 == 0 ? ".\n\n" : " ";
  }
  const Shown shown = show(prose, test::color_tty(80), pieces_of(prose, 4));
  CHECK(count_of(shown.bytes, "\x1b[J") < 20);  // a long word at the end of a line
  std::vector<std::size_t> at_words;
  for (std::size_t at = prose.find(' '); at != sv::npos; at = prose.find(' ', at + 1)) {
    at_words.push_back(at);
  }
  CHECK(count_of(show(prose, test::color_tty(80), at_words).bytes, "\x1b[") == 0);
}

TEST_CASE("a plain terminal's text is written once, at once, and the same at every chunking") {
  for (const int columns : {40, 80, 120}) {
    for (const sv answer : k_answers) {
      for (const bool spoken : {false, true}) {
        CAPTURE(columns);
        CAPTURE(answer.substr(0, 40));
        CAPTURE(spoken);
        const Terminal terminal =
            spoken ? for_screen_reader(plain_tty(columns)) : plain_tty(columns);
        const Shown whole = show(answer, terminal, {}, false, 0);
        CHECK(whole.bytes.find('\x1b') == std::string::npos);
        for (const sv box : {"│", "─", "┼"}) CHECK(whole.bytes.find(box) == std::string::npos);
        for (std::size_t size = 1; size <= 24; ++size) {
          CAPTURE(size);
          const Shown shown = show(answer, terminal, pieces_of(answer, size), false, 0);
          CHECK(shown.bytes == whole.bytes);
        }
      }
    }
  }
}

TEST_CASE("a screen reader gets words as they come, and spans at their end without marks") {
  MarkdownStream stream(for_screen_reader(test::tty(60)));
  CHECK(stream.feed("Hello") == "Hello");
  CHECK(stream.feed(", this is **ve") == ", this is");
  CHECK(stream.feed("ry** *plain* text, see the man") == " very plain text, see the man");
  CHECK(stream.feed("ual in [it](https:") == "ual in");
  CHECK(stream.feed("//e.x/1) and 2 * 3 `snake_ca") == " it\n(https://e.x/1) and 2 * 3");
  CHECK(stream.feed("se` [[1]](https://e.x/a)") == " snake_case [1]");
  CHECK(stream.feed(" end\n\n# Ti") == " end\n\nTi");
  CHECK(stream.feed("tle\n\n```c\nx\n``") == "tle\n\nCode, c:\nx\n");
  CHECK(stream.feed("`\n| **A** | B |\n|--|--|\n| 1 | `2` |\n") == "End of code.\nA: 1\nB: 2\n\n");
  CHECK(stream.feed("**open") == "");
  CHECK(stream.finish() == "**open\n");
}

TEST_CASE("a plain terminal shows words as they come, marks and all") {
  MarkdownStream stream(plain_tty(60));
  CHECK(stream.feed("Hello") == "Hello");
  CHECK(stream.feed(", this is **ve") == ", this is **ve");
  CHECK(stream.feed("ry** plain text, see the man") == "ry** plain text, see the");
  CHECK(stream.feed("ual in [it](https://e.x/1)") == " manual in\n[it](https://e.x/1)");
  CHECK(stream.feed(" as sources[[1]](http") == " as sources");
  CHECK(stream.feed("s://e.x/a) say") == "[1] say");
  CHECK(stream.feed("\n\n- [x] one\n> qu") == "\n\n[x] one\n> qu");
  CHECK(stream.feed("ote\n\n---\n\n```c\n  int m") == "ote\n\n---\n\n```c\n  int m");
  CHECK(stream.feed("ain\n```\n| A | B |\n|---|---|\n") == "ain\n```\n");
  CHECK(stream.feed("| 1 | two |\n| 3 |") == "A: 1\nB: two\n\n");
  CHECK(stream.feed(" four |\nEnd") == "A: 3\nB: four\n\nEnd");
  CHECK(stream.finish() == "\n");
  REQUIRE(stream.citations().size() == 1);
  CHECK(stream.citations().front().second == "https://e.x/a");
}

TEST_CASE("text is shown with the next event, in its look") {
  MarkdownStream stream(test::color_tty(60), {}, k_rows);
  test::Screen screen(60, k_rows);
  const auto after = [&](sv piece) {
    screen.feed(stream.feed(piece));
    return screen.text();
  };
  CHECK(after("It is **very") == "It is very\n");
  CHECK(screen.rows().front().at(6).look == "1");
  CHECK(after(" impor") == "It is very impor\n");
  CHECK(after("tant** to") == "It is very important to\n");
  CHECK(after(" see [the man") == "It is very important to see the man\n");
  CHECK(after("ual](https://exam") == "It is very important to see the manual\n");
  CHECK(after("ple.org/manual)") ==
        "It is very important to see the manual\n(https://example.org/manual)\n");
  CHECK(after(". `co") ==
        "It is very important to see the manual\n(https://example.org/manual). co\n");
  CHECK(after("de` *unclosed") ==
        "It is very important to see the manual\n(https://example.org/manual). code unclosed\n");
  CHECK(after("\n\n") ==
        "It is very important to see the manual\n(https://example.org/manual). code *unclosed\n");
  CHECK(after("| A | B |\n").ends_with("*unclosed\n\nA │ B\n"));
  CHECK(after("|---|---|\n| one | 1 |").ends_with("*unclosed\n\nA │ B\n──┼──\n"));
  CHECK(after("\n").ends_with("\none    │ 1\n"));
  CHECK(after("| longer than it | 2 |\n")
            .ends_with("\none    │ 1\nlonger │ 2\nthan   │\nit     │\n"));
  CHECK(
      after("\nx").ends_with("\n\nA              │ B\n───────────────┼──\none            │ 1\n"
                             "longer than it │ 2\n\nx\n"));
  CHECK(screen.faults().empty());
}

TEST_CASE("citations are links, without their URL, and listed once") {
  const Shown shown = show(k_links, test::color_tty(80), {});
  CHECK(shown.screen.text().find("reported[1] and confirmed[2][1], see") != std::string::npos);
  CHECK(shown.bytes.find("\x1b]8;;https://example.org/b\x1b\\[2]") != std::string::npos);
  MarkdownStream stream(test::color_tty(80), {}, k_rows);
  (void)stream.feed(k_links);
  (void)stream.finish();
  REQUIRE(stream.citations().size() == 2);
  CHECK(stream.citations().front().first == "1");
  CHECK(stream.citations().back().second == "https://example.org/b");
}

}  // namespace svc::print
