// Handles the turns of a conversation: local audio and text, and the service's events.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "commands/realtime/talk_run.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto k_talk_replay =
    300ms;  ///< after which the service has sent the earlier items of a resumed conversation
constexpr auto k_talk_old_voice =
    5s;  ///< speech that ended longer ago does not belong to this turn

}  // namespace

/// Moves audio to and from the devices. A removed device is replaced by the default one.
Result<void> TalkRun::sound() {
  if (m_plan.devices && m_plan.devices->busy()) return on_devices();
  Result<void> heard = m_capture.take();
  Result<void> spoken = heard ? m_voice.pump() : Result<void>();
  if (spoken) spoken = m_voice.check();
  if (heard && spoken) return {};
  const Error& error = heard ? spoken.error() : heard.error();
  if (!m_plan.devices || m_record_failed || error.fault != Fault::Local) return error;
  const auto lost = heard ? audio::Direction::Output : audio::Direction::Input;
  m_capture.release();
  m_voice.release();
  m_plan.devices->replace(lost, error);
  return {};
}

Result<void> TalkRun::on_devices() {
  auto change = m_plan.devices->take();
  if (!change) return {};
  if (!*change) return std::move(*change).error();
  m_view.note((*change)->note);
  SVC_CHECK(m_capture.move_to(std::move((*change)->duplex.microphone)));
  return m_voice.move_to(std::move((*change)->duplex.speaker));
}

void TalkRun::change_device(audio::Direction direction) {
  if (!m_plan.devices || m_plan.devices->busy()) return;
  m_capture.release();
  m_voice.release();
  m_plan.devices->next(direction);
}

/// Records a block of the microphone, and what the speaker played meanwhile.
Result<void> TalkRun::record(const audio::Block& block) {
  if (!m_plan.record) return {};
  const audio::Format format{m_plan.session.input.rate, 1};
  m_record_failed = true;
  const auto begins = block.ended - audio::time_of(format, block.samples.size());
  SVC_CHECK(m_plan.record->write(audio::Side::Left, block.samples, begins));
  if (!block.played.empty()) {
    SVC_CHECK(m_plan.record->write(audio::Side::Right, block.played, begins));
  }
  m_record_failed = false;
  return {};
}

/// Records the answers played since the last call, if no microphone reports them.
Result<void> TalkRun::record_heard() {
  if (!m_plan.record || m_plan.devices) return {};
  const std::vector<audio::Sample> heard = m_voice.take_heard();
  if (heard.empty()) return {};
  const audio::Format format{m_plan.session.output.rate, 1};
  return m_plan.record->write(audio::Side::Right, heard,
                              Clock::now() - audio::time_of(format, heard.size()));
}

void TalkRun::send(std::string text) {
  m_last = Clock::now();
  if (m_phase == Phase::Talking && m_waiting.empty() && m_live.send({.data = text})) return;
  m_waiting.push_back(std::move(text));
}

bool TalkRun::send_sound(std::string_view bytes) {
  websocket::Message message{.binary = m_plan.session.input.binary};
  message.data = message.binary ? std::string(bytes) : voice::append_message(bytes);
  return m_live.send(std::move(message));
}

/// Sends captured audio, and commits a turn that the user ended.
void TalkRun::feed() {
  if (m_phase != Phase::Talking || !m_waiting.empty()) return;
  m_capture.feed([this](std::string_view bytes) { return send_sound(bytes); });
  m_last = std::max(m_last, m_capture.padded());
  if (const std::uint64_t gap = m_capture.take_dropped_ms(); gap > 0) {
    m_view.warning(fmt::format("{} of audio was lost: the buffer is full",
                               format_duration(std::chrono::milliseconds(gap))));
  }
  if (m_capture.take_empty_turn()) m_view.note("no speech in this turn");
  if (m_capture.take_commit()) {
    send(voice::plain_message("input_audio_buffer.commit"));
    m_turn.speech_stopped(std::min(m_capture.voice_end(), Clock::now()));
    ask_for_answer();
  }
}

void TalkRun::say(const std::string& text) {
  m_turn.typed(text, Clock::now());
  m_view.typed(text);
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
  m_turn.await(true);
  send(m_plan.text ? R"({"type":"response.create","response":{"modalities":["text"]}})"
                   : voice::plain_message("response.create"));
}

/// After a reconnect: sends the texts that the service lost, and requests an answer.
void TalkRun::take_up() {
  m_take_up.reset();
  for (const std::string& text : m_turn.unknown()) send(voice::say_message(text));
  ask_for_answer();
}

/// Cancels the current answer for the user.
void TalkRun::stop_answer() {
  if (m_talk.responding() && m_cancelled != m_talk.active()) {
    m_cancelled = m_talk.active();
    send(voice::plain_message("response.cancel"));
  }
  barge_in();
}

/// Stops playback at once and tells the service how much of the answer was heard.
void TalkRun::barge_in() {
  const auto begin = Clock::now();
  auto cut = m_voice.interrupt();
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  if (cut.empty() && !m_talk.responding()) return;
  const bool done = !m_talk.responding();
  m_turn.interrupted(done ? cut.front().item : m_talk.active(), done);
  m_talk.interrupt();
  for (voice::Truncation& one : cut) {
    m_session.notices().detail(fmt::format("silent after {:.1f} ms; {} ms of {} were heard",
                                           took.count(), one.heard_ms, shown(one.item)));
    m_cuts.push_back(std::move(one));
  }
  send_cuts();
}

/// Sends the truncations of items that this connection knows; others may have been lost.
void TalkRun::send_cuts() {
  if (m_phase != Phase::Talking) return;
  std::erase_if(m_cuts, [this](const voice::Truncation& cut) {
    if (!m_talk.has(cut.item)) return false;
    send(voice::truncate_message(cut.item, cut.content, cut.heard_ms));
    return true;
  });
}

Result<void> TalkRun::on_message(const websocket::Received& got) {
  m_last = Clock::now();
  const bool binary = got.what == websocket::Arrival::Binary;
  if (!binary) SVC_CHECK(m_view.message(got.data));
  const auto events = binary ? m_talk.take_bytes(got.data) : m_talk.take(got.data);
  for (const Event& event : events) {
    if (event.kind != Event::Kind::Error) {
      m_live.tell_blame(true);
    }
    SVC_CHECK(on_event(event));
  }
  if (!m_cuts.empty()) send_cuts();
  return on_tools();
}

Result<void> TalkRun::on_event(const Event& event) {
  switch (event.kind) {
    case Event::Kind::Connected:
      if (!std::exchange(m_updated, true)) (void)m_live.send({.data = m_plan.session.update});
      break;
    case Event::Kind::Configured:
      return on_configured();
    case Event::Kind::SpeechStarted:
      m_turn.speech_started();
      m_view.begin(Speaker::User, event.item);
      barge_in();
      m_capture.speech_started(event.at_ms);
      break;
    case Event::Kind::SpeechStopped: {
      const auto now = Clock::now();
      const auto end = m_capture.voice_end();
      m_turn.speech_stopped(end < now && end > now - k_talk_old_voice ? end : now);
      m_capture.speech_stopped(event.at_ms);
      break;
    }
    case Event::Kind::Committed:
      m_view.begin(Speaker::User, event.item);
      m_capture.committed();
      break;
    case Event::Kind::UserText:
      if (m_turn.said_back(event.text)) break;
      return m_view.words(Speaker::User, event);
    case Event::Kind::AssistantText:
      if (m_plan.text || m_plan.call) m_turn.answer_begins(Clock::now());
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
      m_turn.await(true);
      break;
    case Event::Kind::Error:
      m_live.blame(event.text, event.name, event.ends || m_phase == Phase::Greeting);
      break;
    case Event::Kind::ResponseStarted:
      break;
  }
  return {};
}

Result<void> TalkRun::on_configured() {
  if (m_phase != Phase::Greeting) return {};
  m_phase = Phase::Talking;
  if (m_live.works()) m_view.note("reconnected");
  // The URL for resuming this conversation after a lost connection.
  std::string& url = m_live.request().url;
  if (m_plan.session.resume && !m_talk.id().empty() &&
      url.find("conversation_id=") == std::string::npos) {
    url += fmt::format("{}conversation_id={}", url.find('?') == std::string::npos ? "?" : "&",
                       percent_encode(m_talk.id()));
  }
  if (m_turn.take_lost()) m_take_up = Clock::now() + k_talk_replay;
  if (!std::exchange(m_greeted, true) && !m_plan.first.empty()) {
    for (const std::string& message : m_plan.first) send(message);
    m_turn.await(true);
  }
  return m_capture.begin();
}

void TalkRun::on_response_done(const Event& event) {
  m_turn.done(event);
  if (!event.text.empty()) {
    m_view.warning(fmt::format("an answer was not completed: {}", shown(event.text, 300)));
  }
}

/// The tools of an MCP server changed: the service gets the new list, now and on later connections.
void TalkRun::refresh_tools() {
  if (m_phase != Phase::Talking || !m_plan.servers->refresh_beside()) return;
  const std::vector<ToolProgram> before = m_tools.tools();
  m_tools.replace_served(m_plan.served());
  m_plan.session.update = with_session_tools(m_plan.session.update, before, m_tools.tools());
  send(tools_update(m_plan.session.update));
}

/// Sends the outputs of finished tool calls. When an answer has all of its outputs, it continues.
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
