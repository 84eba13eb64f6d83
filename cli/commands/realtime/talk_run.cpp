#include "commands/realtime/talk_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "live/reconnect.h"
#include "session/usage_report.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Arrival;
using websocket::Close;
using websocket::Received;

constexpr std::chrono::milliseconds k_talk_greeting{15'000};
constexpr auto k_talk_redraw = 100ms;
constexpr auto k_talk_soon = 20ms;
constexpr auto k_talk_late = 60ms;
constexpr auto k_talk_quiet = 1s;  ///< without a word: a conversation without input is over
constexpr auto k_talk_verdict = 500ms;
constexpr std::chrono::milliseconds k_talk_limit_notice{5 * 60'000};
constexpr std::size_t k_talk_most_kept = 8U << 20U;      ///< bytes: nearly 3 minutes at 24 kHz
constexpr std::size_t k_talk_most_unsent = 256U << 10U;  ///< of a source that can wait

}  // namespace

TalkRun::TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source,
                 TalkVoice& voice, ToolCalls& tools, TalkView& view, KeyInput& keys)
    : m_session(session),
      m_plan(std::move(plan)),
      m_source(std::move(source)),
      m_voice(voice),
      m_tools(tools),
      m_view(view),
      m_keys(keys),
      m_heard(k_talk_most_kept, static_cast<std::size_t>(m_plan.session.input.rate),
              audio::bytes_per_sample(m_plan.session.input.encoding)) {
  if (m_plan.record && !m_plan.duplex) m_voice.keep_heard();
}

Result<void> TalkRun::run() {
  Result<void> ended = converse();
  tell_lateness();
  if (m_talk.responding()) record_interrupted(m_session, *m_session.invocation().operation);
  if (!ended && ended.error().fault == Fault::ReaderGone) return ended;
  SVC_CHECK(m_view.finish(m_talk, m_answers));
  SVC_CHECK(m_voice.close());
  if (m_plan.record) SVC_CHECK(m_plan.record->close());
  if (!ended) return ended;
  if (!m_failure.empty()) {
    return Error{Fault::RemoteJob,
                 fmt::format("the last answer was not completed: {}", shown(m_failure, 300))};
  }
  return {};
}

Result<void> TalkRun::converse() {
  SVC_TRY(opening,
          websocket::open_channel(m_plan.request, m_plan.channel, m_session.cancel_token()));
  SVC_TRY(channel, channel_of(std::move(opening), m_session.secrets()));
  m_finish.emplace();
  begin_connection(std::move(channel));
  while (m_phase != Phase::Over) {
    if (auto done = step(); !done) {
      if (m_channel) say_goodbye(*m_channel, 1001);
      return done;
    }
  }
  if (m_channel) say_goodbye(*m_channel, websocket::k_normal_closure);
  return {};
}

Result<void> TalkRun::step() {
  SVC_CHECK(capture());
  while (!m_waiting.empty() && m_phase == Phase::Talking &&
         m_channel->send({.data = m_waiting.front()})) {
    m_waiting.pop_front();
  }
  feed();
  feed_silence();
  next_say();
  SVC_CHECK(m_voice.pump());
  SVC_CHECK(record_heard());
  m_view.draw(status(), m_typing ? m_typed + "_" : std::string());
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
      if (m_connector && m_connector->over()) return on_connector();
      break;
    case Arrival::Woken:
    case Arrival::Nothing:
      break;
  }
  return on_time();
}

std::optional<TalkRun::Clock::time_point> TalkRun::deadline() const {
  const auto now = Clock::now();
  std::optional<Clock::time_point> until;
  const auto sooner = [&until](Clock::time_point moment) {
    until = until ? std::min(*until, moment) : moment;
  };
  if (!m_waiting.empty() || m_voice.pending() || m_holding || m_turn_end || !m_voice.idle()) {
    // A microphone wakes us as often as that.
    sooner(now +
           (m_source && m_source->wait_fd() >= 0 && wants_sound() ? k_talk_late : k_talk_soon));
  }
  if (m_view.is_live()) sooner(now + k_talk_redraw);
  if (m_phase == Phase::Greeting) sooner(m_since + k_talk_greeting);
  if (m_phase == Phase::Lost && !m_connector) sooner(m_retry);
  // In the past when the queue is full.
  if (m_phase == Phase::Talking && m_silence > 0) sooner(std::max(m_next_silence, now + 5ms));
  if (m_take_up) sooner(*m_take_up);
  if (!m_said_error.empty()) sooner(m_said_at + k_talk_verdict);
  if (expecting() && !m_speaking) sooner(m_last + m_plan.idle);
  if (input_over()) sooner(std::max(m_last + k_talk_quiet, now + k_talk_soon));
  return until;
}

Result<Received> TalkRun::wait() {
  std::vector<int> others = m_tools.descriptors();
  if (wants_sound()) others.push_back(m_source->wait_fd());
  others.push_back(m_keys.descriptor());
  if (!m_ending) others.push_back(m_finish->descriptor());
  if (m_connector) others.push_back(m_connector->descriptor());
  if (m_channel) return m_channel->receive(m_session.cancel_token(), deadline(), others);
  return wait_readable(m_session.cancel_token(), deadline(), others);
}

/// What is due by the clock.
Result<void> TalkRun::on_time() {
  const auto now = Clock::now();
  tell_error(now);
  SVC_CHECK(m_voice.check());
  if (m_holding && now > m_pressed + 250ms) end_turn();
  if (m_phase == Phase::Greeting && now >= m_since + k_talk_greeting) {
    Error late{Fault::Timeout,
               fmt::format("the service did not say within {} that the session is ready",
                           format_duration(k_talk_greeting)),
               "Try again; --verbose shows the handshake."};
    return m_attempts > 0 ? lose(std::move(late)) : Result<void>(std::move(late));
  }
  if (m_phase == Phase::Lost && !m_connector && now >= m_retry) {
    ++m_attempts;
    m_connector.emplace(m_plan.request, m_plan.channel);
  }
  tell_limit(now);
  if (m_take_up && now >= *m_take_up) take_up();
  if (m_ending) m_phase = Phase::Over;
  const bool quiet = m_voice.idle() && !m_voice.pending();
  if (m_plan.turns && m_answers >= *m_plan.turns && quiet && !m_talk.responding()) {
    m_phase = Phase::Over;
  }
  if (m_phase != Phase::Talking) return {};
  if (expecting() && !m_speaking && now >= m_last + m_plan.idle) SVC_CHECK(no_answer(now));
  if (input_over() && !expecting() && quiet && now >= m_last + k_talk_quiet) {
    if (m_answers == 0) m_view.note("the service heard nothing that it would have answered");
    m_phase = Phase::Over;
  }
  return {};
}

void TalkRun::tell_limit(Clock::time_point now) {
  const auto ahead = std::min(k_talk_limit_notice, m_plan.limit / 4);
  if (m_phase != Phase::Talking || m_limit_told || now < m_session_begin + m_plan.limit - ahead) {
    return;
  }
  m_limit_told = true;
  m_view.note(
      fmt::format("the service ends sessions after {}: {} are left{}",
                  format_duration(m_plan.limit), format_duration(ahead),
                  m_plan.session.resume ? ", and the conversation goes on in another one" : ""));
}

/// Who sits at a terminal can say it again; a script cannot.
Result<void> TalkRun::no_answer(Clock::time_point now) {
  std::string sentence = fmt::format("the service said nothing for {} while an answer was expected",
                                     format_duration(m_plan.idle));
  if (!m_plan.interactive && !m_plan.call) return Error{Fault::Timeout, std::move(sentence)};
  m_view.warning(sentence);
  m_awaiting = false;
  m_last = now;
  return {};
}

Result<void> TalkRun::on_closed(const Close& close) {
  const std::string said = std::exchange(m_said_error, {});
  const bool normal = closed_in_order(close);
  Error error = end_of(close, "the session", said);
  if (normal && said.empty()) error = Error{Fault::Network, "the service closed the connection"};
  m_channel.reset();
  // One session ends by the clock, the conversation does not.
  const bool by_clock = std::exchange(m_said_type, {}) == "max_duration";
  if (may_come_back(close) || (by_clock && m_plan.session.resume)) return lose(std::move(error));
  // A session that nobody waits for an answer of may end in order.
  if (normal && !expecting() && error.fault == Fault::Network) {
    m_view.note("the service ended the session");
    m_phase = Phase::Over;
    return {};
  }
  return error;
}

/// Takes the conversation up again, after a pause that grows, unless that was tried often enough.
Result<void> TalkRun::lose(Error error) {
  m_channel.reset();
  const bool began = !m_talk.id().empty() && m_plan.session.resume;
  if (!began || m_attempts >= m_plan.retries) {
    if (expecting()) error.fault = Fault::UnknownOutcome;
    if (m_attempts > 0) {
      error.message += fmt::format("; {} {} to connect again failed", m_attempts,
                                   m_attempts == 1 ? "attempt" : "attempts");
    }
    return error;
  }
  if (m_phase != Phase::Lost && m_attempts == 0) {
    m_view.warning(fmt::format("{}; connecting again, what you say now is kept", error.message));
  }
  m_waiting.clear();
  m_tools.forget();
  SVC_CHECK(m_view.lose());
  // What was being said is sent again, and heard anew.
  m_heard.lost();
  m_take_up.reset();
  m_silence = 0;
  m_next_silence = {};
  const bool asked = m_awaiting && !std::exchange(m_speaking, false);
  const bool answering = m_talk.reconnect();
  if (answering) record_interrupted(m_session, *m_session.invocation().operation);
  m_resume_answer = answering || asked || !m_own.empty() || m_resume_answer;
  m_awaiting = m_resume_answer;
  m_phase = Phase::Lost;
  m_retry = Clock::now() + retry_pause(m_attempts);
  return {};
}

Result<void> TalkRun::on_connector() {
  auto opening = m_connector->take();
  m_connector.reset();
  if (!opening) return lose(std::move(opening).error());
  auto channel = channel_of(*std::move(opening), m_session.secrets());
  if (!channel) {
    return may_pass(channel.error()) ? lose(channel.error()) : Result<void>(channel.error());
  }
  begin_connection(*std::move(channel));
  return {};
}

void TalkRun::begin_connection(std::unique_ptr<websocket::Channel> channel) {
  m_channel = std::move(channel);
  m_phase = Phase::Greeting;
  m_updated = m_limit_told = false;
  m_since = m_last = m_session_begin = Clock::now();
}

/// For --verbose: how soon what is heard here goes out.
void TalkRun::tell_lateness() {
  if (m_late_count == 0) return;
  using Milli = std::chrono::duration<double, std::milli>;
  m_session.notices().detail(fmt::format(
      "sound: {} pieces, sent {:.1f} ms after the device had them, {:.1f} ms at most", m_late_count,
      Milli(m_late_sum).count() / m_late_count, Milli(m_late_most).count()));
}

void TalkRun::tell_error(Clock::time_point now) {
  if (m_said_error.empty() || now < m_said_at + k_talk_verdict) return;
  m_view.warning(
      fmt::format("the service says: {}",
                  visible(excerpt(std::exchange(m_said_error, {}), 300), Lines::Escape)));
}

bool TalkRun::wants_sound() const {
  if (!m_started || !m_source || m_source->ended()) return false;
  return !m_plan.waits || m_heard.unsent() < k_talk_most_unsent;
}

/// Something was said that is still to be answered.
bool TalkRun::expecting() const {
  return m_awaiting || m_talk.responding() || m_talk.tools_pending() || m_tools.busy();
}

/// Nothing more is said from here: no key, no microphone, no text.
bool TalkRun::input_over() const {
  if (m_phase != Phase::Talking || m_plan.call) return false;
  if ((m_plan.interactive && m_keys.descriptor() >= 0) || !m_plan.says.empty()) return false;
  if (!m_source) return true;
  return m_source->ended() && m_heard.unsent() == 0 && m_silence == 0;
}

}  // namespace svc::cli
