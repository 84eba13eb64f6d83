// `realtime talk` at work: what is heard here to the service, what it says to the speaker, in
// turns, over one connection or, when one is lost, several.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/recorder.h"
#include "audio/source.h"
#include "base/result.h"
#include "commands/realtime/talk_session.h"
#include "commands/realtime/talk_view.h"
#include "commands/realtime/talk_voice.h"
#include "conversation/mcp_servers.h"
#include "conversation/tool_calls.h"
#include "live/async_connect.h"
#include "session/session.h"
#include "terminal/key_input.h"
#include "terminal/signals.h"
#include "voice/conversation.h"
#include "voice/upstream_audio.h"
#include "websocket/channel.h"

namespace svc::cli {

struct TalkPlan {
  websocket::OpenRequest request{};  ///< whole: address, query, key
  websocket::ChannelOptions channel{};
  TalkSession session{};
  bool text = false;          ///< no sound at all
  bool call = false;          ///< of others, by phone: it ends when they hang up
  bool push_to_talk = false;  ///< the space bar says when the user speaks
  bool interactive = true;    ///< the user goes on talking or typing, as long as there are keys
  bool fast = false;          ///< a file is not sent in its own time
  std::optional<audio::StereoRecorder> record{};  ///< both sides, at the same rate
  bool duplex = false;               ///< the source says itself what the speaker played
  bool waits = false;                ///< the source can wait: it is no device
  std::vector<std::string> first{};  ///< messages that go behind the session's settings
  std::deque<std::string> says{};
  std::optional<int> turns{};
  std::chrono::milliseconds limit{std::chrono::minutes(120)};  ///< of a session
  std::shared_ptr<McpServers> servers{};                       ///< never null
  std::function<std::vector<ToolProgram>()> served{};          ///< their tools, as they are now
  int retries = 8;
  std::chrono::milliseconds idle{60'000};  ///< how long an answer may keep silent
};

class TalkRun {
 public:
  /// `source` is null where nothing is heard.
  TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source, TalkVoice& voice,
          ToolCalls& tools, TalkView& view, KeyInput& keys);

  /// Until the turns are over, the input and what it led to have ended, or somebody asks for the
  /// end.
  [[nodiscard]] Result<void> run();

  /// The user left a phone call, with or without ending it for the caller too.
  enum class Left : std::uint8_t { No, Alone, HangUp };
  [[nodiscard]] Left left() const noexcept { return m_left; }

 private:
  using Clock = websocket::Channel::Clock;
  using Event = voice::TalkEvent;
  enum class Phase : std::uint8_t { Greeting, Talking, Lost, Over };

  Result<void> converse();
  Result<void> step();
  Result<websocket::Received> wait();
  [[nodiscard]] std::optional<Clock::time_point> deadline() const;
  Result<void> on_time();
  Result<void> no_answer(Clock::time_point now);

  // What is heard and said here.
  [[nodiscard]] bool wants_sound() const;
  Result<void> capture();
  Result<void> record(const audio::Block& block);
  Result<void> record_heard();
  void keep(const audio::Block& block);
  void feed();
  void feed_silence();
  [[nodiscard]] bool send_sound(std::string_view bytes);
  void next_say();
  void on_keys();
  void on_key(char key);
  bool on_typed(char key);
  void on_command(char key);
  void talk_key();
  void say(const std::string& text);
  void stop_answer();
  void barge_in();
  void end_turn();
  void close_turn();
  void ask_for_answer();
  void take_up();
  void send(std::string text);

  // What the service says.
  Result<void> on_message(const websocket::Received& got);
  Result<void> on_event(const Event& event);
  Result<void> on_configured();
  Result<void> on_tools();
  void refresh_tools();
  void on_response_done(const Event& event);
  void tell_limit(Clock::time_point now);
  Result<void> on_closed(const websocket::Close& close);
  Result<void> lose(Error error);
  Result<void> on_connector();
  void begin_connection(std::unique_ptr<websocket::Channel> channel);
  void tell_error(Clock::time_point now);
  void tell_lateness();

  [[nodiscard]] bool expecting() const;
  [[nodiscard]] bool input_over() const;
  [[nodiscard]] std::string status() const;

  Session& m_session;
  TalkPlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  TalkVoice& m_voice;
  ToolCalls& m_tools;
  TalkView& m_view;
  KeyInput& m_keys;
  std::optional<FinishOnInterrupt> m_finish{};  ///< from the connection on
  voice::Conversation m_talk{};
  voice::UpstreamAudio m_heard;
  std::unique_ptr<websocket::Channel> m_channel{};
  std::optional<AsyncConnect> m_connector{};
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_since{};  ///< of the phase
  Clock::time_point m_last{};   ///< anything was said, by either side
  Clock::time_point m_session_begin{};
  bool m_limit_told = false;
  std::deque<std::string> m_waiting{};  ///< messages that the channel did not take yet
  int m_silence = 0;                    ///< pieces of silence that are still sent behind the input
  Clock::time_point m_next_silence{};
  bool m_started = false;                        ///< the source
  bool m_awaiting = false;                       ///< something was said that has to be answered
  bool m_speaking = false;                       ///< the service hears the user
  bool m_updated = false;                        ///< the session was asked for, on this connection
  bool m_resume_answer = false;                  ///< an answer was lost with the connection
  std::optional<Clock::time_point> m_take_up{};  ///< when that is seen to
  bool m_greeted = false;                        ///< the plan's first messages were sent
  bool m_holding = false;                        ///< push-to-talk: the key repeats
  Clock::time_point m_pressed{};
  Clock::time_point m_turn_begin{};
  std::optional<Clock::time_point> m_turn_end{};  ///< what was heard until then belongs to the turn
  std::deque<std::string> m_own{};  ///< texts of this side that the service has not said back
  std::string m_cancelled{};        ///< the answer that the user did not want
  bool m_ending = false;
  Left m_left = Left::No;
  int m_answers = 0;
  int m_texts = 0;          ///< that were typed or given
  std::string m_failure{};  ///< of the last answer
  std::string m_typed{};
  bool m_typing = false;
  int m_attempts = 0;
  Clock::time_point m_retry{};
  std::string m_said_error{};
  std::string m_said_type{};  ///< of it
  Clock::time_point m_said_at{};
  Clock::duration m_late_most{};  ///< from a block's end until it was handed to the socket
  Clock::duration m_late_sum{};
  int m_late_count = 0;
  Clock::time_point m_captured{};  ///< when the newest block ended
};

}  // namespace svc::cli
