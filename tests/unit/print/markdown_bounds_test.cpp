// Where Markdown's limits are, what is shown of a line that may still become several things, and
// how the screen is redrawn.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.h"
#include "print/live_tail.h"
#include "print/markdown.h"
#include "print/width.h"
#include "print/wrapped_text.h"
#include "print_support.h"
#include "support/screen.h"

namespace svc::print {
namespace {

/// What is written when the text comes at once, which must be what is written when it comes byte by
/// byte.
std::string rendered(const std::string& source, const Terminal& terminal = test::tty(100)) {
  MarkdownStream stream(terminal);
  std::string shown = stream.feed(source);
  shown += stream.finish();
  std::string bytewise;
  for (const char& c : source) bytewise += stream.feed(sv(&c, 1));
  bytewise += stream.finish();
  CHECK(bytewise == shown);
  return shown;
}

std::string xs(std::size_t count) {
  return std::string(count, 'x');
}

bool has_table(const std::string& source) {
  const std::string shown = rendered(source, test::tty(4000));
  return shown.find("─┼─") != std::string::npos;
}

}  // namespace

TEST_CASE("a span that may not fit on the screen is text") {
  struct Size {
    int columns;
    std::size_t rows;
    std::size_t longest;  ///< characters of a span, of half the screen but two rows
  };
  for (const Size& size : {Size{41, 30, 560}, Size{41, 24, 440}, Size{41, 0, 440}, Size{41, 5, 60},
                           Size{41, 4, 40}, Size{41, 1, 40}, Size{21, 5, 40}, Size{200, 60, 1000},
                           Size{101, 21, 950}, Size{101, 23, 1000}}) {
    CAPTURE(size.columns);
    CAPTURE(size.rows);
    const auto is_code = [&](std::size_t letters) {
      MarkdownStream stream(test::color_tty(size.columns), {}, size.rows);
      std::string shown = stream.feed("`" + xs(letters) + "` b\n");
      shown += stream.finish();
      return shown.find('`') == std::string::npos;
    };
    CHECK(is_code(size.longest - 1));  // it is measured with the mark before it
    CHECK_FALSE(is_code(size.longest));
  }
}

TEST_CASE("each kind of span has the same longest length, and is text beyond it") {
  const Terminal color = test::color_tty(41);  // 440 characters
  struct Kind {
    const char* begin;
    const char* end;
    std::size_t marks;  ///< that count
    const char* seen;   ///< in the output, if it is a span
  };
  for (const Kind& kind :
       {Kind{"`", "`", 1, "\x1b[36m"}, Kind{"**", "**", 2, "\x1b[1m"}, Kind{"*", "*", 1, "\x1b[3m"},
        Kind{"~~", "~~", 2, "\x1b[9m"}, Kind{"[", "](a:b)", 1, "\x1b[4m"},
        Kind{"<a:", ">", 3, "\x1b[4m"}, Kind{"https://", " b", 8, "\x1b[4m"}}) {
    CAPTURE(std::string(kind.begin));
    const auto is_span = [&](std::size_t length) {
      const std::string inside = xs(length - kind.marks);
      return rendered("a " + (kind.begin + inside) + kind.end + "\n", color).find(kind.seen) !=
             std::string::npos;
    };
    CHECK(is_span(440));
    CHECK_FALSE(is_span(441));
  }
  const auto unchanged = [&](const std::string& begin, const std::string& end, std::size_t length) {
    const std::string formula = begin + "*a*" + xs(length - begin.size() - 3) + end;
    return rendered("a " + formula + " b\n", color).find(formula) != std::string::npos;
  };
  CHECK(unchanged("$", "$", 440));
  CHECK_FALSE(unchanged("$", "$", 441));
  // The begin of a longer one is shown before its end has come, and so is the rest.
  for (const std::size_t length : {440U, 441U, 442U, 2000U}) {
    CAPTURE(length);
    CHECK(unchanged("\\(", "\\)", length));
    CHECK(unchanged("\\[", "\\]", length));
    CHECK(unchanged("$$", "$$", length));
  }
}

TEST_CASE("a line without outer bars is a row if its first cell is short and no sentence") {
  const auto is_row = [](const std::string& header) {
    return has_table(header + "\n---|---\n1 | 2\n");
  };
  for (const std::string& header :
       {std::string("a | b"), xs(31) + " | b", xs(32) + "| b", std::string("a b c d | e"),
        std::string("a,b | c"), std::string("a \\| b | c"), std::string("   a | b"),
        "a | " + xs(4092), std::string("a | b, c. d")}) {
    CAPTURE(header.substr(0, 40));
    CHECK(is_row(header));
  }
  for (const std::string& header :
       {xs(32) + " | b", xs(33) + "| b", std::string("a b c d e | f"), std::string("a, b | c"),
        std::string("a. b | c"), std::string("a: b | c"), std::string("a; b | c"),
        std::string("a! b | c"), std::string("a? b | c"), std::string("`a` | b"),
        std::string("a || b"), std::string("    a | b"), "a | " + xs(4093), std::string("# a | b"),
        std::string("a \\| b")}) {
    CAPTURE(header.substr(0, 40));
    CHECK_FALSE(is_row(header));
  }
  for (const char* below : {"---|---", ":-|-:", " --- | --- ", "---|---|", "- | -"}) {
    CAPTURE(below);
    CHECK(has_table(std::string("a | b\n") + below + "\n1 | 2\n"));
  }
  for (const char* below : {"---", "---|---|---", "---|--x", "| |", "---|"}) {
    CAPTURE(below);
    CHECK_FALSE(has_table(std::string("a | b\n") + below + "\n1 | 2\n"));
  }
}

TEST_CASE("long lines of marks and of cells are text") {
  const Terminal wide = test::tty(4000);
  CHECK(rendered(std::string(511, '-') + "\n", wide) == repeat("─", 72) + "\n");
  CHECK(rendered(std::string(512, '-') + "\n", wide) == std::string(512, '-') + "\n");
  const auto in_table = [&](std::size_t bytes) {
    const std::string row = "| " + xs(bytes - 4) + " |";
    return rendered("| a |\n|---|\n" + row + "\n", wide).find("| x") == std::string::npos;
  };
  CHECK(in_table((16U << 10U) - 1));
  CHECK_FALSE(in_table(16U << 10U));
}

TEST_CASE("quotes and lists are nested only so deep") {
  CHECK(rendered("> > > > > > x\n") == "│ │ │ │ │ │ x\n");
  CHECK(rendered("> > > > > > > x\n") == "│ │ │ │ │ │ > x\n");
  std::string source;
  std::string shown;
  for (std::size_t depth = 0; depth < 10; ++depth) {
    const std::string indent(2 * depth, ' ');
    source += indent + "- x\n";
    shown += indent + std::vector<std::string>{"•", "◦", "▪"}[depth % 3] + " x\n";
  }
  CHECK(rendered(source) == shown);
  const std::string indent(20, ' ');
  CHECK(rendered(source + indent + "- y\n") == shown + indent + "- y\n");
}

TEST_CASE("a rule has the width of the terminal, but no more than 72 columns") {
  for (const int columns : {12, 72, 73, 74, 200}) {
    CAPTURE(columns);
    const auto width = std::min<std::size_t>(static_cast<std::size_t>(columns) - 1, 72);
    CHECK(rendered("---\n", test::tty(columns)) == repeat("─", width) + "\n");
  }
  CHECK(rendered("***\n", test::color_tty(20)) == "\x1b[2m" + repeat("─", 19) + "\x1b[0m\n");
  Terminal ascii = test::tty(20);
  ascii.utf8 = false;
  CHECK(rendered("- a\n  > b\n\n___\n", ascii) == "- a\n  > b\n\n" + std::string(19, '-') + "\n");
  CHECK(rendered("- a\n\n---\nb\n", test::tty(12)) == "• a\n\n───────────\nb\n");
  CHECK(rendered("Title\n===\nb\n", test::tty(12)) == "Title\n───────────\nb\n");
  CHECK(rendered("\n===\n", test::tty(12)) == "===\n");
}

TEST_CASE("a fence is closed by one that is at least as long, of the same mark, and alone") {
  CHECK(rendered("````\n```\n````\nx\n") == "````\n```\n````\nx\n");
  CHECK(rendered("```\na\n`````\n*x*\n") == "```\na\n`````\n*x*\n");
  const Terminal color = test::color_tty();
  for (const char* inside : {"~~~", "``", "``` x", "`` `", "    *a*"}) {
    CAPTURE(inside);
    CHECK(rendered(std::string("```\n") + inside + "\n*b*\n```\n*c*\n", color) ==
          std::string("\x1b[2m```\x1b[0m\n") + inside +
              "\n*b*\n\x1b[2m```\x1b[0m\n\x1b[3mc\x1b[0m\n");
  }
  for (const char* close : {"```", "````", " ```", "```  "}) {
    CAPTURE(close);
    CHECK(rendered(std::string("```c\nif\n") + close + "\n*c*\n", color) ==
          "\x1b[2m```c\x1b[0m\n\x1b[35mif\x1b[0m\n\x1b[2m" + std::string(trim(close)) +
              "\x1b[0m\n\x1b[3mc\x1b[0m\n");
  }
  // A line longer than a span is not colored: its begin is written before its end is there.
  const Terminal narrow = test::color_tty(41);
  CHECK(rendered("```c\nif " + xs(436) + "\n```\n", narrow).find("\x1b[35mif\x1b[0m") !=
        std::string::npos);
  CHECK(rendered("```c\nif " + xs(437) + "\nif\n", narrow) ==
        "\x1b[2m```c\x1b[0m\nif " + xs(437) + "\n\x1b[35mif\x1b[0m\n");
}

TEST_CASE("indented code keeps the columns beyond its indentation, tabs included") {
  CHECK(rendered("\t\tx\n") == "\tx\n");
  CHECK(rendered("  \tx\n") == "x\n");
  CHECK(rendered(" \t x\n") == " x\n");
  CHECK(rendered("   x\n") == "x\n");
  CHECK(rendered("- a\n\n      b\n") == "• a\n\n  b\n");
  CHECK(rendered("- a\n\n       *b*\n", test::color_tty()) ==
        "\x1b[2m• \x1b[0ma\n\n\x1b[2m  \x1b[0m *b*\n");
  CHECK(rendered("- a\n\n     *b*\n", test::color_tty()) ==
        "\x1b[2m• \x1b[0ma\n\n\x1b[2m  \x1b[0m\x1b[3mb\x1b[0m\n");
}

TEST_CASE("only a list that begins with one may interrupt a paragraph") {
  const Terminal narrow = test::tty(12);
  CHECK(rendered("In\n1986. aaa bbb\n", narrow) == "In\n1986. aaa\nbbb\n");
  CHECK(rendered("In\n2. aaa bbb ccc\n", narrow) == "In\n2. aaa bbb\nccc\n");
  CHECK(rendered("In\n1. aaa bbb ccc\n", narrow) == "In\n1. aaa bbb\n   ccc\n");
  CHECK(rendered("In\n1) aaa bbb ccc\n", narrow) == "In\n1) aaa bbb\n   ccc\n");
  CHECK(rendered("2. aaa bbb ccc\n3. d\n", narrow) == "2. aaa bbb\n   ccc\n3. d\n");
  CHECK(rendered("- a\n2. aaa bbb ccc\n", narrow) == "• a\n2. aaa bbb\n   ccc\n");
}

TEST_CASE("a heading ends with its line, and an item begins with the first of its text") {
  MarkdownStream stream(test::tty(40));
  CHECK(stream.feed("# A\n") == "# A\n");
  const auto item = [](sv text) {
    MarkdownStream one(test::tty(40));
    return one.feed(std::string("- ") + std::string(text));
  };
  CHECK(item("a b ") == "• a b");
  CHECK(item("a ") == "• a");
  CHECK(item("ab c") == "• ab");
  CHECK(item("[") == "");
  CHECK(item("[x]") == "");
  CHECK(item("[x] ") == "");
  CHECK(item("[x] y z") == "☑ y");
  CHECK(item("[y] z") == "• [y]");
}

TEST_CASE("an empty heading is a line") {
  CHECK(rendered("##\nx\n") == "##\nx\n");
  CHECK(rendered("## a\n\nx\n") == "## a\n\nx\n");
}

TEST_CASE("a table is laid out once its height or its size says so") {
  const auto written = [](std::size_t rows) {
    MarkdownStream stream(test::tty());
    std::string source = "| a | b |\n|---|---|\n";
    for (std::size_t i = 0; i < rows; ++i) source += "| 1 | 2 |\n";
    return stream.feed(source);
  };
  CHECK(written(198).empty());  // and its head, of two lines
  CHECK(split(written(199), '\n').size() == 202);
  const auto written_for = [](std::size_t bytes) {
    Flow flow(test::tty(4000), {});
    MarkdownTable table(flow, "| a |", "|---|", 200);
    const std::string row = "| " + xs(bytes / 4 - 4) + " |";
    for (int i = 0; i < 3; ++i) table.add(flow, row);
    table.add(flow, row + std::string(bytes % 4, ' '));
    return flow.take();
  };
  CHECK(written_for(MarkdownTable::k_most_bytes - 1).empty());
  CHECK_FALSE(written_for(MarkdownTable::k_most_bytes).empty());
}

TEST_CASE("of a line that may become several things, nothing is shown until that is decided") {
  const auto shown = [](const std::string& start) {
    MarkdownStream stream(test::color_tty(60), {}, 24);
    test::Screen screen(60, 24);
    screen.feed(stream.feed(start));
    CHECK(screen.faults().empty());
    return std::string(trim(screen.text()));
  };
  for (const char* start : {"#",  "##",  "-",    "--",    "---",  "*",   "**",        "_", "+",
                            "=",  "`",   "``",   "```",   "```c", "~",   "~~~x",      ">", "> ",
                            "- ", "  ",  "\t",   "1",     "12",   "12.", "12)",       "|", "| a",
                            " |", "- [", "- [y", "- [ ]", "> #",  "1. ", "1234567890"}) {
    CAPTURE(std::string(start));
    CHECK(shown(start).empty());
  }
  using Shown = std::pair<const char*, const char*>;
  for (const auto& [start, text] :
       {Shown{"x", "x"}, Shown{"1x", "1x"}, Shown{"12.x", "12.x"}, Shown{"#x", "#x"},
        Shown{"# x", "x"}, Shown{"- x", "• x"}, Shown{"- [yes", "• yes"}, Shown{"- [x] a", "☑ a"},
        Shown{"> x", "│ x"}, Shown{"**x", "x"}, Shown{"`x", "x"}, Shown{"a |", "a |"},
        Shown{"a | b\n", "a | b"}, Shown{"| a | b |\n", "a │ b"}, Shown{"1. x", "1. x"},
        Shown{"```\nx", "```\nx"}, Shown{"```\n``", "```"}, Shown{"[x", "x"},
        Shown{"![x", "[image: x"}}) {
    CAPTURE(std::string(start));
    CHECK(shown(start) == std::string(text));
  }
}

TEST_CASE("only what differs on the screen is written again") {
  constexpr std::size_t k_columns = 5;
  LiveTail tail;
  const auto advance = [&](sv fixed, sv behind, std::size_t rows = 10) {
    std::string out = tail.advance(fixed, behind, k_columns, rows);
    for (const auto& [sequence, shown] :
         {std::pair("\x1b[?2026h", "{"), std::pair("\x1b[?2026l", "}"), std::pair("\x1b[J", "^"),
          std::pair("\x1b[1A", "↑"), std::pair("\x1b[2A", "↑↑"), std::pair("\r", "<")}) {
      out = replace_all(std::move(out), sequence, shown);
    }
    return out;
  };
  CHECK(advance("", "abc") == "abc");
  CHECK(tail.column() == 3);
  CHECK(advance("", "abc") == "");
  CHECK(advance("", "abcd") == "d");
  CHECK(advance("ab", "cd") == "");
  CHECK(advance("", "cx") == "{<a^bcx}");  // the first character keeps the row from the history
  CHECK(advance("", "c") == "{<a^bc}");
  CHECK(tail.column() == 3);
  CHECK(advance("c", "de") == "de");
  CHECK(tail.column() == k_unknown_column);
  CHECK(advance("", "x") == "{<a^bcx}");
  CHECK(advance("d\n", "") == "{<a^bcd\n}");
  CHECK(tail.column() == 0);
  CHECK(advance("", "ab\ncd\nef") == "ab\ncd\nef");
  CHECK(advance("", "ab\ncd\neg") == "{<e^g}");
  CHECK(advance("", "ab\nxd") == "{<↑x^d}");
  CHECK(advance("", "ab\nxd\n") == "\n");
  CHECK(advance("", "y") == "{<↑↑y^}");
  CHECK(advance("", "") == "{<^}");
  // A row that wraps by itself is two.
  CHECK(advance("", "abcdefg") == "abcdefg");
  CHECK(tail.column() == 2);
  CHECK(advance("", "abcdefx") == "{<f^x}");
  CHECK(advance("", "abx") == "{<↑a^bx}");
  CHECK(advance("", "\u0301x") == "{<\u0301^x}");
}

TEST_CASE("of a text that is higher than the screen only the begin is shown, until it is fixed") {
  LiveTail tail;
  CHECK(tail.advance("", "a\nb\nc\nd\n", 9, 4) == "a\nb\nc");
  CHECK(tail.column() == 1);
  CHECK(tail.advance("a\n", "b\nc\nd\n", 9, 4) == "\nd");
  CHECK(tail.advance("b\nc\nd\n", "", 9, 4) == "\n");
  CHECK(tail.column() == 0);
  CHECK(tail.advance("", "a\nb", 9, 2) == "a");
  CHECK(tail.advance("", "a\nb", 9, 0) == "");
  LiveTail looks;
  CHECK(looks.advance("", "\x1b[1ma\nb\x1b[0m", 9, 2) == "\x1b[1ma\x1b[0m\x1b]8;;\x1b\\");
  // What follows in the same look is written in it.
  LiveTail bold;
  CHECK(bold.advance("", "\x1b[1mab\x1b[0m", 9, 9) == "\x1b[1mab\x1b[0m");
  CHECK(bold.advance("", "\x1b[1mabc\x1b[0m", 9, 9) == "\x1b[1mc\x1b[0m");
  CHECK(bold.advance("", "\x1b[1mab\x1b[0mc", 9, 9) ==
        "\x1b[?2026h\r\x1b[1ma\x1b[Jb\x1b[0mc\x1b[?2026l");
  LiveTail link;
  const std::string url = "\x1b]8;;https://x.example/\x1b\\";
  const std::string end = "\x1b]8;;\x1b\\";
  CHECK(link.advance("", url + "ab" + end, 9, 9) == url + "ab" + end);
  CHECK(link.advance("", url + "ab" + end + "c", 9, 9) == "c");
  CHECK(link.advance("", url + "abc" + end, 9, 9) ==
        "\x1b[?2026h\r" + url + "a\x1b[Jbc" + end + "\x1b[?2026l");
}

TEST_CASE("joined characters are redrawn with what joins them, and tabs end at stops") {
  LiveTail tail;
  CHECK(tail.advance("", "👩", 20, 9) == "👩");
  CHECK(tail.advance("", "👩\u200d", 20, 9) == "\x1b[?2026h\r👩\u200d\x1b[J\x1b[?2026l");
  CHECK(tail.advance("", "👩\u200d👧", 20, 9) == "\x1b[?2026h\r👩\u200d👧\x1b[J\x1b[?2026l");
  CHECK(tail.advance("", "👩\u200d👧x", 20, 9) == "x");
  const auto column = [](sv text, std::size_t columns) {
    LiveTail fresh;
    (void)fresh.advance("", text, columns, 9);
    return fresh.column();
  };
  CHECK(column("\t", 20) == 8);
  CHECK(column("1234567\t", 20) == 8);
  CHECK(column("12345678\tb", 20) == 17);
  CHECK(column("12345678\t", 16) == 15);
  CHECK(column("世", 3) == 2);
  CHECK(column("世世", 3) == 2);
  CHECK(column("世世", 4) == k_unknown_column);
  // Of what is fixed, only the last row can be redrawn, in the look it has.
  LiveTail rows;
  CHECK(rows.advance("abcdefgh", "x", 5, 9) == "abcdefghx");
  CHECK(rows.advance("", "y", 5, 9) == "\x1b[?2026h\rf\x1b[Jghy\x1b[?2026l");
  LiveTail looks;
  CHECK(looks.advance("\x1b[1mabcdefgh\x1b[0m", "x", 5, 9) == "\x1b[1mabcdefgh\x1b[0mx");
  CHECK(looks.advance("", "y", 5, 9) == "\x1b[?2026h\r\x1b[1mf\x1b[Jgh\x1b[0my\x1b[?2026l");
}

TEST_CASE("wide characters may be apart, but not what ends a clause, nor what is joined") {
  const Terminal narrow = test::tty(13);
  const std::string six = "中中中中中中";
  for (const char* mark :
       {"、", "。", "，", "．", "！", "？", "：", "；", "）", "」", "』", "】", "》"}) {
    CAPTURE(std::string(mark));
    CHECK(rendered(six + mark + "\n", narrow) == "中中中中中\n中" + std::string(mark) + "\n");
  }
  CHECK(rendered(six + "（\n", narrow) == six + "\n（\n");
  CHECK(rendered(six + "a\n", narrow) == six + "\na\n");
  CHECK(rendered("中中中中中aaa\n", narrow) == "中中中中中\naaa\n");
  CHECK(rendered("a" + six + "\n", narrow) == "a中中中中中\n中\n");
  CHECK(rendered("中中中中中👩\u200d👧\n", narrow) == "中中中中中\n👩\u200d👧\n");
}

TEST_CASE("a line has at least eleven columns, and half of them for its text") {
  for (const int columns : {1, 11, 12}) {
    CHECK(rendered("aaaaa bbbbb cc\n", test::tty(columns)) == "aaaaa bbbbb\ncc\n");
  }
  CHECK(rendered("aaaaa bbbbb cc\n", test::tty(14)) == "aaaaa bbbbb\ncc\n");
  CHECK(rendered("aaaaa bbbbb cc\n", test::tty(15)) == "aaaaa bbbbb cc\n");
  const std::string bars = fit("│ │ │ │ │ │ ", 10, true);
  CHECK(rendered("> > > > > > ---\n", test::tty(21)) == bars + repeat("─", 10) + "\n");
  CHECK(rendered("> > > > > > aaaa bbbbb cc\n", test::tty(21)) ==
        bars + "aaaa bbbbb\n" + bars + "cc\n");
  CHECK(rendered("> > > > > ---\n", test::tty(21)) == "│ │ │ │ │ " + repeat("─", 10) + "\n");
}

TEST_CASE("a word is moved to the next line, unless it is too long to wait for its end") {
  const Terminal wide = test::tty(601);
  const std::string begin(86, 'a');
  CHECK(rendered(begin + " " + xs(520) + "\n", wide) == begin + " " + xs(520) + "\n");
  CHECK(rendered(begin + "a " + xs(520) + "\n", wide) == begin + "a\n" + xs(520) + "\n");
  // Nothing is redrawn on a plain terminal: a word waits only near the end of the line.
  const auto moved = [](int columns, std::size_t before) {
    Terminal plain = test::tty(columns);
    plain.plain = true;
    const std::string text = std::string(before, 'a');
    const std::string shown = rendered(text + " " + xs(20) + "\n", plain);
    const bool is_moved = shown == text + "\n" + xs(20) + "\n";
    CHECK((is_moved || shown == text + " " + xs(20) + "\n"));
    return is_moved;
  };
  CHECK(moved(41, 27));  // a third of the line
  CHECK_FALSE(moved(41, 26));
  CHECK(moved(101, 84));  // at most 16 columns
  CHECK_FALSE(moved(101, 83));
  CHECK_FALSE(moved(101, 79));
}

TEST_CASE("a letter has at most eight marks") {
  const auto marks = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += "\u0301";
    return all;
  };
  CHECK(rendered("e" + marks(9) + "e" + marks(8) + "\n") == "e" + marks(8) + "e" + marks(8) + "\n");
}

TEST_CASE("spaces are underlined or struck out within a link or a deletion only") {
  CHECK(rendered("~~a b~~ **c d**\n", test::color_tty()) ==
        "\x1b[9ma\x1b[0m\x1b[9m \x1b[0m\x1b[9mb\x1b[0m \x1b[1mc\x1b[0m \x1b[1md\x1b[0m\n");
  const std::string link = "\x1b[4m\x1b]8;;https://x.example/\x1b\\";
  const std::string end = "\x1b]8;;\x1b\\\x1b[0m";
  CHECK(rendered("[a b](https://x.example/)\n", test::color_tty()) ==
        link + "a" + end + "\x1b[4m \x1b[0m" + link + "b" + end +
            " \x1b[2m(https://x.example/)\x1b[0m\n");
}

TEST_CASE("the begin of a word near the end of the line waits once for its rest") {
  const auto first_and_second = [](std::size_t before) {
    MarkdownStream stream(test::tty(61), {}, 24);
    const std::string first = stream.feed(std::string(before, 'a') + " xx");
    return std::pair(first.substr(before), stream.feed("x"));
  };
  using Both = std::pair<std::string, std::string>;
  CHECK(first_and_second(45) == Both{" xx", "x"});
  CHECK(first_and_second(46) == Both{"", " xxx"});
  CHECK(first_and_second(57) == Both{"", "\nxxx"});
  CHECK(first_and_second(58) == Both{"\nxx", "x"});  // it is moved whatever follows
}

TEST_CASE("on a plain terminal a citation is its number, and anything like it as it is") {
  const auto plain = [](const std::string& source) {
    Terminal terminal = test::tty(4000);
    terminal.plain = true;
    MarkdownStream stream(terminal);
    std::string shown = rendered(source + "\n", terminal);
    shown.pop_back();
    (void)stream.feed(source);
    (void)stream.finish();
    for (const auto& [number, url] : stream.citations()) shown += " {" + number + " " + url + "}";
    return shown;
  };
  CHECK(plain("a[[1]](https://e.x/a)b") == "a[1]b {1 https://e.x/a}");
  CHECK(plain("[[12]](u)[[3]](v) [[12]](w)") == "[12][3] [12] {12 u} {3 v}");
  CHECK(plain("[[1]]()") == "[1] {1 }");
  for (const char* other :
       {"[[x]](u)", "[[]](u)", "[[1]](a b)", "[[1]] (u)", "[[1](u)", "[[1]]", "[1](u)", "[[1",
        "[[1]](u", "[[[1]](", "[[1x]](u)", "[ [1]](u)", "[", "[[", "[[[1]](u)"}) {
    CAPTURE(std::string(other));
    CHECK(plain(other) == other);
  }
  CHECK(plain("[[1]](" + xs(1996) + ")").starts_with("[1] {"));
  CHECK(plain("[[1]](" + xs(1997) + ")").starts_with("[[1]](x"));
}

TEST_CASE("more marks than can be open at once are text") {
  const auto is_bold = [](int open) {
    std::string source;
    for (int i = 0; i < open; ++i) source += "*a ";
    MarkdownStream stream(test::color_tty(200), {}, 60);
    std::string shown = stream.feed(source + "**b** c\n");
    shown += stream.finish();
    return shown.find("\x1b[1mb") != std::string::npos;
  };
  CHECK(is_bold(126));
  CHECK_FALSE(is_bold(127));
}

TEST_CASE("plain text is wrapped with the indentation of its line") {
  const auto wrapped = [](sv text, std::size_t piece, int columns = 13) {
    WrappedText stream(test::tty(columns), {}, 0, k_look_plain);
    std::string shown;
    for (std::size_t at = 0; at < text.size(); at += piece)
      shown += stream.feed(text.substr(at, piece));
    shown += stream.finish();
    // What a text leaves behind does not concern the next one.
    CHECK(stream.feed("\n  b c\n") + stream.finish() == "\n  b c\n");
    return shown;
  };
  for (const std::size_t piece : {1U, 2U, 5U, 100U}) {
    CAPTURE(piece);
    CHECK(wrapped("one two three", piece) == "one two\nthree\n");
    CHECK(wrapped("  aaa bbb ccc ddd\ne", piece) == "  aaa bbb\n  ccc ddd\ne\n");
    CHECK(wrapped("a\n\n   \n  b  c\n", piece) == "a\n\n\n  b c\n");
    CHECK(wrapped("  a\nbbb ccc ddd eee\n", piece) == "  a\nbbb ccc ddd\neee\n");
    CHECK(wrapped("*a* \x1b[2J", piece, 40) == "*a* ^[[2J\n");
    CHECK(wrapped("    ", piece) == "");
    CHECK(wrapped("  a\n\nb", piece) == "  a\n\nb\n");
    CHECK(wrapped("  a", piece) == "  a\n");
    CHECK(wrapped("中文字符很宽的一句话", piece) == "中文字符很宽\n的一句话\n");
  }
  WrappedText dim(test::color_tty(13), {}, 0, k_look_dim);
  CHECK(dim.feed("one tw") == "\x1b[2mone\x1b[0m");
  CHECK(dim.feed("o") == "");
  CHECK(dim.column() == 3);
  CHECK(dim.finish() == " \x1b[2mtwo\x1b[0m\n");
  CHECK(dim.column() == 0);
  int columns = 13;
  WrappedText resized(
      test::tty(80), [&] { return columns; }, 0, k_look_plain);
  CHECK(resized.feed("one two three ") == "one two\nthree");
  columns = 40;
  CHECK(resized.feed("four five six seven ") == " four\nfive six seven");
}

TEST_CASE("plain text on a screen is shown as it arrives") {
  WrappedText stream(test::tty(41), {}, 24, k_look_plain);
  CHECK(stream.feed("one tw") == "one tw");
  CHECK(stream.column() == 6);
  CHECK(stream.feed("o " + xs(20) + " y") == "o " + xs(20));
  CHECK(stream.feed("y") == " yy");
  CHECK(stream.finish() == "\n");
  CHECK(stream.column() == 0);
  Terminal plain = test::tty(41);
  plain.plain = true;
  WrappedText spoken(plain, {}, 0, k_look_plain);
  CHECK(spoken.feed("one tw") == "one tw");
  CHECK(spoken.feed("o") == "o");
  CHECK(spoken.finish() == "\n");
}

TEST_CASE(
    "a block that is less indented than an item's text ends the item, a line of its text does "
    "not") {
  CHECK(rendered("- a\n# b\n") == "• a\n# b\n");
  CHECK(rendered("- a\n  # b\n") == "• a\n  # b\n");
  CHECK(rendered("- a\nb\n") == "• a\n  b\n");
  CHECK(rendered("- a\n\nb\n") == "• a\n\nb\n");
  CHECK(rendered("- x\n\n  a | b\nc\n") == "• x\n\n  a | b\n  c\n");
  CHECK(rendered("a\n```\nb\n```\nc\n") == "a\n```\nb\n```\nc\n");
  CHECK(rendered("\n\na\n\n\n```\nb\n```\n\n\nc\n") == "a\n\n```\nb\n```\n\nc\n");
  CHECK(rendered(" - a\n- b\n  - c\n - d\n", test::tty(60)) == "• a\n• b\n  ◦ c\n• d\n");
  CHECK(rendered("- a\n - b\n", test::tty(60)) == "• a\n• b\n");
  CHECK(rendered("- a\n\n" + std::string(512, '-') + "\n", test::tty(4000)) ==
        "• a\n\n" + std::string(512, '-') + "\n");
  CHECK(rendered("## a\n", test::color_tty()) == "\x1b[1ma\x1b[0m\n");
}

TEST_CASE("a screen reader is told where code begins, and in which language") {
  const Terminal spoken = for_screen_reader(test::tty());
  CHECK(rendered("```\nx\n```\n", spoken) == "Code:\nx\nEnd of code.\n");
  CHECK(rendered("~~~ c \nx\n~~~\n", spoken) == "Code, c:\nx\nEnd of code.\n");
}

TEST_CASE("a block does not continue what the one before ended with") {
  const Terminal color = test::color_tty();
  CHECK(rendered("x\n\n_a_\n", color) == "x\n\n\x1b[3ma\x1b[0m\n");
  CHECK(rendered("*a\n\nb*\n", color) == "*a\n\nb*\n");
  CHECK(rendered("a \\(x *b* c\n\n*d*\n", color) ==
        "a \\(x \x1b[3mb\x1b[0m c\n\n\x1b[3md\x1b[0m\n");
  CHECK(rendered("# a\nb\n", color) == "\x1b[1;4ma\x1b[0m\nb\n");
}

TEST_CASE("text whose look is known is written at once where nothing is redrawn") {
  MarkdownStream stream(test::color_tty());
  CHECK(stream.feed("one *two* three four nine ") == "one \x1b[3mtwo\x1b[0m three four nine");
  CHECK(stream.feed("*five six ") == "");
  CHECK(stream.feed("seven* eight ") ==
        " \x1b[3mfive\x1b[0m \x1b[3msix\x1b[0m \x1b[3mseven\x1b[0m eight");
  CHECK(stream.finish() == "\n");
}

TEST_CASE("the cells of a row are what is between its bars") {
  using Cells = std::vector<std::string>;
  CHECK(split_row("| a | b |") == Cells{"a", "b"});
  CHECK(split_row("a|b") == Cells{"a", "b"});
  CHECK(split_row(" |a||  ") == Cells{"a", ""});
  CHECK(split_row("|") == Cells{""});
  CHECK(split_row("| `a|b` | c\\|d | \\`e | f |") == Cells{"`a|b`", "c|d", "\\`e", "f"});
  CHECK(split_row("| a ` b | c |") == Cells{"a ` b", "c"});
  CHECK(split_row("| a\\") == Cells{"a\\"});
  for (const char* row : {"|-|", "|---|:-:|", "-|-", "| - | :- |"}) CHECK(is_delimiter_row(row));
  for (const char* row : {"---", "|:|", "|--|::|", "| |", "|-|x|", "|"}) {
    CHECK_FALSE(is_delimiter_row(row));
  }
}

TEST_CASE("a table has bold titles and dim bars, or is a list if it has too many columns") {
  CHECK(rendered("| A | *B* |\n|---|---|\n| **1** | 2 |\n", test::color_tty()) ==
        "\x1b[1mA\x1b[0m\x1b[2m │ \x1b[0m\x1b[1;3mB\x1b[0m\n\x1b[2m──┼──\x1b[0m\n"
        "\x1b[1m1\x1b[0m\x1b[2m │ \x1b[0m2\n");
  const auto columns = [](std::size_t count) {
    std::string source = "|";
    for (std::size_t i = 0; i < count; ++i) source += " h |";
    source += "\n|";
    for (std::size_t i = 0; i < count; ++i) source += "---|";
    return has_table(source + "\n| 1 |\n");
  };
  CHECK(columns(32));
  CHECK_FALSE(columns(33));
  // Before its widths are known, the columns have room for longer cells.
  Flow flow(test::tty(21), {});
  MarkdownTable table(flow, "| aaaaaa | bbbb |", "|---|---|", 10);
  const auto preview = [&] {
    Flow copy = flow;
    table.preview(copy);
    return copy.take();
  };
  CHECK(preview() == "aaaaaa │ bbbb\n───────┼─────\n");
  table.add(flow, "| 1 | 2 |");
  CHECK(preview() == "aaaaaa    │ bbbb\n──────────┼────────\n1         │ 2\n");
  table.finish(flow);
  CHECK(flow.take() == "aaaaaa │ bbbb\n───────┼─────\n1      │ 2\n");
}

TEST_CASE("the entities that have names") {
  using Entity = std::pair<const char*, const char*>;
  for (const auto& [name, text] :
       {Entity{"amp", "&"},    Entity{"lt", "<"},    Entity{"gt", ">"},
        Entity{"quot", "\""},  Entity{"apos", "'"},  Entity{"nbsp", "\u00a0"},
        Entity{"ndash", "–"},  Entity{"mdash", "—"}, Entity{"hellip", "…"},
        Entity{"copy", "©"},   Entity{"reg", "®"},   Entity{"trade", "™"},
        Entity{"deg", "°"},    Entity{"times", "×"}, Entity{"plusmn", "±"},
        Entity{"euro", "€"},   Entity{"rarr", "→"},  Entity{"larr", "←"},
        Entity{"middot", "·"}, Entity{"bull", "•"}}) {
    CAPTURE(std::string(name));
    CHECK(entity_text("&" + std::string(name) + ";") == text);
  }
}

TEST_CASE("a table keeps the widths that it has when it outgrows the screen") {
  Flow flow(test::tty(41), {});
  MarkdownTable table(flow, "| a | b |", "|---|---|", 4);
  const auto preview = [&] {
    Flow copy = flow;
    table.preview(copy);
    return copy.take();
  };
  table.add(flow, "| 1 | 2 |");
  CHECK(preview() == "a  │ b\n───┼───\n1  │ 2\n");
  // In the guessed widths it would be too high, in its own it is not.
  table.add(flow, "| xxxx yyyy | 2 |");
  CHECK(preview() == "a         │ b\n──────────┼──\n1         │ 2\nxxxx yyyy │ 2\n");
  CHECK(flow.take().empty());
  table.add(flow, "| z | 3 |");
  CHECK(flow.take() ==
        "a                  │ b\n───────────────────┼───\n1                  │ 2\n"
        "xxxx yyyy          │ 2\nz                  │ 3\n");
  CHECK(preview().empty());
  table.add(flow, "| a longer cell than eighteen | 4 |");
  CHECK(flow.take() == "a longer cell than │ 4\neighteen           │ \n");
  table.finish(flow);
  CHECK(flow.take().empty());
}

TEST_CASE("only digits between brackets are a citation, whose address is not shown") {
  const auto shown = [](const std::string& text) {
    MarkdownStream stream(test::tty(100));
    std::string out = stream.feed("[" + text + "](https://x.example/a)\n");
    out += stream.finish();
    return std::pair(out, stream.citations());
  };
  for (const char* number : {"1", "0123456789"}) {
    const auto [out, cited] = shown(fmt::format("[{}]", number));
    CHECK(out == fmt::format("[{}]\n", number));
    CHECK(cited == Citations{{number, "https://x.example/a"}});
  }
  for (const auto& [text, out] :
       {std::pair("[x]", "[x]"), std::pair("[1x]", "[1x]"), std::pair("x1x", "x1x"),
        std::pair("&#91;1x", "[1x"), std::pair("x1\\]", "x1]"), std::pair("&#91;&#93;", "[]"),
        std::pair("1", "1"), std::pair("12", "12"), std::pair("123", "123")}) {
    CAPTURE(std::string(text));
    CHECK(shown(text) == std::pair(std::string(out) + " (https://x.example/a)\n", Citations{}));
  }
}

TEST_CASE("a link's address has its escapes and entities replaced") {
  for (const auto& [source, url] :
       {std::pair("https://x/?a&amp;b&lt;c", "https://x/?a&b<c"),
        std::pair("https://x/\\(a\\)\\*", "https://x/(a)*"),
        std::pair("https://x/\\a", "https://x/\\a"), std::pair("<https://x/\\>", "https://x/\\"),
        std::pair("https://x/&#000000065;b", "https://x/Ab"),
        std::pair("https://x/&none;b", "https://x/&none;b"),
        std::pair("https://x/&a", "https://x/&a"), std::pair("<https://x/ a>", "https://x/ a"),
        std::pair("https://x/(a(b))c", "https://x/(a(b))c"),
        std::pair("https://x/ 'a b'", "https://x/"), std::pair(" https://x/ \"a\" ", "https://x/"),
        std::pair("https://x/ (a) ", "https://x/"), std::pair("\thttps://x/\t", "https://x/")}) {
    CAPTURE(std::string(source));
    CHECK(rendered("[l](" + std::string(source) + ")z\n") == "l (" + std::string(url) + ")z\n");
  }
  for (const char* none : {"[l](<a\n)", "[l](<a", "[l](a", "[l](a \"b)", "[l](a \"b\" c)",
                           "[l](<a>\"b\")", "[l](a b)", "[l](a(b)", "[l] (a)"}) {
    CAPTURE(std::string(none));
    CHECK(rendered(std::string(none) + "\n") == std::string(none) + "\n");
  }
}

TEST_CASE("a space at either side of code is left out if both have one") {
  const Terminal color = test::color_tty();
  CHECK(rendered("x` a `y\n", color) == "x\x1b[36ma\x1b[0my\n");
  CHECK(rendered("x`  a  `y\n", color) == "x \x1b[36ma\x1b[0m y\n");
  CHECK(rendered("x` a`y\n", color) == "x \x1b[36ma\x1b[0my\n");
  CHECK(rendered("x`a `y\n", color) == "x\x1b[36ma\x1b[0m y\n");
  CHECK(rendered("x`   `y\n", color) == "x y\n");
  CHECK(rendered("x`` ` ``y\n", color) == "x\x1b[36m`\x1b[0my\n");
}

TEST_CASE("a mark on its own belongs to the letters behind it, not to a wide character before") {
  Flow flow(test::tty(12), {});
  flow.text("xxxxxx中 \u0301aaaa", 0);
  flow.end_line();
  CHECK(flow.take() == "xxxxxx中\n\u0301aaaa\n");
}

TEST_CASE("the height of a table counts the rows before that a later one makes narrower") {
  const auto written = [](std::size_t most) {
    Flow flow(test::tty(21), {});
    MarkdownTable table(flow, "| a | b |", "|---|---|", most);
    table.add(flow, "| aa aa aa aa | x |");
    table.add(flow, "| x | bb bb bb bb bb |");
    return flow.take();
  };
  CHECK(written(6).empty());  // two of the head, and two of each row
  CHECK_FALSE(written(5).empty());
}

TEST_CASE("in a table that is a list only the titles are bold") {
  CHECK(rendered("| aaaa | bbbb | cccc |\n|---|---|---|\n| 1111 | *2* 3 | 4444 |\n",
                 test::color_tty(12)) ==
        "\x1b[1maaaa:\x1b[0m 1111\n\x1b[1mbbbb:\x1b[0m \x1b[3m2\x1b[0m 3\n"
        "\x1b[1mcccc:\x1b[0m 4444\n\n");
}

TEST_CASE("on a plain terminal only what may be a task's box waits") {
  Terminal plain = test::tty(40);
  plain.plain = true;
  const auto shown = [&](const char* start) {
    MarkdownStream stream(plain);
    return stream.feed(start);
  };
  CHECK(shown("- x") == "• x");
  CHECK(shown("- [") == "");
  CHECK(shown("- [x]") == "");
  CHECK(shown("- [xyz") == "• [xyz");
  CHECK(shown("[x") == "[x");
  CHECK(shown("- [xy") == "");
  CHECK(shown("- [x] a") == "[x] a");
}

}  // namespace svc::print
