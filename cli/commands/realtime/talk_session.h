// The session settings of `realtime talk`: the user's, and the tool's own defaults.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"
#include "conversation/tool_program.h"

namespace svc::cli {

/// Defaults for what the user did not set.
struct TalkOptions {
  bool text = false;             ///< no audio at all
  bool call = false;             ///< a phone call, whose audio format is the service's
  bool manual = false;           ///< the user ends turns
  bool live_transcript = false;  ///< transcribe the user's speech while it is spoken
  std::string voice{};           ///< of the profile
};

/// The audio format of one direction.
struct TalkSound {
  audio::Encoding encoding = audio::Encoding::Pcm;
  int rate = 24'000;
  bool binary = false;  ///< audio in binary messages, not inside JSON
};

struct TalkSession {
  std::string update{};  ///< `session.update` as JSON
  TalkSound input{};
  TalkSound output{};
  bool manual = false;
  bool resume = true;
};

/// Builds the session from the `session.update` of the flags ("" if there is none). Usage for an
/// unsupported audio format.
[[nodiscard]] Result<TalkSession> make_talk_session(const std::string& opening,
                                                    const TalkOptions& options,
                                                    const std::vector<ToolProgram>& tools);

/// The `session.update` with the functions named in `before` replaced by `after`.
[[nodiscard]] std::string with_session_tools(const std::string& update,
                                             const std::vector<ToolProgram>& before,
                                             const std::vector<ToolProgram>& after);

/// The effect of a key on turn detection: + and - change the threshold, ] and [ the silence that
/// ends a turn. Nothing for other keys, or if the user ends turns.
struct TurnDetectionChange {
  std::string update{};   ///< the complete `session.update`
  std::string message{};  ///< only the changed part, to send
  std::string note{};
};
[[nodiscard]] std::optional<TurnDetectionChange> adjust_turn_detection(const std::string& update,
                                                                       char key);

/// A `session.update` with only the turn detection of another one; `manual`: with none.
[[nodiscard]] std::string turn_detection_update(const std::string& update, bool manual);

/// The silence that ends a turn, as a session.update says.
[[nodiscard]] std::chrono::milliseconds silence_of(const std::string& update);

/// A `session.update` with only the tools of another one.
[[nodiscard]] std::string tools_update(const std::string& update);

/// Sets `voice` in the `session` of a JSON object unless it has one. Without `session`, the text is
/// returned unchanged.
[[nodiscard]] std::string with_session_voice(const std::string& json, const std::string& voice);

}  // namespace svc::cli
