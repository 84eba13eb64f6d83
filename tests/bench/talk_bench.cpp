// Measures `svc realtime talk` on a virtual sound card whose microphone hears the speaker:
// svc-talk-bench [ROUNDS [MINUTES [PROGRAM]]].
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "row.h"
#include "support/sound_card.h"
#include "support/talk_probe.h"

namespace {

using namespace svc;
using std::chrono::milliseconds;

template <typename T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "svc-talk-bench: {}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

struct Numbers {
  std::vector<double> all{};
  [[nodiscard]] double median() {
    std::ranges::sort(all);
    return all[all.size() / 2];
  }
  [[nodiscard]] std::string text() {
    std::ranges::sort(all);
    return fmt::format("least {:.1f}, median {:.1f}, worst {:.1f} ms", all.front(),
                       all[all.size() / 2], all.back());
  }
};

void barge_in(test::TalkProbe& probe, int rounds) {
  Numbers begin;
  Numbers silence;
  Numbers told;
  Numbers error;
  for (int i = 0; i < rounds; ++i) {
    const test::BargeIn one = must(probe.barge_in(milliseconds(600 + 37 * i)));
    begin.all.push_back(one.begin);
    silence.all.push_back(one.silence);
    told.all.push_back(one.told);
    error.all.push_back(one.heard - one.said);
  }
  bench::print_row("silence after speech_started", "30 ms", silence.text(), silence.median() <= 30);
  const std::string behind = error.text();  // sorts
  bench::print_row("truncate beyond the audio heard", "never", behind, error.all.front() >= 0);
  fmt::print(
      stderr,
      "{} interruptions\n  first delta to first sample: {}\n  still heard after the event: {}\n"
      "  event to truncate: {}\n  heard beyond the truncate position: {}\n",
      rounds, begin.text(), silence.text(), told.text(), error.text());
}

void endurance(test::TalkProbe& probe, int minutes) {
  const test::ProcessUse before = probe.use();
  const auto begin = std::chrono::steady_clock::now();
  const auto until = begin + std::chrono::minutes(minutes);
  // The service speaks most of the time and is interrupted occasionally.
  while (std::chrono::steady_clock::now() < until) {
    must(probe.answer(milliseconds(5'000)));
    // The card may lose part of an answer on a busy machine; nothing is measured here.
    (void)probe.barge_in(milliseconds(1'500));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const test::ProcessUse after = probe.use();
  const double core = 100 * (after.cpu_seconds - before.cpu_seconds) / took.count();
  bench::print_row(fmt::format("{:.0f} s of conversation, echo canceled", took.count()),
                   "3 % of a core", fmt::format("{:.2f} %", core), core < 3);
  fmt::print(stderr, "{:.0f} s of conversation: {} at most ({} at the start)\n", took.count(),
             format_bytes(after.peak_bytes), format_bytes(before.peak_bytes));
}

}  // namespace

int main(int count, char** arguments) {
  int rounds = 20;
  int minutes = 0;
  std::string program = SVC_PROGRAM;
  CLI::App app{"Measures how quickly `svc realtime talk` falls silent."};
  app.add_option("rounds", rounds, "Interruptions")->check(CLI::PositiveNumber);
  app.add_option("minutes", minutes, "Time of the endurance run")->check(CLI::Range(0, 10'000));
  app.add_option("svc", program, "The program svc");
  CLI11_PARSE(app, count, arguments);
  const auto card = must(test::SoundCard::start({.echo = milliseconds(40)}));
  card->apply();
  const std::string directory = card->environment().at("SOUND");
  const auto probe = must(test::TalkProbe::start(
      {.program = program, .recording = directory + "/speaker.raw", .directory = directory}));
  barge_in(*probe, rounds);
  if (minutes > 0) endurance(*probe, minutes);
  const std::string errors = probe->end();
  for (const std::string_view line : split(errors, '\n')) {
    if (line.find("sound:") != line.npos) fmt::print(stderr, "{}\n", line);
  }
  return 0;
}
