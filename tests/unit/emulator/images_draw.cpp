// Images: drawing, file formats, sizes.
#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "base/base64.h"
#include "emulator/api/media/media.h"
#include "emulator/json/json.h"
#include "emulator/picture/picture.h"
#include "emulator/state/state.h"

namespace svc::test {
namespace {

using namespace emulator::media;
namespace images = emulator::images;

constexpr const char* k_png =  // two pixels: red, and a transparent one
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAD0lEQVR4nGP4z8AARAwMAAz8Af9c/RSVAAAAAElFTkSu"
    "QmCC";
constexpr const char* k_huge_png =  // claims 30000x30000 pixels
    "iVBORw0KGgoAAAANSUhEUgAAdTAAAHUwCAIAAADpRW/tAAAACUlEQVR4nKsAAAB5AHmlMWzzAAAAAElFTkSuQmCC";
constexpr const char* k_most_png =  // claims 8000x5000 pixels
    "iVBORw0KGgoAAAANSUhEUgAAH0AAABOICAIAAACziMwOAAAACElEQVR4nAMAAAAAAUgGidIAAAAASUVORK5CYII=";
constexpr const char* k_too_large_png =  // claims 53x754717 pixels, one more
    "iVBORw0KGgoAAAANSUhEUgAAADUAC4QdCAIAAACkSGHLAAAACElEQVR4nAMAAAAAAUgGidIAAAAASUVORK5CYII=";
constexpr const char* k_webp = "UklGRhwAAABXRUJQVlA4TA8AAAAvA0AAAAcQUf/+ByKi/wEA";  // 4x2, blue

Image draw(std::string_view prompt, std::uint64_t variant = 0, Size size = {320, 200}) {
  return draw_image(prompt, variant, {}, size);
}

bool same(const Image& a, const Image& b) {
  return a.size() == b.size() &&
         std::equal(a.data(), a.data() + a.size().width * a.size().height * 3, b.data());
}

std::string bytes_of(const char* base64) {
  const auto bytes = base64_decode(base64);
  REQUIRE(bytes.has_value());
  return *bytes;
}

// How different two colors are.
int distance(Color a, Color b) {
  return std::abs(a.red - b.red) + std::abs(a.green - b.green) + std::abs(a.blue - b.blue);
}

}  // namespace

TEST_CASE("the same prompt gives the same image, and another a different one") {
  CHECK(same(draw("a fox"), draw("a fox")));
  CHECK(!same(draw("a fox"), draw("a fix")));
  CHECK(!same(draw("a fox", 0), draw("a fox", 1)));
}

TEST_CASE("images of any size can be drawn, with and without inputs") {
  const std::vector<Image> inputs(3, Image({5, 4}, {}, {}));
  for (const Size size : {Size{1, 1}, Size{16, 1600}, Size{1600, 16}, Size{64, 64}}) {
    CHECK(draw("a", 0, size).size() == size);
    CHECK(draw_image("a", 0, inputs, size).size() == size);
  }
}

TEST_CASE("an edit shows its input") {
  const std::vector<Image> inputs = {Image({40, 40}, {255, 0, 0}, {255, 0, 0}),
                                     Image({40, 40}, {0, 255, 0}, {0, 255, 0})};
  const Image image = draw_image("both", 0, inputs, {400, 400});
  CHECK(image.at(10, 200) == Color{255, 0, 0});
  CHECK(image.at(199, 110) == Color{255, 0, 0});
  CHECK(image.at(200, 200) == Color{0, 255, 0});
  CHECK(image.at(399, 290) == Color{0, 255, 0});
  CHECK(image.at(10, 10) == draw("both", 0, {400, 400}).at(10, 10));
}

TEST_CASE("a gradient runs from the first row to the last, and a pasted image is scaled") {
  const Image image({1, 3}, {0, 100, 200}, {100, 0, 201});
  CHECK(image.at(0, 0) == Color{0, 100, 200});
  CHECK(image.at(0, 1) == Color{50, 50, 200});
  CHECK(image.at(0, 2) == Color{100, 0, 201});
  CHECK(Image({1, 1}, {1, 2, 3}, {4, 5, 6}).at(0, 0) == Color{1, 2, 3});

  Image two({2, 1}, {9, 9, 9}, {});
  two.paste(Image({1, 1}, {7, 7, 7}, {}), 1, 0, {1, 1});
  Image target({6, 3}, {}, {});
  target.paste(two, 1, 1, {4, 1});
  std::string row;
  for (int x = 0; x < 6; ++x) row += std::to_string(target.at(x, 1).red);
  CHECK(row == "099770");
  CHECK(target.at(1, 0).red == 0);
  CHECK(target.at(1, 2).red == 0);

  // Six bytes of the hash of number and prompt are the two colors.
  const std::uint64_t hash = stable_hash("3 a fox");
  const auto byte = [&](unsigned shift) { return static_cast<std::uint8_t>(hash >> shift); };
  const Image drawn = draw("a fox", 3, {2, 2});
  CHECK(drawn.at(1, 0) == Color{byte(0), byte(8), byte(16)});
  CHECK(drawn.at(1, 1) == Color{byte(24), byte(32), byte(40)});
  CHECK(stable_hash("") == 0xCBF29CE484222325U);
  CHECK(stable_hash("a") == 0xAF63DC4C8601EC8CU);  // as published for FNV-1a
  CHECK(stable_hash("b", stable_hash("a")) == stable_hash("ab"));
}

TEST_CASE("the inputs of an edit are side by side in the middle half") {
  const std::vector<Image> inputs = {Image({4, 4}, {255, 0, 0}, {255, 0, 0})};
  const Image image = draw_image("one", 0, inputs, {40, 400});
  for (const auto& [y, shown] : {std::pair(99, false), {100, true}, {299, true}, {300, false}}) {
    CHECK((image.at(0, y) == Color{255, 0, 0}) == shown);
    CHECK((image.at(39, y) == Color{255, 0, 0}) == shown);
  }
}

TEST_CASE("ratios, and the formats of files by their first bytes") {
  CHECK(emulator::media::ratio_of("3:2", 7) == 1.5);
  CHECK(emulator::media::ratio_of("0:2", 7) == 0);
  for (const char* none : {"", "32", "3:", ":2", "x:2", "3:x", "3:0", "3:-1"}) {
    CHECK(emulator::media::ratio_of(none, 7) == 7);
  }
  CHECK(emulator::media::ratio_of(Size{3, 2}) == 1.5);
  CHECK(emulator::media::ratio_of(Size{3, 0}) == 3);
  CHECK(image_type("\xFF\xD8\xFF") == "image/jpeg");
  CHECK(image_type("\x89PNG\r\n\x1A\n") == "image/png");
  CHECK(image_type("RIFF1234WEBP") == "image/webp");
  for (const char* none :
       {"", "\xFF\xD8", "\x89PNG\r\n\x1A", "RIFF1234WAVE", "RIFF1234WEB", "RIFX1234WEBP"}) {
    CHECK(image_type(none) == "");
  }
  CHECK(decode_image(bytes_of(k_huge_png)).error().message ==
        "The PNG image has 30000x30000 pixels; at most 40 million are allowed.");
}

TEST_CASE("a written JPEG is read back, with its description") {
  Image image({64, 48}, {200, 30, 30}, {200, 30, 30});
  image.paste(Image({1, 1}, {30, 30, 200}, {}), 32, 0, {32, 48});
  const auto bytes = encode_jpeg(image, "a comment", 90);
  REQUIRE(bytes.has_value());
  CHECK(image_type(*bytes) == "image/jpeg");
  CHECK(bytes->substr(2, 13) == std::string_view("\xFF\xFE\0\x0B"
                                                 "a comment",
                                                 13));
  const auto again = decode_image(*bytes);
  REQUIRE(again.has_value());
  CHECK(again->size() == Size{64, 48});
  CHECK(distance(again->at(8, 8), {200, 30, 30}) < 30);
  CHECK(distance(again->at(56, 40), {30, 30, 200}) < 30);
  CHECK(decode_image(*encode_jpeg(image, std::string(70'000, 'x'))).has_value());
  CHECK(encode_jpeg(image, std::string(70'000, 'x'))->substr(2, 4) == "\xFF\xFE\xFF\xFF");
  CHECK(*encode_jpeg(image, "c") == *encode_jpeg(image, "c", 88));
  CHECK(encode_jpeg(image, "c", 20)->size() < encode_jpeg(image, "c", 95)->size());
  const auto cut = decode_image(std::string_view(*bytes).substr(0, bytes->size() / 2));
  REQUIRE(!cut.has_value());
  CHECK(cut.error().message == "Invalid JPEG image.");
}

TEST_CASE("PNG and WebP are read; transparent pixels become white") {
  const auto png = decode_image(bytes_of(k_png));
  REQUIRE(png.has_value());
  CHECK(png->size().width == 2);
  CHECK(png->at(0, 0) == Color{255, 0, 0});
  CHECK(png->at(1, 0) == Color{255, 255, 255});
  const auto webp = decode_image(bytes_of(k_webp));
  REQUIRE(webp.has_value());
  CHECK(webp->size().width == 4);
  CHECK(webp->size().height == 2);
  CHECK(distance(webp->at(2, 1), {0, 0, 255}) < 10);
}

TEST_CASE("invalid images are rejected by name") {
  const auto refusal = [](const std::string& bytes) {
    const auto image = decode_image(bytes);
    REQUIRE(!image.has_value());
    return image.error().message;
  };
  CHECK(refusal("\x89PNG\r\n\x1A\nrubbish") == "Invalid PNG image.");
  CHECK(refusal(bytes_of(k_png).substr(0, 50)) == "Invalid PNG image.");
  CHECK(refusal(bytes_of(k_webp).substr(0, 24)) == "Invalid WebP image.");
  CHECK(refusal("\xFF\xD8\xFF\xE0") == "Invalid JPEG image.");
  CHECK(refusal(std::string("\xFF\xD8\xFF\xC0\0\1", 6)) == "Invalid JPEG image.");
  CHECK(refusal(bytes_of(k_webp).substr(0, 30)) == "Invalid WebP image.");
  CHECK(emulator::videos::make_video({0, 0}, 1).error().message ==
        "The video codec failed: it takes no such size.");
  const std::string other = "Invalid image: it is neither JPEG nor PNG nor WebP.";
  CHECK(refusal("GIF89a") == other);
  CHECK(refusal("") == other);
  CHECK(refusal(bytes_of(k_most_png)) == "Invalid PNG image.");
  CHECK(refusal(bytes_of(k_too_large_png)) ==
        "The PNG image has 53x754717 pixels; at most 40 million are allowed.");
  const auto written = encode_jpeg(Image({0, 0}, {}, {}), "");
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().fault == Fault::Unexpected);
  CHECK(written.error().message.starts_with("The picture could not be written as JPEG: "));
  CHECK(written.error().message.ends_with("."));
}

TEST_CASE("sizes depend on ratio and resolution") {
  CHECK(images::image_size(emulator::media::ratio_of("1:1", 1), "") == Size{1024, 1024});
  CHECK(images::image_size(emulator::media::ratio_of("1:1", 1), "1.5k") == Size{1536, 1536});
  CHECK(images::image_size(emulator::media::ratio_of("1:1", 1), "2k") == Size{2048, 2048});
  const auto& members = emulator::text::request_type("image").members;
  const auto ratios = std::ranges::find(members, "aspect_ratio", &emulator::text::Member::name);
  for (const std::string_view ratio : ratios->type->words) {
    if (ratio == "auto") continue;
    for (const auto& [resolution, side] :
         {std::pair{"1k", 1024.0}, std::pair{"1.5k", 1536.0}, std::pair{"2k", 2048.0}}) {
      const Size size = images::image_size(emulator::media::ratio_of(ratio, 1), resolution);
      const auto colon = ratio.find(':');
      const double wanted = std::stod(std::string(ratio.substr(0, colon))) /
                            std::stod(std::string(ratio.substr(colon + 1)));
      CHECK(std::abs(double(size.width) / size.height / wanted - 1) < 0.03);
      CHECK(std::abs(double(size.width) * size.height / (side * side) - 1) < 0.04);
      CHECK(size.width % 16 == 0);
      CHECK(size.height % 16 == 0);
    }
  }
  CHECK(images::image_size(emulator::media::ratio_of(Size{300, 200}), "") ==
        images::image_size(emulator::media::ratio_of("3:2", 1), "1k"));
  CHECK(images::choose_ratio("x") == images::choose_ratio("x"));
}

}  // namespace svc::test
