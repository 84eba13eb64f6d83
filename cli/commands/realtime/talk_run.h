// Runs `realtime talk`: sends audio and text to the service, plays its answers, and handles turns.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/source.h"
#include "audio/wav.h"
#include "base/result.h"
#include "commands/realtime/talk_devices.h"
#include "commands/realtime/talk_session.h"
#include "commands/realtime/talk_sound.h"
#include "commands/realtime/talk_view.h"
#include "conversation/mcp_servers.h"
#include "conversation/tool_calls.h"
#include "live/live_channel.h"
#include "session/session.h"
#include "terminal/key_input.h"
#include "voice/interruption.h"

namespace svc::cli {

struct TalkPlan {
  LivePlan live{};
  TalkSession session{};
  bool text = false;          ///< no audio at all
  bool call = false;          ///< a phone call: it ends when the caller hangs up
  bool push_to_talk = false;  ///< the space bar starts and ends a turn
  bool interactive = true;    ///< the user may keep talking or typing while keys can be read
  bool fast = false;          ///< a file is sent faster than real time
  std::optional<audio::StereoRecorder> record{};  ///< records both sides, at the same rate
  std::unique_ptr<TalkDevices> devices{};  ///< set if microphone and speaker are devices; the
                                           ///< source then also reports what the speaker played
  bool half_duplex = false;                ///< the microphone is muted while an answer plays
  bool waits = false;                      ///< the source can be paused: it is not a device
  /// What interrupts an answer; nothing: whatever the service takes for speech.
  std::optional<voice::InterruptionPolicy> interrupts{};
  std::vector<std::string> first{};  ///< events sent after the session's settings
  std::deque<std::string> says{};
  std::optional<int> turns{};
  std::chrono::milliseconds limit{std::chrono::minutes(120)};  ///< maximum duration of a session
  std::shared_ptr<McpServers> servers{};                       ///< never null
  std::function<std::vector<ToolProgram>()> served{};          ///< the current tools of the servers
  std::chrono::milliseconds idle{60'000};  ///< timeout without an event while an answer is expected
};

/// How the user left a phone call: not at all, leaving it active, or hanging up.
enum class CallLeft : std::uint8_t { No, Alone, HangUp };

/// Runs until the turns are complete, the input has ended and was answered, or the user stops it.
/// `source` is null without audio input.
[[nodiscard]] Result<CallLeft> run_talk(Session& session, TalkPlan plan,
                                        std::unique_ptr<audio::Source> source, TalkVoice& voice,
                                        ToolCalls& tools, TalkView& view, KeyInput& keys);

}  // namespace svc::cli
