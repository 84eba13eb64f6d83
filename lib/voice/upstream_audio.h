// The user's audio on its way to the service, and which of it must be resent if the connection is
// lost in the middle of a turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::voice {

// Captured audio, retained until its transcript is final because it may have to be resent.

/// Bytes addressed by their position since the start; retains a limited number.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(std::size_t most) noexcept : m_max_bytes(most) {}

  /// Drops the oldest bytes if there is no room.
  void append(std::string_view bytes);
  /// Releases the bytes before `position`.
  void release(std::uint64_t position);

  /// The positions of the first retained byte and after the last one.
  [[nodiscard]] std::uint64_t begin() const noexcept { return m_begin; }
  [[nodiscard]] std::uint64_t end() const noexcept {
    return m_begin + (m_bytes.size() - m_released);
  }

  /// Returns at most `count` bytes from `position`, which must not be before begin().
  [[nodiscard]] std::string_view read(std::uint64_t position, std::size_t count) const;

 private:
  void drop(std::size_t count);

  std::size_t m_max_bytes;
  std::string m_bytes{};
  std::size_t m_released = 0;  ///< leading bytes of m_bytes no longer needed, erased occasionally
  std::uint64_t m_begin = 0;
};

class UpstreamAudio {
 public:
  /// Audio of `rate` frames per second, of which at most `most` bytes are retained.
  UpstreamAudio(std::size_t most, std::size_t rate, std::size_t bytes_per_frame) noexcept
      : m_replay(most), m_rate(rate), m_frame(bytes_per_frame) {}

  /// Appends whole frames.
  void append(std::string_view bytes) { m_replay.append(bytes); }

  // Turns marked by the user.

  /// Starts a turn, which includes all audio appended until end_turn().
  void begin_turn();
  /// Returns false if the turn contains no audio, so that there is nothing to commit.
  [[nodiscard]] bool end_turn();
  [[nodiscard]] bool turn_open() const noexcept { return m_turn == Turn::Open; }
  /// Whether a turn is open, or finished but not committed yet.
  [[nodiscard]] bool turn_due() const noexcept { return turn_open() || m_turn == Turn::Ended; }
  /// Whether a finished turn has been sent completely and `input_audio_buffer.commit` is due.
  /// Returns true only once.
  [[nodiscard]] bool take_commit();
  /// Call when the service has created an item from the turn.
  void committed();

  // Turns detected by the service, with its positions in the audio (-1: not reported).

  void speech_started(std::int64_t at_ms);
  void speech_stopped(std::int64_t at_ms);

  /// The next bytes to send, at most `most`; "" if nothing may be sent now.
  [[nodiscard]] std::string_view next(std::size_t most);
  void sent(std::size_t bytes);
  /// The number of bytes not sent yet.
  [[nodiscard]] std::size_t unsent() const noexcept;

  /// Call when the connection is lost: audio that is not part of a complete turn will be resent.
  void lost();
  /// From now on the service detects turns; one that was marked is resent as part of the audio.
  void leave_turn() noexcept { m_turn = Turn::None; }
  /// Milliseconds of audio dropped for lack of room since the last call.
  [[nodiscard]] std::uint64_t take_dropped_ms();

 private:
  enum class Turn : std::uint8_t {
    None,
    SpeechDetected,  ///< the service has detected speech
    Open,            ///< the user is speaking
    Ended,           ///< the user has finished; the turn has yet to be committed
    Committed,       ///< committed, but not confirmed by the service
  };

  void skip_dropped();
  void release();
  [[nodiscard]] std::uint64_t byte_position(std::int64_t at_ms, std::uint64_t least) const;

  ReplayBuffer m_replay;
  std::size_t m_rate;
  std::size_t m_frame;
  Turn m_turn = Turn::None;
  std::uint64_t m_sent = 0;
  std::uint64_t m_base = 0;      ///< where this connection's audio starts
  std::uint64_t m_released = 0;  ///< audio before this never needs to be resent
  std::uint64_t m_from = 0;      ///< where the turn starts,
  std::uint64_t m_to = 0;        ///< and where it ends
  std::uint64_t m_dropped = 0;   ///< in bytes
};

}  // namespace svc::voice
