#include "print/live_text.h"

#include <doctest/doctest.h>

#include "print_support.h"

namespace svc::print {

using test::Captured;

TEST_CASE("changing text is rewritten in place") {
  Captured err(test::tty(20));
  LiveText live(err.out(), true);
  live.show("good");
  CHECK(err.take() == "good");
  live.show("good");
  CHECK(err.take().empty());
  live.show("good morning", "0:01");
  CHECK(err.take() == "\r\x1b[Jgood morning\r\n0:01");
  live.show("", "0:02");
  CHECK(err.take() == "\r\x1b[1A\x1b[J0:02");
  live.clear();
  CHECK(err.take() == "\r\x1b[J");
  live.clear();
  CHECK(err.take().empty());
}

TEST_CASE("it wraps its lines itself, by their displayed width") {
  Captured err(test::tty(10));
  LiveText live(err.out(), true);
  live.show("one two three");
  CHECK(err.take() == "one two\r\nthree");
  live.show("日本語日本語");
  CHECK(err.take() == "\r\x1b[1A\x1b[J日本語日\r\n本語");
  live.show("abcdefghijklmnopqrstuvwxyz");
  CHECK(err.take() == "\r\x1b[1A\x1b[Jabcdefghi\r\njklmnopqr\r\nstuvwxyz");
}

TEST_CASE("only the end of a long text is shown") {
  Captured err(test::tty(10));
  LiveText live(err.out(), true);
  live.show("1 aaaaaa 2 bbbbbb 3 cccccc 4 dddddd 5 eeeeee 6 ffffff 7 gggggg");
  CHECK(err.take() == "…2 bbbbbb\r\n3 cccccc\r\n4 dddddd\r\n5 eeeeee\r\n6 ffffff\r\n7 gggggg");
}

TEST_CASE("rows are dim where there is color, and a full row takes up one") {
  Captured err(test::color_tty(20));
  int columns = 31;
  LiveText live(err.out(), true, [&columns] { return columns; });
  live.show("a good morning to all of you", "0:01");
  CHECK(err.take() == "\x1b[2ma good morning to all of you\x1b[0m\r\n0:01");
  columns = 14;  // twice as narrow: the first row is now two
  live.show("");
  CHECK(err.take() == "\r\x1b[2A\x1b[J");
  live.clear();
  CHECK(err.take().empty());
  columns = 0;  // as if there were two
  live.show("ab");
  CHECK(err.take() == "\x1b[2ma\x1b[0m\r\n\x1b[2mb\x1b[0m");
  Terminal plain = test::tty(10);
  plain.utf8 = false;
  Captured ascii(plain);
  LiveText other(ascii.out(), true);
  other.show("1 aaaaaa 2 bbbbbb 3 cccccc 4 dddddd 5 eeeeee 6 ffffff 7 gggggg");
  CHECK(ascii.take() == "...2 b...\r\n3 cccccc\r\n4 dddddd\r\n5 eeeeee\r\n6 ffffff\r\n7 gggggg");
  other.show(" \n ", "x");
  CHECK(ascii.take() == "\r\x1b[5A\x1b[Jx");
}

TEST_CASE("a window that becomes narrower") {
  Captured err(test::tty(20));
  int columns = 20;
  LiveText live(err.out(), true, [&columns] { return columns; });
  live.show("abcdefghijklmnopqr");
  (void)err.take();
  columns = 10;
  live.show("xyz");
  CHECK(err.take() == "\r\x1b[1A\x1b[Jxyz");
}

TEST_CASE("external text cannot control the terminal, and a pipe gets nothing") {
  Captured err(test::tty(40));
  LiveText live(err.out(), true);
  live.show("a\x1b[2J\nb");
  CHECK(err.take() == "a^[[2J^Jb");
  Captured pipe;
  LiveText off(pipe.out(), true);
  off.show("text", "status");
  off.clear();
  CHECK_FALSE(off.enabled());
  CHECK(pipe.text().empty());
}

TEST_CASE("nothing of a changing text is left behind") {
  Captured err(test::tty(20));
  {
    LiveText live(err.out(), true);
    live.show("one", "two");
    (void)err.take();
  }
  CHECK(err.take() == "\r\x1b[1A\x1b[J");
  { LiveText unused(err.out(), true); }
  CHECK(err.take().empty());
}

}  // namespace svc::print
