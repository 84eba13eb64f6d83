// Text to speech with flite: one phrase at a time, with the times of its tokens.
#pragma once

#include "emulator/sound/audio.h"

namespace svc::emulator::speech {

/// Flite's speakers.
enum class BaseVoice : std::uint8_t { Slt, Rms, Awb, Kal };

struct VoiceSettings {
  BaseVoice base_voice = BaseVoice::Slt;
  double pitch = 0;  ///< mean pitch in Hz; 0: the speaker's own
  double size = 1;   ///< above 1: a smaller person with a higher voice
  double pace = 1;   ///< above 1: faster
};

/// When a token, which ends at byte `text_end` of the text, is heard.
struct TokenTime {
  std::size_t text_end = 0;
  double start = 0;  ///< seconds
  double end = 0;
};

struct Synthesis {
  Samples samples{};
  int rate = 16'000;
  std::vector<TokenTime> tokens{};  ///< audible tokens, in order
};

/// Loads flite. Returns Local, with the reason, if it is not built in or not installed.
[[nodiscard]] Result<void> check_flite();

/// Speaks `text`, which must be plain ASCII. Takes about a twentieth of the result's duration; only
/// one phrase at a time in the whole program. Thread-safe.
[[nodiscard]] Result<Synthesis> synthesize(const std::string& text, const VoiceSettings& settings);

/// Whether flite is built in.
[[nodiscard]] bool flite_is_built_in();

// Speaks a text with tags phrase by phrase, for /v1/tts and for conversations. A tag for a pause or
// a noise becomes a pause; the style of wrapping tags is ignored.

inline constexpr sv k_default_voice = "eve";

/// When a character is heard, in seconds from the start.
struct CharTime {
  double start = 0;
  double end = 0;
};

struct Speech {
  std::string text{};                  ///< UTF-8, with tags
  std::string voice{k_default_voice};  ///< an unknown one is replaced by the default
  double speed = 1;
  int rate = 24'000;
  bool quick_start = false;                      ///< use a short first phrase
  std::map<std::string, std::string> replace{};  ///< phrases in lower case, with their replacements
};

/// Resamples all of `samples`. Returns Local if the library is missing.
[[nodiscard]] Result<Samples> resample(SampleView samples, int from_rate, int to_rate);

/// Not thread-safe; next() is slow.
class Speaker {
 public:
  explicit Speaker(Speech speech);

  /// Returns the samples of the next phrase; nothing after the last. Local without flite.
  [[nodiscard]] Result<std::optional<Samples>> next();

  /// Returns when each character is heard, one entry per code point, for the text spoken so far.
  [[nodiscard]] std::vector<CharTime> times() const;

  /// Returns the duration spoken so far.
  [[nodiscard]] double seconds() const { return static_cast<double>(m_samples) / m_speech.rate; }

 private:
  struct Word {
    std::string spoken;          ///< ASCII; empty: not audible
    std::string key{};           ///< key to find a replacement: "foo" for "Foo,"
    std::size_t first_char = 0;  ///< code points
    std::size_t chars = 0;
    bool ends_phrase = false;
    bool may_end_phrase = false;  ///< ends with a comma
    double silence = 0;  ///< seconds, for parts that are not spoken: a tag, or a foreign word
  };
  using Phrase = std::vector<Word>;  ///< spoken as a whole, or not at all
  void plan();
  [[nodiscard]] std::vector<Word> words_of(sv text) const;
  [[nodiscard]] Word word_of(sv written, std::size_t first_char) const;
  void replace_phrases(std::vector<Word>& words) const;
  [[nodiscard]] Result<Samples> perform(const Phrase& phrase);
  void mark(std::size_t first_char, std::size_t chars, double start, double end);

  Speech m_speech;
  VoiceSettings m_manner;
  std::deque<Phrase> m_phrases{};
  std::vector<std::optional<CharTime>> m_times{};
  std::uint64_t m_samples = 0;
};

/// A built-in voice, with a manner of speaking of its own.
struct Voice {
  sv id;
  sv name;
  VoiceSettings settings;
};

/// In the order of the documentation.
[[nodiscard]] std::span<const Voice> voices();

/// Finds a built-in voice by ID, case-insensitively; null if unknown.
[[nodiscard]] const Voice* find_voice(sv id);

/// Returns the voice's style. An ID with at least eight letters and a digit is a custom voice,
/// which speaks like a built-in one chosen by its letters. Nothing for any other.
[[nodiscard]] std::optional<VoiceSettings> voice_settings(sv id);

// Converts written words to spoken form.

/// Converts one written word, without spaces, to ASCII for an English speaker, who reads numbers
/// and abbreviations by itself. Accents are removed; a word in another script becomes "".
[[nodiscard]] std::string spoken_form(sv word);

}  // namespace svc::emulator::speech
