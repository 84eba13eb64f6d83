#include "print/width.h"

#include <doctest/doctest.h>

namespace svc::print {

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("Zürich") == 6);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\u0301") == 1);  // a letter and a combining acute accent
  CHECK(display_width("😀") == 2);
}

TEST_CASE("a text that fits is unchanged") {
  CHECK(fit("abc", 3, true) == "abc");
  CHECK(fit("日本", 4, true) == "日本");
  CHECK(fit("", 0, true).empty());
}

TEST_CASE("a text that does not fit is truncated with an ellipsis") {
  CHECK(fit("abcdef", 4, true) == "abc…");
  CHECK(fit("abcdef", 1, true) == "…");
  CHECK(fit("abcdef", 0, true).empty());
  CHECK(fit("日本語", 4, true) == "日…");  // the second one would need columns 3 and 4
  CHECK(fit("日本語", 5, true) == "日本…");
  CHECK(fit("abcdef", 5, false) == "ab...");
  CHECK(fit("abcdef", 2, false) == "ab");
}

TEST_CASE("combining characters stay with their letter") {
  CHECK(fit("e\u0301e\u0301e\u0301", 2, true) == "e\u0301…");
}

TEST_CASE("faults 89: a hundred thousand combining characters become eight") {
  std::string text = "e";
  for (int i = 0; i < 100'000; ++i) text += "\u0301";
  text += "x";
  std::string expected = "e";
  for (int i = 0; i < 8; ++i) expected += "\u0301";
  CHECK(fit(text, 10, true) == expected + "x");
}

TEST_CASE("joined emoji are written with the same width on every terminal") {
  CHECK(steady("👩‍👧 👍🏽 ❤️ 🏳️‍🌈") == "👩👧 👍 ❤ 🏳🌈");
  CHECK(display_width(steady("👩‍👧")) == 4);
  CHECK(steady("🇳🇴") == "🇳🇴");  // two halves of one column each
  CHECK(display_width("🇳🇴") == 2);
  CHECK(steady("🏽") == "🏽");
  // Word joiners belong to their letters.
  CHECK(steady("क्‍ष می‌خواهم e\u0301") ==
        "क्‍ष می‌خواهم e\u0301");
}

TEST_CASE("control characters have no width, and only symbols are joined") {
  for (const char* none : {"\x01", "\x1f", "\x7f"}) CHECK(display_width(none) == 0);
  for (const char* one : {" ", "~", "\u00a1"}) CHECK(display_width(one) == 1);
  const auto joined = [](const std::string& before, const std::string& mark) {
    return steady(before + mark + "x") == before + "x";
  };
  for (const char* symbol : {"\u2190", "\u2bff", "\U0001F000", "\U0001FFFF"}) {
    CAPTURE(symbol);
    CHECK(joined(symbol, "\u200d"));
    CHECK(joined(symbol, "\U0001F3FB"));
    CHECK(joined(symbol, "\U0001F3FF"));
    CHECK_FALSE(joined(symbol, "\U0001F3FA"));
    CHECK_FALSE(joined(symbol, "\U0001F400"));
  }
  for (const char* letter : {"\u218f", "\u2c00", "\U0001EFFF", "\U00020000"}) {
    CAPTURE(letter);
    CHECK_FALSE(joined(letter, "\u200d"));
    CHECK(joined(letter, "\ufe0f"));
  }
  CHECK(fit("abcd", 3, false) == "...");
}

TEST_CASE("wrapping breaks only at spaces") {
  using Lines = std::vector<std::string>;
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 100) == Lines{"one two three"});
  CHECK(wrap("unbreakable x", 4) == Lines{"unbreakable", "x"});
  CHECK(wrap("日本 日本", 5) == Lines{"日本", "日本"});
  CHECK(wrap("a  b", 10) == Lines{"a b"});
}

TEST_CASE("folding leaves text that fits unchanged") {
  CHECK(fold("", 10).empty());
  CHECK(fold("a  b\n\n  c\n", 10) == "a  b\n\n  c\n");
  CHECK(fold("one two three", 7) == "one two\nthree");
  CHECK(fold("one\ntwo three four", 9) == "one\ntwo three\nfour");
  CHECK(fold("  unbreakable x", 4) == "  unbreakable\nx");
  CHECK(fold("日本 日本", 5) == "日本\n日本");
  CHECK(fold("one two   ", 7) == "one two   ");
  CHECK(fold("try `a b` now", 8) == "try\n`a b`\nnow");
  CHECK(fold("try `a b c d`", 6) == "try `a\nb c d`");
  CHECK(fold("a ` b c d", 3) == "a `\nb c\nd");
}

}  // namespace svc::print
