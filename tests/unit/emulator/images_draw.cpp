// Pictures: drawing, the font, the file formats, sizes.
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "emulator/api/images/size.h"
#include "emulator/picture/codec.h"
#include "emulator/picture/font.h"
#include "emulator/picture/picture.h"
#include "emulator/state/seal.h"

namespace svc::test {
namespace {

using namespace emulator::media;
namespace images = emulator::images;

constexpr const char* k_png =  // two pixels: red, and one that is transparent
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAD0lEQVR4nGP4z8AARAwMAAz8Af9c/RSVAAAAAElFTkSu"
    "QmCC";
constexpr const char* k_huge_png =  // says that it has 30000x30000 pixels
    "iVBORw0KGgoAAAANSUhEUgAAdTAAAHUwCAIAAADpRW/tAAAACUlEQVR4nKsAAAB5AHmlMWzzAAAAAElFTkSuQmCC";
constexpr const char* k_webp = "UklGRhwAAABXRUJQVlA4TA8AAAAvA0AAAAcQUf/+ByKi/wEA";  // 4x2, blue

Canvas draw(std::string_view prompt, std::uint64_t variant = 0, Size size = {320, 200}) {
  Sketch sketch;
  sketch.prompt = prompt;
  sketch.model = "m";
  sketch.variant = variant;
  sketch.size = size;
  return draw_picture(sketch);
}

bool same(const Canvas& a, const Canvas& b) {
  return a.width() == b.width() && a.height() == b.height() &&
         std::equal(a.data(), a.data() + a.width() * a.height() * 3, b.data());
}

std::string bytes_of(const char* base64) {
  const auto bytes = emulator::text::decode_base64(base64);
  REQUIRE(bytes.has_value());
  return *bytes;
}

// How different two colours are.
int distance(Color a, Color b) {
  return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}

}  // namespace

TEST_CASE("the same prompt gives the same picture, another one another") {
  CHECK(same(draw("a fox"), draw("a fox")));
  CHECK(!same(draw("a fox"), draw("a fix")));
  CHECK(!same(draw("a fox", 0), draw("a fox", 1)));
}

TEST_CASE("pictures of any size can be drawn, with any text") {
  const std::string long_text(20'000, 'x');
  for (const Size size : {Size{1, 1}, Size{16, 1600}, Size{1600, 16}, Size{64, 64}}) {
    for (const std::string& text :
         {std::string(), std::string("a\nb\tc \xFF\xFE \xF0\x9F\xA6\x8A"), long_text}) {
      const Canvas picture = draw(text, 0, size);
      CHECK(picture.width() == size.width);
      CHECK(picture.height() == size.height);
    }
  }
}

TEST_CASE("every printable character has dots of its own, a foreign one the box") {
  std::set<Glyph> seen;
  for (char32_t c = U'!'; c <= U'~'; ++c) CHECK(seen.insert(find_glyph(c)).second);
  CHECK(find_glyph(U' ') == Glyph{});
  const Glyph box = find_glyph(U'\u65E5');
  CHECK(!seen.contains(box));
  CHECK(find_glyph(U'\u00E9') != find_glyph(U'e'));
  CHECK(find_glyph(U'\u00E9') != box);
  CHECK(find_glyph(U'\u2019') == find_glyph(U'\''));
}

TEST_CASE("text is wrapped at blanks, long words are cut, what does not fit ends with dots") {
  using Lines = std::vector<std::u32string>;
  CHECK(wrap_text("one two three", 7, 9) == Lines{U"one two", U"three"});
  CHECK(wrap_text("abcdefgh i", 3, 9) == Lines{U"abc", U"def", U"gh", U"i"});
  CHECK(wrap_text("a\n\nb", 9, 9) == Lines{U"a", U"", U"b"});
  CHECK(wrap_text("one two three", 5, 2) == Lines{U"one", U"tw..."});
  CHECK(wrap_text("x\x1B[2Jy", 9, 9) == Lines{U"x[2Jy"});
  CHECK(wrap_text("", 9, 9).empty());
}

TEST_CASE("an edit shows what it was given") {
  std::vector<Canvas> inputs(2, Canvas(40, 40));
  inputs[0].fill({0, 0, 40, 40}, {255, 0, 0});
  inputs[1].fill({0, 0, 40, 40}, {0, 255, 0});
  Sketch sketch;
  sketch.prompt = "both";
  sketch.size = {400, 400};
  sketch.inputs = inputs;
  const Canvas picture = draw_picture(sketch);
  int red = 0;
  int green = 0;
  for (int y = 0; y < 400; ++y) {
    for (int x = 0; x < 400; ++x) {
      if (picture.at(x, y) == Color{255, 0, 0}) red += x < 200 ? 1 : -100'000;
      if (picture.at(x, y) == Color{0, 255, 0}) green += x >= 200 ? 1 : -100'000;
    }
  }
  CHECK(red > 5'000);
  CHECK(green > 5'000);
}

TEST_CASE("a JPEG that was written is read again") {
  Canvas picture(64, 48);
  picture.fill({0, 0, 32, 48}, {200, 30, 30});
  picture.fill({32, 0, 32, 48}, {30, 30, 200});
  const auto bytes = encode_jpeg(picture, 90);
  REQUIRE(bytes.has_value());
  CHECK(image_type(*bytes) == "image/jpeg");
  const auto again = decode_image(*bytes);
  REQUIRE(again.has_value());
  CHECK(again->width() == 64);
  CHECK(again->height() == 48);
  CHECK(distance(again->at(8, 8), {200, 30, 30}) < 30);
  CHECK(distance(again->at(56, 40), {30, 30, 200}) < 30);
  const auto cut = decode_image(std::string_view(*bytes).substr(0, bytes->size() / 2));
  REQUIRE(!cut.has_value());
  CHECK(cut.error().message == "Invalid JPEG image.");
}

TEST_CASE("PNG and WebP are read; what is transparent is white") {
  const auto png = decode_image(bytes_of(k_png));
  REQUIRE(png.has_value());
  CHECK(png->width() == 2);
  CHECK(png->at(0, 0) == Color{255, 0, 0});
  CHECK(png->at(1, 0) == Color{255, 255, 255});
  const auto webp = decode_image(bytes_of(k_webp));
  REQUIRE(webp.has_value());
  CHECK(webp->width() == 4);
  CHECK(webp->height() == 2);
  CHECK(distance(webp->at(2, 1), {0, 0, 255}) < 10);
}

TEST_CASE("pictures that are none are refused by their name") {
  const auto refusal = [](const std::string& bytes) {
    const auto picture = decode_image(bytes);
    REQUIRE(!picture.has_value());
    return picture.error().message;
  };
  CHECK(refusal("\x89PNG\r\n\x1A\nrubbish") == "Invalid PNG image.");
  CHECK(refusal(bytes_of(k_png).substr(0, 50)) == "Invalid PNG image.");
  CHECK(refusal(bytes_of(k_webp).substr(0, 24)) == "Invalid WebP image.");
  CHECK(refusal("\xFF\xD8\xFF\xE0") == "Invalid JPEG image.");
  CHECK(refusal("GIF89a").find("neither JPEG nor PNG nor WebP") != std::string::npos);
  CHECK(refusal("").find("neither") != std::string::npos);
  CHECK(refusal(bytes_of(k_huge_png)).find("40 million") != std::string::npos);
}

TEST_CASE("sizes follow ratio and resolution") {
  CHECK(images::image_size("1:1", "") == Size{1024, 1024});
  CHECK(images::image_size("1:1", "1.5k") == Size{1536, 1536});
  CHECK(images::image_size("1:1", "2k") == Size{2048, 2048});
  for (const std::string_view ratio : images::k_ratios) {
    for (const auto& [resolution, side] :
         {std::pair{"1k", 1024.0}, std::pair{"1.5k", 1536.0}, std::pair{"2k", 2048.0}}) {
      const Size size = images::image_size(ratio, resolution);
      const auto colon = ratio.find(':');
      const double wanted = std::stod(std::string(ratio.substr(0, colon))) /
                            std::stod(std::string(ratio.substr(colon + 1)));
      CHECK(std::abs(double(size.width) / size.height / wanted - 1) < 0.03);
      CHECK(std::abs(double(size.width) * size.height / (side * side) - 1) < 0.04);
      CHECK(size.width % 16 == 0);
      CHECK(size.height % 16 == 0);
    }
  }
  CHECK(images::image_size(Size{300, 200}, "") == images::image_size("3:2", "1k"));
  CHECK(images::choose_ratio("x") == images::choose_ratio("x"));
}

}  // namespace svc::test
