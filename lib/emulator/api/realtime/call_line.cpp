#include "emulator/api/realtime/call_line.h"

#include <algorithm>
#include <utility>

#include "audio/sound_file.h"

namespace svc::emulator::realtime {
namespace {

using std::chrono::milliseconds;

// A caller who is not greeted starts after this time.
constexpr milliseconds k_patience{500};
constexpr milliseconds k_poll_interval{25};
constexpr milliseconds k_key_interval{50};
constexpr milliseconds k_poll{100};
// The caller's audio is sent at ten times its speed: turns are found by position.
constexpr milliseconds k_speaking_tick{10};
constexpr int k_caller_chunk_ms = 100;
// Silence sent afterwards, which ends the turn.
constexpr int k_silence_ms = 2'000;

}  // namespace

CallLine::CallLine(phone::PhoneCall call, State& state, std::shared_ptr<SocketPeer> peer, int rate,
                   CallHandlers handlers)
    : m_call(std::move(call)),
      m_state(state),
      m_peer(std::move(peer)),
      m_handlers(std::move(handlers)),
      m_rate(rate) {
  if (const std::size_t comma = m_call.keys.find(','); comma != std::string::npos) {
    m_first = m_call.keys.substr(0, comma);
    m_call.keys.erase(0, comma + 1);
  }
  if (m_call.audio.empty()) return;
  auto reader = audio::open_sound_bytes(m_call.audio, "input", {rate, 1});
  if (!reader) return;
  if (auto samples = audio::read_all(**reader)) {
    m_speech = std::move(*samples);
    m_speech.resize(m_speech.size() + static_cast<std::size_t>(rate) * k_silence_ms / 1000);
  }
}

CallLine::~CallLine() {
  m_peer->cancel_timer(m_timer);
}

void CallLine::start() {
  wait_for(k_poll_interval);
}

void CallLine::wait_for(milliseconds time) {
  m_tick = time;
  m_timer = m_peer->start_timer(time, [this] { tick(); });
}

// The call may have been ended by another process with the same state.
bool CallLine::is_over() {
  m_since_poll += m_tick;
  if (m_since_poll < k_poll) return false;
  m_since_poll = milliseconds(0);
  const auto found =
      m_state.with([&](Database& database) { return phone::find_call(database, m_call.id); });
  return found && *found && (*found)->is_over();
}

void CallLine::tick() {
  if (is_over()) return m_handlers.over();
  switch (m_stage) {
    case Stage::Waiting:
      m_waited += m_tick;
      if (m_handlers.is_busy()) {
        m_greeted = true;
      } else if (m_greeted || m_waited >= k_patience) {
        m_stage = Stage::Choosing;
      }
      return wait_for(k_poll_interval);
    case Stage::Choosing:
      return choose();
    case Stage::Speaking:
      return speak();
    case Stage::Pressing:
      return press();
    case Stage::Listening:
      return wait_for(k_poll);
  }
}

void CallLine::speak() {
  const std::size_t count = std::min(static_cast<std::size_t>(m_rate) * k_caller_chunk_ms / 1000,
                                     m_speech.size() - m_spoken);
  if (count == 0) {
    m_stage = Stage::Pressing;
    return wait_for(k_poll_interval);
  }
  const auto begin = m_speech.begin() + static_cast<std::ptrdiff_t>(m_spoken);
  const Samples chunk(begin, begin + static_cast<std::ptrdiff_t>(count));
  m_spoken += count;
  wait_for(k_speaking_tick);
  m_handlers.hear(chunk);
}

void CallLine::choose() {
  if (m_first.empty()) {
    m_stage = Stage::Speaking;
    return wait_for(k_poll_interval);
  }
  wait_for(k_key_interval);
  const char key = m_first.front();
  m_first.erase(0, 1);
  m_handlers.key(key);
}

void CallLine::press() {
  if (m_pressed == m_call.keys.size()) {
    m_stage = Stage::Listening;
    return wait_for(k_poll);
  }
  wait_for(k_key_interval);
  if (!m_handlers.is_busy()) m_handlers.key(m_call.keys[m_pressed++]);
}

}  // namespace svc::emulator::realtime
