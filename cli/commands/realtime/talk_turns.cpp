// Turns of a conversation: what is heard and typed here, what the service makes of it.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "commands/realtime/talk_run.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr int k_talk_silence = 30;  ///< pieces behind the input, for the service to hear its end
constexpr auto k_talk_piece = 100ms;
constexpr auto k_talk_replay = 300ms;  ///< by then the service has told what it knows

}  // namespace

/// Takes what the source has, as far as there is room for it.
Result<void> TalkRun::capture() {
  while (wants_sound()) {
    SVC_TRY(block, m_source->take());
    if (!block) break;
    SVC_CHECK(record(*block));
    keep(*block);
  }
  return {};
}

/// With push-to-talk only what was heard between two moments belongs to the turn.
void TalkRun::keep(const audio::Block& block) {
  if (m_plan.push_to_talk) {
    const audio::Format format{m_plan.session.input.rate, 1};
    const auto begin = block.ended - audio::time_of(format, block.samples.size());
    if (m_turn_end && begin >= *m_turn_end) close_turn();
    if (!m_heard.turn_open() || block.ended <= m_turn_begin) return;
  }
  m_heard.append(audio::encode(block.samples, m_plan.session.input.encoding));
  m_captured = block.arrived == Clock::time_point() ? block.ended : block.arrived;
}

/// A block of the microphone, with what came out of the speaker meanwhile.
Result<void> TalkRun::record(const audio::Block& block) {
  if (!m_plan.record) return {};
  const audio::Format format{m_plan.session.input.rate, 1};
  const auto begins = block.ended - audio::time_of(format, block.samples.size());
  SVC_CHECK(m_plan.record->write(audio::Side::Left, block.samples, begins));
  if (block.played.empty()) return {};
  return m_plan.record->write(audio::Side::Right, block.played, begins);
}

/// What was heard of the answers since the last time, where no microphone tells it.
Result<void> TalkRun::record_heard() {
  if (!m_plan.record || m_plan.duplex) return {};
  const std::vector<audio::Sample> heard = m_voice.take_heard();
  if (heard.empty()) return {};
  const audio::Format format{m_plan.session.output.rate, 1};
  return m_plan.record->write(audio::Side::Right, heard,
                              Clock::now() - audio::time_of(format, heard.size()));
}

void TalkRun::send(std::string text) {
  m_last = Clock::now();
  if (m_phase == Phase::Talking && m_waiting.empty() && m_channel->send({.data = text})) return;
  m_waiting.push_back(std::move(text));
}

bool TalkRun::send_sound(std::string_view bytes) {
  websocket::Message message{.binary = m_plan.session.input.binary};
  message.data = message.binary ? std::string(bytes) : voice::append_message(bytes);
  return m_channel->send(std::move(message));
}

/// Sends what was heard, and after a turn that the user ended, says so.
void TalkRun::feed() {
  if (m_phase != Phase::Talking || !m_source) return;
  const std::size_t second = static_cast<std::size_t>(m_plan.session.input.rate) *
                             audio::bytes_per_sample(m_plan.session.input.encoding);
  while (m_waiting.empty()) {
    const std::string_view piece = m_heard.next(second / 5);
    if (piece.empty()) break;
    const std::size_t size = piece.size();
    if (!send_sound(piece)) return;
    m_heard.sent(size);
    if (m_heard.unsent() > 0 || m_plan.waits) continue;
    const auto late = Clock::now() - m_captured;
    m_late_most = std::max(m_late_most, late);
    m_late_sum += late;
    ++m_late_count;
  }
  if (const std::uint64_t gap = m_heard.take_dropped_ms(); gap > 0) {
    m_view.warning(fmt::format("{} of sound could not be kept: what was said then is missing",
                               format_duration(std::chrono::milliseconds(gap))));
  }
  const bool over = m_started && m_source->ended() && m_heard.unsent() == 0;
  if (over && m_heard.turn_open()) close_turn();
  if (m_waiting.empty() && m_heard.take_commit()) {
    send(voice::plain_message("input_audio_buffer.commit"));
    ask_for_answer();
  }
  if (over && m_silence == 0 && !m_plan.session.manual && m_next_silence == Clock::time_point()) {
    m_silence = k_talk_silence;
    m_next_silence = Clock::now();
  }
}

/// Behind the end of a file: a voice that breaks off is not a turn that has ended.
void TalkRun::feed_silence() {
  const auto now = Clock::now();
  while (m_phase == Phase::Talking && m_silence > 0 && (m_plan.fast || now >= m_next_silence)) {
    const TalkSound& sound = m_plan.session.input;
    const std::vector<audio::Sample> silence(static_cast<std::size_t>(sound.rate / 10));
    if (!send_sound(audio::encode(silence, sound.encoding))) return;
    --m_silence;
    m_next_silence += k_talk_piece;
    m_last = now;
  }
}

void TalkRun::say(const std::string& text) {
  m_own.push_back(std::string(trim(text)));
  (void)m_view.words(Speaker::User, {.kind = Event::Kind::UserText,
                                     .item = fmt::format("typed {}", ++m_texts),
                                     .text = text,
                                     .final = true});
  send(voice::say_message(text));
  ask_for_answer();
}

void TalkRun::next_say() {
  if (m_phase != Phase::Talking || m_plan.says.empty() || expecting() || !m_voice.idle()) return;
  const std::string text = std::move(m_plan.says.front());
  m_plan.says.pop_front();
  say(text);
}

void TalkRun::ask_for_answer() {
  m_awaiting = true;
  send(m_plan.text ? R"({"type":"response.create","response":{"modalities":["text"]}})"
                   : voice::plain_message("response.create"));
}

/// Behind a lost connection: what the service does not know is said again, and answered.
void TalkRun::take_up() {
  m_take_up.reset();
  for (const std::string& text : m_own) send(voice::say_message(text));
  ask_for_answer();
}

/// The user lets the key go: what the microphone heard until now is still on its way.
void TalkRun::end_turn() {
  m_holding = false;
  m_turn_end = Clock::now();
}

/// All of the turn has come; see feed().
void TalkRun::close_turn() {
  m_turn_end.reset();
  if (!m_heard.end_turn()) m_view.note("nothing was heard in this turn");
}

/// The user takes the word: no more of what is being answered.
void TalkRun::stop_answer() {
  if (m_talk.responding() && m_cancelled != m_talk.active()) {
    m_cancelled = m_talk.active();
    send(voice::plain_message("response.cancel"));
  }
  barge_in();
}

/// Silence at once, and the service is told how much of its answer was heard.
void TalkRun::barge_in() {
  const auto begin = Clock::now();
  const auto cut = m_voice.interrupt();
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  if (cut.empty() && !m_talk.responding()) return;
  // An answer that was not heard to its end is none.
  if (!m_talk.responding() && m_answers > 0) --m_answers;
  m_talk.interrupt();
  for (const voice::Truncation& one : cut) {
    send(voice::truncate_message(one.item, one.content, one.heard_ms));
    m_session.notices().detail(fmt::format("silent after {:.1f} ms; {} ms of {} were heard",
                                           took.count(), one.heard_ms, shown(one.item)));
  }
}

Result<void> TalkRun::on_message(const websocket::Received& got) {
  m_last = Clock::now();
  const bool binary = got.what == websocket::Arrival::Binary;
  if (!binary) SVC_CHECK(m_view.message(got.data));
  const auto events = binary ? m_talk.take_bytes(got.data) : m_talk.take(got.data);
  for (const Event& event : events) {
    if (event.kind != Event::Kind::Error) tell_error(m_last + 1h);
    SVC_CHECK(on_event(event));
  }
  return on_tools();
}

Result<void> TalkRun::on_event(const Event& event) {
  switch (event.kind) {
    case Event::Kind::Connected:
      if (!std::exchange(m_updated, true)) (void)m_channel->send({.data = m_plan.session.update});
      break;
    case Event::Kind::Configured:
      return on_configured();
    case Event::Kind::SpeechStarted:
      m_awaiting = m_speaking = true;
      barge_in();
      m_heard.speech_started(event.at_ms);
      break;
    case Event::Kind::SpeechStopped:
      m_speaking = false;
      m_heard.speech_stopped(event.at_ms);
      break;
    case Event::Kind::Committed:
      m_heard.committed();
      break;
    case Event::Kind::UserText:
      if (!m_own.empty() && trim(event.text) == m_own.front()) {
        m_own.pop_front();
        break;
      }
      return m_view.words(Speaker::User, event);
    case Event::Kind::AssistantText:
      return m_view.words(Speaker::Assistant, event);
    case Event::Kind::Audio:
      return m_voice.play(event.item, event.content, event.text);
    case Event::Kind::AudioDone:
      m_voice.finish(event.item);
      break;
    case Event::Kind::ToolCall:
      m_tools.call({.id = event.id, .name = event.name, .arguments = event.text});
      break;
    case Event::Kind::ToolNews:
      if (event.name.ends_with("failed")) {
        m_view.warning(
            fmt::format("{}: {}", visible(event.name, Lines::Escape), shown(event.text, 200)));
      }
      break;
    case Event::Kind::ResponseDone:
      on_response_done(event);
      break;
    case Event::Kind::Digit:
      m_view.note(fmt::format("the caller pressed {}", shown(event.text, 20)));
      break;
    case Event::Kind::IdleTimeout:
      m_awaiting = true;
      break;
    case Event::Kind::Error:
      m_said_error = event.text;
      m_said_type = event.name;
      m_said_at = Clock::now();
      break;
    case Event::Kind::ResponseStarted:
      break;
  }
  return {};
}

Result<void> TalkRun::on_configured() {
  if (m_phase != Phase::Greeting) return {};
  m_phase = Phase::Talking;
  if (m_attempts > 0) m_view.note("connected again");
  m_attempts = 0;
  // The way back to this conversation, should the connection be lost.
  if (m_plan.session.resume && !m_talk.id().empty() &&
      m_plan.request.url.find("conversation_id=") == std::string::npos) {
    m_plan.request.url += fmt::format("{}conversation_id={}",
                                      m_plan.request.url.find('?') == std::string::npos ? "?" : "&",
                                      percent_encode(m_talk.id()));
  }
  if (std::exchange(m_resume_answer, false)) m_take_up = Clock::now() + k_talk_replay;
  if (!std::exchange(m_greeted, true) && !m_plan.first.empty()) {
    for (const std::string& message : m_plan.first) send(message);
    m_awaiting = true;
  }
  if (m_source && !m_started) {
    SVC_CHECK(m_source->start());
    // Without detection the whole input is one turn.
    if (m_plan.session.manual && !m_plan.push_to_talk) m_heard.begin_turn();
  }
  m_started = true;
  return {};
}

void TalkRun::on_response_done(const Event& event) {
  const bool cancelled = event.name == "cancelled";
  if (!cancelled && !m_speaking) m_awaiting = false;
  if (!cancelled) m_own.clear();  // it was an answer to them
  if (event.spoken || !event.text.empty()) {
    if (!cancelled) ++m_answers;
    m_failure = event.text;
    if (!event.text.empty()) {
      m_view.warning(fmt::format("an answer was not completed: {}", shown(event.text, 300)));
    }
  }
}

/// An MCP server's tools have changed: the service gets the whole list again, now and in a
/// connection that follows this one.
void TalkRun::refresh_tools() {
  if (m_phase != Phase::Talking || !m_plan.servers->refresh_beside()) return;
  const std::vector<ToolProgram> before = m_tools.tools();
  m_tools.replace_served(m_plan.served());
  m_plan.session.update = with_session_tools(m_plan.session.update, before, m_tools.tools());
  send(tools_update(m_plan.session.update));
}

/// Outputs of programs that have ended; when all of an answer's are there, it goes on.
Result<void> TalkRun::on_tools() {
  m_plan.servers->tell_news();
  refresh_tools();
  for (const ToolCalls::Answer& answer : m_tools.take()) {
    if (!answer.said.empty()) m_view.note(shown(answer.said, 300));
    m_view.note(answer.note);
    send(voice::output_message(answer.call, answer.output));
    m_talk.answered(answer.call);
  }
  if (m_talk.take_wants_response()) ask_for_answer();
  return {};
}

}  // namespace svc::cli
