// `realtime talk` at work: what is heard here to the service, what it says to the speaker, in
// turns, over one connection or, when one is lost, several.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/recorder.h"
#include "audio/source.h"
#include "base/result.h"
#include "commands/realtime_talk_session.h"
#include "commands/realtime_talk_tools.h"
#include "commands/realtime_talk_view.h"
#include "commands/realtime_talk_voice.h"
#include "connector.h"
#include "keys.h"
#include "session.h"
#include "signals.h"
#include "voice/audio_keep.h"
#include "voice/conversation.h"
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
  bool duplex = false;  ///< the source says itself what the speaker played
  bool waits = false;   ///< the source can wait: it is no device
  std::deque<std::string> says{};
  std::optional<int> turns{};
  int retries = 8;
  std::chrono::milliseconds idle{60'000};  ///< how long an answer may keep silent
};

class TalkRun {
 public:
  /// `source` is null where nothing is heard.
  TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source, TalkVoice& voice,
          TalkTools& tools, TalkView& view, Keys& keys);

  /// Until the turns are over, the input and what it led to have ended, or somebody asks for the
  /// end.
  [[nodiscard]] Result<void> run();

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
  void feed();
  void feed_silence();
  void next_say();
  void on_keys();
  void on_key(char key);
  bool on_typed(char key);
  void talk_key();
  void say(const std::string& text);
  void barge_in();
  void end_turn();
  void ask_for_answer();
  void send(std::string text);

  // What the service says.
  Result<void> on_message(const websocket::Received& got);
  Result<void> on_event(const Event& event);
  Result<void> on_configured();
  Result<void> on_tools();
  void on_response_done(const Event& event);
  Result<void> on_closed(const websocket::Close& close);
  Result<void> lose(Error error);
  Result<void> on_connector();
  void begin_connection(std::unique_ptr<websocket::Channel> channel);
  void tell_error(Clock::time_point now);

  [[nodiscard]] bool expecting() const;
  [[nodiscard]] bool input_over() const;
  [[nodiscard]] std::string status() const;

  Session& m_session;
  TalkPlan m_plan;
  std::unique_ptr<audio::Source> m_source;
  TalkVoice& m_voice;
  TalkTools& m_tools;
  TalkView& m_view;
  Keys& m_keys;
  std::optional<FinishOnInterrupt> m_finish{};  ///< from the connection on
  voice::Conversation m_talk{};
  voice::AudioKeep m_keep;
  std::unique_ptr<websocket::Channel> m_channel{};
  std::optional<Connector> m_connector{};
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_since{};  ///< of the phase
  Clock::time_point m_last{};   ///< anything was said, by either side
  Clock::time_point m_session_begin{};
  bool m_limit_told = false;
  std::uint64_t m_sent = 0;             ///< of what was heard
  std::deque<std::string> m_waiting{};  ///< messages that the channel did not take yet
  int m_silence = 0;                    ///< pieces of silence that are still sent behind the input
  Clock::time_point m_next_silence{};
  bool m_started = false;        ///< the source
  bool m_awaiting = false;       ///< something was said that has to be answered
  bool m_speaking = false;       ///< the service hears the user
  bool m_updated = false;        ///< the session was asked for, on this connection
  bool m_resume_answer = false;  ///< an answer was lost with the connection
  bool m_turn_open = false;      ///< push-to-talk: the user speaks
  bool m_holding = false;        ///< and the key repeats
  Clock::time_point m_pressed{};
  std::deque<std::string> m_own{};  ///< texts of this side, which the service says back
  bool m_ending = false;
  int m_answers = 0;
  int m_texts = 0;          ///< that were typed or given
  std::string m_failure{};  ///< of the last answer
  std::string m_typed{};
  bool m_typing = false;
  int m_attempts = 0;
  Clock::time_point m_retry{};
  std::string m_said_error{};
  Clock::time_point m_said_at{};
};

}  // namespace svc::cli
