#include "print/image.h"

#include <map>

#include <doctest/doctest.h>

#include "base/base64.h"

using namespace svc;
using namespace svc::print;

namespace {

ImageWay way(const std::map<std::string, std::string>& variables, const char* type = "image/png",
             bool tty = true, bool dumb = false) {
  const Environment environment{[variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }};
  return image_way(environment, Terminal{.is_tty = tty, .dumb = dumb}, type);
}

}  // namespace

TEST_CASE("a terminal's capabilities are taken from it, never guessed") {
  CHECK(way({{"TERM", "xterm-kitty"}}) == ImageWay::Kitty);
  CHECK(way({{"TERM", "xterm-256color"}, {"KITTY_WINDOW_ID", "1"}}) == ImageWay::Kitty);
  CHECK(way({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}}) == ImageWay::Iterm);
  CHECK(way({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "WezTerm"}}) == ImageWay::Iterm);
  CHECK(way({{"TERM", "xterm-256color"}, {"LC_TERMINAL", "iTerm2"}}) == ImageWay::Iterm);
  CHECK(way({{"TERM", "xterm-256color"}}) == ImageWay::Helper);
  CHECK(way({{"TERM", "xterm-kitty"}}, "image/jpeg") == ImageWay::Kitty);
  CHECK(way({{"TERM", "xterm-kitty"}}, "image/webp") == ImageWay::Helper);
  CHECK(way({{"TERM", "foot"}}, "image/jpeg") == ImageWay::Sixel);
  CHECK(way({{"TERM", "mlterm-256color"}}) == ImageWay::Sixel);
  CHECK(way({{"TERM", "foot"}, {"TMUX", "/tmp/1"}}, "image/jpeg") == ImageWay::Helper);
  CHECK(way({{"TERM", "xterm-kitty"}}, "image/png", false) == ImageWay::None);
  CHECK(way({{"TERM", "dumb"}, {"KITTY_WINDOW_ID", "1"}}, "image/png", true, true) ==
        ImageWay::None);
  // tmux passes KITTY_WINDOW_ID on, and would print the image's bytes.
  CHECK(way({{"TERM", "tmux-256color"}, {"KITTY_WINDOW_ID", "1"}}) == ImageWay::Helper);
  CHECK(way({{"TERM", "xterm-kitty"}, {"TMUX", "/tmp/1"}}) == ImageWay::Helper);
}

TEST_CASE("an image is decoded, scaled down and re-encoded") {
  Pixels half{4, 2, {}};
  for (int i = 0; i < 8; ++i)
    half.rgb += i % 4 < 2 ? "\xff" + std::string(2, '\0') : std::string(3, '\xff');
  const std::string png = png_of(half);
  REQUIRE(png.starts_with("\x89PNG"));
  const auto same = decode_picture(png, 100);
  REQUIRE(same);
  CHECK(same->rgb == half.rgb);
  const auto smaller = decode_picture(png, 2);
  REQUIRE(smaller);
  CHECK(smaller->width == 2);
  CHECK(smaller->height == 1);
  CHECK(smaller->rgb == std::string("\xff\0\0\xff\xff\xff", 6));
  const std::string sixels = sixels_of(half);
  CHECK(sixels.starts_with("\x1bP0;1q\"1;1;4;2#0;2;0;0;0#"));
  CHECK(sixels.ends_with("#224BB$#255??BB$-\x1b\\\n"));
  CHECK_FALSE(decode_picture("\xff\xd8\xff no picture", 100));
  CHECK_FALSE(decode_picture(std::string(png, 0, png.size() / 2), 100));
}

TEST_CASE("kitty's chunks have 4096 characters and join to the image") {
  const std::string png(10'000, '\x7f');
  const std::string out = kitty_image(png, 80);
  std::string joined;
  std::size_t pieces = 0;
  for (std::size_t at = out.find("\x1b_G"); at != std::string::npos;
       at = out.find("\x1b_G", at + 1)) {
    const std::size_t from = out.find(';', at) + 1;
    const std::size_t end = out.find("\x1b\\", from);
    REQUIRE(end != std::string::npos);
    CHECK(end - from <= 4096);
    joined += out.substr(from, end - from);
    const std::string control = out.substr(at + 3, from - at - 4);
    CHECK(control == (pieces == 0 ? "a=T,f=100,q=2,c=60,m=1" : pieces == 3 ? "m=0" : "m=1"));
    ++pieces;
  }
  CHECK(pieces == 4);
  CHECK(joined == base64_encode(png));
}

TEST_CASE("whatever the image contains, the sequences are only ours") {
  const std::string evil = "\x1b]52;c;aGk=\a\x1b\\\x9b";
  const std::string kitty = kitty_image(evil, 10);
  CHECK(kitty == "\x1b_Ga=T,f=100,q=2,c=9,m=0;" + base64_encode(evil) + "\x1b\\\n");
  const std::string iterm = iterm_image(evil, 200);
  CHECK(iterm == "\x1b]1337;File=inline=1;size=" + std::to_string(evil.size()) +
                     ";width=60;preserveAspectRatio=1:" + base64_encode(evil) + "\a\n");
  CHECK(kitty_image("", 1).starts_with("\x1b_Ga=T,f=100,q=2,c=1,m=0;\x1b\\"));
}
