// Who speaks when.
#pragma once

#include <string>
#include <vector>

#include "voice/transcript.h"

namespace svc::voice {

/// Words of one speaker without a long pause.
struct SpeakerTurn {
  std::string label{};
  std::vector<Word> words{};
};

/// The turns by their start. Channels speak at the same time, so each has turns of its own.
[[nodiscard]] std::vector<SpeakerTurn> speaker_turns(std::vector<Word> words, std::size_t channels,
                                                     double pause);

}  // namespace svc::voice
