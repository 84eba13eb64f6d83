// The state of turns: who speaks, whether an answer is expected, and how long it took.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "voice/conversation.h"

namespace svc::cli {

class TalkTurn {
 public:
  using Clock = std::chrono::steady_clock;

  // The user's side.

  /// Records a text sent at `now`.
  void typed(const std::string& text, Clock::time_point now);
  /// Records the service's transcript of the user. True if it is the echo of a text sent from here.
  [[nodiscard]] bool is_echo(const std::string& text);
  void speech_started() noexcept {
    m_speaking = true;
    m_interrupting = false;
  }
  /// Records that the user stopped speaking at `when`.
  void speech_stopped(Clock::time_point when) noexcept;
  /// What is being said does not count. An answer to something else is still expected.
  void forget_speech() noexcept { m_speaking = m_interrupting = false; }
  /// Expects an answer.
  void await() noexcept { m_awaiting = true; }
  /// Stops expecting an answer, unless the user is speaking.
  void give_up() noexcept { m_awaiting = false; }
  [[nodiscard]] bool awaiting() const noexcept { return m_awaiting || m_speaking; }
  [[nodiscard]] bool speaking() const noexcept { return m_speaking; }
  /// Whether this speech has interrupted an answer.
  [[nodiscard]] bool interrupting() const noexcept { return m_interrupting; }

  // The answers.

  /// Records that the first audio or text of an answer arrived at `when`.
  void answer_begins(Clock::time_point when);
  void done(const voice::TalkEvent& event);
  /// Records the interruption of a response or item `key`: counted once, and not as an answer.
  void interrupted(const std::string& key, bool was_completed);
  [[nodiscard]] int answers() const noexcept { return m_answers; }
  [[nodiscard]] int interruptions() const noexcept { return m_interrupted; }
  /// The error of the last answer, or "".
  [[nodiscard]] const std::string& failure() const noexcept { return m_failure; }
  /// A completed turn: the time from the end of the user's input to the start of the answer, if
  /// known. Reported once per turn.
  struct Report {
    std::optional<Clock::duration> wait{};
  };
  /// `sound`: the answer may be heard later.
  [[nodiscard]] std::optional<Report> take_report(bool sound);

  // The connection.

  /// Records a lost connection; `answering`: an answer was lost with it.
  void lost(bool answering) noexcept;
  /// Whether the lost input has to be sent again. True once.
  [[nodiscard]] bool take_unanswered() noexcept { return std::exchange(m_lost, false); }
  /// Records that a lost answer is requested again, which is billed again.
  void repeated() noexcept { ++m_repeats; }
  /// Whether the same answer may be requested once more.
  [[nodiscard]] bool may_repeat() const noexcept { return m_repeats < 2; }
  /// Texts that the service may not have received.
  [[nodiscard]] const std::deque<std::string>& unknown() const noexcept { return m_own; }

 private:
  bool m_awaiting = false;  ///< something was said, to its end, that needs an answer
  bool m_speaking = false;  ///< the service detects speech
  bool m_interrupting = false;
  bool m_lost = false;              ///< an answer was lost with the connection
  std::deque<std::string> m_own{};  ///< sent texts that the service has not confirmed
  std::string m_cut{};              ///< the last interrupted response or item
  int m_repeats = 0;                ///< requests for the answer after its connection was lost
  int m_answers = 0;
  int m_interrupted = 0;
  std::string m_failure{};
  std::optional<Clock::time_point> m_asked{};
  std::optional<Clock::time_point> m_begun{};
  bool m_report = false;
};

}  // namespace svc::cli
