// Sources and sinks for files and pipes.
#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>
#include <unistd.h>

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

}  // namespace

TEST_CASE("raw bytes become blocks as they arrive") {
  const Pipe pipe;
  const SourceOptions options{.format = {1'000, 1}, .block = 10ms};
  auto source = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Timing::Immediate);
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

TEST_CASE("a file is read in real time or at once, and can be stopped") {
  const std::string path = temporary("pace.wav");
  const Samples noise = test_noise(4'100);  // the last block is short
  auto writer = WavWriter::create(path, {16'000, 1}, Replace::Yes);
  REQUIRE(writer);
  REQUIRE(writer->write(noise));
  REQUIRE(writer->close());
  const SourceOptions options{.format = {0, 0}, .block = 50ms};
  for (const Timing timing : {Timing::RealTime, Timing::Immediate}) {
    auto source = open_sound_file(path, options, timing);
    REQUIRE(source);
    CHECK((*source)->format() == Format{16'000, 1});
    const auto start = Clock::now();
    REQUIRE((*source)->start());
    Samples all;
    while (!(*source)->ended()) {
      auto block = read_block(**source, NeverCanceled());
      REQUIRE(block);
      if (!*block) continue;
      all.insert(all.end(), (*block)->samples.begin(), (*block)->samples.end());
      if (timing == Timing::RealTime)
        CHECK(Clock::now() >= start + time_of({16'000, 1}, all.size()));
    }
    CHECK(all == noise);
    if (timing == Timing::RealTime) CHECK(Clock::now() - start >= 250ms);
  }
  auto source = open_sound_file(path, options, Timing::RealTime);
  REQUIRE(source);
  REQUIRE((*source)->start());
  REQUIRE(read_block(**source, NeverCanceled()));
  (*source)->set_muted(true);
  const auto muted = read_block(**source, NeverCanceled());
  CHECK((*muted)->samples == Samples(800));
  CHECK((*source)->level().peak > 0.2);
  (*source)->stop();
  std::size_t left = 0;
  while (!(*source)->ended()) {
    const auto block = read_block(**source, NeverCanceled());
    REQUIRE(block);
    if (*block) left += (*block)->samples.size();
  }
  CHECK(left < 2'400);
  std::filesystem::remove(path);
}

TEST_CASE("a real-time sink plays like a device") {
  auto sink =
      open_null_sink({.format = {1'000, 1}, .prebuffer = 20ms, .ring = 1s}, Timing::RealTime);
  CHECK(*sink->write(Samples(15, 1)) == 15);
  std::this_thread::sleep_for(30ms);
  CHECK(sink->position() == 0);
  // A sample is a millisecond; the machine may pause at any time.
  const auto begin = Clock::now();
  const auto passed = [&] {
    return static_cast<std::uint64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - begin).count());
  };
  CHECK(*sink->write(Samples(2'000, 1)) == 985);
  const std::size_t more = *sink->write(Samples(100, 1));
  CHECK(more <= passed());
  std::this_thread::sleep_for(50ms);
  const std::uint64_t heard = sink->abort();
  CHECK(heard >= 50);
  CHECK(heard <= passed());
  CHECK(sink->written() == heard);
  CHECK(sink->idle());
  REQUIRE(write_all(*sink, Samples(10, 1), NeverCanceled()));
  CHECK_FALSE(sink->idle());
  REQUIRE(drain(*sink, NeverCanceled()));
  CHECK(sink->position() == heard + 10);
  sink->pause();
  sink->finish();
  REQUIRE(sink->write(Samples(5, 1)));
  std::this_thread::sleep_for(20ms);
  CHECK(sink->position() == heard + 10);
  sink->resume();
  REQUIRE(drain(*sink, NeverCanceled()));
}

TEST_CASE("audio dropped by an interruption is not in the file") {
  const std::string path = temporary("abort.wav");
  const SinkOptions options{.format = {8'000, 1}, .prebuffer = 0ms};
  auto sink = open_wav_sink(path, Replace::Yes, options, Timing::RealTime);
  REQUIRE(sink);
  REQUIRE(write_all(**sink, Samples(80'000, 1), NeverCanceled()));
  std::this_thread::sleep_for(40ms);
  const std::uint64_t heard = (*sink)->abort();
  REQUIRE(write_all(**sink, Samples(800, 2), NeverCanceled()));
  REQUIRE(drain(**sink, NeverCanceled()));
  REQUIRE((*sink)->close());
  auto reader = open_sound_reader(path, {0, 0});
  REQUIRE(reader);
  const auto all = read_all(**reader);
  REQUIRE(all);
  CHECK(all->size() == heard + 800);
  std::filesystem::remove(path);
}

TEST_CASE("raw audio to a pipe whose reader may disconnect") {
  Pipe pipe;
  auto sink =
      open_raw_sink(pipe.fds[1], Encoding::MuLaw, {.format = {8'000, 1}}, Timing::Immediate);
  REQUIRE(sink);
  const Samples noise = test_noise(100);
  CHECK(*(*sink)->write(noise) == 100);
  CHECK((*sink)->position() == 100);
  std::string bytes(100, '\0');
  REQUIRE(::read(pipe.fds[0], bytes.data(), bytes.size()) == 100);
  CHECK(bytes == encode(noise, Encoding::MuLaw));
}
