// What the user says: the buffer of audio that no item has yet, and the turns in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/api/realtime/session_config.h"
#include "emulator/sound/audio_format.h"

namespace svc::emulator::realtime {

struct VadMark {
  bool started = false;    ///< else stopped
  std::int64_t at_ms = 0;  ///< started: with the padding before it; stopped: with the silence
};

/// Voice activity by energy. It knows positions in the audio and no time: audio that comes faster
/// than it was spoken has the same turns.
class EnergyVad {
 public:
  struct Settings {
    double threshold = 0.85;  ///< 0 takes everything for speech, 1 nothing
    std::int64_t silence_ms = 500;
    std::int64_t prefix_ms = 333;
  };
  EnergyVad(const Settings& settings, int rate);

  /// What begins and ends in the samples that follow those of before.
  [[nodiscard]] std::vector<VadMark> feed(std::span<const std::int16_t> samples);

  [[nodiscard]] bool is_speaking() const { return m_speaking; }
  /// Of the end of all that was fed, in whole frames.
  [[nodiscard]] std::int64_t position_ms() const { return m_frames * k_frame_ms; }

 private:
  static constexpr std::int64_t k_frame_ms = 20;
  [[nodiscard]] std::optional<VadMark> judge(double loudness);

  Settings m_settings;
  std::size_t m_frame_size;
  double m_sum = 0;  ///< of the squares of the frame that is not full
  std::size_t m_filled = 0;
  std::int64_t m_frames = 0;
  std::int64_t m_loud_frames = 0;   ///< in a row, while nobody speaks
  std::int64_t m_quiet_frames = 0;  ///< in a row, while somebody speaks
  bool m_speaking = false;
};

class InputAudio {
 public:
  InputAudio() = default;

  /// Takes the configuration over. True when the turns begin anew, because they are found in
  /// another way, or the audio has another format; then what was in the buffer is dropped.
  bool configure(const SessionConfig& config);

  /// Adds audio; what begins and ends in it, in server_vad mode. Positions count from the
  /// session's beginning.
  [[nodiscard]] std::vector<VadMark> add(const Samples& samples);

  /// Takes the audio between two positions out, and drops what is before it.
  [[nodiscard]] Samples take(std::int64_t begin_ms, std::int64_t end_ms);
  /// Takes all of it.
  [[nodiscard]] Samples take_all();
  /// The audio from that position on.
  [[nodiscard]] Samples copy_from(std::int64_t begin_ms) const;
  void clear();

  [[nodiscard]] bool empty() const { return m_samples.empty(); }
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] int rate() const { return m_format.rate; }
  /// Of the end of all audio that came.
  [[nodiscard]] std::int64_t position_ms() const { return m_begin_ms + buffered_ms(); }

 private:
  [[nodiscard]] std::int64_t buffered_ms() const {
    return milliseconds_of(m_samples.size(), m_format.rate);
  }
  void drop_before(std::int64_t position_ms);
  void restart_vad();

  AudioFormat m_format{};
  TurnDetection m_turns{};
  Samples m_samples{};
  std::int64_t m_begin_ms = 0;      ///< the position of m_samples' begin
  std::int64_t m_vad_begin_ms = 0;  ///< where m_vad began
  EnergyVad m_vad{{}, AudioFormat{}.rate};
};

}  // namespace svc::emulator::realtime
