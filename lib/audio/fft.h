// A Fourier transform of real samples.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace svc::audio {

using Bin = std::complex<float>;

/// The product without the library's checks for infinities, which take most of the time.
[[nodiscard]] inline Bin product(Bin a, Bin b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Of a fixed size, which is a power of two from 4 on. One thread owns it.
class Fft {
 public:
  explicit Fft(std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return 2 * m_work.size(); }
  [[nodiscard]] std::size_t bins() const noexcept { return m_work.size() + 1; }

  /// `samples` has size() values, `spectrum` bins() of them.
  void forward(std::span<const float> samples, std::span<Bin> spectrum);
  /// The exact opposite of forward().
  void inverse(std::span<const Bin> spectrum, std::span<float> samples);

 private:
  void transform(bool back);

  std::vector<Bin> m_work;             // half as many values: pairs of real samples
  std::vector<Bin> m_turns{};          // of the transform of m_work
  std::vector<Bin> m_halves{};         // of the step between m_work and the spectrum
  std::vector<std::size_t> m_order{};  // bits reversed
};

}  // namespace svc::audio
