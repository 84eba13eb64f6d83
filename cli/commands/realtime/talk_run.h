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
#include "commands/realtime/talk_turn.h"
#include "commands/realtime/talk_view.h"
#include "conversation/mcp_servers.h"
#include "conversation/tool_calls.h"
#include "live/live_channel.h"
#include "session/session.h"
#include "terminal/key_input.h"
#include "voice/conversation.h"

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
  std::vector<std::string> first{};        ///< events sent after the session's settings
  std::deque<std::string> says{};
  std::optional<int> turns{};
  std::chrono::milliseconds limit{std::chrono::minutes(120)};  ///< maximum duration of a session
  std::shared_ptr<McpServers> servers{};                       ///< never null
  std::function<std::vector<ToolProgram>()> served{};          ///< the current tools of the servers
  std::chrono::milliseconds idle{60'000};  ///< timeout without an event while an answer is expected
};

class TalkRun {
 public:
  /// `source` is null without audio input.
  TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source, TalkVoice& voice,
          ToolCalls& tools, TalkView& view, KeyInput& keys);

  /// Runs until the turns are complete, the input has ended and was answered, or the user stops it.
  [[nodiscard]] Result<void> run();

  /// How the user left a phone call: not at all, leaving it active, or hanging up.
  enum class Left : std::uint8_t { No, Alone, HangUp };
  [[nodiscard]] Left left() const noexcept { return m_left; }

 private:
  using Clock = LiveChannel::Clock;
  using Event = voice::TalkEvent;
  enum class Phase : std::uint8_t { Greeting, Talking, Lost, Over };

  Result<void> step();
  Result<websocket::Received> wait();
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  Result<void> on_time();
  Result<void> no_answer(Clock::time_point now);

  // Local audio and text.
  Result<void> sound();
  Result<void> on_devices();
  void change_device(audio::Direction direction);
  Result<void> record(const audio::Block& block);
  Result<void> record_heard();
  void feed();
  [[nodiscard]] bool send_sound(std::string_view bytes);
  void next_say();
  void on_keys();
  void on_key(char key);
  bool on_typed(char key);
  void on_command(char key);
  void adjust(char key);
  void say(const std::string& text);
  void stop_answer();
  void barge_in();
  void reconnect();
  void send_cuts();
  void ask_for_answer();
  void take_up();
  void send(std::string text);

  // The service's events.
  Result<void> on_message(const websocket::Received& got);
  Result<void> on_event(const Event& event);
  Result<void> on_configured();
  Result<void> on_tools();
  void refresh_tools();
  void on_response_done(const Event& event);
  void report_turn();
  void tell_limit(Clock::time_point now);
  Result<void> on_closed(const websocket::Close& close);
  Result<void> lose(Error error);
  Result<void> on_lost();
  [[nodiscard]] Error given_up(Error error) const;
  void begin_connection();

  [[nodiscard]] bool expecting() const;
  [[nodiscard]] bool input_over() const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string key_help() const;

  Session& m_session;
  TalkPlan m_plan;
  TalkVoice& m_voice;
  ToolCalls& m_tools;
  TalkView& m_view;
  KeyInput& m_keys;
  LiveChannel m_live;
  TalkCapture m_capture;
  TalkTurn m_turn{};
  voice::Conversation m_talk{};
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_last{};  ///< last activity of either side
  Clock::time_point m_session_begin{};
  bool m_limit_told = false;
  bool m_updated = false;                   ///< the settings were sent on this connection
  bool m_greeted = false;                   ///< the plan's first events were sent
  std::deque<std::string> m_waiting{};      ///< events that the channel could not accept yet
  std::vector<voice::Truncation> m_cuts{};  ///< of items that the connection may not know yet
  bool m_record_failed = false;
  std::optional<Clock::time_point> m_take_up{};  ///< when lost messages are sent again
  std::string m_cancelled{};                     ///< the answer that the user interrupted
  std::string m_typed{};
  bool m_typing = false;
  bool m_ending = false;
  Left m_left = Left::No;
};

}  // namespace svc::cli
