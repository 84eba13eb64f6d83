// The answers of a conversation on their way to a speaker, and what an interruption leaves of them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audio/sink.h"
#include "base/result.h"
#include "voice/playback.h"

namespace svc::cli {

class TalkVoice {
 public:
  /// Without a sink nothing is ever heard.
  TalkVoice(std::unique_ptr<audio::Sink> sink, audio::Encoding encoding);

  /// Keeps what is heard until it is taken by take_heard().
  void keep_heard() noexcept { m_keeps = true; }
  /// What came out of the speaker since the last call.
  [[nodiscard]] std::vector<audio::Sample> take_heard() { return std::exchange(m_heard, {}); }

  /// A piece of an item, as the service sent it.
  Result<void> play(const std::string& item, int content, std::string_view bytes);
  /// No more of the item comes.
  void finish(const std::string& item);
  /// Gives the sink what it has room for.
  Result<void> pump();
  /// Silence, now: what was not heard to its end. Nothing when nothing was being said.
  [[nodiscard]] std::vector<voice::Truncation> interrupt();

  /// When the first sound was heard of what is or was said last; nothing while it was not.
  [[nodiscard]] std::optional<audio::Clock::time_point> begun() const noexcept { return m_begun; }

  /// Lets the speaker go; what was not heard of it is kept for the next one.
  void release();
  /// Goes on with another speaker of the same format.
  Result<void> move_to(std::unique_ptr<audio::Sink> sink);

  /// Everything was heard.
  [[nodiscard]] bool idle() const;
  /// Something waits for room in the sink.
  [[nodiscard]] bool pending() const noexcept { return !m_pending.empty(); }
  [[nodiscard]] audio::Level level() const { return m_sink ? m_sink->level() : audio::Level{}; }
  [[nodiscard]] Result<void> check() { return m_sink ? m_sink->check() : Result<void>(); }
  [[nodiscard]] Result<void> close() { return m_sink ? m_sink->close() : Result<void>(); }

 private:
  struct Piece {
    std::string item{};
    int content = 0;
    std::vector<audio::Sample> samples{};
    std::size_t done = 0;
  };

  void hear(bool all);
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] std::uint64_t written() const;

  std::unique_ptr<audio::Sink> m_sink;
  audio::Encoding m_encoding;
  bool m_voiced;           ///< there is a sink, or there will be again
  audio::Format m_format;  ///< of it, one channel
  voice::Playback m_playback;
  std::deque<Piece> m_pending{};
  std::string m_decoding{};  ///< the item whose bytes came last
  audio::Decoder m_decoder;
  bool m_finish = false;                   ///< nothing more comes for now
  std::uint64_t m_base = 0;                ///< frames heard of speakers before this one
  std::vector<audio::Sample> m_unheard{};  ///< written, and not heard yet,
  std::uint64_t m_unheard_from = 0;        ///< from this frame on
  bool m_keeps = false;
  std::vector<audio::Sample> m_heard{};
  std::uint64_t m_first = 0;  ///< frame with which the last answer begins
  std::optional<audio::Clock::time_point> m_begun{};
};

}  // namespace svc::cli
