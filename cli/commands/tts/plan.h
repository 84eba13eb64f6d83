// The plan of `svc tts`: whether speech is played, saved or printed, and with which codec; and its
// run (speak.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "request/inputs.h"
#include "request/plan.h"
#include "session/session.h"
#include "voice/speech_audio.h"
#include "voice/speech_text.h"

namespace svc::cli {

enum class SpeechPlace : std::uint8_t {
  Speaker,  ///< played only
  File,     ///< --output
  Chosen,   ///< a free name in the current directory
  Stdout,
};

struct SpeechPlan {
  SpeechPlace place = SpeechPlace::Speaker;
  std::string path{};
  bool play = false;
  voice::Codec codec = voice::Codec::Mp3;
  int rate = 24'000;
  bool timed = false;        ///< the response is JSON with timestamps
  std::string timestamps{};  ///< file for the timestamps; empty: none
  std::string subtitles{};   ///< file for the subtitles; empty: none
  bool document = false;     ///< print the response itself on standard output
  std::vector<voice::TextPart> parts{};
  request::Plan plan{};  ///< one step per part
};

/// Resolves the flags and builds the requests: the text (argument, file or standard input), split
/// with --split; default language and voice; the codec of the file's extension. Warns of invalid
/// speech tags. Usage for flags that cannot be combined.
[[nodiscard]] Result<SpeechPlan> plan_speech(Session& session, const Operation& operation,
                                             const request::Inputs& inputs);

/// Shows the plan's requests, or sends them, and plays and saves the audio. Local, before anything
/// is sent, if it cannot be saved or played.
[[nodiscard]] Result<void> speak(Session& session, const SpeechPlan& plan);

}  // namespace svc::cli
