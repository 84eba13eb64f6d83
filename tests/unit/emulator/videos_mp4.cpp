// Videos: MP4 boxes, and H.264 for a decoder.
#include <array>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <wels/codec_api.h>

#include "emulator/api/videos/videos.h"
#include "emulator/picture/picture.h"

namespace svc::test {
namespace {

using namespace emulator::videos;
using emulator::media::ratio_of;
using emulator::media::Size;

std::string video_of(double seconds, Size size = {96, 64}) {
  auto file = make_video(size, seconds);
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

std::vector<std::uint32_t> numbers_of(std::string_view bytes) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) numbers.push_back(number_at(bytes, at));
  return numbers;
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

/// The decoder's input for each sample, parameter sets first.
std::vector<std::string> samples_of(const std::string& file) {
  const auto stbl = content_of(
      content_of(content_of(content_of(content_of(file, "moov"), "trak"), "mdia"), "minf"), "stbl");
  const auto avcc = content_of(content_of(stbl, "stsd").substr(8), "avc1").substr(78);
  const auto sps = avcc.substr(8 + 8, (number_at(avcc, 8 + 4) & 0xFFFFU));
  const auto pps = avcc.substr(8 + 8 + sps.size() + 3);
  const std::string start("\0\0\0\1", 4);
  std::vector<std::string> out = {start + std::string(sps) + start + std::string(pps)};
  std::size_t at = number_at(content_of(stbl, "stco"), 8);
  const auto stsz = content_of(stbl, "stsz");
  for (std::uint32_t i = 0; i < number_at(stsz, 8); ++i) {
    const std::size_t size = number_at(stsz, 12 + 4 * i);
    REQUIRE(number_at(file, at) + 4 == size);  // one unit
    out.push_back(start + file.substr(at + 4, size - 4));
    at += size;
  }
  return out;
}

/// Every decoded picture: its luma, or one of the two planes of its chroma.
std::vector<std::string> frames_of(const std::string& file, Size size, std::size_t plane = 0) {
  ISVCDecoder* decoder = nullptr;
  REQUIRE(WelsCreateDecoder(&decoder) == 0);
  SDecodingParam settings{};
  settings.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC;
  REQUIRE(decoder->Initialize(&settings) == 0);
  std::vector<std::string> frames;
  for (const std::string& unit : samples_of(file)) {
    std::array<unsigned char*, 3> planes{};
    SBufferInfo info{};
    CHECK(decoder->DecodeFrameNoDelay(reinterpret_cast<const unsigned char*>(unit.data()),
                                      static_cast<int>(unit.size()), planes.data(), &info) == 0);
    if (info.iBufferStatus != 1) continue;
    const auto& buffer = info.UsrData.sSystemBuffer;
    CHECK(Size{buffer.iWidth, buffer.iHeight} == size);
    const int part = plane == 0 ? 1 : 2;  // chroma has half the size
    std::string values;
    for (int y = 0; y < buffer.iHeight / part; ++y) {
      values.append(
          reinterpret_cast<const char*>(planes[plane]) + y * buffer.iStride[plane == 0 ? 0 : 1],
          static_cast<std::size_t>(buffer.iWidth / part));
    }
    frames.push_back(values);
  }
  decoder->Uninitialize();
  WelsDestroyDecoder(decoder);
  return frames;
}

}  // namespace

TEST_CASE("a video is an MP4 with its index first") {
  const std::string file = video_of(2);
  CHECK(box_types(file) == "ftyp moov mdat");
  const auto moov = content_of(file, "moov");
  CHECK(box_types(moov) == "mvhd trak");
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
  CHECK(count == 12);
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += number_at(stsz, 12 + 4 * i);
  const std::size_t begin = number_at(content_of(stbl, "stco"), 8);
  CHECK(file.substr(begin - 4, 4) == "mdat");
  CHECK(begin + total == file.size());
}

// The fields of ISO/IEC 14496-12, sections 4.3, 8.2.2, 8.3.2, 8.4.2, 8.4.3, 8.4.5, 8.6 and 8.7.
TEST_CASE("the boxes of a video hold what players need, number by number") {
  using Numbers = std::vector<std::uint32_t>;
  constexpr std::uint32_t k_scale = 12'000;
  constexpr std::uint32_t k_one = 0x10000;
  const std::string file = video_of(2);
  CHECK(content_of(file, "ftyp") == std::string_view("isom\0\0\2\0isomiso2avc1mp41", 24));
  const auto moov = content_of(file, "moov");
  CHECK(numbers_of(content_of(moov, "mvhd")) ==
        Numbers{0,     0, 0, k_scale, 2 * k_scale, k_one, 0x1000000, 0, 0, k_one, 0, 0, 0,
                k_one, 0, 0, 0,       0x40000000,  0,     0,         0, 0, 0,     0, 2});
  const auto trak = content_of(moov, "trak");
  CHECK(numbers_of(content_of(trak, "tkhd")) ==
        Numbers{3, 0, 0, 1,     0, 2 * k_scale, 0, 0,          0,          0,         k_one,
                0, 0, 0, k_one, 0, 0,           0, 0x40000000, 96U << 16U, 64U << 16U});
  const auto mdia = content_of(trak, "mdia");
  CHECK(numbers_of(content_of(mdia, "mdhd")) == Numbers{0, 0, 0, k_scale, 2 * k_scale, 0x55C40000});
  std::string handler(24, '\0');
  handler.replace(8, 4, "vide");
  CHECK(content_of(mdia, "hdlr") == handler + "svc-emulator" + '\0');
  const auto minf = content_of(mdia, "minf");
  CHECK(box_types(minf) == "vmhd dinf stbl");
  CHECK(numbers_of(content_of(minf, "vmhd")) == Numbers{1, 0, 0});
  const auto dref = content_of(content_of(minf, "dinf"), "dref");
  CHECK(numbers_of(dref.substr(0, 8)) == Numbers{0, 1});
  CHECK(numbers_of(content_of(dref.substr(8), "url ")) == Numbers{1});
  const auto stbl = content_of(minf, "stbl");
  CHECK(numbers_of(content_of(stbl, "stts")) == Numbers{0, 1, 12, k_scale / 6});
  CHECK(numbers_of(content_of(stbl, "stss")) == Numbers{0, 2, 1, 7});
  CHECK(numbers_of(content_of(stbl, "stsc")) == Numbers{0, 1, 1, 12, 1});
  const auto stsz = numbers_of(content_of(stbl, "stsz"));
  CHECK(stsz.size() == 3 + 12);
  CHECK(Numbers(stsz.begin(), stsz.begin() + 3) == Numbers{0, 0, 12});
  const auto chunk = static_cast<std::uint32_t>(file.find("mdat") + 4);
  CHECK(numbers_of(content_of(stbl, "stco")) == Numbers{0, 1, chunk});
  CHECK(number_at(content_of(stbl, "stsd"), 0) == 0);
  CHECK(number_at(content_of(stbl, "stsd"), 4) == 1);
  const auto avc1 = content_of(content_of(stbl, "stsd").substr(8), "avc1");
  CHECK(numbers_of(avc1.substr(0, 76)) == Numbers{0, 1, 0, 0, 0, 0, 96U << 16U | 64U, 0x480000,
                                                  0x480000, 0, k_one, 0, 0, 0, 0, 0, 0, 0, 24});
  const auto avcc = content_of(avc1.substr(78), "avcC");
  CHECK(avc1.substr(76, 2) == "\xFF\xFF");
  CHECK(avcc[0] == 1);
  CHECK(avcc.substr(1, 3) == avcc.substr(9, 3));  // the profile of the parameter set
  CHECK(avcc.substr(4, 2) == "\xFF\xE1");
}

TEST_CASE("a written video is read and decoded: something moves in it") {
  for (const Size size : {Size{96, 64}, Size{62, 110}, Size{854, 480}}) {
    const std::string file = video_of(2, size);
    const auto track = read_mp4(file);
    REQUIRE(track.has_value());
    CHECK(track->codec == "avc1");
    CHECK(track->size == size);
    CHECK(track->duration_s == doctest::Approx(2));
    const auto frames = frames_of(file, size);
    REQUIRE(frames.size() == 12);
    for (std::size_t i = 1; i < 6; ++i) CHECK(frames[i] != frames[i - 1]);
    CHECK(frames[6] == frames[0]);
  }
  CHECK(read_mp4(video_of(8.5))->duration_s == doctest::Approx(8.5));
}

// The colors are those of BT.601 in video range.
TEST_CASE("the video has its two colors, and a white square that crosses them once a second") {
  const Size size{96, 64};
  const std::string file = video_of(1, size);
  std::array<std::vector<std::string>, 3> planes;
  for (std::size_t i = 0; i < 3; ++i) planes[i] = frames_of(file, size, i);
  REQUIRE(planes[0].size() == 6);
  const auto value = [&](std::size_t plane, std::size_t frame, int x, int y) {
    const int width = plane == 0 ? 96 : 48;
    const int part = plane == 0 ? 1 : 2;
    return static_cast<int>(static_cast<unsigned char>(
        planes[plane][frame][static_cast<std::size_t>(y / part * width + x / part)]));
  };
  const auto near = [&](std::size_t plane, std::size_t frame, int x, int y, int wanted) {
    CAPTURE(plane);
    CAPTURE(frame);
    CAPTURE(x);
    CAPTURE(y);
    CHECK(std::abs(value(plane, frame, x, y) - wanted) <= 5);
  };
  for (const int x : {0, 50, 95}) {
    near(0, 0, x, 0, 73);
    near(1, 0, x, 0, 158);
    near(2, 0, x, 0, 107);
    near(0, 0, x, 63, 164);
    near(1, 0, x, 63, 91);
    near(2, 0, x, 63, 160);
  }
  for (int frame = 0; frame < 6; ++frame) {
    const auto at = static_cast<std::size_t>(frame);
    const int left = 80 * frame / 5;
    near(0, at, left + 8, 32, 235);
    near(1, at, left + 8, 32, 128);
    near(2, at, left + 8, 32, 128);
    for (const auto& [x, y] :
         {std::pair(left + 8, 26), {left + 8, 37}, {left + 2, 32}, {left + 13, 32}}) {
      CHECK(value(0, at, x, y) > 220);
    }
    CHECK(value(0, at, left + 8, 20) < 180);
    CHECK(value(0, at, left + 8, 43) < 180);
    if (left >= 4) CHECK(value(0, at, left - 4, 32) < 180);
    if (left <= 76) CHECK(value(0, at, left + 19, 32) < 180);
  }
  CHECK(read_mp4(video_of(0.01, size))->duration_s == doctest::Approx(1.0 / 6));
  CHECK(read_mp4(video_of(0.24, size))->duration_s == doctest::Approx(1.0 / 6));
  CHECK(read_mp4(video_of(0.26, size))->duration_s == doctest::Approx(2.0 / 6));
}

namespace {

std::string big_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
  return out;
}

std::string made_box(const std::string& type, const std::string& content) {
  return big_endian(content.size() + 8, 4) + type + content;
}

std::string made_entry(std::size_t size = 78, const std::string& codec = "hvc1") {
  std::string entry(size, '\0');
  if (size >= 28) entry.replace(24, 4, big_endian(320U << 16U | 240U, 4));
  return big_endian(0, 4) + big_endian(1, 4) + made_box(codec, entry);
}

std::string made_track(const std::string& handler, const std::string& mdhd,
                       const std::string& entries = made_entry()) {
  return made_box(
      "trak",
      made_box("mdia", made_box("mdhd", mdhd) + made_box("hdlr", big_endian(0, 8) + handler) +
                           made_box("minf", made_box("stbl", made_box("stsd", entries)))));
}

// "codec 320x240 2.5", or why not.
std::string track_in(const std::string& boxes) {
  const auto track = read_mp4(made_box("ftyp", "isom") + boxes);
  if (!track) return track.error().message;
  return fmt::format("{} {}x{} {}", track->codec, track->size.width, track->size.height,
                     track->duration_s);
}

}  // namespace

TEST_CASE("the first video track of a file by another program is read") {
  const std::string narrow =
      big_endian(0, 12) + big_endian(600, 4) + big_endian(1'500, 4) + big_endian(0, 4);
  const std::string wide = big_endian(1, 1) + big_endian(0, 19) + big_endian(600, 4) +
                           big_endian(1'500, 8) + big_endian(0, 4);
  const std::string track = made_track("vide", narrow);
  CHECK(track_in(made_box("moov", track)) == "hvc1 320x240 2.5");
  CHECK(track_in(made_box("moov", made_track("vide", wide, made_entry(78, "av01")))) ==
        "av01 320x240 2.5");
  CHECK(track_in(made_box("free", "x") +
                 made_box("moov", made_box("mvhd", "") +
                                      made_track("soun", narrow, made_entry(78, "mp4a")) +
                                      track)) == "hvc1 320x240 2.5");
  // A size of 64 bits, and one up to the end of the file.
  const std::string moov = made_box("moov", track);
  CHECK(track_in(big_endian(1, 4) + "free" + big_endian(17, 8) + "x" + moov) == "hvc1 320x240 2.5");
  CHECK(track_in(big_endian(0, 4) + moov.substr(4)) == "hvc1 320x240 2.5");

  const std::string none = "The MP4 file has no video track.";
  CHECK(track_in(made_box("moov", made_track("soun", narrow))) == none);
  CHECK(track_in(made_box("moov", made_track("vid", narrow))) == none);
  CHECK(track_in(made_box("moov", made_track("vide", big_endian(0, 24)))) == none);
  CHECK(track_in(made_box("moov", made_box("mvhd", "x"))) == none);
  for (const std::string& entries :
       {std::string(), big_endian(0, 7), big_endian(0, 8), made_entry(77), made_entry(20)}) {
    CHECK(track_in(made_box("moov", made_track("vide", narrow, entries))) == none);
  }
  const std::string incomplete = "The MP4 file has no moov box: it is not complete.";
  CHECK(track_in(big_endian(1, 4) + "free" + big_endian(15, 8) + "x" + moov) == incomplete);
  CHECK(track_in(big_endian(7, 4) + "free" + moov) == incomplete);
  CHECK(track_in(big_endian(99'999, 4) + "moov" + track) == incomplete);
  CHECK(track_in("") == incomplete);
  CHECK(read_mp4("1234ftyp123").error().message == "The video is not an MP4 file.");
}

TEST_CASE("files that are not videos are rejected") {
  const auto refusal = [](std::string_view bytes) {
    const auto track = read_mp4(bytes);
    REQUIRE(!track.has_value());
    return track.error().message;
  };
  const std::string file = video_of(1);
  CHECK(refusal("") == "The video is not an MP4 file.");
  CHECK(refusal("<html>") == "The video is not an MP4 file.");
  const std::string head(
      "\0\0\0\x0C"
      "ftypisom",
      12);
  CHECK(refusal(head.substr(0, 11)) == "The video is not an MP4 file.");
  CHECK(refusal(head) == "The MP4 file has no moov box: it is not complete.");
  const std::string_view movie(
      "\0\0\0\x10"
      "moov\0\0\0\x08"
      "free",
      16);
  CHECK(refusal(head + std::string(movie)) == "The MP4 file has no video track.");
  CHECK(refusal(file.substr(0, 40)) == "The MP4 file has no moov box: it is not complete.");
}

TEST_CASE("a damaged video is handled, wherever the damage is") {
  const std::string file = video_of(1);
  const std::size_t head = file.find("mdat");
  for (std::size_t at = 8; at < head; ++at) {
    for (const char value : {'\0', '\xFF'}) {
      std::string broken = file;
      broken[at] = value;
      (void)read_mp4(broken);
    }
  }
}

TEST_CASE("video sizes depend on ratio and resolution") {
  CHECK(video_size(ratio_of("16:9", 16.0 / 9), "") == Size{854, 480});
  CHECK(video_size(ratio_of("16:9", 16.0 / 9), "720p") == Size{1280, 720});
  CHECK(video_size(ratio_of("16:9", 16.0 / 9), "1080p") == Size{1920, 1080});
  CHECK(video_size(ratio_of("9:16", 16.0 / 9), "720p") == Size{720, 1280});
  CHECK(video_size(ratio_of("1:1", 16.0 / 9), "480p") == Size{480, 480});
  CHECK(video_size(ratio_of("", 16.0 / 9), "720p") == Size{1280, 720});
  CHECK(video_size(ratio_of(Size{300, 200}), "480p") == Size{720, 480});
  CHECK(edited_size({101, 75}) == Size{102, 76});
  CHECK(edited_size({3840, 2160}) == Size{1920, 1080});
  CHECK(edited_size({2160, 3840}) == Size{1080, 1920});
  CHECK(edited_size({1920, 1080}) == Size{1920, 1080});
  CHECK(edited_size({16, 20}) == Size{32, 32});
  CHECK(video_size(5, "480p") == Size{1440, 480});
  CHECK(video_size(0.1, "480p") == Size{480, 1440});
}

}  // namespace svc::test
