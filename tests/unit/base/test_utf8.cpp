#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "base/text.h"

namespace svc {
namespace {

// UTF8-octets of RFC 3629 §4, written from its grammar and not from our decoder.
std::size_t well_formed_length(sv text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[at])) : 0U;
  };
  const auto in = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  const auto tail = [&](std::size_t at) { return in(byte(at), 0x80, 0xBF); };
  const unsigned a = byte(0);
  const unsigned b = byte(1);
  if (!text.empty() && a <= 0x7F) return 1;
  if (in(a, 0xC2, 0xDF) && tail(1)) return 2;
  const bool three = (a == 0xE0 && in(b, 0xA0, 0xBF)) || (in(a, 0xE1, 0xEC) && tail(1)) ||
                     (a == 0xED && in(b, 0x80, 0x9F)) || (in(a, 0xEE, 0xEF) && tail(1));
  if (three && tail(2)) return 3;
  const bool four = (a == 0xF0 && in(b, 0x90, 0xBF)) || (in(a, 0xF1, 0xF3) && tail(1)) ||
                    (a == 0xF4 && in(b, 0x80, 0x8F));
  return four && tail(2) && tail(3) ? 4 : 0;
}

TEST_CASE(
    "every two-byte sequence, and three- and four-byte ones at the limits, is judged as in RFC "
    "3629") {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      for (const char* end : {"", "\x80", "\xBF", "\x7F", "\x80\x80", "\xBF\xBF", "\x80\xC0"}) {
        std::string text{static_cast<char>(a), static_cast<char>(b)};
        text += end;
        std::size_t expected = 0;
        while (expected < text.size()) {
          const std::size_t length = well_formed_length(sv(text).substr(expected));
          if (length == 0) break;
          expected += length;
        }
        const auto found = first_invalid_utf8(text);
        if (found.value_or(text.size()) != expected) FAIL("bytes " << a << " " << b);
        if (first_invalid_utf8(replace_invalid_utf8(text))) FAIL("not mended: " << a << " " << b);
      }
    }
  }
}

TEST_CASE("every code point survives encoding and decoding") {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    std::string text;
    append_utf8(text, code_point);
    std::size_t position = 0;
    const char32_t decoded = decode_utf8(text, position);
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    const bool right = decoded == (surrogate ? 0xFFFD : code_point) && position == text.size();
    if (!right) FAIL("U+" << static_cast<std::uint32_t>(code_point));
  }
  std::string beyond;
  append_utf8(beyond, 0x110000);
  CHECK(beyond == "\uFFFD");
}

TEST_CASE("ill-formed text is replaced by maximal subparts") {
  // The Unicode standard, §3.9, tables 3-8 to 3-11.
  CHECK(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") ==
        "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  CHECK(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") ==
        "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  CHECK(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") ==
        "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41\uFFFD\uFFFD\x42");
  CHECK(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") ==
        "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  CHECK(replace_invalid_utf8("gr\xC3\xBC\xC3\x9F \xE2\x82") == "grüß \uFFFD");
  CHECK(replace_invalid_utf8("").empty());
  CHECK(replace_invalid_utf8(sv("a\0b", 3)) == std::string("a\0b", 3));
}

TEST_CASE("counting code points") {
  CHECK(count_code_points("") == 0);
  CHECK(count_code_points("aä€😀") == 4);
  CHECK(count_code_points("\xE2\x82") == 2);
  CHECK(count_code_points("\xFF"
                          "a") == 2);
}

TEST_CASE("decoding at the end gives U+FFFD and does not advance") {
  std::size_t position = 3;
  CHECK(decode_utf8("abc", position) == 0xFFFD);
  CHECK(position == 3);
}

TEST_CASE("an excerpt ends at a code point") {
  CHECK(excerpt("hello", 5) == "hello");
  CHECK(excerpt("hello", 4) == "hell…");
  CHECK(excerpt("aä", 2) == "a…");
  CHECK(excerpt("😀😀", 7) == "😀…");
  CHECK(excerpt("😀", 3) == "…");
  CHECK(excerpt("abc", 0) == "…");
  CHECK(excerpt("", 0).empty());
  const std::string tails(100, '\x80');
  CHECK(excerpt(tails, 50).size() >= 47);
}

TEST_CASE("a message shows up to 80 bytes of a value and up to 400 of a sentence") {
  struct Kind {
    std::size_t most;
    std::string (*excerpt)(sv);
    std::string (*shown)(sv);
  };
  for (const auto& [most, cut, in_a_line] :
       {Kind{80, [](sv text) { return excerpt(text); }, [](sv text) { return shown(text); }},
        Kind{400, excerpt_message, shown_message}}) {
    CAPTURE(most);
    CHECK(cut("").empty());
    for (const std::size_t length : {most - 1, most}) {
      const std::string text(length, 'x');
      CHECK(cut(text) == text);
      CHECK(in_a_line(text) == text);
    }
    const std::string whole(most, 'x');
    CHECK(cut(whole + "y") == whole + "…");
    CHECK(in_a_line(whole + "y") == whole + "…");
    // What counts is the text: an escape may be longer than what it stands for.
    const std::string start(most - 2, 'x');
    CHECK(cut(start + "\n\x1b") == start + "\n\x1b");
    CHECK(in_a_line(start + "\n\x1b") == start + "^J^[");
    CHECK(cut(start + "\n\x1b\t") == start + "\n\x1b…");
    CHECK(in_a_line(start + "\n\x1b\t") == start + "^J^[…");
    CHECK(cut(start + "xä") == start + "x…");
    CHECK(in_a_line(start + "xä") == start + "x…");
  }
}

}  // namespace
}  // namespace svc
