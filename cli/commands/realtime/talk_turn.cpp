#include "commands/realtime/talk_turn.h"

#include <utility>

#include "base/text.h"

namespace svc::cli {

void TalkTurn::typed(const std::string& text, Clock::time_point now) {
  m_own.push_back(std::string(trim(text)));
  m_awaiting = true;
  m_asked = now;
  m_begun.reset();
}

bool TalkTurn::is_echo(const std::string& text) {
  if (m_own.empty() || trim(text) != m_own.front()) return false;
  m_own.pop_front();
  return true;
}

void TalkTurn::speech_stopped(Clock::time_point when) noexcept {
  if (std::exchange(m_speaking, false)) m_awaiting = true;
  m_asked = when;
  m_begun.reset();
}

void TalkTurn::answer_begins(Clock::time_point when) {
  if (m_asked && !m_begun && when >= *m_asked) m_begun = when;
}

void TalkTurn::done(const voice::TalkEvent& event) {
  const bool canceled = event.name == "cancelled";
  if (!canceled) m_awaiting = false;
  if (!canceled) m_own.clear();  // the answer was to these texts
  m_repeats = 0;
  if (!event.spoken && event.text.empty()) return;
  if (!canceled) ++m_answers;
  m_failure = event.text;
  m_report = true;
}

void TalkTurn::interrupted(const std::string& key, bool was_completed) {
  m_interrupting = m_speaking;
  if (std::exchange(m_cut, key) == key) return;
  ++m_interrupted;
  if (was_completed && m_answers > 0) --m_answers;
}

std::optional<TalkTurn::Report> TalkTurn::take_report(bool sound) {
  if (!m_report || (sound && m_asked && !m_begun)) return std::nullopt;
  m_report = false;
  Report report;
  if (m_asked && m_begun) report.wait = *m_begun - *m_asked;
  m_asked.reset();
  m_begun.reset();
  return report;
}

void TalkTurn::lost(bool answering) noexcept {
  const bool speaking = std::exchange(m_speaking, false);
  const bool asked = m_awaiting && !speaking;
  m_lost = answering || asked || !m_own.empty() || m_lost;
  m_awaiting = m_lost;
}

}  // namespace svc::cli
