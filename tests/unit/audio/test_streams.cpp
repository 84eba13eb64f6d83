// Rings, callbacks, clocks and device choice: everything that needs no device.
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>

#include "audio/device_feed.h"
#include "audio/device_stream.h"
#include "audio/devices.h"
#include "audio/sound_library.h"
#include "support/sound_card.h"

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;

namespace {

using Samples = std::vector<Sample>;
using svc::test::test_noise;

const Clock::time_point k_zero{1'000s};

Samples pull(PlaybackFeed& feed, std::size_t count, Clock::time_point when = k_zero) {
  Samples out(count, 99);
  feed.pull(out, when);
  return out;
}

Timer timer() {
  auto made = Timer::create();
  REQUIRE(made);
  return *std::move(made);
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

TEST_CASE("a ring returns its data in order, and never exceeds its capacity") {
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

TEST_CASE("a ring between two threads neither loses nor invents data") {
  Ring<std::uint32_t> ring(64);
  constexpr std::uint32_t k_count = 200'000;
  std::jthread writer([&ring] {  // "writer": ends after its last number
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

TEST_CASE("playback buffers first, and again after an interruption") {
  PlaybackFeed feed({1'000, 1}, 1s, 10ms, false);  // ten samples are enough to start
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

TEST_CASE("playback waits while paused") {
  PlaybackFeed feed({1'000, 1}, 1s, 2ms, false);
  feed.ring.write(Samples{1, 2, 3, 4, 5, 6});
  CHECK(pull(feed, 2) == Samples{1, 2});
  feed.paused = true;
  CHECK(pull(feed, 2) == Samples(2));
  feed.paused = false;
  CHECK(pull(feed, 2) == Samples{3, 4});
}

TEST_CASE(
    "the heard position follows the clock, without silence, and never exceeds the data written") {
  PlaybackFeed feed({1'000, 1}, 1s, 5ms, false);  // a frame is a millisecond
  CHECK(feed.heard(k_zero) == 0);
  pull(feed, 10, k_zero);  // silence
  feed.ring.write(Samples(15, 1));
  pull(feed, 10, k_zero + 10ms);
  pull(feed, 10, k_zero + 20ms);  // five of them are audio
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

TEST_CASE("a restarted playback buffers again, from the given position") {
  PlaybackFeed feed({1'000, 1}, 1s, 10ms, false);
  feed.ring.write(Samples(20, 1'000));
  feed.finishing = true;
  CHECK(pull(feed, 10, k_zero) == Samples(10, 1'000));
  CHECK(feed.level.get().peak > 0);
  feed.restart(7);
  CHECK(feed.heard(k_zero + 1s) == 7);
  CHECK(feed.level.get().peak == 0);
  CHECK(feed.level.get().rms == 0);
  feed.ring.write(Samples(9, 1));
  CHECK(pull(feed, 4, k_zero + 1s) == Samples(4));  // fewer than it buffers
  feed.ring.write(Samples{2});
  CHECK(pull(feed, 4, k_zero + 2s) == Samples(4, 1));
  CHECK(feed.heard(k_zero + 3s) == 11);
}

TEST_CASE("playback takes whole frames, and its tap gets what is heard") {
  PlaybackFeed feed({1'000, 2}, 1s, 1ms, true);
  feed.ring.write(Samples{1, 2, 3, 4, 5});
  CHECK(pull(feed, 6, k_zero) == Samples{1, 2, 3, 4, 0, 0});
  CHECK(feed.heard(k_zero + 1s) == 2);
  Samples tapped(6, 99);
  CHECK(feed.tap.read(tapped) == 6);
  CHECK(tapped == Samples{1, 2, 3, 4, 0, 0});
  CHECK(feed.tap.capacity() == 4'096);  // two seconds of both channels
  CHECK(feed.times.time_of(5, 1'000) == k_zero + 5ms);
  feed.ring.write(Samples{6});
  CHECK(pull(feed, 2, k_zero + 10ms) == Samples{5, 6});
  CHECK(feed.times.time_of(5, 1'000) == k_zero + 12ms);  // it begins with the fourth frame
  CHECK(feed.heard(k_zero + 10ms) == 2);
  CHECK(feed.heard(k_zero + 11ms) == 3);
  PlaybackFeed untapped({1'000, 1}, 1s, 1ms, false);
  pull(untapped, 2, k_zero);
  CHECK(untapped.tap.size() == 0);
}

TEST_CASE("block times are read while a callback writes them") {
  BlockTimes times;
  std::atomic<bool> cancel = false;
  std::jthread callback([&] {  // "callback": runs until `stop`
    for (std::uint64_t i = 0; !cancel; ++i) {
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
  cancel = true;
  CHECK(right);
}

TEST_CASE("a frame's time follows from its block's time and its position in it") {
  BlockTimes times;
  CHECK_FALSE(times.time_of(0, 1'000));
  for (std::uint64_t i = 0; i < 600; ++i) {
    times.add({i * 10, 0, 10, 0, k_zero + Milliseconds(i * 10)});
  }
  CHECK(times.time_of(5'995, 1'000) == k_zero + 5'995ms);
  CHECK(times.time_of(6'100, 1'000) == k_zero + 6'100ms);
  CHECK(times.time_of(5'500, 1'000) == k_zero + 5'500ms);
}

TEST_CASE("of the newest blocks the one at a time is known, or the oldest") {
  BlockTimes times;
  for (std::uint64_t i = 0; i < 300; ++i) {
    times.add({i * 10, i, 10, static_cast<std::uint32_t>(i % 11), k_zero + Milliseconds(20 * i)});
  }
  CHECK(times.count() == 300);
  const auto frame_at = [&](Clock::time_point when) { return times.at(when)->frame; };
  CHECK(frame_at(k_zero + 5'980ms) == 2'990);
  CHECK(frame_at(k_zero + 5'979ms) == 2'980);
  CHECK(frame_at(k_zero + 1h) == 2'990);
  CHECK(times.at(k_zero + 5'979ms)->given == 298);
  CHECK(times.at(k_zero + 5'979ms)->count == 10);
  CHECK(times.at(k_zero + 5'979ms)->real == 298 % 11);
  CHECK(times.at(k_zero + 5'979ms)->when == k_zero + 5'960ms);
  // Others may be overwritten at any time.
  CHECK(frame_at(k_zero) == (300 - 224) * 10);
  CHECK(times.time_of(2'985, 1'000) == k_zero + 5'965ms);
  CHECK(times.time_of(700, 1'000) == k_zero + 20ms * (300 - 224) - 60ms);
  times.forget();
  CHECK_FALSE(times.at(k_zero + 1h));
  times.add({3'000, 0, 10, 0, k_zero + 7s});
  CHECK(frame_at(k_zero) == 3'000);
}

TEST_CASE("a microphone's full ring drops whole blocks, and counts them") {
  CaptureFeed feed({1'000, 2}, 8ms, timer());  // sixteen samples
  const Samples block(10, 5);
  feed.push(block, k_zero, k_zero);
  CHECK(feed.lost == 0);
  feed.push(block, k_zero, k_zero + 1s);
  CHECK(feed.lost == 5);
  CHECK(feed.ring.size() == 10);
  CHECK(feed.arrived() == k_zero + 1s);
  CHECK(feed.level.get().peak > 0);
  // What is lost takes time too.
  CHECK(feed.times.count() == 2);
  CHECK(feed.times.time_of(4, 1'000) == k_zero + 4ms);
  feed.push(Samples(6, 5), k_zero + 20ms, k_zero + 2s);  // just fits
  CHECK(feed.lost == 5);
  CHECK(feed.ring.size() == 16);
  CHECK(feed.times.time_of(10, 1'000) == k_zero + 20ms);
}

TEST_CASE("a level rises at once, and falls by a fifth for each block") {
  SharedLevel level;
  level.follow({0.5, 0.25});
  CHECK(level.get().peak == 0.5);
  CHECK(level.get().rms == 0.25);
  level.follow({0.1, 0.24});
  CHECK(level.get().peak == doctest::Approx(0.4));
  CHECK(level.get().rms == doctest::Approx(0.24));
}

TEST_CASE("a microphone's callback wakes the reader only when there is enough data") {
  CaptureFeed feed({1'000, 1}, 100ms, timer());
  const auto woken = [&feed] {
    pollfd ready{feed.timer.descriptor(), POLLIN, 0};
    return ::poll(&ready, 1, 0) == 1;
  };
  const Samples block(10, 5);
  feed.wake(15, Clock::now() + 1h);
  feed.push(block, k_zero, k_zero);
  CHECK_FALSE(woken());
  feed.push(block, k_zero, k_zero);
  CHECK(woken());
  feed.wake(30, Clock::now() + 1h);
  feed.push(Samples(9, 5), k_zero, k_zero);
  CHECK_FALSE(woken());
  feed.push(Samples(1, 5), k_zero, k_zero);  // as many as it waits for
  CHECK(woken());
  feed.timer.arm(Clock::now() + 1h);
  feed.push(block, k_zero, k_zero);  // woken once
  CHECK_FALSE(woken());
  feed.ring.drop(20);
  feed.wake(25, Clock::now() + 1h);
  CHECK_FALSE(woken());
  feed.wake(20, Clock::now() + 1h);  // available data counts
  CHECK(woken());
  feed.wake(25, Clock::now() - 1ms);  // a device without data
  CHECK(woken());
}

TEST_CASE("a watchdog counts silence, but not the time the program itself was suspended") {
  Watchdog dog(1s);
  dog.reset(k_zero);
  CHECK(dog.alive(1, k_zero + 10ms));
  CHECK(dog.alive(1, k_zero + 1h));  // the whole program was suspended
  Clock::time_point now = k_zero + 1h;
  int looks = 0;
  while (dog.alive(1, now += 100ms)) ++looks;
  CHECK(looks == 7);  // of the hour a quarter of a second counts
  CHECK(dog.alive(2, now));
  for (looks = 0; dog.alive(2, now += 100ms);) ++looks;
  CHECK(looks == 9);  // the silence before the callback does not count
  Watchdog patient(1s);
  patient.reset(k_zero);
  now = k_zero;
  for (looks = 0; patient.alive(0, now += 100ms);) ++looks;
  CHECK(looks == 29);
}

TEST_CASE("a missing library is an error that names the package to install") {
  const auto missing = load_library("libsvc-no-such-thing.so.9", "sound", "libportaudio2");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().fault == Fault::Local);
  CHECK(
      missing.error().message.starts_with("sound needs the library libsvc-no-such-thing.so.9, "
                                          "which cannot be loaded: "));
  CHECK(missing.error().hint ==
        "Install it; on Debian its package is libportaudio2. Everything except audio works without "
        "it.");
  const auto present = load_library("libc.so.6", "everything", "libc6");
  REQUIRE(present);
  void (*function)() = nullptr;
  CHECK_FALSE(present->find(*&function, "svc_no_such_function"));
}

TEST_CASE("a device is chosen by number, name or part of its name") {
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
  CHECK(several.error().message ==
        "'mic' matches several devices: choose from 1: USB mic, 3: USB mic pro");
  CHECK(several.error().hint ==
        "Pass the number of a microphone, or a unique part of its name; `svc sound devices` lists "
        "them.");
  CHECK(
      in("speaker").error().message ==
      "'speaker' matches no microphone: choose from 0: Built-in Audio, 1: USB mic, 3: USB mic pro");
  CHECK(in("2").error().message ==
        "'2' does not match any microphone: choose from 0: Built-in Audio, 1: USB mic, 3: USB mic "
        "pro");
  const auto out = choose_device(devices, Direction::Output, "1");
  REQUIRE_FALSE(out);
  CHECK(out.error().message ==
        "'1' does not match any speaker: choose from 0: Built-in Audio, 2: USB speaker");
  devices[2].default_output = true;
  CHECK(choose_device(devices, Direction::Output, "")->index == 2);
  const auto none = choose_device(std::vector<Device>{devices[2]}, Direction::Input, "");
  REQUIRE_FALSE(none);
  CHECK(none.error().fault == Fault::Local);
  CHECK(none.error().message == "this machine has no microphone");
  const auto mute = choose_device(std::vector<Device>{devices[1]}, Direction::Output, "1");
  REQUIRE_FALSE(mute);
  CHECK(mute.error().message == "this machine has no speaker");
  CHECK(mute.error().hint ==
        "Connect one or start the sound server (PipeWire, PulseAudio or JACK). Files and pipes "
        "work without one: see --help.");
  CHECK(shown_device(device_of(1, "a\x1b[2Jb", 1, 0)) == "1: a^[[2Jb");
}
