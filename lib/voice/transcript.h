// What was said: read from the service's answer, and written as text, subtitles, JSON or words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::voice {

/// A word with its times in seconds from the begin of the audio.
struct Word {
  std::string text{};
  double start = 0;
  double end = 0;
  std::optional<double> confidence{};
  std::optional<std::int64_t> speaker{};  ///< from 0
  std::optional<std::int64_t> channel{};  ///< from 0
};

/// A whole recording, or one utterance of it.
struct Transcript {
  std::string text{};
  std::string language{};     ///< often empty
  double start = 0;           ///< where it begins; counts where there are no words
  double duration = 0;        ///< seconds
  std::vector<Word> words{};  ///< in order of their start; may be empty
};

/// The service's answer: words of all channels in one list, by their start. Members
/// that are missing, null or of another type count as not given. Network when it is not a JSON
/// object.
[[nodiscard]] Result<Transcript> read_transcript(std::string_view text);

/// `--transcript-format`. Words: a line for each, separated by tabs: start, end, word, confidence,
/// speaker, channel; what is not known is empty.
enum class TranscriptFormat : std::uint8_t { Text, Srt, Vtt, Json, Words };

/// "text", "srt", "vtt", "json" or "words"; nothing for anything else.
[[nodiscard]] std::optional<TranscriptFormat> parse_transcript_format(std::string_view name);

/// The ending of a file of that format: "txt", "srt", "vtt", "json", "tsv".
[[nodiscard]] std::string_view transcript_ending(TranscriptFormat format);

/// How subtitles are cut.
struct CueLimits {
  std::size_t line = 42;  ///< characters
  std::size_t lines = 2;
  double longest = 7;     ///< seconds
  double shortest = 0.7;  ///< shown at least so long, where the next cue leaves room
  double pause = 0.8;     ///< a silence of this length ends a cue
};

/// What is on the screen from start to end.
struct Cue {
  double start = 0;
  double end = 0;
  std::string label{};  ///< who speaks: "1", "left", "left 1"; empty: not told
  std::vector<std::string> lines{};
};

/// Cuts one transcript into cues, in order of their start: at pauses, changes of speaker, ends of
/// sentences and clauses, and before a cue is too long to be read. `channels`: how many there are
/// in all; two are left and right. Words that are missing are taken from the text.
[[nodiscard]] std::vector<Cue> cut_cues(const Transcript& transcript, std::size_t channels,
                                        const CueLimits& limits = {});

/// Writes a transcript that is here as a whole, or grows by utterances: cue numbers go on, times
/// never go back. What it returns is to be written as it is; it may hold text from outside.
class TranscriptWriter {
 public:
  /// `channels`: how many there are in all, for the names of channels; 0 or 1: channels are not
  /// told.
  explicit TranscriptWriter(TranscriptFormat format, std::size_t channels = 0);

  /// One more piece; for Text a line, or one for each turn of a speaker. Json gives nothing yet.
  [[nodiscard]] std::string add(const Transcript& piece);

  /// What is left: for Json the document, for Vtt its head when nothing was said. `duration` of the
  /// whole audio, when it is known better than from the pieces.
  [[nodiscard]] std::string finish(std::optional<double> duration = std::nullopt);

 private:
  [[nodiscard]] std::string add_text(const Transcript& piece);
  [[nodiscard]] std::string add_cues(const Transcript& piece);

  TranscriptFormat m_format;
  std::size_t m_channels;
  bool m_begun = false;
  std::uint64_t m_cues = 0;
  std::int64_t m_last_ms = 0;  ///< start of the last cue
  Transcript m_whole{};        ///< for Json
};

/// "00:01:02,345" (SRT) or "00:01:02.345" (VTT).
[[nodiscard]] std::string cue_time(double seconds, char point);

/// Who says a word, as labels name it: "1", "left", "right 2"; "" when nothing is known.
[[nodiscard]] std::string label_of(const Word& word, std::size_t channels);

/// The words as one text, without spaces between characters of scripts that have none.
[[nodiscard]] std::string join_words(std::span<const Word> words);

/// Whether a space goes between two pieces of text: not where the script of one has none.
[[nodiscard]] bool blank_between(std::string_view before, std::string_view after);

/// The transcript as JSON, of the service's own shape, each word with its channel where it has one.
[[nodiscard]] std::string transcript_json(const Transcript& transcript);

/// Words of one speaker without a long pause.
struct SpeakerTurn {
  std::string label{};
  std::vector<Word> words{};
};

/// The turns by their start. Channels speak at the same time, so each has turns of its own.
[[nodiscard]] std::vector<SpeakerTurn> speaker_turns(std::vector<Word> words, std::size_t channels,
                                                     double pause);

}  // namespace svc::voice
