// Splits a transcript into subtitles and into the turns of its speakers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "voice/transcript.h"

namespace svc::voice {

/// Limits for splitting subtitles.
struct CueLimits {
  std::size_t line = 42;  ///< characters
  std::size_t lines = 2;
  double longest = 7;     ///< seconds
  double shortest = 0.7;  ///< minimum duration, if the next cue leaves room
  double pause = 0.8;     ///< silence that ends a cue
};

/// A subtitle, on screen from start to end.
struct Cue {
  double start = 0;
  double end = 0;
  std::string label{};  ///< the speaker: "1", "left", "left 1"; empty: unknown
  std::vector<std::string> lines{};
};

/// Splits a transcript into cues, ordered by start: at pauses, changes of speaker, ends of
/// sentences and clauses, and before a cue gets too long to read. `channels` is the total number;
/// two are labelled left and right. If there are no words, they are taken from the text.
[[nodiscard]] std::vector<Cue> make_cues(const Transcript& transcript, std::size_t channels,
                                         const CueLimits& limits = {});

/// Consecutive words of one speaker without a long pause.
struct SpeakerTurn {
  std::string label{};
  std::vector<Word> words{};
};

/// The turns, ordered by start. Channels overlap in time, so each has its own turns.
[[nodiscard]] std::vector<SpeakerTurn> speaker_turns(std::vector<Word> words, std::size_t channels,
                                                     double pause);

}  // namespace svc::voice
