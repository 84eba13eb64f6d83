// What `svc tts` is to do with the speech: play it, save it, hand it on; and which codec that
// needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "request/inputs.h"
#include "session/session.h"
#include "voice/speech_audio.h"
#include "voice/speech_text.h"

namespace svc::cli {

enum class SpeechPlace : std::uint8_t {
  Speaker,  ///< nothing is kept
  File,     ///< --output
  Chosen,   ///< a free name in the current folder
  Stdout,
};

struct SpeechPlan {
  SpeechPlace place = SpeechPlace::Speaker;
  std::string path{};
  bool play = false;
  voice::Codec codec = voice::Codec::Mp3;
  int rate = 24'000;
  bool timed = false;        ///< the answer is JSON with times
  std::string timestamps{};  ///< a file for them; empty: none
  std::string subtitles{};   ///< a file
  bool document = false;     ///< the answer itself goes to standard output
  std::vector<voice::TextPart> parts{};
  std::vector<request::Request> requests{};  ///< one for each part
};

/// Settles everything and builds the requests: the text (argument, file, standard input) cut when
/// --split says so, language and voice where none was given, the codec of the file's ending. Warns
/// of tags that are not right. Usage for what does not go together.
[[nodiscard]] Result<SpeechPlan> plan_speech(Session& session);

/// The same for a request of another command's own.
[[nodiscard]] Result<SpeechPlan> plan_speech(Session& session, const Operation& operation,
                                             const request::Inputs& inputs);

}  // namespace svc::cli
