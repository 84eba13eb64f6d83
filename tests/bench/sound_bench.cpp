// Measures audio on a virtual sound card (support/sound_card.h): svc-sound-bench [SECONDS].
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "audio/duplex.h"
#include "audio/microphone_speaker.h"
#include "audio/sink.h"
#include "base/wait.h"
#include "row.h"
#include "support/sound_card.h"

namespace {

using namespace svc;
using namespace svc::audio;
using namespace std::chrono_literals;
using Samples = std::vector<Sample>;

template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "svc-sound-bench: {}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// CPU time of all threads of this process.
double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Numbers {
  std::vector<double> all{};
  void add(double number) { all.push_back(number); }
  [[nodiscard]] double of_hundred(std::size_t share) {
    std::ranges::sort(all);
    return all[all.size() * share / 100];
  }
  [[nodiscard]] std::string text() {
    std::ranges::sort(all);
    return fmt::format("median {:.2f}, 99 % {:.2f}, worst {:.2f} ms", all[all.size() / 2],
                       all[all.size() * 99 / 100], all.back());
  }
};

/// Time from the callback that completes a block until it has been written to a socket.
void capture(int rate, Milliseconds block_time, int seconds) {
  const auto system = must(SoundSystem::open());
  const auto devices = system->devices();
  const auto device = must(choose_device(devices, Direction::Input, ""));
  const auto microphone =
      must(Microphone::open(system, device, {.format = {rate, 1}, .block = block_time}));
  std::array<int, 2> socket{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, socket.data()) != 0) return;
  std::jthread reader([fd = socket[1]] {  // "reader": runs until the socket closes
    std::array<char, 16'384> bytes{};
    while (::read(fd, bytes.data(), bytes.size()) > 0) {
    }
  });
  must(microphone->start());
  Numbers late;
  const double before = cpu_seconds();
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  std::size_t wakes = 0;
  while (Clock::now() < until) {
    must(wait_readable(microphone->wait_fd(), until, NeverCanceled()));
    ++wakes;
    const auto block = must(microphone->take());
    if (!block) continue;
    const std::string bytes = encode(block->samples, Encoding::Pcm);
    if (::write(socket[0], bytes.data(), bytes.size()) < 0) break;
    late.add(milliseconds(Clock::now() - microphone->arrived()));
  }
  const double cpu = cpu_seconds() - before;
  microphone->stop();
  ::close(socket[0]);
  bench::print_row(fmt::format("{} ms of audio to the socket", block_time.count()), "5 ms",
                   late.text(), late.of_hundred(99) <= 5);
  fmt::print(stderr, "capture {} Hz: {:.2f} % of a core, {:.0f} wake-ups a second\n", rate,
             100 * cpu / seconds, static_cast<double>(wakes) / seconds);
}

void playback(const test::SoundCard& card, int seconds) {
  const auto opening = Clock::now();
  const auto sink = must(open_speaker("", {}));
  const double opened = milliseconds(Clock::now() - opening);
  std::this_thread::sleep_for(500ms);
  const Samples noise = test::test_noise(static_cast<std::size_t>(24'000 * seconds));
  const double before = cpu_seconds();
  const auto start = Clock::now();
  // As a network delivers it: 20 ms at a time, faster than real time.
  std::size_t at = 0;
  double first = 0;
  while (at < noise.size()) {
    const std::size_t count = std::min<std::size_t>(480, noise.size() - at);
    must(write_all(*sink, std::span(noise).subspan(at, count), NeverCanceled()));
    at += count;
    if (first == 0 && sink->position() > 0) first = milliseconds(Clock::now() - start);
    if (at < 24'000) std::this_thread::sleep_for(5ms);
  }
  while (first == 0) {
    std::this_thread::sleep_for(1ms);
    if (sink->position() > 0) first = milliseconds(Clock::now() - start);
  }
  must(drain(*sink, NeverCanceled()));
  const double cpu = cpu_seconds() - before;
  std::this_thread::sleep_for(200ms);
  fmt::print(stderr,
             "playback: opened in {:.0f} ms; first byte written to first sample played {:.0f} ms; "
             "{:.2f} % of a core; {}\n",
             opened, first, 100 * cpu / seconds,
             test::find_sound(card.heard(), noise) >= 0 ? "byte-exact" : "NOT byte-exact");
}

void interruption(test::SoundCard& card) {
  const auto sink = must(open_speaker("", {}));
  Numbers took;
  Numbers unheard;
  for (int i = 0; i < 10; ++i) {
    const std::size_t before = static_cast<std::size_t>(
        std::ranges::count_if(card.heard(), [](Sample sample) { return sample != 0; }));
    must(write_all(*sink, test::test_noise(48'000, static_cast<std::uint32_t>(i) + 1),
                   NeverCanceled()));
    const std::uint64_t begin = sink->position();
    std::this_thread::sleep_for(Milliseconds(400 + 13 * i));
    const auto start = Clock::now();
    const std::uint64_t heard = sink->abort() - begin;
    took.add(milliseconds(Clock::now() - start));
    std::this_thread::sleep_for(200ms);
    const auto after = static_cast<std::size_t>(
        std::ranges::count_if(card.heard(), [](Sample sample) { return sample != 0; }));
    unheard.add(static_cast<double>(after - before) / 24.0 - static_cast<double>(heard) / 24.0);
  }
  fmt::print(stderr, "interruption: abort {}; played beyond the reported position: {}\n",
             took.text(), unheard.text());
}

void conversation(int seconds) {
  const auto duplex = must(open_duplex({}));
  must(duplex.microphone->start());
  must(write_all(*duplex.speaker, test::test_noise(static_cast<std::size_t>(24'000 * seconds)),
                 NeverCanceled()));
  const double before = cpu_seconds();
  const auto until = Clock::now() + std::chrono::seconds(seconds);
  while (Clock::now() < until)
    static_cast<void>(must(read_block(*duplex.microphone, NeverCanceled(), until)));
  fmt::print(stderr, "conversation with {}: {:.2f} % of a core\n",
             duplex.echo == EchoMode::Cancel ? "echo cancellation" : "half duplex",
             100 * (cpu_seconds() - before) / seconds);
}

}  // namespace

int main(int count, char** arguments) {
  int seconds = 10;
  CLI::App app{"Measures capture, playback and conversation."};
  app.add_option("seconds", seconds, "Time of each part")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, arguments);
  const auto card = must(test::SoundCard::start());
  card->apply();
  capture(16'000, 100ms, seconds);
  capture(24'000, 20ms, seconds);
  playback(*card, seconds);
  interruption(*card);
  conversation(seconds);
  return 0;
}
