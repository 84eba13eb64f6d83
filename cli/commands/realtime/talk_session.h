// The session that `realtime talk` asks for: what the user set, and what the tool itself needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audio/format.h"
#include "base/result.h"
#include "conversation/tool_program.h"

namespace svc::cli {

/// What the tool needs where the user said nothing.
struct TalkWishes {
  bool text = false;             ///< no sound at all
  bool call = false;             ///< of a phone call, whose sound is the service's
  bool manual = false;           ///< the user tells when a turn ends
  bool resume = true;            ///< the conversation continues after a lost connection
  bool live_transcript = false;  ///< what is said is wanted while it is said
  std::string voice{};           ///< the profile's
};

/// One direction's sound.
struct TalkSound {
  audio::Encoding encoding = audio::Encoding::Pcm;
  int rate = 24'000;
  bool binary = false;  ///< in messages of its own, not inside JSON
};

struct TalkSession {
  std::string update{};  ///< `session.update`, as JSON text
  TalkSound input{};
  TalkSound output{};
  bool manual = false;
  bool resume = true;
};

/// From the `session.update` that the flags make ("" when they make none). Usage for sound that
/// cannot be made here.
[[nodiscard]] Result<TalkSession> make_talk_session(const std::string& opening,
                                                    const TalkWishes& wishes,
                                                    const std::vector<ToolProgram>& tools);

/// A `session.update` whose functions of the names `before` give way to `after`.
[[nodiscard]] std::string with_session_tools(const std::string& update,
                                             const std::vector<ToolProgram>& before,
                                             const std::vector<ToolProgram>& after);

/// What a key makes of a session's turn detection: + and - move the threshold, ] and [ the silence
/// that ends a turn. Nothing for other keys, and where the user tells when a turn ends.
struct TurnDetectionChange {
  std::string update{};   ///< the whole `session.update`
  std::string message{};  ///< the part of it that changes
  std::string note{};
};
[[nodiscard]] std::optional<TurnDetectionChange> adjust_turn_detection(const std::string& update,
                                                                       char key);

/// The part of a `session.update` that is about tools, as one of its own.
[[nodiscard]] std::string tools_update(const std::string& update);

/// A JSON object with a member `session`: `voice` is put into that one where nobody chose one.
/// Without a `session` the text stays as it is.
[[nodiscard]] std::string with_session_voice(const std::string& json, const std::string& voice);

}  // namespace svc::cli
