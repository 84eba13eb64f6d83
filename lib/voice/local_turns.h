// Turns that this side detects, by level over the room's noise, in audio without echo. Positions
// are those in the audio: no clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace svc::voice {

struct LocalTurnRules {
  std::chrono::milliseconds least{250};    ///< shorter sounds are not a turn
  std::chrono::milliseconds silence{500};  ///< ends a turn
  std::chrono::milliseconds before{333};   ///< of audio from before a turn, which belongs to it
};

/// While the gate is closed, only turns pass it: nothing is sent between them. One thread owns it.
class LocalTurns {
 public:
  LocalTurns(const LocalTurnRules& rules, std::size_t bytes_per_ms) noexcept
      : m_rules(rules), m_bytes_per_ms(bytes_per_ms) {}

  /// Adds audio of the level `rms`, from 0 to 1. Returns what passes.
  [[nodiscard]] std::string add(std::string_view bytes, double rms);
  /// The audio has ended, and with it a turn.
  void end();

  /// Closes the gate. A voice that is already speaking passes from its start.
  void close() noexcept { m_closed = true; }
  /// Opens the gate; returns the newest audio, in which a turn may begin. Call between turns.
  [[nodiscard]] std::string open();
  [[nodiscard]] bool closed() const noexcept { return m_closed; }

  /// Whether somebody speaks, or has just stopped.
  [[nodiscard]] bool voice() const noexcept { return m_voice; }
  /// How long this voice, or else the last one, has spoken; pauses do not count.
  [[nodiscard]] std::chrono::milliseconds spoken() const noexcept { return m_spoken; }
  /// Whether this voice is a turn, which passes a closed gate.
  [[nodiscard]] bool in_turn() const noexcept { return m_turn; }
  /// True once, when a turn that passed a closed gate is over.
  [[nodiscard]] bool take_end() noexcept;

 private:
  using Milliseconds = std::chrono::milliseconds;

  void judge(Milliseconds length, double rms);
  void trim_held(Milliseconds most);

  LocalTurnRules m_rules;
  std::size_t m_bytes_per_ms;
  std::string m_held{};  ///< has not passed
  bool m_closed = false;
  bool m_voice = false;
  bool m_turn = false;
  bool m_ended = false;
  double m_noise = 0.001;
  Milliseconds m_spoken{0};
  Milliseconds m_loud{0};   ///< before a voice is detected
  Milliseconds m_quiet{0};  ///< since the last loud block
};

}  // namespace svc::voice
