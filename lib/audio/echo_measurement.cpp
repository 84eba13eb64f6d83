#include "audio/echo_measurement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "audio/front_end.h"

namespace svc::audio {
namespace {

constexpr int k_coarse = 8'000;        // Hz; rate used to find the echo
constexpr Milliseconds k_before{100};  // how early the echo may appear to arrive
constexpr Milliseconds k_after{500};   // how late the echo may arrive
constexpr double k_clear = 6;          // how clearly an echo must stand out from similar sound

double power(std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample sample : samples) sum += static_cast<double>(sample) * sample;
  return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
}

double ratio_in_decibels(double above, double below) {
  return 10 * std::log10(std::max(above, 1e-3) / std::max(below, 1e-3));
}

/// Downsamples by averaging.
std::vector<float> coarse(std::span<const Sample> samples, int rate) {
  const auto step = static_cast<std::size_t>(std::max(1, rate / k_coarse));
  std::vector<float> out;
  for (std::size_t at = 0; at + step <= samples.size(); at += step) {
    float sum = 0;
    for (std::size_t i = 0; i < step; ++i) sum += static_cast<float>(samples[at + i]);
    out.push_back(sum / static_cast<float>(step));
  }
  return out;
}

/// The number of samples by which `captured` lags `played`; nothing if they do not match.
std::optional<int> find_lag(std::span<const float> played, std::span<const float> captured,
                            int before, int after) {
  const auto size = static_cast<int>(std::min(played.size(), captured.size()));
  std::vector<double> correlations;
  double sum = 0;
  for (int lag = -before; lag <= after; ++lag) {
    double product = 0;
    for (int at = std::max(0, lag); at < std::min(size, size + lag); ++at) {
      product += static_cast<double>(captured[static_cast<std::size_t>(at)]) *
                 played[static_cast<std::size_t>(at - lag)];
    }
    correlations.push_back(std::abs(product));
    sum += std::abs(product);
  }
  const auto best = std::ranges::max_element(correlations);
  const double mean = sum / static_cast<double>(correlations.size());
  if (*best <= 0 || *best < k_clear * mean) return std::nullopt;
  return static_cast<int>(best - correlations.begin()) - before;
}

double canceled_part(std::span<const Sample> played, std::span<const Sample> captured, int rate,
                     Milliseconds delay) {
  const auto step = static_cast<std::size_t>(rate / 100);
  const auto lead = static_cast<std::size_t>(frames_in({rate, 1}, FrontEnd::k_lead));
  FrontEnd front(rate, nullptr, delay);
  std::vector<Sample> unused;
  for (std::size_t at = 0; at + lead + step <= std::min(played.size(), captured.size());
       at += step) {
    front.process(played.subspan(at + lead, step), captured.subspan(at, step), unused);
  }
  return front.canceled();
}

}  // namespace

std::vector<Sample> probe_signal(int rate, Milliseconds length) {
  constexpr double k_loud = 6'000;
  constexpr double k_syllable = 0.25;  // seconds
  constexpr double k_pi = 3.14159265358979;
  std::vector<Sample> samples(static_cast<std::size_t>(frames_in({rate, 1}, length)));
  std::uint32_t state = 12'345;
  double smooth = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    state = state * 1'664'525U + 1'013'904'223U;
    const double noise = static_cast<double>(state >> 8U) / (1U << 23U) - 1;
    smooth += 0.4 * (noise - smooth);
    const double at = static_cast<double>(i) / rate;
    const double swell = 0.6 - 0.4 * std::cos(2 * k_pi * at / k_syllable);
    samples[i] = static_cast<Sample>(k_loud * 2 * smooth * swell);
  }
  return samples;
}

EchoReport measure_echo(std::span<const Sample> played, std::span<const Sample> captured,
                        int rate) {
  EchoReport report;
  const std::vector<float> reference = coarse(played, rate);
  const std::vector<float> echo = coarse(captured, rate);
  const int hertz = rate / std::max(1, rate / k_coarse);
  const auto frames = [hertz](Milliseconds time) {
    return static_cast<int>(time.count()) * hertz / 1000;
  };
  const auto lag = find_lag(reference, echo, frames(k_before), frames(k_after));
  if (!lag) return report;
  report.delay = Milliseconds(*lag * 1000 / hertz);
  report.echo = ratio_in_decibels(power(captured), power(played));
  report.canceled = canceled_part(played, captured, rate, *report.delay);
  return report;
}

}  // namespace svc::audio
