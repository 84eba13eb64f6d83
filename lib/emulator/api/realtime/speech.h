// Speaking and hearing, as a realtime session needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::realtime {

/// What is to be spoken.
struct SpeechWish {
  std::string text{};
  std::string voice{};
  double speed = 1;
  int rate = 24'000;
  std::vector<std::pair<std::string, std::string>> replace{};  ///< phrases to what is said for them
};

struct SpokenAudio {
  Samples samples{};
  /// When each code point of the text ends, in milliseconds; empty: not known.
  std::vector<std::int64_t> ends_ms{};
};

/// Safe for several threads. Its functions take their time: they are called apart.
class Speech {
 public:
  Speech() = default;
  Speech(const Speech&) = delete;
  Speech& operator=(const Speech&) = delete;
  virtual ~Speech() = default;

  [[nodiscard]] virtual Result<SpokenAudio> speak(const SpeechWish& wish) const = 0;

  /// Loads what hear() and speak() need, which takes a while the first time.
  virtual void get_ready() const {}

  /// The words in `samples`, in lower case; "" when there are none.
  [[nodiscard]] virtual Result<std::string> hear(std::span<const std::int16_t> samples,
                                                 int rate) const = 0;
};

/// Flite speaks and pocketsphinx hears; each fails with a sentence where it is not installed.
[[nodiscard]] std::shared_ptr<const Speech> make_speech();

}  // namespace svc::emulator::realtime
