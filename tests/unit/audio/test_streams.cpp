// Rings, callbacks, clocks and choices: everything about devices that needs none, and the sources
// and sinks that are files.
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

#include "audio/device_feed.h"
#include "audio/device_stream.h"
#include "audio/devices.h"
#include "audio/library.h"
#include "audio/ring.h"
#include "audio/sink.h"
#include "audio/sound_file.h"
#include "audio/source.h"
#include "audio/wav.h"
#include "support/sound_card.h"

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;

namespace {

using Samples = std::vector<Sample>;
using svc::test::test_noise;

const Clock::time_point k_zero{1'000s};

struct Pipe {
  std::array<int, 2> fds{};
  Pipe() { REQUIRE(::pipe(fds.data()) == 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(fds[0]);
    end();
  }
  void end() {
    if (fds[1] >= 0) ::close(fds[1]);
    fds[1] = -1;
  }
  void put(const std::string& bytes) const {
    REQUIRE(::write(fds[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
};

bool readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() /
          ("svc-audio-" + std::to_string(::getpid()) + "-" + name))
      .string();
}

Samples pull(PlaybackFeed& feed, std::size_t count, Clock::time_point when = k_zero) {
  Samples out(count, 99);
  feed.pull(out, when);
  return out;
}

Device device_of(int index, const char* name, int inputs, int outputs) {
  Device device;
  device.index = index;
  device.name = name;
  device.input_channels = inputs;
  device.output_channels = outputs;
  return device;
}

}  // namespace

TEST_CASE("a ring gives what it took, in order, and never more than it holds") {
  Ring<Sample> ring(5);
  CHECK(ring.capacity() == 8);
  const Samples ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  CHECK(ring.write(ten) == 8);
  CHECK(ring.write(ten) == 0);
  Samples out(3);
  CHECK(ring.read(out) == 3);
  CHECK(out == Samples{1, 2, 3});
  CHECK(ring.write(std::span(ten).subspan(8)) == 2);
  out.resize(10);
  CHECK(ring.read(out) == 7);
  CHECK(out[6] == 10);
  CHECK(ring.read(out) == 0);
  ring.write(ten);
  ring.drop(6);
  CHECK(ring.size() == 2);
  ring.clear();
  CHECK(ring.size() == 0);
}

TEST_CASE("a ring between two threads loses nothing and makes up nothing") {
  Ring<std::uint32_t> ring(64);
  constexpr std::uint32_t k_count = 200'000;
  std::jthread writer([&ring] {  // "writer": ends with its numbers
    std::uint32_t next = 0;
    while (next < k_count) {
      std::array<std::uint32_t, 17> some{};
      std::size_t count = 0;
      for (; count < some.size() && next + count < k_count; ++count) {
        some[count] = next + static_cast<std::uint32_t>(count);
      }
      const std::size_t taken = ring.write(std::span(some).first(count));
      next += static_cast<std::uint32_t>(taken);
      if (taken == 0) std::this_thread::yield();
    }
  });
  std::uint32_t expected = 0;
  bool right = true;
  while (expected < k_count) {
    std::array<std::uint32_t, 23> some{};
    const std::size_t count = ring.read(some);
    for (std::size_t i = 0; i < count; ++i) right = right && some[i] == expected++;
    if (count == 0) std::this_thread::yield();
  }
  CHECK(right);
}

TEST_CASE("playback gathers first, and again after an interruption") {
  PlaybackFeed feed({1'000, 1}, 1s, 10ms, false);  // ten samples are enough to begin
  const Samples some = test_noise(9);
  feed.ring.write(some);
  CHECK(pull(feed, 4) == Samples(4));
  feed.ring.write(Samples{7});
  CHECK(pull(feed, 4) == Samples(some.begin(), some.begin() + 4));
  CHECK(pull(feed, 4) == Samples(some.begin() + 4, some.begin() + 8));
  CHECK(pull(feed, 4) == Samples{some[8], 7, 0, 0});
  feed.ring.write(Samples{1, 2, 3});
  CHECK(pull(feed, 4) == Samples(4));
  feed.finishing = true;
  CHECK(pull(feed, 4) == Samples{1, 2, 3, 0});
}

TEST_CASE("playback waits while it is paused") {
  PlaybackFeed feed({1'000, 1}, 1s, 2ms, false);
  feed.ring.write(Samples{1, 2, 3, 4, 5, 6});
  CHECK(pull(feed, 2) == Samples{1, 2});
  feed.paused = true;
  CHECK(pull(feed, 2) == Samples(2));
  feed.paused = false;
  CHECK(pull(feed, 2) == Samples{3, 4});
}

TEST_CASE("what was heard is counted by the clock, silence left out, never more than given") {
  PlaybackFeed feed({1'000, 1}, 1s, 5ms, false);  // a frame is a millisecond
  CHECK(feed.heard(k_zero) == 0);
  pull(feed, 10, k_zero);  // silence
  feed.ring.write(Samples(15, 1));
  pull(feed, 10, k_zero + 10ms);
  pull(feed, 10, k_zero + 20ms);  // five of them real
  CHECK(feed.heard(k_zero - 5ms) == 0);
  CHECK(feed.heard(k_zero + 5ms) == 0);
  CHECK(feed.heard(k_zero + 10ms) == 0);
  CHECK(feed.heard(k_zero + 13ms) == 3);
  CHECK(feed.heard(k_zero + 13'999us) == 3);
  CHECK(feed.heard(k_zero + 22ms) == 12);
  CHECK(feed.heard(k_zero + 28ms) == 15);
  CHECK(feed.heard(k_zero + 1s) == 15);
  feed.ring.write(Samples(10, 1));
  pull(feed, 10, k_zero + 30ms);
  CHECK(feed.heard(k_zero + 29ms) == 15);
  CHECK(feed.heard(k_zero + 35ms) == 20);
  feed.restart(0);
  CHECK(feed.heard(k_zero + 2s) == 0);
  CHECK(feed.ring.size() == 0);
}

TEST_CASE("times of blocks are read while a callback writes them") {
  BlockTimes times;
  std::atomic<bool> stop = false;
  std::jthread callback([&] {  // "callback": until `stop`
    for (std::uint64_t i = 0; !stop; ++i) {
      times.add({i * 10, i * 10, 10, 10, k_zero + Milliseconds(i)});
    }
  });
  bool right = true;
  for (int i = 0; i < 20'000; ++i) {
    const auto block = times.at(k_zero + 10h);
    if (block) {
      right = right && block->frame == block->given &&
              block->when == k_zero + Milliseconds(block->frame / 10);
    }
  }
  stop = true;
  CHECK(right);
}

TEST_CASE("a frame's time is its block's, and what is in it") {
  BlockTimes times;
  CHECK_FALSE(times.time_of(0, 1'000));
  for (std::uint64_t i = 0; i < 600; ++i) {
    times.add({i * 10, 0, 10, 0, k_zero + Milliseconds(i * 10)});
  }
  CHECK(times.time_of(5'995, 1'000) == k_zero + 5'995ms);
  CHECK(times.time_of(6'100, 1'000) == k_zero + 6'100ms);
  CHECK(times.time_of(5'500, 1'000) == k_zero + 5'500ms);
}

TEST_CASE("a microphone's ring that is full loses whole blocks, and counts them") {
  CaptureFeed feed({1'000, 2}, 8ms);  // sixteen samples
  const Samples block(10, 5);
  feed.push(block, k_zero, k_zero);
  CHECK(feed.lost == 0);
  feed.push(block, k_zero, k_zero + 1s);
  CHECK(feed.lost == 5);
  CHECK(feed.ring.size() == 10);
  CHECK(feed.arrived() == k_zero + 1s);
  CHECK(feed.level.get().peak > 0);
}

TEST_CASE("a watchdog counts silence, not the time that the program itself slept") {
  Watchdog dog(1s);
  dog.reset(k_zero);
  CHECK(dog.alive(1, k_zero + 10ms));
  CHECK(dog.alive(1, k_zero + 1h));  // the whole program stood still
  Clock::time_point now = k_zero + 1h;
  int looks = 0;
  while (dog.alive(1, now += 100ms)) ++looks;
  CHECK(looks >= 6);
  CHECK(looks <= 10);
  CHECK(dog.alive(2, now));
  Watchdog patient(1s);
  patient.reset(k_zero);
  now = k_zero;
  for (looks = 0; patient.alive(0, now += 100ms);) ++looks;
  CHECK(looks >= 28);
  CHECK(looks <= 30);
}

TEST_CASE("a library that is missing is a sentence that says what to install") {
  const auto missing = Library::load("libsvc-no-such-thing.so.9", "sound", "libportaudio2");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().fault == Fault::Local);
  CHECK(missing.error().message.starts_with("sound needs the library libsvc-no-such-thing.so.9"));
  CHECK(missing.error().hint.find("apt install libportaudio2") != std::string::npos);
  const auto present = Library::load("libc.so.6", "everything", "libc6");
  REQUIRE(present);
  void (*function)() = nullptr;
  CHECK_FALSE(present->find(*&function, "svc_no_such_function"));
}

TEST_CASE("a device is chosen by number, name or part of it") {
  std::vector<Device> devices = {device_of(0, "Built-in Audio", 2, 2),
                                 device_of(1, "USB mic", 1, 0), device_of(2, "USB speaker", 0, 2),
                                 device_of(3, "USB mic pro", 1, 0)};
  devices[3].default_input = true;
  const auto in = [&](const char* wanted) {
    return choose_device(devices, Direction::Input, wanted);
  };
  CHECK(in("")->index == 3);
  CHECK(choose_device(devices, Direction::Output, "")->index == 0);
  CHECK(in("1")->index == 1);
  CHECK(in("usb MIC")->index == 1);
  CHECK(in("pro")->index == 3);
  const auto several = in("mic");
  REQUIRE_FALSE(several);
  CHECK(several.error().fault == Fault::Local);
  CHECK(several.error().message == "'mic' can mean several: there are 1: USB mic, 3: USB mic pro");
  CHECK(in("speaker").error().message.find("is in the name of no microphone") != std::string::npos);
  CHECK(in("2").error().message.find("is the number of no microphone") != std::string::npos);
  const auto none = choose_device(std::vector<Device>{devices[2]}, Direction::Input, "");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "this machine has no microphone");
  CHECK(shown_device(device_of(1, "a\x1b[2Jb", 1, 0)) == "1: a^[[2Jb");
}

TEST_CASE("raw bytes become blocks as they come") {
  const Pipe pipe;
  const SourceOptions options{.format = {1'000, 1}, .block = 10ms};
  auto source = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Pace::Fast);
  REQUIRE(source);
  Source& raw = **source;
  CHECK(raw.wait_fd() == -1);
  REQUIRE(raw.start());
  CHECK_FALSE(*raw.take());
  CHECK(raw.wait_fd() == pipe.fds[0]);
  const Samples noise = test_noise(25);
  const std::string bytes = encode(noise, Encoding::Pcm);
  pipe.put(bytes.substr(0, 19));
  CHECK_FALSE(*raw.take());
  pipe.put(bytes.substr(19));
  const_cast<Pipe&>(pipe).end();
  Samples all;
  std::vector<std::size_t> sizes;
  while (!raw.ended()) {
    REQUIRE(readable(raw.wait_fd()));
    auto block = raw.take();
    REQUIRE(block);
    if (!*block) continue;
    CHECK((*block)->first == all.size());
    sizes.push_back((*block)->samples.size());
    all.insert(all.end(), (*block)->samples.begin(), (*block)->samples.end());
  }
  CHECK(all == noise);
  CHECK(sizes == std::vector<std::size_t>{10, 10, 5});
}

TEST_CASE("a file is spoken in real time, or at once, and can be stopped") {
  const std::string path = temporary("pace.wav");
  const Samples noise = test_noise(4'100);  // the last block is a short one
  auto writer = WavWriter::create(path, {16'000, 1}, Replace::Yes);
  REQUIRE(writer);
  REQUIRE(writer->write(noise));
  REQUIRE(writer->close());
  const SourceOptions options{.format = {0, 0}, .block = 50ms};
  for (const Pace pace : {Pace::Real, Pace::Fast}) {
    auto source = open_sound_file(path, options, pace);
    REQUIRE(source);
    CHECK((*source)->format() == Format{16'000, 1});
    const auto start = Clock::now();
    REQUIRE((*source)->start());
    Samples all;
    while (!(*source)->ended()) {
      auto block = read_block(**source, NoStop());
      REQUIRE(block);
      if (!*block) continue;
      all.insert(all.end(), (*block)->samples.begin(), (*block)->samples.end());
      if (pace == Pace::Real) CHECK(Clock::now() >= start + time_of({16'000, 1}, all.size()));
    }
    CHECK(all == noise);
    if (pace == Pace::Real) CHECK(Clock::now() - start >= 250ms);
  }
  auto source = open_sound_file(path, options, Pace::Real);
  REQUIRE(source);
  REQUIRE((*source)->start());
  REQUIRE(read_block(**source, NoStop()));
  (*source)->set_muted(true);
  const auto muted = read_block(**source, NoStop());
  CHECK((*muted)->samples == Samples(800));
  CHECK((*source)->level().peak > 0.2);
  (*source)->stop();
  std::size_t left = 0;
  while (!(*source)->ended()) {
    const auto block = read_block(**source, NoStop());
    REQUIRE(block);
    if (*block) left += (*block)->samples.size();
  }
  CHECK(left < 2'400);
  std::filesystem::remove(path);
}

TEST_CASE("a sink in real time plays as a device does") {
  auto sink = open_null_sink({.format = {1'000, 1}, .prebuffer = 20ms, .ring = 1s}, Pace::Real);
  CHECK(*sink->write(Samples(15, 1)) == 15);
  std::this_thread::sleep_for(30ms);
  CHECK(sink->position() == 0);
  CHECK(*sink->write(Samples(2'000, 1)) == 985);
  CHECK(*sink->write(Samples(100, 1)) < 100);
  std::this_thread::sleep_for(50ms);
  const std::uint64_t heard = sink->abort();
  CHECK(heard >= 50);
  CHECK(heard < 900);
  CHECK(sink->written() == heard);
  CHECK(sink->idle());
  REQUIRE(write_all(*sink, Samples(10, 1), NoStop()));
  CHECK_FALSE(sink->idle());
  REQUIRE(drain(*sink, NoStop()));
  CHECK(sink->position() == heard + 10);
  sink->pause();
  sink->finish();
  REQUIRE(sink->write(Samples(5, 1)));
  std::this_thread::sleep_for(20ms);
  CHECK(sink->position() == heard + 10);
  sink->resume();
  REQUIRE(drain(*sink, NoStop()));
}

TEST_CASE("what an interruption drops is not in the file") {
  const std::string path = temporary("abort.wav");
  const SinkOptions options{.format = {8'000, 1}, .prebuffer = 0ms};
  auto sink = open_wav_sink(path, Replace::Yes, options, Pace::Real);
  REQUIRE(sink);
  REQUIRE(write_all(**sink, Samples(80'000, 1), NoStop()));
  std::this_thread::sleep_for(40ms);
  const std::uint64_t heard = (*sink)->abort();
  REQUIRE(write_all(**sink, Samples(800, 2), NoStop()));
  REQUIRE(drain(**sink, NoStop()));
  REQUIRE((*sink)->close());
  auto reader = open_sound_reader(path, {0, 0});
  REQUIRE(reader);
  const auto all = read_all(**reader);
  REQUIRE(all);
  CHECK(all->size() == heard + 800);
  std::filesystem::remove(path);
}

TEST_CASE("raw sound to a pipe; its reader may go") {
  Pipe pipe;
  auto sink = open_raw_sink(pipe.fds[1], Encoding::MuLaw, {.format = {8'000, 1}}, Pace::Fast);
  REQUIRE(sink);
  const Samples noise = test_noise(100);
  CHECK(*(*sink)->write(noise) == 100);
  CHECK((*sink)->position() == 100);
  std::string bytes(100, '\0');
  REQUIRE(::read(pipe.fds[0], bytes.data(), bytes.size()) == 100);
  CHECK(bytes == encode(noise, Encoding::MuLaw));
}
