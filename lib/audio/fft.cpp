#include "audio/fft.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace svc::audio {

Fft::Fft(std::size_t size) : m_work(size / 2), m_order(size / 2) {
  const std::size_t half = size / 2;
  const auto turn = [](std::size_t part, std::size_t whole) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole);
    return Bin(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  };
  for (std::size_t i = 0; i < half / 2; ++i) m_turns.push_back(turn(i, half));
  for (std::size_t i = 0; i <= half; ++i) m_halves.push_back(turn(i, size));
  for (std::size_t i = 1; i < half; ++i) {
    m_order[i] = m_order[i / 2] / 2 + (i % 2 == 0 ? 0 : half / 2);
  }
}

void Fft::transform(bool back) {
  const std::size_t count = m_work.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i < m_order[i]) std::swap(m_work[i], m_work[m_order[i]]);
  }
  for (std::size_t width = 1; width < count; width *= 2) {
    const std::size_t stride = count / (2 * width);
    for (std::size_t first = 0; first < count; first += 2 * width) {
      for (std::size_t i = 0; i < width; ++i) {
        const Bin turn = back ? std::conj(m_turns[i * stride]) : m_turns[i * stride];
        Bin& one = m_work[first + i];
        Bin& other = m_work[first + i + width];
        const Bin turned = product(other, turn);
        other = one - turned;
        one += turned;
      }
    }
  }
}

void Fft::forward(std::span<const float> samples, std::span<Bin> spectrum) {
  const std::size_t half = m_work.size();
  for (std::size_t i = 0; i < half; ++i) m_work[i] = {samples[2 * i], samples[2 * i + 1]};
  transform(false);
  for (std::size_t i = 0; i <= half; ++i) {
    const Bin one = m_work[i % half];
    const Bin other = std::conj(m_work[(half - i) % half]);
    const Bin odd = product(one - other, product(m_halves[i], {0, -0.5F}));
    spectrum[i] = 0.5F * (one + other) + odd;
  }
}

void Fft::inverse(std::span<const Bin> spectrum, std::span<float> samples) {
  const std::size_t half = m_work.size();
  for (std::size_t i = 0; i < half; ++i) {
    const Bin one = spectrum[i];
    const Bin other = std::conj(spectrum[half - i]);
    m_work[i] = one + other + product(one - other, product(std::conj(m_halves[i]), {0, 1}));
  }
  transform(true);
  const float share = 0.5F / static_cast<float>(half);
  for (std::size_t i = 0; i < half; ++i) {
    samples[2 * i] = m_work[i].real() * share;
    samples[2 * i + 1] = m_work[i].imag() * share;
  }
}

}  // namespace svc::audio
