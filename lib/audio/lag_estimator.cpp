#include "audio/lag_estimator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace svc::audio {
namespace {

constexpr int k_coarse = 8'000;         // Hz
constexpr std::size_t k_size = 16'384;  // two seconds
constexpr double k_span = 1.5;          // seconds of captured audio; shorter ones are often wrong
constexpr double k_lowest = 200;        // Hz
constexpr double k_highest = 3'500;
constexpr float k_memory = 0.6F;       // share of the earlier estimates
constexpr double k_clear = 8;          // times louder than the rest
constexpr double k_agreement = 0.002;  // seconds
constexpr float k_silent = 0.001F;
// An estimate is about the middle of what it was averaged over.
constexpr double k_age = k_span / 2 + 0.25 * k_memory / (1 - k_memory);
constexpr double k_track = 8;           // seconds
constexpr double k_most_drift = 0.002;  // no two clocks differ by more

std::vector<float> low_pass(std::size_t thinning) {
  std::vector<float> filter;
  const auto half = static_cast<double>(8 * thinning);
  const auto step = 1 / static_cast<double>(thinning);
  for (double at = -half; at <= half; ++at) {
    const double x = std::numbers::pi * at * step * 0.9;
    const double hann = 0.5 + 0.5 * std::cos(std::numbers::pi * at / (half + 1));
    filter.push_back(static_cast<float>((at == 0 ? 1 : std::sin(x) / x) * hann * step * 0.9));
  }
  return filter;
}

std::vector<float> hann(std::size_t count) {
  std::vector<float> window;
  for (std::size_t i = 0; i < count; ++i) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    window.push_back(static_cast<float>(0.5 - 0.5 * std::cos(phase)));
  }
  return window;
}

/// Rises slowly and falls fast: the newest samples count most.
std::vector<float> recent(std::size_t count) {
  constexpr double k_fall = 0.1;
  std::vector<float> window;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double phase = at < 1 - k_fall ? at / (1 - k_fall) : (1 - at) / k_fall;
    const double sine = std::sin(std::numbers::pi / 2 * phase);
    window.push_back(static_cast<float>(sine * sine));
  }
  return window;
}

}  // namespace

LagEstimator::LagEstimator(int rate, double longest)
    : m_thinning(static_cast<std::size_t>(std::max(1, rate / k_coarse))),
      m_rate(static_cast<double>(rate) / static_cast<double>(m_thinning)),
      m_longest(static_cast<std::size_t>(longest * m_rate)),
      m_fft(k_size),
      m_filter(low_pass(m_thinning)),
      m_shared(m_fft.bins()),
      m_spectrum(m_fft.bins()),
      m_one(m_fft.bins()),
      m_other(m_fft.bins()),
      m_work(k_size) {
  const std::size_t count = std::min(k_size - m_longest, static_cast<std::size_t>(k_span * m_rate));
  m_window = hann(count);
  m_played.samples.resize(k_size);
  m_captured.samples.resize(k_size);
  m_left.samples.resize(k_size);
}

void LagEstimator::thin(Side& side, std::span<const float> step) const {
  side.rest.insert(side.rest.end(), step.begin(), step.end());
  std::size_t at = 0;
  for (; at + m_filter.size() <= side.rest.size(); at += m_thinning) {
    float sum = 0;
    for (std::size_t i = 0; i < m_filter.size(); ++i) sum += m_filter[i] * side.rest[at + i];
    side.samples.push_back(sum);
  }
  side.rest.erase(side.rest.begin(), side.rest.begin() + static_cast<std::ptrdiff_t>(at));
  if (side.samples.size() < 2 * k_size) return;
  side.samples.erase(side.samples.begin(), side.samples.end() - k_size);
}

bool LagEstimator::add(std::span<const float> played, std::span<const float> captured) {
  thin(m_played, played);
  thin(m_captured, captured);
  m_now += 0.01;
  if (m_now < m_next) return false;
  m_next = m_now + k_interval;
  return estimate();
}

void LagEstimator::correlate(const Side& side, std::span<const float> window) {
  if (m_transformed != m_now) {  // what was captured and what was left are compared with the same
    m_fft.forward(std::span(m_played.samples).last(k_size), m_spectrum);
    m_transformed = m_now;
  }
  const auto captured = std::span(side.samples).last(window.size());
  std::ranges::fill(m_work, 0.0F);
  for (std::size_t i = 0; i < window.size(); ++i) {
    m_work[k_size - window.size() + i] = captured[i] * window[i];
  }
  m_fft.forward(m_work, m_other);
  for (std::size_t k = 0; k < m_one.size(); ++k)
    m_one[k] = product(m_other[k], std::conj(m_spectrum[k]));
}

LagEstimator::Peak LagEstimator::find_peak() {
  const double width = m_rate / static_cast<double>(k_size);
  for (std::size_t k = 0; k < m_one.size(); ++k) {
    const double hertz = static_cast<double>(k) * width;
    const float length = std::sqrt(std::norm(m_one[k]));
    const bool counts = hertz >= k_lowest && hertz <= k_highest && length > 1e-12F;
    m_one[k] = counts ? m_one[k] / length : Bin{};
  }
  m_fft.inverse(m_one, m_work);
  const auto lags = std::span(m_work).first(m_longest);
  double sum = 0;
  std::size_t best = 1;
  for (std::size_t lag = 1; lag + 1 < lags.size(); ++lag) {
    sum += static_cast<double>(lags[lag]) * lags[lag];
    if (std::abs(lags[lag]) > std::abs(lags[best])) best = lag;
  }
  const double peak = std::abs(lags[best]);
  const double before = std::abs(lags[best - 1]);
  const double after = std::abs(lags[best + 1]);
  const double bend = before - 2 * peak + after;
  const double part = bend < 0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0;
  const double mean = std::sqrt(sum / static_cast<double>(lags.size()));
  return {(static_cast<double>(best) + part) / m_rate, peak / std::max(1e-12, mean)};
}

bool LagEstimator::estimate() {
  const auto recent = std::span(m_played.samples).last(m_window.size());
  const auto loud =
      std::ranges::count_if(recent, [](float sample) { return std::abs(sample) > k_silent; });
  if (static_cast<std::size_t>(loud) < recent.size() / 4) return false;  // hardly anything played
  correlate(m_captured, m_window);
  for (std::size_t k = 0; k < m_one.size(); ++k) {
    m_shared[k] = k_memory * m_shared[k] + (1 - k_memory) * m_one[k];
  }
  m_one = m_shared;
  const Peak peak = find_peak();
  m_clarity = peak.clarity;
  if (m_clarity < k_clear) {
    m_vain += m_clarity < 5.5 ? k_interval : 0;
    m_previous.reset();
    return true;
  }
  m_vain = 0;
  if (m_previous && std::abs(*m_previous - peak.lag) < k_agreement) accept(peak.lag);
  m_previous = peak.lag;
  return true;
}

LagEstimator::Match LagEstimator::match(const Side& side, double seconds) {
  const auto window = recent(static_cast<std::size_t>(seconds * m_rate));
  correlate(side, window);
  const Peak peak = find_peak();
  const std::size_t count = window.size();
  const auto back = static_cast<std::size_t>(std::lround(peak.lag * m_rate));
  const auto left = std::span(side.samples).last(count);
  const auto played = std::span(m_played.samples).last(count + back).first(count);
  double shared = 0;
  double one = 1e-9;
  double other = 1e-9;
  for (std::size_t i = 0; i < count; ++i) {
    shared += static_cast<double>(left[i]) * played[i];
    one += static_cast<double>(left[i]) * left[i];
    other += static_cast<double>(played[i]) * played[i];
  }
  return {peak.lag, peak.clarity, std::abs(shared) / std::sqrt(one * other)};
}

void LagEstimator::accept(double lag) {
  // Another peak of the same room does not continue the track.
  if (!m_track.empty() && std::abs(m_track.back().lag - lag) > k_agreement) m_track.clear();
  m_track.push_back({m_now, lag});
  while (m_track.front().when < m_now - k_track) m_track.pop_front();
  follow_drift();
  m_lag = lag + m_drift * k_age;
}

void LagEstimator::follow_drift() {
  const double length = m_track.back().when - m_track.front().when;
  if (length < 1.5) return;
  const auto count = static_cast<double>(m_track.size());
  double when = 0;
  double lag = 0;
  for (const Point& point : m_track) {
    when += point.when / count;
    lag += point.lag / count;
  }
  double shared = 0;
  double spread = 0;
  for (const Point& point : m_track) {
    shared += (point.when - when) * (point.lag - lag);
    spread += (point.when - when) * (point.when - when);
  }
  m_drift = std::clamp(shared / spread, -k_most_drift, k_most_drift);
}

void LagEstimator::forget() {
  m_lag.reset();
  m_previous.reset();
  m_track.clear();
  std::ranges::fill(m_shared, Bin{});
}

}  // namespace svc::audio
