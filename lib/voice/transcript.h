// Transcripts: parsed from the service's response, written as text, subtitles, JSON or words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace svc::voice {

/// A word with its times in seconds from the start of the audio.
struct Word {
  std::string text{};
  double start = 0;
  double end = 0;
  std::optional<double> confidence{};
  std::optional<std::int64_t> speaker{};  ///< counted from 0
  std::optional<std::int64_t> channel{};  ///< counted from 0
};

/// The transcript of a whole recording or of one utterance.
struct Transcript {
  std::string text{};
  std::string language{};     ///< often empty
  double start = 0;           ///< where it starts; used if there are no words
  double duration = 0;        ///< seconds
  std::vector<Word> words{};  ///< in order of their start; may be empty
};

/// Parses the service's response. The words of all channels are merged into one list, ordered by
/// start. Fields that are missing, null or of another type are ignored. Fails with Fault::Network
/// if the response is not a JSON object.
[[nodiscard]] Result<Transcript> read_transcript(std::string_view text);

/// The values of `--transcript-format`. Words has one tab-separated line per word: start, end,
/// word, confidence, speaker, channel; unknown columns are empty.
enum class TranscriptFormat : std::uint8_t { Text, Srt, Vtt, Json, Words };

/// Parses "text", "srt", "vtt", "json" or "words"; otherwise returns nothing.
[[nodiscard]] std::optional<TranscriptFormat> parse_transcript_format(std::string_view name);

/// The file extension of a format: "txt", "srt", "vtt", "json", "tsv".
[[nodiscard]] std::string_view transcript_extension(TranscriptFormat format);

/// Writes a transcript at once or utterance by utterance: cue numbers continue, times never
/// decrease. Write its output unchanged; it may contain untrusted text.
class TranscriptWriter {
 public:
  /// `channels`: the total number, used for labels; with 0 or 1, channels are not labelled.
  explicit TranscriptWriter(TranscriptFormat format, std::size_t channels = 0);

  /// Adds a piece. Text returns one line, or one per turn of a speaker; Json returns nothing until
  /// finish().
  [[nodiscard]] std::string add(const Transcript& segment);

  /// Returns the rest: the document for Json, the header for Vtt if there was no speech. `duration`
  /// is that of the whole audio, if known more precisely than from the pieces.
  [[nodiscard]] std::string finish(std::optional<double> duration = std::nullopt);

 private:
  [[nodiscard]] std::string add_text(const Transcript& segment);
  [[nodiscard]] std::string add_cues(const Transcript& segment);

  TranscriptFormat m_format;
  std::size_t m_channels;
  bool m_started = false;
  std::uint64_t m_cues = 0;
  std::int64_t m_last_ms = 0;  ///< start of the last cue
  Transcript m_whole{};        ///< used for Json
};

/// A cue as a subtitle of Srt or Vtt, with its number. The times are in milliseconds.
[[nodiscard]] std::string subtitle(TranscriptFormat format, std::uint64_t number,
                                   std::int64_t start_ms, std::int64_t end_ms,
                                   std::string_view label, std::span<const std::string> lines);

/// The label of a word's speaker: "1", "left", "right 2"; "" if unknown.
[[nodiscard]] std::string label_of(const Word& word, std::size_t channels);

/// Joins words, without spaces between characters of scripts that use none.
[[nodiscard]] std::string join_words(std::span<const Word> words);

/// Whether a space belongs between two pieces of text; scripts without spaces need none.
[[nodiscard]] bool needs_space(std::string_view before, std::string_view after);

/// The transcript as JSON in the service's format, each word with its channel if known.
[[nodiscard]] std::string transcript_json(const Transcript& transcript);

}  // namespace svc::voice
