// The state of a conversation: who speaks, what is still to be answered, how soon answers come.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "voice/conversation.h"

namespace svc::cli {

class TalkTurn {
 public:
  using Clock = std::chrono::steady_clock;

  // The user.

  /// A text of the user's, sent at `now`.
  void typed(const std::string& text, Clock::time_point now);
  /// The service says what the user said: true when that is a text of this side.
  [[nodiscard]] bool said_back(const std::string& text);
  void speech_started() noexcept { m_awaiting = m_speaking = true; }
  /// The voice ended at `when`.
  void speech_stopped(Clock::time_point when) noexcept;
  /// Something is to be answered, or is not any more.
  void await(bool awaiting) noexcept { m_awaiting = awaiting; }
  /// The user waits no more, unless the service hears a voice.
  void give_up() noexcept { m_awaiting = m_speaking; }
  [[nodiscard]] bool awaiting() const noexcept { return m_awaiting; }
  [[nodiscard]] bool speaking() const noexcept { return m_speaking; }

  // The answers.

  /// Sound or text of an answer is there, since `when`.
  void answer_begins(Clock::time_point when);
  void done(const voice::TalkEvent& event);
  /// An answer was interrupted, of that response or item: it counts once, and not as an answer.
  void interrupted(const std::string& key, bool was_done);
  [[nodiscard]] int answers() const noexcept { return m_answers; }
  [[nodiscard]] int interruptions() const noexcept { return m_interrupted; }
  /// Why the last answer failed, or "".
  [[nodiscard]] const std::string& failure() const noexcept { return m_failure; }
  /// Of a turn whose answer is there: from the end of what the user said to the answer's begin,
  /// where that is known. Once for each turn.
  struct Report {
    std::optional<Clock::duration> wait{};
  };
  /// `sound`: the answer may still be heard soon.
  [[nodiscard]] std::optional<Report> take_report(bool sound);

  // The connection.

  /// It is lost, and an answer with it or not.
  void lost(bool answering) noexcept;
  /// What was lost is to be asked for again. True once.
  [[nodiscard]] bool take_lost() noexcept { return std::exchange(m_lost, false); }
  /// Texts that the service may not know.
  [[nodiscard]] const std::deque<std::string>& unknown() const noexcept { return m_own; }

 private:
  bool m_awaiting = false;          ///< something was said that has to be answered
  bool m_speaking = false;          ///< the service hears the user
  bool m_lost = false;              ///< an answer was lost with the connection
  std::deque<std::string> m_own{};  ///< texts of this side that the service has not said back
  std::string m_cut{};              ///< what was interrupted last
  int m_answers = 0;
  int m_interrupted = 0;
  std::string m_failure{};
  std::optional<Clock::time_point> m_asked{};
  std::optional<Clock::time_point> m_begun{};
  bool m_report = false;
};

}  // namespace svc::cli
