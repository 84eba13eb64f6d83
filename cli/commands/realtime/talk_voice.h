// The answers of a conversation on their way to a speaker, and what an interruption leaves of them.
#pragma once

#include <deque>
#include <memory>
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
  [[nodiscard]] std::vector<audio::Sample> take_heard();

  /// A piece of an item, as the service sent it.
  Result<void> play(const std::string& item, int content, std::string_view bytes);
  /// No more of the item comes.
  void finish(const std::string& item);
  /// Gives the sink what it has room for.
  Result<void> pump();
  /// Silence, now: what was not heard to its end. Nothing when nothing was being said.
  [[nodiscard]] std::vector<voice::Truncation> interrupt();

  /// Everything was heard.
  [[nodiscard]] bool idle() const;
  /// Something waits for room in the sink.
  [[nodiscard]] bool pending() const noexcept { return !m_pending.empty(); }
  [[nodiscard]] audio::Level level() const;
  [[nodiscard]] Result<void> check();
  [[nodiscard]] Result<void> close();

 private:
  struct Piece {
    std::string item{};
    int content = 0;
    std::vector<audio::Sample> samples{};
    std::size_t done = 0;
  };

  void hear(std::uint64_t position);

  std::unique_ptr<audio::Sink> m_sink;
  audio::Encoding m_encoding;
  voice::Playback m_playback;
  std::deque<Piece> m_pending{};
  std::string m_decoding{};  ///< the item whose bytes came last
  audio::Decoder m_decoder;
  bool m_finish = false;  ///< nothing more comes for now
  bool m_keeps = false;
  std::deque<audio::Sample> m_unheard{};  ///< written, when that is kept
  std::uint64_t m_heard_until = 0;        ///< frames
  std::vector<audio::Sample> m_heard{};
};

}  // namespace svc::cli
