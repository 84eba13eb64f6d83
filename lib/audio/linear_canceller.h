// Removes the linear part of an echo and leaves a simultaneous voice intact.
#pragma once

#include <span>
#include <vector>

#include "audio/fft.h"

namespace svc::audio {

/// A Kalman filter in the frequency domain, in partitions of 10 ms: its step follows from how well
/// each frequency is known, so that it learns fast and a voice does not disturb it. The echo must
/// arrive within 200 ms of `played`. One thread owns it.
class LinearCanceller {
 public:
  explicit LinearCanceller(int rate);

  /// Processes a step of 10 ms; returns what is left of `captured`. Valid until the next call.
  /// While somebody speaks it should not learn: it would take the voice for an echo.
  std::span<const float> process(std::span<const float> played, std::span<const float> captured,
                                 bool learns = true);

  /// The spectra of the last step: of what is left, and of the echo that was subtracted.
  [[nodiscard]] std::span<const Bin> left() const noexcept { return m_left; }
  [[nodiscard]] std::span<const Bin> echo() const noexcept { return m_echo; }

  /// Forgets the room, not the audio.
  void forget();
  /// `played` is now aligned as before to an echo that has moved.
  void on_moved();

 private:
  struct Part {
    std::vector<Bin> filter{};
    std::vector<float> doubt{};  // variance of the filter
  };
  void transform_step(std::span<const float> step, std::span<Bin> spectrum);
  void learn();
  void constrain();

  std::size_t m_step;
  Fft m_fft;
  // The spectra of played audio are a ring; filter and doubt belong to an age, not to a spectrum.
  std::vector<std::vector<Bin>> m_played;
  std::vector<Part> m_parts;
  std::size_t m_newest = 0;
  std::size_t m_constrained = 0;
  std::vector<float> m_recent;  // played
  std::vector<float> m_work;
  std::vector<float> m_predicted;
  std::vector<float> m_rest;
  std::vector<Bin> m_left;
  std::vector<Bin> m_echo;
  std::vector<float> m_noise;  // everything but the echo
  std::vector<float> m_gain;
};

}  // namespace svc::audio
