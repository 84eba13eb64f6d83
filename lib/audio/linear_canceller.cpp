#include "audio/linear_canceller.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace svc::audio {
namespace {

constexpr std::size_t k_parts = 20;  // of 10 ms
constexpr float k_change = 0.002F;   // how much of a room changes in a step
constexpr float k_first_doubt = 0.05F;
constexpr float k_later_doubt = 0.8F;  // of the doubt 10 ms earlier: echoes fade
constexpr float k_moved_doubt = 0.3F;  // share of the filter that may be wrong after a shift
constexpr float k_noise_memory = 0.5F;
constexpr std::size_t k_constrained = 4;  // partitions a step; all of them would be slow

}  // namespace

LinearCanceller::LinearCanceller(int rate)
    : m_step(static_cast<std::size_t>(rate / 100)),
      m_fft(std::bit_ceil(2 * m_step)),
      m_played(k_parts, std::vector<Bin>(m_fft.bins())),
      m_parts(k_parts, Part{std::vector<Bin>(m_fft.bins()), std::vector<float>(m_fft.bins())}),
      m_recent(m_fft.size()),
      m_work(m_fft.size()),
      m_predicted(m_step),
      m_rest(m_step),
      m_left(m_fft.bins()),
      m_echo(m_fft.bins()),
      m_noise(m_fft.bins()),
      m_gain(m_fft.bins()) {
  forget();
}

void LinearCanceller::forget() {
  float doubt = k_first_doubt;
  for (Part& part : m_parts) {
    std::ranges::fill(part.filter, Bin{});
    std::ranges::fill(part.doubt, doubt);
    doubt *= k_later_doubt;
  }
  std::ranges::fill(m_noise, 0.0F);
}

void LinearCanceller::on_moved() {
  for (Part& part : m_parts) {
    for (std::size_t k = 0; k < part.doubt.size(); ++k) {
      part.doubt[k] += k_moved_doubt * std::norm(part.filter[k]);
    }
  }
}

void LinearCanceller::transform_step(std::span<const float> step, std::span<Bin> spectrum) {
  std::ranges::fill(m_work, 0.0F);
  std::ranges::copy(step, m_work.end() - static_cast<std::ptrdiff_t>(m_step));
  m_fft.forward(m_work, spectrum);
}

std::span<const float> LinearCanceller::process(std::span<const float> played,
                                                std::span<const float> captured, bool learns) {
  std::copy(m_recent.begin() + static_cast<std::ptrdiff_t>(m_step), m_recent.end(),
            m_recent.begin());
  std::ranges::copy(played, m_recent.end() - static_cast<std::ptrdiff_t>(m_step));
  m_newest = (m_newest + k_parts - 1) % k_parts;
  m_fft.forward(m_recent, m_played[m_newest]);
  std::ranges::fill(m_echo, Bin{});
  for (std::size_t age = 0; age < k_parts; ++age) {
    const auto& spectrum = m_played[(m_newest + age) % k_parts];
    const auto& filter = m_parts[age].filter;
    for (std::size_t k = 0; k < m_echo.size(); ++k) m_echo[k] += product(spectrum[k], filter[k]);
  }
  m_fft.inverse(m_echo, m_work);
  std::copy(m_work.end() - static_cast<std::ptrdiff_t>(m_step), m_work.end(), m_predicted.begin());
  for (std::size_t i = 0; i < m_step; ++i) m_rest[i] = captured[i] - m_predicted[i];
  transform_step(m_predicted, m_echo);
  transform_step(m_rest, m_left);
  if (learns) {
    learn();
    constrain();
  }
  return m_rest;
}

void LinearCanceller::learn() {
  const float share = static_cast<float>(m_step) / static_cast<float>(m_fft.size());
  std::ranges::fill(m_gain, 0.0F);
  for (std::size_t age = 0; age < k_parts; ++age) {
    const auto& spectrum = m_played[(m_newest + age) % k_parts];
    const auto& doubt = m_parts[age].doubt;
    for (std::size_t k = 0; k < m_gain.size(); ++k) m_gain[k] += doubt[k] * std::norm(spectrum[k]);
  }
  for (std::size_t k = 0; k < m_gain.size(); ++k) {
    m_noise[k] = k_noise_memory * m_noise[k] + (1 - k_noise_memory) * std::norm(m_left[k]);
    m_gain[k] = 1 / (share * m_gain[k] + m_noise[k] + 1e-9F);
  }
  for (std::size_t age = 0; age < k_parts; ++age) {
    const auto& spectrum = m_played[(m_newest + age) % k_parts];
    auto& [filter, doubt] = m_parts[age];
    for (std::size_t k = 0; k < m_gain.size(); ++k) {
      const float gain = doubt[k] * m_gain[k];
      filter[k] += gain * product(std::conj(spectrum[k]), m_left[k]);
      doubt[k] = (1 - share * gain * std::norm(spectrum[k])) * doubt[k] * (1 - k_change) +
                 k_change * std::norm(filter[k]);
    }
  }
}

/// Makes some partitions as short as they should be, each in turn.
void LinearCanceller::constrain() {
  for (std::size_t i = 0; i < k_constrained; ++i) {
    auto& filter = m_parts[m_constrained].filter;
    m_fft.inverse(filter, m_work);
    std::fill(m_work.begin() + static_cast<std::ptrdiff_t>(m_step), m_work.end(), 0.0F);
    m_fft.forward(m_work, filter);
    m_constrained = (m_constrained + 1) % k_parts;
  }
}

}  // namespace svc::audio
