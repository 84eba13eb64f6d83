// Measures how a microphone picks up the speaker, for the sound test.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "audio/format.h"

namespace svc::audio {

/// Noise in bursts as long as syllables: unlike anything else in a room, and close enough to speech
/// for an echo canceller.
[[nodiscard]] std::vector<Sample> probe_signal(int rate, Milliseconds length);

struct EchoReport {
  /// Time from playback to its echo; negative if a device reports wrong times. Nothing if no echo
  /// was found.
  std::optional<Milliseconds> delay{};
  double echo = 0;                   ///< decibels relative to the played sound
  std::optional<double> canceled{};  ///< decibels of echo that are subtracted, before suppression
};

/// `played` and `captured` cover the same time, in one channel, at a rate of whole hundreds.
[[nodiscard]] EchoReport measure_echo(std::span<const Sample> played,
                                      std::span<const Sample> captured, int rate);

}  // namespace svc::audio
