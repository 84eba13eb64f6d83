#include "rooms/score.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace svc::rooms {
namespace {

constexpr std::size_t k_frame = k_rate / 50;
constexpr double k_word = 0.35;           // seconds: a first word
constexpr double k_least_likeness = 0.6;  // correlation with the clean talker
constexpr double k_most_softened = 6;     // dB

/// Frames with which speech starts, according to a service.
std::vector<std::size_t> speech_starts(const Samples& samples, double noise) {
  constexpr int k_silent_frames = 20;
  const double threshold = std::clamp(noise + 8, -40.0, -31.0);
  std::vector<std::size_t> starts;
  std::vector<bool> loud;
  bool speaking = false;
  int silent = 0;
  for (std::size_t at = 0; at + k_frame <= samples.size(); at += k_frame) {
    const double level =
        audio::decibels(audio::level_of(std::span(samples).subspan(at, k_frame)).rms);
    loud.push_back(level > threshold);
    silent = loud.back() ? 0 : silent + 1;
    if (speaking && silent > k_silent_frames) speaking = false;
    const auto recent =
        std::count(loud.end() - std::min<std::ptrdiff_t>(5, std::ssize(loud)), loud.end(), true);
    if (speaking || recent < 3) continue;
    speaking = true;
    starts.push_back(loud.size() - 1);
  }
  return starts;
}

/// How like the clean voice it is, and how much softer in dB.
struct Likeness {
  double correlation = 0;
  double softened = 60;
};

Likeness compare(std::span<const audio::Sample> clean, std::span<const audio::Sample> heard) {
  double shared = 0;
  double one = 1e-9;
  double other = 1e-9;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    shared += static_cast<double>(clean[i]) * heard[i];
    one += static_cast<double>(clean[i]) * clean[i];
    other += static_cast<double>(heard[i]) * heard[i];
  }
  return {shared / std::sqrt(one * other), -20 * std::log10(std::max(1e-3, shared / one))};
}

/// Adds what became of an utterance that was noticed `late` ms after its start, or missed.
void add_utterance(Score& score, const Scene& scene, const Samples& filtered,
                   const Utterance& utterance, std::optional<double> late) {
  const auto word = static_cast<std::size_t>(k_word * k_rate);
  const std::size_t length = std::min(utterance.end, filtered.size()) - utterance.begin;
  const auto part = [&](const Samples& all, std::size_t count) {
    return std::span(all).subspan(utterance.begin, count);
  };
  const Likeness begin = compare(part(scene.talker, word), part(filtered, word));
  const Likeness whole = compare(part(scene.talker, length), part(filtered, length));
  const bool kept = begin.correlation > k_least_likeness && begin.softened < k_most_softened;
  score.details += fmt::format(
      "  talks at {:.2f} s: {}, first word {} (likeness {:.2f}, {:.0f} dB softer), {:.1f} dB "
      "softer\n",
      static_cast<double>(utterance.begin) / k_rate,
      late ? fmt::format("noticed after {:.0f} ms", *late) : "missed", kept ? "kept" : "LOST",
      begin.correlation, begin.softened, whole.softened);
  const bool first = &utterance == &scene.utterances.front();
  if (late) score.until.push_back(*late);
  if (late && first) score.first_until.push_back(*late);
  ++score.said;
  score.noticed += late ? 1 : 0;
  score.words += kept ? 1 : 0;
  score.first_said += first ? 1 : 0;
  score.first_noticed += first && late ? 1 : 0;
  score.first_words += first && kept ? 1 : 0;
  score.softened.push_back(whole.softened);
}

}  // namespace

void Score::add(const Score& other) {
  said += other.said;
  noticed += other.noticed;
  words += other.words;
  until.insert(until.end(), other.until.begin(), other.until.end());
  softened.insert(softened.end(), other.softened.begin(), other.softened.end());
  first_said += other.first_said;
  first_noticed += other.first_noticed;
  first_words += other.first_words;
  first_until.insert(first_until.end(), other.first_until.begin(), other.first_until.end());
  false_starts += other.false_starts;
  alone += other.alone;
  cpu += other.cpu;
  scenes += other.scenes;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Score score_of(const Scene& scene, const Setting& setting, const Filtered& filtered) {
  Score score;
  score.scenes = 1;
  score.cpu = filtered.cpu;
  const auto starts = speech_starts(filtered.samples, setting.noise);
  const auto audible = speech_starts(scene.talker, setting.noise);
  const auto emitted = [&](std::size_t sample) {  // when it was ready, in samples of input
    const auto step = std::ranges::lower_bound(filtered.ready, sample);
    return static_cast<std::size_t>(step - filtered.ready.begin() + 1) * k_rate / 100;
  };
  std::vector<bool> used(starts.size());
  double covered = 0;
  for (const Utterance& utterance : scene.utterances) {
    const std::size_t reach = k_rate / 5;
    // What was held back may begin before the utterance, but was not heard before it.
    const auto belongs = [&](std::size_t start) {
      const std::size_t at = (start + 1) * k_frame;
      return at <= utterance.end + 2 * reach && at + 4 * reach > utterance.begin &&
             emitted(at) > utterance.begin;
    };
    std::optional<double> late;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (!belongs(starts[i])) continue;
      const std::size_t at = (starts[i] + 1) * k_frame;
      used[i] = true;
      if (!late) late = 1000.0 * static_cast<double>(emitted(at) - utterance.begin) / k_rate;
    }
    covered += static_cast<double>(utterance.end - utterance.begin + 2 * reach) / k_rate;
    // Too soft for a service even where nothing plays.
    if (std::ranges::none_of(audible, belongs)) continue;
    add_utterance(score, scene, filtered.samples, utterance, late);
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (used[i]) continue;
    score.details +=
        fmt::format("  FALSE start at {:.2f} s\n", static_cast<double>(starts[i]) / 50);
  }
  score.false_starts = static_cast<int>(std::ranges::count(used, false));
  score.alone = setting.seconds - covered;
  return score;
}

}  // namespace svc::rooms
