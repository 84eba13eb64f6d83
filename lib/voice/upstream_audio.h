// What is heard of the user on its way to the service, and what of it has to go there again when
// the connection is lost in the middle of a turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::voice {

// Sound that was captured, kept until what is said in it is final: it may have to be sent again.

/// Bytes by their position since the very first one; a limited number is kept.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(std::size_t most) noexcept : m_most(most) {}

  /// Drops the oldest when there is no more room.
  void append(std::string_view bytes);
  /// What is before `position` is needed no more.
  void settle(std::uint64_t position);

  /// Of the first byte that is kept, and behind the last one.
  [[nodiscard]] std::uint64_t begin() const noexcept { return m_begin; }
  [[nodiscard]] std::uint64_t end() const noexcept {
    return m_begin + (m_bytes.size() - m_settled);
  }

  /// At most `count` bytes from `position` on, which is not before begin().
  [[nodiscard]] std::string_view read(std::uint64_t position, std::size_t count) const;

 private:
  void forget(std::size_t count);

  std::size_t m_most;
  std::string m_bytes{};
  std::size_t m_settled = 0;  ///< of m_bytes, no more wanted: taken out now and then
  std::uint64_t m_begin = 0;
};

class UpstreamAudio {
 public:
  /// Sound of `rate` frames a second, of which at most `most` bytes are kept.
  UpstreamAudio(std::size_t most, std::size_t rate, std::size_t bytes_per_frame) noexcept
      : m_keep(most), m_rate(rate), m_frame(bytes_per_frame) {}

  /// Whole frames.
  void append(std::string_view bytes) { m_keep.append(bytes); }

  // Turns that the user begins and ends.

  /// What is appended from now on is a turn, until end_turn().
  void begin_turn();
  /// False when nothing was heard in it: there is nothing to commit.
  [[nodiscard]] bool end_turn();
  [[nodiscard]] bool turn_open() const noexcept { return m_turn == Turn::Open; }
  /// All of a turn that was ended is sent: `input_audio_buffer.commit` is due. True once.
  [[nodiscard]] bool take_commit();
  /// The service has made an item of it.
  void committed();

  // Turns that the service finds, at its places in the sound (-1: not told).

  void speech_started(std::int64_t at_ms);
  void speech_stopped(std::int64_t at_ms);

  /// The next bytes to send, limited in number; "" when everything that may be sent was.
  [[nodiscard]] std::string_view next(std::size_t most);
  void sent(std::size_t bytes);
  /// Bytes that are not sent.
  [[nodiscard]] std::size_t unsent() const noexcept;

  /// The connection is lost: what belongs to no whole turn of the service's is to be sent again.
  void lost();
  /// Milliseconds that were too much to be kept, since the last call.
  [[nodiscard]] std::uint64_t take_dropped_ms();

 private:
  enum class Turn : std::uint8_t {
    None,
    Heard,      ///< the service hears one
    Open,       ///< the user speaks
    Ended,      ///< and has finished; it is to be committed
    Committed,  ///< sent to the service, which has not answered
  };

  void skip_dropped();
  void settle();
  [[nodiscard]] std::uint64_t place(std::int64_t at_ms, std::uint64_t least) const;

  ReplayBuffer m_keep;
  std::size_t m_rate;
  std::size_t m_frame;
  Turn m_turn = Turn::None;
  std::uint64_t m_sent = 0;
  std::uint64_t m_base = 0;     ///< where this connection's sound began
  std::uint64_t m_settled = 0;  ///< what is before it is the service's for good
  std::uint64_t m_from = 0;     ///< where the turn began,
  std::uint64_t m_to = 0;       ///< and where it ended
  std::uint64_t m_dropped = 0;  ///< bytes
};

}  // namespace svc::voice
