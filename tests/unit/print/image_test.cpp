#include "print/image.h"

#include <algorithm>
#include <map>
#include <vector>

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
  CHECK(way({{"TERM", "xterm-ghostty"}}) == ImageWay::Kitty);
  CHECK(way({{"TERM", "x"}, {"TERM_PROGRAM", "ghostty"}}) == ImageWay::Kitty);
  CHECK(way({{"TERM", "x"}, {"TERM_PROGRAM", "mintty"}}, "image/webp") == ImageWay::Iterm);
  CHECK(way({{"TERM", "x"}, {"KITTY_WINDOW_ID", ""}}) == ImageWay::Helper);
  CHECK(way({{"TERM", "xterm-sixel"}}) == ImageWay::Sixel);
  CHECK(way({{"TERM", "x"}, {"MLTERM", "3"}}) == ImageWay::Sixel);
  CHECK(way({{"TERM", "yaft-256color"}}) == ImageWay::Sixel);
  CHECK(way({{"TERM", "contour"}}) == ImageWay::Sixel);
  CHECK(way({{"TERM", "contour"}}, "image/gif") == ImageWay::Helper);
  CHECK(way({{"TERM", "a foot"}}) == ImageWay::Helper);
  CHECK(way({{"TERM", "xterm-kitty"}, {"STY", "1"}}) == ImageWay::Helper);
  CHECK(way({{"TERM", "screen"}, {"KITTY_WINDOW_ID", "1"}}) == ImageWay::Helper);
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

TEST_CASE("each pixel of a smaller image is the mean of those it covers") {
  Pixels large{5, 4, {}};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 5; ++x) {
      for (const int part : {x * 50, y * 60, (x + y) * 20}) large.rgb += static_cast<char>(part);
    }
  }
  const std::string png = png_of(large);
  const auto scaled = [&](std::size_t most) {
    const auto pixels = decode_picture(png, most);
    REQUIRE(pixels);
    std::vector<int> parts = {static_cast<int>(pixels->width), static_cast<int>(pixels->height)};
    for (const char part : pixels->rgb) parts.push_back(static_cast<unsigned char>(part));
    return parts;
  };
  using Parts = std::vector<int>;
  CHECK(scaled(2) == Parts{2, 1, 25, 90, 40, 150, 90, 90});
  CHECK(scaled(3) ==
        Parts{3, 2, 0, 30, 10, 75, 30, 40, 175, 30, 80, 0, 150, 50, 75, 150, 80, 175, 150, 120});
  CHECK(scaled(5)[0] == 5);
  CHECK(scaled(0)[0] == 5);
  CHECK(scaled(1) == Parts{1, 1, 100, 90, 70});
}

TEST_CASE("what a palette lacks of a color is spread to the pixels around it") {
  Pixels pixels{6, 7, {}};
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 6; ++x) {
      for (const int part : {x * 40 + y * 7, 200 - x * 13 - y * 20, 90 + x * 25 - y * 9}) {
        pixels.rgb += static_cast<char>(part % 256);
      }
    }
  }
  const std::string out = sixels_of(pixels);
  CHECK(
      out.starts_with("\x1bP0;1q\"1;1;6;7#0;2;0;0;0#1;2;0;0;33#2;2;0;0;66#3;2;0;0;100#4;2;0;14;0"));
  // From another program that spreads errors as Floyd and Steinberg do.
  CHECK(out.ends_with(
      "#255;2;100;100;100#21B$#44_$#45O$#49KC$#53?B$#73?_$#77?OG$#81?G$#86??@$#105??o$#113??C$"
      "#114??AB$#137???_$#138???O$#142???K$#170!4?W$#174!4?C$#178!4?B$#179!5?@$#198!4?__$#202!5?W$"
      "#206!5?E$-#41@$#73?@$#133???@$#137??@$#198!4?@$#226!5?@$-\x1b\\\n"));
}

TEST_CASE("a picture of one pixel is a picture") {
  const auto jpeg = base64_decode(
      "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQ"
      "DQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/wAALCAABAAEBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAEC"
      "AwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk"
      "M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJ"
      "ipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3"
      "+Pn6/9oACAEBAAA/ACv/2Q==");
  REQUIRE(jpeg);
  const auto pixel = decode_picture(*jpeg, 100);
  REQUIRE(pixel);
  CHECK(pixel->width == 1);
  CHECK(pixel->height == 1);
  CHECK(pixel->rgb == "\x80\x80\x80");
  CHECK(image_text(ImageWay::Kitty, *jpeg, 80) == kitty_image(png_of(*pixel), 80));
  CHECK(image_text(ImageWay::Sixel, *jpeg, 80) == sixels_of(*pixel));
  const auto same = decode_picture(png_of(*pixel), 1);
  REQUIRE(same);
  CHECK(same->rgb == pixel->rgb);
}

TEST_CASE("an image has the form of the terminal, and at most its width") {
  Pixels wide{1000, 10, std::string(30'000, '\xff')};
  const std::string png = png_of(wide);
  CHECK(image_text(ImageWay::Iterm, png, 80) == iterm_image(png, 80));
  CHECK(image_text(ImageWay::Kitty, png, 80) == kitty_image(png, 80));
  CHECK(image_text(ImageWay::Kitty, "no picture", 80).empty());
  CHECK(image_text(ImageWay::Sixel, "no picture", 80).empty());
  CHECK(image_text(ImageWay::Sixel, png, 80).starts_with("\x1bP0;1q\"1;1;600;6#"));
  CHECK(image_text(ImageWay::Sixel, png, 61).starts_with("\x1bP0;1q\"1;1;600;6#"));
  CHECK(image_text(ImageWay::Sixel, png, 60).starts_with("\x1bP0;1q\"1;1;590;5#"));
  CHECK(image_text(ImageWay::Sixel, png, 1).starts_with("\x1bP0;1q\"1;1;10;1#"));
  const auto pieces = [](std::size_t bytes) {
    const std::string out = kitty_image(std::string(bytes, 'x'), 80);
    return std::count(out.begin(), out.end(), ';');
  };
  CHECK(pieces(3072) == 1);
  CHECK(pieces(3073) == 2);
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
