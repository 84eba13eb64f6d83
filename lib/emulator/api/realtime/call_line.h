// The caller in a simulated call (phone/incoming.cpp): waits for a greeting, plays the call's WAV
// file, presses keys, and listens until the call ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "emulator/api/phone/store.h"
#include "emulator/handler/socket.h"
#include "emulator/sound/audio_format.h"
#include "emulator/state/state.h"

namespace svc::emulator::realtime {

/// The session's callbacks for the caller.
struct CallHandlers {
  std::function<void(const Samples&)> hear;
  std::function<void(char)> key;
  std::function<bool()> is_busy;  ///< whether somebody speaks or an answer is in progress
  std::function<void()> over;     ///< the call was ended or transferred
};

class CallLine {
 public:
  /// The caller's audio has the sample rate `rate`. `state` must outlive it.
  CallLine(phone::PhoneCall call, State& state, std::shared_ptr<SocketPeer> peer, int rate,
           CallHandlers handlers);
  CallLine(const CallLine&) = delete;
  CallLine& operator=(const CallLine&) = delete;
  ~CallLine();

  void start();

 private:
  enum class Stage : std::uint8_t { Waiting, Choosing, Speaking, Pressing, Listening };
  void wait_for(std::chrono::milliseconds time);
  void tick();
  void speak();
  void choose();
  void press();
  [[nodiscard]] bool is_over();

  phone::PhoneCall m_call;
  State& m_state;
  std::shared_ptr<SocketPeer> m_peer;
  CallHandlers m_handlers;
  std::string m_first{};  ///< keys pressed before the caller speaks
  Samples m_speech{};
  int m_rate;
  Stage m_stage = Stage::Waiting;
  bool m_greeted = false;
  std::size_t m_spoken = 0;   ///< samples
  std::size_t m_pressed = 0;  ///< keys
  std::chrono::milliseconds m_waited{0};
  std::chrono::milliseconds m_since_poll{0};
  std::chrono::milliseconds m_tick{0};  ///< delay of the timer
  SocketPeer::TimerId m_timer = 0;
};

}  // namespace svc::emulator::realtime
