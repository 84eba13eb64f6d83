#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/visible.h"

namespace svc {
namespace {

// Contains nothing that controls a terminal: no C0 except those listed, no DEL, no C1 in either
// encoding.
bool is_harmless(sv text, sv allowed) {
  for (std::size_t at = 0; at < text.size();) {
    const char first = text[at];
    const char32_t c = decode_utf8(text, at);
    if (c < 0x20 && allowed.find(first) == sv::npos) return false;
    if (c == 0x7F || is_hidden_code_point(c)) return false;
  }
  return !first_invalid_utf8(text);
}

TEST_CASE("ordinary text is unchanged") {
  for (const sv text :
       {"", "hello", "Grüße, 世界, 😀 ❤️ ñ é", "a\tb\nc\n", "ends with CRLF\r\n"}) {
    CHECK(visible(text) == text);
  }
}

TEST_CASE("escape sequences are shown, not executed") {  // faults 86
  CHECK(visible("\x1b[2J") == "^[[2J");
  CHECK(visible("\x1b]52;c;cGFzdGU=\x07") == "^[]52;c;cGFzdGU=^G");
  CHECK(visible("\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\") == "^[]8;;http://x^[\\text^[]8;;^[\\");
  CHECK(visible("\x1bP1$r\x1b\\") == "^[P1$r^[\\");
  CHECK(visible("\x1b_apc\x1b\\") == "^[_apc^[\\");
  CHECK(visible("\x1b[31mred\x1b[0m") == "^[[31mred^[[0m");
  CHECK(visible("\u009b2J\u009d52\u0085") == "\\u{9b}2J\\u{9d}52\\u{85}");
  CHECK(visible("\x9b"
                "2J") == "\uFFFD2J");
  CHECK(visible("\x7f\b\a") == "^?^H^G");
  CHECK(visible(sv("a\0b", 3)) == "a^@b");
}

TEST_CASE("line ends by mode") {
  CHECK(visible("a\rb") == "a^Mb");
  CHECK(visible("a\r\r\nb") == "a^M\r\nb");
  CHECK(visible("end\r") == "end^M");
  CHECK(visible("a\tb\r\nc", Lines::Escape) == "a^Ib^M^Jc");
}

TEST_CASE("invisible and reordering code points are shown by name") {  // faults 89
  CHECK(visible("a\u202eb") == "a\\u{202e}b");
  CHECK(visible("\u2066\u2069\u200b\u200f\u2060\u2064\ufeff\u061c") ==
        "\\u{2066}\\u{2069}\\u{200b}\\u{200f}\\u{2060}\\u{2064}\\u{feff}\\u{61c}");
  CHECK(visible("\U000e0041\U000e007f") == "\\u{e0041}\\u{e007f}");
  for (const auto& [first, last] : {std::pair<char32_t, char32_t>{0x80, 0x9F},
                                    {0x061C, 0x061C},
                                    {0x200B, 0x200F},
                                    {0x2028, 0x202E},
                                    {0x2060, 0x2064},
                                    {0x2066, 0x2069},
                                    {0xFEFF, 0xFEFF},
                                    {0xE0000, 0xE007F}}) {
    for (char32_t c = first; c <= last; ++c) CHECK(is_hidden_code_point(c));
  }
  for (const char32_t c : {U' ', U'~', U'\u00a0', U'ä', U'\u0301', U'\ufe0f', U'\ufffd', U'😀'}) {
    CHECK_FALSE(is_hidden_code_point(c));
  }
}

TEST_CASE("joiners are allowed in text, but not in IDs and names") {
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467";
  const std::string persian = "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645";
  CHECK(visible(family, Lines::Keep) == family);
  CHECK(visible(persian, Lines::Keep) == persian);
  VisibleStream stream;
  std::string joined;
  for (const char c : family) joined += stream.feed(sv(&c, 1));
  CHECK(joined + stream.finish() == family);
  CHECK(visible("file\u200D_1", Lines::Escape) == "file\\u{200d}_1");
  CHECK(visible("file\u200C_1", Lines::Escape) == "file\\u{200c}_1");
  CHECK(visible("a\u200Bb\u200Ec", Lines::Keep) == "a\\u{200b}b\\u{200e}c");
}

TEST_CASE("ill-formed UTF-8 becomes U+FFFD") {  // faults 87
  CHECK(visible("\xC0\x9B[2J") == "\uFFFD\uFFFD[2J");
  CHECK(visible("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(visible("cut \xE2\x82") == "cut \uFFFD");
}

TEST_CASE("long runs of combining marks cost no more than their length") {
  std::string marks = "a";
  for (int i = 0; i < 100'000; ++i) marks += "\u0301";
  CHECK(visible(marks) == marks);
}

std::string random_text(std::mt19937& random) {
  const sv pieces[] = {"a",      "\r",     "\n",   "\t", "\x1b[2J",  "\x7f",       "ä",    "€",
                       "\u202e", "\u009b", "\xC3", "😀",  "\xF0\x9F", "\U000e0041", "\x80", "\xFF"};
  std::string text;
  const std::size_t count = random() % 20;
  for (std::size_t i = 0; i < count; ++i) text += pieces[random() % std::size(pieces)];
  return text;
}

TEST_CASE("any input gives harmless output") {
  std::mt19937 random(1);  // NOLINT: the same every time
  for (int i = 0; i < 5000; ++i) {
    std::string text = random_text(random);
    if (i % 2 == 0) {
      text.resize(40);
      std::generate(text.begin(), text.end(), [&] { return static_cast<char>(random()); });
    }
    CHECK(is_harmless(visible(text, Lines::Escape), ""));
    CHECK(is_harmless(visible(text), "\t\n\r"));
  }
}

TEST_CASE("a stream gives the same output as the whole text, wherever it is split") {
  std::mt19937 random(2);  // NOLINT: the same every time
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random);
    for (const Lines lines : {Lines::Keep, Lines::Escape}) {
      VisibleStream stream(lines);
      std::string out;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = random() % 4;
        out += stream.feed(sv(text).substr(at, length));
        at += length;
      }
      out += stream.finish();
      CHECK(out == visible(text, lines));
    }
  }
}

TEST_CASE("a stream holds back only undecided bytes") {
  VisibleStream stream;
  CHECK(stream.feed("abc") == "abc");
  CHECK(stream.feed("\xF0\x9F\x98").empty());
  CHECK(stream.feed("\x80!") == "😀!");
  CHECK(stream.feed("x\r") == "x");
  CHECK(stream.feed("\n") == "\r\n");
  CHECK(stream.feed("\xE2\x82").empty());
  CHECK(stream.finish() == "\uFFFD");
  CHECK(stream.finish().empty());
  CHECK(stream.feed("again") == "again");
}

}  // namespace
}  // namespace svc
