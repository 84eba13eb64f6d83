#include "audio/voice_detector.h"

#include <algorithm>
#include <cmath>

namespace svc::audio {
namespace {

constexpr double k_lowest = 200;  // Hz
constexpr double k_highest = 6'000;
constexpr double k_decay = 0.8;          // of an echo in a step: 1 dB, a room of 0.6 s
constexpr double k_noise_margin = 4;     // noise varies
constexpr double k_noise_rise = 1.0023;  // a step: 1 dB a second
constexpr double k_margin = 3;           // dB
constexpr double k_young_margin = 3;     // dB more at first, when little was learnt
constexpr int k_young_steps = 400;
constexpr double k_most = 15;  // dB: one loud band is not a voice
// Evidence of a voice: by how much each step exceeds noise and echo, less what an echo does now and
// then. A loud voice is detected after 40 ms, a soft one later.
constexpr double k_most_of_step = 2.5;  // dB
constexpr double k_of_echo = 0.4;
constexpr double k_enough = 8;
constexpr double k_fading = 5;     // after 80 ms
constexpr double k_recent = 0.15;  // a step
constexpr double k_loud = 1.5;
constexpr double k_doubtful = 0.7;  // perhaps a voice that is too soft: not learnt
constexpr int k_hold = 30;          // steps: bridges pauses between words
constexpr double k_quantile = 0.9;
constexpr int k_fast_steps = 100;
constexpr double k_fast = 3;  // dB a step
constexpr double k_slow = 0.15;
constexpr std::size_t k_delay_steps = 30;  // a voice is detected within them

double in_decibels(double power) {
  return 10 * std::log10(std::max(power, 1e-12));
}

}  // namespace

VoiceDetector::VoiceDetector(int rate, std::size_t bins) : m_size(2 * (bins - 1)) {
  const double bin_width = static_cast<double>(rate) / static_cast<double>(m_size);
  const double top = std::min(k_highest, bin_width * static_cast<double>(bins - 1));
  double from = k_lowest;
  for (Band& band : m_bands) {
    const double to = from * std::pow(top / k_lowest, 1.0 / k_bands);
    band.begin = static_cast<std::size_t>(std::lround(from / bin_width));
    band.end = std::max(band.begin + 1, static_cast<std::size_t>(std::lround(to / bin_width)));
    from = to;
  }
}

/// Moves to the level that nine of ten steps stay below.
void VoiceDetector::learn(const Step& step, double pace) {
  for (std::size_t i = 0; i < k_bands; ++i) {
    Band& band = m_bands[i];
    const auto [left, echo] = step[i];
    if (echo < 4 * band.noise) continue;
    const bool above = left > band.share * echo;
    const double change = pace * (above ? k_quantile : k_quantile - 1);
    band.share = std::clamp(band.share * std::pow(10, change / 10), 1e-4, 4.0);
  }
}

bool VoiceDetector::add(std::span<const Bin> left, std::span<const Bin> echo) {
  ++m_steps;
  double score = 0;
  double noise = 0;
  const double young = 1 - std::min(1.0, static_cast<double>(m_steps) / k_young_steps);
  const double margin = k_margin + k_young_margin * young;
  for (Band& band : m_bands) {
    double now = 0;
    band.left = 0;
    for (std::size_t k = band.begin; k < band.end; ++k) {
      band.left += std::norm(left[k]);
      now += std::norm(echo[k]);
    }
    band.echo = std::max(now, k_decay * band.echo);
    band.smooth = m_steps == 1 ? band.left : 0.8 * band.smooth + 0.2 * band.left;
    band.noise = band.noise <= 0 ? band.smooth : std::min(k_noise_rise * band.noise, band.smooth);
    noise += band.noise;
    const double most = band.share * band.echo + k_noise_margin * band.noise + 1e-9;
    score += std::clamp(in_decibels(band.left / most) - margin, 0.0, k_most) / k_bands;
  }
  m_score = score;
  // Two bins for each frequency; the power of a step padded to the transform's size.
  m_noise_power = 4 * noise / static_cast<double>(m_size) / static_cast<double>(m_size);
  m_mean_score += k_recent * (score - m_mean_score);
  m_evidence = std::clamp(m_evidence + std::min(score, k_most_of_step) - k_of_echo, 0.0, k_enough);
  m_held = m_evidence >= k_enough ? k_hold : std::max(0, m_held - 1);
  // What may be the start of a voice is not learnt as echo.
  for (std::size_t i = 0; i < k_bands; ++i) m_last[i] = {m_bands[i].left, m_bands[i].echo};
  if (m_held > 0) {
    m_waiting.clear();
    return true;
  }
  if (m_steps < k_fast_steps || score < k_doubtful) m_waiting.push_back(m_last);
  if (m_waiting.empty()) return false;
  if (m_steps < k_fast_steps || m_waiting.size() > k_delay_steps) {
    learn(m_waiting.front(),
          std::clamp(static_cast<double>(k_fast_steps) / m_steps * k_fast, k_slow, k_fast));
    m_waiting.pop_front();
  }
  return false;
}

bool VoiceDetector::loud() const noexcept {
  return m_mean_score > k_loud;
}

bool VoiceDetector::fading() const noexcept {
  return m_evidence < k_fading;
}

void VoiceDetector::was_echo() {
  m_held = 0;
  m_evidence = 0;
  learn(m_last, k_fast);
}

void VoiceDetector::forget() {
  m_steps = 1;
  m_held = 0;
  m_evidence = 0;
  for (Band& band : m_bands) band.share = 1;
}

}  // namespace svc::audio
