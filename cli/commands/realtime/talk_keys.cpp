// The keys of a conversation, and the status line at the bottom of the terminal.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "commands/realtime/talk_run.h"
#include "live/sound.h"

namespace svc::cli {
void TalkRun::on_keys() {
  if (m_live.interrupted()) m_ending = true;
  if (m_ending && m_plan.call) m_left = Left::Alone;
  for (const char key : m_keys.read()) on_key(key);
}

void TalkRun::on_key(char key) {
  if (!m_tools.question().empty() && !m_typing) {
    if (key == 'y' || key == 'Y') return m_tools.decide(ToolConsent::Once);
    if (key == 'a' || key == 'A') return m_tools.decide(ToolConsent::Always);
    if (key == 'n' || key == 'N') return m_tools.decide(ToolConsent::No);
    if (m_plan.text) return;  // the line belongs to the question
  }
  if (!on_typed(key)) on_command(key);
}

void TalkRun::on_command(char key) {
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
  if (m_ending && m_plan.call) m_left = key == 'h' ? Left::HangUp : Left::Alone;
}

/// Adjusts the service's turn detection.
void TalkRun::adjust(char key) {
  auto change = adjust_turn_detection(m_plan.session.update, key);
  if (!change) return;
  m_plan.session.update = std::move(change->update);
  if (m_phase == Phase::Talking) send(std::move(change->message));
  m_view.note(change->note);
}

/// Reconnects at once: the user knows that the network is back.
void TalkRun::reconnect() {
  if (m_phase != Phase::Lost && (m_talk.id().empty() || !m_plan.session.resume)) {
    return m_view.note("this conversation cannot be resumed on a new connection");
  }
  m_view.note("reconnecting");
  m_live.renew();
  if (auto lost = on_lost(); !lost) m_view.warning(lost.error().message);
}

std::string TalkRun::key_help() const {
  std::string keys = "keys: i interrupts the answer, t types a line, r reconnects";
  if (m_capture.present()) keys += ", m mutes";
  if (m_plan.devices) keys += ", M switches the microphone, S the speaker";
  if (!m_plan.session.manual) {
    keys += ", + and - change the VAD threshold, ] and [ the silence that ends a turn";
  }
  return keys + (m_plan.call ? ", h hangs up, q leaves" : ", q ends");
}

/// Handles a key while the user types a line. False if the key is a command.
bool TalkRun::on_typed(char key) {
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

std::string TalkRun::status() const {
  const std::string question = m_tools.question();
  if (!question.empty()) return question + " [y]es, [n]o, [a]lways";
  const bool utf8 = m_session.err().terminal().utf8;
  std::string line;
  if (m_capture.present()) {
    const bool closed = m_plan.half_duplex && !m_voice.idle();
    line += m_capture.muted() ? "muted  "
            : closed          ? "you muted    "
                              : "you " + level_meter(m_capture.level(), utf8, 8) + "  ";
  }
  if (!m_plan.text && !m_plan.call) line += "svc " + level_meter(m_voice.level(), utf8, 8) + "  ";
  if (m_plan.push_to_talk) line += m_capture.turn_open() ? "space: done  " : "space: speak  ";
  if (m_keys.descriptor() >= 0) {
    if (m_phase == Phase::Lost && !m_plan.text) return line + "r: reconnect, q: end";
    if (m_plan.text) return line + "Enter: send, Ctrl-D: end";
    line += m_plan.call ? "i: interrupt, t: type, h: hang up, q: leave, ?: keys"
                        : "i: interrupt, m: mute, t: type, q: end, ?: keys";
  }
  return line;
}

}  // namespace svc::cli
