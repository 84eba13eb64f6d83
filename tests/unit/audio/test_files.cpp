// Sources and sinks for files and pipes.
#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
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
  CHECK(readable(raw.wait_fd()));  // take() is to be called at once
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

TEST_CASE("raw audio is cut into whole frames, and its time follows from them") {
  const Pipe pipe;
  const SourceOptions options{.format = {1'000, 2}, .block = 2ms};
  auto source = open_raw_source(pipe.fds[0], Encoding::MuLaw, options, Timing::RealTime);
  REQUIRE(source);
  CHECK((*source)->format() == Format{1'000, 2});
  CHECK_FALSE(*(*source)->take());
  const Samples noise = test_noise(9);
  pipe.put(encode(noise, Encoding::MuLaw));
  const_cast<Pipe&>(pipe).end();
  const auto before = Clock::now();
  REQUIRE((*source)->start());
  const auto after = Clock::now();
  std::vector<Block> blocks;
  while (!(*source)->ended()) {
    auto block = read_block(**source, NeverCanceled());
    REQUIRE(block);
    if (*block) blocks.push_back(**block);
  }
  REQUIRE(blocks.size() == 2);
  const Samples heard = decode(encode(noise, Encoding::MuLaw), Encoding::MuLaw);
  CHECK(blocks[0].samples == Samples(heard.begin(), heard.begin() + 4));
  CHECK(blocks[1].samples == Samples(heard.begin() + 4, heard.begin() + 8));
  CHECK(blocks[0].first == 0);
  CHECK(blocks[1].first == 2);
  CHECK(blocks[0].ended >= before + 2ms);
  CHECK(blocks[0].ended <= after + 2ms);
  CHECK(blocks[1].ended - blocks[0].ended == 2ms);
  CHECK((*source)->level().peak == level_of(blocks[1].samples).peak);
}

TEST_CASE("what nobody took is dropped when a source is stopped that is not in real time") {
  const Pipe pipe;
  const SourceOptions options{.format = {1'000, 1}, .block = 10ms};
  auto source = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Timing::Immediate);
  REQUIRE(source);
  REQUIRE((*source)->start());
  pipe.put(std::string(14, 'x'));
  CHECK_FALSE(*(*source)->take());
  (*source)->stop();
  CHECK((*source)->ended());
  CHECK(readable((*source)->wait_fd()));
  CHECK_FALSE(*(*source)->take());
}

TEST_CASE("of a source in real time that is stopped, what was spoken until then remains") {
  const Pipe pipe;
  const SourceOptions options{.format = {1'000, 2}, .block = 2s};
  auto source = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Timing::RealTime);
  REQUIRE(source);
  pipe.put(std::string(8'000, 'x'));
  const auto before = Clock::now();
  REQUIRE((*source)->start());
  CHECK_FALSE(*(*source)->take());
  std::this_thread::sleep_for(20ms);
  while ((Clock::now() - before) % 1ms < 700us) continue;  // most of a frame is over
  (*source)->stop();
  const auto passed = std::chrono::ceil<Milliseconds>(Clock::now() - before);
  CHECK_FALSE((*source)->ended());
  // To the nearest frame, which may be due in a moment.
  const auto block = read_block(**source, NeverCanceled());
  REQUIRE(block);
  REQUIRE(*block);
  CHECK((*block)->samples.size() >= 2 * 19);
  CHECK((*block)->samples.size() <= 2 * static_cast<std::size_t>(passed.count() + 1));
  CHECK((*block)->samples.size() % 2 == 0);
  CHECK((*source)->ended());
  auto early = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Timing::RealTime);
  REQUIRE(early);
  (*early)->stop();
  CHECK((*early)->ended());
}

TEST_CASE("a source that cannot be read is an error, and waiting for it ends") {
  const int folder = ::open("/", O_RDONLY | O_DIRECTORY);
  const SourceOptions options{.format = {1'000, 1}, .block = 10ms};
  auto broken = open_raw_source(folder, Encoding::Pcm, options, Timing::Immediate);
  REQUIRE(broken);
  REQUIRE((*broken)->start());
  const auto block = read_block(**broken, NeverCanceled());
  ::close(folder);
  REQUIRE_FALSE(block);
  CHECK(block.error().fault == Fault::Local);
  CHECK(block.error().message == "cannot read audio from standard input: Is a directory");
  const Pipe pipe;
  auto silent = open_raw_source(pipe.fds[0], Encoding::Pcm, options, Timing::Immediate);
  REQUIRE(silent);
  REQUIRE((*silent)->start());
  const auto nothing = read_block(**silent, NeverCanceled(), Clock::now());
  REQUIRE(nothing);
  CHECK_FALSE(*nothing);
  CancelSource canceled;
  canceled.cancel();
  const auto stopped = read_block(**silent, canceled);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().fault == Fault::Interrupted);
}

TEST_CASE("a paused sink takes what fits, and plays it afterwards") {
  auto sink =
      open_null_sink({.format = {1'000, 2}, .prebuffer = 20ms, .ring = 1s}, Timing::Immediate);
  CHECK(sink->format() == Format{1'000, 2});
  CHECK(*sink->write(Samples{100, 200, 300}) == 2);  // a whole frame
  CHECK(sink->position() == 1);
  CHECK(sink->level().peak == level_of(Samples{100, 200}).peak);
  sink->pause();
  CHECK(sink->paused());
  CHECK(*sink->write(Samples(3'000, 1)) == 2'000);
  CHECK(*sink->write(Samples(2, 1)) == 0);
  CHECK(sink->written() == 1'001);
  CHECK(sink->position() == 1);
  CHECK_FALSE(sink->idle());
  CancelSource canceled;
  canceled.cancel();
  const auto stopped = write_all(*sink, Samples(2, 1), canceled);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().fault == Fault::Interrupted);
  CHECK_FALSE(drain(*sink, canceled));
  sink->resume();
  CHECK_FALSE(sink->paused());
  CHECK(sink->position() == 1'001);
  CHECK(sink->idle());
  sink->pause();
  CHECK(*sink->write(Samples(10, 1)) == 10);
  CHECK(sink->abort() == 1'001);  // what waits is not heard any more
  CHECK(sink->written() == 1'001);
  CHECK(sink->level().peak == 0);
  sink->resume();
  CHECK(sink->position() == 1'001);
  CHECK(*sink->write(Samples(4, 1)) == 4);
  CHECK(sink->position() == 1'003);
  REQUIRE(sink->check());
  REQUIRE(sink->close());
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

TEST_CASE("a real-time sink plays though nobody looks") {
  const auto open = [] {
    return open_null_sink({.format = {1'000, 1}, .prebuffer = 20ms, .ring = 10s}, Timing::RealTime);
  };
  auto sink = open();
  REQUIRE(sink->write(Samples(10, 1)));  // fewer than it buffers
  sink->finish();
  std::this_thread::sleep_for(15ms);
  CHECK(sink->idle());
  REQUIRE(sink->write(Samples(10, 1)));
  std::this_thread::sleep_for(15ms);
  CHECK(sink->position() == 10);  // it buffers again
  REQUIRE(sink->write(Samples(5'000, 1)));
  std::this_thread::sleep_for(15ms);
  sink->pause();
  const std::uint64_t heard = sink->position();
  CHECK(heard >= 25);
  std::this_thread::sleep_for(15ms);
  CHECK(sink->position() == heard);
  sink->resume();
  std::this_thread::sleep_for(15ms);
  CHECK(sink->position() >= heard + 15);
}

TEST_CASE("a real-time sink's failure is noticed by check()") {
  Pipe pipe;
  auto sink = open_raw_sink(pipe.fds[1], Encoding::Pcm, {.format = {1'000, 1}, .prebuffer = 0ms},
                            Timing::RealTime);
  REQUIRE(sink);
  ::signal(SIGPIPE, SIG_IGN);
  ::close(std::exchange(pipe.fds[0], -1));
  (*sink)->pause();
  REQUIRE((*sink)->write(Samples(1'000, 1)));
  (*sink)->resume();
  std::this_thread::sleep_for(5ms);
  CHECK((*sink)->check().error().fault == Fault::ReaderGone);
}

TEST_CASE("a file has what was heard until it was closed") {
  const std::string path = temporary("closed.wav");
  auto sink =
      open_wav_sink(path, Replace::Yes, {.format = {1'000, 1}, .prebuffer = 0ms}, Timing::RealTime);
  REQUIRE(sink);
  REQUIRE((*sink)->write(Samples(60'000, 1)));
  std::this_thread::sleep_for(20ms);
  REQUIRE((*sink)->close());
  auto reader = open_sound_reader(path, {0, 0});
  REQUIRE(reader);
  const auto all = read_all(**reader);
  REQUIRE(all);
  CHECK(all->size() >= 20);
  CHECK(all->size() < 60'000);
  std::filesystem::remove(path);
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
  ::signal(SIGPIPE, SIG_IGN);
  ::close(std::exchange(pipe.fds[0], -1));
  const auto lost = (*sink)->write(noise);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().fault == Fault::ReaderGone);
  CHECK(lost.error().message == "the audio reader closed the pipe");
  CHECK((*sink)->check().error().fault == Fault::ReaderGone);  // from then on
  CHECK((*sink)->close().error().fault == Fault::ReaderGone);
  CHECK((*sink)->write(noise).error().fault == Fault::ReaderGone);
}

TEST_CASE("raw audio to a full device is an error, and to a full pipe waits for the reader") {
  const int full = ::open("/dev/full", O_WRONLY);
  auto sink = open_raw_sink(full, Encoding::Pcm, {.format = {8'000, 1}}, Timing::Immediate);
  REQUIRE(sink);
  const auto lost = (*sink)->write(Samples(8));
  ::close(full);
  REQUIRE_FALSE(lost);
  CHECK(lost.error().fault == Fault::Local);
  CHECK(lost.error().message == "cannot write the audio: No space left on device");
  const Pipe pipe;
  REQUIRE(::fcntl(pipe.fds[1], F_SETFL, O_NONBLOCK) == 0);
  auto slow = open_raw_sink(pipe.fds[1], Encoding::Pcm, {.format = {48'000, 1}}, Timing::Immediate);
  REQUIRE(slow);
  const Samples noise = test_noise(100'000);
  std::string got(200'000, '\0');
  std::jthread reader([&] {  // ends once it has everything
    for (std::size_t at = 0; at < got.size();) {
      const ssize_t some = ::read(pipe.fds[0], got.data() + at, got.size() - at);
      if (some <= 0) break;
      at += static_cast<std::size_t>(some);
    }
  });
  CHECK(*(*slow)->write(noise) == noise.size());
  CHECK((*slow)->position() == noise.size());
  reader.join();
  CHECK(got == encode(noise, Encoding::Pcm));
}
