// Bytes, rates, files and levels.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "audio/format.h"
#include "audio/resampler.h"
#include "audio/sound_file.h"
#include "audio/wav.h"
#include "support/sound_card.h"

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

using Samples = std::vector<Sample>;

struct Directory {
  fs::path path;
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "svc-audio-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
};

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Samples read_sound(const std::string& path, Format wanted) {
  auto reader = open_sound_reader(path, wanted);
  REQUIRE_MESSAGE(reader, reader.error().message);
  auto samples = read_all(**reader);
  REQUIRE(samples);
  return std::move(*samples);
}

/// The signal-to-noise ratio in decibels, for the best fit of a sine with that frequency.
double sine_to_noise(const Samples& samples, int rate, double hertz) {
  double sine = 0;
  double cosine = 0;
  double power = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * 3.14159265358979 * hertz * static_cast<double>(i) / rate;
    sine += samples[i] * std::sin(phase);
    cosine += samples[i] * std::cos(phase);
    power += static_cast<double>(samples[i]) * samples[i];
  }
  const double count = static_cast<double>(samples.size());
  const double signal = 2 * (sine * sine + cosine * cosine) / count;
  return 10 * std::log10(signal / std::max(power - signal, 1e-9));
}

Samples middle(const Samples& samples, std::size_t margin) {
  return {samples.begin() + static_cast<std::ptrdiff_t>(margin),
          samples.end() - static_cast<std::ptrdiff_t>(margin)};
}

}  // namespace

TEST_CASE("G.711 mu-law has the values of the standard") {
  // ITU-T G.711 tables 2a and 2b, decision values in 14 bits, times four.
  CHECK(to_mu_law(0) == 0xFF);
  CHECK(to_mu_law(32'767) == 0x80);
  CHECK(to_mu_law(-32'768) == 0x00);
  CHECK(to_mu_law(1'000) == 0xCE);
  CHECK(to_mu_law(-1'000) == 0x4E);
  CHECK(from_mu_law(0xFF) == 0);
  CHECK(from_mu_law(0x80) == 32'124);
  CHECK(from_mu_law(0x00) == -32'124);
  CHECK(from_mu_law(0xEF) == 132);
  CHECK(from_mu_law(0xFE) == 8);
  for (int byte = 0; byte < 256; ++byte) {
    const auto code = static_cast<std::uint8_t>(byte);
    // Both zeros decode to the same number.
    CHECK(to_mu_law(from_mu_law(code)) == (code == 0x7F ? 0xFF : code));
  }
}

TEST_CASE("G.711 A-law has the values of the standard") {
  CHECK(to_a_law(0) == 0xD5);
  CHECK(to_a_law(-1) == 0x55);
  CHECK(to_a_law(32'767) == 0xAA);
  CHECK(to_a_law(-32'768) == 0x2A);
  CHECK(from_a_law(0xD5) == 8);
  CHECK(from_a_law(0x55) == -8);
  CHECK(from_a_law(0xAA) == 32'256);
  CHECK(from_a_law(0x2A) == -32'256);
  for (int byte = 0; byte < 256; ++byte) {
    const auto code = static_cast<std::uint8_t>(byte);
    CHECK(to_a_law(from_a_law(code)) == code);
  }
}

TEST_CASE("the G.711 error is at most half a step") {
  for (int value = -32'768; value <= 32'767; value += 7) {
    const auto sample = static_cast<Sample>(value);
    const double allowed = std::max(8.0, std::abs(value) / 24.0);
    CHECK(std::abs(from_a_law(to_a_law(sample)) - value) <= allowed + 1);
    const double clip = std::abs(value) > 32'124 ? std::abs(value) - 32'124 : 0;
    CHECK(std::abs(from_mu_law(to_mu_law(sample)) - value) <= allowed + clip + 1);
  }
}

TEST_CASE("bytes become samples however they are split") {
  const Samples noise = svc::test::test_noise(500);
  const std::string bytes = encode(noise, Encoding::Pcm);
  REQUIRE(bytes.size() == 1'000);
  CHECK(static_cast<unsigned char>(bytes[0]) == (static_cast<unsigned>(noise[0]) & 0xFFU));
  Decoder decoder(Encoding::Pcm);
  Samples back;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = 1 + at % 7;
    decoder.decode(std::string_view(bytes).substr(at, count), back);
    at += count;
  }
  CHECK(back == noise);
  CHECK_FALSE(decoder.has_half());
  decoder.decode("x", back);
  CHECK(decoder.has_half());
  CHECK(decode(bytes + "x", Encoding::Pcm) == noise);
  for (const Encoding law : {Encoding::MuLaw, Encoding::ALaw}) {
    const std::string coded = encode(noise, law);
    CHECK(coded.size() == noise.size());
    // Mu-law has two zeros.
    CHECK(decode(encode(decode(coded, law), law), law) == decode(coded, law));
  }
}

TEST_CASE("times and frames") {
  CHECK(frames_in({24'000, 1}, 20ms) == 480);
  CHECK(frames_in({44'100, 2}, 10ms) == 441);
  CHECK(frames_in({22'050, 1}, 10ms) == 221);
  CHECK(frames_in({24'000, 1}, -5ms) == 0);
  CHECK(time_of({24'000, 1}, 47) == 1ms);
  CHECK(time_of({24'000, 1}, 23) == 0ms);
  // To the nearest frame, and exact over hours.
  CHECK(frames_in({1, 1}, 499'999us) == 0);
  CHECK(frames_in({1, 1}, 500'000us) == 1);
  CHECK(frames_in({24'000, 1}, 1us) == 0);
  CHECK(frames_in({48'000, 1}, 10h) == 1'728'000'000);
  CHECK(time_of({48'000, 1}, 1'728'000'000) == 10h);
}

TEST_CASE("levels") {
  CHECK(level_of({}).peak == 0);
  CHECK(level_of(Samples(10, -32'768)).peak == doctest::Approx(1));
  const Level tone = level_of(svc::test::test_tone(24'000, 24'000, 440, 0.5));
  CHECK(tone.peak == doctest::Approx(0.5).epsilon(0.001));
  CHECK(tone.rms == doctest::Approx(0.5 / std::sqrt(2)).epsilon(0.001));
  CHECK(decibels(1) == doctest::Approx(0));
  CHECK(decibels(0.5) == doctest::Approx(-6.02).epsilon(0.01));
  CHECK(decibels(0) == -96);
  CHECK(decibels(1e-9) == -96);
  CHECK(decibels(1.5) == 0);
  CHECK(decibels(0.1) == doctest::Approx(-20));
  CHECK(sample_of(0.5F) == 16'384);
  CHECK(sample_of(1) == 32'767);
  CHECK(sample_of(-1) == -32'768);
  CHECK(sample_of(-2) == -32'768);
  CHECK(level_of(Samples{16'384, 0, 0, 0}).rms == doctest::Approx(0.25));
}

TEST_CASE("channels") {
  const Samples stereo = {10, 30, -10, -30};
  Samples out;
  convert_channels(stereo, 2, 1, out);
  CHECK(out == Samples{20, -20});
  out.clear();
  convert_channels(out = {}, 1, 2, out);
  convert_channels(Samples{1, 2}, 1, 2, out);
  CHECK(out == Samples{1, 1, 2, 2});
  out.clear();
  convert_channels(Samples{1, 2, 3}, 3, 2, out);
  CHECK(out == Samples{1, 2});
  convert_channels(Samples{5, 6}, 2, 2, out);  // appends
  CHECK(out == Samples{1, 2, 5, 6});
  out.clear();
  convert_channels(Samples{1, 2, 3}, 2, 4, out);  // the last one is repeated; no half frame
  CHECK(out == Samples{1, 2, 2, 2});
}

TEST_CASE("a resampled sine is the same sine, with the same length and position") {
  constexpr std::array<std::array<int, 2>, 6> rates = {{{24'000, 48'000},
                                                        {48'000, 24'000},
                                                        {24'000, 44'100},
                                                        {44'100, 16'000},
                                                        {8'000, 24'000},
                                                        {24'000, 24'000}}};
  for (const auto& rate : rates) {
    const int from = rate[0];
    const int to = rate[1];
    CAPTURE(from);
    CAPTURE(to);
    auto resampler = Resampler::create(1, from, to);
    REQUIRE(resampler);
    const Samples in = svc::test::test_tone(static_cast<std::size_t>(from) / 2, from, 500);
    for (int round = 0; round < 2; ++round) {
      Samples out;
      for (std::size_t at = 0; at < in.size(); at += 333) {
        const std::size_t count = std::min<std::size_t>(333, in.size() - at);
        resampler->process(std::span(in).subspan(at, count), out);
      }
      resampler->flush(out);
      REQUIRE(out.size() == static_cast<std::size_t>(to) / 2);
      const auto margin = static_cast<std::size_t>(to) / 50;
      const Samples inner = middle(out, margin);
      CHECK(sine_to_noise(inner, to, 500) > 45);
      CHECK(level_of(inner).peak == doctest::Approx(0.5).epsilon(0.01));
      // Same position: the difference from a sine generated at that rate is small.
      const Samples wanted = middle(svc::test::test_tone(out.size(), to, 500), margin);
      double worst = 0;
      for (std::size_t i = 0; i < inner.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(inner[i]) - wanted[i]));
      }
      CHECK(worst < 400);
    }
  }
}

TEST_CASE("a resampler buffers less than three milliseconds") {
  auto resampler = Resampler::create(1, 24'000, 48'000);
  REQUIRE(resampler);
  Samples out;
  resampler->process(Samples(2'400), out);
  CHECK(out.size() >= 4'800 - 3 * 48);
}

TEST_CASE("stereo is resampled per channel") {
  auto resampler = Resampler::create(2, 48'000, 16'000);
  REQUIRE(resampler);
  Samples in;
  for (int i = 0; i < 9'600; ++i) in.insert(in.end(), {1'000, -2'000});
  Samples out;
  resampler->process(in, out);
  resampler->flush(out);
  REQUIRE(out.size() == 6'400);
  CHECK(std::abs(out[3'200] - 1'000) < 5);
  CHECK(std::abs(out[3'201] + 2'000) < 5);
}

TEST_CASE("a resampled stretch has its length, to the nearest frame") {
  const auto length = [](int from, int to, std::size_t frames) {
    auto resampler = Resampler::create(1, from, to);
    REQUIRE(resampler);
    Samples out;
    resampler->process(Samples(frames), out);
    resampler->flush(out);
    return out.size();
  };
  CHECK(length(44'100, 22'050, 1) == 1);
  CHECK(length(44'100, 22'050, 2) == 1);
  CHECK(length(44'100, 22'050, 3) == 2);
  CHECK(length(48'000, 16'000, 1) == 0);
  CHECK(length(48'000, 16'000, 2) == 1);
  CHECK(length(48'000, 16'000, 4) == 1);
  CHECK(length(16'000, 48'000, 1) == 3);
  CHECK(length(24'000, 24'000, 7) == 7);
}

TEST_CASE("a WAV header has the fields of RIFF") {
  using namespace std::string_literals;
  CHECK(wav_header({24'000, 2}, 1'000) ==
        "RIFF\x0c\x04\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0"s
        "\xc0\x5d\0\0\0\x77\x01\0\x04\0\x10\0data\xe8\x03\0\0"s);
  CHECK(wav_header({8'000, 1}, 5, 7, 8) ==
        "RIFF\x29\0\0\0WAVEfmt \x10\0\0\0\x07\0\x01\0"s
        "\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\x05\0\0\0"s);
  // No length is larger than its four bytes.
  CHECK(wav_header({8'000, 1}, 1ULL << 40U).substr(4, 4) == "\xff\xff\xff\xff");
  CHECK(wav_header({8'000, 1}, 1ULL << 40U).substr(40) == "\xdb\xff\xff\xff");
}

TEST_CASE("the header of an unfinished WAV file is updated after every second") {
  const Directory directory;
  auto writer = WavWriter::create(directory.file("a.wav"), {1'000, 2}, Replace::No);
  REQUIRE(writer);
  const auto length_in_header = [&] {
    const std::string bytes = slurp(fs::directory_iterator(directory.path)->path().string());
    REQUIRE(bytes.size() >= 44);
    return static_cast<unsigned char>(bytes[40]) + 256 * static_cast<unsigned char>(bytes[41]);
  };
  REQUIRE(writer->write(Samples(2 * 999)));
  CHECK(length_in_header() == 0);
  REQUIRE(writer->write(Samples(2)));
  CHECK(length_in_header() == 4'000);
  REQUIRE(writer->write(Samples(2 * 999)));
  CHECK(length_in_header() == 4'000);
  REQUIRE(writer->write(Samples(2)));
  CHECK(length_in_header() == 8'000);
}

TEST_CASE("of a WAV file without audio nothing remains, and in a pipe it has no known length") {
  const Directory directory;
  { REQUIRE(WavWriter::create(directory.file("a.wav"), {1'000, 1}, Replace::No)); }
  CHECK(fs::is_empty(directory.path));
  std::array<int, 2> fds{};
  REQUIRE(::pipe(fds.data()) == 0);
  {
    auto writer = WavWriter::create("/dev/fd/" + std::to_string(fds[1]), {1'000, 1}, Replace::No);
    REQUIRE(writer);
    REQUIRE(writer->write(Samples(1'500, 7)));
    REQUIRE(writer->close());
  }
  ::close(fds[1]);
  std::string bytes(4'000, '\0');
  REQUIRE(::read(fds[0], bytes.data(), bytes.size()) == 44 + 3'000);
  ::close(fds[0]);
  CHECK(bytes.substr(0, 44) == wav_header({1'000, 1}, 0xFFFF'FFFFULL - 44));
}

TEST_CASE("a WAV file is complete after close, and playable before") {
  const Directory directory;
  const std::string path = directory.file("a.wav");
  const Samples noise = svc::test::test_noise(30'000);
  {
    auto writer = WavWriter::create(path, {24'000, 1}, Replace::No);
    REQUIRE(writer);
    REQUIRE(writer->write(std::span(noise).first(25'000)));
    CHECK_FALSE(fs::exists(path));
    // After a crash at this point, the file can be played.
    for (const auto& entry : fs::directory_iterator(directory.path)) {
      CHECK(read_sound(entry.path().string(), {0, 0}).size() == 25'000);
    }
    REQUIRE(writer->write(std::span(noise).subspan(25'000)));
    REQUIRE(writer->close());
    REQUIRE(writer->close());
  }
  CHECK(slurp(path) == wav_header({24'000, 1}, 60'000) + encode(noise, Encoding::Pcm));
  CHECK(read_sound(path, {0, 0}) == noise);
  CHECK_FALSE(WavWriter::create(path, {24'000, 1}, Replace::No));
  {
    auto writer = WavWriter::create(directory.file("b.wav"), {24'000, 1}, Replace::No);
    REQUIRE(writer);
    REQUIRE(writer->write(std::span(noise).first(100)));
  }
  CHECK_FALSE(fs::exists(directory.file("b.wav")));
  CHECK(read_sound(directory.file("b.wav.partial"), {0, 0}).size() == 100);
}

TEST_CASE("sound files are read in the requested format") {
  const Directory directory;
  const std::string path = directory.file("stereo.wav");
  Samples stereo;
  for (const Sample sample : svc::test::test_tone(24'000, 24'000, 440)) {
    stereo.insert(stereo.end(), {sample, static_cast<Sample>(-sample / 2)});
  }
  auto writer = WavWriter::create(path, {24'000, 2}, Replace::No);
  REQUIRE(writer);
  REQUIRE(writer->write(stereo));
  REQUIRE(writer->close());
  auto reader = open_sound_reader(path, {16'000, 1});
  REQUIRE(reader);
  CHECK((*reader)->format() == Format{16'000, 1});
  CHECK((*reader)->frames() == 16'000);
  auto mono = read_all(**reader);
  REQUIRE(mono);
  CHECK(mono->size() == 16'000);
  CHECK(level_of(*mono).peak == doctest::Approx(0.125).epsilon(0.02));
  CHECK(read_sound(path, {0, 0}) == stereo);
  auto bytes = open_sound_bytes(slurp(path), "stereo.wav", {0, 0});
  REQUIRE_MESSAGE(bytes, bytes.error().message);
  CHECK(*read_all(**bytes) == stereo);
}

TEST_CASE("a sound file's channels and length in another format") {
  const auto wav = [](const Format& format, const Samples& samples) {
    return wav_header(format, samples.size() * 2) + encode(samples, Encoding::Pcm);
  };
  const auto read = [](const std::string& bytes, Format wanted) {
    auto reader = open_sound_view(bytes, "a.wav", wanted);
    REQUIRE_MESSAGE(reader, reader.error().message);
    return *read_all(**reader);
  };
  const std::string three = wav({1'000, 3}, {300, 600, 900, -30, -60, -90});
  CHECK(read(three, {0, 1}) == Samples{600, -60});
  CHECK(read(three, {0, 2}) == Samples{300, 600, -30, -60});
  CHECK(read(three, {0, 4}) == Samples{300, 600, 900, 900, -30, -60, -90, -90});
  CHECK(read(wav({1'000, 1}, {5, -5}), {0, 2}) == Samples{5, 5, -5, -5});
  const auto frames = [&](int from, int to, std::size_t count) {
    const std::string bytes = wav({from, 1}, Samples(count));
    auto reader = open_sound_view(bytes, "a.wav", {to, 1});
    REQUIRE(reader);
    return (*reader)->frames();
  };
  CHECK(frames(48'000, 24'000, 1) == 1);
  CHECK(frames(48'000, 24'000, 2) == 1);
  CHECK(frames(48'000, 16'000, 1) == 0);
  CHECK(frames(48'000, 16'000, 2) == 1);
  CHECK(frames(8'000, 24'000, 100) == 300);
  CHECK(frames(8'000, 24'000, 0) == 0);
}

TEST_CASE("a sound file that was written into a pipe does not say how long it is") {
  using namespace std::string_literals;
  // FLAC of 16 equal samples, whose header has no number of samples, or this one.
  const auto flac = [](char samples) {
    return "fLaC\x80\0\0\x22\0\x10\0\x10\0\0\0\0\0\0\x01\xf4\0\xf0\0\0\0"s + samples +
           std::string(16, '\0') + "\xff\xf8\x60\0\0\x0f\xc7\0\x03\xe8\x7a\x6e"s;
  };
  for (const int samples : {0, 16}) {
    auto reader = open_sound_bytes(flac(static_cast<char>(samples)), "a.flac", {0, 0});
    REQUIRE_MESSAGE(reader, reader.error().message);
    CHECK((*reader)->frames() == static_cast<std::uint64_t>(samples));
    CHECK((*reader)->format() == Format{8'000, 1});
    CHECK(*read_all(**reader) == Samples(16, 1'000));
  }
}

TEST_CASE("a file that is not audio is reported") {
  const Directory directory;
  std::ofstream(directory.file("text.wav")) << "this is no sound at all, whatever its name says";
  std::ofstream(directory.file("empty.wav"));
  const auto text = open_sound_reader(directory.file("text.wav"), {0, 1});
  REQUIRE_FALSE(text);
  CHECK(text.error().fault == Fault::Usage);
  CHECK(text.error().message.find("text.wav' cannot be read as audio") != std::string::npos);
  CHECK(text.error().hint ==
        "Supported formats: wav, flac, ogg, opus, mp3, aiff and au. Convert others with `ffmpeg -i "
        "FILE FILE.wav`.");
  const auto empty = open_sound_reader(directory.file("empty.wav"), {0, 1});
  CHECK(empty.error().fault == Fault::Usage);
  CHECK(empty.error().message == "'" + directory.file("empty.wav") + "' is empty");
  CHECK(open_sound_reader(directory.file("missing.wav"), {0, 1}).error().fault == Fault::Usage);
  const auto riff = open_sound_bytes("RIFF", "answer", {0, 1});
  REQUIRE_FALSE(riff);
  CHECK(riff.error().message.starts_with("'answer' cannot be read as audio: "));
}
