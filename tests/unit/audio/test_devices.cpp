// Microphones and speakers on a virtual sound card (tests/support/sound_card.h).
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "audio/devices.h"
#include "audio/duplex.h"
#include "audio/echo_measurement.h"
#include "audio/microphone_speaker.h"
#include "audio/sink.h"
#include "audio/source.h"
#include "base/wait.h"
#include "support/jack_card.h"
#include "support/sound_card.h"

// ThreadSanitizer does not understand how the audio libraries' own threads synchronise.
#if !defined(__SANITIZE_THREAD__)

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;

using svc::test::SoundCard;

namespace {

using Samples = std::vector<Sample>;

std::unique_ptr<SoundCard> card_of(const svc::test::SoundCardOptions& options = {}) {
  auto card = SoundCard::start(options);
  REQUIRE_MESSAGE(card, card.error().message);
  (*card)->apply();
  return std::move(*card);
}

std::unique_ptr<Sink> speaker_of(const SinkOptions& options = {}, const std::string& name = "") {
  auto sink = open_speaker(name, options);
  REQUIRE_MESSAGE(sink, sink.error().message);
  return std::move(*sink);
}

std::unique_ptr<Source> microphone_of(const SourceOptions& options, const std::string& name = "") {
  auto source = open_microphone(name, options);
  REQUIRE_MESSAGE(source, source.error().message);
  REQUIRE((*source)->start());
  return std::move(*source);
}

/// Waits until the card has recorded `part`; returns its position, or -1.
std::ptrdiff_t wait_heard(const SoundCard& card, const Samples& part) {
  for (int tries = 0; tries < 100; ++tries) {
    if (const auto at = svc::test::find_sound(card.heard(), part); at >= 0) return at;
    std::this_thread::sleep_for(20ms);
  }
  return -1;
}

/// All samples of a recording that are not silence.
Samples without_silence(Samples samples) {
  std::erase(samples, Sample{0});
  return samples;
}

/// Captures from a microphone until `part` is found; empty if it never is.
Samples listen_for(Source& source, const Samples& part) {
  Samples all;
  const auto until = Clock::now() + 3s;
  while (Clock::now() < until) {
    const auto block = read_block(source, NeverCanceled(), until);
    REQUIRE_MESSAGE(block, block.error().message);
    if (!*block) break;
    all.insert(all.end(), (*block)->samples.begin(), (*block)->samples.end());
    if (svc::test::find_sound(all, part) >= 0) return all;
  }
  return {};
}

/// The error that a device reports within three seconds.
template <typename Step>
Error error_of(Step step) {
  const auto until = Clock::now() + 5s;
  while (Clock::now() < until) {
    if (Result<void> result = step(); !result) return result.error();
    std::this_thread::sleep_for(10ms);
  }
  return {};
}

}  // namespace

TEST_CASE("a speaker plays every sample") {
  const auto card = card_of();
  const auto sink = speaker_of();
  const Samples noise = svc::test::test_noise(14'400);
  // As from a network: in pieces of any length.
  for (std::size_t at = 0; at < noise.size();) {
    const std::size_t count = std::min<std::size_t>(1 + at % 997, noise.size() - at);
    REQUIRE(write_all(*sink, std::span(noise).subspan(at, count), NeverCanceled()));
    at += count;
  }
  CHECK(sink->written() == noise.size());
  CHECK(sink->position() < noise.size());
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(sink->position() == noise.size());
  CHECK(wait_heard(*card, noise) >= 0);
  REQUIRE(sink->close());
}

TEST_CASE("a speaker buffers first, also what follows an end") {
  const auto card = card_of();
  const auto sink = speaker_of({.prebuffer = 200ms});
  const Samples noise = svc::test::test_noise(2'400);  // 100 ms
  REQUIRE(write_all(*sink, noise, NeverCanceled()));
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(sink->position() == noise.size());
  REQUIRE(write_all(*sink, noise, NeverCanceled()));
  std::this_thread::sleep_for(400ms);
  CHECK(sink->position() == noise.size());
  CHECK_FALSE(sink->idle());
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(sink->position() == 2 * noise.size());
}

TEST_CASE("a microphone captures every sample") {
  const auto card = card_of();
  const auto source = microphone_of({.block = 20ms});
  const Samples noise = svc::test::test_noise(12'000, 7);
  Samples heard;
  for (int tries = 0; heard.empty() && tries < 3; ++tries) {  // a busy machine's card may stumble
    REQUIRE(card->speak(noise));
    heard = listen_for(*source, noise);
  }
  CHECK_FALSE(heard.empty());
  CHECK(source->lost() == 0);
  source->set_muted(true);
  static_cast<void>(read_block(*source, NeverCanceled()));
  const auto block = read_block(*source, NeverCanceled());
  REQUIRE(block);
  REQUIRE(*block);
  CHECK((*block)->samples == Samples(480));
  source->stop();
  while (!source->ended()) REQUIRE(read_block(*source, NeverCanceled()));
}

TEST_CASE("an interruption is silent at once, and the position heard is known") {
  const auto card = card_of();
  const auto sink = speaker_of();
  const Samples speech = svc::test::test_noise(24'000 * 3);
  REQUIRE(write_all(*sink, speech, NeverCanceled()));
  std::this_thread::sleep_for(500ms);
  const auto before = Clock::now();
  const std::uint64_t heard = sink->abort();
  const auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - before);
  CHECK(sink->written() == heard);
  CHECK(sink->position() == heard);
  CHECK(sink->idle());
  std::this_thread::sleep_for(300ms);
  // The card's recording is the truth.
  const Samples truth = without_silence(card->heard());
  const Samples expected = without_silence(speech);
  REQUIRE(truth.size() < expected.size());
  CHECK(std::equal(truth.begin(), truth.end(), expected.begin()));
  INFO("abort took ", took.count(), " ms; heard ", heard / 24, " ms, really ", truth.size() / 24,
       " ms");
  CHECK(heard <= truth.size() + 24);
  CHECK(truth.size() - std::min<std::size_t>(truth.size(), heard) < 24 * 80);
  CHECK(heard > 24 * 100);

  const Samples next = svc::test::test_noise(7'200, 2);
  REQUIRE(write_all(*sink, next, NeverCanceled()));
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(sink->position() == heard + next.size());
  CHECK(wait_heard(*card, next) >= 0);
}

TEST_CASE("a pause loses nothing") {
  const auto card = card_of();
  const auto sink = speaker_of();
  const Samples noise = svc::test::test_noise(14'400, 3);
  REQUIRE(write_all(*sink, noise, NeverCanceled()));
  std::this_thread::sleep_for(250ms);
  sink->pause();
  CHECK(sink->paused());
  std::this_thread::sleep_for(200ms);
  const std::uint64_t held = sink->position();
  std::this_thread::sleep_for(100ms);
  CHECK(sink->position() == held);
  CHECK_FALSE(sink->idle());
  sink->resume();
  REQUIRE(drain(*sink, NeverCanceled()));
  const Samples tail(noise.end() - 2'400, noise.end());
  CHECK(wait_heard(*card, tail) >= 0);
  CHECK(without_silence(card->heard()) == without_silence(noise));
}

TEST_CASE("an unplugged device is an error, not a hang") {
  const auto card = card_of();
  const auto sink = speaker_of();
  const auto source = microphone_of({.block = 20ms});
  const Samples noise = svc::test::test_noise(24'000);
  REQUIRE(write_all(*sink, noise, NeverCanceled()));
  REQUIRE(read_block(*source, NeverCanceled()));
  card->kill();
  const auto start = Clock::now();
  const Error speaker = error_of([&] { return sink->check(); });
  CHECK(speaker.fault == Fault::Local);
  CHECK(speaker.message.find("speaker") != std::string::npos);
  const Error microphone = error_of([&]() -> Result<void> {
    SVC_TRY(block, source->take());
    static_cast<void>(block);
    return {};
  });
  CHECK(microphone.fault == Fault::Local);
  CHECK(microphone.message.find("microphone") != std::string::npos);
  CHECK(Clock::now() - start < 4s);
  CHECK_FALSE(drain(*sink, NeverCanceled()));
  CHECK_FALSE(write_all(*sink, noise, NeverCanceled()));
}

TEST_CASE("a microphone that silently stops is detected") {
  const auto card = card_of();
  const auto source = microphone_of({.block = 20ms, .timeout = 500ms});
  REQUIRE(read_block(*source, NeverCanceled()));
  REQUIRE(card->suspend_microphone(true));
  const auto start = Clock::now();
  Result<std::optional<Block>> block = read_block(*source, NeverCanceled(), start + 4s);
  while (block && *block) block = read_block(*source, NeverCanceled(), start + 4s);
  REQUIRE_FALSE(block);
  CHECK(block.error().fault == Fault::Local);
  CHECK(block.error().message.find("delivered no audio for 500 ms") != std::string::npos);
}

TEST_CASE("devices have numbers and names") {
  const auto card = card_of();
  const auto devices = list_devices(NeverCanceled());
  REQUIRE(devices);
  const auto microphone = choose_device(*devices, Direction::Input, "fake_mic");
  REQUIRE_MESSAGE(microphone, microphone.error().message);
  CHECK(microphone->input_channels > 0);
  const auto loud = choose_device(*devices, Direction::Output, "fake_SPEAK");
  REQUIRE_MESSAGE(loud, loud.error().message);
  CHECK(choose_device(*devices, Direction::Output, "")->default_output);
  const auto sink = speaker_of({}, std::to_string(loud->index));
  const Samples noise = svc::test::test_noise(6'000, 5);
  REQUIRE(write_all(*sink, noise, NeverCanceled()));
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(wait_heard(*card, noise) >= 0);
  CHECK_FALSE(open_speaker("no such device", {}));
}

TEST_CASE("a device that rejects our rate gets its own") {
  const auto jack = svc::test::JackCard::start(48'000);
  REQUIRE_MESSAGE(jack, jack.error().message);
  (*jack)->apply();
  const auto sink = speaker_of({.format = {24'000, 1}}, "system");
  const Samples tone = svc::test::test_tone(12'000, 24'000, 440);
  REQUIRE(write_all(*sink, tone, NeverCanceled()));
  const auto start = Clock::now();
  REQUIRE(drain(*sink, NeverCanceled()));
  const auto took = Clock::now() - start;
  CHECK(sink->position() == tone.size());
  CHECK(took > 400ms);
  CHECK(took < 3s);
  const auto source = microphone_of({.format = {16'000, 1}, .block = 100ms}, "system");
  for (int i = 0; i < 3; ++i) {
    const auto block = read_block(*source, NeverCanceled(), Clock::now() + 2s);
    REQUIRE(block);
    REQUIRE(*block);
    CHECK((*block)->samples.size() == 1'600);
  }
}

TEST_CASE("a conversation on a card whose microphone hears the speaker") {
  auto card = svc::test::SoundCard::start({.echo = 40ms});
  REQUIRE_MESSAGE(card, card.error().message);
  (*card)->apply();
  for (const EchoMode mode : {EchoMode::Off, EchoMode::Cancel}) {
    auto duplex = open_duplex({.echo = mode});
    REQUIRE_MESSAGE(duplex, duplex.error().message);
    CHECK_MESSAGE(duplex->echo == mode, duplex->why);
    REQUIRE(duplex->microphone->start());
    const Samples speech = probe_signal(24'000, 3s);
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
    const double rest = level_of(std::span(heard).last(24'000)).rms;
    const double said = level_of(std::span(played).last(24'000)).rms;
    if (mode == EchoMode::Off) CHECK(decibels(said) - decibels(rest) < 6);
    if (mode == EchoMode::Cancel) CHECK(decibels(said) - decibels(rest) > 20);
  }
}

#endif
