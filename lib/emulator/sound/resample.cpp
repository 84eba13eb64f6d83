#include "emulator/sound/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace svc::emulator::speech {
namespace {

constexpr int k_zero_crossings = 16;   // on each side of the sinc
constexpr double k_kaiser_beta = 8.0;  // about 80 dB of stop band
constexpr double k_pass_band = 0.92;   // of the lower of both Nyquist frequencies

// The modified Bessel function of order 0, by its series.
double bessel_i0(double x) {
  double sum = 1.0;
  double term = 1.0;
  for (int k = 1; k < 32; ++k) {
    term *= (x / (2.0 * k)) * (x / (2.0 * k));
    sum += term;
  }
  return sum;
}

double kaiser(double position) {  // -1 to 1
  if (std::abs(position) >= 1.0) return 0.0;
  return bessel_i0(k_kaiser_beta * std::sqrt(1.0 - position * position)) / bessel_i0(k_kaiser_beta);
}

double sinc(double x) {
  if (std::abs(x) < 1e-9) return 1.0;
  return std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

}  // namespace

double level_of(SampleView samples) {
  if (samples.empty()) return 0.0;
  double sum = 0.0;
  for (const std::int16_t sample : samples) sum += double(sample) * double(sample);
  return std::sqrt(sum / double(samples.size())) / 32768.0;
}

Resampler::Resampler(int from_rate, int to_rate) {
  const int divisor = std::gcd(from_rate, to_rate);
  m_from = from_rate / divisor;
  m_to = to_rate / divisor;
  if (m_from == m_to) return;
  const double cutoff =
      k_pass_band * std::min(1.0, static_cast<double>(to_rate) / static_cast<double>(from_rate));
  m_half = static_cast<std::int64_t>(std::ceil(k_zero_crossings / cutoff));
  m_taps.resize(static_cast<std::size_t>(m_to * 2 * m_half));
  for (std::int64_t phase = 0; phase < m_to; ++phase) {
    const double shift = static_cast<double>(phase) / static_cast<double>(m_to);
    double* row = m_taps.data() + phase * 2 * m_half;
    double sum = 0.0;
    for (std::int64_t tap = 0; tap < 2 * m_half; ++tap) {
      const double distance = static_cast<double>(tap - m_half + 1) - shift;
      row[tap] = sinc(distance * cutoff) * kaiser(distance / static_cast<double>(m_half));
      sum += row[tap];
    }
    for (std::int64_t tap = 0; tap < 2 * m_half; ++tap) row[tap] /= sum;  // no ripple by phase
  }
}

double Resampler::sample_at(std::int64_t index) const {
  const std::int64_t at = index - m_kept_at;
  if (at < 0 || at >= static_cast<std::int64_t>(m_kept.size())) return 0.0;
  return m_kept[static_cast<std::size_t>(at)];
}

void Resampler::produce(Samples& out) {
  for (;; ++m_next_out) {
    const std::int64_t position = m_next_out * m_from;
    const std::int64_t whole = position / m_to;
    if (m_ended ? whole >= m_total_in : whole + m_half >= m_total_in) break;
    const double* row = m_taps.data() + (position % m_to) * 2 * m_half;
    double sum = 0.0;
    for (std::int64_t tap = 0; tap < 2 * m_half; ++tap) {
      sum += row[tap] * sample_at(whole + tap - m_half + 1);
    }
    out.push_back(to_sample(sum));
  }
  const std::int64_t needed = m_next_out * m_from / m_to - m_half;
  const std::int64_t drop =
      std::clamp<std::int64_t>(needed - m_kept_at, 0, static_cast<std::int64_t>(m_kept.size()));
  m_kept.erase(m_kept.begin(), m_kept.begin() + drop);
  m_kept_at += drop;
}

Samples Resampler::feed(SampleView input) {
  if (m_from == m_to) return {input.begin(), input.end()};
  m_kept.insert(m_kept.end(), input.begin(), input.end());
  m_total_in += static_cast<std::int64_t>(input.size());
  Samples out;
  produce(out);
  return out;
}

Samples Resampler::finish() {
  Samples out;
  m_ended = true;
  if (m_from != m_to) produce(out);
  return out;
}

Samples resample(SampleView input, int from_rate, int to_rate) {
  Resampler resampler(from_rate, to_rate);
  Samples out = resampler.feed(input);
  const Samples rest = resampler.finish();
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace svc::emulator::speech
