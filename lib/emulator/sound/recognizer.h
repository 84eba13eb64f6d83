// Speech recognition with pocketsphinx: one utterance at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::speech {

/// The sample rate of the recognizer.
inline constexpr int k_listen_rate = 16'000;

struct RecognizedWord {
  std::string text{};
  double start = 0;  ///< seconds
  double end = 0;
  double confidence = 0;  ///< 0 to 1
};

/// Not thread-safe. The result of an utterance does not depend on earlier ones.
class Recognizer {
 public:
  /// Returns an idle recognizer or a new one, which takes half a second to load. Returns Local if
  /// it is not built in or not installed. Thread-safe.
  [[nodiscard]] static Result<std::unique_ptr<Recognizer>> take();

  Recognizer(const Recognizer&) = delete;
  Recognizer& operator=(const Recognizer&) = delete;
  /// Returns the loaded recognizer to the pool.
  ~Recognizer();

  void begin();
  void feed(SampleView samples);
  /// Returns the words so far, which may still change. Times count from begin().
  [[nodiscard]] std::vector<RecognizedWord> partial_result() const;
  [[nodiscard]] std::vector<RecognizedWord> finish();

 private:
  struct Decoder;
  struct Shelf;
  explicit Recognizer(std::unique_ptr<Decoder> decoder);
  std::unique_ptr<Decoder> m_decoder;
  bool m_active = false;  ///< an utterance has begun and not ended
};

/// Whether pocketsphinx is built in.
[[nodiscard]] bool recognizer_is_built_in();

}  // namespace svc::emulator::speech
