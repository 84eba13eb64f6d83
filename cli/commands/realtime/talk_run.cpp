#include "commands/realtime/talk_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "session/cost_tracker.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Arrival;
using websocket::Close;
using websocket::Received;

constexpr auto k_talk_redraw = 100ms;
constexpr auto k_talk_soon = 20ms;
constexpr auto k_talk_late = 60ms;
constexpr auto k_talk_quiet =
    1s;  ///< of silence, after which a conversation without input has ended
constexpr std::chrono::milliseconds k_talk_limit_notice{5 * 60'000};

}  // namespace

TalkRun::TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source,
                 TalkVoice& voice, ToolCalls& tools, TalkView& view, KeyInput& keys)
    : m_session(session),
      m_plan(std::move(plan)),
      m_voice(voice),
      m_tools(tools),
      m_view(view),
      m_keys(keys),
      m_live(session, m_plan.live, [this](const std::string& text) { m_view.warning(text); }),
      m_capture({.sound = m_plan.session.input,
                 .manual = m_plan.session.manual,
                 .push_to_talk = m_plan.push_to_talk,
                 .waits = m_plan.waits,
                 .fast = m_plan.fast},
                std::move(source), [this](const audio::Block& block) { return record(block); }) {
  if (m_plan.record && !m_plan.devices) m_voice.keep_heard();
}

Result<void> TalkRun::run() {
  Result<void> ended = m_live.run([this] { begin_connection(); }, [this] { return step(); },
                                  [this] { return m_phase == Phase::Over; });
  // The files are finished however the session ended.
  Result<void> recorded = record_heard();
  if (m_plan.record) {
    if (auto closed = m_plan.record->close(); recorded) recorded = std::move(closed);
  }
  if (const std::string late = m_capture.lateness(); !late.empty()) {
    m_session.notices().detail(late);
  }
  if (m_talk.responding()) record_interrupted(m_session, *m_session.invocation().operation);
  if (!ended && ended.error().fault == Fault::ReaderGone) return ended;
  SVC_CHECK(m_view.finish(m_talk, m_turn.answers(), m_turn.interruptions()));
  SVC_CHECK(m_voice.close());
  SVC_CHECK(recorded);
  if (!ended) return ended;
  if (!m_turn.failure().empty()) {
    return Error{Fault::RemoteJob, fmt::format("the last answer was not completed: {}",
                                               shown(m_turn.failure(), 300))};
  }
  return {};
}

Result<void> TalkRun::step() {
  SVC_CHECK(sound());
  while (!m_waiting.empty() && m_phase == Phase::Talking &&
         m_live.send({.data = m_waiting.front()})) {
    m_waiting.pop_front();
  }
  feed();
  next_say();
  SVC_CHECK(record_heard());
  if (m_view.is_live()) m_view.draw(status(), m_typing ? m_typed + "_" : std::string());
  SVC_TRY(got, wait());
  switch (got.what) {
    case Arrival::Text:
    case Arrival::Binary:
      SVC_CHECK(on_message(got));
      break;
    case Arrival::Closed:
      return on_closed(got.close);
    case Arrival::Ready:
      on_keys();
      SVC_CHECK(on_tools());
      break;
    case Arrival::Woken:
    case Arrival::Nothing:
      break;
  }
  return on_time();
}

std::optional<TalkRun::Clock::time_point> TalkRun::deadline() const {
  const auto now = Clock::now();
  std::optional<Clock::time_point> until = m_capture.deadline();
  const auto sooner = [&until](Clock::time_point moment) {
    until = until ? std::min(*until, moment) : moment;
  };
  if (!m_waiting.empty() || m_voice.pending() || !m_voice.idle()) {
    // The microphone wakes the loop often enough.
    sooner(now + (m_capture.descriptor() >= 0 ? k_talk_late : k_talk_soon));
  }
  if (m_view.is_live()) sooner(now + k_talk_redraw);
  if (m_plan.devices && m_plan.devices->busy()) sooner(now + k_talk_redraw);
  if (m_take_up) sooner(*m_take_up);
  if (expecting() && !m_turn.speaking()) sooner(m_last + m_plan.idle);
  if (input_over()) sooner(std::max(m_last + k_talk_quiet, now + k_talk_soon));
  return until;
}

Result<Received> TalkRun::wait() {
  std::vector<int> others = m_tools.descriptors();
  others.push_back(m_capture.descriptor());
  others.push_back(m_keys.descriptor());
  if (m_plan.devices) others.push_back(m_plan.devices->descriptor());
  return m_live.wait(deadline(), std::move(others));
}

/// Handles timeouts.
Result<void> TalkRun::on_time() {
  const auto now = Clock::now();
  m_capture.on_time(now);
  report_turn();
  const auto news = m_live.on_time();
  if (!news) return given_up(news.error());
  if (*news == LiveChannel::News::Lost) SVC_CHECK(on_lost());
  if (*news == LiveChannel::News::Connected) begin_connection();
  tell_limit(now);
  if (m_take_up && now >= *m_take_up) take_up();
  if (m_ending) m_phase = Phase::Over;
  const bool quiet = m_voice.idle() && !m_voice.pending();
  if (m_plan.turns && m_turn.answers() >= *m_plan.turns && quiet && !m_talk.responding()) {
    m_phase = Phase::Over;
  }
  if (m_phase != Phase::Talking) return {};
  if (expecting() && !m_turn.speaking() && now >= m_last + m_plan.idle) SVC_CHECK(no_answer(now));
  if (input_over() && !expecting() && quiet && now >= m_last + k_talk_quiet) {
    if (m_turn.answers() == 0) {
      m_view.note("the service detected no speech");
    }
    m_phase = Phase::Over;
  }
  return {};
}

/// Prints the usage of the last turn and of the conversation so far.
void TalkRun::report_turn() {
  if (const auto begun = m_voice.begun()) m_turn.answer_begins(*begun);
  if (const auto report = m_turn.take_report(!m_voice.idle())) {
    m_view.turn(report->wait, !m_plan.text && !m_plan.call, m_talk.usage());
  }
}

void TalkRun::tell_limit(Clock::time_point now) {
  const auto ahead = std::min(k_talk_limit_notice, m_plan.limit / 4);
  if (m_phase != Phase::Talking || m_limit_told || now < m_session_begin + m_plan.limit - ahead) {
    return;
  }
  m_limit_told = true;
  m_view.note(fmt::format(
      "sessions end after {}: {} left{}", format_duration(m_plan.limit), format_duration(ahead),
      m_plan.session.resume ? ", then the conversation continues in a new one" : ""));
}

/// A timeout of an answer. At a terminal the user can repeat the question; in a script it is an
/// error.
Result<void> TalkRun::no_answer(Clock::time_point now) {
  std::string sentence = fmt::format("the service sent nothing for {} while an answer was expected",
                                     format_duration(m_plan.idle));
  if (!m_plan.interactive && !m_plan.call) return Error{Fault::Timeout, std::move(sentence)};
  m_view.warning(sentence);
  m_turn.await(false);
  m_last = now;
  return {};
}

Result<void> TalkRun::on_closed(const Close& close) {
  auto [error, type, said] = m_live.take_end(close);
  m_live.tell_blame(true);
  const bool normal = closed_in_order(close);
  if (normal && !said) error = Error{Fault::Network, "the service closed the connection"};
  // The session reached its maximum duration; the conversation can continue.
  const bool by_clock = type == "max_duration";
  if (may_come_back(close) || (by_clock && m_plan.session.resume)) return lose(std::move(error));
  // A session in which no answer is expected may end normally.
  if (normal && !expecting() && error.fault == Fault::Network) {
    m_view.note("the service ended the session");
    m_phase = Phase::Over;
    return {};
  }
  return error;
}

Error TalkRun::given_up(Error error) const {
  if (expecting() && error.http_status == 0) error.fault = Fault::UnknownOutcome;
  return error;
}

/// Schedules a reconnect, with a growing delay, unless the attempts are used up.
Result<void> TalkRun::lose(Error error) {
  if (m_talk.id().empty() || !m_plan.session.resume) return given_up(std::move(error));
  if (auto again = m_live.lose(std::move(error)); !again) {
    return given_up(std::move(again).error());
  }
  return on_lost();
}

/// Audio of the current turn is sent again and transcribed anew after reconnecting.
Result<void> TalkRun::on_lost() {
  if (m_phase == Phase::Lost) return {};
  m_phase = Phase::Lost;
  m_waiting.clear();
  m_tools.forget();
  SVC_CHECK(m_view.lose());
  m_capture.lost();
  m_take_up.reset();
  const bool answering = m_talk.reconnect();
  if (answering) record_interrupted(m_session, *m_session.invocation().operation);
  m_turn.lost(answering);
  return {};
}

void TalkRun::begin_connection() {
  m_phase = Phase::Greeting;
  m_updated = m_limit_told = false;
  m_last = m_session_begin = Clock::now();
}

/// Whether something was said that has not been answered.
bool TalkRun::expecting() const {
  return m_turn.awaiting() || m_talk.responding() || m_talk.tools_pending() || m_tools.busy();
}

/// Whether no further input can come: no keys, no microphone, no text.
bool TalkRun::input_over() const {
  if (m_phase != Phase::Talking || m_plan.call) return false;
  if ((m_plan.interactive && m_keys.descriptor() >= 0) || !m_plan.says.empty()) return false;
  return m_capture.over();
}

}  // namespace svc::cli
