#include "commands/realtime/talk_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/url.h"
#include "commands/realtime/talk_turn.h"
#include "live/paid_time.h"
#include "live/sound.h"
#include "print/width.h"
#include "session/cost_tracker.h"
#include "voice/conversation.h"

namespace svc::cli {
namespace {

using namespace std::chrono_literals;
using websocket::Close;
using websocket::Received;
using websocket::ReceivedKind;

constexpr auto k_talk_redraw = 100ms;
constexpr auto k_talk_soon = 20ms;
constexpr auto k_talk_late = 60ms;
constexpr auto k_talk_quiet =
    1s;  ///< of silence, after which a conversation without input has ended
constexpr std::chrono::milliseconds k_talk_limit_notice{5 * 60'000};
constexpr auto k_talk_replay =
    300ms;  ///< after which the service has sent the earlier items of a resumed conversation
constexpr auto k_talk_old_voice =
    5s;  ///< speech that ended longer ago does not belong to this turn

/// A running conversation. Each event, key and block of sound may change the phase, the turn and
/// what is still to be sent, so these are here together; what can stand alone has its own class:
/// TalkCapture, TalkTurn, TalkVoice, TalkView, LiveChannel.
class TalkRun {
 public:
  /// `source` is null without audio input.
  TalkRun(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source, TalkVoice& voice,
          ToolCalls& tools, TalkView& view, KeyInput& keys)
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
                   .fast = m_plan.fast,
                   .turns = local_turns(m_plan)},
                  std::move(source), [this](const audio::Block& block) { return record(block); }) {
    if (m_plan.interrupts) m_interruption.emplace(*m_plan.interrupts);
    if (m_plan.record && !m_plan.devices) m_voice.record_played();
    if (m_voice.audible())
      m_view.follow([this](const std::string& item) { return m_voice.heard(item); });
  }

  /// Runs until the turns are complete, the input has ended and was answered, or the user stops it.
  [[nodiscard]] Result<void> run() {
    SVC_CHECK(m_paid.pay({}));
    m_begin = Clock::now();
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
    m_view.record(m_talk, !m_paid.has_price());
    if (m_talk.responding()) record_interrupted(m_session, *m_session.invocation().operation);
    if (!ended && ended.error().fault == Fault::ReaderGone) return ended;
    SVC_CHECK(show_unproven());
    SVC_CHECK(m_view.finish(m_talk, m_turn.answers(), m_turn.interruptions()));
    SVC_CHECK(m_voice.close());
    SVC_CHECK(recorded);
    if (!ended) return ended;
    if (!m_turn.failure().empty()) {
      return Error{Fault::RemoteJob, fmt::format("the last answer was not completed: {}",
                                                 shown_message(m_turn.failure()))};
    }
    return {};
  }

  [[nodiscard]] CallLeft left() const noexcept { return m_left; }

 private:
  using Clock = LiveChannel::Clock;
  using Event = voice::TalkEvent;
  enum class Phase : std::uint8_t { Greeting, Talking, Lost, Over };

  static std::optional<voice::LocalTurnRules> local_turns(const TalkPlan& plan) {
    if (!plan.interrupts) return std::nullopt;
    return voice::LocalTurnRules{.least = plan.interrupts->least,
                                 .silence = silence_of(plan.session.update)};
  }

  Result<void> step() {
    SVC_CHECK(sound());
    SVC_CHECK(watch_interruption());
    SVC_CHECK(m_view.advance());
    while (!m_waiting.empty() && m_phase == Phase::Talking &&
           m_live.send({.data = m_waiting.front()})) {
      m_waiting.pop_front();
    }
    feed();
    send_next_text();
    SVC_CHECK(record_heard());
    if (m_view.is_live()) m_view.draw(status(), m_typing ? m_typed + "_" : std::string());
    SVC_TRY(got, wait());
    switch (got.what) {
      case ReceivedKind::Text:
      case ReceivedKind::Binary:
        SVC_CHECK(on_message(got));
        break;
      case ReceivedKind::Closed:
        return on_closed(got.close);
      case ReceivedKind::Ready:
        on_keys();
        SVC_CHECK(on_tools());
        break;
      case ReceivedKind::Woken:
      case ReceivedKind::Nothing:
        break;
    }
    return on_time();
  }

  [[nodiscard]] std::optional<Clock::time_point> deadline() const {
    const auto now = Clock::now();
    std::optional<Clock::time_point> until = m_capture.deadline();
    const auto at_latest = [&until](Clock::time_point moment) {
      until = until ? std::min(*until, moment) : moment;
    };
    if (!m_waiting.empty() || m_voice.pending() || !m_voice.idle()) {
      // The microphone wakes the loop often enough.
      at_latest(now + (m_capture.descriptor() >= 0 ? k_talk_late : k_talk_soon));
    }
    if (m_view.is_live()) at_latest(now + k_talk_redraw);
    if (m_plan.devices && m_plan.devices->busy()) at_latest(now + k_talk_redraw);
    if (m_resend_at) at_latest(*m_resend_at);
    if (m_gate && m_gate->deadline()) at_latest(*m_gate->deadline());
    if (m_interruption && m_interruption->deadline()) at_latest(*m_interruption->deadline());
    if (m_paid.has_price()) at_latest(m_begin + m_paid.due());
    if (m_phase == Phase::Talking && !m_limit_noticed) at_latest(limit_notice());
    if (expects_answer() && !m_turn.speaking()) at_latest(m_last + m_plan.idle);
    if (input_over()) at_latest(std::max(m_last + k_talk_quiet, now + k_talk_soon));
    return until;
  }

  Result<Received> wait() {
    std::vector<int> others = m_tools.descriptors();
    others.push_back(m_capture.descriptor());
    others.push_back(m_keys.descriptor());
    if (m_plan.devices) others.push_back(m_plan.devices->descriptor());
    return m_live.wait(deadline(), std::move(others));
  }

  /// Handles timeouts.
  Result<void> on_time() {
    const auto now = Clock::now();
    if (m_tools.question().empty()) {
      m_gate.reset();
    } else if (!m_gate) {
      m_view.question(m_tools.question());
      m_gate.emplace("yna", now);
    } else if (m_gate->deadline() && now >= *m_gate->deadline()) {
      on_answer(m_gate->silence());
      SVC_CHECK(on_tools());  // a refusal makes nothing readable
    }
    m_capture.on_time(now);
    SVC_CHECK(m_paid.pay(std::chrono::duration_cast<std::chrono::milliseconds>(now - m_begin)));
    report_turn();
    report_echo();
    const auto news = m_live.on_time();
    if (!news) return gave_up(news.error());
    if (*news == LiveChannel::Change::Lost) SVC_CHECK(on_lost());
    if (*news == LiveChannel::Change::Connected) begin_connection();
    warn_of_limit(now);
    if (m_resend_at && now >= *m_resend_at) resend_lost_texts();
    if (m_ending) m_phase = Phase::Over;
    const bool quiet = m_voice.idle() && !m_voice.pending();
    if (m_refusal && quiet && !m_talk.responding()) return *m_refusal;
    // Words that were late may have interrupted an answer that is over, and need their own.
    const bool answering = m_interruption ? expects_answer() : m_talk.responding();
    if (m_plan.turns && m_turn.answers() >= *m_plan.turns && quiet && !answering) {
      m_phase = Phase::Over;
    }
    if (m_phase != Phase::Talking) return {};
    if (expects_answer() && !m_turn.speaking() && now >= m_last + m_plan.idle)
      SVC_CHECK(on_no_answer(now));
    if (input_over() && !expects_answer() && quiet && now >= m_last + k_talk_quiet) {
      if (m_turn.answers() == 0) {
        m_view.note("the service detected no speech");
      }
      m_phase = Phase::Over;
    }
    return {};
  }

  /// Prints the usage of the last turn and of the conversation so far.
  void report_turn() {
    if (const auto begun = m_voice.begun()) m_turn.answer_begins(*begun);
    if (const auto report = m_turn.take_report(!m_voice.idle())) {
      m_view.turn(report->wait, !m_plan.text && !m_plan.call, m_talk.usage());
    }
  }

  /// Says when interrupting by voice stops working, and when it works again.
  void report_echo() {
    const bool remains = m_plan.devices && m_plan.devices->echo_remains();
    if (std::exchange(m_echo_remains, remains) == remains) return;
    if (!remains) return m_view.note("the echo is canceled now; speak to interrupt an answer");
    m_view.warning(
        "the speaker's echo cannot be canceled here, so the microphone is closed while an answer "
        "plays; press i to interrupt it, or use headphones");
  }

  /// How long before its end the user is told of a session's limit.
  [[nodiscard]] std::chrono::milliseconds limit_ahead() const {
    return std::min(k_talk_limit_notice, m_plan.limit / 4);
  }
  [[nodiscard]] Clock::time_point limit_notice() const {
    return m_session_begin + m_plan.limit - limit_ahead();
  }

  void warn_of_limit(Clock::time_point now) {
    if (m_phase != Phase::Talking || m_limit_noticed || now < limit_notice()) return;
    m_limit_noticed = true;
    m_view.note(
        fmt::format("sessions end after {}: {} left{}", format_duration(m_plan.limit),
                    format_duration(limit_ahead()),
                    m_plan.session.resume ? ", then the conversation continues in a new one" : ""));
  }

  /// A timeout of an answer. At a terminal the user can repeat the question; in a script it is an
  /// error.
  Result<void> on_no_answer(Clock::time_point now) {
    std::string sentence =
        fmt::format("the service sent nothing for {} while an answer was expected",
                    format_duration(m_plan.idle));
    if (!m_plan.interactive && !m_plan.call) return Error{Fault::Timeout, std::move(sentence)};
    m_view.warning(sentence);
    m_turn.give_up();
    if (m_interruption) m_interruption->reset();
    m_last = now;
    return {};
  }

  Result<void> on_closed(const Close& close) {
    auto [error, type, said] = m_live.take_end(close);
    m_live.report_blame(true);
    const bool normal = closed_in_order(close);
    if (normal && !said) error = Error{Fault::Network, "the service closed the connection"};
    // The session reached its maximum duration; the conversation can continue.
    const bool by_clock = type == "max_duration";
    if (may_come_back(close) || (by_clock && m_plan.session.resume))
      return disconnect(std::move(error));
    // A session in which no answer is expected may end normally.
    if (normal && !expects_answer() && error.fault == Fault::Network) {
      m_view.note("the service ended the session");
      m_phase = Phase::Over;
      return {};
    }
    return error;
  }

  [[nodiscard]] Error gave_up(Error error) const {
    if (!expects_answer() || error.http_status != 0) return error;
    error.fault = Fault::UnknownOutcome;
    error.hint = "The last answer may have been billed.";
    if (!m_talk.id().empty() && m_plan.session.resume) {
      error.hint += fmt::format(" Continue the conversation with --conversation-id {}.",
                                shown_word(m_talk.id()));
    }
    return error;
  }

  /// Schedules a reconnect, with a growing delay, unless the attempts are used up.
  Result<void> disconnect(Error error) {
    const bool stop = expects_answer() && !m_turn.may_repeat();
    if (stop || m_talk.id().empty() || !m_plan.session.resume) return gave_up(std::move(error));
    if (auto again = m_live.disconnect(std::move(error)); !again) {
      return gave_up(std::move(again).error());
    }
    return on_lost();
  }

  /// Audio of the current turn is sent again and transcribed anew after reconnecting.
  Result<void> on_lost() {
    if (m_phase == Phase::Lost) return {};
    m_phase = Phase::Lost;
    m_waiting.clear();
    m_tools.forget();
    m_view.disconnect();
    m_capture.lost();
    m_turns_here = TurnsHere::No;
    if (m_interruption) {
      m_interruption->reset();
      SVC_CHECK(show_unproven());
      SVC_CHECK(m_voice.resume());
    }
    m_resend_at.reset();
    const bool answering = m_talk.reconnect();
    if (answering) record_interrupted(m_session, *m_session.invocation().operation);
    m_turn.lost(answering);
    return {};
  }

  void begin_connection() {
    m_phase = Phase::Greeting;
    m_updated = m_limit_noticed = false;
    m_last = m_session_begin = Clock::now();
  }

  /// Whether something was said that has not been answered.
  [[nodiscard]] bool expects_answer() const {
    // The words of a turn may still interrupt an answer.
    if (m_interruption && m_interruption->expects_words()) return true;
    return m_turn.awaiting() || m_talk.responding() || m_talk.tools_pending() || m_tools.busy();
  }

  /// Whether no further input can come: no keys, no microphone, no text.
  [[nodiscard]] bool input_over() const {
    if (m_phase != Phase::Talking || m_plan.call) return false;
    if ((m_plan.interactive && m_keys.descriptor() >= 0) || !m_plan.says.empty()) return false;
    return m_capture.over();
  }

  // The keys of a conversation, and the status line at the bottom of the terminal.

  void on_keys() {
    if (m_live.interrupted()) m_ending = true;
    if (m_ending && m_plan.call) m_left = CallLeft::Alone;
    const std::string keys = m_keys.read();
    if (keys.empty()) return;
    if (m_gate && (!m_typing || m_plan.text)) return on_answer(m_gate->type(keys, Clock::now()));
    for (const char key : keys) on_key(key);
  }

  /// Keys that do not answer the question are input like any other.
  void on_answer(const std::optional<KeyChoice>& choice) {
    const std::string keys = m_gate->take_ahead();
    if (choice) {
      m_gate.reset();
      m_tools.decide(choice->key == 'y'   ? ToolConsent::Once
                     : choice->key == 'a' ? ToolConsent::Always
                                          : ToolConsent::No);
    }
    for (const char key : keys) on_key(key);
  }

  void on_key(char key) {
    if (!on_typed(key)) on_command(key);
  }

  void on_command(char key) {
    if (key == 'q' || key == '\x04') m_ending = true;
    if (key == 't' || key == '/') m_typing = true;
    if (key == ' ' && m_plan.push_to_talk && m_capture.talk_key()) stop_answer();
    if (key == 'm' && m_capture.present()) m_capture.set_muted(!m_capture.muted());
    if (key == 'M') change_device(audio::Direction::Input);
    if (key == 'S') change_device(audio::Direction::Output);
    if (key == 'r') reconnect();
    if (key == '?') m_view.note(key_help());
    if (key == 'i') {
      m_turn.give_up();
      stop_answer();
    }
    adjust(key);
    if (key == 'h' && m_plan.call) m_ending = true;
    if (m_ending && m_plan.call) m_left = key == 'h' ? CallLeft::HangUp : CallLeft::Alone;
  }

  /// Adjusts the service's turn detection.
  void adjust(char key) {
    auto change = adjust_turn_detection(m_plan.session.update, key);
    if (!change) return;
    m_plan.session.update = std::move(change->update);
    // While turns are detected here, it waits until the service detects them again.
    if (m_phase == Phase::Talking && m_turns_here == TurnsHere::No) {
      send(std::move(change->message));
    }
    m_view.note(change->note);
  }

  /// Reconnects at once: the user knows that the network is back.
  void reconnect() {
    if (m_phase != Phase::Lost && (m_talk.id().empty() || !m_plan.session.resume)) {
      return m_view.note("this conversation cannot be resumed on a new connection");
    }
    m_view.note("reconnecting");
    m_live.renew();
    if (auto lost = on_lost(); !lost) m_view.warning(lost.error().message);
  }

  [[nodiscard]] std::string key_help() const {
    std::string keys = "keys: i interrupts the answer, t types a line, r reconnects";
    if (m_capture.present()) keys += ", m mutes";
    if (m_plan.devices) keys += ", M switches the microphone, S the speaker";
    if (!m_plan.session.manual) {
      keys += ", + and - change the VAD threshold, ] and [ the silence that ends a turn";
    }
    return keys + (m_plan.call ? ", h hangs up, q leaves" : ", q ends");
  }

  /// Handles a key while the user types a line. False if the key is a command.
  bool on_typed(char key) {
    if (m_plan.text && !m_typing && key != '\x04') m_typing = true;
    if (!m_typing) return false;
    if (key == '\n' || key == '\r') {
      if (trim(m_typed).empty()) {
        // Empty lines are not sent.
      } else if (m_phase == Phase::Talking) {
        stop_answer();
        say(m_typed);
      } else {
        m_plan.says.push_back(m_typed);  // sent once connected
      }
      m_typed.clear();
      m_typing = m_plan.text;
    } else if (key == '\x7f' || key == '\b') {
      while (!m_typed.empty() && (static_cast<unsigned char>(m_typed.back()) & 0xC0U) == 0x80) {
        m_typed.pop_back();
      }
      if (!m_typed.empty()) m_typed.pop_back();
    } else if (key == '\x04' && m_typed.empty()) {
      m_ending = true;
    } else if (static_cast<unsigned char>(key) >= 0x20) {
      m_typed += key;
    }
    return true;
  }

  /// What happens now, in a word or two.
  [[nodiscard]] const char* state() const {
    if (m_phase == Phase::Lost) return "reconnecting";
    if (m_phase == Phase::Greeting) return "connecting";
    if (m_turn.speaking()) return m_turn.interrupting() ? "interrupted" : "you speak";
    if (m_voice.paused()) return "you speak";
    if (!m_voice.idle()) return "speaking";
    return expects_answer() ? "thinking" : "listening";
  }

  /// The state first, then levels, then keys: a narrow terminal shows what fits.
  [[nodiscard]] std::string status() const {
    if (m_gate) return "y: yes, n: no, a: always";
    const auto columns = static_cast<std::size_t>(std::max(m_view.columns(), 1));
    const bool utf8 = m_session.err().terminal().utf8;
    const int cells = columns < 60 ? 5 : 8;
    std::string line = fmt::format("{:<13}", state());
    const auto add = [&line, columns](sv name, const std::string& what) {
      const std::string part = fmt::format("{} {}", name, what);
      if (print::display_width(line) + print::display_width(part) >= columns) return;
      line += part + "  ";
    };
    if (m_capture.present()) {
      const bool closed = (m_plan.half_duplex || m_echo_remains) && !m_voice.idle();
      add("you", m_capture.muted() || closed ? fmt::format("{:<{}}", "muted", cells)
                                             : level_meter(m_capture.level(), utf8, cells));
    }
    if (!m_plan.text && !m_plan.call) add("svc", level_meter(m_voice.level(), utf8, cells));
    if (m_plan.push_to_talk) add("space:", m_capture.turn_open() ? "done" : "speak");
    const std::size_t room = columns - std::min(columns, print::display_width(line) + 1);
    for (const sv keys : status_keys()) {
      if (keys.size() <= room) return line + std::string(keys);
    }
    return std::string(trim(line));
  }

  /// The keys to show, from the longest list to the shortest.
  [[nodiscard]] std::vector<sv> status_keys() const {
    if (m_keys.descriptor() < 0) return {};
    if (m_phase == Phase::Lost && !m_plan.text) return {"r: reconnect, q: end", "r: reconnect"};
    if (m_plan.text) return {"Enter: send, Ctrl-D: end", "Ctrl-D: end"};
    if (m_plan.call) {
      return {"i: interrupt, t: type, h: hang up, q: leave, ?: keys",
              "h: hang up, q: leave, ?: keys", "?: keys"};
    }
    return {"i: interrupt, m: mute, t: type, q: end, ?: keys", "i: interrupt, q: end, ?: keys",
            "q: end, ?: keys", "?: keys"};
  }

  Result<void> sound() {
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

  Result<void> on_devices() {
    auto change = m_plan.devices->take();
    if (!change) return {};
    if (!*change) return std::move(*change).error();
    m_view.note((*change)->note);
    m_plan.devices->use((*change)->duplex);
    SVC_CHECK(m_capture.move_to(std::move((*change)->duplex.microphone)));
    return m_voice.move_to(std::move((*change)->duplex.speaker));
  }

  void change_device(audio::Direction direction) {
    if (!m_plan.devices || m_plan.devices->busy()) return;
    m_capture.release();
    m_voice.release();
    m_plan.devices->next(direction);
  }

  /// Records a block of the microphone, and what the speaker played meanwhile.
  Result<void> record(const audio::Block& block) {
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
  Result<void> record_heard() {
    if (!m_plan.record || m_plan.devices) return {};
    const std::vector<audio::Sample> heard = m_voice.take_heard();
    if (heard.empty()) return {};
    const audio::Format format{m_plan.session.output.rate, 1};
    return m_plan.record->write(audio::Side::Right, heard,
                                Clock::now() - audio::time_of(format, heard.size()));
  }

  void send(std::string text) {
    m_last = Clock::now();
    if (m_phase == Phase::Talking && m_waiting.empty() && m_live.send({.data = text})) return;
    m_waiting.push_back(std::move(text));
  }

  [[nodiscard]] bool send_sound(std::string_view bytes) {
    websocket::Message message{.binary = m_plan.session.input.binary};
    message.data = message.binary ? std::string(bytes) : voice::append_message(bytes);
    return m_live.send(std::move(message));
  }

  /// Sends captured audio, and commits a turn that the user ended.
  void feed() {
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
      if (!m_interruption || m_interruption->sent(Clock::now())) answer_speech();
    }
  }

  // Interruptions. While an answer is heard, turns are detected on this side: the service would
  // cancel its answer at any speech, and answer it.

  /// Whether this side detects turns: the service was told to stop, and has confirmed it.
  enum class TurnsHere : std::uint8_t { No, Asked, Yes };

  Result<void> watch_interruption() {
    if (!m_interruption || m_phase != Phase::Talking) return {};
    const bool sounding = !m_voice.idle();
    const bool busy = sounding || m_talk.responding() || m_interruption->undecided() ||
                      m_capture.voice() || m_capture.turn_due();
    if (m_turns_here == TurnsHere::No && sounding && !m_turn.speaking()) {
      send(turn_detection_update(m_plan.session.update, true));
      m_turns_here = TurnsHere::Asked;
    } else if (m_turns_here != TurnsHere::No && !busy) {
      send(turn_detection_update(m_plan.session.update, false));
      m_capture.open_gate();
      m_turns_here = TurnsHere::No;
    }
    if (m_capture.voice() && m_capture.turn_open() && !m_turn.speaking()) m_turn.speech_started();
    return follow(m_interruption->look(
        {.sounding = sounding, .voice = m_capture.voice(), .spoken = m_capture.spoken()},
        Clock::now()));
  }

  /// The service has stopped to detect turns.
  void detect_turns_here() {
    if (m_turns_here != TurnsHere::Asked) return;
    m_turns_here = TurnsHere::Yes;
    // What it has heard so far is not part of a turn. Speech in it passes the gate.
    send(voice::plain_message("input_audio_buffer.clear"));
    m_capture.close_gate();
    if (m_turn.speaking()) m_turn.forget_speech();
  }

  Result<void> follow(const voice::Interruption::Verdict& verdict) {
    using Action = voice::Interruption::Action;
    switch (verdict.action) {
      case Action::None:
        break;
      case Action::Pause:
        m_voice.pause();
        break;
      case Action::Resume:
        m_session.notices().detail("not an interruption: the answer continues");
        m_turn.forget_speech();
        SVC_CHECK(m_voice.resume());
        break;
      case Action::Interrupt:
        cancel_answer();
        SVC_CHECK(show_unproven());
        break;
    }
    if (verdict.answer) answer_speech();
    return {};
  }

  /// Requests the answer to a turn detected on this side.
  void answer_speech() {
    if (m_interruption && m_talk.responding()) cancel_answer();
    m_turn.speech_stopped(std::min(m_capture.voice_end(), Clock::now()));
    ask_for_answer();
  }

  /// Shows the user's words, once they are known to be part of the conversation.
  Result<void> on_user_text(const Event& event) {
    if (m_ignored.contains(event.item)) return {};
    if (!m_interruption) return m_view.words(Speaker::User, event);
    const auto verdict = m_interruption->words(event.item, event.text, !event.more);
    if (verdict.discard) {
      m_ignored.insert(event.item);
      m_unproven.erase(event.item);
      send(voice::delete_message(event.item));
      return follow(verdict);
    }
    m_unproven[event.item] = event;
    SVC_CHECK(follow(verdict));
    if (m_interruption->expects(event.item) || m_unproven.erase(event.item) == 0) return {};
    return m_view.words(Speaker::User, event);
  }

  Result<void> show_unproven() {
    for (const auto& [item, event] : std::exchange(m_unproven, {})) {
      SVC_CHECK(m_view.words(Speaker::User, event));
    }
    return {};
  }

  void say(const std::string& text) {
    m_turn.typed(text, Clock::now());
    m_view.typed(text);
    send(voice::user_text_message(text));
    ask_for_answer();
  }

  void send_next_text() {
    if (m_phase != Phase::Talking || m_plan.says.empty() || expects_answer() || !m_voice.idle())
      return;
    const std::string text = std::move(m_plan.says.front());
    m_plan.says.pop_front();
    say(text);
  }

  void ask_for_answer() {
    m_turn.await();
    send(m_plan.text ? R"({"type":"response.create","response":{"modalities":["text"]}})"
                     : voice::plain_message("response.create"));
  }

  /// After a reconnect, the service may have the answer that was lost: it is not requested again.
  Result<void> on_replayed(Event event) {
    if (!m_resend_at) return {};
    m_resend_at.reset();
    m_turn.done({.kind = Event::Kind::ResponseDone, .name = "completed", .spoken = true});
    event.replayed = false;
    SVC_CHECK(m_view.words(Speaker::Assistant, event));
    m_view.answer_over();
    return m_view.advance();
  }

  /// After a reconnect: sends the texts that the service lost, and requests an answer.
  void resend_lost_texts() {
    m_resend_at.reset();
    m_turn.repeated();
    m_view.give_up();
    for (const std::string& text : m_turn.unknown()) send(voice::user_text_message(text));
    ask_for_answer();
  }

  /// Cancels the current answer for the user, whatever was said.
  void stop_answer() {
    if (m_interruption) m_interruption->reset();
    cancel_answer();
  }

  void cancel_answer() {
    if (m_talk.responding() && m_canceled != m_talk.active()) {
      m_canceled = m_talk.active();
      send(voice::plain_message("response.cancel"));
    }
    barge_in();
  }

  /// Stops playback at once and tells the service how much of the answer was heard.
  void barge_in() {
    const auto begin = Clock::now();
    auto cut = m_voice.interrupt();
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (cut.empty() && !m_talk.responding()) return;
    m_view.cut(cut);
    const bool done = !m_talk.responding();
    m_turn.interrupted(done ? cut.front().item : m_talk.active(), done);
    m_talk.interrupt();
    for (voice::Truncation& one : cut) {
      m_session.notices().detail(fmt::format("silent after {:.1f} ms; {} ms of {} were heard",
                                             took.count(), one.played_ms, shown(one.item)));
      m_cuts.push_back(std::move(one));
    }
    send_cuts();
  }

  /// Sends the truncations of items that this connection knows; others may have been lost.
  void send_cuts() {
    if (m_phase != Phase::Talking) return;
    std::erase_if(m_cuts, [this](const voice::Truncation& cut) {
      if (!m_talk.has(cut.item)) return false;
      send(voice::truncate_message(cut.item, cut.content, cut.played_ms));
      return true;
    });
  }

  Result<void> on_message(const websocket::Received& got) {
    m_last = Clock::now();
    const bool binary = got.what == websocket::ReceivedKind::Binary;
    if (!binary) SVC_CHECK(m_view.message(got.data));
    const auto events = binary ? m_talk.feed_bytes(got.data) : m_talk.feed(got.data);
    for (const Event& event : events) {
      if (event.kind != Event::Kind::Error) {
        m_live.report_blame(true);
      }
      SVC_CHECK(on_event(event));
    }
    if (!m_cuts.empty()) send_cuts();
    return on_tools();
  }

  Result<void> on_event(const Event& event) {
    switch (event.kind) {
      case Event::Kind::Connected:
        if (!std::exchange(m_updated, true)) (void)m_live.send({.data = m_plan.session.update});
        plan_resumption();
        break;
      case Event::Kind::Configured:
        if (event.manual) detect_turns_here();
        return on_configured();
      case Event::Kind::SpeechStarted:
        on_speech_started(event);
        break;
      case Event::Kind::SpeechStopped:
        on_speech_stopped(event);
        break;
      case Event::Kind::Committed:
        m_view.begin(Speaker::User, event.item);
        m_capture.committed();
        if (m_interruption) m_interruption->committed(event.item);
        break;
      case Event::Kind::UserText:
        if (m_turn.is_echo(event.text)) break;
        return on_user_text(event);
      case Event::Kind::AssistantText:
        if (event.replayed) return on_replayed(event);
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
      case Event::Kind::ToolActivity:
        if (event.name.ends_with("failed")) warn_of_tool(event);
        break;
      case Event::Kind::ResponseDone:
        return on_response_done(event);
      case Event::Kind::Digit:
        m_view.note(fmt::format("the caller pressed {}", shown(event.text, 20)));
        break;
      case Event::Kind::IdleTimeout:
        m_view.note("nobody spoke for a while, so the service takes the turn");
        m_turn.await();
        break;
      case Event::Kind::Error:
        m_live.record_error(event.text, event.name, event.ends || m_phase == Phase::Greeting);
        break;
      case Event::Kind::ResponseStarted:
        break;
    }
    return {};
  }

  void on_speech_started(const Event& event) {
    m_turn.speech_started();
    m_view.begin(Speaker::User, event.item);
    if (m_interruption) m_interruption->reset();
    barge_in();
    m_capture.speech_started(event.at_ms);
  }

  void on_speech_stopped(const Event& event) {
    const auto now = Clock::now();
    const auto end = m_capture.voice_end();
    m_turn.speech_stopped(end < now && end > now - k_talk_old_voice ? end : now);
    m_capture.speech_stopped(event.at_ms);
  }

  void warn_of_tool(const Event& event) {
    const std::string name = visible(event.name, Lines::Escape);
    m_view.warning(event.text.empty() ? name
                                      : fmt::format("{}: {}", name, shown_message(event.text)));
  }

  /// Sets the URL for resuming this conversation after a lost connection, once its ID is known.
  void plan_resumption() {
    std::string& url = m_live.request().url;
    if (!m_plan.session.resume || m_talk.id().empty() ||
        url.find("conversation_id=") != std::string::npos) {
      return;
    }
    url += fmt::format("{}conversation_id={}", url.find('?') == std::string::npos ? "?" : "&",
                       percent_encode(m_talk.id()));
  }

  Result<void> on_configured() {
    if (m_phase != Phase::Greeting) return {};
    m_phase = Phase::Talking;
    if (m_live.works()) m_view.note("reconnected");
    if (m_turn.take_unanswered()) m_resend_at = Clock::now() + k_talk_replay;
    if (!std::exchange(m_greeted, true) && !m_plan.first.empty()) {
      for (const std::string& message : m_plan.first) send(message);
      m_turn.await();
    }
    return m_capture.begin();
  }

  Result<void> on_response_done(const Event& event) {
    m_turn.done(event);
    m_view.answer_over();
    count_cost();
    if (!event.text.empty()) {
      m_view.warning(fmt::format("an answer was not completed: {}", shown_message(event.text)));
    }
    return m_view.advance();
  }

  /// Records what the answers have cost. Once the limit is reached, the conversation ends after the
  /// sound of this one.
  void count_cost() {
    m_view.record(m_talk, !m_paid.has_price());
    const auto may = m_session.cost_tracker().may_spend_now();
    if (may || may.error().fault != Fault::Limited || m_refusal) return;
    m_refusal = may.error();
    m_view.note("the limit is reached; the conversation ends after this answer");
    if (m_capture.present()) m_capture.set_muted(true);
  }

  /// The tools of an MCP server changed: the service gets the new list, now and on later
  /// connections.
  void refresh_tools() {
    if (m_phase != Phase::Talking || !m_plan.servers->refresh_concurrently()) return;
    const std::vector<ToolProgram> before = m_tools.tools();
    m_tools.replace_served(m_plan.served());
    m_plan.session.update = with_session_tools(m_plan.session.update, before, m_tools.tools());
    send(tools_update(m_plan.session.update));
  }

  /// Sends the outputs of finished tool calls. When an answer has all of its outputs, it continues.
  Result<void> on_tools() {
    m_plan.servers->report_changes();
    refresh_tools();
    for (const ToolCalls::Finished& answer : m_tools.take()) {
      if (!answer.said.empty()) m_view.note(shown_message(answer.said));
      m_view.note(answer.note);
      send(voice::output_message(answer.call, answer.output));
      m_talk.answered(answer.call);
    }
    if (m_talk.take_wants_response()) ask_for_answer();
    return {};
  }

  Session& m_session;
  TalkPlan m_plan;
  TalkVoice& m_voice;
  ToolCalls& m_tools;
  TalkView& m_view;
  KeyInput& m_keys;
  LiveChannel m_live;
  TalkCapture m_capture;
  TalkTurn m_turn{};
  voice::SpokenConversation m_talk{};
  Phase m_phase = Phase::Greeting;
  Clock::time_point m_last{};          ///< last activity of either side
  std::optional<AnswerGate> m_gate{};  ///< while a question is asked
  Clock::time_point m_begin{};
  PaidTime m_paid{m_session, Price::TalkSecond};
  std::optional<Error> m_refusal{};  ///< the limit is reached
  Clock::time_point m_session_begin{};
  bool m_limit_noticed{};
  bool m_echo_remains = false;
  bool m_updated{};                         ///< the settings were sent on this connection
  bool m_greeted = false;                   ///< the plan's first events were sent
  std::deque<std::string> m_waiting{};      ///< events that the channel could not accept yet
  std::vector<voice::Truncation> m_cuts{};  ///< of items that the connection may not know yet
  std::optional<voice::Interruption> m_interruption{};
  TurnsHere m_turns_here = TurnsHere::No;
  std::map<std::string, Event> m_unproven{};  ///< words that may not interrupt, by item
  std::set<std::string> m_ignored{};          ///< items with nothing but fillers
  bool m_record_failed = false;
  std::optional<Clock::time_point> m_resend_at{};  ///< when lost messages are sent again
  std::string m_canceled{};                        ///< the answer that the user interrupted
  std::string m_typed{};
  bool m_typing = false;
  bool m_ending = false;
  CallLeft m_left = CallLeft::No;
};

}  // namespace

Result<CallLeft> run_talk(Session& session, TalkPlan plan, std::unique_ptr<audio::Source> source,
                          TalkVoice& voice, ToolCalls& tools, TalkView& view, KeyInput& keys) {
  TalkRun run(session, std::move(plan), std::move(source), voice, tools, view, keys);
  SVC_CHECK(run.run());
  return run.left();
}

}  // namespace svc::cli
