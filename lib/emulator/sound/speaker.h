// A text with tags, spoken phrase by phrase: for /v1/tts and for a conversation. A tag for a pause
// or a noise is a pause; how a wrapping tag wants to be spoken is left to the service.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"
#include "emulator/sound/flite.h"

namespace svc::emulator::speech {

/// When a character is heard, in seconds from the beginning.
struct CharTime {
  double start = 0;
  double end = 0;
};

struct Speech {
  std::string text{};  ///< UTF-8, with tags
  Manner manner{};
  double speed = 1;
  int rate = 24'000;
  bool normalize = false;    ///< numbers, symbols and abbreviations are written out first
  bool quick_start = false;  ///< a short first phrase
  std::map<std::string, std::string> replace{};  ///< phrases in lower case to what is said for them
};

/// The whole of `samples` at another rate. Local when the library for it is missing.
[[nodiscard]] Result<Samples> resample(SampleView samples, int from_rate, int to_rate);

/// Not safe for several threads; next() takes its time.
class Speaker {
 public:
  explicit Speaker(Speech speech);

  /// The samples of the next phrase; nothing after the last. Local when there is no synthesis.
  [[nodiscard]] Result<std::optional<Samples>> next();

  /// When each character of the text is heard, one per code point: of all that was spoken so far.
  [[nodiscard]] std::vector<CharTime> times() const;

  /// How much was spoken so far.
  [[nodiscard]] double seconds() const;

 private:
  struct Word {
    std::string spoken;          ///< ASCII; empty: not heard
    std::string key{};           ///< by which a replacement finds it: "Foo," is "foo"
    std::size_t first_char = 0;  ///< code points
    std::size_t chars = 0;
    bool ends_phrase = false;
    bool may_end_phrase = false;  ///< a comma
    double silence = 0;           ///< seconds, of what is not spoken: a tag, or a foreign word
  };
  using Phrase = std::vector<Word>;  ///< all spoken, or none
  void plan();
  [[nodiscard]] std::vector<Word> words_of(std::string_view text) const;
  [[nodiscard]] Word word_of(std::string_view written, std::size_t first_char) const;
  void replace_phrases(std::vector<Word>& words) const;
  [[nodiscard]] Result<Samples> perform(const Phrase& phrase);
  void mark(std::size_t first_char, std::size_t chars, double start, double end);

  Speech m_speech;
  std::deque<Phrase> m_phrases{};
  std::vector<std::optional<CharTime>> m_times{};
  std::uint64_t m_samples = 0;
};

/// A built-in voice, with a manner of speaking of its own.
struct Voice {
  std::string_view id;
  std::string_view name;
  Manner manner;
};

/// In the order of the document.
[[nodiscard]] std::span<const Voice> voices();

inline constexpr std::string_view k_default_voice = "eve";

/// The built-in voice of that id, whatever its case; null when there is none.
[[nodiscard]] const Voice* find_voice(std::string_view id);

/// How that voice speaks. The ids of custom voices are opaque: one with eight letters or more and a
/// digit is taken for one, and speaks as a built-in voice that is chosen by its letters. Nothing
/// for any other unknown id.
[[nodiscard]] std::optional<Manner> manner_of(std::string_view id);

}  // namespace svc::emulator::speech
