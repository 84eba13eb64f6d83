#include <doctest/doctest.h>

#include "support/picture.h"
#include "support/screen.h"

namespace svc::test {
namespace {

std::string shown(std::string_view bytes, std::size_t columns = 10, std::size_t rows = 4) {
  Screen whole(columns, rows);
  whole.feed(bytes);
  Screen pieces(columns, rows);
  for (const char byte : bytes) pieces.feed(std::string_view(&byte, 1));
  CHECK(pieces.text() == whole.text());
  CHECK(pieces.faults() == whole.faults());
  return whole.text();
}

}  // namespace

TEST_CASE("a screen shows the output it was fed") {
  CHECK(shown("one\r\ntwo\nthree") == "one\ntwo\nthree\n");
  CHECK(shown("abc\rX\x1b[1Cz") == "Xbz\n");
  CHECK(shown("0123456789ab") == "0123456789\nab\n");
  CHECK(shown("0123456789\rX") == "X123456789\n");
  CHECK(shown("一二三四五六") == "一二三四五\n六\n");
  CHECK(shown("e\xcc\x81x") == "e\xcc\x81x\n");
  CHECK(shown("a\nb\nc\nd\ne\x1b[9A\rX") == "a\nX\nc\nd\ne\n");
  CHECK(shown("one\ntwo\x1b[1A\r\x1b[J") == "");
  CHECK(shown("one\rtw\x1b[K") == "tw\n");
  CHECK(shown("\x1b[1;31mred\x1b[0m \x1b]8;;https://a\x1b\\link\x1b]8;;\x1b\\") == "red link\n");
}

TEST_CASE("resizing rewraps lines, and the cursor stays with its text") {
  Screen screen(10, 4);
  screen.feed("one two three\nfour");
  screen.resize(5, 4);
  CHECK(screen.text() == "one t\nwo th\nree\nfour\n");
  CHECK(screen.column() == 4);
  screen.resize(20, 4);
  CHECK(screen.text() == "one two three\nfour\n");
  screen.feed("!");
  CHECK(screen.text() == "one two three\nfour!\n");
}

TEST_CASE("a screen records the clipboard and unknown sequences") {
  Screen screen(10, 4);
  screen.feed(
      "\x1b]52;c;YWJj\x1b\\\x1b]0;title\a\x1b[5n\x1b[?2004h\x1b"
      "c");
  CHECK(screen.clipboard() == "YWJj");
  CHECK(screen.faults() == std::vector<std::string>{"^[]0;title^G", "^[[5n", "^[c"});
}

TEST_CASE("a picture contains the screen's words with their positions and looks") {
  Screen screen(20, 3);
  screen.feed("a <\x1b[1mb\x1b[0m&\x1b[2;36m  c\x1b[0m\r\n\xe4\xb8\x80x");
  const std::string picture = picture_of(screen);
  CHECK(picture.starts_with("<svg "));
  CHECK(picture.find("<text x=\"16.0\" y=\"30\" textLength=\"25.2\">a &lt;</text>\n") !=
        std::string::npos);
  CHECK(picture.find("textLength=\"8.4\" font-weight=\"bold\">b</text>") != std::string::npos);
  CHECK(picture.find("<text x=\"74.8\" y=\"30\" textLength=\"8.4\" opacity=\".55\" "
                     "fill=\"#79c0ff\">c</text>") != std::string::npos);
  CHECK(picture.find("<text x=\"16.0\" y=\"50\" textLength=\"25.2\">\xe4\xb8\x80x</text>") !=
        std::string::npos);
  Screen plain(20, 3);
  plain.feed("a <b&  c\r\n\xe4\xb8\x80x");
  CHECK(picture_of(plain) != picture);
}

}  // namespace svc::test
