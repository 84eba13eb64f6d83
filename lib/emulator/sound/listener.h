// Splits mono audio into utterances: voice activity by energy, words by the recognizer. Times are
// positions in the audio, never clock times, and the output does not depend on how the input is
// split.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/sound/audio_format.h"
#include "emulator/sound/recognizer.h"
#include "emulator/sound/wide_band.h"

namespace svc::emulator::speech {

struct Listening {
  int endpointing_ms = 10;  ///< silence that ends an utterance; the listener always waits 240 ms
  bool interim = false;     ///< also return interim results, every half second
  double vad_threshold = 0.08;  ///< 0: everything is speech; 1: only very loud audio
  std::optional<double> smart_turn{};
  std::optional<int> smart_turn_timeout_ms{};
  bool speakers = false;  ///< utterances alternate between two speakers
};

struct SpokenWord {
  std::string text{};
  double start = 0;  ///< seconds from the start of the audio
  double end = 0;
  double confidence = 0;
  int speaker = 0;
};

/// A recognized part.
struct Heard {
  bool is_final = false;      ///< these words will not change
  bool speech_final = false;  ///< the utterance is over and complete
  std::vector<SpokenWord> words{};
  std::string remark{};  ///< text instead of words, if there is no recognizer
  double start = 0;
  double duration = 0;
  std::optional<double> end_of_turn{};
};

/// Not thread-safe; feed() is slow.
class Listener {
 public:
  explicit Listener(Listening listening);
  ~Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Samples at 16 kHz.
  void feed(SampleView samples, std::vector<Heard>& heard);

  /// Ends the current utterance, if there is one.
  void finalize(std::vector<Heard>& heard);

 private:
  void frame(SampleView samples, std::vector<Heard>& heard);
  void silent_frame(std::vector<Heard>& heard);
  void begin_chunk();
  void give(SampleView samples);
  void interim(std::vector<Heard>& heard);
  /// Makes the words of the chunk final and adds them to the utterance.
  std::vector<SpokenWord> close_chunk();
  void lock(std::vector<Heard>& heard);
  void end_utterance(std::vector<Heard>& heard, std::optional<double> turn);
  [[nodiscard]] std::vector<SpokenWord> placed(const std::vector<HeardWord>& words) const;
  [[nodiscard]] double now() const;
  [[nodiscard]] std::string remark(double seconds) const;

  Listening m_listening;
  double m_gate;
  Samples m_rest{};  ///< less than a frame
  std::uint64_t m_frames = 0;
  double m_floor = 0.001;          ///< level of silence
  std::deque<Samples> m_before{};  ///< the last frames of silence
  std::deque<bool> m_loud{};       ///< of the last five frames
  std::unique_ptr<Recognizer> m_recognizer{};
  WideBand m_wide{};
  std::string m_trouble{};  ///< why there is none; empty: not asked for yet
  // The chunk: audio between two silences, decoded as a unit.
  bool m_in_chunk = false;
  double m_chunk_start = 0;  ///< position in the audio, in seconds
  double m_last_sound = 0;
  int m_silence_ms = 0;
  int m_since_interim_ms = 0;
  int m_chunk_ms = 0;
  // The utterance: chunks up to the end of speech.
  bool m_in_utterance = false;
  double m_utterance_start = 0;
  std::vector<SpokenWord> m_words{};
  int m_turns = 0;  ///< previous utterances
};

}  // namespace svc::emulator::speech
