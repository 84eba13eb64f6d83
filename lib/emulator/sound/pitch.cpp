#include "emulator/sound/pitch.h"

#include <algorithm>
#include <vector>

namespace svc::emulator::speech {
namespace {

// At 4 kHz, which is enough for pitch and a sixteenth of the work.
constexpr int k_pitch_rate = 4000;
constexpr std::size_t k_window = 160;  // 40 ms
constexpr std::size_t k_least_lag = k_pitch_rate / 320;
constexpr std::size_t k_most_lag = k_pitch_rate / 65;

std::vector<double> thinned(SampleView samples) {
  std::vector<double> out;
  for (std::size_t i = 0; i + 4 <= samples.size(); i += 4) {
    out.push_back((double(samples[i]) + samples[i + 1] + samples[i + 2] + samples[i + 3]) / 4);
  }
  return out;
}

}  // namespace

double pitch_of(SampleView samples) {
  const std::vector<double> thin = thinned(samples);
  std::vector<double> found;
  for (std::size_t at = 0; at + k_window + k_most_lag < thin.size(); at += k_window / 2) {
    double energy = 0;
    for (std::size_t i = 0; i < k_window; ++i) energy += thin[at + i] * thin[at + i];
    if (energy / k_window < 300.0 * 300.0) continue;
    double best = 0;
    std::size_t best_lag = 0;
    for (std::size_t lag = k_least_lag; lag <= k_most_lag; ++lag) {
      double sum = 0;
      double other = 0;
      for (std::size_t i = 0; i < k_window; ++i) {
        sum += thin[at + i] * thin[at + i + lag];
        other += thin[at + i + lag] * thin[at + i + lag];
      }
      // Twice the period fits as well: the shorter one is preferred.
      const double likeness = sum / (energy + other + 1) * 2 - 0.0005 * static_cast<double>(lag);
      if (likeness > best) {
        best = likeness;
        best_lag = lag;
      }
    }
    if (best > 0.6) found.push_back(double(k_pitch_rate) / static_cast<double>(best_lag));
  }
  if (found.size() < 3) return 0;
  std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2));
  return found[found.size() / 2];
}

}  // namespace svc::emulator::speech
