// Speech to words by pocketsphinx: one utterance at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::speech {

/// The rate that the recognizer wants.
inline constexpr int k_listen_rate = 16'000;

struct HeardWord {
  std::string text{};
  double start = 0;  ///< seconds
  double end = 0;
  double confidence = 0;  ///< 0 to 1
};

/// Not safe for several threads. What an utterance gives does not depend on those before it.
class Recognizer {
 public:
  /// One that nobody uses, or a new one, which takes half a second. Local when it is not built in
  /// or not installed. From any thread.
  [[nodiscard]] static Result<std::unique_ptr<Recognizer>> take();

  Recognizer(const Recognizer&) = delete;
  Recognizer& operator=(const Recognizer&) = delete;
  /// Keeps what was loaded for the next one.
  ~Recognizer();

  void begin();
  void feed(SampleView samples);
  /// The words up to here, which may still change. Times count from begin().
  [[nodiscard]] std::vector<HeardWord> so_far() const;
  [[nodiscard]] std::vector<HeardWord> finish();

 private:
  struct Decoder;
  explicit Recognizer(std::unique_ptr<Decoder> decoder);
  std::unique_ptr<Decoder> m_decoder;
  bool m_begun = false;  ///< an utterance, which has not ended
};

/// Is it built in?
[[nodiscard]] bool recognizer_is_built_in();

}  // namespace svc::emulator::speech
