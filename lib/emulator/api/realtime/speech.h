// Speech synthesis and recognition for a realtime session.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"
#include "emulator/sound/speaker.h"

namespace svc::emulator::realtime {

struct SpokenAudio {
  Samples samples{};
  /// The end of each code point of the text, in milliseconds; empty: unknown.
  std::vector<std::int64_t> ends_ms{};
};

/// Thread-safe. Its functions block: call them on a worker thread.
class Speech {
 public:
  Speech() = default;
  Speech(const Speech&) = delete;
  Speech& operator=(const Speech&) = delete;
  virtual ~Speech() = default;

  [[nodiscard]] virtual Result<SpokenAudio> synthesize(const speech::Speech& order) const = 0;

  /// Loads the libraries for hear() and synthesize(), which is slow the first time.
  virtual void preload() const {}

  /// Returns the words in `samples`, in lower case; "" if there are none.
  [[nodiscard]] virtual Result<std::string> hear(std::span<const std::int16_t> samples,
                                                 int rate) const = 0;
};

/// Speaks with flite and recognizes with pocketsphinx; each returns an error with a message if it
/// is not installed.
[[nodiscard]] std::shared_ptr<const Speech> make_speech();

}  // namespace svc::emulator::realtime
