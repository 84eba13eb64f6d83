// One channel of sound to utterances: voice activity by energy, words by the recognizer. Times come
// from the place in the sound, never from a clock, and what comes out does not depend on the pieces
// in which the sound comes in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"
#include "emulator/sound/recognizer.h"

namespace svc::emulator::speech {

struct Listening {
  int endpointing_ms = 10;  ///< silence that ends an utterance; the listener waits 240 ms anyway
  bool interim = false;     ///< also what may still change, each half second
  double vad_threshold = 0.08;  ///< 0: everything is listened to; 1: only what is very loud
  std::optional<double> smart_turn{};
  std::optional<int> smart_turn_timeout_ms{};
  bool speakers = false;  ///< utterances are those of two speakers in turn
};

struct SpokenWord {
  std::string text{};
  double start = 0;  ///< seconds from the beginning of the sound
  double end = 0;
  double confidence = 0;
  int speaker = 0;
};

/// What was heard.
struct Heard {
  bool is_final = false;      ///< these words will not change
  bool speech_final = false;  ///< the utterance is over; the words are all of it
  std::vector<SpokenWord> words{};
  std::string remark{};  ///< text instead of words, where there is no recognizer
  double start = 0;
  double duration = 0;
  std::optional<double> end_of_turn{};
};

/// Not safe for several threads; feed() takes its time.
class Listener {
 public:
  explicit Listener(Listening listening);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// 16 kHz.
  void feed(SampleView samples, std::vector<Heard>& heard);

  /// Ends the utterance here, if there is one.
  void finalize(std::vector<Heard>& heard);

  /// How much came in.
  [[nodiscard]] double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace svc::emulator::speech
