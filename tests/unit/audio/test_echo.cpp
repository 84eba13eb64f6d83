// Echo cancellation, alignment, and recordings of both sides.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

#include "audio/duplex.h"
#include "audio/echo.h"
#include "audio/playback_reference.h"
#include "audio/sound_file.h"
#include "audio/wav.h"
#include "support/sound_card.h"

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;

namespace {

using Samples = std::vector<Sample>;
using svc::test::test_noise;

constexpr int k_rate = 24'000;
constexpr std::size_t k_step = k_rate / 100;
const Clock::time_point k_begin{1'000s};

/// Noise with the loudness and pauses of speech.
Samples babble(std::size_t samples, std::uint32_t seed = 1) {
  Samples out = test_noise(samples, seed, 0.4);
  double low = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double time = static_cast<double>(i) / k_rate;
    const double pause = std::fmod(time, 2.0) < 1.5 ? 1 : 0;
    low = 0.8 * low + 0.2 * out[i] * 2;
    out[i] = static_cast<Sample>(low * pause * 0.5 * (1 + std::sin(time * 19.5)));
  }
  return out;
}

/// How a microphone in a room hears it.
Samples room(const Samples& played, Milliseconds delay) {
  Samples out(played.size());
  const auto late = static_cast<std::size_t>(frames_in({k_rate, 1}, delay));
  const Samples noise = test_noise(out.size(), 9, 0.0003);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = noise[i];
    for (const auto& [after, share] :
         {std::pair<std::size_t, double>{0, 0.4}, {100, -0.15}, {317, 0.1}, {700, 0.05}}) {
      if (i >= late + after) sum += share * played[i - late - after];
    }
    out[i] = static_cast<Sample>(std::clamp(sum, -32'768.0, 32'767.0));
  }
  return out;
}

/// How many decibels the filter reduces the echo by, in the last second.
double loss(EchoFilter& filter, const Samples& played, Samples heard) {
  const Samples before = heard;
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    filter.process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
  }
  const auto last = [](const Samples& all) {
    return level_of(std::span(all).last(static_cast<std::size_t>(k_rate))).rms;
  };
  return decibels(last(before)) - decibels(last(heard));
}

/// The loudest remaining step in [from, to) seconds.
double loudest(const Samples& all, double from, double to) {
  double most = 0;
  for (auto at = static_cast<std::size_t>(from * k_rate);
       at + k_step <= static_cast<std::size_t>(to * k_rate); at += k_step) {
    most = std::max(most, level_of(std::span(all).subspan(at, k_step)).rms);
  }
  return most;
}

/// Removes nothing for the first `learnt` steps of loud echo, and everything after that.
class SlowFilter final : public EchoFilter {
 public:
  explicit SlowFilter(int learnt) : m_left(learnt) {}
  void process(std::span<const Sample> played, std::span<Sample> heard) override {
    if (level_of(played).rms < 0.01) return;
    if (m_left > 0) {
      --m_left;
      return;
    }
    for (std::size_t i = 0; i < heard.size(); ++i) {
      heard[i] = static_cast<Sample>(std::clamp(heard[i] - played[i], -32'768, 32'767));
    }
  }

 private:
  int m_left;
};

/// Removes the echo, and attenuates the first fifth of a second of a simultaneous voice.
class SofteningFilter final : public EchoFilter {
 public:
  void process(std::span<const Sample> played, std::span<Sample> heard) override {
    m_echo.process(played, heard);
    if (level_of(heard).rms < 0.001) return;
    const double share = std::min(1.0, ++m_voiced / 20.0);
    for (Sample& one : heard) one = static_cast<Sample>(one * share * share);
  }

 private:
  SlowFilter m_echo{0};
  int m_voiced = 0;
};

/// `heard` after a guarded filter.
Samples guarded(std::unique_ptr<EchoFilter> filter, const Samples& played, Samples heard) {
  const auto guard = make_echo_guard(std::move(filter));
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    guard->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
  }
  return heard;
}

Samples sum(Samples one, const Samples& other, double from) {
  for (auto i = static_cast<std::size_t>(from * k_rate); i < one.size(); ++i) {
    one[i] = static_cast<Sample>(std::clamp(one[i] + other[i], -32'768, 32'767));
  }
  return one;
}

#ifdef SVC_ECHO_PLUGIN
std::unique_ptr<EchoFilter> canceller() {
  auto made = make_echo_canceller(k_rate, Suppression::Low, SVC_ECHO_PLUGIN);
  REQUIRE_MESSAGE(made, made.error().message);
  return std::move(*made);
}
#endif

}  // namespace

#ifdef SVC_ECHO_PLUGIN
TEST_CASE("an echo is removed within three seconds, whatever its delay") {
  const Samples played = babble(static_cast<std::size_t>(k_rate) * 3);
  for (const Milliseconds delay : {30ms, 60ms, 100ms}) {
    CAPTURE(delay.count());
    CHECK(loss(*canceller(), played, room(played, delay)) > 25);
  }
}

TEST_CASE("no answer is heard in the microphone although device times jump between answers") {
  // Two answers with a pause between them, in a room that reflects everything.
  Samples played = babble(static_cast<std::size_t>(k_rate) * 6);
  std::fill(played.begin() + k_rate * 5 / 2, played.begin() + k_rate * 7 / 2, Sample{0});
  Samples heard(played.size());
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const std::size_t late = k_step * (i < static_cast<std::size_t>(k_rate) * 3 ? 5 : 9);
    if (i >= late) heard[i] = played[i - late];
  }
  const auto filter = make_echo_guard(canceller());
  Samples left = heard;
  for (std::size_t at = 0; at + k_step <= left.size(); at += k_step) {
    filter->process(std::span(played).subspan(at, k_step), std::span(left).subspan(at, k_step));
  }
  const double echo = loudest(heard, 0, 6);
  CHECK(loudest(left, 0, 2.5) < 0.2 * echo);
  CHECK(loudest(left, 3.5, 6) < 0.2 * echo);
}

TEST_CASE("a voice without an echo is heard") {
  const Samples silence(static_cast<std::size_t>(k_rate) * 2);
  const Samples speech = babble(silence.size());
  CHECK(std::abs(loss(*canceller(), silence, speech)) < 2);
}

TEST_CASE("an interrupting voice is heard through the echo") {
  const std::size_t count = static_cast<std::size_t>(k_rate) * 4;
  const Samples played = babble(count);
  Samples heard = room(played, 40ms);
  const Samples speech = babble(count, 77);
  const auto from = static_cast<std::size_t>(k_rate) * 3;
  for (std::size_t i = from; i < count; ++i) {
    heard[i] = static_cast<Sample>(heard[i] + speech[i]);
  }
  // Attenuated, but present: a pure echo loses more than 25 dB.
  CHECK(loss(*canceller(), played, heard) < 20);
}
#endif

TEST_CASE("until the canceller has adapted to the room, none of an answer is heard") {
  const Samples played = test_noise(static_cast<std::size_t>(k_rate) * 3, 5, 0.1);
  const Samples voice = test_noise(played.size(), 6, 0.1);
  CHECK(loudest(guarded(std::make_unique<SlowFilter>(100), played, played), 0, 3) == 0);
  // After that, a voice is heard as if nothing were played, during the answer and afterwards.
  const Samples interrupted =
      guarded(std::make_unique<SlowFilter>(100), played, sum(played, voice, 2));
  CHECK(loudest(interrupted, 0, 2) == 0);
  CHECK(
      std::equal(interrupted.begin() + 2 * k_rate, interrupted.end(), voice.begin() + 2 * k_rate));
}

TEST_CASE("the start of a voice is not taken for residual echo: it passes from its first step") {
  const Samples played = test_noise(static_cast<std::size_t>(k_rate) * 3, 5, 0.1);
  Samples voice = test_noise(played.size(), 6, 0.2);
  std::fill(voice.begin(), voice.begin() + 2 * k_rate, Sample{0});
  Samples heard = sum(played, voice, 0);
  const auto guard =
      make_echo_guard(std::make_unique<SofteningFilter>(), std::make_unique<SlowFilter>(0));
  Samples unsuppressed;
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    guard->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
    unsuppressed.insert(unsuppressed.end(), guard->unsuppressed().begin(),
                        guard->unsuppressed().end());
  }
  CHECK(guard->voice_detected());
  CHECK(unsuppressed == voice);
}

TEST_CASE("no echo is heard that one canceller leaves and the other removes") {
  const Samples played = test_noise(static_cast<std::size_t>(k_rate) * 4, 5, 0.1);
  Samples heard = played;
  const auto guard =
      make_echo_guard(std::make_unique<SlowFilter>(1'000), std::make_unique<SlowFilter>(0));
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    guard->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
  }
  CHECK(loudest(heard, 0, 4) == 0);
}

TEST_CASE("an interrupting voice is heard to its end after playback has stopped") {
  Samples played = test_noise(static_cast<std::size_t>(k_rate) * 4, 5, 0.1);
  std::fill(played.begin() + k_rate * 5 / 2, played.end(), Sample{0});
  Samples voice = test_noise(played.size(), 6, 0.2);
  std::fill(voice.begin(), voice.begin() + 2 * k_rate, Sample{0});
  Samples heard = sum(played, voice, 0);
  const auto guard =
      make_echo_guard(std::make_unique<SofteningFilter>(), std::make_unique<SlowFilter>(0));
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    if (at == k_rate * 5 / 2) guard->on_realigned();  // a stopping speaker's times jump
    const auto step = std::span(heard).subspan(at, k_step);
    guard->process(std::span(played).subspan(at, k_step), step);
    if (at < 2 * k_rate + 12 * k_step) continue;
    CAPTURE(at / k_step);
    // Not attenuated: unchanged while there may be echo, and as recorded after that.
    CHECK((guard->may_have_echo() ? guard->voice_detected() : level_of(step).rms > 0.1));
  }
}

TEST_CASE("an echo that is missing because playback stopped is not subtracted from a voice") {
  Samples played = test_noise(static_cast<std::size_t>(k_rate) * 3, 5, 0.3);
  Samples voice = test_noise(played.size(), 6, 0.1);
  std::fill(voice.begin(), voice.begin() + 2 * k_rate, Sample{0});
  const std::size_t stopped = k_rate * 5 / 2;
  Samples heard = sum(played, voice, 0);
  std::copy(voice.begin() + stopped, voice.end(), heard.begin() + stopped);
  const auto guard =
      make_echo_guard(std::make_unique<SofteningFilter>(), std::make_unique<SlowFilter>(0));
  Samples unsuppressed;
  for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
    guard->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
    unsuppressed.insert(unsuppressed.end(), guard->unsuppressed().begin(),
                        guard->unsuppressed().end());
  }
  CHECK(std::equal(unsuppressed.begin() + stopped, unsuppressed.end(), voice.begin() + stopped));
}

TEST_CASE("a guarded microphone is muted for at most two seconds") {
  const Samples played = test_noise(static_cast<std::size_t>(k_rate) * 4, 5, 0.1);
  const Samples voice = test_noise(played.size(), 6, 0.02);
  const Samples heard = guarded(std::make_unique<SlowFilter>(1'000), played, sum(played, voice, 0));
  CHECK(loudest(heard, 0, 1.9) == 0);
  CHECK(loudest(heard, 2.1, 4) > 0.01);
  // A voice above the echo is heard at once, as is a voice while nothing is played.
  const Samples shout = test_noise(played.size(), 6, 0.4);
  CHECK(loudest(guarded(std::make_unique<SlowFilter>(1'000), played, sum(played, shout, 1)), 0,
                1) == 0);
  CHECK(loudest(guarded(std::make_unique<SlowFilter>(1'000), played, sum(played, shout, 1)), 1,
                1.1) > 0.1);
  const Samples silence(played.size());
  CHECK(guarded(std::make_unique<SofteningFilter>(), silence, voice) == voice);
  // Devices whose times keep jumping do not mute it for longer.
  const auto guard = make_echo_guard(std::make_unique<SlowFilter>(1'000));
  Samples rest = sum(played, voice, 0);
  for (std::size_t at = 0; at + k_step <= rest.size(); at += k_step) {
    guard->on_realigned();
    guard->process(std::span(played).subspan(at, k_step), std::span(rest).subspan(at, k_step));
  }
  CHECK(loudest(rest, 0, 1.9) == 0);
  CHECK(loudest(rest, 2.1, 4) > 0.01);
}

TEST_CASE("a missing canceller is an error message") {
  const auto missing = make_echo_canceller(k_rate, Suppression::Low, "/nowhere/svc-echo.so");
  if (!missing) CHECK(missing.error().message.find("echo cancellation needs") != std::string::npos);
  CHECK_FALSE(make_echo_canceller(22'050));
}

TEST_CASE("a gate opens for audio louder than any echo, whatever the echo's delay") {
  for (const double coupling : {1.0, 0.5, 0.125}) {
    for (const std::size_t late : {4U, 30U}) {
      CAPTURE(coupling);
      CAPTURE(late);
      const auto gate = make_echo_gate();
      const Samples played = babble(static_cast<std::size_t>(k_rate) * 8);
      Samples heard(played.size());
      for (std::size_t i = late * k_step; i < heard.size(); ++i) {
        heard[i] = static_cast<Sample>(coupling * played[i - late * k_step]);
      }
      const double echo = loudest(heard, 0, 8);
      // Somebody shouts in the seventh second.
      const Samples voice = test_noise(heard.size(), 7, std::min(1.0, 5 * echo));
      for (auto i = static_cast<std::size_t>(k_rate) * 6; i < heard.size(); ++i) {
        heard[i] = static_cast<Sample>(std::clamp(heard[i] + voice[i], -32'768, 32'767));
      }
      for (std::size_t at = 0; at + k_step <= heard.size(); at += k_step) {
        gate->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
      }
      CHECK(loudest(heard, 0, 6) == 0);
      CHECK(loudest(heard, 6, 6.1) > 0);
    }
  }
  // While nothing is played, everything is heard.
  const auto gate = make_echo_gate();
  const Samples silence(k_step);
  Samples soft = test_noise(k_step, 3, 0.05);
  const Samples kept = soft;
  gate->process(silence, soft);
  CHECK(soft == kept);
}

TEST_CASE("delay and loudness of an echo are found from the levels of both sides") {
  EchoPath path;
  CHECK_FALSE(path.known());
  CHECK(path.delay() == 200ms);
  const Samples played = babble(static_cast<std::size_t>(k_rate) * 6);
  const std::size_t late = 17 * k_step;
  for (std::size_t at = 0; at + k_step <= played.size(); at += k_step) {
    const double heard =
        at < late ? 0 : 0.25 * level_of(std::span(played).subspan(at - late, k_step)).rms;
    path.add(level_of(std::span(played).subspan(at, k_step)).rms, heard);
  }
  CHECK(path.known());
  CHECK(path.delay() >= 160ms);
  CHECK(path.delay() <= 180ms);
  CHECK(path.coupling() > 0.2);
  CHECK(path.coupling() < 0.3);
}

#ifdef SVC_ECHO_PLUGIN
TEST_CASE("a voice as loud as the echo is noticed at once and heard completely") {
  for (const std::size_t late : {60U, 110U}) {
    CAPTURE(late);
    const std::size_t count = static_cast<std::size_t>(k_rate) * 8;
    const Samples played = babble(count);
    const Samples voice = babble(count, 77);
    const std::size_t delay = late * k_step / 10;
    const auto from = static_cast<std::size_t>(k_rate) * 6;
    Samples heard(count);
    for (std::size_t i = delay; i < count; ++i) {
      heard[i] = static_cast<Sample>(
          std::clamp(played[i - delay] + (i < from ? 0 : voice[i - from]), -32'768, 32'767));
    }
    auto linear = make_linear_canceller(k_rate);
    REQUIRE_MESSAGE(linear, linear.error().message);
    const auto guard = make_echo_guard(canceller(), std::move(*linear));
    Samples unsuppressed;
    std::size_t noticed = 0;
    for (std::size_t at = 0; at + k_step <= count; at += k_step) {
      guard->process(std::span(played).subspan(at, k_step), std::span(heard).subspan(at, k_step));
      unsuppressed.insert(unsuppressed.end(), guard->unsuppressed().begin(),
                          guard->unsuppressed().end());
      if (at < from) CHECK_FALSE(guard->voice_detected());
      if (noticed == 0 && guard->voice_detected()) noticed = at;
    }
    REQUIRE(unsuppressed.size() == count);
    CHECK(noticed >= from);
    CHECK(noticed - from <= 12 * k_step);
    // A third of a second at its original level.
    const auto part = [](const Samples& all, std::size_t begin) {
      return decibels(level_of(std::span(all).subspan(begin, k_rate / 3)).rms);
    };
    CHECK(std::abs(part(unsuppressed, from) - part(voice, 0)) < 2);
  }
}
#endif

TEST_CASE("the audio heard at a given time is known despite jitter") {
  auto feed = std::make_shared<PlaybackFeed>(Format{1'000, 1}, 1s, 0ms, true);
  auto tap = PlaybackReference::create(feed, {1'000, 1}, 1'000);
  REQUIRE(tap);
  const Samples noise = test_noise(600);
  feed->ring.write(noise);
  feed->finishing = true;
  for (int i = 0; i < 60; ++i) {
    Samples out(10);
    const auto jitter = Milliseconds(i % 3 == 0 ? 7 : 0);
    feed->pull(out, k_begin + Milliseconds(10 * i) + jitter);
  }
  tap->update();
  PlaybackReference::Cursor cursor;
  Samples all;
  for (int i = 0; i < 20; ++i) {
    Samples some(20);
    tap->read(k_begin + Milliseconds(100 + 20 * i + i % 5), some, cursor);
    all.insert(all.end(), some.begin(), some.end());
  }
  const auto at = svc::test::find_sound(noise, all);
  CHECK(at >= 90);
  CHECK(at <= 110);
  PlaybackReference::Cursor late;
  Samples some(20, 1);
  tap->read(k_begin + 1h, some, late);
  CHECK(some == Samples(20));
  tap->read(k_begin - 1s, some, late);
  CHECK(some == Samples(20));
}

TEST_CASE("both sides in one file, each at its time") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("svc-rec-" + std::to_string(::getpid()) + ".wav"))
          .string();
  auto recorder = StereoRecorder::create(path, 1'000, Replace::Yes);
  REQUIRE(recorder);
  const Samples left = test_noise(300, 1);
  const Samples right = test_noise(100, 2);
  for (int i = 0; i < 15; ++i) {
    const auto jitter = Milliseconds(i % 4 * 5);
    REQUIRE(recorder->write(Side::Left,
                            std::span(left).subspan(static_cast<std::size_t>(i) * 20, 20),
                            k_begin + Milliseconds(i * 20) + jitter));
    if (i == 8) REQUIRE(recorder->write(Side::Right, right, k_begin + 150ms));
  }
  REQUIRE(recorder->write(Side::Right, right, k_begin + 400ms));
  REQUIRE(recorder->close());
  auto reader = open_sound_reader(path, {0, 0});
  REQUIRE(reader);
  const auto all = read_all(**reader);
  REQUIRE(all);
  REQUIRE(all->size() == 1'000);
  Samples sides[2];
  for (std::size_t i = 0; i < all->size(); ++i) sides[i % 2].push_back((*all)[i]);
  CHECK(std::equal(left.begin(), left.end(), sides[0].begin()));
  CHECK(svc::test::find_sound(sides[1], right) == 150);
  CHECK(std::equal(right.begin(), right.end(), sides[1].begin() + 400));
  CHECK(std::all_of(sides[0].begin() + 300, sides[0].end(), [](Sample one) { return one == 0; }));
  std::filesystem::remove(path);
}

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a conversation on a card whose microphone hears the speaker") {
  auto card = svc::test::SoundCard::start({.echo = 40ms});
  REQUIRE_MESSAGE(card, card.error().message);
  (*card)->apply();
  for (const EchoMode mode : {EchoMode::Off, EchoMode::Cancel}) {
    auto duplex = open_duplex({.echo = mode});
    REQUIRE_MESSAGE(duplex, duplex.error().message);
    CHECK_MESSAGE(duplex->echo == mode, duplex->why);
    REQUIRE(duplex->microphone->start());
    const Samples speech = babble(static_cast<std::size_t>(k_rate) * 3);
    REQUIRE(write_all(*duplex->speaker, speech, NeverCanceled()));
    duplex->speaker->finish();
    Samples heard;
    Samples played;
    while (heard.size() < speech.size()) {
      const auto block = read_block(*duplex->microphone, NeverCanceled(), Clock::now() + 2s);
      REQUIRE(block);
      REQUIRE(*block);
      heard.insert(heard.end(), (*block)->samples.begin(), (*block)->samples.end());
      played.insert(played.end(), (*block)->played.begin(), (*block)->played.end());
    }
    CHECK(level_of(played).rms > 0.01);
    const double rest = level_of(std::span(heard).last(static_cast<std::size_t>(k_rate))).rms;
    const double said = level_of(std::span(played).last(static_cast<std::size_t>(k_rate))).rms;
    if (mode == EchoMode::Off) CHECK(decibels(said) - decibels(rest) < 6);
    if (mode == EchoMode::Cancel) CHECK(decibels(said) - decibels(rest) > 20);
  }
}
#endif
