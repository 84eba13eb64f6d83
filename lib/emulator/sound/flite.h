// Text to speech with flite: one phrase at a time, with the times of its tokens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/sound/audio_format.h"

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

}  // namespace svc::emulator::speech
