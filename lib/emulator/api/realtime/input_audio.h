// The user's speech: the buffer of audio that is not yet part of an item, and the turns in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/api/realtime/session_config.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::realtime {

struct VadEvent {
  bool started = false;    ///< otherwise stopped
  std::int64_t at_ms = 0;  ///< a start includes the padding before it, a stop the silence
};

/// Voice activity detection by energy. Uses positions in the audio, not time: audio sent faster
/// than real time has the same turns.
class EnergyVad {
 public:
  EnergyVad(const TurnDetection& turns, int rate);

  /// Returns the starts and stops in these samples, which continue the previous ones.
  [[nodiscard]] std::vector<VadEvent> feed(std::span<const std::int16_t> samples);

  [[nodiscard]] bool is_speaking() const { return m_speaking; }
  /// Returns the end of the input, in whole frames.
  [[nodiscard]] std::int64_t position_ms() const { return m_frames * k_frame_ms; }

 private:
  static constexpr std::int64_t k_frame_ms = 20;
  [[nodiscard]] std::optional<VadEvent> classify(double loudness);

  TurnDetection m_turns;
  std::size_t m_frame_size;
  double m_sum = 0;  ///< of squares in the incomplete frame
  std::size_t m_filled = 0;
  std::int64_t m_frames = 0;
  std::int64_t m_loud_frames = 0;   ///< consecutive, during silence
  std::int64_t m_quiet_frames = 0;  ///< consecutive, during speech
  bool m_speaking = false;
};

class InputAudio {
 public:
  InputAudio() = default;

  /// Applies the configuration. Returns true if turn detection restarts, because its mode or the
  /// audio format has changed; the buffer is then cleared.
  bool configure(const SessionConfig& config);

  /// Adds audio; returns the starts and stops in it, in server_vad mode. Positions count from the
  /// start of the session.
  [[nodiscard]] std::vector<VadEvent> add(const Samples& samples);

  /// Removes and returns the audio between two positions, and drops everything before it.
  [[nodiscard]] Samples take(std::int64_t begin_ms, std::int64_t end_ms);
  /// Removes and returns everything.
  [[nodiscard]] Samples take_all();
  /// Returns a copy of the audio from that position on.
  [[nodiscard]] Samples copy_from(std::int64_t begin_ms) const;
  void clear();

  [[nodiscard]] bool empty() const { return m_samples.empty(); }
  [[nodiscard]] bool is_full() const;
  /// Returns the end position of the input.
  [[nodiscard]] std::int64_t position_ms() const { return m_begin_ms + buffered_ms(); }

 private:
  [[nodiscard]] std::int64_t buffered_ms() const {
    return milliseconds_of(m_samples.size(), m_format.rate);
  }
  /// Returns the index in m_samples of a position.
  [[nodiscard]] std::size_t index_of(std::int64_t position_ms) const;
  void drop_before(std::int64_t position_ms);
  void restart_vad();

  AudioFormat m_format{};
  TurnDetection m_turns{};
  Samples m_samples{};
  std::int64_t m_begin_ms = 0;      ///< position of the first sample in m_samples
  std::int64_t m_vad_begin_ms = 0;  ///< position where m_vad started
  EnergyVad m_vad{{}, AudioFormat{}.rate};
};

}  // namespace svc::emulator::realtime
