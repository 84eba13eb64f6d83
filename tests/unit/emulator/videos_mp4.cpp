// Films: MP4 boxes, H.264 there and back, what a film shows.
#include <cmath>
#include <cstdlib>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "emulator/api/videos/size.h"
#include "emulator/picture/film.h"
#include "emulator/picture/mp4.h"

namespace svc::test {
namespace {

using namespace emulator::videos;
using emulator::media::Canvas;
using emulator::media::Size;

Script script(int seconds, Size size = {96, 64}) {
  Script made;
  made.prompt = "a test";
  made.model = "m";
  made.size = size;
  made.duration_s = seconds;
  return made;
}

std::string film_of(const Script& made) {
  auto file = shoot(made);
  REQUIRE(file.has_value());
  return *std::move(file);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

// "ftyp moov mdat"; each size must lead exactly to the next box.
std::string box_types(std::string_view bytes) {
  std::string types;
  std::size_t at = 0;
  while (at < bytes.size()) {
    types += (types.empty() ? "" : " ") + std::string(bytes.substr(at + 4, 4));
    const std::uint32_t size = number_at(bytes, at);
    REQUIRE(size >= 8);
    REQUIRE(size <= bytes.size() - at);
    at += size;
  }
  return types;
}

std::string_view content_of(std::string_view bytes, std::string_view type) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += number_at(bytes, at)) {
    if (bytes.substr(at + 4, 4) == type) return bytes.substr(at + 8, number_at(bytes, at) - 8);
  }
  FAIL("no box " << type);
  return {};
}

double mean(const Frame& frame, int plane) {
  double sum = 0;
  for (const std::uint8_t value : frame.plane(plane).bytes) sum += value;
  return sum / static_cast<double>(frame.plane(plane).bytes.size());
}

Script edit_of(const std::string& source) {
  Script made = script(0);
  auto footage = read_footage(source, true);
  REQUIRE(footage.has_value());
  made.footage = *std::move(footage);
  made.size = {made.footage.width, made.footage.height};
  made.duration_s = static_cast<int>(std::lround(made.footage.duration_s));
  return made;
}

}  // namespace

TEST_CASE("a film is an MP4 whose index comes first") {
  const std::string file = film_of(script(2));
  CHECK(box_types(file) == "ftyp moov mdat");
  const auto moov = content_of(file, "moov");
  CHECK(box_types(moov) == "mvhd trak udta");
  const auto trak = content_of(moov, "trak");
  CHECK(box_types(trak) == "tkhd mdia");
  const auto mdia = content_of(trak, "mdia");
  CHECK(box_types(mdia) == "mdhd hdlr minf");
  const auto stbl = content_of(content_of(mdia, "minf"), "stbl");
  CHECK(box_types(stbl) == "stsd stts stss stsc stsz stco");
  const auto mvhd = content_of(moov, "mvhd");
  CHECK(number_at(mvhd, 16) == 2 * number_at(mvhd, 12));  // two seconds
  const auto tkhd = content_of(trak, "tkhd");
  CHECK(number_at(tkhd, 76) == 96U << 16U);
  CHECK(number_at(tkhd, 80) == 64U << 16U);
  // The samples fill the mdat box to the byte.
  const auto stsz = content_of(stbl, "stsz");
  const std::uint32_t count = number_at(stsz, 8);
  CHECK(count == 2 * k_frames_per_second);
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += number_at(stsz, 12 + 4 * i);
  const std::size_t begin = number_at(content_of(stbl, "stco"), 8);
  CHECK(file.substr(begin - 4, 4) == "mdat");
  CHECK(begin + total == file.size());
}

TEST_CASE("the same script gives the same film") {
  CHECK(film_of(script(1)) == film_of(script(1)));
}

TEST_CASE("a film that was written is read: track, duration, frames") {
  for (const Size size : {Size{96, 64}, Size{62, 110}, Size{854, 480}}) {
    const std::string file = film_of(script(2, size));
    const auto track = read_mp4(file);
    REQUIRE(track.has_value());
    CHECK(track->codec == "avc1");
    CHECK(track->width == size.width);
    CHECK(track->height == size.height);
    CHECK(track->duration_s == doctest::Approx(2));
    REQUIRE(track->samples.size() == 12);
    CHECK(track->samples[6].time_s == doctest::Approx(1));
    CHECK(track->parameters.size() == 2);
    const auto footage = read_footage(file, true);
    REQUIRE(footage.has_value());
    REQUIRE(footage->frames.size() == 12);
    CHECK(footage->frames[0].width() == size.width);
    CHECK(footage->frames[0].height() == size.height);
  }
}

TEST_CASE("something moves in a film") {
  const auto footage = read_footage(film_of(script(2, {320, 240})), true);
  REQUIRE(footage.has_value());
  for (std::size_t i = 1; i < footage->frames.size(); ++i) {
    CHECK(footage->frames[i].plane(0).bytes != footage->frames[i - 1].plane(0).bytes);
  }
}

TEST_CASE("an extension begins with its source and is longer by what is new") {
  Script made = edit_of(film_of(script(2, {320, 240})));
  made.extends = true;
  made.duration_s = 3;
  CHECK(length_of(made) == doctest::Approx(5));
  const auto longer = read_footage(film_of(made), true);
  REQUIRE(longer.has_value());
  CHECK(longer->duration_s == doctest::Approx(5));
  REQUIRE(longer->frames.size() == 30);
  // Apart from the clock in the corner.
  for (int y = 40; y < 200; ++y) {
    for (int x = 0; x < 320; ++x) {
      const int before = made.footage.frames[3].plane(0).row(y)[x];
      const int after = longer->frames[3].plane(0).row(y)[x];
      if (std::abs(before - after) > 48) FAIL("frame 3 differs at " << x << "," << y);
    }
  }
}

TEST_CASE("an edit shows its source, keyframes take over at their time") {
  Script bright = script(2, {320, 240});
  Scene white{0, Canvas(32, 24)};
  white.picture.fill({0, 0, 32, 24}, {255, 255, 255});
  bright.scenes.push_back(std::move(white));
  const std::string source = film_of(bright);
  CHECK(mean(read_footage(source, true)->frames[4], 0) > 200);

  Script made = edit_of(source);
  made.prompt = "darker";
  const auto with = read_footage(film_of(made), true);
  made.footage.frames.clear();
  const auto without = read_footage(film_of(made), true);
  CHECK(mean(with->frames[4], 0) > mean(without->frames[4], 0) + 20);

  Script later = script(2, {320, 240});
  Scene red{1, Canvas(32, 24)};
  red.picture.fill({0, 0, 32, 24}, {255, 0, 0});
  later.scenes.push_back(std::move(red));
  const auto footage = read_footage(film_of(later), true);
  CHECK(mean(footage->frames[5], 2) < 200);
  CHECK(mean(footage->frames[6], 2) > 220);
}

TEST_CASE("files that are no film are refused") {
  const auto refusal = [](std::string_view bytes) {
    const auto track = read_mp4(bytes);
    REQUIRE(!track.has_value());
    return track.error().message;
  };
  const std::string file = film_of(script(1));
  CHECK(refusal("") == "The video is no MP4 file.");
  CHECK(refusal("<html>") == "The video is no MP4 file.");
  CHECK(refusal(file.substr(0, 40)) == "The MP4 file has no moov box: it is not complete.");
}

TEST_CASE("a broken film does no harm, wherever it is broken") {
  const std::string file = film_of(script(1));
  const std::size_t head = file.find("mdat");
  for (std::size_t at = 8; at < head; ++at) {
    for (const char value : {'\0', '\xFF'}) {
      std::string broken = file;
      broken[at] = value;
      const auto track = read_mp4(broken);
      if (!track) continue;
      for (const SamplePlace& place : track->samples) {
        REQUIRE(place.offset + place.size <= broken.size());
      }
    }
  }
  for (std::size_t at = head + 4; at < file.size(); at += 97) {
    std::string broken = file;
    broken[at] = static_cast<char>(~broken[at]);
    CHECK(read_footage(broken, true).has_value());
  }
}

TEST_CASE("video sizes follow ratio and resolution") {
  CHECK(video_size("16:9", "") == Size{854, 480});
  CHECK(video_size("16:9", "720p") == Size{1280, 720});
  CHECK(video_size("16:9", "1080p") == Size{1920, 1080});
  CHECK(video_size("9:16", "720p") == Size{720, 1280});
  CHECK(video_size("1:1", "480p") == Size{480, 480});
  CHECK(video_size("", "720p") == Size{1280, 720});
  CHECK(video_size(Size{300, 200}, "480p") == Size{720, 480});
  CHECK(edited_size({101, 75}) == Size{102, 76});
  CHECK(edited_size({3840, 2160}) == Size{1920, 1080});
}

}  // namespace svc::test
