// Turns of a conversation: what is heard and typed here, what the service makes of it.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "commands/realtime_talk_run.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr int k_talk_silence = 30;  ///< pieces behind the input, for the service to hear its end
constexpr auto k_talk_piece = 100ms;

}  // namespace

/// Takes what the source has, as far as there is room for it.
Result<void> TalkRun::capture() {
  while (wants_sound()) {
    SVC_TRY(block, m_source->take());
    if (!block) break;
    SVC_CHECK(record(*block));
    if (m_plan.push_to_talk && !m_turn_open) continue;
    m_keep.append(audio::encode(block->samples, m_plan.session.input.encoding));
  }
  return {};
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
  if (m_waiting.empty() && m_channel && m_channel->send({.data = text})) return;
  m_waiting.push_back(std::move(text));
}

/// Sends what was heard; what is sent is the service's.
void TalkRun::feed() {
  if (m_phase != Phase::Talking || !m_source) return;
  m_sent = std::max(m_sent, m_keep.begin());
  const std::size_t second = static_cast<std::size_t>(m_plan.session.input.rate) *
                             audio::bytes_per_sample(m_plan.session.input.encoding);
  while (m_keep.end() > m_sent && m_waiting.empty()) {
    const std::string_view piece = m_keep.read(m_sent, second / 5);
    websocket::Message message{.binary = m_plan.session.input.binary};
    message.data = message.binary ? std::string(piece) : voice::append_message(piece);
    if (!m_channel->send(std::move(message))) return;
    m_sent += piece.size();
    m_keep.settle(m_sent);
  }
  if (!m_started || !m_source->ended() || m_keep.end() > m_sent || m_silence != 0) return;
  if (m_turn_open) {
    end_turn();
  } else if (m_next_silence == Clock::time_point()) {
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
    const std::string bytes = audio::encode(silence, sound.encoding);
    websocket::Message message{.binary = sound.binary};
    message.data = sound.binary ? bytes : voice::append_message(bytes);
    if (!m_channel->send(std::move(message))) return;
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

/// The user has finished, and says so.
void TalkRun::end_turn() {
  m_turn_open = m_holding = false;
  feed();
  send(voice::plain_message("input_audio_buffer.commit"));
  ask_for_answer();
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
                                           took.count(), one.heard_ms,
                                           visible(excerpt(one.item, 60), Lines::Escape)));
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
      if (!std::exchange(m_updated, true)) send(m_plan.session.update);
      break;
    case Event::Kind::Configured:
      return on_configured();
    case Event::Kind::SpeechStarted:
      m_awaiting = m_speaking = true;
      barge_in();
      break;
    case Event::Kind::SpeechStopped:
      m_speaking = false;
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
      m_tools.call(event);
      break;
    case Event::Kind::ToolNews:
      if (event.name.ends_with("failed")) {
        m_view.warning(fmt::format("{}: {}", visible(event.name, Lines::Escape),
                                   visible(excerpt(event.text, 200), Lines::Escape)));
      }
      break;
    case Event::Kind::ResponseDone:
      on_response_done(event);
      break;
    case Event::Kind::Digit:
      m_view.note(
          fmt::format("the caller pressed {}", visible(excerpt(event.text, 20), Lines::Escape)));
      break;
    case Event::Kind::IdleTimeout:
      m_awaiting = true;
      break;
    case Event::Kind::Error:
      m_said_error = event.text;
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
  if (std::exchange(m_resume_answer, false)) ask_for_answer();
  if (m_source && !m_started) {
    SVC_CHECK(m_source->start());
    // Without detection the whole input is one turn.
    m_turn_open = m_plan.session.manual && !m_plan.push_to_talk;
  }
  m_started = true;
  return {};
}

void TalkRun::on_response_done(const Event& event) {
  const bool cancelled = event.name == "cancelled";
  if (!cancelled && !m_speaking) m_awaiting = false;
  if (event.spoken || !event.text.empty()) {
    if (!cancelled) ++m_answers;
    m_failure = event.text;
    if (!event.text.empty()) {
      m_view.warning(fmt::format("an answer was not completed: {}",
                                 visible(excerpt(event.text, 300), Lines::Escape)));
    }
  }
}

/// Outputs of programs that have ended; when all of an answer's are there, it goes on.
Result<void> TalkRun::on_tools() {
  for (const TalkTools::Answer& answer : m_tools.take()) {
    m_view.note(answer.note);
    send(voice::output_message(answer.call, answer.output));
    m_talk.answered(answer.call);
  }
  if (m_talk.take_wants_response()) ask_for_answer();
  return {};
}

}  // namespace svc::cli
