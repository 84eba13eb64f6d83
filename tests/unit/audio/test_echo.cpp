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
#include "audio/enhanced_source.h"
#include "audio/front_end.h"
#include "audio/playback_reference.h"
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
  REQUIRE(to * k_rate <= static_cast<double>(all.size()));
  double most = 0;
  for (auto at = static_cast<std::size_t>(from * k_rate);
       at + k_step <= static_cast<std::size_t>(to * k_rate); at += k_step) {
    most = std::max(most, level_of(std::span(all).subspan(at, k_step)).rms);
  }
  return most;
}

/// What a front end makes of it, without what it still holds.
Samples fronted(FrontEnd& front, const Samples& played, const Samples& heard) {
  const auto lead = static_cast<std::size_t>(frames_in({k_rate, 1}, FrontEnd::k_lead));
  Samples out;
  for (std::size_t at = 0; at + lead + k_step <= heard.size(); at += k_step) {
    front.process(std::span(played).subspan(at + lead, k_step),
                  std::span(heard).subspan(at, k_step), out);
  }
  return out;
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
TEST_CASE("an aligned echo is removed within three seconds") {
  const Samples played = babble(static_cast<std::size_t>(k_rate) * 3);
  for (const Milliseconds delay : {5ms, 20ms, 40ms}) {
    CAPTURE(delay.count());
    CHECK(loss(*canceller(), played, room(played, delay)) > 20);
  }
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

#ifdef SVC_ECHO_PLUGIN
namespace {

/// What an enhancement makes of a microphone's audio.
Samples enhanced(const Enhancement& enhancement, Samples samples) {
  auto made = make_enhancer(k_rate, enhancement, SVC_ECHO_PLUGIN);
  REQUIRE_MESSAGE(made, made.error().message);
  const Samples silence(k_step);
  for (std::size_t at = 0; at + k_step <= samples.size(); at += k_step) {
    (*made)->process(silence, std::span(samples).subspan(at, k_step));
  }
  return samples;
}

double last_second(const Samples& samples) {
  return decibels(level_of(std::span(samples).last(static_cast<std::size_t>(k_rate))).rms);
}

}  // namespace

TEST_CASE("noise is suppressed as much as asked for, and a voice stays") {
  using Noise = Enhancement::Noise;
  const std::size_t count = static_cast<std::size_t>(k_rate) * 4;
  Samples noise(count);
  std::uint32_t state = 12'345;
  for (Sample& one : noise) {
    state = state * 1'664'525 + 1'013'904'223;
    one = static_cast<Sample>(static_cast<int>(state >> 16U) % 400 - 200);
  }
  const double before = last_second(noise);
  const double low = last_second(enhanced({.noise = Noise::SuppressLow}, noise));
  const double high = last_second(enhanced({.noise = Noise::SuppressHigh}, noise));
  CHECK(before - low > 3);
  CHECK(low - high > 3);
  const Samples voice = babble(count);
  const Samples heard = enhanced({.noise = Noise::SuppressHigh}, sum(voice, noise, 0));
  CHECK(std::abs(last_second(heard) - last_second(voice)) < 6);
}

TEST_CASE("an enhancement leaves what was played, which only the canceller removes") {
  const Samples played = babble(static_cast<std::size_t>(k_rate) * 4);
  const auto made = make_enhancer(k_rate, {.noise = Enhancement::Noise::SuppressLow, .gain = true},
                                  SVC_ECHO_PLUGIN);
  REQUIRE_MESSAGE(made, made.error().message);
  CHECK(loss(**made, played, room(played, 40ms)) < 10);
}

TEST_CASE("a source is enhanced in whole steps; what is left at its end passes") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("svc-enhanced-" + std::to_string(::getpid())))
          .string();
  const Samples noise = test_noise(k_rate / 10 + 50);
  auto writer = WavWriter::create(path, {k_rate, 1}, Replace::Yes);
  REQUIRE(writer);
  REQUIRE(writer->write(noise));
  REQUIRE(writer->close());
  const auto heard = [&](Enhancement enhancement, bool muted) {
    auto file = open_sound_file(path, {.format = {0, 0}}, Timing::Immediate);
    REQUIRE(file);
    auto source = enhance(*std::move(file), enhancement);
    REQUIRE_MESSAGE(source, source.error().message);
    CHECK((*source)->format() == Format{k_rate, 1});
    CHECK((*source)->wait_fd() == -1);
    REQUIRE((*source)->start());
    CHECK((*source)->wait_fd() >= 0);
    (*source)->set_muted(muted);
    CHECK((*source)->muted() == muted);
    Samples all;
    while (!(*source)->ended()) {
      const auto block = (*source)->take();
      REQUIRE(block);
      if (*block) all.insert(all.end(), (*block)->samples.begin(), (*block)->samples.end());
    }
    CHECK((*source)->level().peak > 0.1);
    CHECK((*source)->lost() == 0);
    return all;
  };
  const Enhancement suppressed{.noise = Enhancement::Noise::SuppressHigh};
  CHECK(heard({}, false) == noise);
  const Samples enhanced = heard(suppressed, false);
  REQUIRE(enhanced.size() == noise.size());
  CHECK(std::equal(noise.end() - 50, noise.end(), enhanced.end() - 50));
  for (std::size_t at = 0; at + k_step <= noise.size(); at += k_step) {
    CHECK_FALSE(std::equal(noise.begin() + at, noise.begin() + at + k_step, enhanced.begin() + at));
  }
  CHECK(heard({}, true) == Samples(noise.size()));
  auto file = open_sound_file(path, {.format = {0, 0}}, Timing::Immediate);
  REQUIRE(file);
  auto stopped = enhance(*std::move(file), suppressed);
  REQUIRE(stopped);
  REQUIRE((*stopped)->start());
  (*stopped)->stop();
  CHECK((*stopped)->ended());
  std::filesystem::remove(path);
}

TEST_CASE("gain control makes a soft voice louder") {
  Samples voice = babble(static_cast<std::size_t>(k_rate) * 6);
  for (Sample& one : voice) one = static_cast<Sample>(one / 16);
  CHECK(last_second(enhanced({.gain = true}, voice)) > last_second(voice) + 4);
  CHECK(std::abs(last_second(enhanced({}, voice)) - last_second(voice)) < 2);
}
#endif

TEST_CASE("no echo is heard, and a voice over it is, whatever the echo's delay") {
  for (const Milliseconds delay : {5ms, 40ms, 160ms, 400ms}) {
    CAPTURE(delay.count());
    const std::size_t count = static_cast<std::size_t>(k_rate) * 9;
    const Samples played = babble(count);
    Samples voice = babble(count, 77);
    const auto from = static_cast<std::size_t>(k_rate) * 6;
    std::copy_backward(voice.begin(), voice.end() - static_cast<std::ptrdiff_t>(from), voice.end());
    const Samples heard = sum(room(played, delay), voice, 6);
    FrontEnd front(k_rate, nullptr);
    const Samples left = fronted(front, played, heard);
    REQUIRE(left.size() > from + k_rate);
    CHECK(loudest(left, 0, 5.99) < 0.012);
    // From its first word on, at its own level.
    const auto first = [&](const Samples& all) {
      return decibels(level_of(std::span(all).subspan(from, k_rate / 3)).rms);
    };
    CHECK(std::abs(first(left) - first(voice)) < 2);
    REQUIRE(front.lag());
    CHECK(std::abs(front.lag()->count() - delay.count()) <= 2);
  }
}

TEST_CASE("an echo is followed when clocks drift, and when its delay changes") {
  const std::size_t count = static_cast<std::size_t>(k_rate) * 12;
  const Samples played = babble(count);
  const double drift = 0.0005;
  Samples heard(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double late =
        0.1 + (i > count / 2 ? 0.04 : 0.0) + drift * static_cast<double>(i) / k_rate;
    const double at = static_cast<double>(i) - late * k_rate;
    if (at < 1) continue;
    const auto whole = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(whole);
    heard[i] = static_cast<Sample>((1 - part) * played[whole] + part * played[whole + 1]);
  }
  FrontEnd front(k_rate, nullptr);
  const Samples left = fronted(front, played, heard);
  CHECK(loudest(left, 0, 11) < 0.012);
  CHECK(std::abs(front.drift() - drift) < 0.0001);
  CHECK(std::abs(front.lag()->count() - 146) <= 3);
}

TEST_CASE("what a loudspeaker adds to music without pauses is no voice, and no noise of the room") {
  // The canceller cannot remove it, and it is never quiet.
  const std::size_t count = static_cast<std::size_t>(k_rate) * 30;
  Samples played = test_noise(count, 3, 0.2);
  std::fill_n(played.begin(), k_rate, Sample{0});
  Samples distorted = played;
  for (Sample& one : distorted) one = static_cast<Sample>(6'000 * std::tanh(one / 6'000.0));
  for (const Milliseconds delay : {20ms, 300ms}) {
    CAPTURE(delay.count());
    FrontEnd front(k_rate, nullptr);
    const Samples left = fronted(front, played, room(distorted, delay));
    CHECK(loudest(left, 0, 29) < 0.0033);
  }
}

TEST_CASE("without an echo the microphone is open; with one that cannot be canceled it is closed") {
  const std::size_t count = static_cast<std::size_t>(k_rate) * 8;
  const Samples played = babble(count);
  const Samples voice = babble(count, 77);
  // Headphones: once somebody is quiet for a moment, or no echo was found for two seconds.
  FrontEnd open(k_rate, nullptr);
  const Samples heard = fronted(open, played, voice);
  CHECK_FALSE(open.closed());
  CHECK(std::equal(heard.begin() + 4 * k_rate, heard.end(), voice.begin() + 4 * k_rate,
                   [](Sample one, Sample other) { return std::abs(one - other) < 3'000; }));
  // An echo with each moment at another delay.
  Samples scattered(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t late = k_step * (1 + i / (k_rate / 5) * 7 % 40);
    if (i >= late) scattered[i] = played[i - late];
  }
  FrontEnd closed(k_rate, nullptr);
  const Samples rest = fronted(closed, played, scattered);
  CHECK(closed.ineffective());
  CHECK(loudest(rest, 0, 7) == 0);
}

TEST_CASE("while nothing is played, everything is heard as it is, at once") {
  const Samples silence(static_cast<std::size_t>(k_rate));
  const Samples voice = babble(silence.size());
  FrontEnd front(k_rate, nullptr);
  const Samples heard = fronted(front, silence, voice);
  CHECK(heard.size() >= silence.size() - k_rate / 10);
  CHECK(std::equal(heard.begin(), heard.end(), voice.begin()));
}

TEST_CASE("after an interruption the next answer is not heard, though its echo has moved") {
  // An answer that a voice interrupts at 5 s, a pause, and from 8 s on the next answer: the device
  // was stopped and started, so its echo comes at another time.
  const std::size_t count = static_cast<std::size_t>(k_rate) * 11;
  for (const Milliseconds moved : {10ms, 25ms, 60ms}) {
    CAPTURE(moved.count());
    Samples first = babble(count);
    Samples second = babble(count, 5);
    std::fill(first.begin() + k_rate * 11 / 2, first.end(), Sample{0});
    std::fill(second.begin(), second.begin() + 8 * k_rate, Sample{0});
    const Samples said = babble(static_cast<std::size_t>(k_rate), 77);
    Samples voice(count);
    std::copy(said.begin(), said.end(), voice.begin() + 5 * k_rate);
    const Samples heard = sum(sum(room(first, 40ms), room(second, 40ms + moved), 0), voice, 5);
    FrontEnd front(k_rate, nullptr);
    const Samples left = fronted(front, sum(first, second, 0), heard);
    CHECK(loudest(left, 0, 4.99) < 0.012);
    CHECK(loudest(left, 5, 7) > 0.02);
    CHECK(loudest(left, 8, 10) < 0.012);
  }
}

TEST_CASE("what was held when an answer ends is not heard, if its echo moved at the end") {
  const std::size_t count = static_cast<std::size_t>(k_rate) * 9;
  for (const double moves : {6.9, 7.05, 7.2, 7.3, 7.4}) {
    CAPTURE(moves);
    Samples played = babble(count);
    std::fill(played.begin() + k_rate * 15 / 2, played.end(), Sample{0});
    Samples heard = room(played, 40ms);
    const Samples later = room(played, 75ms);
    const auto from = static_cast<std::ptrdiff_t>(moves * k_rate);
    std::copy(later.begin() + from, later.end(), heard.begin() + from);
    FrontEnd front(k_rate, nullptr);
    const Samples left = fronted(front, played, heard);
    CHECK(loudest(left, 5, 8) < 0.012);
  }
}

TEST_CASE("with a known lag, the first answer is learnt sooner") {
  const Samples played = babble(static_cast<std::size_t>(k_rate) * 3);
  for (const Milliseconds delay : {100ms, 250ms, 400ms}) {
    CAPTURE(delay.count());
    const Samples heard = room(played, delay);
    const auto seconds_closed = [&](std::optional<Milliseconds> lag) {
      FrontEnd front(k_rate, nullptr, lag);
      double seconds = 0;
      Samples unused;
      const auto lead = static_cast<std::size_t>(frames_in({k_rate, 1}, FrontEnd::k_lead));
      for (std::size_t at = 0; at + lead + k_step <= heard.size(); at += k_step) {
        front.process(std::span(played).subspan(at + lead, k_step),
                      std::span(heard).subspan(at, k_step), unused);
        seconds += front.closed() ? 0.01 : 0;
      }
      return seconds;
    };
    CHECK(seconds_closed(delay) + 0.05 < seconds_closed(std::nullopt));
  }
}

TEST_CASE("a transform and its opposite") {
  Fft fft(64);
  std::vector<float> samples(64);
  for (std::size_t i = 0; i < 64; ++i) samples[i] = std::sin(0.3F * static_cast<float>(i * i));
  std::vector<Bin> spectrum(fft.bins());
  fft.forward(samples, spectrum);
  std::complex<double> direct;
  for (std::size_t i = 0; i < 64; ++i) {
    direct += static_cast<double>(samples[i]) *
              std::polar(1.0, -2 * 3.14159265358979 * 5 * static_cast<double>(i) / 64);
  }
  CHECK(std::abs(std::complex<double>(spectrum[5]) - direct) < 1e-4);
  std::vector<float> back(64);
  fft.inverse(spectrum, back);
  for (std::size_t i = 0; i < 64; ++i) CHECK(std::abs(back[i] - samples[i]) < 1e-5);
}

TEST_CASE("a missing canceller is an error message") {
  const auto missing = make_echo_canceller(k_rate, Suppression::Low, "/nowhere/svc-echo.so");
  if (!missing) CHECK(missing.error().message.find("echo cancellation needs") != std::string::npos);
  const auto odd = make_echo_canceller(22'050);
  REQUIRE_FALSE(odd);
  CHECK(odd.error().message == "echo cancellation is not available at 22050 Hz");
  CHECK(make_enhancer(22'050, {.gain = true}).error().message ==
        "gain control is not available at 22050 Hz");
  CHECK(make_enhancer(11'025, {.noise = Enhancement::Noise::SuppressLow, .gain = true})
            .error()
            .message == "noise suppression is not available at 11025 Hz");
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

TEST_CASE("what is heard is known at the rate of the canceller, not of the device") {
  for (const int device : {1'000, 2'000, 4'000}) {
    for (const int channels : {1, 2}) {
      CAPTURE(device);
      CAPTURE(channels);
      auto feed = std::make_shared<PlaybackFeed>(Format{device, channels}, 1s, 0ms, true);
      auto tap = PlaybackReference::create(feed, {device, channels}, 1'000);
      REQUIRE(tap);
      feed->ring.write(Samples(static_cast<std::size_t>(device * channels), 16'000));
      feed->finishing = true;
      for (int i = 0; i < 100; ++i) {
        Samples out(static_cast<std::size_t>(device * channels / 100));
        feed->pull(out, k_begin + Milliseconds(10 * i));
      }
      tap->update();
      PlaybackReference::Cursor cursor;
      Samples heard(100);
      tap->read(k_begin + 850ms, heard, cursor);
      for (const Sample sample : heard) CHECK(std::abs(sample - 16'000) < 300);
      CHECK(cursor.silent == 0);
    }
  }
}

TEST_CASE("clocks that drift apart are corrected in a pause, not while something plays") {
  auto feed = std::make_shared<PlaybackFeed>(Format{1'000, 1}, 20s, 0ms, true);
  auto tap = PlaybackReference::create(feed, {1'000, 1}, 1'000);
  REQUIRE(tap);
  feed->ring.write(test_noise(10'000));
  feed->finishing = true;
  PlaybackReference::Cursor cursor;
  std::int64_t moved = 0;
  int first_move = 0;
  for (int i = 0; i < 140; ++i) {  // one percent fast
    Samples out(100);
    feed->pull(out, k_begin + Milliseconds(99 * i));
    tap->update();
    Samples some(90);
    const std::int64_t by = tap->read(k_begin + Milliseconds(90 * i), some, cursor);
    if (by != 0 && first_move == 0) first_move = i;
    moved += by;
  }
  CHECK(first_move > 112);  // after the ten seconds of noise
  CHECK(moved > 80);
  CHECK(moved < 140);
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

namespace {

struct Stretch {
  Side side = Side::Left;
  std::size_t count = 0;
  Sample value = 0;
  Milliseconds at{0};
};

/// A recording's frames, as pairs: of a rate where a frame is a millisecond.
Samples recorded(const std::vector<Stretch>& stretches) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("svc-side-" + std::to_string(::getpid()) + ".wav"))
          .string();
  auto recorder = StereoRecorder::create(path, 1'000, Replace::Yes);
  REQUIRE(recorder);
  for (const Stretch& one : stretches) {
    REQUIRE(recorder->write(one.side, Samples(one.count, one.value), k_begin + one.at));
  }
  REQUIRE(recorder->close());
  auto reader = open_sound_reader(path, {0, 0});
  REQUIRE(reader);
  CHECK((*reader)->format() == Format{1'000, 2});
  auto all = read_all(**reader);
  REQUIRE(all);
  std::filesystem::remove(path);
  return *all;
}

/// Where a side's samples of `value` begin and end, in milliseconds.
std::pair<std::size_t, std::size_t> place_of(const Samples& frames, Side side, Sample value) {
  std::size_t begin = frames.size();
  std::size_t end = 0;
  for (std::size_t i = side == Side::Left ? 0 : 1; i < frames.size(); i += 2) {
    if (frames[i] != value) continue;
    begin = std::min(begin, i / 2);
    end = i / 2 + 1;
  }
  return {begin, end};
}

using Place = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("a stretch continues the one before, unless there is a gap of more than 60 ms") {
  Samples all = recorded({{Side::Left, 10, 1, 0ms}, {Side::Left, 10, 2, 70ms}});
  CHECK(all.size() == 40);
  CHECK(place_of(all, Side::Left, 2) == Place{10, 20});
  all = recorded({{Side::Left, 10, 1, 0ms}, {Side::Left, 10, 2, 71ms}});
  CHECK(all.size() == 2 * 81);
  CHECK(place_of(all, Side::Left, 2) == Place{71, 81});
  // A side's first stretch is at its time; what is late follows what is there.
  all = recorded({{Side::Right, 10, 1, 5ms}, {Side::Left, 10, 2, 45ms}, {Side::Left, 5, 3, 20ms}});
  CHECK(place_of(all, Side::Right, 1) == Place{0, 10});
  CHECK(place_of(all, Side::Left, 2) == Place{40, 50});
  CHECK(place_of(all, Side::Left, 3) == Place{50, 55});
  CHECK(recorded({{Side::Left, 1, 1, 0ms}, {Side::Right, 1, 2, 0ms}}) == Samples{1, 2});
}

TEST_CASE("a side is not waited for longer than ten seconds") {
  Samples all = recorded({{Side::Left, 11'000, 1, 0ms}, {Side::Right, 10, 2, 500ms}});
  CHECK(place_of(all, Side::Right, 2) == Place{1'000, 1'010});
  all = recorded({{Side::Left, 10'000, 1, 0ms}, {Side::Right, 10, 2, 500ms}});
  CHECK(place_of(all, Side::Right, 2) == Place{500, 510});
  all = recorded({{Side::Right, 11'000, 1, 0ms}, {Side::Left, 10, 2, 1'200ms}});
  CHECK(place_of(all, Side::Left, 2) == Place{1'200, 1'210});
  CHECK(all.size() == 22'000);
}
