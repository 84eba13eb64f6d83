// Detects a voice over what is left of an echo.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "audio/fft.h"
#include "audio/voice_network.h"

namespace svc::audio {

/// Learns, for each band, the room's noise and how much of the echo the canceller leaves, and
/// detects a voice in what exceeds both; there are no absolute levels. A small network says how
/// likely it is: it sees by how much the loudest bands, the middle ones and the softest ones exceed
/// them, over three lengths of time, but not which bands these are. One thread owns it.
class VoiceDetector {
 public:
  /// For spectra of audio at `rate`.
  VoiceDetector(int rate, std::size_t bins);

  /// Adds a step of 10 ms: spectra of what is left and of the subtracted echo. Returns whether
  /// somebody speaks, after 40 ms, or later if softly.
  bool add(std::span<const Bin> left, std::span<const Bin> echo);

  /// The last step was echo, not a voice.
  void was_echo();
  /// The canceller starts again: all of an echo may be left.
  void forget();
  /// The square of the noise's level, from 0 to 1.
  [[nodiscard]] double noise() const noexcept { return m_noise_power; }
  /// By how many decibels the last step exceeded noise and echo, in the mean of all bands.
  [[nodiscard]] double score() const noexcept { return m_score; }
  [[nodiscard]] bool voice() const noexcept { return m_held > 0; }
  /// What the network saw of the last step.
  [[nodiscard]] const voice_network::StepInputs& inputs() const noexcept { return m_inputs; }

 private:
  static constexpr std::size_t k_bands = 14;
  struct Band {
    std::size_t begin = 0;  ///< bins
    std::size_t end = 0;
    double left = 0;
    double echo = 0;    ///< with its reverberation
    double smooth = 0;  ///< of what is left, for the noise
    double noise = 0;
    double share = 1;  ///< of the echo that is left, nearly always
  };
  /// Energies of what is left and of the echo.
  using Step = std::array<std::pair<double, double>, k_bands>;
  /// Means over some time, in decibels.
  struct Memory {
    std::array<float, k_bands> over{};  ///< by how much a band exceeds noise and echo
    float excess = 0;                   ///< by how much all of them clearly do
  };
  void learn(const Step& step, double pace);
  void remember(const std::array<float, k_bands>& over, float over_noise, float echo);

  std::array<Band, k_bands> m_bands{};
  std::size_t m_size;  // of the transform
  std::array<Memory, 3> m_memories{};
  // Means of how much louder than the noise all bands are, and the echo that is left in them.
  std::array<float, 2> m_over_noise{};
  std::array<float, 2> m_echo_over_noise{};
  voice_network::StepInputs m_inputs{};
  Step m_last{};
  std::deque<Step> m_waiting{};  // to be learnt
  float m_evidence = 0;          // of a voice
  int m_held = 0;
  int m_steps = 0;  // since the canceller started
  double m_noise_power = 0;
  double m_score = 0;
};

}  // namespace svc::audio
