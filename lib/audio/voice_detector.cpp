#include "audio/voice_detector.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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
// Evidence of a voice: the logarithm of its odds in each step, less what it takes.
constexpr float k_odds = 1.5F;
constexpr float k_most_of_step = 3;
constexpr float k_enough = 10;
constexpr double k_doubtful = 0.7;  // perhaps a voice that is too soft: not learnt
constexpr std::array<float, 3> k_kept = {0.5F, 0.9F, 0.97F};  // of a mean in a step
constexpr std::array<float, 2> k_kept_noise = {0.7F, 0.97F};
constexpr std::array<float, 2> k_kept_echo = {0.5F, 0.97F};
constexpr float k_least_over = -10;  // dB
constexpr float k_most_over = 15;
constexpr float k_most_over_noise = 20;
constexpr int k_old_steps = 1'000;
constexpr int k_hold = 30;  // steps: bridges pauses between words
constexpr double k_quantile = 0.9;
constexpr int k_fast_steps = 100;
constexpr double k_fast = 3;  // dB a step
constexpr double k_slow = 0.15;
constexpr std::size_t k_delay_steps = 30;  // a voice is detected within them

double in_decibels(double power) {
  return 10 * std::log10(std::max(power, 1e-12));
}

void approach(float& mean, float value, float kept) {
  mean = kept * mean + (1 - kept) * value;
}

float mean_of(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
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

/// Adds by how much the bands exceed noise and echo, in decibels, and makes the network's inputs.
void VoiceDetector::remember(const std::array<float, k_bands>& over, float over_noise, float echo) {
  float excess = 0;
  for (const float one : over) excess += std::max(0.0F, one - static_cast<float>(k_margin));
  for (std::size_t i = 0; i < m_over_noise.size(); ++i) {
    approach(m_over_noise[i], over_noise, k_kept_noise[i]);
    approach(m_echo_over_noise[i], echo, k_kept_echo[i]);
  }
  auto input = m_inputs.begin();
  for (std::size_t i = 0; i < m_memories.size(); ++i) {
    Memory& memory = m_memories[i];
    for (std::size_t band = 0; band < k_bands; ++band) {
      approach(memory.over[band], over[band], k_kept[i]);
    }
    approach(memory.excess, excess / k_bands, k_kept[i]);
    auto sorted = memory.over;
    std::ranges::sort(sorted, std::greater());
    *input++ = mean_of(std::span(sorted).first(3));
    *input++ = mean_of(std::span(sorted).subspan(3, 4));
    *input++ = mean_of(std::span(sorted).subspan(7));
    *input++ = memory.excess;
  }
  *input++ = m_over_noise[0];
  *input++ = static_cast<float>(std::min(m_steps, k_old_steps)) / k_old_steps;
  *input++ = m_over_noise[1];
  *input++ = m_echo_over_noise[0];
  *input = m_echo_over_noise[1];
}

bool VoiceDetector::add(std::span<const Bin> left, std::span<const Bin> echo) {
  ++m_steps;
  double score = 0;
  double noise = 0;
  float over_noise = 0;
  float echo_over_noise = 0;
  std::array<float, k_bands> over{};
  const double young = 1 - std::min(1.0, static_cast<double>(m_steps) / k_young_steps);
  const double margin = k_margin + k_young_margin * young;
  for (std::size_t i = 0; i < k_bands; ++i) {
    Band& band = m_bands[i];
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
    const double by = in_decibels(band.left / most);
    score += std::clamp(by - margin, 0.0, k_most) / k_bands;
    over[i] = std::clamp(static_cast<float>(by), k_least_over, k_most_over);
    const auto of_noise = [&](double energy) {
      return static_cast<float>(in_decibels(energy / (band.noise + 1e-9)));
    };
    over_noise += std::clamp(of_noise(band.left), k_least_over, k_most_over_noise);
    echo_over_noise +=
        std::clamp(of_noise(band.share * band.echo), -k_most_over_noise, k_most_over_noise);
  }
  m_score = score;
  // Two bins for each frequency; the power of a step padded to the transform's size.
  m_noise_power = 4 * noise / static_cast<double>(m_size) / static_cast<double>(m_size);
  remember(over, over_noise / k_bands, echo_over_noise / k_bands);
  const float odds = voice_network::odds(m_inputs) - k_odds;
  m_evidence =
      std::clamp(m_evidence + std::clamp(odds, -k_most_of_step, k_most_of_step), 0.0F, k_enough);
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
