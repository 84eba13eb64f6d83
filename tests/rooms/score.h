// What a service would make of a filtered microphone.
#pragma once

#include <string>
#include <vector>

#include "rooms/scene.h"

namespace svc::rooms {

/// A filtered microphone: its samples, and for each step of 10 ms how many of them were there.
struct Filtered {
  Samples samples{};
  std::vector<std::size_t> ready{};
  double cpu = 0;  ///< share of a core
};

struct Score {
  int said = 0;
  int noticed = 0;
  int words = 0;                   ///< first words kept
  std::vector<double> until{};     ///< ms until noticed
  std::vector<double> softened{};  ///< dB
  int first_said = 0;              ///< the first interruption of each conversation
  int first_noticed = 0;
  int first_words = 0;
  std::vector<double> first_until{};
  int false_starts = 0;
  double alone = 0;  ///< seconds in which nobody talks
  double cpu = 0;
  int scenes = 0;
  std::string details{};  ///< a line for each utterance and false start

  void add(const Score& other);
  [[nodiscard]] double false_a_minute() const { return alone > 0 ? 60 * false_starts / alone : 0; }
};

/// Detects speech as a service does: 60 of 100 ms louder than -40 dBFS and the room's noise.
[[nodiscard]] Score score_of(const Scene& scene, const Setting& setting, const Filtered& filtered);

/// The value below which half of them are; 0 if there are none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace svc::rooms
