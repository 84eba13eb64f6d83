// What is asked of PortAudio, and what is made of its answers: a library that does as the test says
// takes its place. (The name comes after test_devices.cpp, which needs the real one.)
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "audio/device_stream.h"
#include "audio/duplex.h"
#include "audio/microphone_speaker.h"
#include "support/fake_portaudio.h"

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;
using svc::test::FakePortAudio;
using svc::test::FakeStream;

namespace {

using Samples = std::vector<Sample>;
using Tried = std::vector<std::pair<int, int>>;

/// The fake library; null if this process has another one already.
FakePortAudio* loaded() {
  void* own = ::dlopen(SVC_FAKE_PORTAUDIO, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(own != nullptr, std::string(::dlerror()));
  if (::dlopen("libportaudio.so.2", RTLD_NOW | RTLD_NOLOAD) != own) return nullptr;
  void* find = ::dlsym(own, "svc_fake_portaudio");
  REQUIRE(find != nullptr);
  return reinterpret_cast<FakePortAudio* (*)()>(find)();
}

/// The fake library with a microphone and a speaker.
struct FakeWorld {
  FakeWorld() {
    if (fake == nullptr) return;
    *fake = FakePortAudio{};
    fake->devices = {{"mic", 1, 0, 1'000}, {"speaker", 0, 2, 1'000}};
    fake->default_output = 1;
  }
  FakeWorld(const FakeWorld&) = delete;
  FakeWorld& operator=(const FakeWorld&) = delete;
  ~FakeWorld() {
    if (fake != nullptr) CHECK(fake->strangers == 0);
  }
  explicit operator bool() const { return fake != nullptr; }

  [[nodiscard]] std::shared_ptr<const SoundSystem> open() const {
    auto system = SoundSystem::open();
    REQUIRE_MESSAGE(system, system.error().message);
    return *std::move(system);
  }
  /// The stream of that direction that was opened last.
  [[nodiscard]] FakeStream& stream(bool input) const {
    for (auto at = fake->streams.rbegin(); at != fake->streams.rend(); ++at) {
      if (at->input == input) return *at;
    }
    throw std::runtime_error("no stream");
  }

  FakePortAudio* fake = loaded();
};

Result<std::unique_ptr<DeviceStream>> open_stream(const FakeWorld& world, Device device,
                                                  Direction direction, Format wanted) {
  return DeviceStream::open(world.open(), device, direction, wanted, 80ms);
}

PaStreamCallbackTimeInfo no_times() {
  return {};
}

/// Frames that the device has recorded now.
void speak(const FakeStream& stream, const Samples& samples, int channels = 1) {
  REQUIRE(stream.call(samples.data(), nullptr, samples.size() / static_cast<std::size_t>(channels),
                      no_times()) == paContinue);
}

/// What the device plays next.
Samples hear(const FakeStream& stream, std::size_t frames, int channels = 1) {
  Samples samples(frames * static_cast<std::size_t>(channels), 99);
  REQUIRE(stream.call(nullptr, samples.data(), frames, no_times()) == paContinue);
  return samples;
}

Samples ramp(Sample first, std::size_t count) {
  Samples samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(static_cast<Sample>(first + Sample(i)));
  return samples;
}

void wait_until_idle(const Sink& sink) {
  for (int tries = 0; !sink.idle() && tries < 5'000; ++tries) ::usleep(1'000);
  CHECK(sink.idle());
}

bool is_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

}  // namespace

TEST_CASE("the devices of the sound system, and one that does not start") {
  const FakeWorld world;
  if (!world) return;
  world.fake->devices = {
      {"mic", 1, 0, 44'100.4}, {"gone", 9, 9, 9, 0, false}, {"speaker", 0, 6, 47'999.6, 7}};
  world.fake->default_output = 2;
  {
    const auto devices = world.open()->devices();
    REQUIRE(devices.size() == 2);
    CHECK(devices[0].index == 0);
    CHECK(devices[0].name == "mic");
    CHECK(devices[0].host == "ALSA");
    CHECK(devices[0].input_channels == 1);
    CHECK(devices[0].output_channels == 0);
    CHECK(devices[0].rate == 44'100);
    CHECK(devices[0].default_input);
    CHECK_FALSE(devices[0].default_output);
    CHECK(devices[1].index == 2);
    CHECK(devices[1].host.empty());
    CHECK(devices[1].output_channels == 6);
    CHECK(devices[1].rate == 48'000);
    CHECK_FALSE(devices[1].default_input);
    CHECK(devices[1].default_output);
  }
  CHECK(world.fake->ended == 1);
  const auto listed = list_devices(NeverCanceled());
  REQUIRE(listed);
  CHECK(listed->size() == 2);
  world.fake->initialized = paInternalError;
  const auto broken = SoundSystem::open();
  REQUIRE_FALSE(broken);
  CHECK(broken.error().fault == Fault::Local);
  CHECK(broken.error().message ==
        fmt::format("cannot start the audio system: error {}", int{paInternalError}));
  CHECK(
      broken.error().hint ==
      "Is a sound server (PipeWire, PulseAudio, JACK) running? Everything but audio still works.");
  CHECK_FALSE(list_devices(NeverCanceled()));
}

TEST_CASE("a device is opened as wanted, else with its own rate or a usual one, then in stereo") {
  const FakeWorld world;
  if (!world) return;
  const Device wide{.index = 1, .name = "wide", .output_channels = 6, .rate = 22'050};
  for (const PaError refusal :
       {paInvalidSampleRate, paInvalidChannelCount, paSampleFormatNotSupported}) {
    world.fake->tried.clear();
    world.fake->opening = [refusal](const FakeStream&) { return refusal; };
    const auto none = open_stream(world, wide, Direction::Output, {16'000, 1});
    REQUIRE_FALSE(none);
    CHECK(none.error().fault == Fault::Local);
    CHECK(none.error().message ==
          fmt::format("the speaker 1: wide cannot be opened: error {}", int{paInvalidSampleRate}));
    CHECK(none.error().hint ==
          "It may be in use, or no sound server is running. List the devices with `svc sound "
          "devices`.");
    CHECK(world.fake->tried == Tried{{16'000, 1},
                                     {22'050, 1},
                                     {48'000, 1},
                                     {44'100, 1},
                                     {16'000, 2},
                                     {22'050, 2},
                                     {48'000, 2},
                                     {44'100, 2}});
  }
  // No format twice; what is no refusal of a format is final.
  world.fake->tried.clear();
  const Device mono{.index = 0, .name = "mono", .input_channels = 1, .rate = 48'000};
  CHECK_FALSE(open_stream(world, mono, Direction::Input, {16'000, 1}));
  CHECK(world.fake->tried == Tried{{16'000, 1}, {48'000, 1}, {44'100, 1}});
  world.fake->tried.clear();
  world.fake->opening = [](const FakeStream&) { return paDeviceUnavailable; };
  CHECK(open_stream(world, mono, Direction::Input, {16'000, 1}).error().message ==
        fmt::format("the microphone 0: mono cannot be opened: error {}", int{paDeviceUnavailable}));
  CHECK(world.fake->tried == Tried{{16'000, 1}});

  // The system's own words, if it has some.
  world.fake->opening = [](const FakeStream&) { return paUnanticipatedHostError; };
  const auto why = [&] {
    const std::string all = open_stream(world, mono, Direction::Input, {16'000, 1}).error().message;
    return all.substr(all.rfind(": ") + 2);
  };
  const std::string usual = fmt::format("error {}", int{paUnanticipatedHostError});
  CHECK(why() == usual);
  world.fake->has_host_error = true;
  CHECK(why() == usual);
  world.fake->host_error = "no card";
  CHECK(why() == "no card");
  world.fake->opening = [](const FakeStream&) { return paDeviceUnavailable; };
  CHECK(why() != "no card");
}

TEST_CASE("how a stream is opened, and again") {
  const FakeWorld world;
  if (!world) return;
  const Device device{.index = 1, .name = "wide", .output_channels = 6, .rate = 48'000};
  world.fake->opening = [](const FakeStream& stream) {
    return stream.rate == 48'000 && stream.parameters.channelCount == 2 ? paNoError
                                                                        : paInvalidSampleRate;
  };
  {
    const auto stream = open_stream(world, device, Direction::Output, {16'000, 1});
    REQUIRE(stream);
    CHECK((*stream)->format() == Format{48'000, 2});
    CHECK((*stream)->device().name == "wide");
    const FakeStream& opened = world.stream(false);
    CHECK(opened.parameters.device == 1);
    CHECK(opened.parameters.sampleFormat == paInt16);
    CHECK(opened.parameters.suggestedLatency == doctest::Approx(0.08));
    CHECK(opened.parameters.hostApiSpecificStreamInfo == nullptr);
    CHECK(opened.frames == 1'920);  // half of that
    CHECK((opened.finished != nullptr));
    const auto again = (*stream)->reopen(nullptr);
    REQUIRE(again);
    CHECK((*again)->format() == Format{48'000, 2});
    CHECK(world.fake->streams.size() == 2);
    world.fake->opening = [](const FakeStream& other) {
      return other.rate == 44'100 ? paNoError : paInvalidSampleRate;
    };
    const auto changed = (*stream)->reopen(nullptr);
    REQUIRE_FALSE(changed);
    CHECK(changed.error().message == fmt::format("the speaker 1: wide cannot be opened again: "
                                                 "error {}",
                                                 int{paInvalidSampleRate}));
  }
  CHECK(world.fake->streams.empty());
}

TEST_CASE("a stream starts, calls back, is aborted, and may end by itself") {
  const FakeWorld world;
  if (!world) return;
  const Device device{.index = 0, .name = "mic", .input_channels = 1, .rate = 1'000};
  auto stream = open_stream(world, device, Direction::Input, {1'000, 1});
  REQUIRE(stream);
  auto timer = Timer::create();
  REQUIRE(timer);
  CaptureFeed feed({1'000, 1}, 1s, *std::move(timer));
  feed.timer.arm(Clock::now() + 1h);
  CHECK_FALSE((*stream)->is_disconnected());
  world.fake->started = paDeviceUnavailable;
  const auto refused = (*stream)->start(feed, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        fmt::format("the microphone 0: mic cannot be started: error {}", int{paDeviceUnavailable}));
  world.fake->started = paNoError;
  REQUIRE((*stream)->start(feed, nullptr));
  CHECK_FALSE((*stream)->is_disconnected());
  for (const int state : {0, int{paInternalError}}) {
    world.fake->active = state;
    CHECK((*stream)->is_disconnected());
  }
  world.fake->active = 1;
  FakeStream& device_side = world.stream(true);
  speak(device_side, ramp(1, 10));
  Samples heard(10);
  CHECK(feed.ring.read(heard) == 10);
  CHECK(heard == ramp(1, 10));
  REQUIRE(device_side.call(nullptr, nullptr, 10, no_times()) == paContinue);
  CHECK(feed.times.count() == 1);
  CHECK((*stream)->abort());
  CHECK(device_side.aborts == 1);
  CHECK((*stream)->abort());  // it is stopped
  CHECK(device_side.aborts == 1);
  CHECK_FALSE((*stream)->is_disconnected());
  CHECK_FALSE(is_readable(feed.timer.descriptor()));
  device_side.finished(device_side.user);
  CHECK((*stream)->is_disconnected());
  CHECK(is_readable(feed.timer.descriptor()));
  REQUIRE((*stream)->start(feed, nullptr));
  CHECK_FALSE((*stream)->is_disconnected());
  CHECK(device_side.starts == 2);
}

TEST_CASE("the times of a callback are relative to the device's clock, and not far away") {
  const FakeWorld world;
  if (!world) return;
  const Device device{.index = 0, .name = "mic", .input_channels = 1, .rate = 1'000};
  const struct {
    double when;
    double current;
    Milliseconds ahead;
  } rows[] = {{99.75, 100, -250ms}, {100.25, 100, 250ms}, {1, 100, -5'000ms}, {200, 100, 5'000ms},
              {0, 100, 0ms},        {-1, 100, 0ms},       {7, 0, 0ms},        {7, -1, 0ms}};
  for (const auto& row : rows) {
    CAPTURE(row.when);
    CAPTURE(row.current);
    auto stream = open_stream(world, device, Direction::Input, {1'000, 1});
    REQUIRE(stream);
    CaptureFeed feed({1'000, 1}, 1s, *Timer::create());
    const Samples samples(10);
    speak(world.stream(true), samples);
    REQUIRE((*stream)->start(feed, nullptr));
    const auto before = Clock::now();
    world.stream(true).call(samples.data(), nullptr, 10, {row.when, row.current, 0});
    const auto after = Clock::now();
    const auto when = feed.times.time_of(0, 1'000);
    REQUIRE(when);
    CHECK(*when >= before + row.ahead);
    CHECK(*when <= after + row.ahead);
    CHECK(feed.arrived() >= before);
    CHECK(feed.arrived() <= after);

    auto output = open_stream(world, device, Direction::Output, {1'000, 2});
    REQUIRE(output);
    PlaybackFeed playback({1'000, 2}, 1s, 0ms, false);
    Samples out(20, 7);
    // Before it is started, and without room for samples, there is nothing to do.
    REQUIRE(world.stream(false).call(nullptr, out.data(), 10, no_times()) == paContinue);
    REQUIRE((*output)->start(playback, nullptr));
    REQUIRE(world.stream(false).call(nullptr, nullptr, 10, no_times()) == paContinue);
    CHECK(playback.times.count() == 0);
    CHECK(out == Samples(20, 7));
    const auto begin = Clock::now();
    world.stream(false).call(nullptr, out.data(), 10, {0, row.current, row.when});
    const auto end = Clock::now();
    const auto plays = playback.times.time_of(0, 1'000);
    REQUIRE(plays);
    CHECK(*plays >= begin + row.ahead);
    CHECK(*plays <= end + row.ahead);
    CHECK(out == Samples(20));  // both channels of ten frames
  }
}

TEST_CASE("a microphone's blocks, whole and with their numbers, and the rest when it is stopped") {
  const FakeWorld world;
  if (!world) return;
  auto source = open_microphone("MIC", {.format = {1'000, 1}, .block = 10ms});
  REQUIRE_MESSAGE(source, source.error().message);
  Source& microphone = **source;
  CHECK(microphone.format() == Format{1'000, 1});
  CHECK(microphone.wait_fd() == -1);
  CHECK_FALSE(*microphone.take());
  microphone.stop();  // it has not been started
  CHECK_FALSE(microphone.ended());
  // A device without data is looked at every quarter of a second.
  auto looked = Clock::now();
  const auto waits = [&] {
    return !is_readable(microphone.wait_fd()) || Clock::now() - looked >= 250ms;
  };
  REQUIRE(microphone.start());
  const FakeStream& device = world.stream(true);
  CHECK(waits());
  speak(device, ramp(1, 9));
  CHECK(waits());
  looked = Clock::now();
  CHECK_FALSE(*microphone.take());
  CHECK(waits());
  const auto before = Clock::now();
  speak(device, ramp(10, 16));
  const auto after = Clock::now();
  CHECK(is_readable(microphone.wait_fd()));
  auto block = microphone.take();
  REQUIRE(block);
  REQUIRE(*block);
  CHECK((*block)->samples == ramp(1, 10));
  CHECK((*block)->first == 0);
  CHECK((*block)->ended >= before + 1ms);  // it ends with the first of the second delivery
  CHECK((*block)->ended <= after + 1ms);
  CHECK((*block)->arrived >= before);
  CHECK((*block)->arrived <= after);
  CHECK(is_readable(microphone.wait_fd()));  // another one is complete
  microphone.set_muted(true);
  CHECK(microphone.muted());
  block = microphone.take();
  REQUIRE(*block);
  CHECK((*block)->samples == Samples(10));
  CHECK((*block)->first == 10);
  CHECK(microphone.level().peak > 0);
  microphone.set_muted(false);
  CHECK_FALSE(*microphone.take());
  speak(device, ramp(26, 2));
  microphone.stop();
  CHECK(is_readable(microphone.wait_fd()));
  CHECK_FALSE(microphone.ended());
  block = microphone.take();
  REQUIRE(*block);
  CHECK((*block)->samples == ramp(21, 7));
  CHECK((*block)->first == 20);
  CHECK(microphone.ended());
  CHECK_FALSE(*microphone.take());
  CHECK(device.aborts == 1);
}

TEST_CASE("frames that are lost have numbers and take time, and the last of a stretch is not") {
  const FakeWorld world;
  if (!world) return;
  {
    auto source = open_microphone("", {.format = {1'000, 1}, .block = 10ms});
    REQUIRE(source);
    REQUIRE((*source)->start());
    const FakeStream& device = world.stream(true);
    speak(device, Samples(10, 1));
    REQUIRE(*(*source)->take());
    speak(device, Samples(9'000, 2));  // more than there is room for
    CHECK((*source)->lost() == 9'000);
    const auto before = Clock::now();
    speak(device, Samples(10, 3));
    const auto after = Clock::now();
    const auto block = (*source)->take();
    REQUIRE(*block);
    CHECK((*block)->samples == Samples(10, 3));
    CHECK((*block)->first == 9'010);
    CHECK((*block)->ended >= before + 10ms);
    CHECK((*block)->ended <= after + 10ms);
  }
  world.fake->opening = [](const FakeStream& stream) {
    return stream.rate == 48'000 ? paNoError : paInvalidSampleRate;
  };
  auto source = open_microphone("", {.format = {16'000, 1}, .block = 10ms});
  REQUIRE(source);
  REQUIRE((*source)->start());
  speak(world.stream(true), Samples(3 * 400, 500));
  (*source)->stop();
  std::size_t count = 0;
  while (!(*source)->ended()) {
    const auto block = (*source)->take();
    REQUIRE(*block);
    count += (*block)->samples.size();
  }
  CHECK(count == 400);
}

TEST_CASE("a device's silence begins when it is opened or started") {
  const FakeWorld world;
  if (!world) return;
  // It is an error after three times that long: unless the machine stalls, the first look is early.
  bool speaks = false;
  bool listens = false;
  for (int tries = 0; tries < 10 && !(speaks && listens); ++tries) {
    auto sink = open_speaker("", {.format = {1'000, 1}, .timeout = 80ms});
    REQUIRE(sink);
    speaks = speaks || (*sink)->check();
    auto source = open_microphone("", {.format = {1'000, 1}, .block = 10ms, .timeout = 80ms});
    REQUIRE(source);
    REQUIRE((*source)->start());
    listens = listens || (*source)->take();
  }
  CHECK(speaks);
  CHECK(listens);
}

TEST_CASE("a microphone of another rate, in stereo, and one that nobody listens to") {
  const FakeWorld world;
  if (!world) return;
  world.fake->devices[0].inputs = 2;
  world.fake->opening = [](const FakeStream& stream) {
    return stream.rate == 44'100 && stream.parameters.channelCount == 2 ? paNoError
                                                                        : paInvalidSampleRate;
  };
  auto source = open_microphone("", {.format = {22'050, 1}, .block = 100ms});
  REQUIRE_MESSAGE(source, source.error().message);
  Source& microphone = **source;
  REQUIRE(microphone.start());
  const FakeStream& device = world.stream(true);
  speak(device, Samples(2 * 4'000, 500), 2);
  CHECK_FALSE(*microphone.take());
  // Of the 2,205 frames of a block some are in the resampler.
  std::size_t more = 0;
  for (; !is_readable(microphone.wait_fd()) && more < 2'000; more += 10) {
    speak(device, Samples(2 * 10, 500), 2);
  }
  CHECK(more >= 400);
  CHECK(more <= 600);
  while (true) {
    auto block = microphone.take();
    REQUIRE(block);
    if (*block) {
      CHECK((*block)->samples.size() == 2'205);
      CHECK(std::abs((*block)->samples[1'000] - 500) < 5);
      break;
    }
    speak(device, Samples(2 * 10, 500), 2);
  }
  CHECK(microphone.lost() == 0);
  speak(device, Samples(2 * 44'100 * 6, 500), 2);  // more than five seconds
  CHECK(microphone.lost() == 22'050 * 6);
}

TEST_CASE("a microphone that has disappeared, or delivers nothing") {
  const FakeWorld world;
  if (!world) return;
  for (const bool gone : {true, false}) {
    auto source = open_microphone("0", {.format = {1'000, 1}, .block = 10ms, .timeout = 0ms});
    REQUIRE(source);
    REQUIRE((*source)->start());
    if (gone) world.stream(true).finished(world.stream(true).user);
    const auto failed = (*source)->take();
    REQUIRE_FALSE(failed);
    CHECK(failed.error().fault == Fault::Local);
    CHECK(failed.error().message ==
          (gone ? "the microphone 0: mic has disappeared: unplugged, or its sound server exited"
                : "the microphone 0: mic delivered no audio for 0 ms"));
    CHECK(failed.error().hint ==
          (gone ? "Connect it again, or choose another one: `svc sound devices` lists them."
                : "It may be suspended, or in use elsewhere; `svc sound devices` lists the "
                  "others."));
    (*source)->stop();
    CHECK_FALSE(*(*source)->take());
  }
}

TEST_CASE("a speaker takes what fits, plays it, and is aborted where it is") {
  const FakeWorld world;
  if (!world) return;
  auto sink = open_speaker("", {.format = {1'000, 1}, .prebuffer = 10ms, .ring = 1s});
  REQUIRE_MESSAGE(sink, sink.error().message);
  Sink& speaker = **sink;
  const FakeStream& device = world.stream(false);
  CHECK(device.starts == 1);
  CHECK(device.parameters.device == 1);
  CHECK(hear(device, 4) == Samples(4));
  CHECK(*speaker.write(ramp(1, 9)) == 9);
  CHECK(hear(device, 4) == Samples(4));  // fewer than it buffers
  CHECK(*speaker.write(ramp(10, 3)) == 3);
  CHECK(speaker.written() == 12);
  CHECK(hear(device, 4) == ramp(1, 4));
  CHECK(speaker.level().peak > 0);
  speaker.pause();
  CHECK(speaker.paused());
  CHECK(hear(device, 4) == Samples(4));
  speaker.resume();
  CHECK_FALSE(speaker.paused());
  CHECK_FALSE(speaker.idle());
  speaker.finish();
  Samples last = ramp(5, 8);
  last.resize(10);
  CHECK(hear(device, 10) == last);
  CHECK(*speaker.write(ramp(1, 4)) == 4);
  CHECK(hear(device, 4) == Samples(4));  // it buffers again
  // Of its second of samples, 256 are kept free.
  CHECK(*speaker.write(Samples(2'000, 1)) == 1'000 - 256 - 4);
  CHECK(*speaker.write(Samples(2'000, 1)) == 0);
  CHECK(speaker.written() == 12 + 744);
  const std::uint64_t position = speaker.abort();
  CHECK(position <= 12);
  CHECK(speaker.written() == position);
  CHECK(speaker.position() == position);
  CHECK(speaker.idle());
  CHECK(device.aborts == 1);
  CHECK(device.starts == 2);
  CHECK(hear(device, 4) == Samples(4));
  CHECK(*speaker.write(ramp(1, 10)) == 10);
  CHECK(speaker.written() == position + 10);
  const auto begin = Clock::now();
  CHECK(hear(device, 10) == ramp(1, 10));
  const bool idle = speaker.idle();  // it may be heard later than the device says
  CHECK((!idle || Clock::now() - begin >= 60ms));
  wait_until_idle(speaker);
  CHECK(speaker.position() == position + 10);
  REQUIRE(speaker.check());
  REQUIRE(speaker.close());
  CHECK(device.aborts == 2);
  world.fake->active = 0;
  REQUIRE(speaker.check());  // it is closed
}

TEST_CASE("a speaker of another rate, in stereo") {
  const FakeWorld world;
  if (!world) return;
  world.fake->opening = [](const FakeStream& stream) {
    return stream.rate == 48'000 && stream.parameters.channelCount == 2 ? paNoError
                                                                        : paInvalidSampleRate;
  };
  auto sink = open_speaker("speaker", {.format = {24'000, 1}, .prebuffer = 0ms, .ring = 1s});
  REQUIRE_MESSAGE(sink, sink.error().message);
  CHECK((*sink)->format() == Format{24'000, 1});
  CHECK(*(*sink)->write(Samples(30'000, 500)) == (48'000 - 256) / 2);
  const FakeStream& device = world.stream(false);
  const Samples played = hear(device, 10'000, 2);
  CHECK(std::abs(played[4'000] - 500) < 5);
  CHECK(std::abs(played[4'001] - 500) < 5);
  CHECK((*sink)->abort() <= 5'000);
  CHECK(*(*sink)->write(Samples(2'400, 500)) == 2'400);
  (*sink)->finish();
  (void)hear(device, 10'000, 2);
  wait_until_idle(**sink);
  CHECK((*sink)->position() == (*sink)->written());

  // Of a rate that does not divide the device's, the last frame is heard too.
  sink = open_speaker("speaker", {.format = {11'025, 1}, .prebuffer = 0ms});
  REQUIRE(sink);
  CHECK(*(*sink)->write(Samples(2'401, 500)) == 2'401);
  (*sink)->finish();
  (void)hear(world.stream(false), 11'000, 2);
  wait_until_idle(**sink);
  CHECK((*sink)->position() == 2'401);
}

TEST_CASE("a speaker that has disappeared, accepts nothing, or does not start again") {
  const FakeWorld world;
  if (!world) return;
  {
    auto sink = open_speaker("1", {.format = {1'000, 1}});
    REQUIRE(sink);
    world.fake->active = 0;
    const auto gone = (*sink)->check();
    REQUIRE_FALSE(gone);
    CHECK(gone.error().message ==
          "the speaker 1: speaker has disappeared: unplugged, or its sound server exited");
    world.fake->active = 1;
    CHECK_FALSE((*sink)->check());  // from then on
    CHECK((*sink)->write(Samples(1)).error().message == gone.error().message);
    CHECK_FALSE((*sink)->close());
  }
  {
    auto sink = open_speaker("1", {.format = {1'000, 1}, .timeout = 0ms});
    REQUIRE(sink);
    CHECK((*sink)->check().error().message == "the speaker 1: speaker accepted no audio for 0 ms");
  }
  auto sink = open_speaker("1", {.format = {1'000, 1}});
  REQUIRE(sink);
  world.fake->started = paDeviceUnavailable;
  CHECK((*sink)->abort() == 0);
  CHECK(
      (*sink)->check().error().message ==
      fmt::format("the speaker 1: speaker cannot be started: error {}", int{paDeviceUnavailable}));
  CHECK_FALSE(open_speaker("1", {.format = {1'000, 1}}));
  world.fake->devices.clear();
  CHECK(open_speaker("", {}).error().message == "this machine has no speaker");
  CHECK(open_microphone("", {}).error().message == "this machine has no microphone");
}

namespace {

/// A conversation at 8,000 Hz, without a clock of its own: both sides say when it is.
struct FakeTalk {
  FakeTalk(const FakeWorld& given, EchoMode echo, Format format = {8'000, 1}) : world(given) {
    auto opened = open_duplex({.format = format,
                               .latency = {.block = 41ms},
                               .echo = echo,
                               .tail = 300ms,
                               .lag_of = [this](const Device& input, const Device& output) {
                                 asked = input.name + " " + output.name;
                                 return std::optional(Milliseconds(40));
                               }});
    REQUIRE_MESSAGE(opened, opened.error().message);
    duplex = std::move(*opened);
    REQUIRE(duplex.microphone->start());
  }

  [[nodiscard]] static PaStreamCallbackTimeInfo times(Clock::time_point when) {
    const double ahead = std::chrono::duration<double>(when - Clock::now()).count();
    return {1'000 + ahead, 1'000, 1'000 + ahead};
  }
  /// The microphone hears a constant sound of 100 ms.
  void capture(Clock::time_point when) const {
    const Samples samples(800, 1'000);
    world.stream(true).call(samples.data(), nullptr, samples.size(), times(when));
  }
  void play(Clock::time_point when) const {
    REQUIRE(duplex.speaker->write(Samples(800, 500)));
    duplex.speaker->finish();
    Samples samples(800);
    world.stream(false).call(nullptr, samples.data(), samples.size(), times(when));
    CHECK(samples == Samples(800, 500));
  }
  /// The next block; nothing if none is complete.
  [[nodiscard]] std::optional<Block> take() const {
    auto block = duplex.microphone->take();
    REQUIRE_MESSAGE(block, block.error().message);
    return *std::move(block);
  }

  const FakeWorld& world;
  Duplex duplex{};
  std::string asked{};
};

}  // namespace

TEST_CASE("half duplex: the microphone is closed while something plays, and until it has faded") {
  const FakeWorld world;
  if (!world) return;
  for (const EchoMode mode : {EchoMode::HalfDuplex, EchoMode::Off}) {
    const FakeTalk talk(world, mode);
    CHECK(talk.duplex.echo == mode);
    CHECK(talk.duplex.why.empty());
    CHECK(talk.duplex.input.name == "mic");
    CHECK(talk.duplex.output.name == "speaker");
    CHECK(talk.asked.empty());
    const auto begin = Clock::now();
    talk.capture(begin - 500ms);
    auto block = talk.take();
    REQUIRE(block);
    CHECK(block->samples == Samples(400, 1'000));  // 41 ms, in whole steps
    CHECK(block->played == Samples(400));
    CHECK(talk.take()->first == 400);
    CHECK_FALSE(talk.take());
    talk.play(begin);
    talk.capture(begin + 20ms);
    block = talk.take();
    REQUIRE(block);
    const bool closed = mode == EchoMode::HalfDuplex;
    CHECK(block->samples == Samples(400, closed ? 0 : 1'000));
    CHECK(block->played == Samples(400, 500));
    (void)talk.take();
    talk.capture(begin + 250ms);  // it ended at 100 ms
    CHECK(talk.take()->samples == Samples(400, closed ? 0 : 1'000));
    (void)talk.take();
    talk.capture(begin + 900ms);  // of 500 ms after the end
    CHECK(talk.take()->samples == Samples(400, 1'000));
    talk.duplex.microphone->set_muted(true);
    CHECK(talk.duplex.microphone->muted());
    CHECK(talk.take()->samples == Samples(400));
    CHECK(talk.duplex.microphone->level().peak > 0);
    talk.duplex.microphone->set_muted(false);
    CHECK(talk.duplex.microphone->lost() == 0);
    CHECK(talk.duplex.status->lag == EchoStatus::k_unknown);
  }
}

TEST_CASE("a gate passes nothing that may be echo, until it is known how loud that is") {
  const FakeWorld world;
  if (!world) return;
  const FakeTalk talk(world, EchoMode::Gate);
  const auto begin = Clock::now();
  talk.capture(begin - 500ms);
  CHECK(talk.take()->samples == Samples(400, 1'000));
  (void)talk.take();
  talk.play(begin);
  talk.capture(begin + 20ms);
  CHECK(talk.take()->samples == Samples(400));
}

TEST_CASE("a recording with the echo canceled has as many samples, also the last of it") {
  const FakeWorld world;
  if (!world) return;
  {
    const FakeTalk other(world, EchoMode::Cancel, {11'025, 1});
    CHECK(other.duplex.echo == EchoMode::HalfDuplex);
    CHECK(other.duplex.why == "echo cancellation is not available at 11025 Hz");
  }
  world.fake->streams.clear();
  FakeTalk talk(world, EchoMode::Cancel, {16'000, 1});
  CHECK(talk.duplex.echo == EchoMode::Cancel);
  CHECK(talk.asked == "mic speaker");
  const Samples samples(8'037, 1'000);  // no whole number of steps
  world.stream(true).call(samples.data(), nullptr, samples.size(), FakeTalk::times(Clock::now()));
  std::size_t count = 0;
  while (const auto block = talk.take()) count += block->samples.size();
  CHECK(count < 8'037);
  talk.duplex.microphone->stop();
  while (!talk.duplex.microphone->ended()) {
    const auto block = talk.take();
    REQUIRE(block);
    count += block->samples.size();
  }
  CHECK(count == 8'037);
  CHECK_FALSE(talk.duplex.status->closed);
}

TEST_CASE("what sound libraries print is dropped, and nothing else") {
  const FakeWorld world;
  if (!world) return;
  (void)world.open();
  std::array<int, 2> fds{};
  REQUIRE(::pipe(fds.data()) == 0);
  const int before = ::dup(STDERR_FILENO);
  REQUIRE(::dup2(fds[1], STDERR_FILENO) >= 0);
  for (const char* line :
       {"Expression 'x' failed\n", "ALSA lib x.c\n", "PaAlsaStream\n", "jack server is gone\n",
        "Cannot connect to server\n", "Failed to create secure directory\n",
        "Home directory not accessible\n", "an ALSA lib\n", "Pa\n"}) {
    std::fputs(line, stderr);
    std::fflush(stderr);
  }
  REQUIRE(::dup2(before, STDERR_FILENO) >= 0);
  ::close(before);
  ::close(fds[1]);
  std::string text(1'000, '\0');
  const ssize_t count = ::read(fds[0], text.data(), text.size());
  ::close(fds[0]);
  REQUIRE(count >= 0);
  text.resize(static_cast<std::size_t>(count));
  CHECK(text == "an ALSA lib\nPa\n");
}
