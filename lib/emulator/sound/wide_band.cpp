#include "emulator/sound/wide_band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace svc::emulator::speech {
namespace {

constexpr std::size_t k_frame = 256;  // 16 ms
constexpr std::size_t k_step = k_frame / 2;
constexpr double k_floor = 1e3;
constexpr double k_speech = 1e5;     // mean energy per 62.5 Hz during speech
constexpr double k_some = 1e-5;      // share of the band below: more is not leakage of a filter
constexpr int k_narrow_frames = 12;  // of speech, until the audio counts as narrow-band
// Each band ends where the next one starts; in steps of 62.5 Hz.
constexpr std::array<std::size_t, 7> k_there = {3, 8, 16, 24, 35, 46, 57};
constexpr std::array<std::size_t, 5> k_missing = {58, 70, 82, 96, 112};
// Coefficients for the log energy of a missing band from the existing ones and a constant: the best
// fit to 20 sentences of four voices.
constexpr std::array<std::array<double, 7>, 4> k_fit = {{
    {-0.038, -0.056, -0.015, 0.050, -0.127, 1.040, 0.824},
    {-0.065, -0.165, 0.045, 0.028, -0.279, 1.050, 1.934},
    {-0.013, -0.239, 0.108, 0.086, -0.390, 1.071, 1.784},
    {0.005, -0.345, 0.257, -0.044, -0.253, 0.946, 2.235},
}};

const std::array<double, k_frame>& cosines() {
  static const std::array<double, k_frame> k_table = [] {
    std::array<double, k_frame> table{};
    for (std::size_t i = 0; i < k_frame; ++i) {
      table[i] = std::cos(2 * std::numbers::pi * static_cast<double>(i) / k_frame);
    }
    return table;
  }();
  return k_table;
}

double cosine(std::size_t at) {
  return cosines()[at % k_frame];
}

double sine(std::size_t at) {
  return cosine(at + 3 * k_frame / 4);
}

double window(std::size_t at) {
  return 0.5 - 0.5 * cosine(at);
}

double energy_at(SampleView frame, std::size_t tone) {
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < k_frame; ++i) {
    const double sample = frame[i] * window(i);
    real += sample * cosine(tone * i);
    imaginary += sample * sine(tone * i);
  }
  return real * real + imaginary * imaginary;
}

double mean_energy(SampleView frame, std::size_t from, std::size_t to) {
  double energy = 0;
  for (std::size_t tone = from; tone < to; ++tone) energy += energy_at(frame, tone);
  return energy / static_cast<double>(to - from);
}

/// Returns the energies of the frame's bands, and the constant 1.
std::array<double, 7> bands_of(SampleView frame) {
  std::array<double, 7> bands{};
  for (std::size_t band = 0; band + 1 < k_there.size(); ++band) {
    bands[band] = std::log10(mean_energy(frame, k_there[band], k_there[band + 1]) + k_floor);
  }
  bands.back() = 1;
  return bands;
}

}  // namespace

double WideBand::random() {
  m_state = m_state * 1'664'525U + 1'013'904'223U;
  return static_cast<double>(m_state >> 8U) / (1U << 24U);
}

/// Adds noise to the frame at the start of the rest.
void WideBand::fill() {
  const auto bands = bands_of(SampleView(m_pending).first(k_frame));
  for (std::size_t band = 0; band < k_fit.size(); ++band) {
    double energy = 0;
    for (std::size_t i = 0; i < bands.size(); ++i) energy += k_fit[band][i] * bands[i];
    const double loud = 2 * std::sqrt(std::max(0.0, std::pow(10.0, energy) - k_floor)) /
                        static_cast<double>(k_frame);
    for (std::size_t tone = k_missing[band]; tone < k_missing[band + 1]; ++tone) {
      const auto phase = static_cast<std::size_t>(random() * k_frame);
      for (std::size_t i = 0; i < k_frame; ++i) {
        m_noise[i] += loud * cosine(tone * i + phase) * std::sqrt(window(i));
      }
    }
  }
}

void WideBand::analyze(SampleView frame) {
  const double there = mean_energy(frame, k_there.front(), k_there.back());
  const double above = mean_energy(frame, k_missing[1], k_missing.back());
  if (above > 10 * k_floor && above > k_some * there) m_wide = true;
  if (there > k_speech) ++m_narrow;
}

Samples WideBand::feed(SampleView samples) {
  m_pending.insert(m_pending.end(), samples.begin(), samples.end());
  for (; !m_wide && m_analyzed + k_frame <= m_pending.size(); m_analyzed += k_step) {
    analyze(SampleView(m_pending).subspan(m_analyzed, k_frame));
  }
  if (m_wide) return finish();
  Samples out;
  if (m_narrow < k_narrow_frames) return out;
  m_noise.resize(m_pending.size());
  while (m_pending.size() >= k_frame) {
    fill();
    for (std::size_t i = 0; i < k_step; ++i) out.push_back(to_sample(m_pending[i] + m_noise[i]));
    m_pending.erase(m_pending.begin(), m_pending.begin() + k_step);
    m_noise.erase(m_noise.begin(), m_noise.begin() + k_step);
    m_analyzed -= std::min(m_analyzed, k_step);
  }
  return out;
}

Samples WideBand::finish() {
  m_noise.clear();
  m_analyzed = 0;
  return std::exchange(m_pending, {});
}

}  // namespace svc::emulator::speech
