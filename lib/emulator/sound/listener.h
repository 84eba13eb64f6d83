// Speech recognition with pocketsphinx, and the utterances in audio.
#pragma once

#include "emulator/sound/audio.h"

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

  Recognizer() = default;
  Recognizer(const Recognizer&) = delete;
  Recognizer& operator=(const Recognizer&) = delete;
  virtual ~Recognizer() = default;

  virtual void begin() = 0;
  /// Samples at 16 kHz.
  virtual void feed(SampleView samples) = 0;
  /// Returns the words so far, which may still change. Times count from begin().
  [[nodiscard]] virtual std::vector<RecognizedWord> partial_result() const = 0;
  [[nodiscard]] virtual std::vector<RecognizedWord> finish() = 0;
};

/// Whether pocketsphinx is built in.
[[nodiscard]] bool recognizer_is_built_in();

// Splits mono audio into utterances: activity by energy, words by the recognizer. Times are
// positions in the audio, and the output does not depend on how the input is split.

struct ListenerOptions {
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
struct RecognitionResult {
  bool is_final = false;      ///< these words will not change
  bool speech_final = false;  ///< the utterance is over and complete
  std::vector<SpokenWord> words{};
  std::string notice{};  ///< text instead of words, if there is no recognizer
  double start = 0;
  double duration = 0;
  std::optional<double> end_of_turn{};
};

/// Not thread-safe; feed() is slow.
class Listener {
 public:
  explicit Listener(ListenerOptions options);

  /// Samples at 16 kHz.
  void feed(SampleView samples, std::vector<RecognitionResult>& results);

  /// Ends the current utterance, if there is one.
  void finalize(std::vector<RecognitionResult>& results);

 private:
  void frame(SampleView samples, std::vector<RecognitionResult>& results);
  void silent_frame(std::vector<RecognitionResult>& results);
  void begin_chunk();
  void feed_recognizer(SampleView samples) {
    if (m_recognizer) m_recognizer->feed(samples);
  }
  void interim(std::vector<RecognitionResult>& results);
  /// Makes the words of the chunk final and adds them to the utterance.
  std::vector<SpokenWord> close_chunk();
  void lock(std::vector<RecognitionResult>& results);
  void end_utterance(std::vector<RecognitionResult>& results, std::optional<double> turn);
  [[nodiscard]] std::vector<SpokenWord> with_offsets(
      const std::vector<RecognizedWord>& words) const;
  [[nodiscard]] double now() const;
  [[nodiscard]] std::string notice(double seconds) const;

  ListenerOptions m_options;
  double m_threshold;
  Samples m_rest{};  ///< less than a frame
  std::uint64_t m_frames = 0;
  double m_noise_floor = 0.001;     ///< level of silence
  std::deque<Samples> m_preroll{};  ///< the last frames of silence
  std::deque<bool> m_loud{};        ///< of the last five frames
  std::unique_ptr<Recognizer> m_recognizer{};
  std::string m_error{};  ///< why there is none; empty: not asked for yet
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
